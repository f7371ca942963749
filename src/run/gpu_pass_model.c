/* SPDX-License-Identifier: BSD-3-Clause */
/* What passes cost by the model: bytes of a point and step; and through how many planes a block should walk. In a short
 * walk what is read before its first plane counts, and blocks that do not fill the multiprocessors a whole number of times
 * leave some of them without work at the end. */
#include "run/gpu_private.h"

enum {
    REGISTERS = 65536, /* of a multiprocessor, and of a thread that holds versions */
    HELD = 168,
    THREADS = 2048, /* of a multiprocessor */
    MOST_PARTS = 64,
    ROUND = 100, /* of blocks */
    SHORTEST = 40,
    LATE = 6
};

/* Blocks that the GPU has at once: as it says of a kernel, or as far as can be told before it is compiled. */
static int64_t blocks_at_once(const gpu_facts *f, const emit_gpu_pass *p,
                              const gpu_kernel *kernel)
{
    const int64_t threads = (int64_t)p->schedule.threads[0] * p->schedule.threads[1];
    const bool held = p->schedule.source == EMIT_GPU_SHUFFLE;
    const int64_t by_threads = held ? REGISTERS / (HELD * threads) : THREADS / threads;
    const int64_t by_memory = p->shared > 0 ? f->shared_block / p->shared : by_threads;
    const int64_t likely = by_threads < by_memory ? by_threads : by_memory;
    const int64_t known = kernel ? gpu_blocks_together(kernel, (int)threads, p->shared)
                                 : 0;
    return known > 0 ? known : f->multiprocessors * (likely > 0 ? likely : 1);
}

/* In hundredths of the time that blocks take which fill the GPU. Where few are left each has more of its multiprocessor, and
 * is done sooner; and some, at faces, are done later than the rest. */
static int64_t rounds_of(int64_t blocks, int64_t at_once, int multiprocessors)
{
    const int left = (int)(int_parts(blocks % at_once, multiprocessors) * ROUND *
                           multiprocessors / at_once);
    const int last = left == 0 || left >= ROUND ? left : int_most(left + 4, SHORTEST);

    return blocks / at_once * ROUND + last + LATE;
}

static int64_t blocks_of(const ir *code, const emit_gpu_pass *p,
                         const emit_gpu_pass_work *w)
{
    int64_t blocks[MAX_DIM];
    int threads[MAX_DIM];
    emit_gpu_pass_extent(code, p, w, blocks, threads);
    return blocks[0] * blocks[1] * blocks[2];
}

static emit_gpu_pass_work work_of(const ir *code, int64_t planes)
{
    return (emit_gpu_pass_work){.extent = {points_along(code, 0, false),
                                           points_along(code, 1, false),
                                           points_along(code, 2, false)},
                                .planes = planes};
}

/* In planes that one multiprocessor walks through, one block after another, with what it reads before a tile's first. */
static int64_t cost_of(const gpurun *g, const emit_gpu_pass *p, int64_t at_once,
                       int64_t planes)
{
    const ir *code = g->run->code;
    const int axis = code->dim - 1;
    const emit_gpu_pass_work w = work_of(code, planes);
    const int64_t extent = w.extent[axis];
    const bool even = int_parts(extent, int_parts(extent, planes)) == planes;
    const int64_t tiles = even ? 1 : 1 + int_parts(planes, extent);
    return rounds_of(blocks_of(code, p, &w), at_once, gpu_tell(g->gpu)->multiprocessors) *
           (planes + 2 * tiles * p->around[axis]);
}

/* The better stand first. */
static void put(gpu_walk_list *list, int64_t planes, int64_t cost)
{
    int at = list->count;
    while (at > 0 && list->cost[at - 1] > cost)
        at--;
    if (at == GPU_WALKS)
        return;
    list->count += list->count < GPU_WALKS;
    for (int k = list->count - 1; k > at; k--) {
        list->planes[k] = list->planes[k - 1];
        list->cost[k] = list->cost[k - 1];
    }
    list->planes[at] = planes;
    list->cost[at] = cost;
}

/* Blocks that go on in the next tile (held in three dimensions) can fill the GPU evenly. But tiles side by side are no
 * longer at the same planes then, so that what lies around them comes from memory again: 7 points of 1024^3 in f32 took
 * 1,160 Gpts/s so, and 1,384 in parts of 128 planes (H200, 2026-11-22). */
static void put_shares(const gpurun *g, const emit_gpu_pass *p, int64_t at_once,
                       gpu_walk_list *list)
{
    enum { MOST_ROUNDS = 3, DEARER = 16, THAN = 14 };
    const ir *code = g->run->code;
    const emit_gpu_pass_work whole = work_of(code, points_along(code, 2, false));
    const int64_t all = blocks_of(code, p, &whole) * whole.planes;
    if (code->dim < 3 || p->schedule.source != EMIT_GPU_SHUFFLE)
        return;
    for (int64_t rounds = 1; rounds <= MOST_ROUNDS; rounds++) {
        const int64_t planes = int_parts(all, at_once * rounds);
        if (planes >= p->schedule.depth)
            put(list, planes, cost_of(g, p, at_once, planes) * DEARER / THAN);
    }
}

void gpu_walks(const gpurun *g, const emit_gpu_pass *p, const gpu_kernel *kernel,
               gpu_walk_list *list)
{
    const int64_t at_once = blocks_at_once(gpu_tell(g->gpu), p, kernel);
    const int64_t all = points_along(g->run->code, g->run->code->dim - 1, false);
    int64_t before = 0;
    *list = (gpu_walk_list){0};
    for (int64_t parts = 1; parts <= MOST_PARTS; parts++) {
        const int64_t planes = int_parts(all, parts);
        if (planes != before && (parts == 1 || planes >= p->schedule.depth))
            put(list, planes, cost_of(g, p, at_once, planes));
        before = planes;
    }
    put_shares(g, p, at_once, list);
}

/* ---- bytes -------------------------------------------------------------------------------- */

static pav_status forecast(const gpurun *g, const emit_gpu_schedule *wanted,
                           gpu_pass_forecast *f)
{
    const ir *code = g->run->code;
    emit_gpu_schedule suited = *wanted;
    gpu_walk_list walks;
    emit_gpu_pass what;
    TRY(gpu_pass_find(g, &suited, &what));
    const pav_status status = gpu_pass_check_looks(g, &what);
    if (status != PAV_OK)
        emit_gpu_pass_free(&what);
    TRY(status);
    gpu_walks(g, &what, NULL, &walks);
    const int64_t planes = what.schedule.form == EMIT_GPU_RESIDENT ? 0
                           : wanted->planes > 0                    ? wanted->planes
                                                                   : walks.planes[0];
    *f = (gpu_pass_forecast){.wanted = *wanted,
                             .schedule = what.schedule,
                             .bytes = emit_gpu_pass_bytes(code, &what, planes),
                             .shared = what.shared};
    if (what.schedule.form != EMIT_GPU_RESIDENT)
        f->schedule.planes = (int)planes;
    emit_gpu_pass_free(&what);
    return PAV_OK;
}

double gpu_points(const ir *code)
{
    double all = 1;
    for (int axis = 0; axis < code->dim; axis++)
        all *= (double)points_along(code, axis, false);
    return all;
}

/* Where there is no accelerator, by threads. */
static void suit(const gpurun *g, emit_gpu_schedule *likely)
{
    enum { AHEAD = 2 };
    if (likely->copy != EMIT_GPU_TMA || !gpu_part_refusal(g->gpu))
        return;
    likely->copy = EMIT_GPU_ASYNC;
    likely->prefetch = AHEAD;
}

/* What this GPU lacks something for is left out. */
pav_status gpu_pass_likely(const gpurun *g, double single,
                           gpu_pass_forecast list[EMIT_GPU_PASSES], int *count)
{
    emit_gpu_schedule likely[EMIT_GPU_PASSES];
    int known;
    *count = 0;
    TRY(emit_gpu_pass_likely(g->run->code, likely, &known));
    for (int n = 0; n < known; n++) {
        gpu_pass_forecast *f = &list[*count];
        suit(g, &likely[n]);
        const pav_status status = forecast(g, &likely[n], f);
        if (status != PAV_OK && status != PAV_EUNSUPPORTED)
            return status;
        *count += status == PAV_OK &&
                  (single <= 0 || f->bytes * gpu_points(g->run->code) < single);
    }
    return PAV_OK;
}

/* ---- what was asked for ------------------------------------------------------------------- */

/* "time" alone asks for what is likely of it, and so does "resident". */
static bool is_bare(const emit_gpu_schedule *wanted)
{
    const emit_gpu_schedule bare = {.form = wanted->form};
    return emit_gpu_schedule_is_same(wanted, &bare);
}

/* Blocks that stay, as seldom as the model has them meet, and twice and half as often. */
static pav_status add_meetings(const gpurun *g, gpu_pass_forecast list[EMIT_GPU_PASSES],
                               int *count)
{
    emit_gpu_schedule wanted = {.form = EMIT_GPU_RESIDENT};
    TRY(forecast(g, &wanted, &list[0]));
    const int usual = list[0].schedule.depth, others[] = {usual / 2, 2 * usual};
    *count = 1;
    for (size_t n = 0; n < COUNT_OF(others); n++) {
        wanted.depth = others[n];
        if (wanted.depth > 0 && wanted.depth <= EMIT_GPU_MOST_TIME &&
            forecast(g, &wanted, &list[*count]) == PAV_OK)
            (*count)++;
    }
    return PAV_OK;
}

pav_status gpu_pass_asked(const gpurun *g, const emit_gpu_schedule *wanted,
                          gpu_pass_forecast list[EMIT_GPU_PASSES], int *count)
{
    int likely = 0;
    *count = 0;
    if (is_bare(wanted) && wanted->form == EMIT_GPU_RESIDENT)
        return add_meetings(g, list, count);
    if (is_bare(wanted))
        TRY(gpu_pass_likely(g, 0, list, &likely));
    for (int n = 0; n < likely; n++)
        if (list[n].wanted.form == EMIT_GPU_TIME)
            list[(*count)++] = list[n];
    if (*count > 0)
        return PAV_OK;
    *count = 1;
    return forecast(g, wanted, &list[0]);
}
