/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of lines: a line a series, distinguished by colour and by the shape of its
 * points. */
#include <math.h>

#include "io/io_private.h"

enum { WIDTH = 900, HEIGHT = 480, ACROSS = 10, UPWARDS = 8 /* ticks at most */ };
static const double thickness = 2.5;

/* Of a dashed line, by how it is asked for: a piece, and what lies between two. */
static const double dash[] = {0, 9, 1}, pause[] = {0, 7, 6};

static double x_of(const pav_figure_series *s, int64_t n)
{
    return s->x ? s->x[n] : (double)n;
}

static void measure(figure_layout *l)
{
    const pav_figure *f = l->figure;
    const double name = f->axis_name[1] ? FONT_DEPTH + FIGURE_GAP : 0;

    axis_begin(&l->axis[0], f->logarithmic[0] != 0);
    axis_begin(&l->axis[1], f->logarithmic[1] != 0);
    for (int64_t s = 0; s < f->series_count; s++)
        for (int64_t n = 0; n < f->series[s].count; n++) {
            const double x = x_of(&f->series[s], n), y = f->series[s].y[n];
            if (!axis_shows(&l->axis[0], x) || !axis_shows(&l->axis[1], y))
                continue;
            axis_take(&l->axis[0], x);
            axis_take(&l->axis[1], y);
        }
    axis_finish(&l->axis[0], ACROSS, false);
    axis_finish(&l->axis[1], UPWARDS, true);
    l->width = WIDTH;
    l->height = HEIGHT;
    l->left = name + axis_widest(&l->axis[1]) + 2 * FIGURE_GAP;
    l->right = axis_widest(&l->axis[0]) / 2;
}

/* ---- strokes ----------------------------------------------------------------------- */

static void stroke(const figure_layout *l, double x0, double y0, double x1, double y1,
                   rgb colour)
{
    l->pen->ops->line(l->pen, (const double[]){x0, y0}, (const double[]){x1, y1},
                      thickness, colour);
}

/* *along: of the whole line, so that its dashes go on from piece to piece. */
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

/* Once the colours come again, each has the shape after its first. */
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

/* A value that is missing breaks the line. */
static void draw_series(const figure_layout *l, int64_t number)
{
    const pav_figure_series *s = &l->figure->series[number];
    const rgb colour = figure_colour(number);
    double last[2] = {0}, along = 0;
    bool drawing = false;

    for (int64_t n = 0; n < s->count; n++) {
        const double x = x_of(s, n), y = s->y[n];
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

static void draw(const figure_layout *l)
{
    axis_draw_across(l);
    axis_draw_upwards(l);
    for (int64_t s = 0; s < l->figure->series_count; s++)
        draw_series(l, s);
}

static void sample(const figure_layout *l, int64_t number, const double at[2])
{
    const double end[2] = {at[0] + 2 * FONT_ADVANCE, at[1]};
    const double middle[2] = {at[0] + FONT_ADVANCE, at[1]};
    double along = 0;

    const int how = l->figure->series[number].dashed;

    if (how) {
        dashed(l, how, at, end, &along, figure_colour(number));
        return;
    }
    stroke(l, at[0], at[1], end[0], end[1], figure_colour(number));
    draw_point(l, number, middle);
}

const figure_kind line_kind = {.measure = measure, .draw = draw, .sample = sample};
