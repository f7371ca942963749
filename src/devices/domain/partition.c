/* SPDX-License-Identifier: BSD-3-Clause */
/* How a box of points is shared among the threads of a team. Who touches memory first and
 * who computes there later share in the same way, so that on machines with several
 * memories each thread finds what it needs in the one that is near. */
#include "domain/domain.h"

enum { EVEN = 16 }; /* rows or planes a thread: one more or less is little */

static int64_t width(const box *b, int axis)
{
    return b->hi[axis] - b->lo[axis];
}

int partition_axis(const box *b, int parts)
{
    int longest = 2;

    for (int axis = 2; axis >= 0; axis--) {
        if (axis > 0 && width(b, axis) >= EVEN * (int64_t)parts)
            return axis;
        if (width(b, axis) > width(b, longest))
            longest = axis;
    }
    return longest;
}

/* Where part n begins; along x only where a piece does. */
static int64_t cut(const box *b, int axis, int64_t parts, int64_t n)
{
    const int64_t lo = b->lo[axis], all = width(b, axis);
    const int64_t at = lo + all / parts * n + all % parts * n / parts;
    const int64_t piece = at & -(int64_t)PARTITION_PIECE;

    if (axis > 0 || n == parts)
        return at;
    return piece > lo ? piece : lo;
}

bool partition_box(const box *b, int axis, int64_t parts, int64_t n, box *part)
{
    *part = *b;
    part->lo[axis] = cut(b, axis, parts, n);
    part->hi[axis] = cut(b, axis, parts, n + 1);
    return part->lo[axis] < part->hi[axis];
}
