/* SPDX-License-Identifier: BSD-3-Clause */
/* Time, and the median of times. */
#include <stdlib.h>
#include <time.h>

#include "base/base.h"

double clock_seconds(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Sorts NaN last, so the order is total. */
static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    if (a < b || a > b)
        return a < b ? -1 : 1;
    return (a != a) - (b != b);
}

double median(double *values, int64_t count)
{
    if (count < 1)
        return 0;
    qsort(values, (size_t)count, sizeof *values, compare);
    const double upper = values[count / 2];
    return count % 2 ? upper
                     : values[count / 2 - 1] + (upper - values[count / 2 - 1]) / 2;
}
