/* SPDX-License-Identifier: BSD-3-Clause */
/* differences.c: finite difference weights in exact rational numbers.
 *
 * The nodes lie symmetrically about the point: +-a_j, and 0 for central schemes. With
 *     Q_k(y) = prod over j != k of (y - a_j^2) / (a_k^2 - a_j^2)
 * the polynomial with the value 1 on node a_k and 0 on all other nodes is
 *     (x + a_k)/(2 a_k) * Q_k(x^2),    central: x (x + a_k)/(2 a_k^2) * Q_k(x^2).
 * The weight of the node is the m-th derivative of this polynomial at 0: m! times its
 * coefficient of x^m. For derivatives half a cell off, lengths are in half cells: all a_j
 * are odd integers. */
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

/* The weight of node +a. Node -a has the same weight for even m, and the negative weight
 * for odd m. */
static num pair_weight(const nodes *n, int pair, int m)
{
    const int64_t a = node(n, pair);
    const bool even = m % 2 == 0;
    const int wanted = !n->half && even ? m / 2 - 1 : m / 2;
    const int64_t divisor = !even ? 2 * a : n->half ? 2 : 2 * a * a;
    const num c = coefficient(n, pair, node_square(n, pair), wanted);
    return scaled(num_div(c, num_int(divisor)), n, m);
}

static num centre_weight(const nodes *n, int m)
{
    return m % 2 == 0 ? scaled(coefficient(n, -1, num_int(0), m / 2), n, m) : num_int(0);
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
        *high = pair_weight(&n, pair, m);
        *low = m % 2 == 0 ? *high : num_neg(*high);
        exact = high->exact;
    }
    if (half == 0)
        weight[radius] = centre_weight(&n, m);
    return exact && (half != 0 || weight[radius].exact);
}
