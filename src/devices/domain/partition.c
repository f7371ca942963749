/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes of points, and their shares for the threads of a team. Threads touch memory first
 * and compute there later by the same shares. So on machines with several memories each
 * thread finds its points in the near one. */
#include "domain/domain.h"

/* ---- boxes ------------------------------------------------------------------------- */

bool box_is_inside(box b, box outer)
{
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++)
        if (b.lo[axis] < outer.lo[axis] || b.hi[axis] > outer.hi[axis])
            return false;
    return true;
}

int64_t box_points(box b)
{
    int64_t count = 1;
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++)
        count *= b.hi[axis] > b.lo[axis] ? b.hi[axis] - b.lo[axis] : 0;
    return count;
}

box box_common(box a, box b)
{
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        a.lo[axis] = b.lo[axis] > a.lo[axis] ? b.lo[axis] : a.lo[axis];
        a.hi[axis] = b.hi[axis] < a.hi[axis] ? b.hi[axis] : a.hi[axis];
    }
    return a;
}

box box_along(box b, int axis, int64_t lo, int64_t hi)
{
    b.lo[axis] = lo;
    b.hi[axis] = hi;
    return b;
}

box box_moved(box b, const int64_t *by)
{
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++)
        b = box_along(b, axis, b.lo[axis] + by[axis], b.hi[axis] + by[axis]);
    return b;
}

box view_points(const view *v)
{
    box b;
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        b.lo[axis] = view_first(v, axis);
        b.hi[axis] = b.lo[axis] + v->extent[axis];
    }
    return b;
}

box view_window(const view *v)
{
    box b = view_points(v);
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        b.lo[axis] -= v->halo[axis][0];
        b.hi[axis] += v->halo[axis][1];
    }
    return b;
}

box point_box(const int64_t *point)
{
    box here;

    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        here.lo[axis] = point[axis];
        here.hi[axis] = point[axis] + 1;
    }
    return here;
}

void box_add_point(box *b, const int64_t *point)
{
    const bool first = box_is_empty(b);

    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        if (first || point[axis] < b->lo[axis])
            b->lo[axis] = point[axis];
        if (first || point[axis] >= b->hi[axis])
            b->hi[axis] = point[axis] + 1;
    }
}

/* ---- shares ------------------------------------------------------------------------ */

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

/* The first point of part n. Along x parts begin with a whole piece. */
static int64_t cut(const box *b, int axis, int64_t parts, int64_t n)
{
    const int64_t lo = b->lo[axis], all = width(b, axis);
    const int64_t at = lo + all / parts * n + all % parts * n / parts;
    const int64_t piece = at & -(int64_t)PARTITION_PIECE;

    return axis > 0 || n == parts ? at : piece > lo ? piece : lo;
}

bool partition_box(const box *b, int axis, int64_t parts, int64_t n, box *part)
{
    *part = box_along(*b, axis, cut(b, axis, parts, n), cut(b, axis, parts, n + 1));
    return part->lo[axis] < part->hi[axis];
}
