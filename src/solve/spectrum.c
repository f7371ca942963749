/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of the eigenvalues of the operator, divided by its diagonal. For constant
 * weights the bounds come from the symbol: the sum of weight * cos(offset . frequency) at
 * frequencies up to pi. */
#include <math.h>

#include "solve/solve_private.h"

enum { SAMPLES = 17 }; /* along each axis, from 0 to pi */
static const double pi = 3.14159265358979323846;

static double symbol_at(const deriver *d, const double *frequency, int coarse)
{
    double sum = 0, centre = 0;

    for (int64_t k = 0; k < d->form.count; k++) {
        const solve_tap *t = &d->form.tap[k];
        const double weight = operator_weight(d, t, coarse);
        double phase = 0;
        for (int axis = 0; axis < d->p->dim; axis++)
            phase += t->offset[axis] * frequency[axis];
        sum += weight * cos(phase);
        if (!t->offset[0] && !t->offset[1] && !t->offset[2])
            centre = weight;
    }
    return sum / centre;
}

/* The symbol of the Laplacian stands in for varying weights. */
static double laplacian_at(const deriver *d, const double *frequency, int coarse)
{
    double sum = 0, all = 0;

    for (int axis = 0; axis < d->p->dim; axis++) {
        const double strength = grid_strength(d, coarse, axis);
        sum += strength * (1 - cos(frequency[axis]));
        all += strength;
    }
    return all > 0 ? sum / all : 0;
}

static double value_at(const deriver *d, const double *frequency, int coarse)
{
    return d->form.constant ? symbol_at(d, frequency, coarse)
                            : laplacian_at(d, frequency, coarse);
}

/* An axis of one point has no oscillation, unless a wall gives a value. */
static int samples_along(const deriver *d, int axis)
{
    const bool fixed = d->fixed >> (2 * axis) & 3;

    return axis < d->p->dim && (fixed || d->p->axis[axis].points > 1) ? SAMPLES : 1;
}

/* True if the next coarser grid represents this frequency: it must be low along every
 * axis halved there. Behind the coarsest grid, a grid with all axes halved is assumed. */
static bool is_seen(const deriver *d, const double *frequency, int coarse)
{
    const unsigned halved = coarse + 1 < d->grids ? d->halved[coarse + 1] : ~0u;

    for (int axis = 0; axis < MAX_DIM; axis++)
        if (halved >> axis & 1 && frequency[axis] >= pi / 2 - 1e-9)
            return false;
    return true;
}

static void sample_all(const deriver *d, solve_spectrum *s, int coarse)
{
    const int n[] = {samples_along(d, 0), samples_along(d, 1), samples_along(d, 2)};
    double high = 0, smooth = HUGE_VAL;

    for (int at = 0; at < n[0] * n[1] * n[2]; at++) {
        const int index[] = {at % n[0], at / n[0] % n[1], at / n[0] / n[1]};
        double frequency[MAX_DIM] = {0};
        for (int axis = 0; axis < MAX_DIM; axis++)
            frequency[axis] = index[axis] * pi / (SAMPLES - 1);
        const double value = value_at(d, frequency, coarse);
        high = fmax(high, value);
        if (!is_seen(d, frequency, coarse))
            smooth = fmin(smooth, value);
    }
    /* a grid of one point; varying weights may differ */
    if (!d->form.constant && high == 0)
        high = 1;
    s->high[coarse] = high;
    s->smooth[coarse] = fmax(fmin(smooth, high), 0.02 * high);
}

/* Frequency of the slowest oscillation along an axis of a grid. */
static double lowest_along(const deriver *d, int axis, int coarse)
{
    const double length = fmax(wall_length(d, axis, coarse), 1);
    const bool low = d->fixed & FACE_BIT(axis, 0), high = d->fixed & FACE_BIT(axis, 1);

    return low && high ? pi / fmax(length, 2) : low || high ? pi / (2 * length) : 0;
}

/* The lowest eigenvalue. For a singular operator: the lowest one of a non-constant
 * function along one axis. */
static double lowest(const deriver *d, int coarse)
{
    double frequency[MAX_DIM] = {0}, least = HUGE_VAL;

    for (int axis = 0; axis < d->p->dim; axis++)
        frequency[axis] = lowest_along(d, axis, coarse);
    if (!d->singular)
        return value_at(d, frequency, coarse);
    for (int axis = 0; axis < d->p->dim; axis++) {
        const double n = (double)grid_extent(d, coarse, axis);
        double alone[MAX_DIM] = {0};
        alone[axis] = d->periodic & FACE_BIT(axis, 0) ? 2 * pi / n : pi / n;
        if (n > 1)
            least = fmin(least, value_at(d, alone, coarse));
    }
    return isfinite(least) ? least : value_at(d, frequency, coarse);
}

void spectrum_find(deriver *d)
{
    solve_spectrum *s = &d->spectrum;

    for (int k = 0; k < d->grids; k++) {
        sample_all(d, s, k);
        s->weakest[k] = strength_weakest(d, k);
        s->low[k] = fmax(lowest(d, k), 1e-9 * s->high[k]);
    }
}

double chebyshev_root(double low, double high, int k, int count)
{
    const double middle = (high + low) / 2, half = (high - low) / 2;

    return 1 / (middle + half * cos(pi * (2 * k + 1) / (2 * count)));
}
