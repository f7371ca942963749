/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks and prepares trials of time blocks. A requested depth without a tile in any
 * cache is refused, with a smaller one as advice. Other shapes use the rows of single
 * steps until the fastest is tried both ways (time_choose.c). */
#include <stdio.h>

#include "run/time/time_private.h"

/* The deepest tile below the requested depth that fits a cache; 0: none. */
static int less_depth(const pav_run *run, const time_choice *c)
{
    const kernel_host host = kernel_host_of(&run->client);
    schedule requested = time_requested(run);
    time_trial one;
    while (--requested.tile.steps > 1)
        if (time_model(run, &c->state.blocking, &requested, &host, 1, &one) > 0)
            return requested.tile.steps;
    return 0;
}

/* Names the narrowest legal tile: a named tile is used whether it fits a cache or not. */
static void put_tile(const pav_run *run, const time_choice *c,
                     char words[SCHEDULE_STRING])
{
    const int column = schedule_column_axis(run->part->code->dim);
    const int64_t line = time_line(run->part->code->dim);
    schedule shape = time_requested(run);
    if (shape.tile.steps == 0)
        shape.tile.steps = 2;
    shape.tile.size[TILE_SWEEP] = 4;
    if (column >= 0)
        shape.tile.size[TILE_COLUMN] = schedule_size(
            int_rounded(2 * c->state.blocking.skew[column] + 1, line));
    schedule_string(&shape, words);
}

static pav_status refuse(const pav_run *run, const time_choice *c)
{
    char words[SCHEDULE_STRING], asked[SCHEDULE_STRING], remedy[2 * SCHEDULE_STRING];
    const int depth = less_depth(run, c);
    put_tile(run, c, words);
    if (depth > 0)
        (void)snprintf(remedy, sizeof remedy, "less depth (depth=%d)", depth);
    else
        (void)snprintf(remedy, sizeof remedy, "a tile that they need not hold (%s)",
                       words);
    return FAIL(PAV_EUNSUPPORTED,
                "%s asks for tiles that no cache of this machine holds; ask "
                "for %s, or leave out --schedule, which finds another",
                schedule_string(&run->schedule, asked), remedy);
}

pav_status temporal_fit(const pav_run *run, const time_choice *c)
{
    return !c->forced || c->count > 0 ? PAV_OK : refuse(run, c);
}

/* True if no stage of a step was faster by several rows at a time. */
static bool is_single(const pav_run *run)
{
    const executor *e = run->part->executor;
    schedule s;
    int chosen = 0, single = 0;
    for (int64_t n = 0; n < run->code->step.count; n++)
        if (e->ops.chosen(e, n, &s)) {
            chosen++;
            single += s.thread.size[1] == 1;
        }
    return chosen > 0 && single == chosen;
}

void time_take_rows(const pav_run *run, time_choice *c)
{
    if (c->has_rows || c->forced)
        return;
    c->has_rows = true;
    const int rows = is_single(run);
    for (int k = 0; k < c->count && rows; k++) {
        time_trial *t = &c->trial[k];
        if (t->shape.tile.steps > 1)
            t->shape.thread.size[1] = rows;
        schedule_string(&t->shape, t->words);
    }
}
