/* SPDX-License-Identifier: BSD-3-Clause */
/* Proofs of kernels on processors: single steps and temporal blocking. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

/* ---- single steps ------------------------------------------------------------------ */

/* The proof that kernels on processors are bitwise identical to the interpreter: for each
 * schedule, with several numbers of threads, along each axis, with and without
 * non-temporal stores. Programs are small, so blocks have only a few rows. The last run
 * uses the schedule of any run. */

/* threads: 0 stands for 2, 3 or 5, chosen once per program, since a change of the team is
 * slow. */
typedef struct way {
    const char *name;
    int threads, axis;
    schedule loop;
} way;

#define ROWS .kind = SCHEDULE_ROWS
#define BLOCKS(height) .kind = SCHEDULE_BLOCKS, .tile.size[1] = height
#define ONE_ROW .thread.size[1] = 1
static const way ways[] = {
    {"rows, one thread", 1, 0, {ROWS, ONE_ROW, .tile.ahead = 4, .non_temporal = true}},
    {"rows, threads along x", 0, 0, {ROWS, .tile.ahead = 1}},
    {"rows, threads along z", 0, 2, {ROWS, .non_temporal = true}},
    {"blocks of 3, one thread", 1, 0, {BLOCKS(3), ONE_ROW, .tile.ahead = 2}},
    {"blocks of 2, threads along y",
     0,
     1,
     {BLOCKS(2), .tile.ahead = 1, .non_temporal = true}},
    {"blocks of 1, threads along z", 0, 2, {BLOCKS(1), ONE_ROW}},
};
enum { WAYS = COUNT_OF(ways), RUNS = WAYS + 1 };

/* All schedules of one program. They must outlive its runs. */
typedef struct all_schedules {
    schedule loop[WAYS];
    pav_run *run[RUNS];
} all_schedules;

const char *loop_schedule_name(int n)
{
    return n < WAYS ? ways[n].name : n < RUNS ? "as any run" : NULL;
}

/* ---- NaN around the points --------------------------------------------------------- */

/* Checks for NaN between rows and in unfilled halos at the start of a run. A kernel that
 * reads there spoils its results visibly. Memory exists behind every index of a row from
 * its first point up to the stride. */
static bool padding_is_poisoned(const view *v)
{
    const int64_t size = (int64_t)pav_type_size(v->type);
    const int64_t first = v->extent[0] + v->halo[0][1],
                  last = v->stride[1] - v->halo[0][0];

    for (int64_t k = -v->halo[2][0]; k < v->extent[2] + v->halo[2][1]; k++)
        for (int64_t j = -v->halo[1][0]; j < v->extent[1] + v->halo[1][1]; j++) {
            const unsigned char *row = view_at(v, 0, j, k);
            for (int64_t b = first * size; b < last * size; b++)
                if (row[b] != 0xff)
                    return false;
        }
    return true;
}

pav_status run_is_poisoned(const pav_run *run)
{
    const ir *code = run_code(run);

    for (int f = 0; f < code->fields; f++)
        for (int age = 0; age < code->field[f].levels; age++) {
            const view *v;
            TRY(run_host_view(run, f, -age, HOST_READ, &v));
            if (v && !padding_is_poisoned(v))
                return FAIL(PAV_EINTERNAL,
                            "the padding of field %s is not NaN before the first step",
                            code->field[f].name);
        }
    return PAV_OK;
}

/* ---- all ways at once -------------------------------------------------------------- */

bool strides_are_fixed(uint64_t seed)
{
    return seed % 3 == 0;
}

static void free_runs(all_schedules *all)
{
    for (int n = 0; n < RUNS; n++)
        pav_run_free(all->run[n]);
}

static pav_status runs_agree(const proof_case *c, const kernel_set *set, int64_t number,
                             all_schedules *all)
{
    OWNED_BY(free_run) pav_run *reference = NULL;
    TRY(run_open_with(c->program, interp_stage, &reference));
    static const int threads[] = {2, 3, 5};
    for (int n = 0; n < RUNS; n++) {
        const schedule *loop = n < WAYS ? &all->loop[n] : NULL;
        if (n < WAYS) {
            all->loop[n] = ways[n].loop;
            all->loop[n]
                .device.size[ways[n].axis] = ways[n].threads > 0
                                                 ? ways[n].threads
                                                 : threads[c->seed % COUNT_OF(threads)];
        }
        TRY(proof_in_way(loop_schedule_name(n),
                         run_open_compiled(c->program, set, number, loop, &all->run[n])));
        TRY(proof_in_way(loop_schedule_name(n), run_is_poisoned(all->run[n])));
    }
    return runs_follow(reference, all->run, RUNS, loop_schedule_name);
}

/* ---- temporal blocking ------------------------------------------------------------- */

/* The proof that temporal blocking is bitwise identical to single steps, with several
 * depths, tiles smaller than their skew, and several numbers of threads. Programs without
 * legal fusion are left out. */

enum { TIME_RUNS = 3, TIME_STEPS = 7 };

/* Draws the shape of time tiles from the seed. Some hundred programs use all shapes.
 * Grids are small, so passes of more than two steps seldom have several tiles along a
 * periodic axis. */
static schedule shape_of(const program *p, bool brief, uint64_t seed)
{
    static const int wide[] = {1, 2, 3, 5, 8, 33}, thick[] = {1, 2, 3, 7};
    schedule s = {.kind = SCHEDULE_CPU_TIME,
                  .tile.steps = brief ? 2 : 2 + (int)(seed % 6),
                  .thread.size[1] = seed >> 8 & 1,
                  .close = seed >> 9 & 1};

    s.tile.size[TILE_SWEEP] = thick[(seed >> 16) % COUNT_OF(thick)];
    s.device.size[0] = 1 + (int)(seed >> 48 & 3);
    if (p->dim == 1)
        return s;
    s.tile.size[TILE_COLUMN] = wide[(seed >> 24) % COUNT_OF(wide)];
    s.shape = (schedule_shape)((seed >> 32) % (SHAPE_DIAMOND + 1));
    s.close |= s.shape != SHAPE_SKEWED;
    return s;
}

static bool is_looked_at(const program *p, int64_t step)
{
    EACH_STATEMENT(s, p) {
        const bool until = s->kind == STATEMENT_UNTIL;
        const int64_t every = until && s->every_steps == 0 ? 1 : s->every_steps;

        if ((until || s->kind == STATEMENT_MEASURE) && every > 0 && step % every == 0)
            return true;
    }
    return false;
}

/* True if two steps can follow each other without other work in between. Borders that
 * stay constant are filled in all buffers before. */
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

static pav_status follow_tiles(const proof_case *c, const kernel_set *set, int64_t number,
                               const schedule *shape, int team, pav_run *reference)
{
    OWNED_BY(free_run) pav_run *run = NULL;
    schedule loop = {.kind = SCHEDULE_ROWS};
    bool several;

    loop.device.size[c->program->dim - 1] = team;
    TRY(run_open_timed(c->program, set, number, &loop, shape, &run, &several));
    if (!several)
        return PAV_OK;
    TRY(pav_run_steps(run, TIME_STEPS));
    TRY(runs_are_equal(reference, run, 0));
    const block_count *count = run_blocks(run);
    proof_tally *tally = c->tally;
    if (tally) {
        tally->several |= count->taken > 0;
        tally->turned |= count->tile.turned;
        tally->shared |= count->tile.sharers > 1;
        for (int axis = 0; axis < MAX_DIM; axis++) {
            tally->tiled[axis] |= count->tile.most[axis] > 1;
            tally->around[axis] |= count->tile.around[axis];
        }
    }
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
    const pav_status status = follow_tiles(c, set, number, &shape, team, reference);
    char string[SCHEDULE_STRING];

    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    return FAIL(status, "%s, %d threads: %s", schedule_string(&shape, string), team,
                pav_message());
}

static pav_status time_blocks_equal_steps(const proof_case *c, const kernel_set *set,
                                          int64_t number)
{
    OWNED_BY(free_run) pav_run *reference = NULL;
    uint64_t seed = c->seed;

    TRY(run_open_with(c->program, interp_stage, &reference));
    TRY(pav_run_steps(reference, TIME_STEPS));
    for (int n = 0; n < TIME_RUNS; n++) {
        seed = hash_mix(seed + (uint64_t)n + 1);
        TRY(agree_in_time(c, set, number, n == 0, seed, reference));
    }
    return PAV_OK;
}

/* ---- all proofs of a program ------------------------------------------------------- */

static pav_status agree_by_all_schedules(const proof_case *c, const kernel_set *set,
                                         int64_t number)
{
    OWNED_BY(free_runs) all_schedules all = {0};
    TRY(runs_agree(c, set, number, &all));
    const cut_opening cut = {
        .set = set, .number = number, .loop = &all.loop[c->seed % WAYS]};
    if (!strides_are_fixed(c->seed)) {
        TRY(subdomains_equal_one(c, cut));
        TRY(visits_equal_one(c, cut, NULL));
    }
    return time_blocks_equal_steps(c, set, number);
}

static pav_status agree_alone(const proof_case *c)
{
    OWNED_BY(free_code) ir *code = NULL;
    OWNED_BY(close_kernel_set) kernel_set *set = NULL;

    TRY(ir_build_kernels(c->program, &code));
    if (strides_are_fixed(c->seed))
        kernel_strides_of_whole(code);
    TRY(kernel_set_open(&(const ir *){code}, 1, "Kernels of a program that is checked", 0,
                        &set));
    return agree_by_all_schedules(c, set, 0);
}

pav_status kernels_equal_rows(const proof_case *c)
{
    if (c->gpu)
        return gpu_equals_rows(c);
    return !c->compiled ? PAV_OK
           : c->set     ? agree_by_all_schedules(c, c->set, c->number)
                        : agree_alone(c);
}
