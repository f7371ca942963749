/* SPDX-License-Identifier: BSD-3-Clause */
/* When few states of a run can be kept and all are needed from the last to the first:
 * which to keep, so that the fewest steps are taken again (Griewank and Walther,
 * Algorithm 799: Revolve, ACM TOMS 26, 2000). A run of l steps whose first state is kept,
 * with room for s more, takes, to be at each of its states 0 .. l - 1 in turn,
 *
 *     t(l, s) = min over k of  k + t(l - k, s - 1) + t(k, s),    t(1, s) = 0,
 *             = r*l - C(s + 1 + r, s + 2)                        where C(s + r, s + 1) <
 *             l <= C(s + 1 + r, s + 1). */
#include "imaging/imaging_private.h"

/* C(n, k), or more than any number of steps. */
static int64_t choose(int64_t n, int64_t k)
{
    int64_t product = 1;

    if (k > n - k)
        k = n - k;
    if (k < 0)
        return 0;
    for (int64_t i = 1; i <= k; i++) {
        if (!mul_fits(product, n - k + i, &product))
            return INT64_MAX;
        product /= i;
    }
    return product;
}

int64_t revolve_cost(int64_t steps, int64_t room)
{
    int64_t r = 0, whole;

    while (choose(room + 1 + r, room + 1) < steps)
        r++;
    if (!mul_fits(r, steps, &whole))
        return INT64_MAX;
    return whole - choose(room + 1 + r, room + 2);
}

int64_t revolve_advance(int64_t steps, int64_t room)
{
    const int64_t least = revolve_cost(steps, room);

    if (room < 1 || steps < 2)
        return steps - 1;
    for (int64_t k = 1; k < steps - 1; k++)
        if (k + revolve_cost(steps - k, room - 1) + revolve_cost(k, room) == least)
            return k;
    return steps - 1;
}
