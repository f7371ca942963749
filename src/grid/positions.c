/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions between grid points: neighbours and weights, an axis at a time; the weight of a neighbour
 * is the product over the axes.
 *
 * The windowed sinc is that of Hicks, Arbitrary source and receiver positioning in finite-difference
 * schemes using Kaiser windowed sinc functions, Geophysics 67 (2002): radius 4, b = 6.31, which is
 * best for wavelengths of four points and more. */
#include <math.h>
#include <string.h>

#include "grid/grid.h"

enum { RADIUS = 4, MAX_AN_AXIS = 2 * RADIUS };
static const double kaiser_b = 6.31;
static const double pi = 3.14159265358979323846;
static const double farthest =
    0x1p52; /* beyond it there is nothing between two doubles */

typedef struct axis_weights {
    int count;
    int64_t index[MAX_AN_AXIS];
    double weight[MAX_AN_AXIS];
} axis_weights;

/* The modified Bessel function I0, by its series: every term is positive. */
static double bessel_i0(double x)
{
    const double quarter = x * x / 4;
    double term = 1, sum = 1;

    for (int k = 1; term > 1e-17 * sum; k++) {
        term *= quarter / ((double)k * k);
        sum += term;
    }
    return sum;
}

/* At distance `share` + m, with 0 < share < 1: sin is taken of the share only, or of what it lacks of
 * one, so that it keeps all its digits on either side of a point. */
static double windowed_sinc(double share, int m)
{
    const double distance = share + m;
    const double inside = 1 - distance * distance / (RADIUS * RADIUS);
    const double least = share > 0.5 ? 1 - share : share;
    const double sine = (m % 2 == 0 ? 1 : -1) * sin(pi * least);

    if (inside <= 0)
        return 0;
    return sine / (pi * distance) * bessel_i0(kaiser_b * sqrt(inside)) /
           bessel_i0(kaiser_b);
}

/* Adds a neighbour; one that is there already (a short periodic axis) takes the weight too. */
static void add_neighbour(axis_weights *w, int64_t index, double weight, int64_t extent,
                          bool periodic)
{
    if (periodic) {
        index %= extent;
        index += index < 0 ? extent : 0;
    }
    if (index < 0 || index >= extent)
        return;
    for (int n = 0; n < w->count; n++)
        if (w->index[n] == index) {
            w->weight[n] += weight;
            return;
        }
    w->index[w->count] = index;
    w->weight[w->count++] = weight;
}

static void weigh_axis(double position, int64_t extent, bool periodic, bool sinc,
                       axis_weights *w)
{
    w->count = 0;
    if (!(fabs(position) < farthest))
        return;
    const int64_t below = (int64_t)floor(position);
    const double share = position - floor(position);
    if (share <= 0) {
        add_neighbour(w, below, 1, extent, periodic);
    } else if (sinc) {
        for (int m = RADIUS - 1; m >= -RADIUS; m--)
            add_neighbour(w, below - m, windowed_sinc(share, m), extent, periodic);
    } else {
        add_neighbour(w, below, 1 - share, extent, periodic);
        add_neighbour(w, below + 1, share, extent, periodic);
    }
}

/* x fastest. */
static void multiply(const axis_weights axis[PAV_MAX_DIMENSIONS], point_weights *result)
{
    for (int k = 0; k < axis[2].count; k++)
        for (int j = 0; j < axis[1].count; j++)
            for (int i = 0; i < axis[0].count; i++) {
                const int n = result->count++;
                result->index[n][0] = axis[0].index[i];
                result->index[n][1] = axis[1].index[j];
                result->index[n][2] = axis[2].index[k];
                result->weight[n] = axis[0].weight[i] * axis[1].weight[j] *
                                    axis[2].weight[k];
            }
}

void point_weigh(int dimensions, const int64_t *extent, const bool *periodic,
                 const double *position, bool sinc, point_weights *result)
{
    axis_weights axis[PAV_MAX_DIMENSIONS];

    result->count = 0;
    for (int a = 0; a < PAV_MAX_DIMENSIONS; a++) {
        if (a < dimensions)
            weigh_axis(position[a], extent[a], periodic && periodic[a], sinc, &axis[a]);
        else
            axis[a] = (axis_weights){.count = 1, .weight = {1}};
    }
    multiply(axis, result);
}
