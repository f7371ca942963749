/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels of the whole grid for the host. They are gathered from the subdomains at a
 * request of the host, and scattered before the subdomains continue. */
#include <assert.h>
#include <string.h>

#include "exec/split/split_private.h"

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

static pav_status gather(split *s, int64_t field, int64_t buffer, const box *range,
                         bool first_alone)
{
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
            TRY(split_bring(s, n, (int)field, from, to, &b, first_alone));
            continue;
        }
        TRY(e->ops.host_view(e, field, from, HOST_READ, &b, &from));
        copy_rows(to, from, &b);
    }
    return PAV_OK;
}

pav_status split_host_view(executor *self, int64_t field, const view *v, host_use how,
                           const box *range, const view **host)
{
    split *s = (split *)self;
    const int64_t buffer = split_buffer(s, field, v);
    split_level *l = &s->level[field][buffer];
    assert(l->host_is_new || l->parts_are_new);
    *host = v;
    if (how != HOST_FILL && !l->host_is_new)
        TRY(gather(s, field, buffer, range, how == HOST_FILE));
    if (how == HOST_FILE) /* only the first rank has the points */
        return PAV_OK;
    l->host_is_new = l->host_is_new || how != HOST_READ || !range;
    l->parts_are_new = l->parts_are_new && how == HOST_READ;
    return PAV_OK;
}

/* ---- to the subdomains ------------------------------------------------------------- */

/* Copies points with their halo: the whole's level has all of it. */
static pav_status scatter(split *s, int64_t field, int64_t buffer)
{
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
    return PAV_OK;
}

pav_status split_on_parts(split *s, int64_t field, int64_t buffer, bool stored)
{
    split_level *l = &s->level[field][buffer];
    assert(l->host_is_new || l->parts_are_new);
    if (!l->parts_are_new) {
        TRY(scatter(s, field, buffer));
        split_is_stale(l); /* around the grid, and at points without a halo in the
                            * whole */
    }
    l->parts_are_new = true;
    l->host_is_new = l->host_is_new && !stored;
    return PAV_OK;
}
