/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of schedules that take single steps on a GPU, a row each. */
#include "codegen/codegen_private.h"

/* TWO_PASS is a sweep of each part of a stage. */
#define SWEEP                                                                            \
    .text = cuda_sweep_text, .settle = cuda_settle_sweep,                                \
    .refusal = cuda_sweep_settings, .extent = cuda_extent_sweep
static const cuda_kind table[SCHEDULE_KINDS] = {
    [SCHEDULE_POINT] = {.text = cuda_point_text,
                        .settle = cuda_settle_point,
                        .extent = cuda_extent_point},
    [SCHEDULE_SWEEP] = {SWEEP},
    [SCHEDULE_TWO_PASS] = {SWEEP},
};

const cuda_kind *cuda_kind_of(schedule_kind kind)
{
    return &table[kind];
}
