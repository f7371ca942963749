/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of candidates: the functions shared by all kinds of devices. */
#include <stdio.h>
#include <string.h>

#include "run/tune/tune_private.h"

void tune_add(tuning *t, const char *words)
{
    for (int n = 0; n < t->count; n++)
        if (strcmp(t->candidate[n].words, words) == 0 ||
            strcmp(t->candidate[n].asked, words) == 0)
            return;
    if (t->count == TUNE_MOST || strlen(words) >= WISDOM_SCHEDULE)
        return;
    tune_candidate *c = &t->candidate[t->count++];
    *c = (tune_candidate){0};
    (void)snprintf(c->asked, sizeof c->asked, "%s", words);
    (void)snprintf(c->words, sizeof c->words, "%s", words);
}

static bool stage_words(const tuning *t, tune_stage *of, int n, text *words)
{
    const ir *code = t->like->part->code;
    schedule each[CHOICE_STAGES] = {0};
    bool any = false, alike = true;
    for (int64_t k = 0; k < code->step.count; k++) {
        each[k] = (schedule){.kind = SCHEDULE_NONE};
        any = of(t, code->step.stage[k], n, &each[k]) || any;
        alike = alike && schedule_is_same(&each[0], &each[k]);
    }
    for (int64_t k = 0; k < (alike ? 1 : code->step.count); k++) {
        text_add(words, "%s", k > 0 ? ";" : "");
        if (each[k].kind == SCHEDULE_NONE)
            text_add(words, "-");
        else
            schedule_print(&each[k], words);
    }
    return any && !words->failed;
}

void tune_add_stages(tuning *t, tune_stage *of, int count)
{
    for (int n = 0; n < count; n++) {
        text words = {0};
        if (stage_words(t, of, n, &words))
            tune_add(t, words.data);
        text_free(&words);
    }
}
