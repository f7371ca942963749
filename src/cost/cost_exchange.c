/* SPDX-License-Identifier: BSD-3-Clause */
/* A step of a subdomain: its points, at the rate of its machine, and the exchange of its
 * halos, of which deeper ones need fewer. */
#include "cost/models_private.h"

/* At the rate of a machine: within its caches where they fit. */
static double seconds_of_points(const cost_subdomain *s, const machine_facts *m)
{
    const double bytes = s->points * s->point_bytes;
    const bool fits = bytes < (double)machine_last_cache(m) && m->rate.last_cache > 0;
    return bytes / (fits ? m->rate.last_cache : m->rate.memory);
}

/* What is waited for: on GPUs what takes longer than the step that it travels behind. */
static double awaited(const cost_subdomain *s, double step)
{
    const double all = s->faces * s->link.begin + s->halo_bytes / s->link.rate;
    if (!s->hides)
        return all;
    return all > step ? all - step : 0;
}

void cost_add_exchange(const cost_question *q, step_cost *c)
{
    const cost_subdomain *s = q->subdomain;
    c->bytes = s->points * s->point_bytes;
    c->term[COST_MEMORY] = seconds_of_points(s, q->machine);
    c->term[COST_LAUNCH] = machine_between_pieces(q->machine) * (double)s->stages;
    const double step = c->term[COST_MEMORY] + c->term[COST_LAUNCH];
    c->term[COST_SYNCHRONISE] = awaited(s, step) / s->steps;
    c->seconds = c->term[COST_SYNCHRONISE] + step;
}
