/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates for the schedule of a stage. No formula predicts the rows and threads that
 * suit a GPU's caches, registers and memory best, so a run measures these candidates in
 * its first steps. Large stages are not worth the compiler's time: they use the default
 * alone. */
#include <string.h>

#include "codegen/codegen_private.h"

enum {
    ALL_KEPT = -1, /* replaced by the number of planes of its points in a thread */
    MOST_UNROLLED = 13
};
#define SHARED .tile.storage = STORAGE_SHARED
#define TMA .tile.copy = COPY_TMA
#define ALONE SHARED, .blocks = 1 /* only one block fits in a multiprocessor */

/* With radius 1 neighbours come through the cache; with a larger radius planes may be
 * shared. */
static const schedule near[] = {
    {.tile.size = {GPU_WARP, 8}, .thread.size[1] = 2},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 1},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 2},
    {.tile.size = {GPU_WARP, 8}, .thread.size[1] = 1, .blocks = 5},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 2, .prefetch = 3},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 3, .prefetch = 1},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 1, .prefetch = 1, .unroll = ALL_KEPT},
    {SHARED, .tile.size = {GPU_WARP, 8}, .thread.size[1] = 2, .tile.ahead = 2,
     .prefetch = 1},
    {ALONE, TMA, .tile.size = {GPU_WARP, 16}, .thread.size[1] = 2, .tile.ahead = 2},
    {ALONE, TMA, .tile.size = {2 * GPU_WARP, 8}, .thread.size[1] = 2, .tile.ahead = 2},
};
static const schedule far[] = {
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 1},
    {ALONE, .tile.size = {GPU_WARP, 16}, .thread.size[1] = 2, .tile.ahead = 2,
     .prefetch = 1},
    {ALONE, TMA, .tile.size = {GPU_WARP, 16}, .thread.size[1] = 2, .tile.ahead = 2},
    {ALONE, TMA, .tile.size = {GPU_WARP, 16}, .thread.size[1] = 2, .tile.ahead = 3},
    {ALONE, TMA, .tile.size = {GPU_WARP, 12}, .thread.size[1] = 2, .tile.ahead = 2},
    {ALONE, TMA, .tile.size = {GPU_WARP, 8}, .thread.size[1] = 2, .tile.ahead = 1},
    {SHARED, TMA, .tile.size = {GPU_WARP, 8}, .thread.size[1] = 2, .tile.ahead = 2},
    {SHARED, .tile.size = {GPU_WARP, 8}, .thread.size[1] = 2, .tile.ahead = 2,
     .unroll = ALL_KEPT},
    {SHARED, .tile.size = {GPU_WARP, 8}, .thread.size[1] = 1, .tile.ahead = 2,
     .unroll = ALL_KEPT},
    {SHARED, .tile.size = {GPU_WARP, 4}, .thread.size[1] = 4, .tile.ahead = 1},
    {SHARED, TMA, .tile.size = {GPU_WARP, 4}, .thread.size[1] = 4, .tile.ahead = 1},
};
/* For many fields. */
static const schedule many[] = {
    {.tile.size = {2 * GPU_WARP, 2}, .thread.size[1] = 1},
    {.tile.size = {GPU_WARP, 4}, .thread.size[1] = 1},
    {.tile.size = {2 * GPU_WARP, 2}, .thread.size = {4, 1}},
    {.tile.size = {2 * GPU_WARP, 4}, .thread.size = {1, 1}},
};
/* For strips narrow along x. */
static const schedule narrow[] = {
    {.tile.size = {8, 16}, .thread.size[1] = 1},
    {.tile.size = {8, GPU_WARP}, .thread.size[1] = 2},
    {.tile.size = {GPU_WARP / 2, 16}, .thread.size = {2, 1}},
    {.tile.size = {GPU_WARP, 8}, .thread.size = {1, 1}},
};
static const schedule flat[] = {
    {.tile.size = {4 * GPU_WARP, 1}, .thread.size[1] = 1},
    {.tile.size = {16 * GPU_WARP, 1}, .thread.size[1] = 1},
};

static bool is_new(const schedule *list, int64_t count, const schedule *s)
{
    for (int64_t n = 0; n < count; n++)
        if (schedule_is_same(&list[n], s))
            return false;
    return true;
}

/* A bound on registers suffices only for stages with few loads. */
static bool reads_little(const ir_stage *stage)
{
    enum { LITTLE = 16 };
    int64_t loads = 0;

    for (int64_t k = 0; k < stage->count; k++)
        loads += stage->node[k].op == IR_LOAD;
    return loads <= LITTLE;
}

/* Wide tiles need rows long enough to fill them. */
static bool has_points(const ir *code, const ir_stage *stage, const schedule *s)
{
    const int field = stage->output[0].field;

    return code->dim < 3 || s->tile.size[0] <= GPU_WARP ||
           stage->output[0].kind != IR_STORE ||
           code->field[field].extent[0] >= (int64_t)s->tile.size[0] * s->thread.size[0];
}

/* False if the candidate would spill, leave threads idle, or is refused. */
static bool is_worth(const ir *code, const ir_stage *stage, const schedule *s)
{
    return has_points(code, stage, s) && cuda_is_narrow(stage, s) &&
           !emit_gpu_refusal(code, stage, s) &&
           (s->tile.storage == STORAGE_SHARED
                ? cuda_has_registers(stage, s)
                : cuda_fits_registers(code, stage, s) &&
                      (s->blocks == 0 || reads_little(stage)));
}

static int64_t add_those(const ir *code, const ir_stage *stage, const schedule *some,
                         size_t of_them, schedule *list)
{
    int64_t count = 1;

    for (size_t n = 0; n < of_them && count < EMIT_GPU_CANDIDATES; n++) {
        schedule other = some[n];
        other.kind = SCHEDULE_SWEEP;
        if (other.unroll == ALL_KEPT)
            other.unroll = 2 * cuda_radius(stage, code->dim - 1) + 1;
        if (other.thread.size[0] == 0)
            other.thread.size[0] = list[0].thread.size[0];
        if (other.unroll <= MOST_UNROLLED && is_worth(code, stage, &other) &&
            is_new(list, count, &other))
            list[count++] = other;
    }
    return count;
}

int64_t emit_gpu_candidates(const ir *code, const ir_stage *stage,
                            schedule list[EMIT_GPU_CANDIDATES])
{
    list[0] = cuda_default(code, stage);
    if (list[0].kind != SCHEDULE_SWEEP)
        return 1;
    if (code->dim == 2)
        return add_those(code, stage, flat, COUNT_OF(flat), list);
    if (list[0].tile.size[0] < GPU_WARP)
        return add_those(code, stage, narrow, COUNT_OF(narrow), list);
    if (cuda_has_many_fields(code, stage))
        return add_those(code, stage, many, COUNT_OF(many), list);
    return cuda_radius(stage, 1) > 1 ? add_those(code, stage, far, COUNT_OF(far), list)
                                     : add_those(code, stage, near, COUNT_OF(near), list);
}
