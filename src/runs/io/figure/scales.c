/* SPDX-License-Identifier: BSD-3-Clause */
/* Scales and ticks of plots and figures. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/io_private.h"

/* ---- ticks ------------------------------------------------------------------------- */

/* Ticks: round numbers along an axis. A tick is n * 1, 2 or 5 * 10^e with integer n, and
 * its text is made from the integers, so 0.3 never becomes 0.30000000000000004. */

enum {
    MOST_PLAIN_ZEROS =
        5 /* 0.00001 and 100000 are plain; beyond, powers of ten are written */
};

typedef struct step {
    int mantissa, exponent;
} step;

static double step_size(step s)
{
    return s.exponent >= 0 ? s.mantissa * pow(10, s.exponent)
                           : s.mantissa / pow(10, -s.exponent);
}

/* The smallest step with at most `most` ticks. */
static step choose_step(double from, double to, int most)
{
    static const int mantissas[] = {1, 2, 5};
    step s = {1, (int)floor(log10((to - from) / most)) - 1};

    for (;; s.exponent++)
        for (size_t m = 0; m < COUNT_OF(mantissas); m++) {
            s.mantissa = mantissas[m];
            if (floor(to / step_size(s)) - ceil(from / step_size(s)) + 1 <= most)
                return s;
        }
}

/* digits * 10^-places, digits >= 0, from the last digit to the first. */
static void print_decimal(char *out, const char *sign, long long digits, int places)
{
    char all[TICK_TEXT] = "";
    int at = TICK_TEXT - 1;

    for (int n = 0; (digits > 0 || n <= places) && at > 1; n++, digits /= 10) {
        if (n == places && places > 0)
            all[--at] = '.';
        all[--at] = (char)('0' + digits % 10);
    }
    (void)snprintf(out, TICK_TEXT, "%s%.40s", sign, all + at);
}

/* True for numbers better written with a power of ten: 0.00000002 and 3000000000, but not
 * 1.00000002. */
static bool needs_power(long long digits, int exponent)
{
    for (; digits >= 10; digits /= 10)
        exponent += exponent < -MOST_PLAIN_ZEROS;
    return exponent < -MOST_PLAIN_ZEROS || exponent > MOST_PLAIN_ZEROS;
}

/* power: of ten, common to the ticks of an axis; 0: the ticks are plain numbers. */
static void print_tick(char *out, long long value, step s, int power)
{
    const long long digits = (value < 0 ? -value : value) * s.mantissa;
    long long unit = 1;

    for (int e = 0; e < s.exponent && power == 0; e++)
        unit *= 10;
    if (digits == 0)
        (void)snprintf(out, TICK_TEXT, "0");
    else
        print_decimal(out, value < 0 ? "-" : "", digits * unit,
                      int_most(power - s.exponent, 0));
    if (power != 0 && digits != 0)
        (void)snprintf(out + strlen(out), 8, "e%d", power);
}

/* from < to. A range too narrow for doubles to divide gets no ticks. */
void ticks_choose(double from, double to, int most, ticks *t)
{
    const double range = to - from, largest = fmax(fabs(from), fabs(to));

    t->count = 0;
    most = most < 2 ? 2 : most > MAX_TICKS ? MAX_TICKS : most;
    if (!(range > 1e-9 * largest) || !(range < 1e300) || !(range > 1e-290))
        return;
    const step s = choose_step(from, to, most);
    const double slack = 1e-9 * range, size = step_size(s);
    long long n = (long long)ceil((from - slack) / size);
    /* One format for all ticks: 0.5e-5 and 1.0e-5, not 5e-6 and 0.00001. */
    bool powers = false;
    int power = s.exponent;
    long long digits = 0;
    for (long long k = n; k < n + most && (double)k * size <= to + slack; k++) {
        powers = powers || (k != 0 && needs_power(llabs(k) * s.mantissa, s.exponent));
        digits = int64_most(digits, llabs(k) * s.mantissa);
    }
    for (; digits >= 10; digits /= 10)
        power++;
    for (; t->count < most && (double)n * size <= to + slack; n++) {
        t->value[t->count] = (double)n * size;
        print_tick(t->text[t->count++], n, s, powers ? power : 0);
    }
}

/* Adds ticks to a logarithmic axis: each mantissa times every `every`-th power of ten.
 * Returns false if there would be more than `most`. */
static bool put_log(double from, double to, int most, const int *mantissas, int count,
                    int every, ticks *t)
{
    t->count = 0;
    for (int e = (int)floor(log10(from)); e <= (int)ceil(log10(to)); e++)
        for (int m = 0; m < count && e % every == 0; m++) {
            const double value = step_size((step){mantissas[m], e});
            if (value < from * (1 - 1e-9) || value > to * (1 + 1e-9))
                continue;
            if (t->count == most)
                return false;
            t->value[t->count] = value;
            print_tick(t->text[t->count++], mantissas[m], (step){1, e},
                       needs_power(mantissas[m], e) ? e : 0);
        }
    return true;
}

/* Chooses the ticks of a logarithmic axis. If fewer than two powers of ten and their
 * multiples are in the range, takes the ticks of a linear axis. */
void ticks_choose_log(double from, double to, int most, ticks *t)
{
    static const int one[] = {1}, three[] = {1, 2, 5};

    most = most < 2 ? 2 : most > MAX_TICKS ? MAX_TICKS : most;
    if (put_log(from, to, most, three, 3, 1, t)) {
        if (t->count < 2)
            ticks_choose(from, to, most, t);
        return;
    }
    for (int every = 1; !put_log(from, to, most, one, 1, every, t); every++)
        continue;
}

/* ---- axes of figures --------------------------------------------------------------- */

/* The axes of figures: the range of their values, linear or logarithmic, and their
 * ticks. */

enum { TICK = 7 };
static const double axis_room =
    0.05; /* room beyond the values, in parts of their range */

/* ---- the range --------------------------------------------------------------------- */

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

void axis_finish(figure_axis *a, int most_ticks, bool from_zero)
{
    if (a->logarithmic) {
        if (!(a->from <= a->to))
            a->from = a->to = 1;
        const double factor = fmax(pow(a->to / a->from, axis_room), 1.05);
        a->from = fmax(a->from / factor, 1e-300);
        a->to = fmin(a->to * factor, 1e300);
        ticks_choose_log(a->from, a->to, most_ticks, &a->ticks);
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
        a->from -= axis_room * range;
    if (!from_zero || a->to > 0 || !(a->to > a->from))
        a->to += axis_room * range;
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

/* ---- scales of pictures ------------------------------------------------------------ */

/* The scales of a plot: value range, colours, and pixel sizes. Small slices are enlarged
 * by whole factors, so every point is a square of one colour; large slices come as means
 * of blocks. */

enum {
    PREFERRED = 1100,   /* pixels of the longer side, at most, when points are enlarged */
    MOST_ZOOM = 200,    /* pixels of a point */
    NARROWEST = 64,     /* pixels of the shorter side */
    CURVE_WIDTH = 1000, /* pixels */
    CURVE_HEIGHT = 480,
};

pav_status plot_scale(plot *p)
{
    /* Chooses the range so from < to, whatever the input. */
    const picture *what = p->picture;
    const bool usable = isfinite(what->from) && isfinite(what->to);

    p->from = usable ? fmin(what->from, what->to) : 0;
    p->to = usable ? fmax(what->from, what->to) : 1;
    const double more = p->from < 0 || p->from > 0 ? fabs(p->from) / 2 : 1;
    if (!(p->to / 2 - p->from / 2 > DBL_MIN)) {
        p->from = fmax(p->from - more, -DBL_MAX);
        p->to = fmin(p->to + more, DBL_MAX);
    }
    /* Chooses a diverging map if both signs matter: the smaller side has at least a
     * twentieth of the range. */
    const char *name = p->picture->style.colours;
    const bool both = fmin(-p->from, p->to) >= 0.05 * fmax(-p->from, p->to);

    if (!name)
        name = both && p->picture->from < p->picture->to ? "seismic" : "viridis";
    p->map = colours_find(name);
    if (!p->map)
        return FAIL(PAV_EINVAL, "there are no colours called '%s'; known are %s", name,
                    colours_list());
    if (p->curve) {
        /* The scale of a curve: the values are the vertical axis, with some room above
         * and below. */
        const double room = 0.05 * (p->to / 2 - p->from / 2) * 2;

        p->zoom[0] = p->zoom[1] = 1;
        p->width = CURVE_WIDTH;
        p->height = CURVE_HEIGHT;
        p->from = fmax(p->from - room, -DBL_MAX);
        p->to = fmin(p->to + room, DBL_MAX);
    } else {
        const int64_t points[2] = {p->picture->width, p->picture->height};
        const int64_t longer = points[0] > points[1] ? points[0] : points[1];
        const int64_t zoom = longer < PREFERRED ? PREFERRED / longer : 1;

        for (int axis = 0; axis < 2; axis++) {
            p->zoom[axis] = (int)(zoom < MOST_ZOOM ? zoom : MOST_ZOOM);
            const int pixels = (int)points[axis] * p->zoom[axis];
            if (pixels < NARROWEST)
                p->zoom[axis] *= (NARROWEST + pixels - 1) / pixels;
        }
        p->width = (int)points[0] * p->zoom[0];
        p->height = (int)points[1] * p->zoom[1];
    }
    return PAV_OK;
}

double plot_position(const plot *p, int axis, double coordinate)
{
    const picture *what = p->picture;
    const bool value = p->curve && axis == 1;
    const double from = value ? p->from : what->axis_from[axis];
    const double to = value ? p->to : what->axis_to[axis];
    const int64_t cells = axis == 0 ? what->width : what->height;
    const int64_t points = what->block > 1 ? what->points[axis] : cells;
    const int pixels = axis == 0 ? p->width : p->height;
    const double share = (coordinate / 2 - from / 2) / (to / 2 - from / 2);

    if (p->curve)
        return share * (pixels - 1);
    return fmin((share * (double)(points - 1) + 0.5) *
                    ((double)p->zoom[axis] / (double)int64_most(what->block, 1)),
                pixels - 1);
}

/* ---- curves ------------------------------------------------------------------------ */

/* Draws one row of values: a curve. */

static const rgb grid_colour = {228, 228, 232}, curve_colour = {38, 84, 168};

/* Blocks without a finite mean break the curve and are marked. */
void curve_draw(const plot *p)
{
    const int64_t columns = p->picture->width;
    double last[2] = {0}, at[2] = {0};
    bool drawing = false;

    for (int n = 0; n < p->ticks[0].count; n++)
        canvas_fill(&p->canvas, p->left + (int)plot_position(p, 0, p->ticks[0].value[n]),
                    p->top, 1, p->height, grid_colour);
    for (int n = 0; n < p->ticks[1].count; n++)
        canvas_fill(&p->canvas, p->left,
                    p->top + p->height - 1 -
                        (int)plot_position(p, 1, p->ticks[1].value[n]),
                    p->width, 1, grid_colour);
    for (int64_t column = 0; column < columns; column++) {
        const double value = p->picture->value[column];
        at[0] = p->left + 0.5 +
                (columns > 1 ? (double)column / (double)(columns - 1) : 0.5) *
                    (p->width - 1);
        at[1] = p->top + p->height - 0.5 -
                plot_position(p, 1, fmin(fmax(value, p->from), p->to));
        if (!isfinite(value))
            canvas_fill(&p->canvas, (int)at[0] - 1, p->top, 3, p->height,
                        colours_at(p->map, NAN, 0, 1));
        else
            canvas_line(&p->canvas, drawing ? last : at, at, 2.5, curve_colour);
        drawing = isfinite(value);
        memcpy(last, at, sizeof last);
    }
}
