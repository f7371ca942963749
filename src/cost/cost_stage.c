/* SPDX-License-Identifier: BSD-3-Clause */
/* Model of one launch of a stage on a GPU: its memory traffic, and the time it waits for
 * planes. */
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

/* ---- waiting ----------------------------------------------------------------------- */

static int64_t blocks_at_once(const ir *code, const ir_stage *stage,
                              const emit_gpu_kernel *k, const gpu_facts *gpu,
                              int64_t threads, int64_t shared)
{
    const gpu_architecture *a = gpu_facts_architecture(gpu);
    const gpu_costs *costs = gpu_costs_of(gpu);
    const schedule *s = &k->schedule;
    const int64_t planes = shared > 0 ? (int64_t)costs->shared_registers *
                                            s->thread.size[0] * s->thread.size[1]
                                      : emit_gpu_sweep_registers(code, stage, s);
    const int64_t each = int64_least(costs->registers + planes, GPU_THREAD_REGISTERS);
    int64_t blocks = int64_least(a->registers / (each * threads), a->threads / threads);
    if (shared > 0)
        blocks = int64_least(blocks,
                             gpu->shared_multiprocessor / (shared + GPU_BLOCK_RESERVED));
    return int64_most(blocks, 1);
}

static double plane_seconds(const ir *code, const emit_gpu_kernel *k,
                            const stage_load *load, const gpu_costs *costs)
{
    enum { POINTS = 4 };
    const schedule *s = &k->schedule;
    const double packs = (double)s->thread.size[0] * s->thread.size[1] / POINTS;
    const double work = (load->instructions + load->reads) * packs *
                        (code->dim < 3 ? costs->flat_work : costs->deep_work);
    const double seconds = costs->plane + costs->level * (double)k->slots + work;
    if (s->tile.storage == STORAGE_REGISTERS)
        return seconds * costs->exchanged;
    return s->tile.storage == STORAGE_SHARED && s->tile.copy != COPY_TMA
               ? seconds * costs->copied
               : seconds;
}

/* Planes loaded by a block, including those before its first and after its last plane. */
static int64_t planes_of(const ir *code, const cost_load *load, const emit_gpu_work *w,
                         const emit_gpu_kernel *k)
{
    if (k->schedule.kind == SCHEDULE_POINT)
        return 1;
    return w->planes + (code->dim < 3 ? load->rows : load->planes) - 1;
}

static pav_status waits_of(const ir *code, const ir_stage *stage,
                           const emit_gpu_kernel *k, const gpu_facts *gpu,
                           double *seconds)
{
    const box b = ir_stage_box(code, stage);
    const emit_gpu_work w = work_of(&b, k);
    int64_t blocks[MAX_DIM], shared;
    int threads[MAX_DIM];
    stage_load load;
    cost_load levels;
    TRY(stage_load_of(code, stage, &load));
    TRY(cost_load_of_stage(code, stage, &levels));
    emit_gpu_extent(code, k, &w, blocks, threads, &shared);
    const int64_t each = (int64_t)threads[0] * threads[1] * threads[2];
    const int64_t at_once = gpu->multiprocessors *
                            blocks_at_once(code, stage, k, gpu, each, shared);
    *seconds = (double)int_parts(blocks[0] * blocks[1] * blocks[2], at_once) *
               (double)planes_of(code, &levels, &w, k) *
               plane_seconds(code, k, &load, gpu_costs_of(gpu));
    return PAV_OK;
}

pav_status cost_stage_waits(const ir *code, const ir_stage *stage,
                            const schedule *requested, const gpu_facts *gpu,
                            double *seconds)
{
    const box b = ir_stage_box(code, stage);
    emit_gpu_kernel k;
    *seconds = 0;
    if (box_is_empty(&b))
        return PAV_OK;
    TRY(emit_gpu_kernel_of(code, stage, requested, &k));
    const pav_status status = waits_of(code, stage, &k, gpu, seconds);
    emit_gpu_kernel_free(&k);
    return status;
}
