/* SPDX-License-Identifier: BSD-3-Clause */
/* Brings points of one rank to the host's level of the first rank, or of all ranks. */
#include <assert.h>

#include "exec/split/split_private.h"

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

pav_status split_bring(split *s, int64_t n, int field, const view *from, const view *to,
                       const box *b, bool first_alone)
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
