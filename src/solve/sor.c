/* SPDX-License-Identifier: BSD-3-Clause */
/* Successive over-relaxation in red and black (Young 1954): points whose indices add up
 * to an even number first, then the others, which see the new values. */
#include <math.h>

#include "solve/solve_private.h"

static const char *const settings[] = {"weight", "every", NULL};

/* The best weight where Jacobi's factor is rho. */
static double best_weight(const deriver *d)
{
    const double rho = fmin(fmax(1 - d->spectrum.low[0], 0), 1 - 1e-12);

    return 2 / (1 + sqrt(1 - rho * rho));
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
    .refuses = colours_refuse,
    .derive = derive,
};
