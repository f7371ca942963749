/* SPDX-License-Identifier: BSD-3-Clause */
/* Geometric multigrid (Brandt 1977; Trottenberg, Oosterlee, Schueller, Multigrid): a
 * cycle smooths, restricts the residual by full weighting, solves for the correction on
 * the next coarser grid in the same way, interpolates it linearly, and smooths again. The
 * coarsest grid is relaxed until little is left. */
#include "solve/multigrid/multigrid_private.h"

/* The cycle of a preconditioner. It must be symmetric, so the number and weights of
 * relaxations are equal before and after the correction. */
void multigrid_cycle(deriver *d, const char *result, const char *b)
{
    shape s = shape_of(d);

    if (s.cycle == CYCLE_FULL)
        solve_fail(d, PAV_EINVAL,
                   "a full cycle is not symmetric, so it cannot precondition cg: take "
                   "cycle = V, W or F");
    s.symmetric = true;
    s.result = result;
    s.pre = s.below = s.post = setting_count(
        d, "pre", edges_fit(d) ? 2 : shape_relaxations(d), 1, 20);
    const char *x = cycle_from(&s, 0, NULL, b, s.cycle);
    if (s.grids == 1)
        write_equation(d, result, "%s", x);
}

/* ---- the solver -------------------------------------------------------------------- */

/* Relaxes the unknown itself. */
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

static void derive_cycle(const shape *s)
{
    deriver *d = s->d;
    const int all = s->pre + s->post;
    const char *x = d->unknown->name;

    for (int k = 0; k < s->pre; k++)
        x = smoothed(s, x, shape_weight(s, k, all, 0), false);
    if (s->grids > 1) {
        const char *better = corrected(s, 0, x, operator_residual(d, x), s->cycle);
        const char *v = s->post ? write_like_unknown(d, "v") : d->unknown->name;
        write_equation(d, v, "%s", better);
        x = primed(d, v);
    }
    for (int k = s->pre; k < all; k++)
        x = smoothed(s, x, shape_weight(s, k, all, 0), k + 1 == all);
    d->about = arena_print(
        d->arena,
        "a step is a %s(%d,%d) cycle over %d grids, %d relaxations on the "
        "coarsest",
        shape_name(s), s->pre, s->post, s->grids, coarsest_steps(s));
}

/* The corrections are stored in f32. The unknown and its residual stay in f64, so each
 * cycle gains further digits, down to the rounding of f64. */
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
        shape_name(s), s->pre, s->post, s->grids);
}

static void derive(deriver *d)
{
    const shape s = shape_of(d);

    if (d->narrow && s.cycle != CYCLE_FULL) {
        derive_correction(&s);
        return;
    }

    if (s.cycle == CYCLE_FULL && s.grids > 1)
        full_derive(&s);
    else
        derive_cycle(&s);
}

const solve_method solve_multigrid = {
    .name = "multigrid",
    .about = "geometric multigrid",
    .settings = multigrid_settings,
    .steps = 200,
    .every = 1,
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
    .refuses = multigrid_refuses,
    .derive = derive,
};
