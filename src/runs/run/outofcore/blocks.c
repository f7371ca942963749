/* SPDX-License-Identifier: BSD-3-Clause */
/* The next blocks of a run, through one or several windows. Windows take blocks in turn:
 * block n + 1 begins in the next window as soon as block n has left the planes it reads.
 * So the whole grid passes through each window, and one window computes while another is
 * filled. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"
#include "run/outofcore/outofcore_private.h"

enum { ROUNDS = 4 /* rounds of the windows before a user can stop the run */ };

typedef struct pipeline {
    pav_run *run;
    outofcore_block *block; /* the blocks of a round, in their order */
    int64_t blocks, over;   /* over: blocks finished, from the first on */
    double begun;
} pipeline;

/* ---- progress of a block ----------------------------------------------------------- */

static bool is_done(const outofcore_block *b)
{
    return b->begun && b->next > b->axis.tiles;
}

/* Block n needs planes that block n - 1 has left: it may go on if its next visit, and the
 * prefetch for the visit after it, read none before the transfers of earlier visits of
 * block n - 1 are over. */
static bool may_continue(const pipeline *p, int64_t n)
{
    const outofcore_block *b = &p->block[n];
    const int at_once = outofcore_at_once(p->run->outofcore);
    const bool is_free = n < at_once || is_done(&p->block[n - at_once]);
    if (is_done(b) || (!b->begun && !is_free))
        return false;
    if (n == p->over || is_done(b - 1))
        return true;
    const outofcore_block *before = b - 1;
    const int64_t visit = int64_least(b->next + 1, b->axis.tiles - 1);
    return before->next >= 2 &&
           outofcore_window_of(before->o, before->steps, before->next - 2).lo >=
               outofcore_window_of(b->o, b->steps, visit).hi;
}

/* ---- one block --------------------------------------------------------------------- */

static pav_status go_on(outofcore_block *b)
{
    if (!b->begun)
        TRY(outofcore_block_open(b));
    if (b->next < b->axis.tiles)
        return outofcore_block_visit(b);
    b->next++;
    /* The last planes come back. */
    const double begun = clock_seconds();
    outofcore_turn(b, 0, 0);
    TRY(outofcore_leave(b));
    return outofcore_note(b, true, b->axis.tiles - 1, begun);
}

/* Waits for transfers of the block, except those that drain during the next block. */
static void outofcore_block_close(outofcore_block *b)
{
    if (b->begun && (b->moves > 0 || b->o->disk))
        (void)outofcore_exchanged(b);
    b->window->uniform = b->run->part->uniform;
    mem_free(b->move);
    outofcore_forget_old(b);
    arena_free(b->arena);
}

/* The store now belongs to the last step of the block. The caller samples this step,
 * unless the next block follows at once. */
static pav_status end_block(pipeline *p, outofcore_block *b)
{
    pav_run *run = p->run;
    outofcore *o = run->outofcore;
    /* Blocks end in order, since each begins with the last step of the one before. */
    assert(b->step == run->part->step && b->ahead == 0);
    outofcore_block_close(b);
    o->blocks++;
    o->behind = !b->whole;
    for (int n = 0; n < b->steps; n++)
        subdomain_rotate(run->part);
    subdomain_set_step(run->part, run->part->step + b->steps);
    run_count_block(run, b->steps);
    for (int64_t n = p->over; n < p->blocks; n++)
        p->block[n].ahead -= b->steps;
    return time_keep_rows(run, outofcore_state(b->o), b->step, b->steps + b->goes_on);
}

/* ---- blocks ------------------------------------------------------------------------ */

static void part_block(pipeline *p, int64_t n, int64_t steps, int64_t ahead, bool whole)
{
    pav_run *run = p->run;
    outofcore *o = outofcore_of(run, (int)(n % outofcore_at_once(run->outofcore)));
    const bool at_end = n + 1 == p->blocks;
    p->block[n] = (outofcore_block){.run = run,
                                    .o = o,
                                    .window = o->window,
                                    .number = run->outofcore->blocks + n - p->over,
                                    .axis = outofcore_axis(o, (int)steps),
                                    .step = run->part->step + ahead,
                                    .ahead = ahead,
                                    .steps = (int)steps,
                                    .first = n == 0,
                                    .last = at_end,
                                    .goes_on = !at_end || (o->stay > 0 && !whole),
                                    .whole = whole && at_end};
}

/* ---- who stops the run ------------------------------------------------------------- */

/* The number of blocks begun so far. */
static int64_t begun(const pipeline *p)
{
    int64_t n = p->over;
    while (n < p->blocks && p->block[n].begun)
        n++;
    return n;
}

static int64_t visits_taken(const pipeline *p)
{
    int64_t taken = 0;
    for (int64_t n = 0; n < begun(p); n++)
        taken += int64_least(p->block[n].next, p->block[n].axis.tiles);
    return taken;
}

/* Visits left until all levels are in the store, if the round ends after `blocks` blocks.
 * If the last of them is not whole, a single step must follow to leave the oldest
 * levels. */
static int64_t visits_left(const pipeline *p, int64_t blocks)
{
    int64_t left = p->block[blocks - 1].whole
                       ? 0
                       : outofcore_axis(p->run->outofcore, 1).tiles;
    for (int64_t n = p->over; n < blocks; n++) {
        const outofcore_block *b = &p->block[n];
        left += b->axis.tiles - int64_least(b->next, b->axis.tiles);
    }
    return left;
}

static double seconds_left(const pipeline *p, int64_t blocks)
{
    return (clock_seconds() - p->begun) / (double)visits_taken(p) *
           (double)visits_left(p, blocks);
}

static void note_visits_left(const pipeline *p)
{
    const outofcore *o = p->run->outofcore;
    const outofcore_block *last = &p->block[p->blocks - 1];
    const long long step = last->step + last->steps + (last->whole ? 0 : 1);
    const int64_t left = visits_left(p, p->blocks), all = left + visits_taken(p);
    exec_note(&p->run->client,
              "the run stops after step %lld, at the end of what is under way, %s: %lld "
              "of %lld visits are left, some %s",
              step,
              o->disk && o->disk->kept ? "before which it has a checkpoint on disk"
                                       : "until which fields are updated in place",
              (long long)left, (long long)all,
              duration_words(NULL, seconds_left(p, p->blocks)).s);
}

/* Looks at wishes and limits between visits, because nothing within a visit does. */
static void check_wishes(pipeline *p)
{
    outofcore *o = p->run->outofcore;
    if (o->stops || p->over == p->blocks)
        return;
    run_ask_whether_to_stop(p->run);
    /* Stops a round before its next block if this block would exceed the time limit.
     * Finished visits give the estimate, once half a block is done. */
    const int64_t blocks = begun(p);
    if (p->blocks > 1 && blocks > p->over &&
        2 * visits_taken(p) >= p->block[0].axis.tiles)
        time_limit_within(p->run, seconds_left(p, int64_least(blocks + 1, p->blocks)));
    if (!p->run->progress.stopped)
        return;
    /* Ends the round after the last begun block. If all begun blocks are finished, the
     * round gets one more block of a single step. */
    o->stops = true;
    p->blocks = int64_most(blocks, p->over + 1);
    if (blocks == p->over)
        part_block(p, blocks, 1, p->block[blocks].ahead, true);
    p->block[p->blocks - 1].last = true;
    note_visits_left(p);
}

/* ---- all of them ------------------------------------------------------------------- */

/* Rows of receivers in a block are kept before the next block passes through its
 * window. */
static pav_status take_all(pipeline *p)
{
    while (p->over < p->blocks)
        for (int64_t n = p->over; n < p->blocks; n++) {
            if (may_continue(p, n))
                TRY(go_on(&p->block[n]));
            while (p->over < p->blocks && is_done(&p->block[p->over])) {
                TRY(end_block(p, &p->block[p->over++]));
            }
            check_wishes(p);
        }
    return PAV_OK;
}

static pav_status take_some(pav_run *run, int64_t most)
{
    outofcore *o = run->outofcore;
    if (o->why_stages[0]) {
        const bool on_disk = run->outofcore->disk != NULL;
        run->outofcore->blocks++;
        if (on_disk)
            TRY(disk_begin_single(run));
        TRY(run_one_step(run, 1));
        return on_disk ? disk_seal_round(run) : PAV_OK;
    }
    o->stops = o->stops && run->progress.stopped;
    const int64_t room = time_until_event(run, most);
    const int64_t depth = run->progress.stopped ? 1 : o->steps;
    /* A stop or a checkpoint needs a block that leaves all levels in the store. */
    const checkpoint_plan *c = &run->checkpoint;
    const bool waited = run->progress.stopped || run->limit.over ||
                        (c->path && (c->waits || checkpoint_is_requested(run)));
    const int at_once = outofcore_at_once(o);
    const int64_t blocks = int_parts(room, depth), at_most = ROUNDS * at_once;
    pipeline p = {.run = run,
                  .begun = clock_seconds(),
                  .blocks = at_once == 1 || waited ? 1 : int64_least(blocks, at_most)};
    TRY(mem_take(&p.block, p.blocks, sizeof *p.block));
    /* The last steps before an observation are divided into equal blocks. */
    int64_t ahead = 0;
    for (int64_t n = 0; n < p.blocks; n++) {
        const int64_t left = room - ahead;
        const int64_t steps = left >= 2 * depth ? depth
                                                : int_parts(left, int_parts(left, depth));
        part_block(&p, n, steps, ahead, ahead + steps == room || waited);
        ahead += steps;
    }
    const pav_status status = take_all(&p);
    for (int64_t n = p.over; n < p.blocks; n++)
        outofcore_block_close(&p.block[n]);
    mem_free(p.block);
    return status;
}

pav_status outofcore_steps(pav_run *run, int64_t most)
{
    outofcore *o = run->outofcore;
    TRY(run_check_whole(run));
    if (o->disk)
        TRY(checkpoint_of_start(run));
    o->under_way = true;
    const pav_status status = take_some(run, most);
    o->under_way = false;
    /* some visits of the block are done, so no level is whole */
    failure_keep(&o->broken, status);
    return status;
}
