/* SPDX-License-Identifier: BSD-3-Clause */
/* Pens of figures: strokes as pixels, for PNG, or as SVG. */
#include <math.h>

#include "io/io_private.h"

/* ---- pixels ------------------------------------------------------------------------ */

static pav_status open_canvas(pen *p, int width, int height)
{
    return canvas_new(&p->canvas, width, height, 1) ? PAV_OK : PAV_ENOMEM;
}

static int pixel(double at)
{
    return (int)floor(at + 0.5);
}

static void pixel_fill(pen *p, double x, double y, double width, double height,
                       rgb colour)
{
    canvas_fill(&p->canvas, pixel(x), pixel(y), pixel(x + width) - pixel(x),
                pixel(y + height) - pixel(y), colour);
}

static void pixel_line(pen *p, const double from[2], const double to[2], double thickness,
                       rgb colour)
{
    canvas_line(&p->canvas, from, to, thickness, colour);
}

static void pixel_words(pen *p, const double at[2], pen_anchor anchor, bool upwards,
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
    return png_write_canvas(path, &p->canvas, NULL, NULL);
}

static void close_canvas(pen *p)
{
    canvas_free(&p->canvas);
}

const pen_ops canvas_pen = {
    .ending = ".png",
    .open = open_canvas,
    .fill = pixel_fill,
    .line = pixel_line,
    .words = pixel_words,
    .write = write_png,
    .close = close_canvas,
};

/* ---- SVG --------------------------------------------------------------------------- */

/* A pen writing SVG 1.1: one element per stroke, words stay text. Numbers do not depend
 * on the locale. */

enum {
    FONT_SIZE = 20, /* in this size most monospaced fonts are FONT_ADVANCE wide */
};

/* Adds a number, rounded to 1/100. */
static void add_number(text *t, const char *before, double value, const char *after)
{
    text_add(t, "%s", before);
    text_add_double(t, round(100 * value) / 100);
    text_add(t, "%s", after);
}

static void add_colour(text *t, const char *before, rgb colour)
{
    text_add(t, "%s\"#%02x%02x%02x\"", before, (unsigned)colour.r, (unsigned)colour.g,
             (unsigned)colour.b);
}

static pav_status open_svg(pen *p, int width, int height)
{
    text_add(&p->svg,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
             "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, "
             "monospace\" font-size=\"%d\">\n"
             "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
             width, height, width, height, FONT_SIZE, width, height);
    return p->svg.failed ? PAV_ENOMEM : PAV_OK;
}

static void svg_fill(pen *p, double x, double y, double width, double height, rgb colour)
{
    add_number(&p->svg, "<rect x=\"", x, "\"");
    add_number(&p->svg, " y=\"", y, "\"");
    add_number(&p->svg, " width=\"", width, "\"");
    add_number(&p->svg, " height=\"", height, "\"");
    add_colour(&p->svg, " fill=", colour);
    text_add(&p->svg, "/>\n");
}

static void svg_line(pen *p, const double from[2], const double to[2], double thickness,
                     rgb colour)
{
    add_number(&p->svg, "<line x1=\"", from[0], "\"");
    add_number(&p->svg, " y1=\"", from[1], "\"");
    add_number(&p->svg, " x2=\"", to[0], "\"");
    add_number(&p->svg, " y2=\"", to[1], "\"");
    add_colour(&p->svg, " stroke=", colour);
    add_number(&p->svg, " stroke-width=\"", thickness, "\" stroke-linecap=\"round\"/>\n");
}

/* Writes words. `at` is halfway up the capitals; SVG positions text by its baseline. */
static void svg_words(pen *p, const double at[2], pen_anchor anchor, bool upwards,
                      const char *string, rgb colour)
{
    static const char *const anchors[] = {
        [PEN_START] = "start", [PEN_MIDDLE] = "middle", [PEN_END] = "end"};
    const double low = FONT_HEIGHT / 2.0;

    add_number(&p->svg, "<text transform=\"translate(", at[0] + (upwards ? low : 0), "");
    add_number(&p->svg, " ", at[1] + (upwards ? 0 : low), ")");
    text_add(&p->svg, "%s\" text-anchor=\"%s\"", upwards ? " rotate(-90)" : "",
             anchors[anchor]);
    add_colour(&p->svg, " fill=", colour);
    text_add(&p->svg, ">");
    text_add_xml(&p->svg, string);
    text_add(&p->svg, "</text>\n");
}

static pav_status write_svg(pen *p, const char *path)
{
    text_add(&p->svg, "</svg>\n");
    return text_write(path, &p->svg);
}

static void close_svg(pen *p)
{
    text_free(&p->svg);
}

const pen_ops svg_pen = {
    .ending = ".svg",
    .open = open_svg,
    .fill = svg_fill,
    .line = svg_line,
    .words = svg_words,
    .write = write_svg,
    .close = close_svg,
};
