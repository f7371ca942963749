/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory traffic and arithmetic of a stage in one step, counted from the IR. */
#include "cost/cost.h"

static double reads_of(const ir_stage *s)
{
    double reads = 0;
    for (int64_t k = 0; k < s->count; k++)
        reads += s->node[k].op == IR_LOAD;
    return reads;
}

/* Bytes of a point; a field read at several points counts once. */
static double again_of(const ir *code, const ir_stage *s)
{
    double bytes = 0;
    for (int f = 0; f < code->fields; f++) {
        bool is_read = false;
        for (int64_t k = 0; k < s->count && !code->field[f].updated; k++)
            is_read |= s->node[k].op == IR_LOAD && s->node[k].field == f;
        bytes += is_read ? (double)pav_type_size(code->field[f].storage) : 0;
    }
    return bytes;
}

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
        .reads = reads_of(s),
        .again = again_of(code, s),
        .bytes = (double)(analysis.bytes_read + analysis.bytes_written),
    };
    return status;
}
