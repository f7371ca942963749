/* SPDX-License-Identifier: BSD-3-Clause */
/* The comment above each kernel: its schedule, tile, halo, shared memory, registers. It
 * omits the grid's size, so that kernels with equal code have equal text. */
#include "codegen/gpu/time/fused_private.h"

/* Registers of a thread on the reference GPU, if `blocks` blocks share a
 * multiprocessor. */
static int most_registers(int threads, int blocks)
{
    const gpu_architecture *a = gpu_facts_architecture(cuda_reference());
    const int share = a->registers / (threads * int_most(blocks, 1));

    return int_least(share, GPU_THREAD_REGISTERS);
}

void cuda_stage_header(const ir *code, const ir_stage *stage, const emit_gpu_kernel *k,
                       text *t)
{
    const schedule *s = &k->schedule;
    const int threads = s->tile.size[0] * s->tile.size[1];
    const int64_t shared = k->shared + k->fixed;

    text_add(t, "\n/* ");
    schedule_print(s, t);
    text_add(t, ": blocks of %d x %d threads, of %d x %d points each", s->tile.size[0],
             s->tile.size[1], s->thread.size[0], s->thread.size[1]);
    emit_halo_text(code, stage, t);
    text_add(t, ";\n * %lld bytes of shared memory, at most %d registers a thread",
             (long long)shared, most_registers(threads, s->blocks));
    text_add(t, ";\n * ");
    emit_bytes_text(code, k->slot, k->slots, t);
    text_add(t, ". */");
}

static void add_tile(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    for (int axis = 0; axis <= p->axis; axis++)
        if (axis < p->axis || !p->of->sweeps)
            text_add(t, "%s%d", axis > 0 ? " x " : "", fused->useful[axis]);
    text_add(t, "; overlap");
    for (int axis = 0; axis <= p->axis; axis++)
        text_add(t, "%s %c %d", axis > 0 ? "," : "", "xyz"[axis], fused -> around[axis]);
}

void cuda_launch_header(const fused_plan *p, const emit_gpu_fused *fused, text *t)
{
    const schedule *s = &p->schedule;
    const int64_t all = points_along(p->code, p->axis, false);
    const int64_t planes = s->planes > 0 && p->of->sweeps ? s->planes : all;

    text_add(t, "\n/* ");
    schedule_print(s, t);
    text_add(t, ": %d fused steps; blocks of %d x %d threads store tiles of ",
             s->tile.steps, s->tile.size[0], s->tile.size[1]);
    add_tile(p, fused, t);
    text_add(t, ";\n * %lld bytes of shared memory, ", (long long)fused->shared);
    text_add(t, "at most %d registers a thread",
             most_registers(s->tile.size[0] * s->tile.size[1], 1));
    if (p->in_registers)
        text_add(t, ", %d of them for planes", fused_register_words(p));
    text_add(t, "; %.3g bytes a point and launch. */\n",
             emit_gpu_fused_bytes(p->code, fused, planes));
}
