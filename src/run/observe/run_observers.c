/* SPDX-License-Identifier: BSD-3-Clause */
/* Names the observers with intervals too short for a time block or a fused launch, or a
 * run with too few steps. */
#include "run/run_private.h"

typedef struct look {
    int64_t every; /* steps; 0: never */
    const char *word;
    int line; /* line of the statement; 0: an option */
} look;

static void consider(look *often, int64_t every, const char *word, int line)
{
    if (every > 0 && (often->every == 0 || every < often->every))
        *often = (look){every, word, line};
}

/* Without `every`, other recorders observe at the end, or by the clock. Samples are
 * excluded, since time blocks take them. */
static look find_look(const pav_run *run)
{
    look often = {0};
    for (const statement *s = run->program->first; s; s = s->next) {
        if (s->kind == STATEMENT_MEASURE)
            consider(&often, s->every_steps, "`measure`", s->at.line);
        if (s->kind == STATEMENT_OUTPUT && !run->options.no_files)
            consider(&often, s->every_steps, "`output`", s->at.line);
        if (s->kind == STATEMENT_UNTIL)
            consider(&often, s->every_steps > 0 ? s->every_steps : 1, "`until`",
                     s->at.line);
    }
    if (run->checkpoint.path)
        consider(&often, run->checkpoint.every, "the checkpoint", 0);
    consider(&often, run->observers.nan_check_every, "the NaN check", 0);
    return often;
}

static bool ends_before(const pav_run *run, const look *often)
{
    const bool ends = run->steps > 0 && run->steps < INT64_MAX;
    return ends && (often->every == 0 || run->steps < often->every);
}

int64_t run_steps_between_observations(const pav_run *run)
{
    return find_look(run).every;
}

int64_t run_steps_to_observer(const pav_run *run)
{
    const look often = find_look(run);
    return ends_before(run, &often) ? run->steps : often.every;
}

void run_list_observers(const pav_run *run, int64_t least, text *why)
{
    const look often = find_look(run);
    const int64_t unobserved = run_steps_to_observer(run);
    if (unobserved == 0 || unobserved >= least)
        return;
    if (ends_before(run, &often)) {
        text_add(why, "the run ends after %lld step%s", (long long)unobserved,
                 unobserved == 1 ? "" : "s");
        return;
    }
    text_add(why, "%s", often.word);
    if (often.line > 0)
        text_add(why, " (line %d)", often.line);
    if (often.every == 1)
        text_add(why, " is due after every step");
    else
        text_add(why, " is due every %lld steps", (long long)often.every);
}
