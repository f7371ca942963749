/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers in a visit: the neighbours of their positions that lie in the
 * planes of an operation. */
#include "run/outofcore/outofcore_private.h"

/* ---- sources ----------------------------------------------------------------------- */

typedef struct injecting {
    subdomain *window;
    const ir_event *event;
} injecting;

static pav_status inject_one(void *user, double amount, const box *point)
{
    const injecting *i = user;
    i->window->uniform[i->event->weight] = amount;
    return subdomain_stage(i->window, source_stage(i->event), point);
}

pav_status outofcore_inject(outofcore_block *b, const outofcore_operation *m,
                            const box *where)
{
    const ir_event_list *all = &b->run->code->injections;
    for (int64_t k = 0; k < all->count; k++) {
        injecting i = {b->window, &all->item[k]};
        b->window->uniform = m->inject[k];
        TRY(sources_within(&b->run->part->injection[k], &b->o->state.injection[k],
                           b->o->axis, where, b->step + m->step, inject_one, &i));
    }
    b->window->uniform = m->uniform;
    return PAV_OK;
}

/* ---- receivers --------------------------------------------------------------------- */

static pav_status sample_one(outofcore_block *b, const outofcore_operation *m, int64_t k,
                             const box *where)
{
    const placed_points *placed = &b->o->state.sample[k];
    const int field = run_field_of(b->run, b->run->recorder[k].statement->symbol);
    executor *e = b->window->executor;
    box around;
    TRY(placed_box(placed, b->o->axis, where, &around));
    if (box_is_empty(&around))
        return PAV_OK;
    const view *v = b->window->view[field][!b->run->code->field[field].updated];
    TRY(e->ops.host_view(e, field, v, HOST_READ, &around, &v));
    return placed_values(placed, b->o->axis, where, v,
                         b->o->state.seen[k] + m->step * placed->count);
}

/* What is sampled after the last step before an observation is sampled as after any
 * step. */
pav_status outofcore_sample(outofcore_block *b, const outofcore_operation *m,
                            const box *where)
{
    const int last = b->steps + b->goes_on;
    for (int64_t k = 0; k < b->run->recorders && m->step + 1 < last; k++)
        if (time_sample_is_due(&b->run->recorder[k], b->step + m->step + 1))
            TRY(sample_one(b, m, k, where));
    return PAV_OK;
}
