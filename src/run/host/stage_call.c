/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done before a kernel of a stage is called, on whatever device. */
#include "run/run_private.h"

bool box_is_empty(const box *b)
{
    return b->lo[0] >= b->hi[0] || b->lo[1] >= b->hi[1] || b->lo[2] >= b->hi[2];
}

bool box_is_same(const box *a, const box *b)
{
    bool same = true;
    for (int axis = 0; axis < MAX_DIM; axis++)
        same = same && a->lo[axis] == b->lo[axis] && a->hi[axis] == b->hi[axis];
    return same;
}

int64_t box_points(const box *b)
{
    int64_t count = 1;
    for (int axis = 0; axis < MAX_DIM; axis++)
        count *= b->hi[axis] > b->lo[axis] ? b->hi[axis] - b->lo[axis] : 0;
    return count;
}

static bool is_inside(const box *b, const box *outer)
{
    bool inside = true;
    for (int axis = 0; axis < MAX_DIM; axis++)
        inside = inside && b->lo[axis] >= outer->lo[axis] &&
                 b->hi[axis] <= outer->hi[axis];
    return inside;
}

/* What a stage reaches grows with its box, so a box inside a good one is good. */
pav_status stage_fits(const interp_args *args, box *checked)
{
    if (is_inside(&args->box, checked))
        return PAV_OK;
    TRY(interp_check(args));
    *checked = args->box;
    return PAV_OK;
}

bool stage_grids(const interp_args *args, const emit_slot *slot, int64_t slots,
                 emit_grid *grid)
{
    for (int64_t k = 0; k < slots; k++) {
        const view *v = args->view[slot[k].field][1 - slot[k].level];
        if (!v || v->type != args->code->field[slot[k].field].storage)
            return false;
        grid[k] = (emit_grid){v->data, v->stride[1], v->stride[2]};
        for (int64_t other = 0; other < k; other++)
            if (grid[other].data == v->data && (slot[k].stored || slot[other].stored))
                return false;
    }
    return true;
}

pav_status stage_before(const interp_args *args)
{
    interp_args before = *args;
    if (args->stage->before < 0)
        return PAV_OK;
    before.stage = &args->code->stage[args->stage->before];
    return interp_stage(&before);
}
