/* SPDX-License-Identifier: BSD-3-Clause */
/* Between which bounds the eigenvalues of the operator lie, divided by its diagonal.
 * Where weights are constant its symbol says: the sum of weight * cos(offset . frequency)
 * at frequencies up to pi. */
#include <math.h>

#include "solve/solve_private.h"

enum { SAMPLES = 17 }; /* along each axis, from 0 to pi */
static const double pi = 3.14159265358979323846;

static double symbol_at(const deriver *d, const double *frequency)
{
    double sum = 0;

    for (int64_t k = 0; k < d->form.count; k++) {
        const solve_tap *t = &d->form.tap[k];
        double phase = 0;
        for (int axis = 0; axis < d->p->dim; axis++)
            phase += t->offset[axis] * frequency[axis];
        sum += t->value * cos(phase);
    }
    return sum / d->form.diagonal;
}

/* The laplacian's, as a stand-in where weights differ from point to point. */
static double laplacian_at(const deriver *d, const double *frequency)
{
    double sum = 0;
    int axes = 0;

    for (int axis = 0; axis < d->p->dim; axis++)
        if (d->p->axis[axis].points > 1) {
            sum += 1 - cos(frequency[axis]);
            axes++;
        }
    return sum / int_most(axes, 1);
}

static double value_at(const deriver *d, const double *frequency)
{
    return d->form.constant ? symbol_at(d, frequency) : laplacian_at(d, frequency);
}

/* An axis of one point has no oscillation. */
static int samples_along(const deriver *d, int axis)
{
    return axis < d->p->dim && d->p->axis[axis].points > 1 ? SAMPLES : 1;
}

static void sample_all(const deriver *d, solve_spectrum *s)
{
    const int n[] = {samples_along(d, 0), samples_along(d, 1), samples_along(d, 2)};

    for (int at = 0; at < n[0] * n[1] * n[2]; at++) {
        const int index[] = {at % n[0], at / n[0] % n[1], at / n[0] / n[1]};
        double frequency[MAX_DIM] = {0}, most = 0;
        for (int axis = 0; axis < MAX_DIM; axis++) {
            frequency[axis] = index[axis] * pi / (SAMPLES - 1);
            most = fmax(most, frequency[axis]);
        }
        const double value = value_at(d, frequency);
        s->high = fmax(s->high, value);
        if (most >= pi / 2 - 1e-9)
            s->smooth = fmin(s->smooth, value);
    }
}

/* The lowest oscillation along an axis of a grid. */
static double lowest_along(const deriver *d, int axis, int coarse)
{
    const double length = fmax(wall_length(d, axis, coarse), 1);
    const bool low = d->fixed & FACE_BIT(axis, 0), high = d->fixed & FACE_BIT(axis, 1);

    if (d->p->axis[axis].points <= 1)
        return 0;
    return low && high ? pi / fmax(length, 2) : low || high ? pi / (2 * length) : 0;
}

/* Of a singular operator the lowest that is no constant. */
static double lowest(const deriver *d, int coarse)
{
    double frequency[MAX_DIM] = {0}, longest = pi;
    int axis_of_longest = 0;

    for (int axis = 0; axis < d->p->dim; axis++) {
        const double n = (double)coarse_extent(d->p, coarse, axis);
        const double wave = d->periodic & FACE_BIT(axis, 0) ? 2 * pi / n : pi / n;
        frequency[axis] = lowest_along(d, axis, coarse);
        if (n > 1 && wave < longest) {
            longest = wave;
            axis_of_longest = axis;
        }
    }
    if (d->singular)
        frequency[axis_of_longest] = longest;
    return value_at(d, frequency);
}

void spectrum_find(deriver *d)
{
    solve_spectrum s = {.smooth = HUGE_VAL};

    sample_all(d, &s);
    s.smooth = fmax(fmin(s.smooth, s.high), 0.02 * s.high);
    for (int k = 0; k < MOST_GRIDS; k++)
        s.low[k] = fmax(lowest(d, k), 1e-9 * s.high);
    d->spectrum = s;
}

double chebyshev_root(double low, double high, int k, int count)
{
    const double middle = (high + low) / 2, half = (high - low) / 2;

    return 1 / (middle + half * cos(pi * (2 * k + 1) / (2 * count)));
}
