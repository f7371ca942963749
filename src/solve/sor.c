/* SPDX-License-Identifier: BSD-3-Clause */
/* Successive over-relaxation in red and black (Young 1954). The points with an even sum
 * of indices are relaxed first. The other points follow and read the new values. */
#include <math.h>

#include "solve/solve_private.h"

static const char *const settings[] = {"weight", "every", NULL};

/* The optimal weight for a Jacobi factor rho. */
static double best_weight(const deriver *d)
{
    const double rho = fmin(fmax(1 - d->spectrum.low[0], 0), 1 - 1e-12);

    return 2 / (1 + sqrt(1 - rho * rho));
}

static bool is_odd_ring(const deriver *d, int axis)
{
    return (d->periodic & FACE_BIT(axis, 0)) && d->p->axis[axis].points % 2;
}

/* On a periodic axis with an odd number of points, two neighbours have the same colour.
 * They are relaxed at once, which diverges for weights above 1. */
static const char *refuses(deriver *d)
{
    for (int axis = 0; axis < d->p->dim; axis++)
        if (is_odd_ring(d, axis))
            return "around a periodic axis with an odd number of points two of one "
                   "colour "
                   "are neighbours: take one point more, or chebyshev, cg or multigrid";
    return colours_refuse(d);
}

static void derive(deriver *d)
{
    const double weight = setting_number(d, "weight", best_weight(d), 1e-6, 2);
    const char *u = d->unknown->name;

    write_equation(d, u, "%s", red_black_smoothed(d, u, weight));
    d->about = arena_print(
        d->arena, "a step relaxes red, then black points with weight %.4g", weight);
}

const solve_method solve_sor = {
    .name = "sor",
    .about = "successive over-relaxation, red and black",
    .settings = settings,
    .steps = 100000,
    .every = 10,
    .refuses = refuses,
    .derive = derive,
};
