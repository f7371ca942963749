/* SPDX-License-Identifier: BSD-3-Clause */
/* Through how many planes a block of a fused launch should sweep. In a short sweep what
 * is read before its first plane counts, and blocks that do not fill the multiprocessors
 * a whole number of times leave some of them without work at the end: so tiles that are
 * left then may be cut into shorter sweeps, the rest. */
#include "exec/gpu/gpu_private.h"

enum {
    HELD = 168, /* registers of a thread that holds versions */
    MOST_PARTS = 64,
    ROUND = 100, /* of blocks */
    SHORTEST = 40,
    LATE = 6
};

/* Blocks that the GPU has at once: as it says of a kernel, or as far as is known
 * before it is compiled. */
static int64_t blocks_at_once(const gpu_facts *f, const emit_gpu_fused *p,
                              const gpu_kernel *kernel)
{
    const gpu_architecture *a = gpu_facts_architecture(f);
    const int64_t threads = (int64_t)p->schedule.tile.size[0] * p->schedule.tile.size[1];
    const bool held = p->schedule.tile.storage == STORAGE_REGISTERS;
    const int64_t by_threads = held ? a->registers / (HELD * threads)
                                    : a->threads / threads;
    const int64_t by_memory = p->shared > 0 ? f->shared_block / p->shared : by_threads;
    const int64_t candidate = by_threads < by_memory ? by_threads : by_memory;
    const int64_t known = kernel ? gpu_cooperative_blocks(kernel, (int)threads, p->shared)
                                 : 0;
    return known > 0 ? known : f->multiprocessors * (candidate > 0 ? candidate : 1);
}

/* In hundredths of the time that blocks take which fill the GPU. Where few are left each
 * has more of its multiprocessor, and is done sooner; and some, at faces, are done later
 * than the rest. */
static int64_t rounds_of(int64_t blocks, int64_t at_once, int multiprocessors)
{
    const int left = (int)(int_parts(blocks % at_once, multiprocessors) * ROUND *
                           multiprocessors / at_once);
    const int last = left == 0 || left >= ROUND ? left : int_most(left + 4, SHORTEST);

    return blocks / at_once * ROUND + last + LATE;
}

static int64_t blocks_of(const gpurun *g, const emit_gpu_fused *p,
                         const emit_gpu_fused_work *w)
{
    int64_t blocks[MAX_DIM];
    int threads[MAX_DIM];
    emit_gpu_fused_extent(g->base.part->code, p, w, blocks, threads);
    return blocks[0] * blocks[1] * blocks[2];
}

/* Planes that a launch stores. */
static int64_t planes_of(const gpurun *g)
{
    const ir *code = g->base.part->code;
    return g->visit > 0 ? g->visit : points_along(code, code->dim - 1, false);
}

static emit_gpu_fused_work extent_of(const gpurun *g)
{
    const ir *code = g->base.part->code;
    return (emit_gpu_fused_work){.extent = {points_along(code, 0, false),
                                            points_along(code, 1, false),
                                            points_along(code, 2, false)},
                                 .end = planes_of(g),
                                 .behind = points_along(code, code->dim - 1, false)};
}

/* Those of which each block sweeps through all planes. */
static int64_t tiles_of(const gpurun *g, const emit_gpu_fused *p)
{
    emit_gpu_fused_work w = extent_of(g);
    w.planes = w.tail = w.end;
    return blocks_of(g, p, &w);
}

static emit_gpu_fused_work work_of(const gpurun *g, const emit_gpu_fused *p,
                                   int64_t at_once, gpu_sweep sweep)
{
    emit_gpu_fused_work w = extent_of(g);
    const int64_t all = tiles_of(g, p), parts = int_parts(w.end, sweep.planes);
    w.planes = sweep.planes;
    w.tail = sweep.tail > 0 ? sweep.tail : sweep.planes;
    w.tiles = sweep.tail > 0 ? all * parts / at_once * at_once / parts : all;
    return w;
}

emit_gpu_fused_work gpu_sweep_work(const gpurun *g, const emit_gpu_fused *p,
                                   const gpu_kernel *kernel, gpu_sweep sweep)
{
    return sweep.planes > 0
               ? work_of(g, p, blocks_at_once(gpu_facts_of(g->gpu), p, kernel), sweep)
               : extent_of(g);
}

int64_t gpu_sweep_mean(const gpurun *g, const emit_gpu_fused *p,
                       const emit_gpu_fused_work *w)
{
    return w->planes > 0 ? tiles_of(g, p) * planes_of(g) / blocks_of(g, p, w) : 0;
}

/* ---- sweeps ------------------------------------------------------------------------ */

/* In planes that one multiprocessor sweeps through, one block after another, with what it
 * reads before a tile's first. */
static int64_t cost_of(const gpurun *g, const emit_gpu_fused *p, int64_t at_once,
                       gpu_sweep sweep)
{
    const int axis = g->base.part->code->dim - 1, around = 2 * p->around[axis];
    const emit_gpu_fused_work w = work_of(g, p, at_once, sweep);
    const int64_t all = blocks_of(g, p, &w);
    const int64_t first = sweep.tail > 0 ? w.tiles * int_parts(w.end, sweep.planes) : 0;
    return int_parts(first, at_once) * ROUND * (sweep.planes + around) +
           rounds_of(all - first, at_once, gpu_facts_of(g->gpu)->multiprocessors) *
               ((sweep.tail > 0 ? sweep.tail : sweep.planes) + around);
}

/* The better stand first. */
static void put(gpu_sweep_list *list, gpu_sweep sweep, int64_t cost)
{
    int at = list->count;
    while (at > 0 && list->cost[at - 1] > cost)
        at--;
    if (at == GPU_SWEEPS)
        return;
    list->count += list->count < GPU_SWEEPS;
    for (int k = list->count - 1; k > at; k--) {
        list->sweep[k] = list->sweep[k - 1];
        list->cost[k] = list->cost[k - 1];
    }
    list->sweep[at] = sweep;
    list->cost[at] = cost;
}

/* The next shorter sweep that parts so many planes evenly; 0: there is none. */
static int64_t next_sweep(const emit_gpu_fused *p, int64_t all, int64_t planes)
{
    const int64_t parts = planes > 0 ? int_parts(all, planes) + 1 : 1;
    const int64_t next = int_parts(all, parts);
    const bool is_short = next < p->schedule.tile.steps && parts > 1;
    return is_short || parts > MOST_PARTS || next == planes ? 0 : next;
}

/* Whole rounds of blocks, and shorter parts of the tiles that are left (which are held in
 * three dimensions). */
static void put_rests(const gpurun *g, const emit_gpu_fused *p, int64_t at_once,
                      int64_t planes, gpu_sweep_list *list)
{
    const int64_t all = planes_of(g);
    gpu_sweep best = {0};
    int64_t least = INT64_MAX;
    if (g->base.part->code->dim < 3 || p->schedule.tile.storage != STORAGE_REGISTERS)
        return;
    for (int64_t tail = next_sweep(p, all, planes); tail > 0;
         tail = next_sweep(p, all, tail)) {
        const gpu_sweep sweep = {planes, tail};
        const int64_t cost = cost_of(g, p, at_once, sweep);
        if (cost >= least)
            continue;
        best = sweep;
        least = cost;
    }
    if (best.tail > 0 && work_of(g, p, at_once, best).tiles > 0)
        put(list, best, least);
}

void gpu_sweeps(const gpurun *g, const emit_gpu_fused *p, const gpu_kernel *kernel,
                gpu_sweep_list *list)
{
    const int64_t at_once = blocks_at_once(gpu_facts_of(g->gpu), p, kernel);
    const int64_t all = planes_of(g);
    *list = (gpu_sweep_list){0};
    for (int64_t planes = next_sweep(p, all, 0); planes > 0;
         planes = next_sweep(p, all, planes)) {
        const gpu_sweep sweep = {planes, 0};
        put(list, sweep, cost_of(g, p, at_once, sweep));
        put_rests(g, p, at_once, planes, list);
    }
}
