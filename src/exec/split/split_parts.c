/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of levels in the host's memory, for files: each rank reads and writes its own
 * points, so no memory holds the whole grid. */
#include <assert.h>

#include "exec/split/split_private.h"

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
