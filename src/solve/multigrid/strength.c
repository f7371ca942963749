/* SPDX-License-Identifier: BSD-3-Clause */
/* Coupling strength of the operator along each axis: the sum of weight * offset^2. It is
 * twice the factor of the second derivative over the square of a spacing. For varying
 * weights it is the geometric mean over some sample points; coefficients have their
 * initial values there, or 1 if unknown. */
#include <math.h>

#include "solve/solve_private.h"

enum { SAMPLES = 5 }; /* along each axis */

static double value_at(deriver *d, const expr *e, const int64_t *at);

static double builtin_at(const deriver *d, builtin_kind b, const int64_t *at)
{
    const bool coordinate = b >= BUILTIN_X && b <= BUILTIN_Z;
    const bool width = b >= BUILTIN_HX && b <= BUILTIN_HZ;
    const int axis = coordinate ? (int)b - BUILTIN_X : width ? (int)b - BUILTIN_HX : 0;
    const axis_grid *g = &d->p->axis[axis];

    if (b == BUILTIN_PI)
        return 3.14159265358979323846;
    if (b >= BUILTIN_NX && b <= BUILTIN_NZ)
        return (double)coarse_extent(d->p, 0, (int)b - BUILTIN_NX);
    if (coordinate && axis_stretched(d->p, axis))
        return axis_coordinate(d->p, axis, 0, at[axis]);
    if (width && axis_stretched(d->p, axis))
        return axis_width(d->p, axis, 0, at[axis]);
    if (coordinate)
        return num_f64(g->origin) + num_f64(g->step) * (double)at[axis];
    return width || b == BUILTIN_H ? num_f64(g->step) : 0;
}

static double symbol_at(deriver *d, const symbol *s, const int64_t *at)
{
    if (s->kind == SYMBOL_LET)
        return value_at(d, copy_inlined(d, s->value), at);
    if (s->kind == SYMBOL_PARAM && s->constant)
        return num_f64(s->number);
    const bool known = s->kind == SYMBOL_FIELD && s->index >= 0 && !s->updated &&
                       s->value;
    return known ? value_at(d, copy_inlined(d, s->value), at) : 1;
}

static double call_at(deriver *d, const expr *e, const int64_t *at)
{
    const double a = value_at(d, e->arg[0], at);

    if (e->function == FUNCTION_WHERE)
        return value_at(d, e->arg[a != 0 ? 1 : 2], at);
    if (e->function == FUNCTION_RANDOM)
        return 1;
    return function_f64(e->function, a, e->count > 1 ? value_at(d, e->arg[1], at) : 0);
}

static double value_at(deriver *d, const expr *e, const int64_t *at)
{
    int64_t there[MAX_DIM];

    switch (e->kind) {
    case EXPR_NUMBER: return num_f64(e->number);
    case EXPR_BUILTIN: return builtin_at(d, e->builtin, at);
    case EXPR_SYMBOL: return symbol_at(d, e->symbol, at);
    case EXPR_UNARY:
        return e->op == OP_NEG ? -value_at(d, e->arg[0], at)
                               : value_at(d, e->arg[0], at) == 0;
    case EXPR_BINARY:
        return combine_f64(e->op, value_at(d, e->arg[0], at), value_at(d, e->arg[1], at));
    case EXPR_CALL: return call_at(d, e, at);
    case EXPR_SHIFT:
        for (int axis = 0; axis < MAX_DIM; axis++)
            there[axis] = at[axis] + e->offset[axis];
        return value_at(d, e->arg[0], there);
    default: return 1;
    }
}

/* ---- the axes ---------------------------------------------------------------------- */

static void strengths_at(deriver *d, const int64_t *at, double *strength)
{
    for (int64_t k = 0; k < d->form.count; k++) {
        const solve_tap *t = &d->form.tap[k];
        const double w = d->form.constant ? t->value : value_at(d, t->weight, at);
        for (int axis = 0; axis < d->p->dim; axis++)
            strength[axis] += w * t->offset[axis] * t->offset[axis];
    }
}

static int64_t sample_place(const deriver *d, int axis, int number)
{
    const int64_t n = coarse_extent(d->p, 0, axis);

    return (n - 1) * (2 * number + 1) / (2 * SAMPLES);
}

static void strengths_of_sample(deriver *d, int n, double strength[MAX_DIM])
{
    const int64_t at[] = {sample_place(d, 0, n % SAMPLES),
                          sample_place(d, 1, n / SAMPLES % SAMPLES),
                          sample_place(d, 2, n / SAMPLES / SAMPLES)};

    strengths_at(d, at, strength);
}

/* Strengths relative to the strongest axis. An axis of one point has strength 0. If
 * nothing is coupled, all other axes are equal. */
void strength_find(deriver *d, double *strength)
{
    double sum[MAX_DIM] = {0}, most = 0;
    int count[MAX_DIM] = {0};

    for (int n = 0; n < SAMPLES * SAMPLES * SAMPLES; n++) {
        double here[MAX_DIM] = {0};
        strengths_of_sample(d, n, here);
        for (int axis = 0; axis < MAX_DIM; axis++) {
            const bool counts = isfinite(here[axis]) && here[axis] != 0;
            sum[axis] += counts ? log(fabs(here[axis])) : 0;
            count[axis] += counts;
        }
    }
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const bool couples = axis < d->p->dim && d->p->axis[axis].points > 1;
        strength[axis] = couples && count[axis] ? exp(sum[axis] / count[axis]) : 0;
        most = fmax(most, strength[axis]);
    }
    for (int axis = 0; axis < MAX_DIM; axis++)
        strength[axis] = most > 0 ? strength[axis] / most
                                  : axis < d->p->dim && d->p->axis[axis].points > 1;
}

/* The share of the weakest axis in the coupling at one point, among the axes halved by
 * the next grid. Errors along this axis alone are invisible to coarser grids, and
 * relaxations hardly damp them. */
static double weakest_here(const deriver *d, int coarse, const double here[MAX_DIM])
{
    double all = 0, least = INFINITY;

    for (int axis = 0; axis < d->p->dim; axis++) {
        const double s = ldexp(fabs(here[axis]), -2 * grid_shift(d, coarse, axis));
        const bool halved = coarse + 1 >= d->grids || d->halved[coarse + 1] >> axis & 1;
        if (grid_extent(d, coarse, axis) <= 1 || !isfinite(s))
            continue;
        all += s;
        least = halved ? fmin(least, s) : least;
    }
    return all > 0 && least > 0 ? fmin(least / all, 1) : 1;
}

static bool is_stretched(const deriver *d)
{
    for (int axis = 0; axis < d->p->dim; axis++)
        if (axis_stretched(d->p, axis))
            return true;
    return false;
}

/* The weakest share at any sample point. Infinite without stretched axes: only their
 * widths move the strongest axis from place to place. */
double strength_weakest(deriver *d, int coarse)
{
    double least = INFINITY;

    if (!is_stretched(d) || d->form.constant)
        return least;
    for (int n = 0; n < SAMPLES * SAMPLES * SAMPLES; n++) {
        double here[MAX_DIM] = {0};
        strengths_of_sample(d, n, here);
        least = fmin(least, weakest_here(d, coarse, here));
    }
    return least;
}
