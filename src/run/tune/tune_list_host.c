/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates on processors: the loops of autotuning, and the model's best time tiles of
 * several depths and widths. */
#include "run/run_private.h"
#include "run/time/time_private.h"
#include "run/tune/tune_private.h"

/* The n-th candidate of the stage, or its last. */
static bool loop_of(const tuning *t, int64_t stage, int n, schedule *s)
{
    loop_tuner m;
    const ir *code = t->like->code;
    if (!t->like->compiled ||
        kernel_candidates(&t->like->client, code, &code->stage[stage], &m) != PAV_OK ||
        m.count == 0)
        return false;
    m.fastest = n < m.count ? n : m.count - 1;
    return loop_tuner_fastest(&m, s) && n < m.count;
}

static void add_shape(tuning *t, const time_choice *c, const schedule *shape)
{
    char words[SCHEDULE_STRING];
    schedule s = *shape;
    if (s.tile.steps < 2)
        return;
    time_round_tile(t->like->part->code, &c->state.blocking, &s);
    tune_add(t, schedule_string(&s, words));
}

/* Half and twice the width and the height. */
static void add_others(tuning *t, const time_choice *c, const schedule *shape)
{
    schedule other;
    for (int k = 0; k < TIME_OTHERS; k++)
        if (time_other_size(t->like->part->code->dim, shape, k, &other))
            add_shape(t, c, &other);
}

/* The model's best tiles of each depth. */
static void add_depths(tuning *t, const time_choice *c)
{
    const int few[EFFORTS] = {0, 1, 2, 3};
    const kernel_host host = kernel_host_of(&t->like->client);
    const int64_t interval = run_steps_between_observations(t->like);
    time_trial found[MOST_SHAPES];
    for (int d = 0; d < SCHEDULE_DEPTHS; d++) {
        const int depth = schedule_depths_by_rank[d];
        const schedule requested = {.kind = SCHEDULE_AUTO, .tile = {.steps = depth}};
        if (interval > 0 && depth > interval)
            continue;
        const int count = time_model(t->like, &c->state.blocking, &requested, &host,
                                     few[t->effort], found);
        for (int n = 0; n < count; n++) {
            add_shape(t, c, &found[n].shape);
            if (t->effort == EFFORT_EXHAUSTIVE)
                add_others(t, c, &found[n].shape);
        }
    }
}

pav_status tune_list_host(tuning *t)
{
    time_choice c;
    text why = {0};
    TRY(temporal_refusal(t->like, &why));
    const bool several = why.length == 0;
    text_free(&why);
    TRY(temporal_plan(t->like, &c));
    for (int n = 0; several && n < c.count; n++)
        add_shape(t, &c, &c.trial[n].shape);
    tune_add_stages(t, loop_of, MOST_LOOP_SCHEDULES);
    if (several)
        add_depths(t, &c);
    ir_blocking_close(&c.state.blocking);
    return PAV_OK;
}
