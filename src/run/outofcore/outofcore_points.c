/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers in a visit: the neighbours of their positions in the planes of an
 * operation. */
#include <assert.h>

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
    assert(outofcore_state(b->o)->ready); /* points are placed before a block */
    for (int64_t k = 0; k < all->count; k++) {
        injecting i = {b->window, &all->item[k]};
        b->window->uniform = m->inject[k];
        TRY(sources_within(&b->run->part->injection[k],
                           &outofcore_state(b->o)->injection[k], where, b->step + m->step,
                           inject_one, &i));
    }
    b->window->uniform = m->uniform;
    return PAV_OK;
}

/* ---- receivers --------------------------------------------------------------------- */

static int field_of(const outofcore_block *b, int64_t k)
{
    return run_field_of(b->run, b->run->observers.recorder[k].statement->symbol);
}

/* A block does not sample its last step before an observation, because the time loop
 * samples after it. */
static bool is_due(const outofcore_block *b, int64_t k, int step)
{
    return step + 1 < b->steps + b->goes_on &&
           time_sample_is_due(&b->run->observers.recorder[k], b->step + step + 1);
}

static double *row_of(const outofcore_block *b, int64_t k, int step)
{
    const time_state *s = outofcore_state(b->o);
    assert(step >= 0 && step < s->sampled_steps); /* time_state_open made room */
    return s->sampled[k] + step * s->sample[k].count;
}

static pav_status sample_one(outofcore_block *b, int64_t k, int step, const view *v,
                             const box *where)
{
    const placed_points *placed = &outofcore_state(b->o)->sample[k];
    executor *e = b->window->executor;
    box around;
    if (!is_due(b, k, step))
        return PAV_OK;
    TRY(placed_box(placed, where, &around));
    if (box_is_empty(&around))
        return PAV_OK;
    TRY(e->ops.host_view(e, field_of(b, k), v, HOST_READ, &around, &v));
    return placed_values(placed, where, v, row_of(b, k, step));
}

pav_status outofcore_sample(outofcore_block *b, const outofcore_operation *m,
                            const box *where)
{
    for (int64_t k = 0; k < b->run->observers.recorders; k++) {
        const int field = is_due(b, k, m->step) ? field_of(b, k) : -1;
        if (field >= 0)
            TRY(sample_one(b, k, m->step,
                           b->window->view[field][!b->run->code->field[field].updated],
                           where));
    }
    return PAV_OK;
}

/* ---- receivers in a fused launch --------------------------------------------------- */

static void take_seen(const outofcore_block *b, int64_t k, int step, const view *seen,
                      const box *where)
{
    const placed_points *placed = &outofcore_state(b->o)->sample[k];
    const int axis = b->o->axis;
    for (int64_t n = 0; n < placed->count && is_due(b, k, step); n++) {
        const placed_point *p = &placed->item[n];
        const int64_t at[MAX_DIM] = {p->number};
        if (p->point[axis] >= where->lo[axis] && p->point[axis] < where->hi[axis])
            row_of(b, k, step)[p->number] = point_value(seen, at);
    }
}

/* Samples all steps of a launch except the last one. */
static pav_status sample_within(outofcore_block *b, int step, int64_t k, const view *v,
                                const box *where, void *values)
{
    const int64_t count = outofcore_state(b->o)->sample[k].count;
    const int64_t row = count * (int64_t)pav_type_size(v->type);
    bool moves;
    TRY(place_launch_samples(b->o->executor, b->o->fused,
                             b->run->observers.recorder[k].statement, values, &moves));
    for (int n = 0; n + 1 < b->o->depth; n++) {
        const view seen = {
            .data = (char *)values + n * row, .type = v->type, .stride = {1}};
        if (moves)
            take_seen(b, k, step + n, &seen, where);
        else
            TRY(sample_one(b, k, step + n, v, where));
    }
    return PAV_OK;
}

static pav_status sample_all(outofcore_block *b, int step, int64_t k, const box *where)
{
    const int64_t count = outofcore_state(b->o)->sample[k].count;
    const view *v = b->window->view[field_of(b, k)][1];
    void *values = mem_new(b->o->depth * count, sizeof(double));
    pav_status status = values ? sample_within(b, step, k, v, where, values) : PAV_ENOMEM;
    if (status == PAV_OK)
        status = sample_one(b, k, step + b->o->depth - 1, v, where);
    mem_free(values);
    return status;
}

pav_status outofcore_sample_launch(outofcore_block *b, const outofcore_operation *m,
                                   const box *where)
{
    outofcore_turn(b, m->launches + 1, m->singles);
    for (int64_t k = 0; k < b->run->observers.recorders; k++) {
        box around;
        TRY(placed_box(&outofcore_state(b->o)->sample[k], where, &around));
        if (!box_is_empty(&around))
            TRY(sample_all(b, m->step, k, where));
    }
    return PAV_OK;
}
