/* SPDX-License-Identifier: BSD-3-Clause */
/* State kept between time blocks: skews, neighbours of sources and receivers sorted by
 * place, and room for samples taken within a time block. */
#include <assert.h>

#include "exec/time/tile_private.h"

static pav_status find_points(const subdomain *whole, time_state *s)
{
    const int64_t injections = whole->code->injections.count;
    s->injection = mem_new(injections + 1, sizeof *s->injection);
    s->sample = mem_new(s->receivers + 1, sizeof *s->sample);
    s->sampled = mem_new(s->receivers + 1, sizeof *s->sampled);
    if (!s->injection || !s->sample || !s->sampled)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < injections; k++)
        TRY(placed_of_source(whole, k, s->stream, &s->injection[k]));
    for (int64_t k = 0; k < s->receivers; k++)
        if (s->receiver[k].points)
            TRY(placed_of_sample(s->receiver[k].points, s->stream, &s->sample[k]));
    return PAV_OK;
}

static pav_status make_room(time_state *s, int steps)
{
    if (steps <= s->sampled_steps)
        return PAV_OK;
    for (int64_t k = 0; k < s->receivers; k++) {
        const int64_t count = steps * s->sample[k].count;
        mem_free(s->sampled[k]);
        s->sampled[k] = mem_new(count + 1, sizeof **s->sampled);
        if (!s->sampled[k])
            return PAV_ENOMEM;
    }
    s->sampled_steps = steps;
    return PAV_OK;
}

pav_status time_state_open(const subdomain *whole, time_state *s, int steps)
{
    assert(steps > 0 && steps <= TIME_MOST_STEPS); /* s->time has room */
    if (!s->ready)
        TRY(find_points(whole, s));
    s->ready = true;
    return make_room(s, steps);
}

void time_state_close(const ir *code, time_state *s)
{
    for (int64_t k = 0; s->injection && k < code->injections.count; k++)
        placed_close(&s->injection[k]);
    for (int64_t k = 0; k < s->receivers; k++) {
        if (s->sample)
            placed_close(&s->sample[k]);
        if (s->sampled)
            mem_free(s->sampled[k]);
    }
    mem_free(s->receiver);
    mem_free(s->injection);
    mem_free(s->sample);
    mem_free(s->sampled);
    ir_blocking_close(&s->blocking);
}
