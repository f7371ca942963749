/* SPDX-License-Identifier: BSD-3-Clause */
/* Red points have an even sum of indices on their grid, black points an odd sum. A
 * neighbour along an axis has the other colour. Half a relaxation changes one colour and
 * reads only unchanged neighbours. */
#include <stdlib.h>

#include "solve/solve_private.h"

const char *stretched_refuse(deriver *d)
{
    for (int axis = 0; axis < d->p->dim; axis++)
        if (axis_stretched(d->p, axis))
            return "points are told apart by equal spacings, and those of a stretched "
                   "axis differ: take chebyshev, cg or multigrid";
    return NULL;
}

const char *colours_refuse(deriver *d)
{
    if (stretched_refuse(d))
        return stretched_refuse(d);
    for (int64_t k = 0; k < d->form.count; k++) {
        const int *o = d->form.tap[k].offset;
        const int sum = abs(o[0]) + abs(o[1]) + abs(o[2]);
        if (sum > 0 && sum % 2 == 0)
            return "red and black points do not part an operator that reads diagonal or "
                   "second neighbours: take chebyshev, cg or multigrid";
    }
    return NULL;
}

static void declare(deriver *d, int coarse)
{
    const char *p = d->prefix;

    if (!d->parity_declared)
        text_add(d->head, "let %sparity(i) = 1 - 2*(i - 2*floor(i/2))\n", p);
    d->parity_declared = true;
    text_add(d->head, "let %scolour%d = ", p, coarse);
    for (int axis = 0; axis < d->p->dim; axis++) {
        text_add(d->head, "%s%sparity(floor((%c - (", axis ? "*" : "", p, "xyz"[axis]);
        text_add_double(d->head, num_f64(d->p->axis[axis].origin));
        text_add(d->head, "))/h%c + 1/2))", "xyz"[axis]);
    }
    text_add(d->head, "\n");
}

const char *colours_name(deriver *d, int coarse)
{
    if (!d->coloured[coarse])
        declare(d, coarse);
    d->coloured[coarse] = true;
    return arena_print(d->arena, "%scolour%d", d->prefix, coarse);
}

static const char *colour_on(deriver *d, int coarse, colour which)
{
    return arena_print(d->arena, "%s %s 0", colours_name(d, coarse),
                       which == RED ? ">" : "<");
}

static colour other(colour which)
{
    return which == RED ? BLACK : RED;
}

/* Half a relaxation of x (NULL: of 0) at the points of one colour. The other points keep
 * their value. */
static const char *half_relaxed(deriver *d, const char *x, const char *b, double weight,
                                int coarse, colour which)
{
    const char *is_one = colour_on(d, coarse, which);

    if (!x)
        return arena_print(d->arena, "(where(%s, %s, 0))", is_one,
                           operator_scaled(d, weight, b, coarse));
    const char *residual = arena_print(d->arena, "%s - %s", b,
                                       operator_applied(d, x, coarse));
    return arena_print(d->arena, "where(%s, %s, %s)", is_one,
                       operator_relaxed(d, x, weight, residual, coarse), x);
}

/* If x is 0, the first half is cheap. It is inlined into its readers, not stored. */
const char *red_black_relaxed(deriver *d, const char *name, const char *x, const char *b,
                              double weight, int coarse, colour first)
{
    const char *half = half_relaxed(d, x, b, weight, coarse, first);

    if (x) {
        const char *h = write_field(d, "h", coarse);
        write_equation(d, h, "%s", half);
        half = arena_print(d->arena, "%s'", h);
    }
    write_equation(d, name, "%s", half_relaxed(d, half, b, weight, coarse, other(first)));
    return arena_print(d->arena, "%s'", name);
}

static const char *half_smoothed(deriver *d, const char *x, double weight, colour which)
{
    return arena_print(d->arena, "where(%s, %s, %s)", colour_on(d, 0, which),
                       operator_relaxed(d, x, weight, operator_residual(d, x), 0), x);
}

const char *red_black_smoothed(deriver *d, const char *x, double weight)
{
    const char *half = write_like_unknown(d, "h");

    write_equation(d, half, "%s", half_smoothed(d, x, weight, RED));
    return half_smoothed(d, arena_print(d->arena, "%s'", half), weight, BLACK);
}
