/* SPDX-License-Identifier: BSD-3-Clause */
/* The executor of a grid that is cut: it hands every operation to the executors of the
 * subdomains. The executor of a subdomain of another rank stands at the end. */
#include <assert.h>
#include <string.h>

#include "exec/split/split_private.h"

static split *of(executor *self)
{
    return (split *)self;
}

/* First executor of this rank. */
static executor *first(const executor *self)
{
    const subdomain *inner = ((const split *)self)->whole->inner;
    while (inner->executor->absent)
        inner++;
    return inner->executor;
}

static pav_status wait(executor *self)
{
    const split *s = of(self);
    for (int64_t n = 0; n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        TRY(e->ops.wait(e));
    }
    return PAV_OK;
}

static pav_status begin(executor *self)
{
    const split *s = of(self);
    for (int64_t n = 0; n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        TRY(e->ops.begin(e));
    }
    return PAV_OK;
}

static pav_status begin_step(executor *self)
{
    split *s = of(self);
    assert(split_is_in_step(s));
    s->left = s->left > 0 ? s->left - 1 : wide_halo_steps(s->whole->wide) - 1;
    s->behind = false;
    assert(s->left >= 0 && s->left < wide_halo_steps(s->whole->wide));
    for (int64_t n = 0; n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        TRY(e->ops.begin_step(e));
    }
    return PAV_OK;
}

static pav_status end_borders(executor *self)
{
    const split *s = of(self);
    for (int64_t n = 0; n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        TRY(e->ops.end_borders(e));
    }
    return PAV_OK;
}

/* Subdomains at one place end a step together, because their launches form one step. */
static pav_status end_step(executor *self)
{
    const split *s = of(self);
    const void *last = NULL;
    assert(split_is_in_step(s));
    assert(s->parcels == 0); /* no halo is under way */
    for (int64_t n = 0; n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        if (n == 0 || e->place != last)
            TRY(e->ops.end_step(e));
        last = e->place;
    }
    return PAV_OK;
}

/* ---- memory ------------------------------------------------------------------------ */

/* The mirror on the host. Its pages are allocated at the first access. */
static pav_status take_mirror(split *s, int64_t field, const field_shape *shape)
{
    const int memory = s->whole->code->field[field].memory;
    field_shape of_host = *shape;
    levels_size size;
    of_host.line = 0;
    if (memory)
        return levels_at(&of_host, s->whole->field[memory - 1].block,
                         &s->whole->field[field]);
    void *block = levels_measure(&of_host, &size) ? mem_big(size.bytes) : NULL;
    if (!block)
        return PAV_ENOMEM;
    const pav_status status = levels_at(&of_host, block, &s->whole->field[field]);
    if (status == PAV_OK)
        s->whole->field[field].bytes = size.bytes;
    else
        mem_big_free(block, size.bytes);
    return status;
}

static bool is_deep(const split *s, int64_t field)
{
    const halo_depth d = subdomain_depth(s->whole, field);
    if (split_has_all(s, field))
        return true;
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (s->whole->inner[0].grid->cut[axis] && d.side[axis][0] + d.side[axis][1] > 0)
            return true;
    return false;
}

/* Fields in one buffer share its state. */
static pav_status take_states(split *s, int64_t field, int count)
{
    const int memory = s->whole->code->field[field].memory;
    s->level[field] = memory ? s->level[memory - 1] : mem_new(count, sizeof **s->level);
    if (!s->level[field])
        return PAV_ENOMEM;
    for (int n = 0; n < count; n++)
        s->level[field][n].parts_are_new = true;
    return PAV_OK;
}

static pav_status take_field(executor *self, int64_t field, const field_shape *shape,
                             progress_sink *progress)
{
    split *s = of(self);
    TRY(take_mirror(s, field, shape));
    s->deep[field] = is_deep(s, field);
    s->use[field] = halo_use_of(s->whole->code, field, s->whole->wide != NULL);
    TRY(take_states(s, field, shape->count));
    for (int64_t n = 0; n < s->whole->inners; n++) {
        subdomain *inner = &s->whole->inner[n];
        const field_shape own = subdomain_shape(inner, field, shape);
        /* buffers have the same numbers in the whole */
        assert(own.count == shape->count);
        for (int axis = 0; axis < MAX_DIM; axis++) /* its box has points of the grid */
            assert(own.first[axis] >= 0 && own.extent[axis] > 0);
        TRY(inner->executor->ops.take_field(inner->executor, field, &own, progress));
    }
    return PAV_OK;
}

static pav_status place_views(executor *self)
{
    split *s = of(self);
    for (int64_t n = 0; n < s->whole->inners; n++)
        TRY(subdomain_open_views(&s->whole->inner[n], s->whole));
    for (int64_t n = 0; n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        TRY(e->ops.place_views(e));
    }
    return PAV_OK;
}

static pav_status fill_tables(executor *self)
{
    split *s = of(self);
    TRY(split_share_sources(s));
    for (int64_t n = 0; n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        TRY(e->ops.fill_tables(e));
    }
    return PAV_OK;
}

/* ---- points ------------------------------------------------------------------------ */

static pav_status copy_points(executor *self, int field, const view *to, const view *from,
                              progress_sink *progress)
{
    split *s = of(self);
    const int64_t target = split_buffer(s, field, to);
    const int64_t source = from ? split_buffer(s, field, from) : -1;
    if (from)
        TRY(split_on_parts(s, field, source, false));
    TRY(split_on_parts(s, field, target, true));
    split_is_stale(&s->level[field][target]);
    for (int64_t n = 0; n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        TRY(e->ops.copy_points(e, field, split_view(s, n, field, target),
                               from ? split_view(s, n, field, source) : NULL, progress));
    }
    return PAV_OK;
}

static bool is_earlier(const int64_t *a, const int64_t *b)
{
    for (int axis = MAX_DIM - 1; axis >= 0; axis--)
        if (a[axis] != b[axis])
            return a[axis] < b[axis];
    return false;
}

/* First point found by one rank. */
typedef struct rank_found {
    int64_t point[MAX_DIM];
    int64_t any;
} rank_found;

static pav_status find_not_finite(executor *self, int field, const view *v,
                                  const box *range, int64_t *point, bool *any)
{
    split *s = of(self);
    const int64_t buffer = split_buffer(s, field, v);
    *any = false;
    TRY(split_on_parts(s, field, buffer, false));
    for (int64_t n = 0; n < s->whole->inners; n++) {
        executor *e = s->whole->inner[n].executor;
        const box share = split_share(s, n, split_coarse(s, field), range);
        int64_t found[MAX_DIM];
        bool here = false;
        if (!box_is_empty(&share))
            TRY(e->ops.find_not_finite(e, field, split_view(s, n, field, buffer), &share,
                                       found, &here));
        if (here && (!*any || is_earlier(found, point)))
            memcpy(point, found, sizeof found);
        *any = *any || here;
    }
    pav_ranks *ranks = s->whole->ranks;
    rank_found own = {.any = *any}, *all = mem_new(ranks_count(ranks), sizeof *all);
    if (*any)
        memcpy(own.point, point, sizeof own.point);
    const pav_status status = all ? ranks_gather(ranks, &own, sizeof own, all)
                                  : PAV_ENOMEM;
    for (int n = 0; status == PAV_OK && n < ranks_count(ranks); n++) {
        if (all[n].any && (!*any || is_earlier(all[n].point, point)))
            memcpy(point, all[n].point, sizeof own.point);
        *any = *any || all[n].any;
    }
    mem_free(all);
    return status;
}

/* ---- borders ----------------------------------------------------------------------- */

/* True if points beyond seams may arrive later, when a stage reads them. */
static bool may_wait(const split *s, int field, int axis, bool all)
{
    return s->use[field] == HALO_FACES ||
           (s->use[field] == HALO_CORNERS && all && axis + 1 == s->whole->code->dim);
}

/* Goes axis by axis. If corners are read, points beyond seams of lower axes must arrive
 * before the next axis is filled. */
static pav_status fill_axes(executor *self, int field, const view *v, int axis, int end)
{
    split *s = of(self);
    const int64_t buffer = split_buffer(s, field, v);
    const bool all = axis == 0 && end == s->whole->code->dim;
    bool waits = false;
    TRY(split_on_parts(s, field, buffer, true));
    if (split_has_all(s, field))
        TRY(split_exchange_points(s, field, buffer));
    for (; axis < end && s->whole->wide; axis++)
        TRY(split_fill_wide(s, field, buffer, axis));
    if (s->whole->wide)
        split_bordered(s, field, buffer);
    for (; axis < end; axis++) {
        for (int64_t n = 0; n < s->whole->inners; n++) {
            executor *e = s->whole->inner[n].executor;
            TRY(e->ops.fill_axes(e, field, split_view(s, n, field, buffer), axis,
                                 axis + 1));
        }
        if (!s->whole->inner[0].grid->cut[axis] || split_has_all(s, field))
            continue;
        if (may_wait(s, field, axis, all)) {
            waits = true;
            continue;
        }
        TRY(end_borders(self));
        TRY(split_exchange_axis(s, field, buffer, axis));
    }
    if (all && !s->whole->wide)
        s->level[field][buffer].stale = waits;
    if (waits && s->use[field] == HALO_CORNERS)
        s->level[field][buffer].from = end - 1;
    return PAV_OK;
}

/* ---- reports ----------------------------------------------------------------------- */

static bool is_tuned(const executor *self)
{
    const split *s = (const split *)self;
    for (int64_t n = 0; n < s->whole->inners; n++) {
        const executor *e = s->whole->inner[n].executor;
        if (!e->ops.tuned(e))
            return false;
    }
    return true;
}

static bool chosen(const executor *self, int64_t n, schedule *s)
{
    return first(self)->ops.chosen(first(self), n, s);
}

static const char *schedule_of(const executor *self)
{
    return first(self)->ops.schedule(first(self));
}

static void describe(const executor *self, text *t)
{
    first(self)->ops.describe(first(self), t);
}

static executor_figures figures(const executor *self)
{
    const split *s = (const split *)self;
    executor_figures all = first(self)->ops.figures(first(self));
    all.bytes = 0;
    for (int64_t n = 0; n < s->whole->inners; n++) {
        const executor *e = s->whole->inner[n].executor;
        all.bytes += e->ops.figures(e).bytes;
    }
    all.behind = s->behind;
    split_add_figures(s, &all);
    return all;
}

/* ---- opening ----------------------------------------------------------------------- */

static void close_split(executor *self)
{
    split *s = of(self);
    for (int64_t f = 0; s->level && f < s->whole->code->fields; f++)
        if (!s->whole->code->field[f].memory)
            mem_free(s->level[f]);
    mem_free(s->level);
    mem_free(s->deep);
    mem_free(s->use);
    mem_free(s->share);
    mem_free(s->inside);
    mem_free(s->staging.bytes);
    split_close_parcels(s);
    gpu_links_close(s->links);
    leaders_close(s);
    for (int n = 0; s->cut && n < subdomain_grids(s->whole->code); n++)
        decomposition_free(&s->cut[n]);
    mem_free(s->cut);
    subdomain_uncut(s->whole);
    mem_free(s);
}

static pav_status prepare(split *s, const decomposition *d)
{
    const int64_t fields = s->whole->code->fields;
    s->level = mem_new(fields + 1, sizeof *s->level);
    s->deep = mem_new(fields + 1, sizeof *s->deep);
    s->use = mem_new(fields + 1, sizeof *s->use);
    s->cut = mem_new(subdomain_grids(s->whole->code), sizeof *s->cut);
    s->share = mem_new(s->whole->inners, sizeof *s->share);
    s->inside = mem_new(s->whole->inners, sizeof *s->inside);
    if (!s->level || !s->deep || !s->use || !s->cut || !s->share || !s->inside)
        return PAV_ENOMEM;
    if (s->whole->wide)
        TRY(wide_halo_work_out(s->whole->wide, s->whole->code));
    for (int64_t n = 0; n < s->whole->inners; n++)
        TRY(subdomain_open_fields(&s->whole->inner[n]));
    for (int n = 0; n < subdomain_grids(s->whole->code); n++)
        TRY(decompose_coarse(s->whole->code, d, n, &s->cut[n]));
    TRY(split_open_links(s));
    return leaders_open(s);
}

pav_status exec_split_open(subdomain *whole, const decomposition *d, executor **result)
{
    split *s = mem_new(1, sizeof *s);
    *result = NULL;
    if (!s)
        return PAV_ENOMEM;
    s->base = (executor){.ops = executor_host_ops, .part = whole};
    for (int64_t n = 0; n < whole->inners; n++) {
        const executor *inner = whole->inner[n].executor;
        s->base.own_memory = s->base.own_memory || inner->own_memory;
        s->base.asynchronous = s->base.asynchronous || inner->asynchronous;
    }
    s->whole = whole;
    executor_ops *o = &s->base.ops;
    o->stage = split_stage;
    o->tuned = is_tuned;
    o->schedule = schedule_of;
    o->chosen = chosen;
    o->close = close_split;
    o->wait = wait;
    o->take_field = take_field;
    o->place_views = place_views;
    o->fill_tables = fill_tables;
    o->host_view = split_host_view;
    o->copy_points = copy_points;
    o->find_not_finite = find_not_finite;
    o->begin = begin;
    o->begin_step = begin_step;
    o->end_step = end_step;
    o->fill_axes = fill_axes;
    o->end_borders = end_borders;
    o->inject = split_inject;
    o->take_sample = split_take_sample;
    o->figures = figures;
    o->describe = describe;
    const pav_status status = prepare(s, d);
    if (status != PAV_OK) {
        close_split(&s->base);
        return status;
    }
    *result = &s->base;
    return PAV_OK;
}

/* ---- subdomains of other ranks ----------------------------------------------------- */

/* Stand-in executor for a subdomain of another rank. All ranks take the same steps over
 * the same subdomains. Here nothing is computed, but field shapes are known, so all ranks
 * agree on every exchange. */

/* Levels have shapes without memory: these pointers are never followed. */
static char nowhere[1];

static pav_status stage(executor *self, const interp_args *args)
{
    (void)self, (void)args;
    return PAV_OK;
}

static const char *no_schedule(const executor *self)
{
    (void)self;
    return "";
}

static pav_status take_shape(executor *self, int64_t field, const field_shape *shape,
                             progress_sink *progress)
{
    (void)progress;
    return levels_at(shape, nowhere, &self->part->field[field]);
}

static pav_status copy_nothing(executor *self, int field, const view *to,
                               const view *from, progress_sink *progress)
{
    (void)self, (void)field, (void)to, (void)from, (void)progress;
    return PAV_OK;
}

static pav_status find_none(executor *self, int field, const view *v, const box *range,
                            int64_t *point, bool *any)
{
    (void)self, (void)field, (void)v, (void)range, (void)point;
    *any = false;
    return PAV_OK;
}

static pav_status fill_nothing(executor *self, int field, const view *v, int axis,
                               int end)
{
    (void)self, (void)field, (void)v, (void)axis, (void)end;
    return PAV_OK;
}

static pav_status inject(executor *self, int64_t index)
{
    (void)self, (void)index;
    return PAV_OK;
}

pav_status exec_absent_open(subdomain *part, executor **result)
{
    executor *e = mem_new(1, sizeof *e);
    *result = e;
    if (!e)
        return PAV_ENOMEM;
    *e = (executor){.ops = executor_host_ops, .part = part, .absent = true};
    e->ops.stage = stage;
    e->ops.schedule = no_schedule;
    e->ops.take_field = take_shape;
    e->ops.copy_points = copy_nothing;
    e->ops.find_not_finite = find_none;
    e->ops.fill_axes = fill_nothing;
    e->ops.inject = inject;
    return PAV_OK;
}
