/* SPDX-License-Identifier: BSD-3-Clause */
/* A candidate is measured in a run of its own, from the start of the description on:
 * first what the run still has to find out by itself, then steps in rows that grow, of
 * which the fastest counts. Rows in which something was compiled do not. */
#include <stdio.h>
#include <string.h>

#include "run/tune/tune_private.h"

enum { LEAST_ROWS = 3 };
static const double warm_share = 2; /* of the seconds, for what is not tuned yet */

static pav_status take_row(pav_run *run, int64_t steps, double *seconds, bool *whole)
{
    const int64_t loads = pav_kernel_loads(), from = run->part->step;
    const double begun = clock_seconds();
    TRY(pav_run_steps(run, steps));
    *seconds = clock_seconds() - begun;
    *whole = run->part->step - from == steps && pav_kernel_loads() == loads;
    return run->part->step > from
               ? PAV_OK
               : FAIL(PAV_EINVAL,
                      "the program ends by itself after step %lld, before it can be "
                      "measured: leave out its `until`",
                      (long long)from);
}

static pav_status warm(pav_run *run, double seconds)
{
    const double end = clock_seconds() + warm_share * seconds;
    double each;
    bool whole;
    do
        TRY(take_row(run, run_block_steps(run), &each, &whole));
    while (!run_is_tuned(run) && clock_seconds() < end);
    return PAV_OK;
}

static pav_status time_rows(pav_run *run, double seconds, double *least)
{
    const double begun = clock_seconds();
    const int64_t block = run_block_steps(run);
    int64_t steps = block;
    for (int rows = 0; rows < LEAST_ROWS || clock_seconds() - begun < seconds;) {
        double taken;
        bool whole;
        TRY(take_row(run, steps, &taken, &whole));
        if (taken < seconds / (LEAST_ROWS + 1) / 2) {
            steps *= 2;
            continue;
        }
        rows++;
        const double each = taken / (double)steps;
        if (whole && (*least <= 0 || each < *least))
            *least = each;
    }
    return PAV_OK;
}

/* What a run was free to choose is chosen now. */
static pav_status put_words(const pav_run *run, tune_candidate *c)
{
    text words = {0};
    const pav_status status = run_choice_words(run, &words);
    if (status == PAV_OK && words.length < WISDOM_SCHEDULE && run_is_tuned(run))
        (void)snprintf(c->words, sizeof c->words, "%s", words.data);
    text_free(&words);
    return status;
}

static pav_status measure(pav_run *run, tune_candidate *c, double seconds)
{
    TRY(warm(run, seconds));
    TRY(time_rows(run, seconds, &c->seconds));
    return put_words(run, c);
}

static bool is_stopped(const tuning *t)
{
    const pav_progress none = {0};
    return t->options->listener &&
           t->options->listener(t->options->user, PAV_EVENT_PROGRESS, &none, NULL) != 0;
}

pav_status tune_measure(tuning *t, tune_candidate *c, double seconds)
{
    pav_run *run = NULL;
    pav_status status = run_open_chosen(t->program, t->device, &t->run_options, c->words,
                                        places_far(t->like) != NULL, &run);
    if (status == PAV_OK)
        status = measure(run, c, seconds);
    pav_run_free(run);
    if (is_stopped(t))
        return FAIL(PAV_EINTERRUPTED, "tuning was stopped");
    c->refused = status != PAV_OK || c->seconds <= 0;
    return status == PAV_EINVAL && t->measured == 0 ? status : PAV_OK;
}

/* ---- bits -------------------------------------------------------------------------- */

static const double few_points = 150e6; /* that the interpreter may take, of all steps */

static pav_status open_reference(tuning *t, int64_t steps, pav_run **run)
{
    if ((double)t->like->points * (double)steps < few_points)
        return run_open_interpreted(t->program, &t->run_options, run);
    return run_open_chosen(t->program, t->device, &t->run_options,
                           places_far(t->like) ? "point" : "rows:rows=single", false,
                           run);
}

pav_status tune_verify(tuning *t, const tune_candidate *c)
{
    pav_run *run = NULL, *reference = NULL;
    int64_t steps = 0;
    pav_status status = run_open_chosen(t->program, t->device, &t->run_options, c->words,
                                        false, &run);
    if (status == PAV_OK) {
        steps = 2 * run_block_steps(run) + 1;
        status = open_reference(t, steps, &reference);
    }
    if (status == PAV_OK)
        status = run_verify_pair(run, reference, steps);
    pav_run_free(reference);
    pav_run_free(run);
    return status;
}
