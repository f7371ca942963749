/* SPDX-License-Identifier: BSD-3-Clause */
/* Of which order an operator of constant weights is, by the moments of its weights.
 *
 * Its symbol is A2 + A4 + ..., of second and fourth derivatives. A compact operator is of
 * fourth order though A4 is not 0: A4 is A2 of a multiple of the laplacian, and the right
 * side is averaged by the same. On a grid of twice the spacing A4 is four times as large,
 * so that a residual restricted to it must be averaged by three times that multiple. Full
 * weighting averages by a quarter of second differences, as compact operators have it;
 * wide ones, whose A4 is 0, ask for none. */
#include <math.h>

#include "solve/solve_private.h"

/* Of offsets along two axes: the coefficient of the product of second derivatives, or
 * (one axis) of the fourth. */
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
