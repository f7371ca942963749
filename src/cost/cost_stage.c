/* SPDX-License-Identifier: BSD-3-Clause */
/* What one launch of a stage on a GPU moves. */
#include "cost/cost.h"

static emit_gpu_work work_of(const box *b, const emit_gpu_kernel *k)
{
    emit_gpu_work w = {.planes = k->schedule.planes > 0 ? k->schedule.planes
                                                        : COST_FIRST_PLANES};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        w.lo[axis] = b->lo[axis];
        w.hi[axis] = b->hi[axis];
    }
    return w;
}

pav_status cost_stage_bytes(const ir *code, const ir_stage *stage,
                            const schedule *requested, schedule *settled, double *bytes)
{
    const box b = ir_stage_box(code, stage);
    emit_gpu_kernel k;
    *bytes = 0;
    TRY(emit_gpu_kernel_of(code, stage, requested, &k));
    const emit_gpu_work w = work_of(&b, &k);
    *settled = k.schedule;
    emit_gpu_leave_defaults(code, stage, settled);
    const pav_status status = box_is_empty(&b)
                                  ? PAV_OK
                                  : emit_gpu_footprint(code, stage, &k, &w, bytes);
    emit_gpu_kernel_free(&k);
    return status;
}
