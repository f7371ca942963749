/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions between grid points: neighbours and weights per axis. The weight of a
 * neighbour is the product over the axes. Weights of an axis sum to 1.
 *
 * The windowed sinc is from Hicks, Arbitrary source and receiver positioning in
 * finite-difference schemes using Kaiser windowed sinc functions, Geophysics 67 (2002):
 * radius 4, b = 6.31, the best value for wavelengths of four points and more. Here the
 * weights are divided by their sum; it differs from 1 by less than 2e-3. Like in the
 * paper, weights outside are folded back onto points inside. */
#include <math.h>
#include <string.h>

#include "domain/domain.h"

/* OUTSIDE: largest distance of a sample's neighbour beyond a face; its weight is
 * folded. */
enum { RADIUS = 4, MAX_AN_AXIS = 2 * RADIUS, OUTSIDE = 1024 };
static const double kaiser_b = 6.31;
static const double farthest = 0x1p52; /* beyond it doubles have no fractions */

typedef struct axis_weights {
    int64_t extent;
    const unsigned *border; /* borders of both sides */
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

/* The windowed sinc at distance `share` + m, with 0 < share < 1, up to a constant factor.
 * The sine is taken of `share` or 1 - share, whichever is smaller, so it keeps all digits
 * close to a point. */
static double windowed_sinc(double share, int m)
{
    const double distance = share + m;
    const double inside = 1 - distance * distance / (RADIUS * RADIUS);
    const double least = share > 0.5 ? 1 - share : share;
    const double sine = (m % 2 == 0 ? 1 : -1) * sin(PI * least);

    return inside <= 0 ? 0 : sine / distance * bessel_i0(kaiser_b * sqrt(inside));
}

/* Adds a point inside the grid. A point already in the list receives the sum of the
 * weights. */
static void add_point(axis_weights *w, int64_t index, double weight)
{
    for (int n = 0; n < w->count; n++)
        if (w->index[n] == index) {
            w->weight[n] += weight;
            return;
        }
    w->index[w->count] = index;
    w->weight[w->count++] = weight;
}

/* Adds a neighbour, mapped by the borders until it lies inside: in a small grid the first
 * image may lie beyond the other side. */
static void add_neighbour(axis_weights *w, int64_t index, double weight)
{
    while (index < 0 || index >= w->extent) {
        const int side = index < 0 ? 0 : 1;
        if (w->border[side] & POINT_STRAIGHT)
            add_point(w, side ? w->extent - 1 : 0, 2 * weight);
        if (w->border[side] & (POINT_STRAIGHT | GHOST_NEGATIVE))
            weight = -weight;
        index = border_image_at(w->border[side], w->extent, index);
    }
    add_point(w, index, weight);
}

static void weigh_axis(double position, bool sinc, axis_weights *w)
{
    const bool periodic = (w->border[0] & GHOST_WRAPS) != 0;

    if (!(fabs(position) < farthest))
        return;
    const double floored = floor(position), share = position - floored;
    const int64_t below = (int64_t)floored % (periodic ? w->extent : INT64_MAX);
    if (!periodic && (below < -OUTSIDE || below >= w->extent + OUTSIDE))
        return;
    if (share <= 0) {
        add_neighbour(w, below, 1);
    } else if (sinc) {
        double weight[MAX_AN_AXIS], sum = 0;
        for (int n = 0; n < MAX_AN_AXIS; n++)
            sum += weight[n] = windowed_sinc(share, RADIUS - 1 - n);
        for (int n = 0; n < MAX_AN_AXIS; n++)
            add_neighbour(w, below + n - (RADIUS - 1), weight[n] / sum);
    } else {
        add_neighbour(w, below, 1 - share);
        add_neighbour(w, below + 1, share);
    }
}

void point_weigh(int dimensions, const int64_t *extent, const point_borders *borders,
                 const double *position, bool sinc, point_weights *result)
{
    axis_weights axis[PAV_MAX_DIMENSIONS];

    result->count = 0;
    for (int a = 0; a < PAV_MAX_DIMENSIONS; a++) {
        axis[a] = (axis_weights){.count = 1, .weight = {1}};
        if (a >= dimensions)
            continue;
        axis[a] = (axis_weights){.extent = extent[a], .border = borders->side[a]};
        weigh_axis(position[a], sinc, &axis[a]);
    }
    /* x fastest. */
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
