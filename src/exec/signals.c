/* SPDX-License-Identifier: BSD-3-Clause */
/* What is injected from traces of a file: of all positions the same, or of each its
 * own. */
#include "exec/exec.h"

double point_signal(const point_set *set, int64_t row, int64_t step)
{
    const trace_table *t = &set->trace;

    if (!t->value)
        return 1;
    return step < t->rows ? t->value[step * t->columns + (t->columns > 1 ? row : 0)] : 0;
}

int64_t point_row(const point_set *set, int64_t neighbour)
{
    int64_t lo = 0, hi = set->count;

    while (lo + 1 < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (set->first[middle] <= neighbour)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}
