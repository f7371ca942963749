/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule TWO_PASS: stages are split in parts, and each part is a sweep. */
#include "codegen/codegen_private.h"

/* Clears options without effect on a part: sharing for a part without neighbours in the
 * plane, and the order of input planes for a part with a single plane. */
static schedule settle_part(const ir *code, const ir_stage *stage,
                            const schedule *requested)
{
    schedule own = *requested;
    const bool has_neighbours = cuda_radius(stage, 0) > 0 ||
                                (code->dim == 3 && cuda_radius(stage, 1) > 0);

    if (!has_neighbours) {
        own.tile.storage = STORAGE_CACHE;
        own.tile.copy = COPY_ASYNC;
        own.tile.ahead = 0;
    }
    if (cuda_radius(stage, code->dim - 1) == 0)
        own.input = false;
    return cuda_settle_sweep(code, stage, &own);
}

static const char *lack_of_part(const ir *code, const ir_stage *stage,
                                const schedule *requested)
{
    const char *why = cuda_sweep_refusal(code, stage);

    if (!why && stage->part == 0)
        return stage->whole ? stage->whole : "it was not parted";
    return why ? why : cuda_sweep_lack(code, stage, requested);
}

const cuda_kind cuda_two_pass = {
    .split = ir_split_stages,
    .lack = lack_of_part,
    .settle = settle_part,
};
