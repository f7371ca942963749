/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the correction of a cycle: relaxations on a grid, the residual restricted to
 * the next coarser grid, the interpolated correction, and so on down to the coarsest
 * grid. */
#include <math.h>

#include "solve/multigrid/multigrid_private.h"

const char *primed(deriver *d, const char *name)
{
    return arena_print(d->arena, "%s'", name);
}

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

/* A relaxation from x. NULL: from 0; the relaxation then only scales the right side and
 * needs no field. */
static const char *relaxed(const shape *s, const char *x, const char *b, double weight,
                           int coarse)
{
    deriver *d = s->d;

    if (!x)
        return arena_print(d->arena, "(%s)", operator_scaled(d, weight, b, coarse));
    return relaxed_into(s, write_field(d, "c", coarse), x, b, weight, coarse);
}

/* A relaxation by the smoother, before or after the correction. In a symmetric cycle the
 * relaxations after the correction take the colours in the opposite order. */
static const char *swept(const shape *s, const char *name, const char *x, const char *b,
                         double weight, int coarse, bool after)
{
    if (s->smoother != BY_REDBLACK)
        return name ? relaxed_into(s, name, x, b, weight, coarse)
                    : relaxed(s, x, b, weight, coarse);
    return red_black_relaxed(s->d, name ? name : write_field(s->d, "c", coarse), x, b,
                             weight, coarse, after && s->symmetric ? BLACK : RED);
}

/* Number of steps on the coarsest grid that reduce the error to a twentieth. */
int coarsest_steps(const shape *s)
{
    const double high = s->d->spectrum.high[s->grids - 1];
    const double low = s->d->spectrum.low[s->grids - 1];
    const double x = fmax((high + low) / fmax(high - low, 1e-12), 1 + 1e-12);
    const double steps = ceil(s->coarsest == BY_JACOBI ? log(20) / log(x)
                                                       : acosh(20) / acosh(x));

    return steps < 1 ? 1 : steps > MOST_COARSEST ? MOST_COARSEST : (int)steps;
}

static double coarsest_weight(const shape *s, int k, int steps)
{
    const double high = s->d->spectrum.high[s->grids - 1];
    const double low = s->d->spectrum.low[s->grids - 1];

    return s->coarsest == BY_JACOBI ? 2 / (high + low)
                                    : chebyshev_root(low, high, k, steps);
}

const char *coarsest(const shape *s, const char *x, const char *b)
{
    const int steps = coarsest_steps(s);

    for (int k = 0; k < steps; k++)
        x = relaxed(s, x, b, coarsest_weight(s, k, steps), s->grids - 1);
    return x;
}

static const char *restrict_into(const shape *s, const char *r, int coarse,
                                 const char *factor)
{
    deriver *d = s->d;
    const char *name = write_field(d, "b", coarse);
    const int gain = operator_gain(d, coarse);

    write_equation(d, name, "%s%s%s", factor,
                   gain == 1 ? "" : arena_print(d->arena, "%d*", gain),
                   edges_fit(d) ? edges_restricted(d, r, coarse - 1)
                                : arena_print(d->arena, "restrict(%s)", r));
    return primed(d, name);
}

const char *restricted(const shape *s, const char *r, int coarse)
{
    return restrict_into(s, r, coarse, "");
}

/* Restricts a weighed residual (walls.c). */
static const char *gathered(const shape *s, const char *r, int coarse)
{
    return restrict_into(s, r, coarse, wall_gathered(s->d, coarse));
}

/* Corrects x: restricts its residual to the next grid and interpolates the correction. */
const char *corrected(const shape *s, int coarse, const char *x, const char *residual,
                      int cycle)
{
    deriver *d = s->d;
    const char *r = write_field(d, "r", coarse);
    write_equation(d, r, "%s", wall_weighed(d, residual, coarse));
    const char *b = gathered(s, primed(d, r), coarse + 1);
    const char *c = cycle_from(s, coarse + 1, NULL, b, cycle);
    if (cycle != CYCLE_V && coarse + 2 < s->grids)
        c = cycle_from(s, coarse + 1, c, b, cycle == CYCLE_F ? CYCLE_V : cycle);
    if (edges_fit(d))
        c = edges_interpolated(d, c, coarse);
    else
        c = arena_print(d->arena, "interpolate(%s)", c);
    return arena_print(d->arena, "%s + %s", x ? x : "0", c);
}

const char *cycle_from(const shape *s, int coarse, const char *x, const char *b,
                       int cycle)
{
    deriver *d = s->d;
    const int pre = coarse ? s->below : s->pre, all = pre + s->post;

    if (coarse == s->grids - 1)
        return coarsest(s, x, b);
    for (int k = 0; k < pre; k++)
        x = swept(s, NULL, x, b, shape_weight(s, k, all, coarse), coarse, false);
    const char *better = corrected(s, coarse, x, residual_of(s, x, b, coarse), cycle);
    const char *v = write_field(d, "v", coarse);
    write_equation(d, v, "%s", better);
    x = primed(d, v);
    const bool ends = s->result && coarse == 0;
    for (int k = pre; k < all - ends; k++)
        x = swept(s, NULL, x, b, shape_weight(s, k, all, coarse), coarse, true);
    return ends ? swept(s, s->result, x, b, shape_weight(s, all - 1, all, coarse), coarse,
                        true)
                : x;
}
