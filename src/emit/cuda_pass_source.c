/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of passes in CUDA C++: what they stand on, then those of each program. */
#include "emit/pass_private.h"

extern const char cuda_kernel_gpu[], cuda_kernel_stream[], cuda_kernel_ring[],
    cuda_kernel_ring_async[], cuda_kernel_ring_tensor[], cuda_kernel_pass[],
    cuda_kernel_held_lines[], cuda_kernel_held[], cuda_kernel_held_ring[],
    cuda_kernel_shell[], cuda_kernel_resident[], cuda_kernel_resident_field[],
    cuda_kernel_resident_around[];

static bool any_stay(const emit_gpu_schedule *const *schedule, int64_t count)
{
    for (int64_t p = 0; p < count; p++)
        if (schedule[p] && schedule[p]->form == EMIT_GPU_RESIDENT)
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
    text_add(t, "\n%s\n%s\n%s\n%s\n%s\n%s", cuda_kernel_stream, cuda_kernel_ring,
             cuda_kernel_ring_async, cuda_kernel_pass, cuda_kernel_held_lines,
             cuda_kernel_held);
    if (any_rings(schedule, count))
        text_add(t, "\n%s\n%s", cuda_kernel_ring_tensor, cuda_kernel_held_ring);
    if (any_stay(schedule, count))
        text_add(t, "\n%s\n%s\n%s\n%s", cuda_kernel_shell, cuda_kernel_resident,
                 cuda_kernel_resident_field, cuda_kernel_resident_around);
}

static pav_status add_pass(const ir *code, int64_t number,
                           const emit_gpu_schedule *wanted, text *t)
{
    emit_gpu_pass pass;
    pass_plan p;

    TRY(emit_gpu_pass_of(code, wanted, &pass));
    pav_status status = pass_plan_open(code, wanted, &p);
    if (status == PAV_OK)
        status = p.schedule.form == EMIT_GPU_RESIDENT
                     ? cuda_resident_text(&p, &pass, number, t)
                     : cuda_pass_text(&p, &pass, number, t);
    pass_plan_close(&p);
    emit_gpu_pass_free(&pass);
    return status;
}

pav_status emit_gpu_pass_source(const ir *const *code, int64_t count,
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
