/* SPDX-License-Identifier: BSD-3-Clause */
/* Points on their way from rank to rank: halos between neighbours, all of one axis at the same time; and
 * levels for the host. */
#include "exec/split/split_private.h"

bool split_is_apart(executor *a, executor *b)
{
    return a->absent || b->absent;
}

/* ---- halos -------------------------------------------------------------------------------- */

/* Room that was taken once is used again. */
static parcel *next_parcel(split *s)
{
    if (s->parcels == s->parcel_room) {
        const int64_t room = 2 * s->parcel_room + 8;
        parcel *grown = mem_grow(s->parcel, room, sizeof *grown);
        if (!grown)
            return NULL;
        for (int64_t n = s->parcel_room; n < room; n++)
            grown[n] = (parcel){0};
        s->parcel = grown;
        s->parcel_room = room;
    }
    return &s->parcel[s->parcels++];
}

static pav_status send_parcel(const split *s, const halo_move *m, const parcel *p)
{
    const box there = halo_move_source(m);
    TRY(m->from->ops.read_box(m->from, m->field, m->source, &there, p->values.bytes));
    return ranks_send(s->whole->ranks, s->whole->inner[m->to_part].rank, p->values.bytes,
                      halo_move_bytes(m));
}

pav_status split_post(const halo_move *m)
{
    split *s = m->split;
    if (m->to->absent && m->from->absent)
        return PAV_OK;
    parcel *p = next_parcel(s);
    if (!p)
        return PAV_ENOMEM;
    p->what = *m;
    TRY(staging_room(&p->values, halo_move_bytes(m)));
    if (m->to->absent)
        return send_parcel(s, m, p);
    return ranks_receive(s->whole->ranks, s->whole->inner[m->from_part].rank,
                         p->values.bytes, halo_move_bytes(m));
}

pav_status split_deliver(split *s)
{
    const int64_t count = s->parcels;
    s->parcels = 0;
    if (count == 0)
        return PAV_OK;
    TRY(ranks_wait(s->whole->ranks));
    for (int64_t n = 0; n < count; n++) {
        const halo_move *m = &s->parcel[n].what;
        if (!m->to->absent)
            TRY(m->to->ops.write_box(m->to, m->field, m->target, &m->range,
                                     s->parcel[n].values.bytes));
    }
    return PAV_OK;
}

void split_close_parcels(split *s)
{
    for (int64_t n = 0; n < s->parcel_room; n++)
        mem_free(s->parcel[n].values.bytes);
    mem_free(s->parcel);
}

/* ---- for the host ------------------------------------------------------------------------- */

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
