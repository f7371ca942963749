/* SPDX-License-Identifier: BSD-3-Clause */
/* A launch on an emulated GPU. Its blocks run forward or backward on the threads of the
 * host's team; each thread takes a few blocks at a time. Blocks of a cooperative launch
 * take turns. */
#include <stdatomic.h>
#include <string.h>

#include "device/emulated/emulated_private.h"

enum {
    MOST_STACKS = 8192 /* stacks of all threads; the system limits the number of maps */
};

typedef struct work {
    emulated_gpu *gpu;
    emulated_grid *grid;
    int64_t few; /* blocks taken at a time */
    atomic_llong next;
    atomic_bool failed;
} work;

static void run_part(void *argument, int64_t part)
{
    work *w = argument;
    emulated_block *b = &w->gpu->block[part];

    emulated_block_enter(b, w->grid);
    while (!b->failed && !atomic_load(&w->failed)) {
        const int64_t first = atomic_fetch_add(&w->next, w->few);
        if (first >= w->grid->total)
            break;
        const int64_t total = w->grid->total, end = int64_least(first + w->few, total);
        for (int64_t n = first; n < end && !b->failed; n++)
            emulated_block_run(b, w->grid->number % 2 ? total - 1 - n : n);
    }
    emulated_block_leave(b);
    if (b->failed)
        atomic_store(&w->failed, true);
}

/* Reports the first failed block in launch order. This is the same block in every run,
 * because each thread finishes the blocks it has taken even after others failed. */
pav_status emulated_run(emulated_gpu *g, emulated_grid *grid)
{
    const int *threads = grid->call->threads;
    const int64_t most = MOST_STACKS / (threads[0] * threads[1] * threads[2]);
    const int64_t parts = int64_most(
        1, int64_least(most, int64_least(grid->total, g->blocks)));
    const int64_t few = grid->total / parts / 8;
    work w = {.gpu = g, .grid = grid, .few = few < 1 ? 1 : few < 64 ? few : 64};
    const emulated_block *first = NULL;
    const bool backwards = grid->number % 2 != 0;

    fault_watch();
    host_team_run(g->team, parts, run_part, &w);
    fault_unwatch();
    for (int64_t n = 0; n < parts; n++) {
        const emulated_block *b = &g->block[n];
        if (b->failed && (!first || (b->number < first->number) != backwards))
            first = b;
    }
    return first ? FAIL(PAV_EDEVICE, "%s", first->failure) : PAV_OK;
}

/* ---- cooperative launches ---------------------------------------------------------- */

/* All blocks exist at once and may wait for each other. They take turns on one host
 * thread in changing order. A turn lasts until all threads of the block wait for other
 * blocks. Static shared variables of a kernel are thread-local variables of the host
 * thread, so each turn swaps in the block's own values. */

int64_t emulated_cooperative_blocks(const gpu_kernel *k, int threads, int64_t shared)
{
    const gpu_facts *f = &k->module->owner->facts;
    const int64_t by_memory = f->shared_multiprocessor / (shared + GPU_BLOCK_RESERVED);
    const int64_t by_threads = gpu_facts_architecture(f)->threads / threads;
    const int64_t most = by_memory < by_threads ? by_memory : by_threads;
    const int64_t all = most * f->multiprocessors, stacks = MOST_STACKS / threads;

    return all < stacks ? all : stacks;
}

void emulated_cooperative_close(emulated_gpu *g)
{
    for (int64_t n = 0; n < g->together; n++)
        emulated_block_close(&g->crowd[n]);
    mem_free(g->crowd);
}

/* ---- turns ------------------------------------------------------------------------- */

static void enter(emulated_block *b, const emulated_grid *grid)
{
    const bool failed = b->failed;

    emulated_block_enter(b, grid);
    b->failed = failed;
    memcpy(b->fixed, b->kept, (size_t)b->fixed_bytes);
}

static void leave(emulated_block *b)
{
    if (b->kept)
        memcpy(b->kept, b->fixed, (size_t)b->fixed_bytes);
    emulated_block_leave(b);
}

/* Each round starts with another block, so no block is always ahead of another. */
static bool take_repetitions(emulated_gpu *g, const emulated_grid *grid, rng *random)
{
    const int64_t first = rng_below(random, grid->total);
    bool any = false, failed = false;

    for (int64_t n = 0; n < grid->total && !failed; n++) {
        emulated_block *b = &g->crowd[(first + n) % grid->total];
        if (b->left > 0) {
            enter(b, grid);
            any = emulated_block_advance(b) || any;
            leave(b);
        }
        failed = b->failed;
    }
    return any && !failed;
}

/* ---- the launch -------------------------------------------------------------------- */

static emulated_block *find_failed(emulated_gpu *g, const emulated_grid *grid)
{
    for (int64_t n = 0; n < grid->total; n++)
        if (g->crowd[n].failed)
            return &g->crowd[n];
    return NULL;
}

static pav_status begin_all(emulated_gpu *g, const emulated_grid *grid)
{
    const int64_t count = int64_most(grid->total, g->together);
    emulated_block *grown = count > g->together ? mem_grow(g->crowd, count, sizeof *grown)
                                                : g->crowd;

    if (!grown)
        return PAV_ENOMEM;
    g->crowd = grown;
    while (g->together < count) {
        emulated_block *b = &g->crowd[g->together++];
        *b = (emulated_block){0};
        TRY(emulated_block_open(b));
    }
    for (int64_t n = 0; n < grid->total; n++) {
        emulated_block *b = &g->crowd[n];
        emulated_block_enter(b, grid);
        mem_free(b->kept);
        b->kept = mem_new(b->fixed_bytes, 1);
        if (b->kept)
            emulated_block_begin(b, n);
        leave(b);
        if (!b->kept)
            return PAV_ENOMEM;
    }
    return PAV_OK;
}

pav_status emulated_run_cooperative(emulated_gpu *g, emulated_grid *grid)
{
    rng random = {hash_mix(grid->seed ^ (uint64_t)grid->number)};

    TRY(begin_all(g, grid));
    fault_watch();
    while (take_repetitions(g, grid, &random)) {
    }
    /* If no block could go on, an unfinished block would wait for ever. */
    emulated_block *failed = find_failed(g, grid);
    for (int64_t n = 0; n < grid->total; n++) {
        emulated_block *b = &g->crowd[n];
        enter(b, grid);
        if (!failed && b->left > 0)
            emulated_stuck(b);
        emulated_block_end(b);
        leave(b);
        failed = failed ? failed : find_failed(g, grid);
    }
    fault_unwatch();
    return failed ? FAIL(PAV_EDEVICE, "%s", failed->failure) : PAV_OK;
}
