/* SPDX-License-Identifier: BSD-3-Clause */
/* A launch on an emulated GPU. Its blocks run forward or backward on the threads of the
 * host's team; each thread takes a few blocks at a time. */
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

static void run_few(work *w, emulated_block *b, int64_t first)
{
    const int64_t total = w->grid->total;
    const int64_t end = first + w->few < total ? first + w->few : total;

    for (int64_t n = first; n < end && !b->failed; n++)
        emulated_block_run(b, w->grid->number % 2 ? total - 1 - n : n);
}

static void run_part(void *argument, int64_t part)
{
    work *w = argument;
    emulated_block *b = &w->gpu->block[part];

    emulated_block_enter(b, w->grid);
    while (!b->failed && !atomic_load(&w->failed)) {
        const int64_t first = atomic_fetch_add(&w->next, w->few);
        if (first >= w->grid->total)
            break;
        run_few(w, b, first);
    }
    emulated_block_leave(b);
    if (b->failed)
        atomic_store(&w->failed, true);
}

static int64_t parts_of(const emulated_gpu *g, const emulated_grid *grid)
{
    const int *threads = grid->call->threads;
    const int64_t most = MOST_STACKS / (threads[0] * threads[1] * threads[2]);
    int64_t parts = grid->total < g->blocks ? grid->total : g->blocks;

    parts = parts < most ? parts : most;
    return parts > 1 ? parts : 1;
}

/* Reports the first failed block in launch order. This is the same block in every run,
 * because each thread finishes the blocks it has taken even after others failed. */
static pav_status verdict(const emulated_gpu *g, const emulated_grid *grid, int64_t parts)
{
    const emulated_block *first = NULL;
    const bool backwards = grid->number % 2 != 0;

    for (int64_t n = 0; n < parts; n++) {
        const emulated_block *b = &g->block[n];
        if (b->failed && (!first || (b->number < first->number) != backwards))
            first = b;
    }
    return first ? FAIL(PAV_EDEVICE, "%s", first->failure) : PAV_OK;
}

pav_status emulated_run(emulated_gpu *g, emulated_grid *grid)
{
    const int64_t parts = parts_of(g, grid), few = grid->total / parts / 8;
    work w = {.gpu = g, .grid = grid, .few = few < 1 ? 1 : few < 64 ? few : 64};

    fault_watch();
    host_team_run(g->team, parts, run_part, &w);
    fault_unwatch();
    return verdict(g, grid, parts);
}
