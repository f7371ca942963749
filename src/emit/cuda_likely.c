/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of which any may be the fastest for a stage. No formula tells how many rows and threads suit a
 * GPU's caches, registers and memory best, so a run tries these in its first steps. What is large is not worth
 * the compiler's time: it goes by the usual one alone. */
#include <string.h>

#include "emit/emit_private.h"

enum {
    MOST_TRIED = 800 /* values that all threads of a schedule compute side by side */
};

typedef struct shape {
    int threads[2], rows, blocks;
} shape;

static const shape of_planes[] = {
    {{32, 8}, 2, 0}, {{32, 4}, 1, 0}, {{32, 4}, 2, 0}, {{32, 8}, 1, 5}, {{32, 8}, 1, 3}};
static const shape of_rows[] = {{{128, 1}, 1, 0}, {{512, 1}, 1, 0}};

static bool same(const emit_gpu_schedule *a, const emit_gpu_schedule *b)
{
    return a->form == b->form && a->source == b->source &&
           a->threads[0] == b->threads[0] && a->threads[1] == b->threads[1] &&
           a->vector == b->vector && a->rows == b->rows && a->ahead == b->ahead &&
           a->blocks == b->blocks;
}

static bool is_new(const emit_gpu_schedule *list, int64_t count,
                   const emit_gpu_schedule *s)
{
    for (int64_t n = 0; n < count; n++)
        if (same(&list[n], s))
            return false;
    return true;
}

static bool is_worth(const ir_stage *stage, const emit_gpu_schedule *s)
{
    return stage->count * s->vector * s->rows <= MOST_TRIED;
}

int64_t emit_gpu_likely(const ir *code, const ir_stage *stage,
                        emit_gpu_schedule list[EMIT_GPU_LIKELY])
{
    const shape *s = code->dim == 2 ? of_rows : of_planes;
    const size_t shapes = code->dim == 2 ? COUNT_OF(of_rows) : COUNT_OF(of_planes);
    int64_t count = 1;

    list[0] = cuda_usual(code, stage);
    for (size_t n = 0; n < shapes && list[0].form == EMIT_GPU_STREAM; n++) {
        emit_gpu_schedule other = list[0];
        memcpy(other.threads, s[n].threads, sizeof other.threads);
        other.source = EMIT_GPU_CACHE;
        other.rows = s[n].rows;
        other.blocks = s[n].blocks;
        if (is_worth(stage, &other) && !emit_gpu_refusal(code, stage, &other) &&
            is_new(list, count, &other))
            list[count++] = other;
    }
    return count;
}
