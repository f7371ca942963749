/* SPDX-License-Identifier: BSD-3-Clause */
/* A random program, statement by statement. Names are declared before their use. The
 * initial values of older levels come last, because they follow from the equations. */
#include <math.h>
#include <string.h>

#include "lang/lang_private.h"

/* ---- grid, type, values and fields ------------------------------------------------- */

/* The first part of a random program: grid, type, values and fields.
 * Initial values are at most 1. */

/* Random programs take these names in order. Two names have a purpose: the third param is
 * dt, so time passes in steps of it; the fourth has the name of an extent, hidden by the
 * param if the axis is missing. */
static const char *const field_names[SKETCH_FIELDS] = {"u",  "v",   "w",
                                                       "Ex", "s_1", "face"};
static const char *const param_names[SKETCH_NAMES] = {"k", "nu", "dt", "nz", "order"};
static const char *const scalar_names[SKETCH_NAMES] = {"gain", "q", "k1", "amp", "count"};

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
    text_add_values(t, " spacing %g", step);
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
    const char letter[] = {"xyz"[axis], '\0'};
    const double first = s->origin[axis], step = s->spacing[axis];
    const int64_t cells = s->extent[axis] - 1;
    text_add_values(t, " at %s + 0.3*(%s - (%g))*(%g + %d*%g - %s)/(%d*%g)", letter,
                    letter, first, first, cells, step, letter, cells, step);
    s->stretched[axis] = true;
    s->ring = s->dim == 1 && s->extent[0] >= 8 * s->reach[0] && chance(s, 2);
}

static void draw_spaced_axes(sketch *s, text *t)
{
    s->plain = false;
    s->same_spacing = s->dim == 1;
    for (int axis = 0; axis < s->dim; axis++) {
        draw_axis(s, axis, t);
        s->spacing[axis] = s->extent[axis] > 1 && chance(s, 2)
                               ? draw_range(s, s->extent[axis], &s->origin[axis], t)
                               : draw_step(s, t);
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

static void draw_grid(sketch *s, int64_t points_at_most, text *t)
{
    pick_shape(s, points_at_most);
    text_add(t, "grid ");
    if (chance(s, 3))
        draw_spaced_axes(s, t);
    else
        draw_plain_axes(s, t);
    text_add(t, "\n");
}

static void draw_storage(sketch *s, text *t)
{
    static const char *const storage[] = {"f32", "bf16", "f16"};
    text_add(t, " stored %s", storage[pick(s, COUNT_OF(storage))]);
}

static void draw_real(sketch *s, text *t)
{
    if (chance(s, 4))
        return;
    text_add(t, "real %s", chance(s, 2) ? "f32" : "f64");
    if (chance(s, 4))
        draw_storage(s, t);
    rng apart = {~s->rng->state}; /* other draws stay those of the seed */
    if (rng_below(&apart, 6) == 0)
        text_add(t, " flushed below 1e-%d", 1 + (int)rng_below(&apart, 30));
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

/* Declares `count` params or scalars; *known counts them. */
static void draw_list(sketch *s, const char *word, const char *const *name, int count,
                      sketch_value *list, int *known, text *t)
{
    for (int i = 0; i < count; i++) {
        draw_name(s, word, i == 0, name[i], t);
        text_add(t, " = ");
        list[i] = (sketch_value){name[i], draw_constant(s, t)};
        ++*known;
    }
    text_add(t, "%s", count > 0 ? "\n" : "");
}

static void draw_values(sketch *s, text *t)
{
    const int params = pick(s, s->dim < MAX_DIM ? SKETCH_NAMES : 4), scalars = pick(s, 3);
    draw_list(s, "param", param_names, params, s->param, &s->params, t);
    draw_list(s, "scalar", scalar_names, scalars, s->scalar, &s->scalars, t);
    if (params > 2 || chance(s, 3)) /* a param is called dt, or none */
        return;
    text_add(t, "scalar dt = 0.25\n");
    s->scalar[s->scalars++] = (sketch_value){"dt", 1};
    s->timed = true;
}

/* Draws a param with a reduction of initial values. It is known at the start of a run. */
static void draw_reduced_values(sketch *s, text *t)
{
    const scope c = scope_of(s, MAY_READ | MAY_VALUES, 3, 6);
    if (!chance(s, 5))
        return;
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
    scope c = scope_of(s, MAY_POINT | MAY_VALUES | MAY_SCALARS | MAY_RANDOM, 2, 8);
    c.room = 30;
    c.coarse = coarse;
    if (s->fields > 0 && chance(s, 3))
        c.may |= MAY_READ | MAY_DERIVE | MAY_TRANSFER | (coarse ? MAY_STRIDE : 0);
    text_add(t, " = ");
    if (chance(s, 3))
        text_add(t, "random(%d) - 0.5", pick(s, 1000));
    else
        draw_unit(s, &c, t);
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
static void draw_fields(sketch *s, text *t)
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
        if (f->coarse)
            text_add(t, " coarse");
        if (f->coarse > 1)
            text_add(t, " %d", f->coarse);
        if (chance(s, 6))
            draw_storage(s, t);
        if (!chance(s, 10))
            draw_initial(s, f->coarse, t);
        s->fields++;
    }
    text_add(t, "\n");
}

/* Draws initial values of some older levels. The other older levels start with the
 * initial values of the field. */
static void draw_older(sketch *s, text *t)
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

/* ---- statements between the steps -------------------------------------------------- */

/* Statements between the steps: injections, measures, samples, outputs,
 * and the conditions to end or judge a run. */

/* Draws a position between the first and the last point, on a point or off, often on the
 * first point. Along a periodic axis it may also lie between the last and the first
 * point, if the axis is not stretched: there that distance is shorter. */
static void draw_point(sketch *s, const sketch_field *f, text *t)
{
    for (int axis = 0; axis < s->dim; axis++) {
        const bool periodic = border_wraps(f->border[axis][0]);
        const int cells = (int)s->extent[axis] - (periodic ? 0 : 1);
        int quarters = cells > 0 && !chance(s, 4) ? pick(s, 4 * cells) : 0;
        if (s->stretched[axis] && quarters > 4 * ((int)s->extent[axis] - 1))
            quarters = 0;
        text_add_values(t, "%s%g", axis > 0 ? ", " : "(",
                        s->origin[axis] + quarters / 4.0 * s->spacing[axis]);
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

static void draw_method(sketch *s, text *t)
{
    if (chance(s, 2))
        text_add(t, " by %s", chance(s, 2) || is_stretched(s) ? "linear" : "sinc");
}

/* Picks an updated field of the finest grid. The first field is always one. */
static const sketch_field *pick_updated(sketch *s)
{
    const sketch_field *f = &s->field[pick(s, s->fields)];
    return f->updated && !f->coarse ? f : &s->field[0];
}

static void draw_injections(sketch *s, text *t)
{
    const unsigned may = chance(s, 3) ? MAY_READ | MAY_POINT : 0;
    for (int count = chance(s, 4) ? 1 + pick(s, 2) : 0; count > 0; count--) {
        const scope c = scope_of(s, may | MAY_TIME | MAY_VALUES | MAY_SCALARS, 3, 4);
        text e = {0};
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

/* Of steps, or of time if dt has an equation: it is the last scalar. */
static void draw_interval(sketch *s, text *t)
{
    if (s->timed && s->evolved == s->scalars && chance(s, 2))
        text_add(t, " every 0.%d7 time", 1 + pick(s, 5));
    else
        draw_every(s, t);
}

static void draw_measures(sketch *s, text *t)
{
    static const char *const names[SKETCH_NAMES] = {"total", "top2", "m2", "r2", "low"};
    for (int count = chance(s, 3) ? 1 + pick(s, 3) : 0; s->measures < count;
         s->measures++) {
        scope c = scope_of(s, MAY_READ | MAY_VALUES | MAY_SCALARS | MAY_AFTER, 3, 6);
        c.coarse = s->field[pick(s, s->fields)].coarse;
        text_add(t, "measure %s = ", names[s->measures]);
        draw_reduction(s, &c, t);
        if (chance(s, 3)) {
            text_add(t, " + 0.5*");
            draw_reduction(s, &c, t);
        }
        draw_interval(s, t);
        text_add(t, "\n");
        s->measure[s->measures] = names[s->measures];
    }
}

/* Draws the corners of a crop; no index of the second is below the first. */
static void draw_crop(sketch *s, const int *from, text *t)
{
    int to[MAX_DIM];
    for (int axis = 0; axis < s->dim; axis++)
        to[axis] = from[axis] + pick(s, (int)s->extent[axis] - from[axis]);
    draw_tuple(s, " crop (", from, ", ", ")", t);
    draw_tuple(s, " to (", to, ", ", ")", t);
}

static void draw_output(sketch *s, text *t)
{
    const int axis = pick(s, s->dim);
    int from[MAX_DIM] = {0};
    text_add(t, "output %s", pick_updated(s)->name);
    draw_interval(s, t);
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
    int offset[MAX_DIM];
    switch (is_stretched(s) ? 0 : kind) {
    case 0: text_add(t, "%d*%s", 2 + pick(s, 3), f->name); break;
    case 1: text_add(t, "laplace(%s, order %d)/8", f->name, 2 + 2 * pick(s, 2)); break;
    case 2:
        text_add(t, "d%c(%s, at %c1/2)", axis, f->name, chance(s, 2) ? '+' : '-');
        break;
    default:
        for (int n = 0; n < s->dim; n++)
            offset[n] = pick(s, 3) - 1;
        text_add(t, "%s", f->name);
        draw_tuple(s, "[", offset, ", ", "]", t);
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
    draw_interval(s, t);
    text_add(t, "\n");
}

/* Draws outputs and samples. Checks do not write these files. */
static void draw_files(sketch *s, text *t)
{
    if (chance(s, 20))
        draw_output(s, t);
    if (chance(s, 3))
        draw_sample(s, t);
}

/* Draws stop conditions and expectations. Only the condition on `step` may stop a correct
 * run. */
static void draw_expectations(sketch *s, text *t)
{
    const char *const name = pick_updated(s)->name;
    if (chance(s, 6)) {
        text_add(t, "until max(abs(%s)) > 1e6", name);
        draw_every(s, t);
        text_add(t, "\n");
    }
    if (s->timed && chance(s, 3))
        text_add(t, "until t >= 0.%d7\n", 1 + pick(s, 9));
    if (chance(s, 8))
        text_add(t, "until step >= %d every %d\n", 1 + pick(s, 3), 1 + pick(s, 3));
    if (s->measures > 0 && chance(s, 3))
        text_add(t, "until %s > 1e30 or norm(%s) >= 1e9\n", s->measure[0], name);
    if (chance(s, 3))
        text_add(t, "expect max(abs(%s)) < 1000\n", name);
    if (chance(s, 8))
        text_add(t, "expect not (min(%s) < -1000) and step > 0\n", name);
}

/* ---- the program ------------------------------------------------------------------- */

static void draw_steps(sketch *s, text *t)
{
    const int steps = 1 + pick(s, 4);
    text_add(t, "steps %d%s", steps, chance(s, 4) ? "; " : "\n");
}

/* Draws a field with components, in some programs. The draws come from a copy of the
 * stream: the other statements, and the programs after this one, stay the same. */
static void draw_components(sketch *s, text *t)
{
    rng copy = *s->rng;
    sketch own = *s;

    own.rng = &copy;
    if (!chance(&own, 8))
        return;
    const int last = 1 + pick(&own, 4), power = 1 + pick(&own, 3);
    text_add(t,
             "param share = [1/(%d + part^%d) for part from 0 to %d]\n"
             "param move = [mod(part, 3) - 1 for part from %d to %d]\n"
             "field list[%d] = [sin(x + part) for part from 0 to %d]\n"
             "let mixed = dot(list, share)/%d\n",
             last + 2, power, last, power, power + last, last + 1, last, last + 2);
    text_add(t, "list' = [share[part]*list.part[move[part]%s] for part from 0 to %d]",
             s->dim == 1   ? ""
             : s->dim == 2 ? ", 0"
                           : ", 0, move[0]",
             last);
    text_add(t, " + [0.5, mixed%s]/2\nborder %s list\n",
             last == 1   ? ""
             : last == 2 ? ", share[mod(ix, 3)]"
             : last == 3 ? ", share[4*mixed], share[step]"
                         : ", 0.25, mixed, 0",
             s->ring ? "periodic" : "clamp");
    if (chance(&own, 2))
        text_add(t,
                 "field zeta complex = exp(i*x)/2\n"
                 "zeta' = (zeta^2 + i*conj(zeta)[1%s])/3 + abs(zeta)/(4 - 2*i)\n"
                 "border %s zeta\n",
                 s->dim == 1   ? ""
                 : s->dim == 2 ? ", 0"
                               : ", 0, -1",
                 s->ring ? "periodic" : "clamp");
    const int wall = pick(&own, 10), form = pick(&own, 16);
    if (!s->ring && (form & 8)) /* borders at the value of a scalar */
        text_add(t,
                 "scalar wall = 0.%d\nfield pool%s = cos(x)/2\nwall' = (wall - %s)/2\n"
                 "pool' = (pool[1%s] + pool[-1%s])/4 - wall'/2\nborder pool = wall%s\n",
                 wall, wall < 3 ? " stored f16" : "",
                 form & 1 ? "max(pool)" : "sum(pool where ix == 1)/norm(1)^2",
                 &", 0, 0"[9 - 3 * s->dim], &", 0, 1"[9 - 3 * s->dim],
                 form & 2                         ? "*cos(x)"
                 : s->stretched[0] || !(form & 4) ? ""
                                                  : "\nborder antimirror pool = wall/4 "
                                                    "at x+");
}

/* Draws fields that copy others, and a border that reads them, in some programs. The
 * draws come from another stream, so other draws stay those of the seed. */
static void draw_copies(sketch *s, text *t)
{
    static const char *const kinds[][2] = {{"", "at"},
                                           {"neumann ", "at"},
                                           {"", "beyond"},
                                           {"mirror ", "at"},
                                           {"antimirror ", "at"}};
    static const char *const inwards[] = {"[1",     "[-1",      "[0, 1",
                                          "[0, -1", "[0, 0, 1", "[0, 0, -1"};
    static const char *const names[] = {"tank", "tank'", "echo", "echo'"};
    rng apart = {~s->rng->state};
    const bool drawn = rng_below(&apart, 6) == 0, inward = rng_below(&apart, 2);
    const int64_t axis = rng_below(&apart, s->dim), side = rng_below(&apart, 2),
                  form = rng_below(&apart, 4), echo = rng_below(&apart, 2),
                  kind = rng_below(&apart, is_stretched(s) ? 3 : COUNT_OF(kinds));

    for (int n = 0; n < s->dim; n++)
        if (!drawn || s->ring || s->extent[n] < 3)
            return;
    text_add(t,
             "field tank = sin(x)/2; echo = cos(x)/3; last; film = tank\n"
             "tank' = 0.9*tank + 0.01\necho' = %s\nlast' = %s\n"
             "film' = (film[1%s] + film)/3 + last'/9\n"
             "border clamp tank, echo, last, film\n"
             "border %sfilm = 0.2*%s%s%s%s - 0.3*echo%s %s %c%c\n",
             names[echo], names[rng_below(&apart, COUNT_OF(names))],
             &", 0, 0"[9 - 3 * s->dim], kinds[kind][0], form & 2 ? "last" : "tank",
             inward ? inwards[2 * axis + side] : "",
             inward ? &", 0, 0"[6 - 3 * (s->dim - 1 - axis)] : "", inward ? "]" : "",
             (form & 1) && kind ? " - 0.2*film" : "", kinds[kind][1], "xyz"[axis],
             "-+"[side]);
}

/* ---- scenes ------------------------------------------------------------------------ */

/* Statements about fields of their own, in a quarter of the programs. $ and a letter
 * stand for a word of the table below. */
enum { STEP_LENGTH = 1, CONSTANT_LENGTH = 2, AXES = 4, FACES = 8 };
static const struct scene {
    unsigned needs; /* a dt, a param dt, several axes, faces far apart */
    const char *form;
} scenes[] = {
    {STEP_LENGTH, "field wave = sin(x)/2, ride$S = cos(x)/3\nscalar beat = 0.3\n"
                  "advance wave = (ride - wave[$1])/9, ride = -wave/4 + dx(ride)/40, "
                  "beat = -beat/8 by $M$I\nborder $B wave, ride\n"},
    {CONSTANT_LENGTH, "field past$S = sin(x)/2\nadvance past = past[$2]/9 - "
                      "uniform(4)/9 by ab2\nborder $B past\n"},
    {STEP_LENGTH | FACES,
     "field warm$S = cos(x)/2, rod = sin(x)/2\nlet cool(e) = 0.1*($N - e)\n"
     "advance warm = -warm/9, rod = laplace(rod)/90 + warm[$1]/9 by $M$I\n"
     "border $B warm, rod\nborder neumann rod = cool(rod) - warm/9 at $F\n"
     "border rod = warm at $F where ix < $N\n"},
    {AXES, "field way[$D] = [sin(x), cos(y)/2$Z]; hill$S = cos(x)/2, spin$C\n"
           "hill' = hill/2 + div(hill*way)/90 + dot(way, prev(way)[$1])/9\n"
           "way' = way[$2]/2 + grad(hill', order $O)/90\nspin' = curl(way)/90\n"
           "border $B way, hill\n"},
    {AXES, "param soils = [0.1, 0.4, 0.2]\nfield soil = mod(ix + iy, 3), moist$S = "
           "random(3)\nlet seep = soils[soil]\n"
           "moist' = moist/2 + div(seep*grad(moist))/90 + seep[$1]/9\n"
           "mask moist = ix + iy != $N insulated\nborder $B soil, moist\n"},
    {0, "field tick$S = cos(x)/2\nscalar pair = [0.$N, 0.2]\n"
        "tick' = 0.7*tick[$1] - dot(pair, pair)/9 every $O\n"
        "pair' = [pair.y/2, max(tick' where ix < $N)/2 + norm(tick')^2/1e9]\n"
        "border $B tick\n"},
    {0, "field mode complex = exp(-i*x)/3\nscalar turn = 0.3 + 0.$N*i\n"
        "turn' = turn^2 + i/9\nmode' = prev(mode)[$1]/3 + turn'*mode/(3 + "
        "conj(mode)*mode) + normal($N)/50\nprev(mode) = (1 - i)*sin(x)/4\n"
        "border $B mode\n"},
    {0, "field sight$S = cos(x)/2, view$C = random($N)\n"
        "sight' = sight[$1]/2 + norm(view)/9\nview' = view/2 + sight'/9\n"
        "border $B sight, view\noutput sight, view into \"all.h5\" every $N\n"
        "output sqrt(sight[$2]^2 + sight^2) + t as seen every $O\n"},
};

/* Words for $ and a letter: one for each number of axes, or one of several. */
static const struct scene_word {
    char letter;
    bool axes;
    const char *word[6];
} scene_words[] = {
    {'1', true, {"1", "0, 1", "-1, 0, 1"}},
    {'2', true, {"-1", "-1, -1", "0, -1, 0"}},
    {'C', true, {"", "", "[3]"}},
    {'D', true, {"", "2", "3"}},
    {'Z', true, {"", "", ", random(7)/2"}},
    {'B', false, {"clamp", "neumann", "mirror", "odd", "antimirror"}},
    {'F', true, {"x-", "y+", "z-"}},
    {'I', false, {"", " in 2 steps"}},
    {'M', false, {"euler", "rk2", "ssprk3", "rk4"}},
    {'N', false, {"1", "2", "3", "5"}},
    {'O', false, {"2", "4"}},
    {'S', false, {"", "", " stored f32", " stored f16", " stored bf16"}},
};

static const char *pick_scene_word(const sketch *s, char letter, bool far, rng *r)
{
    const struct scene_word *w = scene_words;
    int count = 0;

    while (w->letter != letter)
        w++;
    while (count < (int)COUNT_OF(w->word) && w->word[count])
        count++;
    if (letter == 'B' && !far)
        return s->ring ? "periodic" : "clamp";
    return w->word[w->axes ? s->dim - 1 : (int)rng_below(r, count)];
}

static void draw_scenes(sketch *s, text *t)
{
    rng apart = {s->rng->state ^ 0x5cee5}; /* other draws stay those of the seed */
    const bool param = s->params > 2 && strcmp(s->param[2].name, "dt") == 0;
    unsigned lacks = (s->dim > 1 ? 0 : AXES) | (s->ring ? FACES : 0) |
                     (param ? 0 : CONSTANT_LENGTH) |
                     (param || s->timed ? 0 : STEP_LENGTH);

    if (t->data && strstr(t->data, "absorb")) /* layers and methods in time */
        lacks |= STEP_LENGTH | CONSTANT_LENGTH;
    for (int axis = 0; axis < s->dim; axis++)
        if (s->extent[axis] < 4)
            lacks |= FACES;
    const bool some = rng_below(&apart, 4) == 0; /* others keep their fused steps */
    for (size_t n = 0; n < COUNT_OF(scenes) && some; n++) {
        const bool drawn = rng_below(&apart, 3) == 0 && !(scenes[n].needs & lacks);
        for (const char *at = drawn ? scenes[n].form : ""; *at; at++)
            if (*at != '$')
                text_add(t, "%c", *at);
            else
                text_add(t, "%s", pick_scene_word(s, *++at, !(lacks & FACES), &apart));
    }
}

static draw_statements *const parts[] = {
    draw_real,     draw_values,   draw_fields,       draw_reduced_values,
    draw_lets,     draw_stencils, draw_equations,    draw_steps,
    draw_borders,  draw_mask,     draw_injections,   draw_older,
    draw_measures, draw_files,    draw_expectations, draw_components,
    draw_copies,   draw_scenes,
};

void random_program(rng *r, int64_t points_at_most, text *t)
{
    sketch s = {.rng = r};
    if (chance(&s, 4))
        text_add(t, "# drawn at random\n");
    draw_grid(&s, points_at_most, t);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        parts[i](&s, t);
}
