/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of schedules for single steps on a GPU: their rows of the table. */
#include "codegen/codegen_private.h"

#define DECLARE(kind, name, on, steps, options, emitter, model)                          \
    extern const cuda_kind emitter;
#define ROW(kind, name, on, steps, options, emitter, model)                              \
    [SCHEDULE_##kind] = &(emitter),

SCHEDULES_GPU_SINGLE(DECLARE)
static const cuda_kind *const table[SCHEDULE_KINDS] = {SCHEDULES_GPU_SINGLE(ROW)};

const cuda_kind *cuda_kind_of(schedule_kind kind)
{
    static const cuda_kind none;

    return table[kind] ? table[kind] : &none;
}
