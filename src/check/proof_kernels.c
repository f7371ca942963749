/* SPDX-License-Identifier: BSD-3-Clause */
/* The proof that kernels on processors are bitwise identical to the interpreter: for each
 * schedule, with several numbers of threads, along each axis, with and without
 * non-temporal stores. Programs are small, so blocks have only a few rows. The last run
 * uses the schedule of any run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_private.h"

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

static void set_threads(all_schedules *all, uint64_t seed)
{
    static const int threads[] = {2, 3, 5};

    for (int n = 0; n < WAYS; n++) {
        all->loop[n] = ways[n].loop;
        all->loop[n].device.size[ways[n].axis] = ways[n].threads > 0
                                                     ? ways[n].threads
                                                     : threads[seed % COUNT_OF(threads)];
    }
}

const char *loop_schedule_name(int n)
{
    return n < WAYS ? ways[n].name : n < RUNS ? "as any run" : NULL;
}

/* ---- NaN around the points --------------------------------------------------------- */

static bool is_inside(const view *v, int axis, int64_t n)
{
    return n >= -v->halo[axis][0] && n < v->extent[axis] + v->halo[axis][1];
}

/* Checks one row. Memory exists behind every index from its first point up to the
 * stride. */
static bool row_is_poisoned(const view *v, int64_t j, int64_t k)
{
    const int64_t size = (int64_t)pav_type_size(v->type);
    const char *row = view_at(v, 0, j, k);
    const int64_t last = v->stride[1] - v->halo[0][0];

    for (int64_t i = v->extent[0] + v->halo[0][1]; i < last; i++)
        for (int64_t b = 0; b < size; b++)
            if ((unsigned char)row[i * size + b] != 0xff)
                return false;
    return true;
}

/* Checks for NaN between rows and in unfilled halos at the start of a run. A kernel that
 * reads there spoils its results visibly. */
static bool padding_is_poisoned(const view *v)
{
    for (int64_t k = -v->halo[2][0]; is_inside(v, 2, k); k++)
        for (int64_t j = -v->halo[1][0]; is_inside(v, 1, j); j++)
            if (!row_is_poisoned(v, j, k))
                return false;
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

static pav_status in_way(int n, pav_status status)
{
    if (status == PAV_OK || status == PAV_ENOMEM)
        return status;
    char *why = strdup(pav_message());

    FAIL(status, "%s: %s", loop_schedule_name(n), why ? why : "");
    free(why);
    return status;
}

static pav_status open_runs(const proof_case *c, const kernel_set *set, int64_t number,
                            all_schedules *all)
{
    set_threads(all, c->seed);
    for (int n = 0; n < RUNS; n++) {
        const schedule *loop = n < WAYS ? &all->loop[n] : NULL;
        TRY(in_way(n, run_open_compiled(c->program, set, number, loop, &all->run[n])));
        TRY(in_way(n, run_is_poisoned(all->run[n])));
    }
    return PAV_OK;
}

static pav_status compare_runs(pav_run *reference, pav_run *const runs[RUNS])
{
    for (int n = 0; n < RUNS; n++)
        TRY(in_way(n, runs_are_equal(reference, runs[n], true)));
    return PAV_OK;
}

static pav_status step_runs(pav_run *reference, pav_run *const runs[RUNS])
{
    TRY(compare_runs(reference, runs));
    for (int step = 0; step < PROOF_STEPS; step++) {
        TRY(pav_run_steps(reference, 1));
        for (int n = 0; n < RUNS; n++)
            TRY(in_way(n, pav_run_steps(runs[n], 1)));
        TRY(compare_runs(reference, runs));
    }
    return PAV_OK;
}

bool strides_are_fixed(uint64_t seed)
{
    return seed % 3 == 0;
}

static pav_status agree_by_all_schedules(const proof_case *c, const kernel_set *set,
                                         int64_t number)
{
    all_schedules all = {0};
    pav_run *reference = NULL;
    pav_status status = run_open_with(c->program, interp_stage, &reference);

    if (status == PAV_OK)
        status = open_runs(c, set, number, &all);
    if (status == PAV_OK)
        status = step_runs(reference, all.run);
    for (int n = 0; n < RUNS; n++)
        pav_run_free(all.run[n]);
    pav_run_free(reference);
    const cut_opening cut = {
        .set = set, .number = number, .loop = &all.loop[c->seed % WAYS]};
    if (status == PAV_OK && !strides_are_fixed(c->seed))
        status = subdomains_equal_one(c, cut);
    if (status == PAV_OK && !strides_are_fixed(c->seed))
        status = visits_equal_one(c, cut, NULL);
    return status == PAV_OK ? time_blocks_equal_steps(c, set, number) : status;
}

static pav_status agree_alone(const proof_case *c)
{
    ir *code = NULL;
    kernel_set *set = NULL;
    pav_status status = ir_build(c->program, NULL, &code);
    const ir *const all[] = {code};

    if (status == PAV_OK && strides_are_fixed(c->seed))
        kernel_strides_of_whole(code);
    if (status == PAV_OK)
        status = kernel_set_open(all, 1, "Kernels of a program that is checked", 0, &set);
    if (status == PAV_OK)
        status = agree_by_all_schedules(c, set, 0);
    kernel_set_close(set);
    ir_free(code);
    return status;
}

pav_status kernels_equal_rows(const proof_case *c)
{
    if (c->gpu)
        return gpu_equals_rows(c);
    if (!c->compiled)
        return PAV_OK;
    return c->set ? agree_by_all_schedules(c, c->set, c->number) : agree_alone(c);
}
