/* SPDX-License-Identifier: BSD-3-Clause */
/* Damped Jacobi relaxation: u' = u + weight/diagonal * (right - left) (Saad, Iterative
 * Methods, 4.1). */
#include "solve/solve_private.h"

static const char *const settings[] = {"weight", "every", NULL};

static const char *refuses(deriver *d)
{
    (void)d;
    return NULL;
}

static void derive(deriver *d)
{
    const double weight = setting_number(d, "weight", 1.8 / d->spectrum.high[0], 1e-6, 2);
    const char *u = d->unknown->name;

    write_equation(d, u, "%s",
                   operator_relaxed(d, u, weight, operator_residual(d, u), 0));
    d->about = arena_print(d->arena, "a step is a relaxation with weight %.3g", weight);
}

const solve_method solve_jacobi = {
    .name = "jacobi",
    .about = "damped Jacobi relaxation",
    .settings = settings,
    .steps = 1000000,
    .every = 10,
    .refuses = refuses,
    .derive = derive,
};
