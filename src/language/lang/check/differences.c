/* SPDX-License-Identifier: BSD-3-Clause */
/* Finite difference weights in exact rational numbers.
 *
 * The nodes lie symmetrically about the point: +-a_j, and 0 for central schemes. With
 * Q_k(y) = prod over j != k of (y - a_j^2) / (a_k^2 - a_j^2) the polynomial with the
 * value 1 on node a_k and 0 on all other nodes is (x + a_k)/(2 a_k) * Q_k(x^2), central:
 * x (x + a_k)/(2 a_k^2) * Q_k(x^2). The weight of the node is the m-th derivative of
 * this polynomial at 0: m! times its coefficient of x^m. For derivatives half a cell
 * off, lengths are in half cells: all a_j are odd integers. */
#include <math.h>

#include "lang/lang.h"

enum { MAX_DERIVATIVE = 12 };

typedef struct nodes {
    int pairs;
    bool half;
} nodes;

static int64_t node(const nodes *n, int pair)
{
    return n->half ? 2 * pair + 1 : pair + 1;
}

static num node_square(const nodes *n, int pair)
{
    return num_int(node(n, pair) * node(n, pair));
}

/* Multiplies the polynomial c by (y - square)/divisor, for its terms from `lowest` to
 * `wanted`. */
static void multiply_factor(num *c, int lowest, int wanted, num square, num divisor)
{
    for (int t = wanted; t >= lowest; t--) {
        const num shifted = t > 0 ? c[t - 1] : num_int(0);
        c[t] = num_div(num_sub(shifted, num_mul(c[t], square)), divisor);
    }
}

/* The coefficient of y^wanted in prod over pairs j != skip of (y - a_j^2)/(square -
 * a_j^2). Higher powers are not computed: they are not needed, and could overflow. */
static num coefficient(const nodes *n, int skip, num square, int wanted)
{
    num c[MAX_DERIVATIVE];
    int left = n->pairs - (skip >= 0);
    if (wanted < 0 || wanted > left)
        return num_int(0);
    for (int t = 0; t <= wanted; t++)
        c[t] = num_int(t == 0);
    for (int j = 0; j < n->pairs; j++) {
        if (j == skip)
            continue;
        const num other = node_square(n, j);
        left--;
        multiply_factor(c, wanted > left ? wanted - left : 0, wanted, other,
                        num_sub(square, other));
    }
    return c[wanted];
}

/* Multiplies by m!, and converts from half cells to cells. */
static num scaled(num c, const nodes *n, int m)
{
    for (int i = 1; i <= m; i++)
        c = num_mul(c, num_int(n->half ? 2 * i : i));
    return c;
}

bool difference_taps(int m, int order, int half, int *first, int *count)
{
    const int radius = half == 0 ? (order + 2 * ((m + 1) / 2) - 2) / 2
                                 : order / 2 + m / 2;
    if (m > MAX_DERIVATIVE || radius > MAX_OFFSET)
        return false;
    *count = 2 * radius + (half == 0);
    *first = half > 0 ? 1 - radius : -radius;
    return true;
}

bool difference_weights(int m, int order, int half, num *weight, int *first, int *count)
{
    if (!difference_taps(m, order, half, first, count))
        return false;
    const int radius = *count / 2;
    const nodes n = {radius, half != 0};
    bool exact = true;
    for (int pair = 0; pair < radius && exact; pair++) {
        num *low = &weight[radius - 1 - pair], *high = &weight[*count - radius + pair];
        const int64_t a = node(&n, pair);
        const bool even = m % 2 == 0;
        const int wanted = !n.half && even ? m / 2 - 1 : m / 2;
        const int64_t divisor = !even ? 2 * a : n.half ? 2 : 2 * a * a;
        const num c = coefficient(&n, pair, node_square(&n, pair), wanted);

        *high = scaled(num_div(c, num_int(divisor)), &n, m);
        *low = m % 2 == 0 ? *high : num_neg(*high);
        exact = high->exact;
    }
    if (half == 0)
        weight[radius] = m % 2 == 0
                             ? scaled(coefficient(&n, -1, num_int(0), m / 2), &n, m)
                             : num_int(0);
    return exact && (half != 0 || weight[radius].exact);
}

/* ---- stretched axes ---------------------------------------------------------------- */

/* Stretched axes: positions of their points, and weights of derivatives there (Fornberg,
 * Generation of finite difference formulas on arbitrarily spaced grids, 1988). All
 * arithmetic is in doubles and in a fixed order, so the results are bitwise identical on
 * every machine. */

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

    return i >= 0 && i < g->points ? g->at[i] : g->around ? around(g, i) : mirrored(g, i);
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
