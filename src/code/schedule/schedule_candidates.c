/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidate schedules, independent of the program: values of each setting, and
 * combinations of kinds and settings. Autotuning in a run, `pavior tune` and lists of
 * forecasts take them from here, and drop impossible ones. Sweeps and fused launches for
 * a program's neighbours: codegen/gpu/cuda_schedule.c,
 * codegen/gpu/fused_launch.c. */
#include <string.h>

#include "schedule/schedule_private.h"

/* ---- values of a setting ----------------------------------------------------------- */

const int schedule_depths[SCHEDULE_DEPTHS] = {2, 3, 4, 6, 8, 12, 16, 24, 32};
/* The same depths, most frequent winners first. */
const int schedule_depths_by_rank[SCHEDULE_DEPTHS] = {4, 8, 2, 6, 12, 16, 3, 24, 32};
const int schedule_half_blocks[SCHEDULE_HALF_BLOCKS] = {1, 2, 4};
const int schedule_planes[SCHEDULE_PLANES] = {4, 8, 16, 32, 64, 128};
const int schedule_waves[SCHEDULE_WAVES] = {1, 2, 4};

/* ---- schedules of GPUs ------------------------------------------------------------- */

#define SHUFFLE .kind = SCHEDULE_SWEEP, .tile.storage = STORAGE_REGISTERS
#define SHARED .kind = SCHEDULE_SWEEP, .tile.storage = STORAGE_SHARED
#define WARPS(along_x, rows) .tile.size = {(along_x)*GPU_WARP, rows}
#define ROWS(count) .thread.size[1] = count

/* ranked: also a candidate for ranking by the models. */
static const struct {
    bool ranked;
    schedule schedule;
} singles[] = {
    {true, {.kind = SCHEDULE_POINT}},
    {true, {SHUFFLE}},
    {true, {SHARED}},
    {false, {SHARED, .tile.copy = COPY_TMA, .tile.ahead = 2}},
    {false, {SHARED, WARPS(1, 16)}},
    {false, {SHARED, WARPS(2, 4)}},
    {false, {SHARED, WARPS(2, 8)}},
    {true, {SHARED, ROWS(2)}},
    {false, {SHARED, WARPS(1, 8), ROWS(4)}},
    {true, {SHUFFLE, ROWS(2)}},
    {false, {SHUFFLE, ROWS(4)}},
    {false, {SHUFFLE, .thread.size = {2, 2}}},
    {false, {SHARED, .tile.ahead = 3, .prefetch = 4}},
    {false, {.kind = SCHEDULE_TWO_PASS}},
};
static const schedule by_shuffle = {.kind = SCHEDULE_GPU_TIME,
                                    .tile.storage = STORAGE_REGISTERS};
static const schedule by_shared = {.kind = SCHEDULE_GPU_TIME,
                                   .tile.storage = STORAGE_SHARED};
static const schedule persistent = {.kind = SCHEDULE_PERSISTENT};

static void add(schedule_list *l, const schedule *s)
{
    if (l->count < SCHEDULE_MOST_CANDIDATES)
        l->schedule[l->count++] = *s;
}

static void add_depth(schedule_list *l, schedule s, int depth)
{
    s.tile.steps = depth;
    add(l, &s);
}

static void add_depths(schedule_list *l, const schedule *s, int least, int most)
{
    for (int depth = least; depth <= most; depth++)
        add_depth(l, *s, depth);
}

static void add_singles(schedule_list *l, bool all)
{
    for (size_t n = 0; n < COUNT_OF(singles); n++)
        if (all || singles[n].ranked)
            add(l, &singles[n].schedule);
}

static void add_ranked_launches(schedule_list *l)
{
    static const int depths[] = {2, 3, 4, 6, 8, 10, 12, 16};
    const schedule *const kinds[] = {&by_shuffle, &by_shared, &persistent};
    add(l, &persistent);
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (size_t n = 0; n < COUNT_OF(depths); n++)
            add_depth(l, *kinds[k], depths[n]);
}

static void add_patient(schedule_list *l)
{
    add_depths(l, &by_shared, 2, 6);
    add_depths(l, &by_shuffle, 2, 8);
    add_singles(l, true);
}

static void add_exhaustive(schedule_list *l)
{
    enum { MOST_ROWS = 4, MOST_DEPTH = 9 };
    static const schedule threads[] = {
        {WARPS(1, 4)}, {WARPS(1, 8)}, {WARPS(1, 16)}, {WARPS(2, 4)}, {WARPS(2, 8)}};
    for (size_t k = 0; k < COUNT_OF(threads); k++)
        for (int depth = 2; depth <= MOST_DEPTH; depth++) {
            schedule time = by_shuffle, sweep = {SHARED, ROWS(depth - 1)};
            memcpy(time.tile.size, threads[k].tile.size, sizeof time.tile.size);
            memcpy(sweep.tile.size, threads[k].tile.size, sizeof sweep.tile.size);
            add_depth(l, time, depth);
            if (sweep.thread.size[1] <= MOST_ROWS)
                add(l, &sweep);
        }
    add_depths(l, &persistent, 1, 8);
}

void schedule_candidates(schedule_candidates_of which, schedule_list *l)
{
    l->count = 0;
    which == CANDIDATES_RANKED_SINGLE  ? add_singles(l, false)
    : which == CANDIDATES_RANKED_FUSED ? add_ranked_launches(l)
    : which == CANDIDATES_PATIENT      ? add_patient(l)
                                       : add_exhaustive(l);
}
