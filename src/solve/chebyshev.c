/* SPDX-License-Identifier: BSD-3-Clause */
/* Chebyshev's semi-iteration on the equation divided by its diagonal, in the three-term
 * form (Golub and Varga 1961). The error after k steps is a Chebyshev polynomial between
 * the bounds of the eigenvalues. The method needs these bounds, but no sums over the
 * grid. */
#include <math.h>

#include "solve/solve_private.h"

static const char *const settings[] = {"low", "every", NULL};

static const char *refuses(deriver *d)
{
    return operator_is_symmetric(d) ? NULL : "it is for symmetric operators";
}

/* omega of step k: 1, then (1 + q^2)(1 + q^2k)/(1 + q^(2k+2)). */
static void add_omega(deriver *d, double q)
{
    const char *p = d->prefix;

    text_add(d->head, "let %sq(k) = exp(2*k*%.17g)\n", p, log(q));
    text_add(d->head,
             "let %somega = where(step == 0, 1, (1 + %.17g)*(1 + %sq(step))/"
             "(1 + %sq(step + 1)))\n",
             p, q * q, p, p);
}

static void derive(deriver *d)
{
    const double high = d->spectrum.high[0];
    const double low = high *
                       setting_number(d, "low", d->spectrum.low[0] / high, 1e-12, 0.9);
    const double ratio = (high - low) / (high + low);
    const double q = fmax((1 - sqrt(1 - ratio * ratio)) / ratio, 1e-150);
    const char *u = d->unknown->name;

    add_omega(d, q);
    write_equation(d, u, "prev(%s) + %somega*(%s - prev(%s))", u, d->prefix,
                   operator_relaxed(d, u, 2 / (high + low), operator_residual(d, u), 0),
                   u);
    d->about = arena_print(
        d->arena,
        "a step is one of Chebyshev's for eigenvalues from %.3g to %.3g, "
        "divided by the diagonal",
        low, high);
}

const solve_method solve_chebyshev = {
    .name = "chebyshev",
    .about = "Chebyshev's semi-iteration",
    .settings = settings,
    .steps = 100000,
    .every = 10,
    .needs_spd = true,
    .refuses = refuses,
    .derive = derive,
};
