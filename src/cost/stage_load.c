/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stage moves and computes in one step, counted from the IR. */
#include "cost/cost.h"

pav_status stage_load_of(const ir *code, const ir_stage *s, stage_load *load)
{
    ir_analysis analysis = {0};
    pav_status status = PAV_ENOMEM;
    arena *a = arena_new();
    if (a)
        ARENA_GUARD(a, status, (ir_analyse(code, s, a, &analysis), PAV_OK));
    arena_free(a);
    *load = (stage_load){
        .points = (double)analysis.points,
        .flops = (double)analysis.cost.flops,
        .streamed = (double)analysis.cost.streamed,
        .instructions = (double)analysis.cost.instructions,
        .bytes = (double)(analysis.bytes_read + analysis.bytes_written),
    };
    return status;
}
