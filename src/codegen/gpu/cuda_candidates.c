/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of which any may be the fastest for a stage. No formula tells how many rows and threads suit a
 * GPU's caches, registers and memory best, so a run tries these in its first steps. What is large is not worth
 * the compiler's time: it goes by the usual one alone. */
#include <string.h>

#include "codegen/codegen_private.h"

enum {
    ALL_HELD = -1, /* in place of as many planes as a thread holds of its points */
    MOST_UNROLLED = 13
};
#define SHARED .source = EMIT_GPU_SHARED
#define TMA .copy = EMIT_GPU_TMA
#define ALONE SHARED, .blocks = 1 /* a multiprocessor has room for one */

/* Neighbours next door come through the cache; of those farther away, planes may be shared. */
static const emit_gpu_schedule near[] = {
    {.threads = {32, 8}, .rows = 2},
    {.threads = {32, 4}, .rows = 1},
    {.threads = {32, 4}, .rows = 2},
    {.threads = {32, 8}, .rows = 1, .blocks = 5},
    {.threads = {32, 4}, .rows = 2, .prefetch = 3},
    {.threads = {32, 4}, .rows = 3, .prefetch = 1},
    {.threads = {32, 4}, .rows = 1, .prefetch = 1, .unroll = ALL_HELD},
    {SHARED, .threads = {32, 8}, .rows = 2, .ahead = 2, .prefetch = 1},
    {ALONE, TMA, .threads = {32, 16}, .rows = 2, .ahead = 2},
    {ALONE, TMA, .threads = {64, 8}, .rows = 2, .ahead = 2},
};
static const emit_gpu_schedule far[] = {
    {.threads = {32, 4}, .rows = 1},
    {ALONE, .threads = {32, 16}, .rows = 2, .ahead = 2, .prefetch = 1},
    {ALONE, TMA, .threads = {32, 16}, .rows = 2, .ahead = 2},
    {ALONE, TMA, .threads = {32, 16}, .rows = 2, .ahead = 3},
    {ALONE, TMA, .threads = {32, 12}, .rows = 2, .ahead = 2},
    {ALONE, TMA, .threads = {32, 8}, .rows = 2, .ahead = 1},
    {SHARED, TMA, .threads = {32, 8}, .rows = 2, .ahead = 2},
    {SHARED, .threads = {32, 8}, .rows = 2, .ahead = 2, .unroll = ALL_HELD},
    {SHARED, .threads = {32, 8}, .rows = 1, .ahead = 2, .unroll = ALL_HELD},
    {SHARED, .threads = {32, 4}, .rows = 4, .ahead = 1},
    {SHARED, TMA, .threads = {32, 4}, .rows = 4, .ahead = 1},
};
static const emit_gpu_schedule flat[] = {
    {.threads = {128, 1}, .rows = 1},
    {.threads = {512, 1}, .rows = 1},
};

bool emit_gpu_schedule_is_same(const emit_gpu_schedule *a, const emit_gpu_schedule *b)
{
    return a->kind == b->kind && a->source == b->source && a->copy == b->copy &&
           a->threads[0] == b->threads[0] && a->threads[1] == b->threads[1] &&
           a->vector == b->vector && a->rows == b->rows && a->ahead == b->ahead &&
           a->prefetch == b->prefetch && a->coefficients == b->coefficients &&
           a->input == b->input && a->unroll == b->unroll && a->blocks == b->blocks &&
           a->planes == b->planes && a->plain == b->plain && a->depth == b->depth &&
           a->apart == b->apart && a->versions == b->versions && a->tail == b->tail &&
           memcmp(a->parts, b->parts, sizeof a->parts) == 0;
}

static bool is_new(const emit_gpu_schedule *list, int64_t count,
                   const emit_gpu_schedule *s)
{
    for (int64_t n = 0; n < count; n++)
        if (emit_gpu_schedule_is_same(&list[n], s))
            return false;
    return true;
}

/* Registers that are bounded by hand are enough for what reads little. */
static bool reads_little(const ir_stage *stage)
{
    enum { LITTLE = 16 };
    int64_t loads = 0;

    for (int64_t k = 0; k < stage->count; k++)
        loads += stage->node[k].op == IR_LOAD;
    return loads <= LITTLE;
}

/* Wide tiles want rows that fill them. */
static bool has_points(const ir *code, const ir_stage *stage, const emit_gpu_schedule *s)
{
    enum { NARROW = 32 };
    const int field = stage->output[0].field;

    return code->dim < 3 || s->threads[0] <= NARROW ||
           stage->output[0].kind != IR_STORE ||
           code->field[field].extent[0] >= (int64_t)s->threads[0] * s->vector;
}

/* What spills would lose. */
static bool is_worth(const ir *code, const ir_stage *stage, const emit_gpu_schedule *s)
{
    return has_points(code, stage, s) && cuda_is_narrow(stage, s) &&
           !emit_gpu_refusal(code, stage, s) &&
           (s->source == EMIT_GPU_SHARED ? cuda_has_registers(stage, s)
                                         : cuda_fits_registers(code, stage, s) &&
                                               (s->blocks == 0 || reads_little(stage)));
}

static int64_t add_those(const ir *code, const ir_stage *stage,
                         const emit_gpu_schedule *some, size_t of_them,
                         emit_gpu_schedule *list)
{
    int64_t count = 1;

    for (size_t n = 0; n < of_them && count < EMIT_GPU_CANDIDATES; n++) {
        emit_gpu_schedule other = some[n];
        other.kind = EMIT_GPU_SWEEP;
        if (other.unroll == ALL_HELD)
            other.unroll = 2 * cuda_radius(stage, code->dim - 1) + 1;
        other.vector = list[0].vector;
        if (other.unroll <= MOST_UNROLLED && is_worth(code, stage, &other) &&
            is_new(list, count, &other))
            list[count++] = other;
    }
    return count;
}

int64_t emit_gpu_candidates(const ir *code, const ir_stage *stage,
                            emit_gpu_schedule list[EMIT_GPU_CANDIDATES])
{
    list[0] = cuda_default(code, stage);
    if (list[0].kind != EMIT_GPU_SWEEP)
        return 1;
    if (code->dim == 2)
        return add_those(code, stage, flat, COUNT_OF(flat), list);
    return cuda_radius(stage, 1) > 1 ? add_those(code, stage, far, COUNT_OF(far), list)
                                     : add_those(code, stage, near, COUNT_OF(near), list);
}
