/* SPDX-License-Identifier: BSD-3-Clause */
/* Events at steps: rows of receivers within a time block, and observers of whole fields,
 * at the end of a block. */
#include <assert.h>

#include "run/time/time_private.h"

/* ---- receivers --------------------------------------------------------------------- */

/* One entry for each recorder, in the same order. */
static time_receiver *list_receivers(const pav_run *run)
{
    time_receiver *list = mem_new(run->observers.recorders + 1, sizeof *list);
    for (int64_t k = 0; list && k < run->observers.recorders; k++) {
        const recorder *r = &run->observers.recorder[k];
        if (r->statement->kind == STATEMENT_SAMPLE)
            list[k] = (time_receiver){r->statement, &r->points,
                                      run_field_of(run, r->statement->symbol)};
    }
    return list;
}

pav_status time_state_ready(const pav_run *run, time_state *s, int steps)
{
    if (!s->receiver) {
        s->receiver = list_receivers(run);
        s->receivers = run->observers.recorders;
        if (!s->receiver)
            return PAV_ENOMEM;
    }
    return time_state_open(run->part, s, steps);
}

bool time_sample_is_due(const recorder *r, int64_t step)
{
    return r->statement->kind == STATEMENT_SAMPLE && sample_is_due(r->statement, step);
}

pav_status time_keep_rows(pav_run *run, const time_state *s, int64_t step, int steps)
{
    assert(steps <= TIME_MOST_STEPS + 1);
    for (int n = 0; n + 1 < steps; n++)
        for (int64_t k = 0; k < run->observers.recorders; k++) {
            recorder *r = &run->observers.recorder[k];
            if (!time_sample_is_due(r, step + n + 1))
                continue;
            sample_row(&r->points, s->sampled[k] + n * s->sample[k].count,
                       r->row + LEADING);
            r->last_step = step + n + 1;
            TRY(rows_keep(run, r, step + n + 1, s->time[n]));
        }
    return PAV_OK;
}

/* ---- everything else --------------------------------------------------------------- */

static void come_to(const pav_run *run, int64_t every, int64_t *steps)
{
    const int64_t left = every > 0 ? every - run->part->step % every : *steps;
    *steps = left < *steps ? left : *steps;
}

int64_t time_until_event(const pav_run *run, int64_t most)
{
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        const statement *s = run->observers.recorder[k].statement;
        if (s->kind == STATEMENT_MEASURE ||
            (s->kind == STATEMENT_OUTPUT && !run->options.no_files))
            come_to(run, s->every_steps, &most);
    }
    for (int64_t k = 0; k < run->part->code->untils.count; k++) {
        const int64_t every = run->part->code->untils.item[k].statement->every_steps;
        come_to(run, every > 0 ? every : 1, &most);
    }
    if (run->checkpoint.path)
        come_to(run, run->checkpoint.every, &most);
    come_to(run, run->observers.nan_check_every, &most);
    return most;
}
