/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads of fields at and around a point: single taps, stars, boxes, shifted expressions,
 * stencils, lets, reductions, and transfers between the grid and the coarse one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/lang_private.h"

/* ---- derivatives ------------------------------------------------------------------- */

/* Derivatives of random order within the remaining radius. */

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
    d.size = 1;
    d.taps = 1;
    for (int k = 0; k < MAX_DIM; k++) {
        int taps = 1;
        d.reach[k] = 0;
        if (d.times[k] > 0)
            d.size *= difference_size(d.times[k], d.order, d.half, &d.reach[k], &taps) /
                      pow(spacing_along(s, k), d.times[k]);
        d.taps *= taps;
    }
    return d;
}

/* Scope inside a construct with the given radius and number of taps. */
static scope scope_within(const scope *c, const int *reach, int taps)
{
    scope inner = scope_inside(c);
    inner.may &= ~(unsigned)MAY_STRIDE;
    inner.room /= taps;
    for (int axis = 0; axis < MAX_DIM; axis++)
        inner.reach[axis] -= reach[axis];
    return inner;
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

/* ---- neighbours -------------------------------------------------------------------- */

enum { MAX_PREFIX = 24 };
/* Bound of all fields. Equations and border values are at most 1; injections and the
 * slopes of borders add to it. */
static const double field_size = 1.5;

static bool may_read(const sketch *s, const scope *c, int field)
{
    const sketch_field *f = &s->field[field];
    return f->coarse == c->coarse ||
           (f->coarse == c->coarse - 1 && (c->may & MAY_STRIDE));
}

/* Oldest readable level. After a step, one more level exists than the equations keep. */
static int pick_age(sketch *s, const scope *c, sketch_field *f)
{
    if (!(c->may & MAY_OLDER) || !f->updated || !chance(s, 4))
        return 0;
    if (c->may & MAY_AFTER)
        return 1 + pick(s, f->oldest + 1);
    const int age = 1 + pick(s, chance(s, 3) ? SKETCH_OLDEST : 1);
    if (age > f->oldest)
        f->oldest = age;
    return age;
}

/* Writes one level of a field: u, u', prev(u), prev(u, 2). False if no field is
 * readable. */
static bool draw_level(sketch *s, const scope *c, char prefix[MAX_PREFIX])
{
    int candidate[SKETCH_FIELDS], count = 0;
    for (int i = 0; i < s->fields; i++)
        if (may_read(s, c, i))
            candidate[count++] = i;

    const int index = count > 0 ? candidate[pick(s, count)] : -1;
    if (index < 0)
        return false;
    sketch_field *f = &s->field[index];
    const int age = pick_age(s, c, f);
    if (age > 1)
        snprintf(prefix, MAX_PREFIX, "prev(%s, %d)", f->name, age);
    else if (age == 1)
        snprintf(prefix, MAX_PREFIX, "prev(%s)", f->name);
    else
        snprintf(prefix, MAX_PREFIX, "%s%s", f->name,
                 (c->may & MAY_NEXT) && f->solved && chance(s, 2) ? "'" : "");
    return true;
}

/* Draws an offset within the radius, along one axis or along all. False if it is 0. */
static bool pick_offset(sketch *s, const scope *c, int *offset)
{
    const int only = chance(s, 2) ? pick(s, s->dim) : -1;
    bool away = false;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int reach = only < 0 || axis == only ? c->reach[axis] : 0;
        offset[axis] = pick(s, 2 * reach + 1) - reach;
        away = away || offset[axis] != 0;
    }
    return away;
}

double draw_tap(sketch *s, const scope *c, text *t)
{
    char prefix[MAX_PREFIX];
    int offset[MAX_DIM];
    if (!draw_level(s, c, prefix))
        return draw_literal(s, c, t);
    text_add(t, "%s", prefix);
    if (pick_offset(s, c, offset))
        draw_offset(s, offset, t);
    return field_size;
}

/* ---- sums of taps ------------------------------------------------------------------ */

/* Draws a star, 0.3*(u[1,0] + u[-1,0] + ...), or with separate weights. */
static double draw_ring(sketch *s, const scope *c, const char *prefix, int distance,
                        text *t)
{
    const bool shared = chance(s, 2);
    const double weight = shared ? draw_number(s, t) : 1;
    double size = 0;
    text_add(t, shared ? "*(" : "(");
    for (int arm = 0; arm < 2 * s->dim; arm++) {
        int offset[MAX_DIM] = {0};
        if (c->reach[arm / 2] < distance)
            continue;
        offset[arm / 2] = arm % 2 ? -distance : distance;
        text_add(t, "%s", size > 0 ? " + " : "");
        size += shared ? weight : draw_number(s, t);
        text_add(t, "%s%s", shared ? "" : "*", prefix);
        draw_offset(s, offset, t);
    }
    text_add(t, ")");
    return size * field_size;
}

double draw_star(sketch *s, const scope *c, text *t)
{
    char prefix[MAX_PREFIX];
    int most = 0;
    for (int axis = 0; axis < s->dim; axis++)
        most = c->reach[axis] > most ? c->reach[axis] : most;
    if (most == 0 || c->room < 2 * s->dim * most || !draw_level(s, c, prefix))
        return draw_tap(s, c, t);
    const int radius = 1 + pick(s, most < 4 ? most : 4);
    text_add(t, "(");
    double size = draw_number(s, t) * field_size;
    text_add(t, "*%s", prefix);
    for (int distance = 1; distance <= radius; distance++) {
        text_add(t, " + ");
        size += draw_ring(s, c, prefix, distance, t);
    }
    text_add(t, ")");
    return size;
}

/* Draws all points of a box, with weights by distance or with separate weights. */
double draw_box(sketch *s, const scope *c, text *t)
{
    static const char *const by_class[] = {"0.3", "0.2", "0.07", "0.015"};
    char prefix[MAX_PREFIX];
    int r[MAX_DIM], taps = 1;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        r[axis] = c->reach[axis] > 1 && s->dim < 3 ? 2 : c->reach[axis] > 0;
        taps *= 2 * r[axis] + 1;
    }
    if (taps == 1 || taps > c->room || !draw_level(s, c, prefix))
        return draw_tap(s, c, t);
    const bool classes = chance(s, 2);
    double size = 0;
    text_add(t, "(");
    for (int i = 0; i < taps; i++) {
        const int nx = 2 * r[0] + 1, ny = 2 * r[1] + 1;
        const int offset[MAX_DIM] = {i % nx - r[0], i / nx % ny - r[1],
                                     i / nx / ny - r[2]};
        const int class = (offset[0] != 0) + (offset[1] != 0) + (offset[2] != 0);
        text_add(t, "%s%s", i > 0 ? " + " : "", classes ? by_class[class] : "");
        size += classes ? 0.3 : draw_number(s, t);
        text_add(t, "*%s", prefix);
        draw_offset(s, offset, t);
    }
    text_add(t, ")");
    return size * field_size;
}

/* ---- expressions elsewhere --------------------------------------------------------- */

double draw_shift(sketch *s, const scope *c, text *t)
{
    int offset[MAX_DIM], reach[MAX_DIM];
    if (!pick_offset(s, c, offset))
        return draw_tap(s, c, t);
    for (int axis = 0; axis < MAX_DIM; axis++)
        reach[axis] = abs(offset[axis]);
    scope inner = scope_within(c, reach, 1);
    inner.may |= c->may & MAY_STRIDE;
    text_add(t, "(");
    const double size = draw_sum(s, &inner, t);
    text_add(t, ")");
    draw_offset(s, offset, t);
    return size;
}

double draw_stencil(sketch *s, const scope *c, text *t)
{
    if (s->stencils == 0)
        return draw_tap(s, c, t);
    const sketch_let *k = &s->stencil[pick(s, s->stencils)];
    if (!scope_radii(c, k->reach, k->taps))
        return draw_tap(s, c, t);
    scope inner = scope_within(c, k->reach, k->taps);
    inner.may |= c->may & MAY_STRIDE;
    text_add(t, "%s(", k->name);
    const double size = draw_sum(s, &inner, t);
    text_add(t, ")");
    return k->size * size;
}

/* Draws the arguments of a let, if it has any. */
static void draw_arguments(sketch *s, const scope *c, int count, text *t)
{
    for (int i = 0; i < count; i++) {
        text_add(t, "%s", i > 0 ? ", " : "(");
        draw_unit(s, c, t);
    }
    text_add(t, "%s", count > 0 ? ")" : "");
}

/* Draws a use of a let: f(u, v), flux[-1]. Older levels in the let count as read here. */
double draw_let(sketch *s, const scope *c, text *t)
{
    int offset[MAX_DIM];
    if (s->lets == 0 || c->coarse)
        return draw_tap(s, c, t);
    const sketch_let *k = &s->let[pick(s, s->lets)];
    if (k->condition || !scope_radii(c, k->reach, k->taps))
        return draw_tap(s, c, t);
    scope inner = scope_within(c, k->reach, k->taps);
    const bool shifted = chance(s, 3) && pick_offset(s, &inner, offset);
    for (int axis = 0; shifted && axis < MAX_DIM; axis++)
        inner.reach[axis] -= abs(offset[axis]);
    for (int i = 0; i < s->fields; i++)
        if (k->oldest[i] > s->field[i].oldest)
            s->field[i].oldest = k->oldest[i];
    text_add(t, "%s", k->name);
    draw_arguments(s, &inner, k->arguments, t);
    if (shifted)
        draw_offset(s, offset, t);
    return k->size;
}

/* Draws a reduction over the finest or the coarse grid: mean, minimum, maximum or root
 * mean square. */
double draw_reduction(sketch *s, const scope *c, text *t)
{
    static const char *const names[] = {"sum", "min", "max", "norm"};
    const int kind = pick(s, COUNT_OF(names));
    scope inner = scope_inside(c);
    inner.may = MAY_POINT | (inner.may & (MAY_READ | MAY_NEXT | MAY_VALUES | MAY_AFTER));
    inner.may |= inner.may & MAY_AFTER ? MAY_OLDER : 0;
    double all = 1;
    for (int axis = 0; axis < s->dim; axis++)
        all *= (double)s->extent[axis];
    text_add(t, "%s(", names[kind]);
    double size = draw_tap(s, &inner, t);
    if (chance(s, 2)) {
        text_add(t, "*");
        size *= draw_power(s, &inner, t);
    }
    text_add(t, ")");
    if (kind == 0)
        text_add(t, "/%.0f", all);
    else if (kind == 3)
        text_add(t, "/sqrt(%.0f)", all);
    return size;
}

/* The remaining radius inside restrict, in points of the finer grid. A coarse step is two
 * fine steps, and restrict reads one point further. False if nothing remains. */
static bool restrict_reach(const sketch *s, const scope *c, int *reach)
{
    for (int axis = 0; axis < s->dim; axis++) {
        reach[axis] = s->reach[axis] - 2 * (s->reach[axis] - c->reach[axis]) - 1;
        if (reach[axis] < 0)
            return false;
    }
    return true;
}

static bool reads_any(const sketch *s, const scope *c)
{
    for (int i = 0; i < s->fields; i++)
        if (may_read(s, c, i))
            return true;
    return false;
}

double draw_transfer(sketch *s, const scope *c, text *t)
{
    const int reach[MAX_DIM] = {1, s->dim > 1, s->dim > 2};
    const int taps = 1 << (2 * s->dim);
    if (!scope_radii(c, reach, taps))
        return draw_tap(s, c, t);
    scope inner = scope_within(c, reach, taps);
    const bool down = c->coarse && !chance(s, 3);
    inner.coarse += down ? -1 : 1;
    inner.may &= MAY_READ | MAY_NEXT | MAY_OLDER | MAY_VALUES;
    if (!reads_any(s, &inner) || (down && !restrict_reach(s, c, inner.reach)))
        return draw_tap(s, c, t);
    text_add(t, down ? "restrict(" : "interpolate(");
    double size = draw_tap(s, &inner, t);
    if (chance(s, 3)) {
        text_add(t, " - ");
        size += draw_power(s, &inner, t);
    }
    text_add(t, ")");
    return size;
}
