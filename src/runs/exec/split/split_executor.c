/* SPDX-License-Identifier: BSD-3-Clause */
/* The executor of a grid that is cut: it hands every operation to the executors of the
 * subdomains. The fields of a subdomain, the mirrors on the host, sources and receivers
 * stand first, and the executor of a subdomain of another rank at the end. */
#include <assert.h>
#include <string.h>

#include "exec/split/split_private.h"

/* ---- shares ------------------------------------------------------------------------ */

/* Shares of subdomains in the fields of a grid that is cut: their points and buffers. */

/* True if the whole and its subdomains are at the same step, with the same numbers of
 * buffers and the same newest one. All operations of a step rely on this. */
bool split_is_in_step(const split *s)
{
    const subdomain *whole = s->whole;
    for (subdomain *inner = NULL; (inner = subdomain_next_inner(whole, inner));) {
        if (inner->step != whole->step || inner->uniform != whole->uniform)
            return false;
        for (int64_t f = 0; f < whole->code->fields; f++)
            if (inner->field[f].count != whole->field[f].count ||
                inner->field[f].newest != whole->field[f].newest)
                return false;
    }
    return true;
}

/* Subdomains at the lower and upper faces of the grid include the points beyond them. */
box split_share(const split *s, int64_t n, int coarse, const box *all)
{
    const subdomain_grid *inner = &s->whole->inner[n].grid[coarse];
    box share = *all;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        if (inner->seam[axis][0] && share.lo[axis] < inner->box.lo[axis])
            share.lo[axis] = inner->box.lo[axis];
        if (inner->seam[axis][1] && share.hi[axis] > inner->box.hi[axis])
            share.hi[axis] = inner->box.hi[axis];
    }
    return share;
}

int split_coarse(const split *s, int64_t field)
{
    return s->whole->code->field[field].coarse;
}

bool split_has_all(const split *s, int64_t field)
{
    return s->whole->inner[0].grid[split_coarse(s, field)].all;
}

int64_t split_buffer(const split *s, int64_t field, const view *v)
{
    const int64_t buffer = v - s->whole->field[field].level;
    assert(buffer >= 0 && buffer < s->whole->field[field].count); /* v is of the whole */
    return buffer;
}

const view *split_view(const split *s, int64_t n, int64_t field, int64_t buffer)
{
    const levels *own = &s->whole->inner[n].field[field];
    /* parts share the whole's buffers */
    assert(n >= 0 && n < s->whole->inners && buffer >= 0 && buffer < own->count);
    return &own->level[buffer];
}

/* ---- points of one rank ------------------------------------------------------------ */

/* Brings points of one rank to the host's level of the first rank, or of all ranks. */

static pav_status send_to_first(split *s, int owner, int64_t bytes)
{
    pav_ranks *ranks = s->whole->ranks;
    const int own = ranks_number(ranks);
    if (owner == 0 || (own != 0 && own != owner))
        return PAV_OK;
    TRY(own == owner ? ranks_send(ranks, 0, s->staging.bytes, bytes)
                     : ranks_receive(ranks, owner, s->staging.bytes, bytes));
    return ranks_wait(ranks);
}

/* Brings points of subdomain n to the whole's level, on every rank or on the first
 * alone. */
static pav_status bring_points(split *s, int64_t n, int field, const view *from,
                               const view *to, const box *b, bool first_alone)
{
    const subdomain *inner = &s->whole->inner[n];
    executor *e = inner->executor;
    pav_ranks *ranks = s->whole->ranks;
    const int64_t bytes = box_points(*b) * (int64_t)pav_type_size(to->type);
    assert(box_is_inside(*b, view_window(to))); /* these are points of the whole */
    const bool takes = !first_alone || ranks_number(ranks) == 0;
    if (!takes && e->absent)
        return PAV_OK;
    TRY(staging_room(&s->staging, bytes));
    if (!e->absent)
        TRY(e->ops.read_box(e, field, from, b, s->staging.bytes));
    TRY(first_alone ? send_to_first(s, inner->rank, bytes)
                    : ranks_share(ranks, inner->rank, s->staging.bytes, bytes));
    if (takes)
        view_write_box(to, b, to->type, s->staging.bytes);
    return PAV_OK;
}

/* ---- mirrors ----------------------------------------------------------------------- */

/* Levels of the whole grid for the host. They are gathered from the subdomains at a
 * request of the host, and scattered before the subdomains continue. */

static pav_status copy_rows(split *s, int64_t field, const view *to, const view *from,
                            const box *b)
{
    static const int64_t unshifted[MAX_DIM] = {0};
    assert(to->type == from->type); /* mirrors keep the type */
    assert(box_is_empty(b) ||
           (box_is_inside(*b, view_window(to)) && box_is_inside(*b, view_window(from))));
    return executor_host_ops.copy_box(&s->base, (int)field, to, b, &s->base, (int)field,
                                      from, unshifted);
}

static const view *whole_view(const split *s, int64_t field, int64_t buffer)
{
    return &s->whole->field[field].level[buffer];
}

/* ---- to the host ------------------------------------------------------------------- */

static pav_status split_host_view(executor *self, int64_t field, const view *v,
                                  host_use how, const box *range, const view **host)
{
    split *s = (split *)self;
    const int64_t buffer = split_buffer(s, field, v);
    split_level *l = &s->level[field][buffer];
    assert(l->host_is_new || l->parts_are_new); /* one side has the newest values */
    *host = v;
    if (how != HOST_FILL && !l->host_is_new) {
        const view *to = whole_view(s, field, buffer);
        const box all = range ? *range : view_window(to);
        for (int64_t n = 0; n < s->whole->inners; n++) {
            executor *e = s->whole->inner[n].executor;
            const view *from = split_view(s, n, field, buffer);
            const box b = box_common(split_share(s, n, split_coarse(s, field), &all),
                                     view_window(from));
            if (box_is_empty(&b))
                continue;
            if (s->whole->ranks) {
                TRY(bring_points(s, n, (int)field, from, to, &b, how == HOST_FILE));
                continue;
            }
            TRY(e->ops.host_view(e, field, from, HOST_READ, &b, &from));
            TRY(copy_rows(s, field, to, from, &b));
        }
    }
    if (how == HOST_FILE) /* only the first rank has the points */
        return PAV_OK;
    l->host_is_new = l->host_is_new || how != HOST_READ || !range;
    l->parts_are_new = l->parts_are_new && how == HOST_READ;
    return PAV_OK;
}

/* ---- to the subdomains ------------------------------------------------------------- */

pav_status split_on_parts(split *s, int64_t field, int64_t buffer, bool stored)
{
    split_level *l = &s->level[field][buffer];
    assert(l->host_is_new || l->parts_are_new); /* one side has the newest values */
    if (!l->parts_are_new) {
        /* Copies points with their halo: the whole's level has all of it. */
        const view *from = whole_view(s, field, buffer);
        const box all = view_window(from);
        for (int64_t n = 0; n < s->whole->inners; n++) {
            executor *e = s->whole->inner[n].executor;
            const view *to = split_view(s, n, field, buffer);
            const box b = box_common(view_window(to), all);
            if (e->absent)
                continue;
            TRY(e->ops.host_view(e, field, to, HOST_FILL, NULL, &to));
            TRY(copy_rows(s, field, to, from, &b));
        }
        split_is_stale(l); /* around the grid, and at points without a halo in the
                            * whole */
    }
    l->parts_are_new = true;
    l->host_is_new = l->host_is_new && !stored;
    return PAV_OK;
}

/* ---- parts of a level -------------------------------------------------------------- */

/* Parts of levels in the host's memory, for files: each rank reads and writes its own
 * points, so no memory holds the whole grid. */

static pav_status visit_part(split *s, int64_t n, int field, const view *v, const box *b,
                             const part_visit *visit)
{
    executor *e = s->whole->inner[n].executor;
    const view *host;
    if (box_is_empty(b))
        return PAV_OK;
    /* a rank hands out points of its own */
    assert(box_is_inside(*b, s->whole->inner[n].grid[split_coarse(s, field)].box) ||
           split_has_all(s, field));
    TRY(e->ops.host_view(e, field, v, HOST_READ, b, &host));
    return visit->part(visit->user, host, b);
}

pav_status exec_split_read(subdomain *whole, int field, int level, const box *range,
                           const part_visit *visit)
{
    split *s = (split *)whole->executor;
    const int64_t buffer = split_buffer(s, field, whole->view[field][1 - level]);
    TRY(split_on_parts(s, field, buffer, false));
    for (int64_t n = 0; n < whole->inners; n++) {
        const view *v = split_view(s, n, field, buffer);
        const box b = box_common(split_share(s, n, split_coarse(s, field), range),
                                 view_points(v));
        if (!whole->inner[n].executor->absent)
            TRY(visit_part(s, n, field, v, &b, visit));
    }
    return PAV_OK;
}

pav_status exec_split_fill(subdomain *whole, int field, int level,
                           const part_visit *visit)
{
    split *s = (split *)whole->executor;
    const int64_t buffer = split_buffer(s, field, whole->view[field][1 - level]);
    split_level *l = &s->level[field][buffer];
    for (int64_t n = 0; n < whole->inners; n++) {
        executor *e = whole->inner[n].executor;
        const view *v = split_view(s, n, field, buffer);
        const box own = view_points(v);
        if (e->absent)
            continue;
        TRY(e->ops.host_view(e, field, v, HOST_FILL, NULL, &v));
        TRY(visit->part(visit->user, v, &own));
    }
    l->parts_are_new = true;
    l->host_is_new = false;
    split_is_stale(l);
    return PAV_OK;
}

static bool has_point(const box *b, const int64_t *point)
{
    return box_is_inside(point_box(point), *b);
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

/* Neighbours keep their order, because it is the order of additions at a point. The
 * traces belong to the whole. */
static pav_status share(const box *b, const point_set *all, point_set *own)
{
    int64_t count = 0;
    for (int64_t k = 0; k < all->neighbours; k++)
        count += has_point(b, all->index[k]);
    TRY(mem_take(&own->first, all->count + 1, sizeof *own->first));
    TRY(mem_take(&own->index, count + 1, sizeof *own->index));
    TRY(mem_take(&own->weight, count + 1, sizeof *own->weight));
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
    assert(own->neighbours == count); /* rows hold all neighbours */
    return PAV_OK;
}

/* Wide halos are an exception: some points belong to several subdomains. */
static bool has_every_point_once(const split *s)
{
    for (int64_t k = 0; k < s->whole->code->injections.count && !s->whole->wide; k++) {
        int64_t count = 0;
        for (subdomain *inner = NULL; (inner = subdomain_next_inner(s->whole, inner));)
            count += inner->injection[k].neighbours;
        if (count != s->whole->injection[k].neighbours)
            return false;
    }
    return true;
}

static pav_status split_share_sources(split *s)
{
    for (subdomain *inner = NULL; (inner = subdomain_next_inner(s->whole, inner));) {
        const int64_t count = s->whole->code->injections.count;
        TRY(mem_take(&inner->injection, count + 1, sizeof *inner->injection));
        for (int64_t k = 0; k < count; k++) {
            const box b = exec_split_injected(inner, k);
            TRY(share(&b, &s->whole->injection[k], &inner->injection[k]));
        }
    }
    assert(has_every_point_once(s));
    return PAV_OK;
}

void split_close_sources(subdomain *inner)
{
    for (int64_t k = 0; inner->injection && k < inner->code->injections.count; k++) {
        mem_free(inner->injection[k].first);
        MEM_FREE_ALL(inner->injection[k].index, inner->injection[k].weight);
    }
    mem_free(inner->injection);
    inner->injection = NULL;
}

static pav_status split_inject(executor *self, int64_t index)
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
    TRY(split_refresh_begin(s, &args, &good));
    TRY(split_arrive(s));
    TRY(split_on_parts(s, event->field, buffer, true));
    for (int64_t n = 0; n < whole->inners; n++) {
        executor *e = whole->inner[n].executor;
        if (whole->inner[n].injection[index].neighbours > 0 && !e->absent)
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

static pav_status split_take_sample(executor *self, sampler *sample)
{
    split *s = (split *)self;
    const subdomain *whole = s->whole;
    assert(split_is_in_step(s));
    const int64_t buffer = split_buffer(s, sample->field, whole->view[sample->field][1]);
    OWNED_NEW(const view *, side, whole->inners);
    TRY(split_on_parts(s, sample->field, buffer, false));
    for (int64_t n = 0; n < whole->inners; n++)
        TRY(host_side(s, n, sample, buffer, &side[n]));
    const point_set *p = sample->points;
    OWNED_NEW(double, value, p->neighbours + 1);
    for (int64_t k = 0; k < p->neighbours; k++)
        value[k] = value_at(s, side, p->index[k]);
    TRY(ranks_or(s->whole->ranks, (uint64_t *)(void *)value, p->neighbours));
    sample_row(p, value, sample->row);
    return sample->keep(sample->user, whole->step, whole->uniform[whole->code->uniform_t],
                        sample->row);
}

/* ---- steps ------------------------------------------------------------------------- */

static split *of(executor *self)
{
    return (split *)self;
}

/* First executor of this rank. */
static executor *first(const executor *self)
{
    const subdomain *inner = self->part->inner;
    while (inner->executor->absent)
        inner++;
    return inner->executor;
}

/* The executor of the subdomain after that of e; e NULL: of the first. NULL: there is no
 * other one. */
static executor *next(const executor *self, const executor *e)
{
    const subdomain *whole = self->part, *inner = e ? e->part + 1 : whole->inner;
    return inner < whole->inner + whole->inners ? inner->executor : NULL;
}

#define EACH_INNER(e, self) for (executor *e = NULL; (e = next(self, e));)

static pav_status wait(executor *self)
{
    EACH_INNER(e, self)
        TRY(e->ops.wait(e));
    return PAV_OK;
}

static pav_status begin(executor *self)
{
    EACH_INNER(e, self)
        TRY(e->ops.begin(e));
    return PAV_OK;
}

static pav_status begin_step(executor *self)
{
    split *s = of(self);
    assert(split_is_in_step(s));
    s->left = s->left > 0 ? s->left - 1 : wide_halo_steps(s->whole->wide) - 1;
    s->behind = false;
    /* steps left before the next exchange */
    assert(s->left >= 0 && s->left < wide_halo_steps(s->whole->wide));
    EACH_INNER(e, self)
        TRY(e->ops.begin_step(e));
    return PAV_OK;
}

static pav_status end_borders(executor *self)
{
    EACH_INNER(e, self)
        TRY(e->ops.end_borders(e));
    return PAV_OK;
}

/* Subdomains at one place end a step together, because their launches form one step. */
static pav_status end_step(executor *self)
{
    const split *s = of(self);
    const void *last = NULL;
    assert(split_is_in_step(s));
    assert(s->parcels == 0); /* no halo is under way */
    for (executor *e = NULL; (e = next(self, e)); last = e->place)
        if (e->part == s->whole->inner || e->place != last)
            TRY(e->ops.end_step(e));
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

/* A subdomain of another rank has levels without memory: pointers that are never
 * followed. */
static char nowhere[1];

static pav_status take_field(executor *self, int64_t field, const field_shape *shape,
                             progress_sink *progress)
{
    split *s = of(self);
    TRY(take_mirror(s, field, shape));
    s->deep[field] = is_deep(s, field);
    s->use[field] = halo_use_of(s->whole->code, field, s->whole->wide != NULL);
    /* Fields in one buffer share its state. */
    const int count = shape->count, memory = s->whole->code->field[field].memory;
    s->level[field] = memory ? s->level[memory - 1] : mem_new(count, sizeof **s->level);
    if (!s->level[field])
        return PAV_ENOMEM;
    for (int n = 0; n < count; n++)
        s->level[field][n].parts_are_new = true;
    for (subdomain *inner = NULL; (inner = subdomain_next_inner(s->whole, inner));) {
        const field_shape own = subdomain_shape(inner, field, shape);
        /* buffers have the same numbers in the whole */
        assert(own.count == shape->count);
        for (int axis = 0; axis < MAX_DIM; axis++) /* its box has points of the grid */
            assert(own.first[axis] >= 0 && own.extent[axis] > 0);
        TRY(inner->executor->absent ? levels_at(&own, nowhere, &inner->field[field])
                                    : inner->executor->ops.take_field(
                                          inner->executor, field, &own, progress));
    }
    return PAV_OK;
}

static pav_status place_views(executor *self)
{
    split *s = of(self);
    for (int64_t n = 0; n < s->whole->inners; n++)
        TRY(subdomain_open_views(&s->whole->inner[n], s->whole));
    EACH_INNER(e, self)
        TRY(e->ops.place_views(e));
    return PAV_OK;
}

static pav_status fill_tables(executor *self)
{
    TRY(split_share_sources(of(self)));
    EACH_INNER(e, self)
        TRY(e->ops.fill_tables(e));
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
        if (!e->absent)
            TRY(e->ops.copy_points(e, field, split_view(s, n, field, target),
                                   from ? split_view(s, n, field, source) : NULL,
                                   progress));
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
        if (!box_is_empty(&share) && !e->absent)
            TRY(e->ops.find_not_finite(e, field, split_view(s, n, field, buffer), &share,
                                       found, &here));
        if (here && (!*any || is_earlier(found, point)))
            memcpy(point, found, sizeof found);
        *any = *any || here;
    }
    pav_ranks *ranks = s->whole->ranks;
    rank_found own = {.any = *any};
    OWNED_NEW(rank_found, all, ranks_count(ranks));
    if (*any)
        memcpy(own.point, point, sizeof own.point);
    TRY(ranks_gather(ranks, &own, sizeof own, all));
    for (int n = 0; n < ranks_count(ranks); n++) {
        if (all[n].any && (!*any || is_earlier(all[n].point, point)))
            memcpy(point, all[n].point, sizeof own.point);
        *any = *any || all[n].any;
    }
    return PAV_OK;
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
    TRY(split_refresh_border(s, field, v));
    TRY(split_on_parts(s, field, buffer, true));
    if (split_has_all(s, field))
        TRY(split_exchange_lines(s, field, buffer, NULL, false));
    for (; axis < end && s->whole->wide; axis++)
        TRY(split_fill_wide(s, field, buffer, axis));
    if (s->whole->wide)
        split_bordered(s, field, buffer);
    for (; axis < end; axis++) {
        for (int64_t n = 0; n < s->whole->inners; n++) {
            executor *e = s->whole->inner[n].executor;
            if (!e->absent)
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
    for (const executor *e = NULL; (e = next(self, e));)
        if (!e->ops.tuned(e))
            return false;
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
    for (const executor *e = NULL; (e = next(self, e));)
        all.bytes += e->ops.figures(e).bytes;
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
    MEM_FREE_ALL(s->level, s->deep, s->use, s->share, s->inside);
    split_close_lines(s);
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
    TRY(mem_take(&s->level, fields + 1, sizeof *s->level));
    TRY(mem_take(&s->deep, fields + 1, sizeof *s->deep));
    TRY(mem_take(&s->use, fields + 1, sizeof *s->use));
    TRY(mem_take(&s->cut, subdomain_grids(s->whole->code), sizeof *s->cut));
    TRY(mem_take(&s->share, s->whole->inners, sizeof *s->share));
    TRY(mem_take(&s->inside, s->whole->inners, sizeof *s->inside));
    TRY(mem_take(&s->lines, s->whole->inners, sizeof *s->lines));
    if (s->whole->wide)
        TRY(wide_halo_work_out(s->whole->wide, s->whole->code));
    for (int64_t n = 0; n < s->whole->inners; n++)
        TRY(subdomain_open_fields(&s->whole->inner[n]));
    for (int n = 0; n < subdomain_grids(s->whole->code); n++)
        TRY(decompose_coarse(s->whole->code, d, n, &s->cut[n]));
    TRY(split_open_links(s));
    return leaders_open(s);
}

static const executor_ops split_ops = {
    .stage = split_stage,
    .tuned = is_tuned,
    .schedule = schedule_of,
    .chosen = chosen,
    .close = close_split,
    .wait = wait,
    .take_field = take_field,
    .place_views = place_views,
    .fill_tables = fill_tables,
    .host_view = split_host_view,
    .copy_points = copy_points,
    .find_not_finite = find_not_finite,
    .begin = begin,
    .begin_step = begin_step,
    .end_step = end_step,
    .fill_axes = fill_axes,
    .end_borders = end_borders,
    .inject = split_inject,
    .take_sample = split_take_sample,
    .figures = figures,
    .describe = describe,
};

pav_status exec_split_open(subdomain *whole, const decomposition *d, executor **result)
{
    split *s = NULL;
    *result = NULL;
    TRY(mem_take(&s, 1, sizeof *s));
    s->base = (executor){.ops = executor_ops_with(&split_ops), .part = whole};
    for (int64_t n = 0; n < whole->inners; n++) {
        const executor *inner = whole->inner[n].executor;
        s->base.own_memory = s->base.own_memory || inner->own_memory;
        s->base.asynchronous = s->base.asynchronous || inner->asynchronous;
    }
    s->whole = whole;
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
 * the same subdomains. It is asked for nothing, but field shapes are known, so all ranks
 * agree on every exchange. */
