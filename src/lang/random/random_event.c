/* SPDX-License-Identifier: BSD-3-Clause */
/* random_event.c: statements between the steps: injections, measures, samples, outputs,
 * and the conditions to end or judge a run. */
#include <math.h>

#include "lang/lang_private.h"

/* Draws a position between the first and the last point, on a point or off, often on the
 * first point. Along a periodic axis it may also lie between the last and the first
 * point. */
static void draw_point(sketch *s, const sketch_field *f, text *t)
{
    for (int axis = 0; axis < s->dim; axis++) {
        const bool periodic = border_wraps(f->border[axis][0]);
        const int cells = (int)s->extent[axis] - (periodic ? 0 : 1);
        const int quarters = cells > 0 && !chance(s, 4) ? pick(s, 4 * cells) : 0;
        text_add(t, "%s", axis > 0 ? ", " : "(");
        text_add_double(t, s->origin[axis] + quarters / 4.0 * s->spacing[axis]);
    }
    text_add(t, ")");
}

static void draw_points(sketch *s, const sketch_field *f, text *t)
{
    draw_point(s, f, t);
    for (int more = pick(s, 3); more > 0; more--) {
        text_add(t, ", ");
        draw_point(s, f, t);
    }
}

static bool is_stretched(const sketch *s)
{
    return s->stretched[0] || s->stretched[1] || s->stretched[2];
}

static void draw_method(sketch *s, text *t)
{
    if (chance(s, 2))
        text_add(t, " by %s", chance(s, 2) || is_stretched(s) ? "linear" : "sinc");
}

/* Picks an updated field of the finest grid. The first field is always one. */
static const sketch_field *pick_updated(sketch *s)
{
    const int i = pick(s, s->fields);
    const sketch_field *f = &s->field[i];
    return f->updated && !f->coarse ? f : &s->field[0];
}

void draw_injections(sketch *s, text *t)
{
    scope c = scope_of(s, MAY_TIME | MAY_VALUES | MAY_SCALARS);
    c.may |= chance(s, 3) ? MAY_READ | MAY_POINT : 0;
    for (int count = chance(s, 4) ? 1 + pick(s, 2) : 0; count > 0; count--) {
        text e = {0};
        s->fuel = 4;
        const double size = draw_sum(s, &c, &e);
        text_add(t, "inject 0.1*(");
        draw_scaled(t, &e, size, 1);
        const sketch_field *f = pick_updated(s);
        text_add(t, ") into %s at ", f->name);
        draw_points(s, f, t);
        draw_method(s, t);
        text_add(t, "\n");
    }
}

static void draw_every(sketch *s, text *t)
{
    if (chance(s, 2))
        text_add(t, " every %d", 1 + pick(s, 3));
}

void draw_measures(sketch *s, text *t)
{
    static const char *const names[SKETCH_NAMES] = {"total", "top2", "m2", "r2", "low"};
    scope c = scope_of(s, MAY_READ | MAY_VALUES | MAY_SCALARS | MAY_AFTER);
    for (int count = chance(s, 3) ? 1 + pick(s, 3) : 0; s->measures < count;
         s->measures++) {
        s->fuel = 6;
        c.coarse = s->field[pick(s, s->fields)].coarse;
        text_add(t, "measure %s = ", names[s->measures]);
        draw_reduction(s, &c, t);
        if (chance(s, 3)) {
            text_add(t, " + 0.5*");
            draw_reduction(s, &c, t);
        }
        draw_every(s, t);
        text_add(t, "\n");
        s->measure[s->measures] = names[s->measures];
    }
}

/* Draws the corners of a crop; no index of the second is below the first. */
static void draw_crop(sketch *s, const int *from, text *t)
{
    text_add(t, " crop (");
    for (int axis = 0; axis < s->dim; axis++)
        text_add(t, "%s%d", axis > 0 ? ", " : "", from[axis]);
    text_add(t, ") to (");
    for (int axis = 0; axis < s->dim; axis++)
        text_add(t, "%s%d", axis > 0 ? ", " : "",
                 from[axis] + pick(s, (int)s->extent[axis] - from[axis]));
    text_add(t, ")");
}

static void draw_output(sketch *s, text *t)
{
    const int axis = pick(s, s->dim);
    int from[MAX_DIM] = {0};
    text_add(t, "output %s", pick_updated(s)->name);
    draw_every(s, t);
    for (int n = 0; n < s->dim; n++)
        from[n] = pick(s, (int)s->extent[n]);
    if (chance(s, 2) && s->dim == 3)
        text_add(t, " slice %c %d", "xyz"[axis], from[axis]);
    if (chance(s, 3))
        draw_crop(s, from, t);
    if (chance(s, 3))
        text_add(t, " stride %d", 1 + pick(s, 3));
    text_add(t, "%s\n", chance(s, 2) ? " range -1 to 1 into \"seen.png\"" : "");
}

/* Draws a sampled expression: a neighbour, a derivative or a sum of fields, with numeric
 * factors. */
static void draw_term(sketch *s, text *t)
{
    const sketch_field *f = pick_updated(s);
    const char axis = "xyz"[pick(s, s->dim)];
    const int kind = pick(s, 4);
    switch (is_stretched(s) ? 0 : kind) {
    case 0: text_add(t, "%d*%s", 2 + pick(s, 3), f->name); break;
    case 1: text_add(t, "laplace(%s, order %d)/8", f->name, 2 + 2 * pick(s, 2)); break;
    case 2:
        text_add(t, "d%c(%s, at %c1/2)", axis, f->name, chance(s, 2) ? '+' : '-');
        break;
    default:
        text_add(t, "%s[", f->name);
        for (int n = 0; n < s->dim; n++)
            text_add(t, "%s%d", n > 0 ? ", " : "", pick(s, 3) - 1);
        text_add(t, "]");
    }
}

static void draw_columns(sketch *s, text *t)
{
    for (int column = 0, columns = 1 + pick(s, 3); column < columns; column++) {
        text_add(t, "%s", column > 0 ? ", " : "");
        draw_term(s, t);
        if (chance(s, 2)) {
            text_add(t, " - ");
            draw_term(s, t);
        }
    }
}

static void draw_sample(sketch *s, text *t)
{
    static const sketch_field several = {0}; /* not all of them may be periodic */
    const sketch_field *f = pick_updated(s);
    text_add(t, "sample ");
    if (chance(s, 3)) {
        f = &several;
        draw_columns(s, t);
    } else {
        text_add(t, "%s", f->name);
    }
    if (chance(s, 2)) {
        text_add(t, " at ");
        draw_points(s, f, t);
    } else {
        text_add(t, " along ");
        draw_point(s, f, t);
        text_add(t, " to ");
        draw_point(s, f, t);
        text_add(t, " count %d", 1 + pick(s, 9));
    }
    draw_method(s, t);
    draw_every(s, t);
    text_add(t, "\n");
}

/* Draws outputs and samples. Checks do not write these files. */
void draw_files(sketch *s, text *t)
{
    if (chance(s, 20))
        draw_output(s, t);
    if (chance(s, 3))
        draw_sample(s, t);
}

/* Draws stop conditions and expectations. Only the condition on `step` may stop a correct
 * run. */
void draw_expectations(sketch *s, text *t)
{
    const char *const name = pick_updated(s)->name;
    if (chance(s, 6)) {
        text_add(t, "until max(abs(%s)) > 1e6", name);
        draw_every(s, t);
        text_add(t, "\n");
    }
    if (chance(s, 8))
        text_add(t, "until step >= %d every %d\n", 1 + pick(s, 3), 1 + pick(s, 3));
    if (s->measures > 0 && chance(s, 3))
        text_add(t, "until %s > 1e30 or norm(%s) >= 1e9\n", s->measure[0], name);
    if (chance(s, 3))
        text_add(t, "expect max(abs(%s)) < 1000\n", name);
    if (chance(s, 8))
        text_add(t, "expect not (min(%s) < -1000) and step > 0\n", name);
}
