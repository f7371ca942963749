/* SPDX-License-Identifier: BSD-3-Clause */
/* The axes of figures: the range of their values, linear or logarithmic, and their
 * ticks. */
#include <math.h>

#include "io/io_private.h"

enum { TICK = 7 };
static const double room = 0.05; /* room beyond the values, in parts of their range */

/* ---- the range --------------------------------------------------------------------- */

void axis_begin(figure_axis *a, bool logarithmic)
{
    *a = (figure_axis){.logarithmic = logarithmic, .from = INFINITY, .to = -INFINITY};
}

bool axis_shows(const figure_axis *a, double value)
{
    return isfinite(value) && (!a->logarithmic || value > 0);
}

void axis_take(figure_axis *a, double value)
{
    if (!axis_shows(a, value))
        return;
    a->from = fmin(a->from, value);
    a->to = fmax(a->to, value);
}

static void finish_logarithmic(figure_axis *a, int most)
{
    if (!(a->from <= a->to))
        a->from = a->to = 1;
    const double factor = fmax(pow(a->to / a->from, room), 1.05);
    a->from = fmax(a->from / factor, 1e-300);
    a->to = fmin(a->to * factor, 1e300);
    ticks_choose_log(a->from, a->to, most, &a->ticks);
}

void axis_finish(figure_axis *a, int most_ticks, bool from_zero)
{
    if (a->logarithmic) {
        finish_logarithmic(a, most_ticks);
        return;
    }
    if (!(a->from <= a->to))
        a->from = a->to = 0;
    if (from_zero)
        axis_take(a, 0);
    const double range = a->to / 2 - a->from / 2 > 0 ? a->to - a->from
                         : a->to < 0 || a->to > 0    ? fabs(a->to)
                                                     : 1;
    if (!from_zero || a->from < 0)
        a->from -= room * range;
    if (!from_zero || a->to > 0 || !(a->to > a->from))
        a->to += room * range;
    ticks_choose(a->from, a->to, most_ticks, &a->ticks);
}

double axis_position(const figure_axis *a, double value)
{
    const double share = a->logarithmic
                             ? log(value / a->from) / log(a->to / a->from)
                             : (value / 2 - a->from / 2) / (a->to / 2 - a->from / 2);

    return a->low + fmin(fmax(share, 0), 1) * (a->high - a->low);
}

/* ---- drawing ----------------------------------------------------------------------- */

double axis_widest(const figure_axis *a)
{
    double width = 0;

    for (int n = 0; n < a->ticks.count; n++)
        width = fmax(width, words_width(a->ticks.text[n]));
    return width;
}

void axis_draw_across(const figure_layout *l)
{
    const figure_axis *a = &l->axis[0];
    const pen_ops *o = l->pen->ops;
    const double bottom = l->top + l->height;
    const double below = bottom + TICK + FIGURE_GAP + FONT_HEIGHT / 2.0;
    const char *name = l->figure->axis_name[0];

    for (int n = 0; n < a->ticks.count; n++) {
        const double x = floor(axis_position(a, a->ticks.value[n]));
        o->fill(l->pen, x, l->top, 1, l->height, figure_pale);
        o->fill(l->pen, x, bottom, 1, TICK, figure_ink);
        o->words(l->pen, (const double[]){x, below}, PEN_MIDDLE, false, a->ticks.text[n],
                 figure_ink);
    }
    o->fill(l->pen, l->left, bottom, l->width, 1, figure_ink);
    if (name)
        o->words(l->pen,
                 (const double[]){l->left + l->width / 2,
                                  below + FONT_HEIGHT + 2 * FIGURE_GAP},
                 PEN_MIDDLE, false, name, figure_ink);
}

void axis_draw_upwards(const figure_layout *l)
{
    const figure_axis *a = &l->axis[1];
    const pen_ops *o = l->pen->ops;
    const double left = l->left - TICK - FIGURE_GAP;
    const char *name = l->figure->axis_name[1];

    for (int n = 0; n < a->ticks.count; n++) {
        const double y = floor(axis_position(a, a->ticks.value[n]));
        o->fill(l->pen, l->left, y, l->width, 1, figure_pale);
        o->fill(l->pen, l->left - TICK, y, TICK, 1, figure_ink);
        o->words(l->pen, (const double[]){left, y}, PEN_END, false, a->ticks.text[n],
                 figure_ink);
    }
    o->fill(l->pen, l->left - 1, l->top, 1, l->height + 1, figure_ink);
    if (name)
        o->words(l->pen,
                 (const double[]){left - axis_widest(a) - FIGURE_GAP - FONT_DEPTH / 2.0,
                                  l->top + l->height / 2},
                 PEN_MIDDLE, true, name, figure_ink);
}
