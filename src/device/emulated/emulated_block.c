/* SPDX-License-Identifier: BSD-3-Clause */
/* One block of an emulated GPU. Its threads take turns on one host thread and yield only
 * at barriers, shuffles and waits. The order of turns is forward, backward or random. It
 * differs between blocks and launches but is the same in every run. A warp runs as long
 * as any of its threads can. So a read before a missing barrier gives a wrong value in
 * some order. */
#define _GNU_SOURCE
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device/emulated/emulated_private.h"

enum { SIGNALS = 1 << 16, SUITS = 128 /* alignment of every copy */, NEAR = 1024 };
enum turn_order { SHUFFLED, BACKWARDS, FORWARDS, TURN_ORDERS };

static _Thread_local emulated_block *now;

emulated_block *emulated_block_now(void)
{
    return now && now->current >= 0 ? now : NULL;
}

/* ---- failures ---------------------------------------------------------------------- */

static struct emulated_index split(int64_t number, const int64_t extent[3])
{
    return (struct emulated_index){(unsigned)(number % extent[0]),
                                   (unsigned)(number / extent[0] % extent[1]),
                                   (unsigned)(number / extent[0] / extent[1])};
}

static struct emulated_index thread_of(const emulated_block *b, int lane)
{
    const int *threads = b->grid->call->threads;
    const int64_t extent[3] = {threads[0], threads[1], threads[2]};

    return split(lane, extent);
}

static void leave(emulated_block *b)
{
    void *forgotten;

    if (b->current >= 0 && !b->caught)
        fibre_switch(&forgotten, b->scheduler);
}

void emulated_abandon(void)
{
    now->caught = false;
    leave(now);
}

void emulated_fail(emulated_block *b, int lane, const char *format, ...)
{
    const struct emulated_index at = split(b->number, b->grid->call->blocks);
    const struct emulated_index thread = thread_of(b, lane < 0 ? 0 : lane);
    char who[64] = "", what[EMULATED_FAILURE / 2];
    va_list list;

    if (lane >= 0)
        (void)snprintf(who, sizeof who, ", thread (%u, %u, %u)", thread.x, thread.y,
                       thread.z);
    va_start(list, format);
    (void)vsnprintf(what, sizeof what, format, list);
    va_end(list);
    (void)snprintf(b->failure, sizeof b->failure, "kernel %s, block (%u, %u, %u)%s %s",
                   b->grid->kernel->name, at.x, at.y, at.z, who, what);
    b->failed = true;
    leave(b);
}

/* ---- turns ------------------------------------------------------------------------- */

static void shuffle(emulated_block *b, int *order, int count)
{
    for (int n = count - 1; n > 0; n--) {
        const int m = (int)rng_below(&b->random, n + 1), kept = order[n];
        order[n] = order[m];
        order[m] = kept;
    }
}

static void put_in_order(emulated_block *b, int *order, int count)
{
    for (int n = 0; n < count; n++)
        order[n] = b->turn_order == BACKWARDS ? count - 1 - n : n;
    if (b->turn_order == SHUFFLED)
        shuffle(b, order, count);
}

static void run_lane(void)
{
    emulated_block *b = now;

    b->grid->kernel->enter(b->grid->argument);
    b->lane[b->current].state = LANE_DONE;
    leave(b);
}

static bool begin(emulated_block *b, emulated_lane *l)
{
    l->stack = fibre_stack_take(&b->stacks);
    if (l->stack) {
        l->top = fibre_new(l->stack, run_lane);
        l->state = LANE_READY;
    } else {
        emulated_fail(b, -1, "finds no memory for the stacks of %d threads", b->threads);
    }
    return l->stack != NULL;
}

static void end(emulated_block *b, emulated_lane *l)
{
    if (l->stack)
        fibre_stack_give(&b->stacks, l->stack);
    l->stack = NULL;
    l->state = LANE_DONE;
    b->left--;
}

static void resume(emulated_block *b, int lane)
{
    emulated_lane *l = &b->lane[lane];

    if (l->state == LANE_NEW && !begin(b, l))
        return;
    b->current = lane;
    b->here->thread = thread_of(b, lane);
    fibre_switch(&b->scheduler, l->top);
    b->current = -1;
    if (l->state == LANE_DONE)
        end(b, l);
}

void emulated_suspend(emulated_block *b)
{
    emulated_lane *l = &b->lane[b->current];

    fibre_switch(&l->top, b->scheduler);
}

static bool may_run(const emulated_block *b, int lane)
{
    return lane < b->threads && b->lane[lane].state <= LANE_READY;
}

/* Runs a warp until none of its threads can go on. */
static bool run_warp(emulated_block *b, int warp)
{
    bool any = false, again = true;

    while (again) {
        again = false;
        for (int k = 0; k < EMULATED_LANES; k++) {
            const int lane = warp * EMULATED_LANES + b->order[k];
            if (!may_run(b, lane))
                continue;
            resume(b, lane);
            any = again = true;
            if (b->failed || b->released)
                return true;
        }
    }
    return any;
}

static bool run_warps(emulated_block *b)
{
    bool any = emulated_inspect(b);

    b->released = false;
    put_in_order(b, b->warp, b->warps);
    for (int k = 0; k < b->warps && !b->failed && !b->released; k++)
        any |= run_warp(b, b->warp[k]);
    return any;
}

/* ---- a block ----------------------------------------------------------------------- */

static void prepare(emulated_block *b, int64_t number)
{
    const emulated_grid *g = b->grid;
    const int *threads = g->call->threads;

    b->number = number;
    b->random = (rng){
        hash_mix(g->seed ^ hash_mix((uint64_t)(number + g->number * 7919)))};
    b->turn_order = (int)((number + g->number) % TURN_ORDERS);
    b->hasty = b->turn_order == FORWARDS;
    b->threads = b->left = threads[0] * threads[1] * threads[2];
    b->warps = (b->threads + EMULATED_LANES - 1) / EMULATED_LANES;
    b->current = -1;
    memset(b->barrier, 0, sizeof b->barrier);
    memset(b->met, 0, sizeof b->met);
    b->waiting = 0;
    for (int n = 0; n < b->threads; n++) {
        b->lane[n].state = LANE_NEW;
        b->lane[n].group = 0;
        b->lane[n].copies.count = 0;
    }
    put_in_order(b, b->order, EMULATED_LANES);
}

static void poison(emulated_block *b)
{
    const emulated_grid *g = b->grid;
    const int64_t room = (g->call->shared + SUITS - 1) / SUITS * SUITS;
    char *start = b->shared->start + b->shared->bytes - room;

    if (b->fixed)
        memset(b->fixed, EMULATED_POISON, (size_t)b->fixed_bytes);
    memset(start - NEAR, EMULATED_POISON, (size_t)(NEAR + room));
    *b->here = (struct emulated_here){.block = split(b->number, g->call->blocks),
                                      .shared = start,
                                      .ask = emulated_serve};
    const int *threads = g->call->threads;
    const int64_t *blocks = g->call->blocks;
    b->here->threads = (struct emulated_index){(unsigned)threads[0], (unsigned)threads[1],
                                               (unsigned)threads[2]};
    b->here->blocks = (struct emulated_index){(unsigned)blocks[0], (unsigned)blocks[1],
                                              (unsigned)blocks[2]};
}

/* Checks the poison around the dynamic shared memory of the launch. */
static bool shared_is_whole(const emulated_block *b)
{
    const char *start = b->here->shared;

    return poison_is_kept(start - NEAR, start) &&
           poison_is_kept(start + b->grid->call->shared,
                          b->shared->start + b->shared->bytes);
}

void emulated_block_end(emulated_block *b)
{
    if (!b->failed && b->bulk.count > 0)
        emulated_fail(b, -1,
                      "ends while %lld copies into its shared memory are under way",
                      (long long)b->bulk.count);
    if (!b->failed && !shared_is_whole(b))
        emulated_fail(b, -1, "wrote outside of its %lld bytes of shared memory",
                      (long long)b->grid->call->shared);
    for (int n = 0; n < b->threads; n++)
        if (b->lane[n].state != LANE_DONE)
            end(b, &b->lane[n]);
    b->bulk.count = 0;
}

void emulated_block_begin(emulated_block *b, int64_t number)
{
    prepare(b, number);
    poison(b);
}

bool emulated_block_advance(emulated_block *b)
{
    bool any = false;

    while (b->left > 0 && !b->failed && (run_warps(b) || emulated_land(b)))
        any = true;
    return any;
}

void emulated_block_run(emulated_block *b, int64_t number)
{
    emulated_block_begin(b, number);
    (void)emulated_block_advance(b);
    if (b->left > 0 && !b->failed)
        emulated_stuck(b);
    emulated_block_end(b);
}

/* ---- resources --------------------------------------------------------------------- */

pav_status emulated_block_open(emulated_block *b)
{
    b->current = -1;
    b->lane = mem_new(EMULATED_THREADS, sizeof *b->lane);
    b->signals = mem_new(1, SIGNALS);
    b->shared = fenced_new(NEAR + EMULATED_SHARED);
    if (!b->lane || !b->signals)
        return PAV_ENOMEM;
    if (!b->shared)
        return FAIL(PAV_ENOMEM, "there is no memory for the blocks of the emulated GPU");
    return PAV_OK;
}

void emulated_block_close(emulated_block *b)
{
    for (int n = 0; b->lane && n < EMULATED_THREADS; n++)
        mem_free(b->lane[n].copies.copy);
    fibre_stacks_free(&b->stacks);
    fenced_free(b->shared);
    mem_free(b->bulk.copy);
    mem_free(b->kept);
    mem_free(b->signals);
    mem_free(b->lane);
}

/* Finds the calling thread's thread-local variables in the object of the kernel: `here`
 * lies among them. */
static int find_fixed(struct dl_phdr_info *info, size_t size, void *argument)
{
    emulated_block *b = argument;
    const char *here = (const char *)b->here;

    (void)size;
    for (int n = 0; info->dlpi_tls_data && n < info->dlpi_phnum; n++) {
        char *start = info->dlpi_tls_data;
        const int64_t bytes = (int64_t)info->dlpi_phdr[n].p_memsz;
        if (info->dlpi_phdr[n].p_type == PT_TLS && here >= start &&
            here < start + bytes) {
            b->fixed = start;
            b->fixed_bytes = bytes;
            return 1;
        }
    }
    return 0;
}

void emulated_block_enter(emulated_block *b, const emulated_grid *grid)
{
    const stack_t stack = {.ss_sp = b->signals, .ss_size = SIGNALS};

    b->grid = grid;
    b->here = grid->kernel->place();
    b->fixed = NULL;
    b->failed = false;
    (void)dl_iterate_phdr(find_fixed, b);
    (void)sigaltstack(&stack, &b->before);
    now = b;
}

void emulated_block_leave(emulated_block *b)
{
    now = NULL;
    (void)sigaltstack(&b->before, NULL);
}
