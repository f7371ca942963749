/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers in a visit: the neighbours of their positions that lie in the
 * planes of an operation. */
#include <string.h>

#include "run/outofcore/outofcore_private.h"

/* ---- sources ----------------------------------------------------------------------- */

typedef struct injecting {
    subdomain *window;
    const ir_event *event;
    const point_set *set;
    int64_t step;
} injecting;

static pav_status inject_one(void *user, const time_point *mark)
{
    const injecting *i = user;
    const ir_list *list = &i->event->list;
    box here;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        here.lo[axis] = mark->point[axis];
        here.hi[axis] = mark->point[axis] + 1;
    }
    i->window->uniform[i->event->weight] = mark->weight *
                                           point_signal(i->set, mark->row, i->step);
    return subdomain_stage(i->window, list->stage[list->count - 1], &here);
}

pav_status outofcore_inject(outofcore_block *b, const outofcore_operation *m,
                            const box *where)
{
    const ir_event_list *all = &b->run->code->injections;
    for (int64_t k = 0; k < all->count; k++) {
        injecting i = {b->window, &all->item[k], &b->run->part->injection[k],
                       b->step + m->step};
        b->window->uniform = m->inject[k];
        TRY(marks_within(&b->o->state.injection[k], b->o->axis, where, inject_one, &i));
    }
    b->window->uniform = m->uniform;
    return PAV_OK;
}

/* ---- receivers --------------------------------------------------------------------- */

static pav_status widen(void *user, const time_point *mark)
{
    box *around = user;
    const bool first = box_is_empty(around);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t at = mark->point[axis];
        if (first || at < around->lo[axis])
            around->lo[axis] = at;
        if (first || at >= around->hi[axis])
            around->hi[axis] = at + 1;
    }
    return PAV_OK;
}

static pav_status sample_one(outofcore_block *b, const outofcore_operation *m, int64_t k,
                             const box *where)
{
    const time_points_list *marks = &b->o->state.sample[k];
    const int field = run_field_of(b->run, b->run->recorder[k].statement->symbol);
    executor *e = b->window->executor;
    box around = {0};
    TRY(marks_within(marks, b->o->axis, where, widen, &around));
    if (box_is_empty(&around))
        return PAV_OK;
    const view *v = b->window->view[field][!b->run->code->field[field].updated];
    TRY(e->ops.host_view(e, field, v, HOST_READ, &around, &v));
    return marks_values(marks, b->o->axis, where, v,
                        b->o->state.seen[k] + m->step * marks->count);
}

/* What is sampled after the last step before somebody looks is sampled as after any
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
