/* SPDX-License-Identifier: BSD-3-Clause */
/* The legality of fused launches, and facts for their calls. */
#include <stdio.h>
#include <string.h>

#include "codegen/gpu/time/fused_private.h"

pav_status cuda_accept_launch(const ir *code, const schedule *s, const gpu_facts *machine,
                              text *why)
{
    const gpu_facts *f = machine ? machine : cuda_reference();
    fused_plan p;

    TRY(fused_plan_open(code, s, f, &p));
    if (p.refusal)
        text_add(why, "%s", p.refusal);
    else if (p.shared > f->shared_block)
        text_add(why, "a block takes %lld bytes of shared memory, and has %d",
                 (long long)p.shared, f->shared_block);
    fused_plan_close(&p);
    return PAV_OK;
}

static pav_status refuse(const fused_plan *p)
{
    return FAIL(PAV_EUNSUPPORTED, "%s cannot take several steps in one launch: %s",
                p->code->program->name, p->refusal);
}

void fused_describe_sweeps(const fused_plan *p, emit_gpu_fused *fused)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int around = axis > p->axis ? 0 : fused_overlap(p, axis);
        fused->around[axis] = around;
        fused->useful[axis] = axis < p->axis ? fused_points(p, axis) - 2 * around : 1;
    }
}

static pav_status describe(const fused_plan *p, emit_gpu_fused *fused)
{
    *fused = (emit_gpu_fused){.schedule = p->schedule,
                              .sweeps = p->of->sweeps,
                              .shared = p->shared,
                              .least = p->in_registers ? p->schedule.tile.steps
                                                       : fused_least(p),
                              .signal_bytes = p->common_bytes,
                              .most = p->schedule.tile.steps,
                              .ahead = fused_prefetch_planes(p),
                              .registers = p->in_registers ? fused_register_words(p) : 0};
    fused->together = p->in_registers && p->axis == 1 ? p->schedule.tile.size[1] : 1;
    p->of->describe(p, fused);
    return fused_slots(p, fused);
}

pav_status emit_gpu_fused_of(const ir *code, const schedule *requested,
                             const gpu_facts *gpu, emit_gpu_fused *fused)
{
    fused_plan p;

    *fused = (emit_gpu_fused){0};
    TRY(fused_plan_open(code, requested, gpu, &p));
    pav_status status = p.refusal ? refuse(&p) : describe(&p, fused);
    fused_plan_close(&p);
    if (status != PAV_OK)
        emit_gpu_fused_free(fused);
    return status;
}

void emit_gpu_fused_free(emit_gpu_fused *fused)
{
    for (int64_t n = 0; n < fused->stages; n++)
        emit_gpu_kernel_free(&fused->numbers[n]);
    mem_free(fused->slot);
    mem_free(fused->part);
    mem_free((void *)fused->sample);
    mem_free(fused->table);
    mem_free(fused->stage);
    mem_free(fused->numbers);
    *fused = (emit_gpu_fused){0};
}

void emit_gpu_fused_name(char name[EMIT_NAME], int64_t which)
{
    (void)snprintf(name, EMIT_NAME, "pav_fused_%lld", (long long)which);
}

pav_status emit_gpu_fused_fit(const ir *code, const gpu_facts *gpu, schedule *requested)
{
    fused_plan p;

    TRY(fused_plan_open(code, requested, gpu, &p));
    const pav_status status = p.refusal ? refuse(&p) : PAV_OK;
    memcpy(requested->device.size, p.schedule.device.size, sizeof requested->device.size);
    requested->tile.steps = p.schedule.tile.steps;
    requested->buffers = p.schedule.buffers;
    if (code->dim == 2)
        requested->thread.size[1] = p.schedule.thread.size[1];
    fused_plan_close(&p);
    return status;
}

/* Puts all blocks in one row, like sweep_of_block of kernel_registers.cuh. */
static void put_in_one_row(const emit_gpu_fused_work *w, int64_t blocks[3])
{
    const int64_t others = blocks[0] * blocks[1] - w->tiles;

    blocks[0] = w->tiles * blocks[2] +
                (others > 0 ? others * int_parts(w->end - w->begin, w->tail) : 0);
    blocks[1] = blocks[2] = 1;
}

void emit_gpu_fused_extent(const ir *code, const emit_gpu_fused *fused,
                           const emit_gpu_fused_work *w, int64_t blocks[3],
                           int threads[3])
{
    cuda_launch_kind_of(fused->schedule.kind)->extent(code, fused, w, blocks, threads);
}

void fused_extent_of_sweeps(const ir *code, const emit_gpu_fused *fused,
                            const emit_gpu_fused_work *w, int64_t blocks[3],
                            int threads[3])
{
    const int axis = code->dim - 1;

    for (int n = 0; n < MAX_DIM; n++) {
        blocks[n] = n < axis ? int_parts(w->extent[n], (int64_t)fused->useful[n] *
                                                           (n == 0 ? fused->together : 1))
                             : 1;
        threads[n] = n < 2 ? fused->schedule.tile.size[n] : 1;
    }
    blocks[axis] = int_parts(w->end - w->begin, w->planes);
    if (axis == 2 && fused->schedule.tile.storage == STORAGE_REGISTERS)
        put_in_one_row(w, blocks);
}
