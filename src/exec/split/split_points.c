/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers of a grid that is cut: each of their points belongs to one
 * subdomain. */
#include <assert.h>
#include <string.h>

#include "exec/split/split_private.h"

static bool has_point(const box *b, const int64_t *point)
{
    const box here = point_box(point);
    return box_is_inside(&here, b);
}

/* ---- sources ----------------------------------------------------------------------- */

/* The box of a source, including points beyond seams that the subdomain computes
 * again. */
box exec_split_injected(const subdomain *inner, int64_t index)
{
    box b = inner->grid->box;
    if (!inner->wide)
        return b;
    const halo_depth deep = wide_halo_injected(inner->wide, index);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        b.lo[axis] -= inner->grid->seam[axis][0] ? deep.side[axis][0] : 0;
        b.hi[axis] += inner->grid->seam[axis][1] ? deep.side[axis][1] : 0;
    }
    return b;
}

static int64_t count_own(const box *b, const point_set *all)
{
    int64_t count = 0;
    for (int64_t k = 0; k < all->neighbours; k++)
        count += has_point(b, all->index[k]);
    return count;
}

/* Neighbours keep their order, because it is the order of additions at a point. The
 * traces belong to the whole. */
static pav_status share(const box *b, const point_set *all, point_set *own)
{
    const int64_t count = count_own(b, all);
    own->first = mem_new(all->count + 1, sizeof *own->first);
    own->index = mem_new(count + 1, sizeof *own->index);
    own->weight = mem_new(count + 1, sizeof *own->weight);
    if (!own->first || !own->index || !own->weight)
        return PAV_ENOMEM;
    own->count = all->count;
    own->trace = all->trace;
    for (int64_t row = 0; row < all->count; row++) {
        for (int64_t k = all->first[row]; k < all->first[row + 1]; k++) {
            if (!has_point(b, all->index[k]))
                continue;
            memcpy(own->index[own->neighbours], all->index[k], sizeof *own->index);
            own->weight[own->neighbours++] = all->weight[k];
        }
        own->first[row + 1] = own->neighbours;
    }
    assert(own->neighbours == count);
    return PAV_OK;
}

static pav_status share_all(const subdomain *whole, subdomain *inner)
{
    const int64_t count = whole->code->injections.count;
    inner->injection = mem_new(count + 1, sizeof *inner->injection);
    if (!inner->injection)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < count; k++) {
        const box b = exec_split_injected(inner, k);
        TRY(share(&b, &whole->injection[k], &inner->injection[k]));
    }
    return PAV_OK;
}

/* Wide halos are an exception: some points belong to several subdomains. */
static bool has_every_point_once(const split *s)
{
    for (int64_t k = 0; k < s->whole->code->injections.count && !s->whole->wide; k++) {
        int64_t count = 0;
        for (int64_t n = 0; n < s->whole->inners; n++)
            count += s->whole->inner[n].injection[k].neighbours;
        if (count != s->whole->injection[k].neighbours)
            return false;
    }
    return true;
}

pav_status split_share_sources(split *s)
{
    for (int64_t n = 0; n < s->whole->inners; n++)
        TRY(share_all(s->whole, &s->whole->inner[n]));
    assert(has_every_point_once(s));
    return PAV_OK;
}

void split_close_sources(subdomain *inner)
{
    for (int64_t k = 0; inner->injection && k < inner->code->injections.count; k++) {
        mem_free(inner->injection[k].first);
        mem_free(inner->injection[k].index);
        mem_free(inner->injection[k].weight);
    }
    mem_free(inner->injection);
    inner->injection = NULL;
}

pav_status split_inject(executor *self, int64_t index)
{
    split *s = (split *)self;
    subdomain *whole = s->whole;
    assert(split_is_in_step(s)); /* traces use the step of each subdomain */
    const ir_event *event = &whole->code->injections.item[index];
    const ir_stage *last = &whole->code->stage[source_stage(event)];
    if (ir_reads_new_neighbours(last)) /* point by point, across seams */
        return subdomain_inject_each(whole, index);
    const interp_args args = {.code = whole->code, .stage = last, .view = whole->view};
    const int64_t buffer = split_buffer(s, event->field, whole->view[event->field][0]);
    halo_depth good = s->level[event->field][buffer].good;
    if (whole->wide)
        split_limit(&good, wide_halo_injected(whole->wide, index));
    TRY(split_refresh(s, &args, &good));
    TRY(split_on_parts(s, event->field, buffer, true));
    for (int64_t n = 0; n < whole->inners; n++) {
        executor *e = whole->inner[n].executor;
        if (whole->inner[n].injection[index].neighbours > 0)
            TRY(e->ops.inject(e, index));
    }
    split_injected(s, index, buffer, &args);
    return PAV_OK;
}

/* ---- receivers --------------------------------------------------------------------- */

/* The points of a sample in one subdomain, for the host; NULL: no points. */
static pav_status host_side(const split *s, int64_t n, const sampler *sample,
                            int64_t buffer, const view **v)
{
    executor *e = s->whole->inner[n].executor;
    box around = {{0}, {0}};
    *v = NULL;
    if (e->absent)
        return PAV_OK;
    for (int64_t k = 0; k < sample->points->neighbours; k++)
        if (has_point(&s->whole->inner[n].grid->box, sample->points->index[k]))
            box_add_point(&around, sample->points->index[k]);
    if (box_is_empty(&around))
        return PAV_OK;
    *v = split_view(s, n, sample->field, buffer);
    return e->ops.host_view(e, sample->field, *v, HOST_READ, &around, v);
}

/* 0 bits if the point belongs to another rank. */
static double value_at(const split *s, const view *const *side, const int64_t *point)
{
    int64_t at[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++)
        at[axis] = decomposition_along(s->cut, axis, point[axis]);
    const int64_t owner = decomposition_number(s->cut, at);
    const view *v = side[owner];
    assert(has_point(&s->whole->inner[owner].grid->box, point));
    return v ? point_value(v, point) : 0;
}

static pav_status read_rows(const split *s, const view *const *side,
                            const sampler *sample)
{
    const point_set *p = sample->points;
    double *value = mem_new(p->neighbours + 1, sizeof *value);
    if (!value)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < p->neighbours; k++)
        value[k] = value_at(s, side, p->index[k]);
    const pav_status status = ranks_or(s->whole->ranks, (uint64_t *)(void *)value,
                                       p->neighbours);
    sample_row(p, value, sample->row);
    mem_free(value);
    return status;
}

pav_status split_take_sample(executor *self, sampler *sample)
{
    split *s = (split *)self;
    const subdomain *whole = s->whole;
    assert(split_is_in_step(s));
    const int64_t buffer = split_buffer(s, sample->field, whole->view[sample->field][1]);
    const view **side = mem_new(whole->inners, sizeof *side);
    if (!side)
        return PAV_ENOMEM;
    pav_status status = split_on_parts(s, sample->field, buffer, false);
    for (int64_t n = 0; n < whole->inners && status == PAV_OK; n++)
        status = host_side(s, n, sample, buffer, &side[n]);
    if (status == PAV_OK)
        status = read_rows(s, side, sample);
    mem_free(side);
    TRY(status);
    return sample->keep(sample->user, whole->step, whole->uniform[whole->code->uniform_t],
                        sample->row);
}
