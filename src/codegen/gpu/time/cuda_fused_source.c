/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of passes in CUDA C++: what they stand on, then those of each program. */
#include "codegen/gpu/time/fused_private.h"

extern const char cuda_kernel_gpu[], cuda_kernel_sweep[], cuda_kernel_ring[],
    cuda_kernel_ring_async[], cuda_kernel_ring_tensor[], cuda_kernel_fused[],
    cuda_kernel_registers_lines[], cuda_kernel_registers[], cuda_kernel_registers_ring[],
    cuda_kernel_shell[], cuda_kernel_persistent[], cuda_kernel_persistent_field[],
    cuda_kernel_persistent_halo[];

static bool any_persistent(const emit_gpu_schedule *const *schedule, int64_t count)
{
    for (int64_t p = 0; p < count; p++)
        if (schedule[p] && schedule[p]->kind == EMIT_GPU_PERSISTENT)
            return true;
    return false;
}

static bool any_rings(const emit_gpu_schedule *const *schedule, int64_t count)
{
    for (int64_t p = 0; p < count; p++)
        if (schedule[p] &&
            (schedule[p]->prefetch > 0 || schedule[p]->copy == EMIT_GPU_TMA))
            return true;
    return false;
}

static void add_prelude(const ir *const *code, int64_t count,
                        const emit_gpu_schedule *const *schedule, text *t)
{
    emit_needs n = {0};

    for (int64_t p = 0; p < count; p++)
        for (int64_t s = 0; code[p] && s < code[p]->stages; s++)
            if (emit_gpu_has_kernel(code[p], &code[p]->stage[s]))
                emit_note_needs(code[p], &code[p]->stage[s], &n);
    text_add(t, "\n%s", cuda_kernel_gpu);
    emit_shared_prelude(&n, t);
    text_add(t, "\n%s\n%s\n%s\n%s\n%s\n%s", cuda_kernel_sweep, cuda_kernel_ring,
             cuda_kernel_ring_async, cuda_kernel_fused, cuda_kernel_registers_lines,
             cuda_kernel_registers);
    if (any_rings(schedule, count))
        text_add(t, "\n%s\n%s", cuda_kernel_ring_tensor, cuda_kernel_registers_ring);
    if (any_persistent(schedule, count))
        text_add(t, "\n%s\n%s\n%s\n%s", cuda_kernel_shell, cuda_kernel_persistent,
                 cuda_kernel_persistent_field, cuda_kernel_persistent_halo);
}

static pav_status add_pass(const ir *code, int64_t number,
                           const emit_gpu_schedule *requested, text *t)
{
    emit_gpu_fused fused;
    fused_plan p;

    TRY(emit_gpu_fused_of(code, requested, &fused));
    pav_status status = fused_plan_open(code, requested, &p);
    if (status == PAV_OK)
        status = p.schedule.kind == EMIT_GPU_PERSISTENT
                     ? cuda_persistent_text(&p, &fused, number, t)
                     : cuda_fused_text(&p, &fused, number, t);
    fused_plan_close(&p);
    emit_gpu_fused_free(&fused);
    return status;
}

pav_status emit_gpu_fused_source(const ir *const *code, int64_t count,
                                 const emit_gpu_schedule *const *schedule,
                                 const char *head, text *t)
{
    text_add(t, "/* ");
    emit_plain(head, t);
    text_add(t, " */\n");
    add_prelude(code, count, schedule, t);
    for (int64_t p = 0; p < count; p++)
        if (code[p] && schedule[p])
            TRY(add_pass(code[p], p, schedule[p], t));
    return t->failed ? FAIL(PAV_ENOMEM, "memory ran out while CUDA was being written")
                     : PAV_OK;
}
