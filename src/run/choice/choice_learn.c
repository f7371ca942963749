/* SPDX-License-Identifier: BSD-3-Clause */
/* After a run, stores the result of its autotuning in wisdom, if it had enough steps to
 * try all candidates. */
#include <stdio.h>
#include <string.h>

#include "run/choice/choice_private.h"
#include "run/run_private.h"
#include "run/time/time_private.h"

static const double long_enough = 2; /* seconds spent in steps */
enum { TRIED = 2 };                  /* the longest trial on processors, in steps */
enum { DOUBT = 3 }; /* a run this many times slower than wisdom says gives a warning */

static bool has_learnt(const pav_run *run)
{
    const bool open = !run->known.choice || run->known.choice->is_hint;
    return run->known.problem && open && run->seconds.steps >= long_enough &&
           temporal_is_tuned(run) && run->part->executor->compiled &&
           trial_any_begins(run->steps, TRIED) && place_is_complete(run_place(run));
}

pav_status run_remember(const pav_run *run, const char *words, double gpts,
                        wisdom_effort effort, bool *taken)
{
    wisdom_line line = *run->known.problem;
    *taken = false;
    int64_t count = 0;
    const wisdom all = {.count = 1, .capacity = 1, .line = &line};
    if (strlen(words) >= sizeof line.schedule || !(gpts > 0))
        return PAV_OK;
    (void)snprintf(line.schedule, sizeof line.schedule, "%s", words);
    line.gpts = gpts;
    line.effort = effort;
    wisdom_put_date(line.date, sizeof line.date);
    const pav_status status = wisdom_keep(&all, true, &count);
    *taken = count > 0;
    return status;
}

void run_learn(pav_run *run)
{
    char path[WISDOM_PATH];
    text words = {0};
    bool taken;
    if (!has_learnt(run) || !wisdom_path(path))
        return;
    pav_status status = run_choice_words(run, &words);
    if (status == PAV_OK)
        status = run_remember(run, words.data, run_figures(run).gpts, EFFORT_MEASURE,
                              &taken);
    if (status != PAV_OK)
        exec_note(&run->client, "what this run has found out is not remembered: %s",
                  pav_message());
    text_free(&words);
}

/* A line of wisdom may belong to another machine of the same name, or be wrong. */
void run_doubt_choice(pav_run *run)
{
    run_choice *c = run->known.choice;
    if (!c || !c->is_wisdom || c->doubted || run->seconds.steps < long_enough)
        return;
    c->doubted = true;
    const double gpts = run_figures(run).gpts;
    if (gpts * DOUBT < c->gpts)
        exec_warn(
            &run->client,
            "this run takes %.4g Gpts/s by the schedule that wisdom has, where that "
            "took %.4g: `pavior wisdom forget %s` forgets it, `pavior tune` then "
            "measures anew, and --no-wisdom does without",
            gpts, c->gpts, c->name);
}
