/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedules of a run as one string: the schedule of fused steps, if any, then the
 * schedule of each stage of a single step, separated by ';':
 * "time:depth=4,tile=32x2;blocks:block=16". "-" is the default schedule of a stage. If
 * all stages have the same schedule, it stands once. */
#include <stdio.h>
#include <string.h>

#include "run/choice/choice_private.h"
#include "run/run_private.h"
#include "run/time/time_private.h"

/* ---- printed ----------------------------------------------------------------------- */

static schedule stage_of(const pav_run *run, int64_t n)
{
    schedule s = {.kind = SCHEDULE_NONE};
    const executor *e = run->part->executor;
    return e->ops.chosen(e, n, &s) ? s : (schedule){.kind = SCHEDULE_NONE};
}

static void print(const schedule *s, text *t)
{
    if (s->kind == SCHEDULE_NONE)
        text_add(t, "-");
    else
        schedule_print(s, t);
}

static bool are_alike(const pav_run *run)
{
    const schedule first = stage_of(run, 0);
    for (int64_t n = 1; n < run->code->step.count; n++) {
        const schedule s = stage_of(run, n);
        if (!schedule_is_same(&first, &s))
            return false;
    }
    return true;
}

static void print_several(const pav_run *run, text *t)
{
    const executor *e = run->part->executor;
    if (e->ops.figures(e).depth > 1)
        e->ops.describe(e, t);
    else if (temporal_schedule(run))
        text_add(t, "%s", temporal_schedule(run));
    text_add(t, "%s", t->length > 0 ? ";" : "");
}

pav_status run_choice_words(const pav_run *run, text *t)
{
    const int64_t count = are_alike(run) ? 1 : run->code->step.count;
    print_several(run, t);
    for (int64_t n = 0; n < count; n++) {
        const schedule s = stage_of(run, n);
        text_add(t, "%s", n > 0 ? ";" : "");
        print(&s, t);
    }
    return t->failed ? PAV_ENOMEM : PAV_OK;
}

/* ---- read -------------------------------------------------------------------------- */

static pav_status take_word(const char *word, schedule_place on, run_choice *c)
{
    schedule s = {.kind = SCHEDULE_NONE};
    if (strcmp(word, "-") != 0)
        TRY(schedule_parse(word, on, &s));
    if (s.kind != SCHEDULE_NONE && schedule_fuses_steps(&s)) {
        if (c->stages > 0 || c->several.kind != SCHEDULE_AUTO)
            return FAIL(PAV_EINVAL, "%s does not come first", word);
        c->several = s;
        return PAV_OK;
    }
    if (c->stages == CHOICE_STAGES)
        return FAIL(PAV_ELIMIT, "there are more than %d schedules", CHOICE_STAGES);
    c->stage[c->stages++] = s;
    return PAV_OK;
}

pav_status run_choice_parse(const pav_run *run, const char *words, schedule_place on,
                            run_choice *c)
{
    char word[WISDOM_SCHEDULE];
    *c = (run_choice){0};
    (void)snprintf(c->words, sizeof c->words, "%s", words);
    for (const char *at = words; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        const size_t length = strcspn(at, ";");
        if (length >= sizeof word)
            return FAIL(PAV_EINVAL, "the schedule %.100s is too long", at);
        memcpy(word, at, length);
        word[length] = 0;
        TRY(take_word(word, on, c));
    }
    return c->stages <= 1 || c->stages == run->code->step.count
               ? PAV_OK
               : FAIL(PAV_EINVAL, "%s has schedules of %d stages, and a step has %lld",
                      words, c->stages, (long long)run->code->step.count);
}
