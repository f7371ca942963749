/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedules that take single steps on a GPU: their rows of SCHEDULE_TABLE. */
#include "codegen/codegen_private.h"

#define OF_CPU_SINGLE(declares, kind, emitter)
#define OF_CPU_FUSED(declares, kind, emitter)
#define OF_GPU_FUSED(declares, kind, emitter)
#define OF_GPU_SINGLE(declares, kind, emitter) declares(kind, emitter)
#define DECLARE(kind, emitter) extern const cuda_kind emitter;
#define ROW(kind, emitter) [SCHEDULE_##kind] = &(emitter),
#define DECLARED(kind, name, on, steps, options, emitter, model)                         \
    OF_##on##_##steps(DECLARE, kind, emitter)
#define LISTED(kind, name, on, steps, options, emitter, model)                           \
    OF_##on##_##steps(ROW, kind, emitter)

SCHEDULE_TABLE(DECLARED)
static const cuda_kind *const table[SCHEDULE_KINDS] = {SCHEDULE_TABLE(LISTED)};

const cuda_kind *cuda_kind_of(schedule_kind kind)
{
    static const cuda_kind none;

    return table[kind] ? table[kind] : &none;
}
