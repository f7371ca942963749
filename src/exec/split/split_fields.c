/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of a grid that is cut: the share of each subdomain, and the mirror of a level in
 * the host's memory, which is filled when the host asks for it. */
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
    for (int64_t n = 0; n < whole->inners; n++) {
        const subdomain *inner = &whole->inner[n];
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
    assert(n >= 0 && n < s->whole->inners && buffer >= 0 && buffer < own->count);
    return &own->level[buffer];
}

/* ---- points of one rank ------------------------------------------------------------ */

/* Brings points of one rank to the host's level of the first rank, or of all ranks. */

static pav_status bring_to_first(split *s, int owner, int64_t bytes)
{
    pav_ranks *ranks = s->whole->ranks;
    const int own = ranks_number(ranks);
    if (owner == 0 || (own != 0 && own != owner))
        return PAV_OK;
    if (own == owner)
        TRY(ranks_send(ranks, 0, s->staging.bytes, bytes));
    else
        TRY(ranks_receive(ranks, owner, s->staging.bytes, bytes));
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
    const int64_t bytes = box_points(b) * (int64_t)pav_type_size(to->type);
    const box window = view_window(to);
    assert(box_is_inside(b, &window));
    const bool takes = !first_alone || ranks_number(ranks) == 0;
    if (!takes && e->absent)
        return PAV_OK;
    TRY(staging_room(&s->staging, bytes));
    if (!e->absent)
        TRY(e->ops.read_box(e, field, from, b, s->staging.bytes));
    TRY(first_alone ? bring_to_first(s, inner->rank, bytes)
                    : ranks_share(ranks, inner->rank, s->staging.bytes, bytes));
    if (takes)
        view_write_box(to, b, to->type, s->staging.bytes);
    return PAV_OK;
}

/* ---- mirrors ----------------------------------------------------------------------- */

/* Levels of the whole grid for the host. They are gathered from the subdomains at a
 * request of the host, and scattered before the subdomains continue. */

static void copy_rows(const view *to, const view *from, const box *b)
{
    const int64_t count = b->hi[0] - b->lo[0];
    const box target = view_window(to), source = view_window(from);
    assert(to->type == from->type);
    assert(box_is_empty(b) || (box_is_inside(b, &target) && box_is_inside(b, &source)));
    for (int64_t k = b->lo[2]; count > 0 && k < b->hi[2]; k++)
        for (int64_t j = b->lo[1]; j < b->hi[1]; j++)
            memcpy(view_at(to, b->lo[0], j, k), view_at(from, b->lo[0], j, k),
                   (size_t)count * pav_type_size(to->type));
}

static const view *whole_view(const split *s, int64_t field, int64_t buffer)
{
    return &s->whole->field[field].level[buffer];
}

/* ---- to the host ------------------------------------------------------------------- */

pav_status split_host_view(executor *self, int64_t field, const view *v, host_use how,
                           const box *range, const view **host)
{
    split *s = (split *)self;
    const int64_t buffer = split_buffer(s, field, v);
    split_level *l = &s->level[field][buffer];
    assert(l->host_is_new || l->parts_are_new);
    *host = v;
    if (how != HOST_FILL && !l->host_is_new) {
        const bool first_alone = how == HOST_FILE;
        const view *to = whole_view(s, field, buffer);
        const box all = range ? *range : view_window(to);
        for (int64_t n = 0; n < s->whole->inners; n++) {
            executor *e = s->whole->inner[n].executor;
            const view *from = split_view(s, n, field, buffer);
            const box share = split_share(s, n, split_coarse(s, field), &all),
                      there = view_window(from);
            const box b = box_common(&share, &there);
            if (box_is_empty(&b))
                continue;
            if (s->whole->ranks) {
                TRY(bring_points(s, n, (int)field, from, to, &b, first_alone));
                continue;
            }
            TRY(e->ops.host_view(e, field, from, HOST_READ, &b, &from));
            copy_rows(to, from, &b);
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
    assert(l->host_is_new || l->parts_are_new);
    if (!l->parts_are_new) {
        /* Copies points with their halo: the whole's level has all of it. */
        const view *from = whole_view(s, field, buffer);
        const box all = view_window(from);
        for (int64_t n = 0; n < s->whole->inners; n++) {
            executor *e = s->whole->inner[n].executor;
            const view *to = split_view(s, n, field, buffer);
            const box window = view_window(to), b = box_common(&window, &all);
            if (e->absent)
                continue;
            TRY(e->ops.host_view(e, field, to, HOST_FILL, NULL, &to));
            copy_rows(to, from, &b);
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
    assert(box_is_inside(b, &s->whole->inner[n].grid[split_coarse(s, field)].box) ||
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
        const box share = split_share(s, n, split_coarse(s, field), range);
        const box own = view_points(v), b = box_common(&share, &own);
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
