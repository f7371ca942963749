/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes of points. */
#include "domain/domain.h"

bool box_is_inside(const box *b, const box *outer)
{
    bool inside = true;
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++)
        inside = inside && b->lo[axis] >= outer->lo[axis] &&
                 b->hi[axis] <= outer->hi[axis];
    return inside;
}

int64_t box_points(const box *b)
{
    int64_t count = 1;
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++)
        count *= b->hi[axis] > b->lo[axis] ? b->hi[axis] - b->lo[axis] : 0;
    return count;
}

box box_common(const box *a, const box *b)
{
    box common;
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        common.lo[axis] = a->lo[axis] > b->lo[axis] ? a->lo[axis] : b->lo[axis];
        common.hi[axis] = a->hi[axis] < b->hi[axis] ? a->hi[axis] : b->hi[axis];
    }
    return common;
}

box view_points(const view *v)
{
    box b;
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        b.lo[axis] = v->first[axis];
        b.hi[axis] = v->first[axis] + v->extent[axis];
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
