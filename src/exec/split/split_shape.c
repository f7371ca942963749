/* SPDX-License-Identifier: BSD-3-Clause */
/* What subdomains of a grid that is cut have of its fields: their points and their
 * buffers. */
#include "exec/split/split_private.h"

/* Lower and upper faces of the grid have what lies beyond them. */
box split_share(const split *s, int64_t n, int coarse, const box *all)
{
    const subdomain_grid *inner = &s->whole->inner[n].grid[coarse];
    box share = *all;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        if (inner->seam[axis][0] && share.lo[axis] < inner->box.lo[axis])
            share.lo[axis] = inner->box.lo[axis];
        if (inner->seam[axis][1] && share.hi[axis] > inner->box.hi[axis])
            share.hi[axis] = inner->box.hi[axis];
    }
    return share;
}

int split_coarse(const split *s, int64_t field)
{
    return s->whole->code->field[field].coarse;
}

bool split_has_all(const split *s, int64_t field)
{
    return s->whole->inner[0].grid[split_coarse(s, field)].all;
}

int64_t split_buffer(const split *s, int64_t field, const view *v)
{
    return v - s->whole->field[field].level;
}

const view *split_view(const split *s, int64_t n, int64_t field, int64_t buffer)
{
    return &s->whole->inner[n].field[field].level[buffer];
}
