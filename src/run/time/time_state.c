/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run keeps for time blocks of several steps: skews, neighbours of sources and
 * receivers by their place, and room for what receivers see within a time block. */
#include "run/time/time_private.h"

static bool samples(const recorder *r)
{
    return r->statement->kind == STATEMENT_SAMPLE;
}

static pav_status find_points(const pav_run *run, time_state *s)
{
    const int64_t injections = run->part->code->injections.count;
    s->injection = mem_new(injections + 1, sizeof *s->injection);
    s->sample = mem_new(run->recorders + 1, sizeof *s->sample);
    s->seen = mem_new(run->recorders + 1, sizeof *s->seen);
    if (!s->injection || !s->sample || !s->seen)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < injections; k++)
        TRY(placed_of_source(run->part, k, s->stream, &s->injection[k]));
    for (int64_t k = 0; k < run->recorders; k++)
        if (samples(&run->recorder[k]))
            TRY(placed_of_sample(&run->recorder[k].points, s->stream, &s->sample[k]));
    return PAV_OK;
}

static pav_status make_room(const pav_run *run, time_state *s, int steps)
{
    if (steps <= s->seen_steps)
        return PAV_OK;
    for (int64_t k = 0; k < run->recorders; k++) {
        const int64_t count = steps * s->sample[k].count;
        mem_free(s->seen[k]);
        s->seen[k] = mem_new(count + 1, sizeof **s->seen);
        if (!s->seen[k])
            return PAV_ENOMEM;
    }
    s->seen_steps = steps;
    return PAV_OK;
}

pav_status time_state_ready(pav_run *run, time_state *s, int depth)
{
    if (!s->ready)
        TRY(find_points(run, s));
    s->ready = true;
    return make_room(run, s, depth);
}

void time_state_close(const pav_run *run, time_state *s)
{
    for (int64_t k = 0; s->injection && k < run->part->code->injections.count; k++)
        placed_close(&s->injection[k]);
    for (int64_t k = 0; s->sample && k < run->recorders; k++)
        placed_close(&s->sample[k]);
    for (int64_t k = 0; s->seen && k < run->recorders; k++)
        mem_free(s->seen[k]);
    mem_free(s->injection);
    mem_free(s->sample);
    mem_free(s->seen);
    ir_blocking_close(&s->blocking);
}
