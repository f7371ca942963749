/* SPDX-License-Identifier: BSD-3-Clause */
/* random_difference.c: derivatives of random order within the remaining radius. */
#include <math.h>

#include "lang/lang_private.h"

enum { MAX_DRAWN_ORDER = 16, MAX_DRAWN_WEIGHTS = 2 * (MAX_DRAWN_ORDER / 2 + 2) + 1 };

/* Sum of the absolute weights for a spacing of one, with the radius and the number of
 * taps. */
static double difference_size(int m, int order, int half, int *reach, int *taps)
{
    num weight[MAX_DRAWN_WEIGHTS];
    int first;
    double size = 0;
    if (!difference_weights(m, order, half, weight, &first, taps))
        return INFINITY;
    for (int i = 0; i < *taps; i++)
        size += fabs(weight[i].v);
    *reach = half < 0 ? -first : first + *taps - 1;
    return size;
}

/* The least along an axis. */
static double spacing_along(const sketch *s, int axis)
{
    return s->stretched[axis] ? 0.6 * s->spacing[axis] : s->spacing[axis];
}

static int pick_order(sketch *s)
{
    return chance(s, 3) ? 2 * (1 + pick(s, MAX_DRAWN_ORDER / 2)) : 2 + 2 * pick(s, 2);
}

static void draw_order(sketch *s, int order, text *t)
{
    if (order > 2 || chance(s, 4))
        text_add(t, ", order %d", order);
}

typedef struct difference {
    int times[MAX_DIM]; /* along each axis */
    int order, half;    /* half: along the only axis */
    int reach[MAX_DIM], taps;
    double size;
} difference;

static void measure_difference(const sketch *s, difference *d)
{
    d->size = 1;
    d->taps = 1;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        int taps = 1;
        d->reach[axis] = 0;
        if (d->times[axis] > 0)
            d->size *= difference_size(d->times[axis], d->order, d->half, &d->reach[axis],
                                       &taps) /
                       pow(spacing_along(s, axis), d->times[axis]);
        d->taps *= taps;
    }
}

static difference pick_difference(sketch *s)
{
    const int letters = 1 + pick(s, chance(s, 3) ? 4 : 2);
    const bool one_axis = chance(s, 2);
    difference d = {.order = pick_order(s)};
    int axis = pick(s, s->dim);
    for (int i = 0; i < letters; i++) {
        d.times[axis]++;
        axis = one_axis ? axis : pick(s, s->dim);
    }
    const int most = d.times[axis];
    if (most == letters && most % 2 == 1 && chance(s, 2))
        d.half = chance(s, 2) ? 1 : -1;
    measure_difference(s, &d);
    return d;
}

/* dxxy(sum, order 4), dx(sum, at +1/2) */
double draw_derivative(sketch *s, const scope *c, text *t)
{
    difference d = pick_difference(s);
    for (int tries = 0; tries < 8 && !scope_radii(c, d.reach, d.taps); tries++)
        d = pick_difference(s);
    if (!scope_radii(c, d.reach, d.taps))
        return draw_tap(s, c, t);
    const scope inner = scope_within(c, d.reach, d.taps);
    text_add(t, "d");
    for (int axis = 0; axis < s->dim; axis++)
        for (int i = 0; i < d.times[axis]; i++)
            text_add(t, "%c", "xyz"[axis]);
    text_add(t, "(");
    const double size = draw_sum(s, &inner, t);
    draw_order(s, d.order, t);
    if (d.half != 0)
        text_add(t, ", at %c1/2", d.half > 0 ? '+' : '-');
    text_add(t, ")");
    return d.size * size;
}

double draw_laplace(sketch *s, const scope *c, text *t)
{
    int reach[MAX_DIM] = {0}, all = 1, taps;
    double size = 0;
    int order = pick_order(s);
    for (int axis = 0; axis < s->dim; axis++)
        while (order > 2 && order / 2 > c->reach[axis])
            order -= 2;
    for (int axis = 0; axis < s->dim; axis++) {
        size += difference_size(2, order, 0, &reach[axis], &taps) /
                pow(spacing_along(s, axis), 2);
        all += taps;
    }
    if (!scope_radii(c, reach, all))
        return draw_tap(s, c, t);
    const scope inner = scope_within(c, reach, all);
    text_add(t, "laplace(");
    size *= draw_sum(s, &inner, t);
    draw_order(s, order, t);
    text_add(t, ")");
    return size;
}

/* dx(k*dx(sum, at +1/2), at -1/2): the divergence of a flux between the points. */
double draw_flux(sketch *s, const scope *c, text *t)
{
    const int axis = pick(s, s->dim), order = 2 + 2 * pick(s, 2);
    const char sign = chance(s, 2) ? '+' : '-', letter = "xyz"[axis];
    int reach[MAX_DIM] = {0}, taps;
    double size = difference_size(1, order, 1, &reach[axis], &taps) /
                  spacing_along(s, axis);
    const scope middle = scope_within(c, reach, taps);
    if (!scope_radii(c, reach, taps) || !scope_radii(&middle, reach, taps))
        return draw_tap(s, c, t);
    const scope inner = scope_within(&middle, reach, taps);
    text_add(t, "d%c(", letter);
    size *= size * draw_power(s, &middle, t);
    text_add(t, "*d%c(", letter);
    size *= draw_sum(s, &inner, t);
    draw_order(s, order, t);
    text_add(t, ", at %c1/2)", sign);
    draw_order(s, order, t);
    text_add(t, ", at %c1/2)", sign == '+' ? '-' : '+');
    return size;
}
