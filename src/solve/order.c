/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of accuracy of an operator with constant weights, from the moments of its
 * weights.
 *
 * The symbol of the operator is A2 + A4 + ..., of second and fourth derivatives. A
 * compact operator has an A4 other than 0, but is still of fourth order. The condition
 * is: A4 equals A2 times a multiple of the Laplacian, and the right side is averaged by
 * the same multiple. On a grid of twice the spacing A4 is four times larger, so a
 * restricted residual must be averaged by three times the multiple. Full weighting
 * averages by a quarter of second differences, the amount for compact operators. Wide
 * operators with A4 = 0 need no average. */
#include <math.h>

#include "solve/solve_private.h"

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

static double second_moment(const solve_form *f, int a)
{
    double sum = 0;

    for (int64_t k = 0; k < f->count; k++)
        sum += f->tap[k].value * f->tap[k].offset[a] * f->tap[k].offset[a];
    return sum / 2;
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

bool operator_is_fourth(const deriver *d, double *blur)
{
    *blur = 0;
    if (!d->form.constant || !operator_is_symmetric(d) || hierarchy_keeps_axes(d))
        return false;
    if (fits(d, 0))
        return true;
    *blur = 0.25;
    return operator_sums_to_zero(d) && fits(d, *blur);
}
