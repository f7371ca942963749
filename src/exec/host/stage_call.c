/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks and work before a kernel of a stage is called, on any device. */
#include "exec/host/host.h"

/* The reads of a stage grow with its box, so a box inside a checked box needs no
 * check. */
pav_status stage_fits(const interp_args *args, box *checked)
{
    if (box_is_inside(&args->box, checked))
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
