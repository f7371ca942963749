/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures a candidate in a run of its own, from the start of the description
 * (run/loop.c). */
#include <stdio.h>
#include <string.h>

#include "run/tune/tune_private.h"

/* Stores the schedules that the run has tuned by itself. */
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
    TRY(run_time_steps(run, seconds, &c->seconds));
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
                                        run_has_launches(t->like), &run);
    if (status == PAV_OK)
        status = measure(run, c, seconds);
    pav_run_free(run);
    if (is_stopped(t))
        return FAIL(PAV_EINTERRUPTED, "tuning was stopped");
    c->refused = status != PAV_OK || c->seconds <= 0;
    return status == PAV_EINVAL && t->measured == 0 ? status : PAV_OK;
}

/* ---- bits -------------------------------------------------------------------------- */

/* points times steps, at most, for the interpreter */
static const double few_points = 150e6;

static pav_status open_reference(tuning *t, int64_t steps, pav_run **run)
{
    if ((double)t->like->work.points * (double)steps < few_points)
        return run_open_interpreted(t->program, &t->run_options, run);
    return run_open_chosen(t->program, t->device, &t->run_options,
                           run_has_launches(t->like) ? "point" : "rows:rows=single",
                           false, run);
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
