/* SPDX-License-Identifier: BSD-3-Clause */
/* How points get from one subdomain to another. What does not happen at once is under way, as a parcel, from
 * split_move on: split_forward hands on what has left a device, and when split_arrive returns all is there. */
#include "exec/split/split_private.h"

/* ---- at once ------------------------------------------------------------------------------ */

static bool share_memory(executor *a, executor *b)
{
    return a->place == b->place && !a->absent && !b->absent;
}

static pav_status copy_there(const halo_move *m)
{
    return m->to->ops.copy_box(m->to, m->field, m->target, &m->range, m->from, m->field,
                               m->source, m->shift);
}

static bool reads(executor *a, executor *b)
{
    return a->ops.reads(a, b);
}

/* ---- by the host's memory ----------------------------------------------------------------- */

int64_t halo_move_bytes(const halo_move *m)
{
    return box_points(&m->range) * (int64_t)pav_type_size(m->target->type);
}

static box source_box(const halo_move *m)
{
    box there = m->range;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        there.lo[axis] += m->shift[axis];
        there.hi[axis] += m->shift[axis];
    }
    return there;
}

pav_status staging_room(staging *s, int64_t bytes)
{
    if (bytes <= s->room)
        return PAV_OK;
    mem_free(s->bytes);
    s->bytes = mem_new(bytes, 1);
    s->room = s->bytes ? bytes : 0;
    return s->bytes ? PAV_OK : PAV_ENOMEM;
}

static bool are_here(executor *a, executor *b)
{
    return a->ops.read_box && b->ops.write_box;
}

static pav_status fetch(parcel *p)
{
    const halo_move *m = &p->what;
    const box there = source_box(m);
    return m->from->ops.read_box(m->from, m->field, m->source, &there, p->values.bytes);
}

static pav_status deliver(parcel *p)
{
    const halo_move *m = &p->what;
    return m->to->ops.write_box(m->to, m->field, m->target, &m->range, p->values.bytes);
}

/* ---- between ranks ------------------------------------------------------------------------ */

static bool is_apart(executor *a, executor *b)
{
    return a->absent || b->absent;
}

static pav_status send_or_receive(parcel *p)
{
    const halo_move *m = &p->what;
    const subdomain *whole = m->split->whole;
    const int64_t bytes = halo_move_bytes(m);
    if (m->from->absent)
        return ranks_receive(whole->ranks, whole->inner[m->from_part].rank,
                             p->values.bytes, bytes);
    TRY(fetch(p));
    return ranks_send(whole->ranks, whole->inner[m->to_part].rank, p->values.bytes,
                      bytes);
}

static pav_status deliver_received(parcel *p)
{
    return p->what.to->absent ? PAV_OK : deliver(p);
}

static const transport transports[] = {
    {"MPI", false, is_apart, NULL, send_or_receive, deliver_received},
    {"same memory", false, share_memory, copy_there, NULL, NULL},
    {"peer access", true, reads, copy_there, NULL, NULL},
    {"staged copy", false, are_here, NULL, fetch, deliver},
};

const transport *transport_between(executor *a, executor *b)
{
    for (size_t n = 0; n < sizeof transports / sizeof *transports; n++)
        if (transports[n].joins(a, b))
            return &transports[n];
    return NULL;
}

/* ---- under way ---------------------------------------------------------------------------- */

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

static pav_status send_off(split *s, const halo_move *m, const transport *by)
{
    parcel *p = next_parcel(s);
    if (!p)
        return PAV_ENOMEM;
    p->what = *m;
    p->by = by;
    TRY(staging_room(&p->values, halo_move_bytes(m)));
    return by->leave(p);
}

pav_status split_move(split *s, halo_move *m)
{
    const transport *t = transport_between(m->to, m->from);
    if (!t)
        return FAIL(PAV_EUNSUPPORTED, "two subdomains are at places that nothing joins");
    if (box_is_empty(&m->range) || (m->to->absent && m->from->absent))
        return PAV_OK;
    m->split = s;
    s->cost.bytes += halo_move_bytes(m);
    s->cost.later = s->cost.later || t->later;
    return t->at_once ? t->at_once(m) : send_off(s, m, t);
}

pav_status split_look_after(split *s)
{
    split_clock_in(s);
    const pav_status status = ranks_poll(s->whole->ranks);
    split_clock_out(s);
    return status;
}

static pav_status arrive(split *s, int64_t count)
{
    TRY(ranks_wait(s->whole->ranks));
    for (int64_t n = 0; n < count; n++)
        TRY(s->parcel[n].by->arrive(&s->parcel[n]));
    return PAV_OK;
}

pav_status split_arrive(split *s)
{
    const int64_t count = s->parcels;
    s->parcels = 0;
    if (count == 0)
        return PAV_OK;
    split_clock_in(s);
    const pav_status status = arrive(s, count);
    split_clock_out(s);
    return status;
}

void split_close_parcels(split *s)
{
    for (int64_t n = 0; n < s->parcel_room; n++)
        mem_free(s->parcel[n].values.bytes);
    mem_free(s->parcel);
}

/* ---- what it takes ------------------------------------------------------------------------ */

void split_clock_in(split *s)
{
    if (s->cost.nested++ == 0)
        s->cost.begun = clock_seconds();
}

void split_clock_out(split *s)
{
    if (--s->cost.nested == 0)
        s->cost.seconds += clock_seconds() - s->cost.begun;
}
