/* SPDX-License-Identifier: BSD-3-Clause */
/* random_declare.c: the first part of a random program: grid, type, values and fields.
 * Initial values are at most 1. */
#include <math.h>

#include "lang/lang_private.h"

/* Names are taken in order. The third param is dt: time passes in steps of it. The fourth
 * hides the extent of a missing axis. */
static const char *const field_names[SKETCH_FIELDS] = {"u", "v", "w", "Ex", "s_1", "rho"};
static const char *const param_names[SKETCH_NAMES] = {"k", "nu", "dt", "nz", "c0"};
static const char *const scalar_names[SKETCH_NAMES] = {"gain", "q", "k1", "amp", "T0"};

/* ---- the grid ---------------------------------------------------------------------- */

/* Picks an extent. Small extents test special cases: between two faces with given values
 * no points remain, and ghosts become copies of copies. Rows of whole vectors have
 * schedules of their own. */
static int64_t pick_extent(sketch *s, int axis, int reach, int64_t most)
{
    const int64_t n = chance(s, 4) ? 1 + pick(s, 2 * reach + 2)
                      : s->mixed && axis == 0 && !chance(s, 4) ? 8 + 4 * pick(s, 3)
                      : chance(s, 8)                           ? 1
                      : chance(s, 4)                           ? 2 + pick(s, 4)
                                     : 5 + pick(s, s->dim == 1 ? 60 : 16);
    return n < most ? n : most;
}

/* Half of the programs limit their radius to the extents, so that every border is
 * legal. */
static void pick_shape(sketch *s, int64_t points_left)
{
    const bool narrow = chance(s, 2), alone = chance(s, 20);
    s->dim = 1 + pick(s, MAX_DIM);
    s->mixed = s->dim > 1 && !alone && chance(s, 4);
    for (int axis = 0; axis < MAX_DIM; axis++)
        s->extent[axis] = 1;
    for (int axis = 0; axis < s->dim; axis++) {
        const int reach = chance(s, 8) ? 8 : chance(s, 3) ? 4 : chance(s, 8) ? 0 : 2;
        const int64_t n = pick_extent(s, axis, reach, points_left);
        s->extent[axis] = n;
        s->reach[axis] = narrow && reach >= n ? (int)n - 1 : alone ? 0 : reach;
        points_left /= n;
    }
}

static double draw_step(sketch *s, text *t)
{
    static const double steps[] = {0.5, 2, 10, 0.1, 1.25};
    const double step = steps[pick(s, COUNT_OF(steps))];
    text_add(t, " spacing ");
    text_add_double(t, step);
    return step;
}

/* Writes `from a to b`, the first and the last point; the axis needs two points. */
static double draw_range(sketch *s, int64_t n, double *origin, text *t)
{
    const int from = pick(s, 3) - 1, length = 1 + 4 * pick(s, 3);
    text_add(t, " from %d to %d", from, from + length);
    *origin = from;
    return length / (double)(n - 1);
}

static void draw_axis(sketch *s, int axis, text *t)
{
    const int64_t n = s->extent[axis];
    text_add(t, "%s%c ", axis > 0 ? ", " : "", "xyz"[axis]);
    if (n % 2 == 1 && n > 1 && chance(s, 10))
        text_add(t, "2*%lld + 1", (long long)(n / 2));
    else
        text_add(t, "%lld", (long long)n);
}

/* Stretches an axis: both ends stay in place, and the spacings change by factors from 0.7
 * to 1.3. */
static void draw_stretch(sketch *s, int axis, text *t)
{
    const char letter = "xyz"[axis];
    const double first = s->origin[axis];
    text_add(t, " at %c + 0.3*(%c - (%.0f))*(%.0f + %lld*", letter, letter, first, first,
             (long long)s->extent[axis] - 1);
    text_add_double(t, s->spacing[axis]);
    text_add(t, " - %c)/(%lld*", letter, (long long)s->extent[axis] - 1);
    text_add_double(t, s->spacing[axis]);
    text_add(t, ")");
    s->stretched[axis] = true;
    s->ring = s->dim == 1 && s->extent[0] >= 8 * s->reach[0] && chance(s, 2);
}

static void draw_spaced_axes(sketch *s, text *t)
{
    s->plain = false;
    s->same_spacing = s->dim == 1;
    for (int axis = 0; axis < s->dim; axis++) {
        draw_axis(s, axis, t);
        if (s->extent[axis] > 1 && chance(s, 2))
            s->spacing[axis] = draw_range(s, s->extent[axis], &s->origin[axis], t);
        else
            s->spacing[axis] = draw_step(s, t);
        if (s->extent[axis] > 1 && chance(s, 3))
            draw_stretch(s, axis, t);
    }
    s->same_spacing = s->same_spacing && !s->stretched[0];
}

static void draw_plain_axes(sketch *s, text *t)
{
    s->plain = s->same_spacing = true;
    for (int axis = 0; axis < s->dim; axis++) {
        draw_axis(s, axis, t);
        s->spacing[axis] = 1;
    }
    if (!chance(s, 3))
        return;
    s->plain = false;
    s->spacing[0] = s->spacing[1] = s->spacing[2] = draw_step(s, t);
}

void draw_grid(sketch *s, int64_t points_at_most, text *t)
{
    pick_shape(s, points_at_most);
    text_add(t, "grid ");
    if (chance(s, 3))
        draw_spaced_axes(s, t);
    else
        draw_plain_axes(s, t);
    text_add(t, "\n");
}

void draw_real(sketch *s, text *t)
{
    static const char *const storage[] = {"f32", "bf16", "f16"};
    if (chance(s, 4))
        return;
    text_add(t, "real %s", chance(s, 2) ? "f32" : "f64");
    if (chance(s, 4))
        text_add(t, " stored %s", storage[pick(s, COUNT_OF(storage))]);
    text_add(t, "\n");
}

/* ---- params and scalars ------------------------------------------------------------ */

static double draw_constant(sketch *s, text *t)
{
    if (s->params == 0 || chance(s, 2))
        return draw_number(s, t);
    const sketch_value v = s->param[pick(s, s->params)];
    switch (pick(s, 4)) {
    case 0: text_add(t, "%s/2", v.name); return v.size / 2;
    case 1: text_add(t, "min(%s, 0.25)", v.name); return 0.25;
    case 2:
        if (s->stretched[0])
            return draw_number(s, t);
        text_add(t, "sqrt(%s) + hx", v.name);
        return sqrt(v.size) + s->spacing[0];
    default: text_add(t, "exp(-%s)*pi", v.name); return 3.15;
    }
}

/* Appends the next declared name, in the same statement or in a new one. */
static void draw_name(sketch *s, const char *word, bool first, const char *name, text *t)
{
    if (first || chance(s, 2))
        text_add(t, "%s%s %s", first ? "" : "\n", word, name);
    else
        text_add(t, "; %s", name);
}

void draw_values(sketch *s, text *t)
{
    const int params = pick(s, s->dim < MAX_DIM ? SKETCH_NAMES : 4), scalars = pick(s, 3);
    for (int i = 0; i < params; i++) {
        draw_name(s, "param", i == 0, param_names[i], t);
        text_add(t, " = ");
        s->param[i] = (sketch_value){param_names[i], draw_constant(s, t)};
        s->params++;
    }
    text_add(t, "%s", params > 0 ? "\n" : "");
    for (int i = 0; i < scalars; i++) {
        draw_name(s, "scalar", i == 0, scalar_names[i], t);
        text_add(t, " = ");
        s->scalar[i] = (sketch_value){scalar_names[i], draw_constant(s, t)};
        s->scalars++;
    }
    text_add(t, "%s", scalars > 0 ? "\n" : "");
}

/* Draws a param with a reduction of initial values. It is known at the start of a run. */
void draw_reduced_values(sketch *s, text *t)
{
    const scope c = scope_of(s, MAY_READ | MAY_VALUES);
    if (!chance(s, 5))
        return;
    s->fuel = 6;
    text_add(t, "param top = 0.1 + ");
    const double size = 0.1 + draw_reduction(s, &c, t);
    s->param[s->params++] = (sketch_value){"top", size};
    s->reduced = 1;
    text_add(t, "\n");
}

/* ---- fields ------------------------------------------------------------------------ */

/* Draws an initial value. It may read earlier fields. */
static void draw_initial(sketch *s, int coarse, text *t)
{
    scope c = scope_of(s, MAY_POINT | MAY_VALUES | MAY_SCALARS | MAY_RANDOM);
    c.depth = 2;
    c.room = 30;
    c.coarse = coarse;
    s->fuel = 8;
    if (s->fields > 0 && chance(s, 3))
        c.may |= MAY_READ | MAY_DERIVE | MAY_TRANSFER | (coarse ? MAY_STRIDE : 0);
    text_add(t, " = ");
    if (chance(s, 3))
        text_add(t, "random(%d) - 0.5", pick(s, 1000));
    else
        draw_unit(s, &c, t);
}

static void draw_field(sketch *s, const sketch_field *f, text *t)
{
    static const char *const storage[] = {"f32", "bf16", "f16"};
    if (f->coarse)
        text_add(t, " coarse");
    if (f->coarse > 1)
        text_add(t, " %d", f->coarse);
    if (chance(s, 6))
        text_add(t, " stored %s", storage[pick(s, COUNT_OF(storage))]);
    if (!chance(s, 10))
        draw_initial(s, f->coarse, t);
}

/* Keeps an axis on some coarse grids. */
static void draw_coarsening(sketch *s, text *t)
{
    const int from = 1 + pick(s, 2), to = from + pick(s, 2);
    if (s->dim < 2 || chance(s, 2))
        return;
    text_add(t, "coarse %d", from);
    if (to > from)
        text_add(t, " to %d", to);
    text_add(t, " along %c\n", "xyz"[pick(s, s->dim)]);
    s->same_spacing = false;
}

/* Draws the fields. The first field is always on the finest grid. In some programs the
 * last fields are coarse; each is at least one grid coarser than the finest, and no finer
 * than the field before. */
void draw_fields(sketch *s, text *t)
{
    const bool coarse = chance(s, 5);
    const int fine = 1 + pick(s, 4), count = fine + (coarse ? 1 + chance(s, 2) : 0);
    if (coarse)
        draw_coarsening(s, t);
    for (int i = 0; i < count; i++) {
        sketch_field *f = &s->field[i];
        f->name = field_names[i];
        f->coarse = i < fine ? 0 : i == fine ? 1 : s->field[i - 1].coarse + chance(s, 2);
        f->updated = i == 0 || !chance(s, 3);
        draw_name(s, "field", i == 0, f->name, t);
        draw_field(s, f, t);
        s->fields++;
    }
    text_add(t, "\n");
}

/* Draws initial values of some older levels. The other older levels start with the
 * initial values of the field. */
void draw_older(sketch *s, text *t)
{
    for (int i = 0; i < s->fields; i++)
        for (int age = 1; age <= s->field[i].oldest; age++) {
            if (chance(s, 2))
                continue;
            if (age == 1 && chance(s, 2))
                text_add(t, "prev(%s)", s->field[i].name);
            else
                text_add(t, "prev(%s, %d)", s->field[i].name, age);
            draw_initial(s, s->field[i].coarse, t);
            text_add(t, "\n");
        }
}
