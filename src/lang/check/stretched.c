/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretched axes: positions of their points, and weights of derivatives there (Fornberg,
 * Generation of finite difference formulas on arbitrarily spaced grids, 1988). All
 * arithmetic is in doubles and in a fixed order, so the results are bitwise identical on
 * every machine. */
#include <math.h>

#include "lang/lang.h"

enum { MOST_NODES = 64, MOST_DERIVATIVE = 12 }; /* of order 32 at most */

bool axis_stretched(const program *p, int axis)
{
    return p->axis[axis].at;
}

/* Quotient and remainder of i by `all`, rounded down. */
static int64_t divide(int64_t i, int64_t all, int64_t *left)
{
    const int64_t times = i >= 0 ? i / all : -((all - 1 - i) / all);

    *left = i - times * all;
    return times;
}

/* Index mirrored at both ends, repeatedly. */
static double mirrored(const axis_grid *g, int64_t i)
{
    const int64_t last = g->points - 1;
    const double length = g->at[last] - g->at[0];
    int64_t left;
    const int64_t times = divide(i, 2 * last, &left);
    const double inside = left <= last ? g->at[left]
                                       : 2 * g->at[last] - g->at[2 * last - left];

    return times ? inside + 2 * length * (double)times : inside;
}

static double around(const axis_grid *g, int64_t i)
{
    int64_t left;
    const int64_t times = divide(i, g->points, &left);

    return g->at[left] + (double)times * (g->at[g->points] - g->at[0]);
}

double axis_coordinate(const program *p, int axis, int coarse, int64_t index)
{
    const axis_grid *g = &p->axis[axis];
    const int64_t i = index * (INT64_C(1) << coarse_shift(p, coarse, axis));

    if (i >= 0 && i < g->points)
        return g->at[i];
    return g->around ? around(g, i) : mirrored(g, i);
}

double axis_width(const program *p, int axis, int coarse, int64_t index)
{
    return (axis_coordinate(p, axis, coarse, index + 1) -
            axis_coordinate(p, axis, coarse, index - 1)) /
           2;
}

static double middle(const program *p, int axis, int coarse, int64_t index)
{
    const double a = axis_coordinate(p, axis, coarse, index);

    return a + (axis_coordinate(p, axis, coarse, index + 1) - a) / 2;
}

/* Weights of the m-th derivative at 0 for values at node[0 .. count - 1]. The nodes are
 * added one by one, and the weights of all lower derivatives are updated each time. */
static void weigh(const double *node, int count, int m, double *weight)
{
    double c[MOST_NODES][MOST_DERIVATIVE + 1] = {{1}}, product = 1;

    for (int i = 1; i < count; i++) {
        const double before = product;
        const int most = i < m ? i : m;
        product = 1;
        for (int j = 0; j < i; j++) {
            const double apart = node[i] - node[j];
            product *= apart;
            if (j == i - 1)
                for (int k = most; k >= 0; k--)
                    c[i][k] = before * ((k ? k * c[j][k - 1] : 0) - node[j] * c[j][k]) /
                              product;
            for (int k = most; k >= 0; k--)
                c[j][k] = (node[i] * c[j][k] - (k ? k * c[j][k - 1] : 0)) / apart;
        }
    }
    for (int i = 0; i < count; i++)
        weight[i] = c[i][m];
}

void axis_weights(const program *p, int axis, int coarse, int64_t index, int m, int order,
                  int half, double *weight)
{
    const double here = half > 0 ? middle(p, axis, coarse, index)
                                 : axis_coordinate(p, axis, coarse, index);
    double node[MOST_NODES];
    int first, count;

    if (!difference_taps(m, order, half, &first, &count) || count > MOST_NODES)
        return;
    for (int k = 0; k < count; k++) {
        const int64_t at = index + first + k;
        node[k] = (half < 0 ? middle(p, axis, coarse, at)
                            : axis_coordinate(p, axis, coarse, at)) -
                  here;
    }
    weigh(node, count, m, weight);
}

double axis_index(const program *p, int axis, double coordinate)
{
    const axis_grid *g = &p->axis[axis];
    int64_t low = 0, high = g->points - (g->around ? 0 : 1);

    while (high - low > 1) {
        const int64_t mid = low + (high - low) / 2;
        if (g->at[mid] <= coordinate)
            low = mid;
        else
            high = mid;
    }
    return (double)low + (coordinate - g->at[low]) / (g->at[high] - g->at[low]);
}
