/* SPDX-License-Identifier: BSD-3-Clause */
/* Successive over-relaxation in red and black (Young 1954): points whose indices add up to an even number
 * first, then the others, which see the new values. */
#include <math.h>
#include <stdlib.h>

#include "solve/solve_private.h"

static const char *const settings[] = {"weight", "every", NULL};

/* A neighbour of the same colour would be read old and new at once. */
static const char *refuses(deriver *d)
{
    for (int64_t k = 0; k < d->form.count; k++) {
        const int *o = d->form.tap[k].offset;
        const int sum = abs(o[0]) + abs(o[1]) + abs(o[2]);
        if (sum > 0 && sum % 2 == 0)
            return "red and black points do not part an operator that reads diagonal or "
                   "second neighbours: take chebyshev, cg or multigrid";
    }
    return NULL;
}

static void declare_colours(deriver *d)
{
    const char *p = d->prefix;

    text_add(d->head, "let %ssign(i) = 1 - 2*(i - 2*floor(i/2))\nlet %scolour = ", p, p);
    for (int axis = 0; axis < d->p->dim; axis++) {
        text_add(d->head, "%s%ssign(floor((%c - (", axis ? "*" : "", p, "xyz"[axis]);
        text_add_double(d->head, num_f64(d->p->axis[axis].origin));
        text_add(d->head, "))/h%c + 1/2))", "xyz"[axis]);
    }
    text_add(d->head, "\n");
}

/* The best weight where Jacobi's factor is rho. */
static double best_weight(const deriver *d)
{
    const double rho = fmin(fmax(1 - d->spectrum.low[0], 0), 1 - 1e-12);

    return 2 / (1 + sqrt(1 - rho * rho));
}

static void derive(deriver *d)
{
    const double weight = setting_number(d, "weight", best_weight(d), 1e-6, 2);
    const char *u = d->unknown->name, *p = d->prefix;

    declare_colours(d);
    const char *red = write_like_unknown(d, "red");
    const char *half = arena_print(d->arena, "%s'", red);
    write_equation(d, red, "where(%scolour > 0, %s, %s)", p,
                   operator_relaxed(d, u, weight, operator_residual(d, u), 0), u);
    write_equation(d, u, "where(%scolour > 0, %s, %s)", p, half,
                   operator_relaxed(d, half, weight, operator_residual(d, half), 0));
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
