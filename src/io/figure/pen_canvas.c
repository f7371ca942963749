/* SPDX-License-Identifier: BSD-3-Clause */
/* A pen drawing pixels, for PNG. */
#include <math.h>

#include "io/io_private.h"

static pav_status open_canvas(pen *p, int width, int height)
{
    return canvas_new(&p->canvas, width, height) ? PAV_OK : PAV_ENOMEM;
}

static int pixel(double at)
{
    return (int)floor(at + 0.5);
}

static void fill(pen *p, double x, double y, double width, double height, rgb colour)
{
    canvas_fill(&p->canvas, pixel(x), pixel(y), pixel(x + width) - pixel(x),
                pixel(y + height) - pixel(y), colour);
}

static void line(pen *p, const double from[2], const double to[2], double thickness,
                 rgb colour)
{
    canvas_line(&p->canvas, from, to, thickness, colour);
}

static void words(pen *p, const double at[2], pen_anchor anchor, bool upwards,
                  const char *string, rgb colour)
{
    const int width = canvas_text_width(string);
    const int back = anchor == PEN_START ? 0 : anchor == PEN_END ? width : width / 2;

    if (upwards)
        canvas_text_upwards(&p->canvas, pixel(at[0]) - FONT_HEIGHT / 2,
                            pixel(at[1]) + back, string, colour);
    else
        canvas_text(&p->canvas, pixel(at[0]) - back, pixel(at[1]) - FONT_HEIGHT / 2,
                    string, colour);
}

static pav_status write_png(pen *p, const char *path)
{
    return png_write_canvas(path, &p->canvas);
}

static void close_canvas(pen *p)
{
    canvas_free(&p->canvas);
}

const pen_ops canvas_pen = {
    .ending = ".png",
    .open = open_canvas,
    .fill = fill,
    .line = line,
    .words = words,
    .write = write_png,
    .close = close_canvas,
};
