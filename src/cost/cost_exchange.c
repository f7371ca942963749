/* SPDX-License-Identifier: BSD-3-Clause */
/* Model of a step of a subdomain: its points at the rate of its machine, and the exchange
 * of its halos. Deeper halos need fewer exchanges. */
#include "cost/models_private.h"

/* Seconds at the copy bandwidth of the caches if they hold the points, otherwise of
 * memory. */
static double seconds_of_points(const cost_subdomain *s, const machine_facts *m)
{
    const double bytes = s->points * s->point_bytes;
    const bool fits = bytes < (double)machine_last_cache(m) && m->rate.last_cache > 0;
    return bytes / (fits ? m->rate.last_cache : m->rate.memory);
}

/* Seconds of an exchange that are not hidden behind a step. */
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
