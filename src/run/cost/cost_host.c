/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of processors: loops of single steps, the same for all stages, and time
 * blocks of all depths with tiles that fit the caches. */
#include "run/cost/cost_private.h"
#include "run/time/time_private.h"

static pav_status put(pav_run *run, const schedule *s, bool tried, cost_list *l)
{
    step_cost c;
    TRY(cost_forecast(&(cost_question){.code = run->part->code,
                                       .schedule = s,
                                       .machine = &run->client.machine},
                      &c));
    cost_put(l, s, &c, tried);
    return PAV_OK;
}

/* ---- single steps ------------------------------------------------------------------ */

/* Lists variants of a loop that autotuning tries, with other settings. */
static pav_status put_variants(pav_run *run, const schedule *s, cost_list *l)
{
    const int own = s->tile.size[1];
    for (int k = 0; k < (own > 0 ? SCHEDULE_HALF_BLOCKS : 1); k++)
        for (int streams = 0; streams < 2; streams++)
            for (int single = 0; single < 2; single++) {
                schedule other = *s;
                const int64_t rows = (int64_t)own * schedule_half_blocks[k] / 2;
                other.tile.size[1] = own > 0 ? schedule_size(rows) : 0;
                other.non_temporal = streams;
                other.thread.size[1] = single;
                if (own == 0 || other.tile.size[1] > 0)
                    TRY(put(run, &other, false, l));
            }
    return PAV_OK;
}

static pav_status list_loops(pav_run *run, cost_list *l)
{
    const ir_stage *first = &run->code->stage[run->code->step.stage[0]];
    loop_tuner m;
    schedule s;
    TRY(kernel_candidates(&run->client, run->code, first, &m));
    for (m.fastest = 0; m.fastest < m.count; m.fastest++) {
        if (!loop_tuner_fastest(&m, &s))
            continue;
        TRY(put(run, &s, true, l));
        TRY(put_variants(run, &s, l));
    }
    return PAV_OK;
}

/* ---- several at once --------------------------------------------------------------- */

static pav_status put_shape(pav_run *run, const ir_blocking *b, const schedule *shape,
                            cost_list *l)
{
    schedule s = *shape;
    time_round_tile(run->part->code, b, &s);
    return s.tile.steps > 1 ? put(run, &s, false, l) : PAV_OK;
}

/* Also lists tiles of half and twice the width and height; no run tries these. */
static pav_status put_shapes(pav_run *run, const ir_blocking *b, const schedule *shape,
                             cost_list *l)
{
    schedule other;
    TRY(put_shape(run, b, shape, l));
    for (int k = 0; k < TIME_OTHERS; k++)
        if (time_other_size(run->part->code->dim, shape, k, &other))
            TRY(put_shape(run, b, &other, l));
    return PAV_OK;
}

static pav_status list_depths(pav_run *run, const ir_blocking *b, const kernel_host *host,
                              cost_list *l)
{
    const int64_t interval = run_steps_between_observations(run);
    time_trial found[MOST_SHAPES];
    for (int d = 0; d < SCHEDULE_DEPTHS; d++) {
        const schedule asked = {.kind = SCHEDULE_AUTO,
                                .tile = {.steps = schedule_depths[d]}};
        if (interval > 0 && schedule_depths[d] > interval)
            continue;
        const int count = time_model(run, b, &asked, host, 3, found);
        for (int n = 0; n < count; n++)
            TRY(put_shapes(run, b, &found[n].shape, l));
    }
    return PAV_OK;
}

static pav_status list_trials(pav_run *run, const time_choice *c, cost_list *l)
{
    for (int n = 0; n < c->count; n++)
        if (c->trial[n].shape.tile.steps > 1)
            TRY(put(run, &c->trial[n].shape, true, l));
    return PAV_OK;
}

static pav_status list_blocks(pav_run *run, const kernel_host *host, cost_list *l)
{
    time_choice c;
    text why = {0};
    TRY(temporal_refusal(run, &why));
    const bool several = why.length == 0;
    text_free(&why);
    if (!several)
        return PAV_OK;
    TRY(temporal_plan(run, &c));
    pav_status status = list_trials(run, &c, l);
    if (status == PAV_OK)
        status = list_depths(run, &c.state.blocking, host, l);
    ir_blocking_close(&c.state.blocking);
    return status;
}

pav_status cost_list_host(pav_run *run, cost_list *l)
{
    const kernel_host host = kernel_host_of(&run->client);
    TRY(list_loops(run, l));
    return list_blocks(run, &host, l);
}
