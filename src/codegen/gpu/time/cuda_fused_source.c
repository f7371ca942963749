/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of fused launches in CUDA C++: the common device code, then the launch of each
 * program. */
#include "codegen/gpu/time/fused_private.h"

extern const char cuda_kernel_gpu[], cuda_kernel_sweep[], cuda_kernel_ring[],
    cuda_kernel_ring_async[], cuda_kernel_ring_tensor[], cuda_kernel_fused[],
    cuda_kernel_registers_lines[], cuda_kernel_registers[], cuda_kernel_registers_ring[];

/* The kinds of schedules for fused launches: their rows of the table. */
#define DECLARE(kind, name, on, steps, options, emitter, model)                          \
    extern const cuda_launch_kind emitter;
#define ROW(kind, name, on, steps, options, emitter, model)                              \
    [SCHEDULE_##kind] = &(emitter),

SCHEDULES_GPU_FUSED(DECLARE)
static const cuda_launch_kind *const table[SCHEDULE_KINDS] = {SCHEDULES_GPU_FUSED(ROW)};

const cuda_launch_kind *cuda_launch_kind_of(schedule_kind kind)
{
    return table[kind] ? table[kind] : &cuda_time;
}

static bool any_rings(const schedule *const *of_program, int64_t count)
{
    for (int64_t p = 0; p < count; p++)
        if (of_program[p] &&
            (of_program[p]->prefetch > 0 || of_program[p]->tile.copy == COPY_TMA))
            return true;
    return false;
}

static bool any_of_kind(const schedule *const *of_program, int64_t count, int kind)
{
    for (int64_t p = 0; p < count; p++)
        if (of_program[p] && (int)of_program[p]->kind == kind)
            return true;
    return false;
}

static void add_device_code(const schedule *const *of_program, int64_t count, text *t)
{
    for (int kind = 0; kind < SCHEDULE_KINDS; kind++) {
        const char *const *part = table[kind] ? table[kind]->device_code : NULL;
        for (; part && *part && any_of_kind(of_program, count, kind); part++)
            text_add(t, "\n%s", *part);
    }
}

static void add_prelude(const ir *const *code, int64_t count,
                        const schedule *const *of_program, text *t)
{
    emit_needs n = {0};

    for (int64_t p = 0; p < count; p++)
        for (int64_t s = 0; code[p] && s < code[p]->stages; s++)
            if (emit_gpu_has_kernel(code[p], &code[p]->stage[s]))
                emit_note_needs(code[p], &code[p]->stage[s], &n);
    text_add(t, "\n%s", cuda_kernel_gpu);
    cuda_shared_prelude(&n, t);
    text_add(t, "\n%s\n%s\n%s\n%s\n%s\n%s", cuda_kernel_sweep, cuda_kernel_ring,
             cuda_kernel_ring_async, cuda_kernel_fused, cuda_kernel_registers_lines,
             cuda_kernel_registers);
    if (any_rings(of_program, count))
        text_add(t, "\n%s\n%s", cuda_kernel_ring_tensor, cuda_kernel_registers_ring);
    add_device_code(of_program, count, t);
}

static pav_status add_launch(const ir *code, int64_t number, const schedule *requested,
                             text *t)
{
    emit_gpu_fused fused;
    fused_plan p;

    TRY(emit_gpu_fused_of(code, requested, NULL, &fused));
    pav_status status = fused_plan_open(code, requested, NULL, &p);
    if (status == PAV_OK) {
        cuda_launch_header(&p, &fused, t);
        status = p.of->text(&p, &fused, number, t);
    }
    fused_plan_close(&p);
    emit_gpu_fused_free(&fused);
    return status;
}

pav_status emit_gpu_fused_source(const ir *const *code, int64_t count,
                                 const schedule *const *of_program, const char *head,
                                 text *t)
{
    text_add(t, "/* ");
    emit_plain(head, t);
    text_add(t, " */\n");
    const int64_t begin = t->length;
    add_prelude(code, count, of_program, t);
    const int64_t end = t->length;
    for (int64_t p = 0; p < count; p++)
        if (code[p] && of_program[p])
            TRY(add_launch(code[p], p, of_program[p], t));
    TRY(emit_drop_unused(t, end));
    TRY(emit_prune(t, begin, end));
    return t->failed ? FAIL(PAV_ENOMEM, "memory ran out while CUDA was being written")
                     : PAV_OK;
}

pav_status cuda_emit_launch(const ir *code, const schedule *s, const char *head, text *t)
{
    return emit_gpu_fused_source(&code, 1, &s, head, t);
}
