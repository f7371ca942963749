/* SPDX-License-Identifier: BSD-3-Clause */
/* Geometric multigrid (Brandt 1977; Trottenberg, Oosterlee, Schueller, Multigrid): a
 * cycle smooths, restricts the residual by full weighting, solves for the correction on
 * the grid of every second point in the same way, interpolates it linearly, and smooths
 * again. The coarsest grid is relaxed until little is left.
 *
 * The relaxations before and after are the factors of one Chebyshev polynomial that is
 * small where the coarser grid is blind, so their weights differ. */
#include <math.h>
#include <string.h>

#include "solve/solve_private.h"

static const char *const settings[] = {"cycle", "pre",    "post",     "smoother", "grids",
                                       "below", "stored", "coarsest", "every",    NULL};
static const char *const settings_of_vcycle[] = {"grids", "stored", "every", NULL};
static const char *const cycles[] = {"V", "W", "F", "full"};
static const char *const cycles_of_auto[] = {"F", "W", "V", "full"};
static const char *const storages[] = {"f64", "f32"};
static const char *const smoothers[] = {"chebyshev", "jacobi", "redblack"};
static const char *const smoothers_of_colours[] = {"redblack", "jacobi", "chebyshev"};
enum { CYCLE_V, CYCLE_W, CYCLE_F, CYCLE_FULL, CYCLES };
enum { BY_CHEBYSHEV, BY_JACOBI, BY_REDBLACK };

typedef struct shape {
    deriver *d;
    int cycle, grids, smoother, coarsest;
    int pre, post;      /* on the finest grid */
    int below;          /* before, on the others */
    bool symmetric;     /* a preconditioner: relaxed after as before, */
    const char *result; /* into this field on the finest grid; or NULL */
} shape;

const char *multigrid_refuses(deriver *d)
{
    if (d->grids < 2)
        return "the grid cannot be halved: each axis needs an even number of points "
               "where "
               "it is periodic, and five or more otherwise; take cg";
    return NULL;
}

/* Red and black reduce an error most for their bytes, but after a correction they take
 * the order that makes the cycle slow where they must be the transpose of those before
 * it, as cg asks. */
static bool prefers_colours(deriver *d)
{
    return d->form.constant && d->method == &solve_multigrid && !colours_refuse(d);
}

static int smoother_of(deriver *d)
{
    if (d->method == &solve_vcycle)
        return BY_JACOBI;
    if (!prefers_colours(d))
        return setting_word(d, "smoother", smoothers, 3);
    return BY_REDBLACK - setting_word(d, "smoother", smoothers_of_colours, 3);
}

/* Insulated walls lie on a point of each grid, if they do of the coarsest; the edge of a
 * mask on none. */
static bool walls_meet_points(const deriver *d)
{
    if (d->mask)
        return false;
    for (int axis = 0; axis < d->p->dim; axis++) {
        const unsigned both = FACE_BIT(axis, 0) | FACE_BIT(axis, 1);
        const double last = (double)coarse_extent(d->p, d->grids - 1, axis) - 1;
        if (((d->fixed | d->periodic) & both) != both &&
            fabs(wall_length(d, axis, d->grids - 1) - last) > 1e-9)
            return false;
    }
    return true;
}

/* `auto` takes F-cycles where V-cycles are slow. */
static int cycle_of(deriver *d, int smoother)
{
    if (d->usual_cycle != 'F' || (smoother == BY_REDBLACK && walls_meet_points(d)))
        return setting_word(d, "cycle", cycles, CYCLES);
    const int cycle = setting_word(d, "cycle", cycles_of_auto, CYCLES);
    return cycle == CYCLE_FULL ? cycle : CYCLE_F - cycle;
}

static shape shape_of(deriver *d)
{
    const bool by_jacobi = d->method == &solve_vcycle;
    shape s = {.d = d};

    s.smoother = smoother_of(d);
    s.cycle = cycle_of(d, s.smoother);
    s.coarsest = by_jacobi ? BY_JACOBI : setting_word(d, "coarsest", smoothers, 2);
    d->narrow = setting_word(d, "stored", storages, 2) == 1;
    s.grids = setting_count(d, "grids", d->grids, 1, d->grids);
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

/* The weight of relaxation k of the `count` on a grid, those before and after
 * together. */
static double weight_of(const shape *s, int k, int count)
{
    const solve_spectrum *e = &s->d->spectrum;

    if (s->smoother == BY_REDBLACK)
        return s->d->p->dim == 3 ? 1.2 : s->d->p->dim == 2 ? 1.15 : 1;
    if (s->smoother == BY_JACOBI)
        return 2 / (e->high + e->smooth);
    if (s->symmetric) {
        count /= 2;
        k %= count;
    }
    return chebyshev_root(e->smooth, e->high, k, count);
}

static const char *primed(deriver *d, const char *name)
{
    return arena_print(d->arena, "%s'", name);
}

/* ---- corrections ------------------------------------------------------------------- */

static const char *residual_of(const shape *s, const char *x, const char *b, int coarse)
{
    if (!x)
        return b;
    return arena_print(s->d->arena, "%s - %s", b, operator_applied(s->d, x, coarse));
}

static const char *relaxed_into(const shape *s, const char *name, const char *x,
                                const char *b, double weight, int coarse)
{
    write_equation(
        s->d, name, "%s",
        operator_relaxed(s->d, x, weight, residual_of(s, x, b, coarse), coarse));
    return primed(s->d, name);
}

/* A relaxation from x, or (NULL) from 0, where it only scales the right side. */
static const char *relaxed(const shape *s, const char *x, const char *b, double weight,
                           int coarse)
{
    deriver *d = s->d;

    if (!x)
        return arena_print(d->arena, "(%s)", operator_scaled(d, weight, b, coarse));
    return relaxed_into(s, write_field(d, "c", coarse), x, b, weight, coarse);
}

/* A relaxation of the smoother, before the correction or after it, where a symmetric
 * cycle takes colours the other way around. */
static const char *swept(const shape *s, const char *name, const char *x, const char *b,
                         double weight, int coarse, bool after)
{
    if (s->smoother != BY_REDBLACK)
        return name ? relaxed_into(s, name, x, b, weight, coarse)
                    : relaxed(s, x, b, weight, coarse);
    return red_black_relaxed(s->d, name ? name : write_field(s->d, "c", coarse), x, b,
                             weight, coarse, after && s->symmetric ? BLACK : RED);
}

/* On the coarsest grid: as many steps as bring the error to a twentieth. */
static int coarsest_steps(const shape *s)
{
    const double high = s->d->spectrum.high, low = s->d->spectrum.low[s->grids - 1];
    const double x = fmax((high + low) / fmax(high - low, 1e-12), 1 + 1e-12);
    const double steps = ceil(s->coarsest == BY_JACOBI ? log(20) / log(x)
                                                       : acosh(20) / acosh(x));

    return steps < 1 ? 1 : steps > MOST_COARSEST ? MOST_COARSEST : (int)steps;
}

static double coarsest_weight(const shape *s, int k, int steps)
{
    const double high = s->d->spectrum.high, low = s->d->spectrum.low[s->grids - 1];

    return s->coarsest == BY_JACOBI ? 2 / (high + low)
                                    : chebyshev_root(low, high, k, steps);
}

static const char *coarsest(const shape *s, const char *x, const char *b)
{
    const int steps = coarsest_steps(s);

    for (int k = 0; k < steps; k++)
        x = relaxed(s, x, b, coarsest_weight(s, k, steps), s->grids - 1);
    return x;
}

static const char *cycle_from(const shape *s, int coarse, const char *x, const char *b,
                              int cycle);

static const char *restricted(const shape *s, const char *r, int coarse)
{
    deriver *d = s->d;
    const char *name = write_field(d, "b", coarse);

    write_equation(d, name, "%s%s", operator_gain(d) == 4 ? "4*" : "",
                   edges_fit(d) ? edges_restricted(d, r, coarse - 1)
                                : arena_print(d->arena, "restrict(%s)", r));
    return primed(d, name);
}

/* The correction that the next grid gives for a residual. */
static const char *corrected(const shape *s, int coarse, const char *x,
                             const char *residual, int cycle)
{
    deriver *d = s->d;
    const char *r = write_field(d, "r", coarse);
    write_equation(d, r, "%s", residual);
    const char *b = restricted(s, primed(d, r), coarse + 1);
    const char *c = cycle_from(s, coarse + 1, NULL, b, cycle);
    if (cycle != CYCLE_V && coarse + 2 < s->grids)
        c = cycle_from(s, coarse + 1, c, b, cycle == CYCLE_F ? CYCLE_V : cycle);
    if (edges_fit(d))
        c = edges_interpolated(d, c, coarse);
    else
        c = arena_print(d->arena, "interpolate(%s)", c);
    return arena_print(d->arena, "%s + %s", x ? x : "0", c);
}

static const char *cycle_from(const shape *s, int coarse, const char *x, const char *b,
                              int cycle)
{
    deriver *d = s->d;
    const int pre = coarse ? s->below : s->pre, all = pre + s->post;

    if (coarse == s->grids - 1)
        return coarsest(s, x, b);
    for (int k = 0; k < pre; k++)
        x = swept(s, NULL, x, b, weight_of(s, k, all), coarse, false);
    const char *better = corrected(s, coarse, x, residual_of(s, x, b, coarse), cycle);
    const char *v = write_field(d, "v", coarse);
    write_equation(d, v, "%s", better);
    x = primed(d, v);
    const bool ends = s->result && coarse == 0;
    for (int k = pre; k < all - ends; k++)
        x = swept(s, NULL, x, b, weight_of(s, k, all), coarse, true);
    return ends ? swept(s, s->result, x, b, weight_of(s, all - 1, all), coarse, true) : x;
}

/* Of a preconditioner: it must be symmetric, so the weights after are those before, and
 * as many. */
void multigrid_cycle(deriver *d, const char *result, const char *b)
{
    shape s = shape_of(d);

    if (s.cycle == CYCLE_FULL)
        solve_fail(d, PAV_EINVAL,
                   "a full cycle is not symmetric, so it cannot precondition cg: take "
                   "cycle = V, W or F");
    s.symmetric = true;
    s.result = result;
    s.pre = s.below = s.post = setting_count(d, "pre", edges_fit(d) ? 2 : 1, 1, 20);
    const char *x = cycle_from(&s, 0, NULL, b, s.cycle);
    if (s.grids == 1)
        write_equation(d, result, "%s", x);
}

/* ---- the solver -------------------------------------------------------------------- */

/* A relaxation of the unknown itself. */
static const char *smoothed(const shape *s, const char *x, double weight, bool last)
{
    deriver *d = s->d;
    const char *better, *name;

    better = s->smoother == BY_REDBLACK
                 ? red_black_smoothed(d, x, weight)
                 : operator_relaxed(d, x, weight, operator_residual(d, x), 0);
    name = last ? d->unknown->name : write_like_unknown(d, "s");
    write_equation(d, name, "%s%s", better,
                   last && d->singular ? arena_print(d->arena, " - %sdrift", d->prefix)
                                       : "");
    return primed(d, name);
}

/* Full multigrid (Brandt 1977): the residual is restricted to all grids; the correction
 * of the coarsest one is interpolated to the next finer one, improved there by an
 * F-cycle, and so on. From u = 0 one step gives a solution whose error is about that of
 * the discretisation. */
static void derive_full(const shape *s)
{
    deriver *d = s->d;
    const char *u = d->unknown->name, *b[MOST_GRIDS];
    const char *r = write_field(d, "r", 0);

    write_equation(d, r, "%s", operator_residual(d, u));
    b[0] = primed(d, r);
    for (int coarse = 1; coarse < s->grids; coarse++)
        b[coarse] = restricted(s, b[coarse - 1], coarse);
    const char *c = coarsest(s, NULL, b[s->grids - 1]);
    for (int coarse = s->grids - 2; coarse >= 0; coarse--) {
        const char *v = write_field(d, "v", coarse);
        write_equation(d, v, "interpolate(%s)", c);
        c = cycle_from(s, coarse, primed(d, v), b[coarse], CYCLE_F);
    }
    write_equation(d, u, "%s + %s%s", u, c,
                   d->singular ? arena_print(d->arena, " - %sdrift", d->prefix) : "");
    d->about = arena_print(
        d->arena, "a step is full multigrid: an F(%d,%d) cycle from each of %d grids",
        s->pre, s->post, s->grids);
}

static void derive_cycle(const shape *s)
{
    deriver *d = s->d;
    const int all = s->pre + s->post;
    const char *x = d->unknown->name;

    for (int k = 0; k < s->pre; k++)
        x = smoothed(s, x, weight_of(s, k, all), false);
    if (s->grids > 1) {
        const char *better = corrected(s, 0, x, operator_residual(d, x), s->cycle);
        const char *v = s->post ? write_like_unknown(d, "v") : d->unknown->name;
        write_equation(d, v, "%s", better);
        x = primed(d, v);
    }
    for (int k = s->pre; k < all; k++)
        x = smoothed(s, x, weight_of(s, k, all), k + 1 == all);
    d->about = arena_print(
        d->arena,
        "a step is a %s(%d,%d) cycle over %d grids, %d relaxations on the "
        "coarsest",
        cycles[s->cycle], s->pre, s->post, s->grids, coarsest_steps(s));
}

/* Corrections are stored in f32, the unknown and its residual's arithmetic stay in f64:
 * so each cycle gains digits of its own, down to the rounding of f64. */
static void derive_correction(const shape *s)
{
    deriver *d = s->d;
    const char *u = d->unknown->name, *r = write_field(d, "r", 0);

    write_equation(d, r, "%s", operator_residual(d, u));
    const char *c = cycle_from(s, 0, NULL, primed(d, r), s->cycle);
    write_equation(d, u, "%s + %s%s", u, c,
                   d->singular ? arena_print(d->arena, " - %sdrift", d->prefix) : "");
    d->about = arena_print(
        d->arena, "a step is a correction in f32 by a %s(%d,%d) cycle over %d grids",
        cycles[s->cycle], s->pre, s->post, s->grids);
}

static void derive(deriver *d)
{
    const shape s = shape_of(d);

    if (d->narrow && s.cycle != CYCLE_FULL) {
        derive_correction(&s);
        return;
    }

    if (s.cycle == CYCLE_FULL && s.grids > 1)
        derive_full(&s);
    else
        derive_cycle(&s);
}

const solve_method solve_multigrid = {
    .name = "multigrid",
    .about = "geometric multigrid",
    .settings = settings,
    .steps = 200,
    .every = 1,
    .refuses = multigrid_refuses,
    .derive = derive,
};

/* The cycle of Krotkiewski and Dabrowski (2013): V, 2 relaxations before on the finest
 * grid and 1 on the others, 1 after, all of them and the coarsest grid's by Jacobi. */
const solve_method solve_vcycle = {
    .name = "vcycle",
    .about = "multigrid by V-cycles of Jacobi's relaxations",
    .settings = settings_of_vcycle,
    .steps = 200,
    .every = 1,
    .refuses = multigrid_refuses,
    .derive = derive,
};
