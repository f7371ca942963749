/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of horizontal bars: one group per label, from top to bottom, with a bar for
 * each series with a value there. A mark, for example a bound, stands across each bar; a
 * note follows both. */
#include <math.h>

#include "io/io_private.h"

enum {
    BAR = 18,       /* pixels high */
    BETWEEN = 2,    /* pixels between bars of a group */
    GROUP_GAP = 16, /* pixels between groups */
    WIDTH = 640,    /* width of the plot */
    MOST_TICKS = 8,
};

static int64_t groups_of(const pav_figure *f)
{
    int64_t most = 0;

    for (int64_t s = 0; s < f->series_count; s++)
        most = f->series[s].count > most ? f->series[s].count : most;
    return most;
}

static bool has_bar(const pav_figure_series *s, int64_t n)
{
    return n < s->count && isfinite(s->y[n]);
}

/* The height of a group. An empty group is one bar high, for its label. */
static double group_height(const pav_figure *f, int64_t group)
{
    int64_t bars = 0;

    for (int64_t s = 0; s < f->series_count; s++)
        bars += has_bar(&f->series[s], group);
    return (double)((bars > 0 ? bars : 1) * (BAR + BETWEEN) - BETWEEN);
}

static const char *label_of(const pav_figure *f, int64_t group, char *shown)
{
    return figure_label(f->label ? f->label[group] : NULL, shown);
}

static double mark_of(const pav_figure_series *s, int64_t n)
{
    return s->mark ? s->mark[n] : NAN;
}

static void measure(figure_layout *l)
{
    const pav_figure *f = l->figure;
    const int64_t groups = groups_of(f);
    char shown[FIGURE_LABEL + 1];
    double labels = 0, notes = 0, height = GROUP_GAP;

    axis_begin(&l->axis[0], false);
    for (int64_t s = 0; s < f->series_count; s++)
        for (int64_t n = 0; n < f->series[s].count; n++) {
            axis_take(&l->axis[0], f->series[s].y[n]);
            axis_take(&l->axis[0], mark_of(&f->series[s], n));
            if (f->series[s].note)
                notes = fmax(notes, words_width(f->series[s].note[n]));
        }
    axis_finish(&l->axis[0], MOST_TICKS, true);
    for (int64_t n = 0; n < groups; n++) {
        labels = fmax(labels, words_width(label_of(f, n, shown)));
        height += group_height(f, n) + GROUP_GAP;
    }
    l->left = labels + 2 * FIGURE_GAP;
    l->width = WIDTH;
    l->height = height;
    l->right = notes + 2 * FIGURE_GAP;
}

/* Draws a mark: dark with a white edge, so it is visible on the bar and beside it. */
static void draw_mark(const figure_layout *l, double x, double y)
{
    static const rgb white = {255, 255, 255};

    l->pen->ops->fill(l->pen, x - 3, y - 1, 6, BAR + 2, white);
    l->pen->ops->fill(l->pen, x - 1.5, y - 2, 3, BAR + 4, figure_ink);
}

static void draw_bar(const figure_layout *l, int64_t number, int64_t n, double y)
{
    const pav_figure_series *s = &l->figure->series[number];
    const figure_axis *a = &l->axis[0];
    const double zero = axis_position(a, 0), mark = mark_of(s, n);
    double end = zero;

    if (axis_shows(a, s->y[n])) {
        end = axis_position(a, s->y[n]);
        l->pen->ops->fill(l->pen, fmin(zero, end), y, fabs(end - zero), BAR,
                          figure_colour(number));
    }
    end = fmax(end, zero);
    if (axis_shows(a, mark)) {
        draw_mark(l, axis_position(a, mark), y);
        end = fmax(end, axis_position(a, mark) + 2);
    }
    if (s->note && s->note[n])
        l->pen->ops->words(l->pen, (const double[]){end + FIGURE_GAP, y + BAR / 2.0},
                           PEN_START, false, s->note[n], figure_ink);
}

static void draw_group(const figure_layout *l, int64_t n, double y)
{
    const pav_figure *f = l->figure;
    const double middle = y + group_height(f, n) / 2;
    char shown[FIGURE_LABEL + 1];

    l->pen->ops->words(l->pen, (const double[]){l->left - 2.0 * FIGURE_GAP + 2, middle},
                       PEN_END, false, label_of(f, n, shown), figure_ink);
    for (int64_t s = 0; s < f->series_count; s++) {
        if (!has_bar(&f->series[s], n))
            continue;
        draw_bar(l, s, n, y);
        y += BAR + BETWEEN;
    }
}

static void draw(const figure_layout *l)
{
    const pav_figure *f = l->figure;
    const double zero = axis_position(&l->axis[0], 0);
    double y = l->top + GROUP_GAP;

    axis_draw_across(l);
    for (int64_t n = 0; n < groups_of(f); n++) {
        draw_group(l, n, y);
        y += group_height(f, n) + GROUP_GAP;
    }
    l->pen->ops->fill(l->pen, zero - 1, l->top, 1, l->height + 1, figure_ink);
}

/* Draws the legend's sample of a series; the number after the last series means the
 * mark. */
static void sample(const figure_layout *l, int64_t number, const double at[2])
{
    const double y = at[1] - BAR / 2.0;

    if (number < l->figure->series_count)
        l->pen->ops->fill(l->pen, at[0], y, 2 * FONT_ADVANCE, BAR, figure_colour(number));
    else
        draw_mark(l, at[0] + FONT_ADVANCE, y);
}

const figure_kind bar_kind = {.measure = measure, .draw = draw, .sample = sample};
