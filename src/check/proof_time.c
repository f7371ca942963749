/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that temporal blocking is bitwise identical to single steps, with several
 * depths, tiles smaller than their skew, and several numbers of threads. Programs without
 * legal fusion are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

enum { TIME_RUNS = 3, TIME_STEPS = 7 };

/* Draws the shape of time tiles from the seed. Some hundred programs use all shapes.
 * Grids are small, so passes of more than two steps seldom have several tiles along a
 * periodic axis. */
static schedule shape_of(const program *p, bool brief, uint64_t seed)
{
    static const int wide[] = {1, 2, 3, 5, 8, 33}, thick[] = {1, 2, 3, 7},
                     along[] = {0, 0, 1, 5, 16, 33};
    schedule s = {.kind = SCHEDULE_CPU_TIME,
                  .tile.steps = brief ? 2 : 2 + (int)(seed % 6),
                  .thread.size[1] = seed >> 8 & 1,
                  .close = seed >> 9 & 1};

    s.tile.size[TILE_SWEEP] = thick[(seed >> 16) % COUNT_OF(thick)];
    s.device.size[0] = 1 + (int)(seed >> 48 & 3);
    if (p->dim == 1)
        return s;
    s.tile.size[TILE_COLUMN] = wide[(seed >> 24) % COUNT_OF(wide)];
    if (p->dim == 3)
        s.tile.size[TILE_WIDTH] = along[(seed >> 52) % COUNT_OF(along)];
    s.shape = (schedule_shape)((seed >> 32) % (SHAPE_DIAMOND + 1));
    s.close |= s.shape != SHAPE_SKEWED;
    return s;
}

static bool is_looked_at(const program *p, int64_t step)
{
    for (const statement *s = p->first; s; s = s->next) {
        const bool until = s->kind == STATEMENT_UNTIL;
        const int64_t every = until && s->every_steps == 0 ? 1 : s->every_steps;

        if ((until || s->kind == STATEMENT_MEASURE) && every > 0 && step % every == 0)
            return true;
    }
    return false;
}

/* True if two steps can follow each other without other work between, once the borders of
 * all buffers are kept. */
static bool has_room(const program *p, const ir *code)
{
    int64_t from = 0;

    for (int64_t f = 0; f < code->fields; f++)
        from = code->field[f].levels >= from ? code->field[f].levels + 1 : from;
    for (int64_t step = from; step + 2 <= TIME_STEPS; step++)
        if (!is_looked_at(p, step + 1))
            return true;
    return false;
}

static void add_tally(const block_count *count, proof_tally *tally)
{
    tally->several |= count->taken > 0;
    tally->turned |= count->tile.turned;
    tally->shared |= count->tile.sharers > 1;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        tally->tiled[axis] |= count->tile.most[axis] > 1;
        tally->around[axis] |= count->tile.around[axis];
    }
}

static pav_status passes_were_taken(const proof_case *c, const pav_run *run)
{
    const block_count *count = run_blocks(run);

    if (c->tally)
        add_tally(count, c->tally);
    return count->taken > 0 || pav_run_step(run) < TIME_STEPS ||
                   !has_room(c->program, run_code(run))
               ? PAV_OK
               : FAIL(PAV_EINTERNAL,
                      "%d steps went one by one, where some may share a "
                      "pass",
                      TIME_STEPS);
}

static pav_status agree_in_time(const proof_case *c, const kernel_set *set,
                                int64_t number, bool brief, uint64_t seed,
                                pav_run *reference)
{
    static const int threads[] = {1, 2, 3, 5};
    const schedule shape = shape_of(c->program, brief, seed);
    const int team = threads[(seed >> 40) % COUNT_OF(threads)];
    schedule loop = {.kind = SCHEDULE_ROWS};
    char string[SCHEDULE_STRING];
    pav_run *run = NULL;
    bool several;
    loop.device.size[c->program->dim - 1] = team;
    pav_status status = run_open_timed(c->program, set, number, &loop, &shape, &run,
                                       &several);

    if (status == PAV_OK && several)
        status = pav_run_steps(run, TIME_STEPS);
    if (status == PAV_OK && several)
        status = runs_are_equal(reference, run, true);
    if (status == PAV_OK && several)
        status = passes_were_taken(c, run);
    if (status != PAV_OK && status != PAV_ENOMEM) {
        char *why = strdup(pav_message());
        FAIL(status, "%s, %d threads: %s", schedule_string(&shape, string), team,
             why ? why : "");
        free(why);
    }
    pav_run_free(run);
    return status;
}

pav_status time_blocks_equal_steps(const proof_case *c, const kernel_set *set,
                                   int64_t number)
{
    pav_run *reference = NULL;
    uint64_t seed = c->seed;
    pav_status status = run_open_with(c->program, interp_stage, &reference);

    if (status == PAV_OK)
        status = pav_run_steps(reference, TIME_STEPS);
    for (int n = 0; n < TIME_RUNS && status == PAV_OK; n++) {
        seed = hash_mix(seed + (uint64_t)n + 1);
        status = agree_in_time(c, set, number, n == 0, seed, reference);
    }
    pav_run_free(reference);
    return status;
}
