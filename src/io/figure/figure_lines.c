/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of a figure, distinguished from others by colour and by the shape of its
 * points. */
#include <math.h>

#include "io/io_private.h"

static const double thickness = 2.5;

/* Lengths of a dash and of the gap between two dashes, by the kind of dashed line. */
static const double dash[] = {0, 9, 1}, pause[] = {0, 7, 6};

double line_x(const pav_figure_series *s, int64_t n)
{
    return s->x ? s->x[n] : (double)n;
}

/* ---- strokes ----------------------------------------------------------------------- */

static void stroke(const figure_layout *l, double x0, double y0, double x1, double y1,
                   rgb colour)
{
    l->pen->ops->line(l->pen, (const double[]){x0, y0}, (const double[]){x1, y1},
                      thickness, colour);
}

/* Draws a dashed piece of a line. `along` points to the length of the line so far, so the
 * dashes continue from piece to piece. */
static void dashed(const figure_layout *l, int how, const double from[2],
                   const double to[2], double *along, rgb colour)
{
    const double piece = dash[how > 1 ? 2 : 1], turn = piece + pause[how > 1 ? 2 : 1];
    const double length = hypot(to[0] - from[0], to[1] - from[1]);
    const double dx = (to[0] - from[0]) / length, dy = (to[1] - from[1]) / length;

    double at = -fmod(*along, turn);
    while (at < length) {
        const double begin = fmax(at, 0), end = fmin(at + piece, length);
        if (begin < end)
            stroke(l, from[0] + begin * dx, from[1] + begin * dy, from[0] + end * dx,
                   from[1] + end * dy, colour);
        at += turn;
    }
    *along += length;
}

static void dot(const figure_layout *l, double x, double y, double r, rgb colour)
{
    (void)r;
    l->pen->ops->line(l->pen, (const double[]){x, y}, (const double[]){x, y}, 10, colour);
}

static void square(const figure_layout *l, double x, double y, double r, rgb colour)
{
    l->pen->ops->fill(l->pen, x - r, y - r, 2 * r, 2 * r, colour);
}

static void triangle(const figure_layout *l, double x, double y, double r, rgb colour)
{
    stroke(l, x - r, y + r, x + r, y + r, colour);
    stroke(l, x - r, y + r, x, y - r, colour);
    stroke(l, x + r, y + r, x, y - r, colour);
}

static void cross(const figure_layout *l, double x, double y, double r, rgb colour)
{
    stroke(l, x - r, y - r, x + r, y + r, colour);
    stroke(l, x - r, y + r, x + r, y - r, colour);
}

static void diamond(const figure_layout *l, double x, double y, double r, rgb colour)
{
    stroke(l, x - r, y, x, y - r, colour);
    stroke(l, x, y - r, x + r, y, colour);
    stroke(l, x + r, y, x, y + r, colour);
    stroke(l, x, y + r, x - r, y, colour);
}

static void plus(const figure_layout *l, double x, double y, double r, rgb colour)
{
    stroke(l, x - r, y, x + r, y, colour);
    stroke(l, x, y - r, x, y + r, colour);
}

/* When the colours repeat, each colour takes the next shape of point. */
static void draw_point(const figure_layout *l, int64_t number, const double at[2])
{
    static void (*const shapes[])(const figure_layout *l, double x, double y, double r,
                                  rgb colour) = {dot,   square,  triangle,
                                                 cross, diamond, plus};
    const int64_t count = COUNT_OF(shapes);

    shapes[(number + number / count) % count](l, at[0], at[1], 4.5,
                                              figure_colour(number));
}

/* ---- series ------------------------------------------------------------------------ */

/* Draws a series. A missing value breaks the line. */
void line_draw(const figure_layout *l, const pav_figure_series *s, int64_t number)
{
    const rgb colour = figure_colour(number);
    double last[2] = {0}, along = 0;
    bool drawing = false;

    for (int64_t n = 0; n < s->count; n++) {
        const double x = line_x(s, n), y = s->y[n];
        const bool shown = axis_shows(&l->axis[0], x) && axis_shows(&l->axis[1], y);
        if (shown) {
            const double at[2] = {axis_position(&l->axis[0], x),
                                  axis_position(&l->axis[1], y)};
            if (drawing && s->dashed)
                dashed(l, s->dashed, last, at, &along, colour);
            else if (drawing)
                stroke(l, last[0], last[1], at[0], at[1], colour);
            if (!s->dashed)
                draw_point(l, number, at);
            last[0] = at[0];
            last[1] = at[1];
        }
        drawing = shown;
    }
}
