/* SPDX-License-Identifier: BSD-3-Clause */
/* Geometric multigrid (Brandt 1977; Trottenberg, Oosterlee, Schueller, Multigrid): a
 * cycle smooths, restricts the residual by full weighting, solves for the correction on
 * the next coarser grid in the same way, interpolates it linearly, and smooths again. The
 * coarsest grid is relaxed until little is left. The file holds the settings of a cycle,
 * the corrections on coarser grids, full multigrid, and the step of the unknown. */
#include <math.h>

#include "solve/solve_private.h"

enum { CYCLE_V, CYCLE_W, CYCLE_F, CYCLE_FULL, CYCLES };
enum { BY_CHEBYSHEV, BY_JACOBI, BY_REDBLACK };
enum {
    BELOW_EDGES = 3
}; /* relaxations on a coarser grid of edges for one on the finest */

typedef struct shape {
    deriver *d;
    int cycle, grids, smoother, coarsest;
    int pre, post;        /* relaxations on the finest grid */
    int below;            /* relaxations before the correction, other grids */
    bool symmetric;       /* a preconditioner: same relaxations after as before */
    const vector *result; /* result of a preconditioner on the finest grid; or NULL */
} shape;

/* ---- settings ---------------------------------------------------------------------- */

/* The shape of a cycle, chosen from the settings of the method and the operator.
 *
 * The relaxations before and after the correction are the factors of one Chebyshev
 * polynomial. The polynomial is small for all eigenvalues invisible to the coarser grid,
 * so the weights of the relaxations differ. */

static const char *const multigrid_settings[] = {"cycle", "pre",   "post",   "smoother",
                                                 "grids", "below", "stored", "coarsest",
                                                 "every", NULL};
static const char *const vcycle_settings[] = {"grids", "stored", "every", NULL};
static const char *const cycles[] = {"V", "W", "F", "full"};
static const char *const cycles_of_auto[] = {"F", "W", "V", "full"};
static const char *const storages[] = {"f64", "f32"};
static const char *const smoothers[] = {"chebyshev", "jacobi", "redblack"};
static const char *const smoothers_of_colours[] = {"redblack", "jacobi", "chebyshev"};
static const char *const smoothers_of_flow[] = {"jacobi", "redblack", "chebyshev"};

const char *multigrid_refuses(deriver *d)
{
    if (d->grids < 2)
        return "the grid cannot be halved: each axis needs an even number of points "
               "where it is periodic, and five or more otherwise; take cg without "
               "preconditioner = multigrid";
    return d->saddle && (d->method == &solve_multigrid || d->method == &solve_vcycle)
               ? "cycles leave out an unknown without a weight of its own, and each "
                 "pressure: take gmres(preconditioner = multigrid)"
               : NULL;
}

/* Red-black relaxation is the default where it is possible: it reduces the error most per
 * byte. Not before cg: it needs a symmetric cycle, hence the opposite order of
 * colours after the correction, and this order converges slowly. */
static int smoother_of(deriver *d)
{
    if (d->method == &solve_vcycle)
        return BY_JACOBI;
    if (convects(d)) /* Chebyshev's polynomials grow off the real axis */
        return (BY_JACOBI + setting_word(d, "smoother", smoothers_of_flow, 3)) % 3;
    return d->form.constant && d->method != &solve_cg && d->method != &solve_minres &&
                   !colours_refuse(d)
               ? BY_REDBLACK - setting_word(d, "smoother", smoothers_of_colours, 3)
               : setting_word(d, "smoother", smoothers, 3);
}

/* True if all insulated walls lie on points of the coarsest grid, and so of every grid.
 * The edge of a mask lies on no points. */
static bool walls_meet_points(const deriver *d)
{
    if (d->mask)
        return false;
    for (int axis = 0; axis < d->p->dim; axis++) {
        const unsigned both = FACE_BIT(axis, 0) | FACE_BIT(axis, 1);
        const double last = (double)grid_extent(d, d->grids - 1, axis) - 1;
        if (((d->fixed | d->periodic) & both) != both &&
            fabs(wall_length(d, axis, d->grids - 1) - last) > 1e-9)
            return false;
    }
    return true;
}

/* For `auto` an F-cycle is the default if V-cycles converge slowly. */
static int cycle_of(deriver *d, int smoother)
{
    if (d->usual_cycle != 'F' ||
        (d->symmetric && smoother == BY_REDBLACK && walls_meet_points(d)))
        return setting_word(d, "cycle", cycles, CYCLES);
    const int cycle = setting_word(d, "cycle", cycles_of_auto, CYCLES);
    return cycle == CYCLE_FULL ? cycle : CYCLE_F - cycle;
}

static shape shape_of(deriver *d)
{
    const bool by_jacobi = d->method == &solve_vcycle;
    shape s = {.d = d, .smoother = smoother_of(d)};
    s.cycle = cycle_of(d, s.smoother);
    s.coarsest = by_jacobi ? BY_JACOBI : setting_word(d, "coarsest", smoothers, 2);
    d->narrow = setting_word(d, "stored", storages, 2) == 1;
    s.grids = d->used = setting_count(d, "grids", d->grids, 1, d->grids);
    const bool few = s.smoother == BY_REDBLACK && s.cycle != CYCLE_FULL;
    s.pre = setting_count(d, "pre", few ? 1 : 2, 0, 20);
    s.post = setting_count(d, "post", s.pre == 0 ? 2 : 1, 0, 20);
    s.below = setting_count(d, "below", s.pre > 1 ? s.pre - 1 : s.pre, 0, 20);
    if (s.smoother == BY_REDBLACK && colours_refuse(d))
        solve_fail(d, PAV_EUNSUPPORTED, "smoother = redblack: %s", colours_refuse(d));
    if (s.pre + s.post == 0 || s.below + s.post == 0)
        solve_fail(d, PAV_EINVAL,
                   "a cycle needs a relaxation: pre, below or post above 0");
    return s;
}

/* The over-relaxation weight grows with the number of coupled axes: 1.15 for two, 1.2 for
 * three. It falls to 1 with convection, because it is for real spectra. */
static double over_relaxation(const deriver *d, int coarse)
{
    double all = 0, most = 0;

    for (int axis = 0; axis < d->p->dim; axis++) {
        all += grid_strength(d, coarse, axis);
        most = fmax(most, grid_strength(d, coarse, axis));
    }
    const double axes = most > 0 ? all / most : 1,
                 weight = axes < 2 ? 1 + 0.15 * (axes - 1) : 1.15 + 0.05 * (axes - 2);
    return d->convection == 0
               ? weight
               : 1 + (weight - 1) * fmax(1 - ldexp(d->convection, coarse), 0);
}

/* Chebyshev: relaxation weight of step k of `count` steps. The steps together damp
 * eigenvalues between low and high. */
static double chebyshev_root(double low, double high, int k, int count)
{
    const double middle = (high + low) / 2, half = (high - low) / 2;

    return 1 / (middle + half * cos(PI * (2 * k + 1) / (2 * count)));
}

/* Weight of relaxation k of `count`, the total of both sides of the correction. */
static double shape_weight(const shape *s, int k, int count, int coarse)
{
    const double high = s->d->spectrum.high[coarse],
                 smooth = s->d->spectrum.smooth[coarse],
                 weakest = s->d->spectrum.weakest[coarse];

    if (s->smoother == BY_REDBLACK)
        return over_relaxation(s->d, coarse);
    if (s->smoother == BY_JACOBI)
        return 2 / (high + smooth);
    if (s->symmetric) {
        count /= 2;
        k %= count;
    }
    /* Coarser grids miss eigenvalues down to the weakest axis at any point, or at a jump.
     * But `count` relaxations can damp only the eigenvalues above high/(4*count^2). */
    const double most = high / (4.0 * count * count),
                 low = fmin(smooth, edges_fit(s->d) ? 2 * most : fmax(weakest, most));
    return chebyshev_root(low, high, k, count);
}

/* ---- corrections ------------------------------------------------------------------- */

/* Computes the correction of a cycle: relaxations on a grid, the residual restricted to
 * the next coarser grid, the interpolated correction, and so on down to the coarsest
 * grid. Each function writes equations and returns the text of the result. */

static const char *primed(deriver *d, const char *name)
{
    return arena_print(d->arena, "%s'", name);
}

static vector residual_of(const shape *s, const vector *x, const vector *b, int coarse)
{
    vector r = *b;

    EACH_RELAXED(e, s->d)
        if (x)
            r.of[e->number] = arena_print(e->arena, "%s - %s", b->of[e->number],
                                          system_applied(e, x, coarse, false));
    return r;
}

/* A relaxation from x into the fields `name`, or new ones if it is NULL. x NULL: from 0;
 * the relaxation then only scales the right side and needs no field. */
static vector relaxed(const shape *s, const vector *name, const vector *x,
                      const vector *b, double weight, int coarse)
{
    const vector r = residual_of(s, x, b, coarse),
                 z = system_scaled(s->d, weight, &r, coarse);

    if (!x)
        return vector_mapped(s->d, "(", &z, ")");
    const vector own = name ? *name : vector_field(s->d, "c", coarse, false);
    EACH_RELAXED(e, s->d)
        write_equation(e, own.of[e->number], "%s + %s", x->of[e->number],
                       z.of[e->number]);
    return vector_mapped(s->d, "", &own, "'");
}

/* A relaxation by the smoother, before or after the correction. In a symmetric cycle the
 * relaxations after the correction take the colours in the opposite order. */
static vector swept(const shape *s, const vector *name, const vector *x, const vector *b,
                    double weight, int coarse, bool after)
{
    if (s->smoother != BY_REDBLACK)
        return relaxed(s, name, x, b, weight, coarse);
    return (vector){{red_black_relaxed(
        s->d, name ? name->of[0] : write_field(s->d, "c", coarse), x ? x->of[0] : NULL,
        b->of[0], weight, coarse, after && s->symmetric ? BLACK : RED)}};
}

/* Number of steps on the coarsest grid that reduce the error to a twentieth. */
static int coarsest_steps(const shape *s)
{
    const double high = s->d->spectrum.high[s->grids - 1],
                 low = s->d->spectrum.low[s->grids - 1],
                 x = fmax((high + low) / fmax(high - low, 1e-12), 1 + 1e-12),
                 steps = ceil(s->coarsest == BY_JACOBI ? log(20) / log(x)
                                                       : acosh(20) / acosh(x));

    return steps < 1 ? 1 : steps > MOST_COARSEST ? MOST_COARSEST : (int)steps;
}

static vector coarsest(const shape *s, const vector *start, const vector *b)
{
    vector x = start ? *start : *b;
    const int steps = coarsest_steps(s);
    const double high = s->d->spectrum.high[s->grids - 1],
                 low = s->d->spectrum.low[s->grids - 1];

    for (int k = 0; k < steps; k++)
        x = relaxed(s, NULL, k || start ? &x : NULL, b,
                    s->coarsest == BY_JACOBI ? 2 / (high + low)
                                             : chebyshev_root(low, high, k, steps),
                    s->grids - 1);
    return x;
}

/* Constant weights, and weights without a spacing, are the same on all grids. So the
 * right side of a coarser grid is multiplied by 4. Along a stretched axis the residual of
 * a point is proportional to the width of its cell. A halving doubles this width, hence a
 * factor of 2. */
static int gain_of(const deriver *d, int coarse)
{
    int gain = d->form.constant || !d->form.spaced ? 4 : 1;

    for (int axis = 0; axis < d->p->dim; axis++)
        gain *= axis_stretched(d->p, axis) && !grid_keeps(d, coarse, axis) ? 2 : 1;
    return gain;
}

static const char *restricted(deriver *d, const char *r, int coarse, const char *factor)
{
    const char *name = write_field(d, "b", coarse);
    const int gain = gain_of(d, coarse);

    write_equation(d, name, "%s%s%s", factor,
                   gain == 1 ? "" : arena_print(d->arena, "%d*", gain),
                   edges_fit(d) ? edges_restricted(d, r, coarse - 1)
                                : arena_print(d->arena, "restrict(%s)", r));
    return primed(d, name);
}

static vector cycle_from(const shape *s, int coarse, const vector *start, const vector *b,
                         int cycle);

/* x (NULL: 0) plus the correction from the next coarser grid. */
static vector corrected(const shape *s, int coarse, const vector *x,
                        const vector *residual, int cycle)
{
    deriver *d = s->d;
    vector b = {{NULL}};

    EACH_RELAXED(e, d) {
        const char *r = write_stored(e, "r", coarse,
                                     wall_weighed(e, residual->of[e->number], coarse));
        b.of[e->number] = restricted(e, r, coarse + 1, wall_gathered(e, coarse + 1));
    }
    vector c = cycle_from(s, coarse + 1, NULL, &b, cycle);
    if (cycle != CYCLE_V && coarse + 2 < s->grids)
        c = cycle_from(s, coarse + 1, &c, &b, cycle == CYCLE_F ? CYCLE_V : cycle);
    EACH_RELAXED(e, d) {
        const char **own = &c.of[e->number];
        *own = edges_fit(d) ? edges_interpolated(d, *own, coarse)
                            : arena_print(d->arena, "interpolate(%s)", *own);
        *own = arena_print(d->arena, "%s + %s", x ? x->of[e->number] : "0", *own);
    }
    return c;
}

/* A cycle from grid `coarse` down. */
static vector cycle_from(const shape *s, int coarse, const vector *start, const vector *b,
                         int cycle)
{
    const int pre = coarse ? s->below : s->pre,
              all = pre + (s->symmetric ? pre : s->post);
    vector own = start ? *start : *b;
    const vector *x = start;

    if (coarse == s->grids - 1)
        return coarsest(s, x, b);
    for (int k = 0; k < pre; k++, x = &own)
        own = swept(s, NULL, x, b, shape_weight(s, k, all, coarse), coarse, false);
    const vector r = residual_of(s, x, b, coarse),
                 better = corrected(s, coarse, x, &r, cycle);
    EACH_RELAXED(e, s->d)
        own.of[e->number] = write_stored(e, "v", coarse, better.of[e->number]);
    const bool ends = s->result && coarse == 0;
    for (int k = pre; k < all; k++)
        own = swept(s, ends && k + 1 == all ? s->result : NULL, &own, b,
                    shape_weight(s, k, all, coarse), coarse, true);
    return own;
}

/* ---- full multigrid ---------------------------------------------------------------- */

/* Full multigrid (Brandt 1977). The residual is restricted to all grids. The solution of
 * the coarsest grid is interpolated to the next finer grid and improved there by an
 * F-cycle, and so on. From u = 0, one step reaches about the discretisation error.
 *
 * Interpolation needs functions smooth up to the walls. A correction from u = 0 is not
 * smooth at walls with given values. So the first step adds u, sampled on the coarser
 * grid, to the correction before interpolation, and subtracts u afterwards. Operators of
 * fourth order use cubic interpolation. */

enum { LEAST_CUBIC = 9 }; /* points along an axis, enough for a cubic */

static double second_moment(const solve_form *f, int a)
{
    double sum = 0;

    for (int64_t k = 0; k < f->count; k++)
        sum += f->tap[k].value * f->tap[k].offset[a] * f->tap[k].offset[a];
    return sum / 2;
}

/* Coefficient of the product of second derivatives along two axes. If a equals b: of the
 * fourth derivative. */
static double fourth_moment(const solve_form *f, int a, int b)
{
    double sum = 0;

    for (int64_t k = 0; k < f->count; k++) {
        const int *o = f->tap[k].offset;
        sum += f->tap[k].value * o[a] * o[a] * o[b] * o[b];
    }
    return sum * (a == b ? 1 : 6) / 24;
}

static bool fits(const deriver *d, double blur)
{
    double size = 0;

    for (int a = 0; a < d->p->dim; a++)
        size += fabs(second_moment(&d->form, a));
    for (int a = 0; a < d->p->dim; a++)
        for (int b = a; b < d->p->dim; b++) {
            const double m = second_moment(&d->form, a) +
                             (a == b ? 0 : second_moment(&d->form, b));
            if (fabs(3 * fourth_moment(&d->form, a, b) - blur * m) > 1e-9 * size)
                return false;
        }
    return size > 0;
}

/* True if the operator is of fourth order. `blur` times the sum of second differences is
 * then the average that each transfer must apply to the right side. */
static bool is_fourth(const deriver *d, double *blur)
{
    *blur = 0;
    if (!d->form.constant || !operator_is_symmetric(d) || hierarchy_keeps_axes(d))
        return false;
    if (fits(d, 0))
        return true;
    *blur = 0.25;
    return operator_sums_to_zero(d) && fits(d, *blur);
}

typedef struct full {
    const shape *s;
    bool lifted; /* the first step interpolates u plus its correction */
    bool fourth; /* the operator is of fourth order */
    double blur; /* see is_fourth */
    const char *sample[MOST_GRIDS];
} full;

/* x[at - 1] - 2*x[at] + x[at + 1] along an axis. */
static const char *second_difference(deriver *d, const char *x, int axis, int at)
{
    return arena_print(d->arena, "(%s - 2*%s + %s)", text_next(d, x, axis, at - 1),
                       text_next(d, x, axis, at), text_next(d, x, axis, at + 1));
}

/* Sets x to 0 at the last points before faces with a given value: second differences are
 * unknown there. */
static const char *inside_only(deriver *d, const char *x, int axis, int coarse)
{
    for (int side = 0; side < 2; side++)
        if (d->fixed & FACE_BIT(axis, side))
            x = arena_print(d->arena, "where(%c %s %.17g, 0, %s)", "xyz"[axis],
                            side ? ">" : "<", wall_between(d, 2 * axis + side, coarse, 1),
                            x);
    return x;
}

/* Full weighting adds a quarter of second differences to the average. For an operator
 * with an exact right side this quarter is subtracted beforehand. */
static const char *sharpened(const full *f, const char *r, int coarse)
{
    deriver *d = f->s->d;
    const char *all = "";

    if (!f->fourth || f->blur > 0)
        return r;
    for (int axis = 0; axis < d->p->dim; axis++)
        all = arena_print(d->arena, "%s - %s/4", all,
                          inside_only(d, second_difference(d, r, axis, 0), axis, coarse));
    return write_stored(d, "r", coarse, arena_print(d->arena, "%s%s", r, all));
}

static void sample_all(full *f)
{
    deriver *d = f->s->d;

    f->sample[0] = d->unknown->name;
    text_add(&d->head, "let %sfirst = where(step == 0, 1, 0)\n", d->prefix);
    for (int coarse = 1; coarse < f->s->grids; coarse++) {
        const char *name = write_sample(d, "w", coarse);
        write_equation(d, name, "%s", f->sample[coarse - 1]);
        f->sample[coarse] = primed(d, name);
    }
}

/* The operator of a grid applied to the sample of u, in the first step; 0 in later
 * steps. */
static const char *first_image(const full *f, int coarse)
{
    deriver *d = f->s->d;

    return arena_print(d->arena, "%sfirst*%s", d->prefix,
                       operator_applied(d, f->sample[coarse], coarse));
}

/* Restricts the right side, because it is smooth; the residual is not. On each grid the
 * residual follows from the sample of u on that grid. */
static void restrict_all(const full *f, const char **b)
{
    const shape *s = f->s;
    deriver *d = s->d;
    const char *q = write_stored(d, "r", 0, operator_residual(d, d->unknown->name));

    b[0] = q;
    if (f->lifted)
        q = write_stored(d, "q", 0,
                         arena_print(d->arena, "%s + %s", q, first_image(f, 0)));
    for (int coarse = 1; coarse < s->grids; coarse++) {
        b[coarse] = q = restricted(d, sharpened(f, q, coarse - 1), coarse, "");
        if (!f->lifted)
            continue;
        const char *left = write_field(d, "b", coarse);
        write_equation(d, left, "%s - %s", q, first_image(f, coarse));
        b[coarse] = primed(d, left);
    }
}

static bool is_cubic(const full *f, int coarse)
{
    deriver *d = f->s->d;

    for (int axis = 0; axis < d->p->dim; axis++)
        if (grid_extent(d, coarse, axis) < LEAST_CUBIC)
            return false;
    for (int face = 0; face < 2 * d->p->dim; face++)
        if (!(d->periodic & FACE_BIT(face / 2, face % 2)) &&
            fabs(wall_gap(d, face, coarse + 1)) > 1e-9)
            return false;
    return f->fourth;
}

/* Correction of a linear interpolation x to a cubic one along an axis. For a cubic, a
 * straight line between two points is wrong by an eighth of the sum of the second
 * differences of both points. Second differences of x are 0 between coarse points, and at
 * coarse points half the second differences of the coarser grid. Beside a wall the second
 * differences are extrapolated linearly from inside. */
static const char *cubic_part(deriver *d, const char *x, int axis, int coarse)
{
    const char *all = arena_print(d->arena, "%s + %s", second_difference(d, x, axis, -1),
                                  second_difference(d, x, axis, 1));

    for (int side = 0; side < 2; side++) {
        const int face = 2 * axis + side, in = side ? -1 : 1;
        if (d->periodic & FACE_BIT(axis, side))
            continue;
        all = arena_print(d->arena, "where(%c %s %.17g, 3*%s - %s, %s)", "xyz"[axis],
                          side ? ">" : "<", wall_between(d, face, coarse, 2),
                          second_difference(d, x, axis, in),
                          second_difference(d, x, axis, 3 * in), all);
    }
    return arena_print(d->arena, " - (%s)/8", all);
}

/* Initial value of the cycle on a grid: the interpolated correction c of the next coarser
 * grid. */
static const char *begun(const full *f, const char *c, int coarse)
{
    deriver *d = f->s->d;
    const char *first = arena_print(d->arena, "%sfirst*", d->prefix);
    const char *x = f->lifted ? arena_print(d->arena, "interpolate(%s + %s%s)", c, first,
                                            f->sample[coarse + 1])
                              : arena_print(d->arena, "interpolate(%s)", c);

    if (is_cubic(f, coarse)) {
        x = write_stored(d, "v", coarse, x);
        const char *const v = x;
        for (int axis = 0; axis < d->p->dim; axis++)
            x = arena_print(d->arena, "%s%s", x, cubic_part(d, v, axis, coarse));
    }
    if (f->lifted)
        x = arena_print(d->arena, "%s - %s%s", x, first, f->sample[coarse]);
    return write_stored(d, "v", coarse, x);
}

/* A step of full multigrid. */
static void full_derive(const shape *s)
{
    deriver *d = s->d;
    const char *u = d->unknown->name, *b[MOST_GRIDS];
    full f = {.s = s, .lifted = !d->given && (d->mask || write_has_values(d))};

    f.fourth = is_fourth(d, &f.blur);
    if (f.lifted)
        sample_all(&f);
    restrict_all(&f, b);
    vector c = coarsest(s, NULL, &(vector){{b[s->grids - 1]}});
    for (int coarse = s->grids - 2; coarse >= 0; coarse--) {
        const vector right = {{b[coarse]}}, start = {{begun(&f, c.of[0], coarse)}};
        c = cycle_from(s, coarse, &start, &right, CYCLE_F);
        if (f.fourth) /* the error falls by 16 from grid to grid, not by 4 */
            c = cycle_from(s, coarse, &c, &right, CYCLE_F);
    }
    write_equation(d, u, "%s + %s%s", u, c.of[0], drift_text(d));
    d->about = arena_print(
        d->arena, "a step is full multigrid: %s F(%d,%d) cycle%s from each of %d grids%s",
        f.fourth ? "two" : "an", s->pre, s->post, f.fourth ? "s" : "", s->grids,
        f.fourth ? ", begun cubically" : "");
}

/* ---- the step ---------------------------------------------------------------------- */

/* The cycle of a preconditioner. Before cg it must be symmetric, so the number and
 * weights of relaxations are equal before and after the correction. */
void multigrid_cycle(deriver *d, const vector *result, const vector *b)
{
    shape s = shape_of(d);

    if (s.cycle == CYCLE_FULL)
        solve_fail(d, PAV_EINVAL,
                   "a full cycle is not symmetric, so it cannot precondition cg: take "
                   "cycle = V, W or F");
    s.symmetric = d->method == &solve_cg || d->method == &solve_minres;
    s.result = result;
    /* Enough relaxations to damp the errors along the weakest axis. More than 6 cost more
     * time than they save. */
    double least = 1;
    for (int k = 0; k + 1 < d->grids; k++)
        least = fmin(least, d->spectrum.weakest[k]);
    const int usual = (int)fmin(fmax(round(0.5 * sqrt(2 / least)), 1), 6);
    if (s.symmetric)
        s.pre = s.below = s.post = setting_count(
            d, "pre", edges_fit(d) || operator_is_oblique(d) ? 2 : usual, 1, 20);
    /* Averaged coefficients of coarser grids couple the axes unequally, for example along
     * channels. Relaxations are cheap there. */
    if (edges_fit(d))
        s.below *= BELOW_EDGES;
    EACH_RELAXED(e, d) {
        e->narrow = d->narrow;
        operator_ease(e);
    }
    const vector x = cycle_from(&s, 0, NULL, b, s.cycle);
    EACH_RELAXED(e, d) {
        if (s.grids == 1)
            write_equation(e, result->of[e->number], "%s", x.of[e->number]);
        e->eased = false;
    }
}

/* Relaxes the unknown itself. */
static const char *smoothed(const shape *s, const char *x, double weight, bool last)
{
    deriver *d = s->d;
    const char *better = s->smoother == BY_REDBLACK
                             ? red_black_smoothed(d, x, weight)
                             : operator_relaxed(d, x, weight, operator_residual(d, x), 0);
    const char *name = last ? d->unknown->name : write_like_unknown(d, "s");

    write_equation(d, name, "%s%s", better, last ? drift_text(d) : "");
    return primed(d, name);
}

static void derive(deriver *d)
{
    const shape shaped = shape_of(d), *s = &shaped;
    const int all = s->pre + s->post;
    const char *u = d->unknown->name, *x = u;

    if (s->cycle == CYCLE_FULL && d->next)
        solve_fail(d, PAV_EUNSUPPORTED,
                   "a full cycle is for one unknown: take cycle = V, W or F");
    if (s->cycle == CYCLE_FULL && s->grids > 1) {
        full_derive(s);
        return;
    }
    /* Corrections may be stored in f32. The unknown and its residual stay in f64, so each
     * cycle gains further digits, down to the rounding of f64. */
    if (d->narrow || d->next) {
        vector r;
        EACH_UNKNOWN(e, d) {
            e->narrow = d->narrow;
            r.of[e->number] = write_stored(e, "r", 0,
                                           operator_residual(e, e->unknown->name));
        }
        const vector c = cycle_from(s, 0, NULL, &r, s->cycle);
        EACH_UNKNOWN(e, d)
            write_equation(e, e->unknown->name, "%s + %s%s", e->unknown->name,
                           c.of[e->number], drift_text(e));
        d->about = arena_print(
            d->arena, "a step is a correction%s by a %s(%d,%d) cycle over %d grids",
            d->narrow ? " in f32" : "", cycles[s->cycle], s->pre, s->post, s->grids);
        return;
    }
    for (int k = 0; k < s->pre; k++)
        x = smoothed(s, x, shape_weight(s, k, all, 0), false);
    if (s->grids > 1) {
        const vector at = {{x}}, r = {{operator_residual(d, x)}},
                     better = corrected(s, 0, &at, &r, s->cycle);
        const char *v = s->post ? write_like_unknown(d, "v") : u;
        write_equation(d, v, "%s", better.of[0]);
        x = primed(d, v);
    }
    for (int k = s->pre; k < all; k++)
        x = smoothed(s, x, shape_weight(s, k, all, 0), k + 1 == all);
    d->about = arena_print(
        d->arena,
        "a step is a %s(%d,%d) cycle over %d grids, %d relaxations on the "
        "coarsest",
        cycles[s->cycle], s->pre, s->post, s->grids, coarsest_steps(s));
}

const solve_method solve_multigrid = {
    .name = "multigrid",
    .about = "geometric multigrid",
    .settings = multigrid_settings,
    .steps = 200,
    .every = 1,
    .several = true,
    .refuses = multigrid_refuses,
    .derive = derive,
};

/* The cycle of Krotkiewski and Dabrowski (2013): a V-cycle with Jacobi on all grids, 2
 * relaxations before the correction on the finest grid, 1 on the others, and 1 after
 * it. */
const solve_method solve_vcycle = {
    .name = "vcycle",
    .about = "multigrid by V-cycles of Jacobi's relaxations",
    .settings = vcycle_settings,
    .steps = 200,
    .every = 1,
    .several = true,
    .refuses = multigrid_refuses,
    .derive = derive,
};
