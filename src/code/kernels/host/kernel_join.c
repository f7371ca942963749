/* SPDX-License-Identifier: BSD-3-Clause */
enum { REDUCE_SUM, REDUCE_MIN, REDUCE_MAX };

/* Joins two neighbours of the fixed tree; a NaN on either side wins. */
INLINE double joined(int kind, double a, double b)
{
    if (kind == REDUCE_SUM)
        return a + b;
    if (kind == REDUCE_MIN)
        return a < b || a != a ? a : b;
    return a > b || a != a ? a : b;
}
