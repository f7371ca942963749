/* SPDX-License-Identifier: BSD-3-Clause */
enum { FOLD_SUM, FOLD_MIN, FOLD_MAX };

/* Two neighbours of the fixed tree; NaN on either side wins. */
INLINE double joined(int kind, double a, double b)
{
    if (kind == FOLD_SUM)
        return a + b;
    if (kind == FOLD_MIN)
        return a < b || a != a ? a : b;
    return a > b || a != a ? a : b;
}
