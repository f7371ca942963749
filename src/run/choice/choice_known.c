/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedules of a run, for all functions that need them. */
#include "run/choice/choice_private.h"

void run_drop_choice(pav_run *run)
{
    mem_free(run->known.choice);
    run->known.choice = NULL;
}

const schedule *run_choice_of_stage(const pav_run *run, int64_t stage)
{
    const run_choice *c = run->known.choice;
    const ir_list *step = &run->code->step;
    if (!c || c->stages == 0)
        return NULL;
    for (int64_t n = 0; n < step->count; n++) {
        const schedule *s = &c->stage[c->stages > 1 ? n : 0];
        if (step->stage[n] == stage && (c->stages == 1 || n < c->stages))
            return s->kind == SCHEDULE_NONE ? NULL : s;
    }
    return NULL;
}

bool run_is_single(const pav_run *run)
{
    return run->known.choice && !run->known.choice->is_hint &&
           run->known.choice->several.kind == SCHEDULE_AUTO;
}

void run_choice_text(const pav_run *run, text *t)
{
    if (run->known.choice && run->known.choice->is_wisdom)
        text_add(t, " (from wisdom)");
}
