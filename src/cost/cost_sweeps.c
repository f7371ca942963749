/* SPDX-License-Identifier: BSD-3-Clause */
/* Best number of planes in a sweep of a fused launch. A short sweep reads relatively many
 * planes before its first one. Blocks that do not fill the multiprocessors a whole number
 * of times leave some idle at the end. The tail tiles may therefore be cut into shorter
 * sweeps, the tail. */
#include "cost/cost.h"

enum {
    MOST_PARTS = 64,
    ROUND = 100, /* of blocks */
    SHORTEST = 40,
    LATE = 6
};

/* Blocks resident on the GPU: measured for a compiled kernel, or estimated. */
static int64_t blocks_at_once(const cost_launch *l)
{
    const gpu_architecture *a = gpu_facts_architecture(l->gpu);
    const schedule *s = &l->what->schedule;
    const int64_t threads = (int64_t)s->tile.size[0] * s->tile.size[1];
    const int64_t by_threads = s->tile.storage == STORAGE_REGISTERS
                                   ? a->registers / (GPU_LAUNCH_REGISTERS * threads)
                                   : a->threads / threads;
    const int64_t by_memory = l->what->shared > 0 ? l->gpu->shared_block / l->what->shared
                                                  : by_threads;
    const int64_t candidate = by_threads < by_memory ? by_threads : by_memory;
    return l->at_once > 0 ? l->at_once
                          : l->gpu->multiprocessors * (candidate > 0 ? candidate : 1);
}

/* Rounds of blocks in hundredths. In a partial last round, blocks have more of a
 * multiprocessor each and finish sooner. Blocks at faces finish later than the rest. */
static int64_t rounds_of(int64_t blocks, int64_t at_once, int multiprocessors)
{
    const int left = (int)(int_parts(blocks % at_once, multiprocessors) * ROUND *
                           multiprocessors / at_once);
    const int last = left == 0 || left >= ROUND ? left : int_most(left + 4, SHORTEST);

    return blocks / at_once * ROUND + last + LATE;
}

static int64_t blocks_of(const cost_launch *l, const emit_gpu_fused_work *w)
{
    int64_t blocks[MAX_DIM];
    int threads[MAX_DIM];
    emit_gpu_fused_extent(l->code, l->what, w, blocks, threads);
    return blocks[0] * blocks[1] * blocks[2];
}

/* Number of planes stored by a launch. */
static int64_t planes_of(const cost_launch *l)
{
    return l->stored > 0 ? l->stored : points_along(l->code, l->code->dim - 1, false);
}

static emit_gpu_fused_work extent_of(const cost_launch *l)
{
    const ir *code = l->code;
    return (emit_gpu_fused_work){.extent = {points_along(code, 0, false),
                                            points_along(code, 1, false),
                                            points_along(code, 2, false)},
                                 .end = planes_of(l),
                                 .behind = points_along(code, code->dim - 1, false)};
}

/* Number of tiles: blocks that sweep through all planes. */
static int64_t tiles_of(const cost_launch *l)
{
    emit_gpu_fused_work w = extent_of(l);
    w.planes = w.tail = w.end;
    return blocks_of(l, &w);
}

emit_gpu_fused_work cost_sweep_work(const cost_launch *l, cost_sweep sweep)
{
    emit_gpu_fused_work w = extent_of(l);
    if (sweep.planes <= 0)
        return w;
    const int64_t all = tiles_of(l), parts = int_parts(w.end, sweep.planes);
    const int64_t at_once = blocks_at_once(l);
    w.planes = sweep.planes;
    w.tail = sweep.tail > 0 ? sweep.tail : sweep.planes;
    w.tiles = sweep.tail > 0 ? all * parts / at_once * at_once / parts : all;
    return w;
}

int64_t cost_sweep_mean(const cost_launch *l, const emit_gpu_fused_work *w)
{
    return w->planes > 0 ? tiles_of(l) * planes_of(l) / blocks_of(l, w) : 0;
}

/* ---- sweeps ------------------------------------------------------------------------ */

/* Planes swept by one multiprocessor, block after block, including planes before the
 * first one of a tile. */
static int64_t planes_swept(const cost_launch *l, cost_sweep sweep)
{
    const int axis = l->code->dim - 1, around = 2 * l->what->around[axis];
    const emit_gpu_fused_work w = cost_sweep_work(l, sweep);
    const int64_t all = blocks_of(l, &w), at_once = blocks_at_once(l);
    const int64_t first = sweep.tail > 0 ? w.tiles * int_parts(w.end, sweep.planes) : 0;
    return int_parts(first, at_once) * ROUND * (sweep.planes + around) +
           rounds_of(all - first, at_once, l->gpu->multiprocessors) *
               ((sweep.tail > 0 ? sweep.tail : sweep.planes) + around);
}

/* Inserts a sweep into the list, better sweeps first. */
static void put(cost_sweep_list *list, cost_sweep sweep, int64_t swept)
{
    int at = list->count;
    while (at > 0 && list->cost[at - 1] > swept)
        at--;
    if (at == COST_SWEEPS)
        return;
    list->count += list->count < COST_SWEEPS;
    for (int k = list->count - 1; k > at; k--) {
        list->sweep[k] = list->sweep[k - 1];
        list->cost[k] = list->cost[k - 1];
    }
    list->sweep[at] = sweep;
    list->cost[at] = swept;
}

/* The next shorter sweep that divides the planes evenly; 0: there is none. */
static int64_t next_sweep(const cost_launch *l, int64_t planes)
{
    const int64_t all = planes_of(l);
    const int64_t parts = planes > 0 ? int_parts(all, planes) + 1 : 1;
    const int64_t next = int_parts(all, parts);
    const bool is_short = next < l->what->schedule.tile.steps && parts > 1;
    return is_short || parts > MOST_PARTS || next == planes ? 0 : next;
}

/* Adds a sweep with full rounds of blocks, and shorter sweeps for the tail tiles. Fused
 * launches support tails in three dimensions only. */
static void put_tails(const cost_launch *l, int64_t planes, cost_sweep_list *list)
{
    cost_sweep best = {0};
    int64_t least = INT64_MAX;
    if (l->code->dim < 3 || l->what->schedule.tile.storage != STORAGE_REGISTERS)
        return;
    for (int64_t tail = next_sweep(l, planes); tail > 0; tail = next_sweep(l, tail)) {
        const cost_sweep sweep = {planes, tail};
        const int64_t swept = planes_swept(l, sweep);
        if (swept >= least)
            continue;
        best = sweep;
        least = swept;
    }
    if (best.tail > 0 && cost_sweep_work(l, best).tiles > 0)
        put(list, best, least);
}

void cost_sweeps(const cost_launch *l, cost_sweep_list *list)
{
    *list = (cost_sweep_list){0};
    for (int64_t planes = next_sweep(l, 0); planes > 0; planes = next_sweep(l, planes)) {
        const cost_sweep sweep = {planes, 0};
        put(list, sweep, planes_swept(l, sweep));
        put_tails(l, planes, list);
    }
}

cost_sweep cost_first_sweep(const cost_launch *l, const schedule *requested)
{
    cost_sweep_list list;
    if (!l->what->sweeps)
        return (cost_sweep){0};
    if (requested->planes > 0)
        return (cost_sweep){requested->planes, requested->tail};
    cost_sweeps(l, &list);
    return list.sweep[0];
}

double cost_sweep_idle(const cost_launch *l, cost_sweep sweep)
{
    const double all = (double)tiles_of(l) * (double)planes_of(l) * ROUND;
    const double idle = sweep.planes > 0 ? (double)planes_swept(l, sweep) *
                                               (double)blocks_at_once(l) / all
                                         : 1;
    return idle > 1 ? idle : 1;
}

double cost_launch_bytes(const cost_launch *l, cost_sweep sweep)
{
    const emit_gpu_fused_work w = cost_sweep_work(l, sweep);
    return emit_gpu_fused_bytes(l->code, l->what, cost_sweep_mean(l, &w));
}
