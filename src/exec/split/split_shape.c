/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of subdomains in the fields of a grid that is cut: their points and buffers. */
#include <assert.h>

#include "exec/split/split_private.h"

/* True if the whole and its subdomains are at the same step, with the same numbers of
 * buffers and the same newest one. All operations of a step rely on this. */
bool split_is_in_step(const split *s)
{
    const subdomain *whole = s->whole;
    for (int64_t n = 0; n < whole->inners; n++) {
        const subdomain *inner = &whole->inner[n];
        if (inner->step != whole->step || inner->uniform != whole->uniform)
            return false;
        for (int64_t f = 0; f < whole->code->fields; f++)
            if (inner->field[f].count != whole->field[f].count ||
                inner->field[f].newest != whole->field[f].newest)
                return false;
    }
    return true;
}

/* Subdomains at the lower and upper faces of the grid include the points beyond them. */
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
    const int64_t buffer = v - s->whole->field[field].level;
    assert(buffer >= 0 && buffer < s->whole->field[field].count); /* v is of the whole */
    return buffer;
}

const view *split_view(const split *s, int64_t n, int64_t field, int64_t buffer)
{
    const levels *own = &s->whole->inner[n].field[field];
    assert(n >= 0 && n < s->whole->inners && buffer >= 0 && buffer < own->count);
    return &own->level[buffer];
}
