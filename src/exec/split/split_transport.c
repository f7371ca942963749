/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways of a halo from one subdomain to another: within a place, over linked GPUs, through
 * the host's memory, and between ranks. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/gpu/gpu.h"
#include "exec/split/split_private.h"

/* ---- linked GPUs ------------------------------------------------------------------- */

/* NCCL links between the GPUs of a grid that is cut. With several ranks they are used if
 * the library exists and each rank has a GPU of its own. Within one process they are used
 * only if PAV_TRANSPORT requests them, because GPUs with peer access read each other's
 * memory. Without links, other transports move the halos. */

typedef enum wish { WISH_ANY, WISH_NCCL, WISH_MPI } wish;

static pav_status find_wish(wish *w)
{
    const char *name = getenv("PAV_TRANSPORT");
    *w = WISH_ANY;
    if (!name || !*name || strcmp(name, "auto") == 0)
        return PAV_OK;
    *w = strcmp(name, "nccl") == 0 ? WISH_NCCL : WISH_MPI;
    return *w == WISH_NCCL || strcmp(name, "mpi") == 0
               ? PAV_OK
               : FAIL(PAV_EINVAL,
                      "PAV_TRANSPORT=%s: nccl, mpi and auto are known, between GPUs",
                      name);
}

/* ---- linked GPUs ------------------------------------------------------------------- */

/* Collects one GPU for each place and returns their number. *good: all subdomains here
 * are on GPUs. */
static int find_gpus(const split *s, gpu **g, bool *good)
{
    const subdomain *whole = s->whole;
    int count = 0;
    *good = true;
    for (int64_t n = 0; n < whole->inners; n++) {
        const executor *e = whole->inner[n].executor;
        const bool again = count > 0 && !e->absent && g[count - 1] == executor_gpu(e);
        if (e->absent || again)
            continue;
        *good = *good && executor_gpu(e) && gpu_links_know(executor_gpu(e));
        if (*good)
            g[count++] = executor_gpu(e);
    }
    return count;
}

static int link_number(const executor *e)
{
    return e->part->rank + e->part->place; /* one of the two is 0 */
}

static bool all_agree(const split *s, bool own, pav_status *status)
{
    uint64_t bad = !own;
    *status = ranks_or(s->whole->ranks, &bad, 1);
    return *status == PAV_OK && bad == 0;
}

/* ---- opening ----------------------------------------------------------------------- */

static pav_status join_gpus(split *s, gpu *const *g, int count)
{
    pav_ranks *ranks = s->whole->ranks;
    const int all = ranks ? ranks_count(ranks) : count;
    gpu_links_id id = {{0}};
    pav_status own = PAV_OK;
    if (ranks_number(ranks) == 0)
        own = gpu_links_new_id(&id);
    TRY(ranks_share(ranks, 0, &id, (int64_t)sizeof id));
    if (own == PAV_OK)
        own = gpu_links_open(g, count, ranks_number(ranks), all, &id, &s->links);
    return own;
}

static pav_status cannot(const char *why)
{
    return FAIL(PAV_EUNSUPPORTED,
                "NCCL cannot link the GPUs of this run: %s; leave out "
                "PAV_TRANSPORT=nccl",
                why);
}

static pav_status open_links(split *s, wish w, gpu **g)
{
    bool good;
    pav_status status;
    const int count = find_gpus(s, g, &good), all = ranks_count(s->whole->ranks) * count;
    if (!all_agree(s, good && all > 1, &status))
        return status == PAV_OK && w == WISH_NCCL
                   ? cannot("there are not several GPUs, or other devices beside them")
                   : status;
    if (!all_agree(s, gpu_links_there(), &status))
        return status == PAV_OK && w == WISH_NCCL
                   ? cannot("libnccl.so.2 is not here (apt install libnccl2, or "
                            "PAV_NCCL)")
                   : status;
    pav_status agreed;
    const pav_status own = join_gpus(s, g, count);
    char why[sizeof s->unlinked];
    (void)snprintf(why, sizeof why, "%s",
                   own == PAV_OK ? "another rank could not" : pav_message());
    if (!all_agree(s, own == PAV_OK, &agreed)) {
        gpu_links_close(s->links);
        s->links = NULL;
        (void)snprintf(s->unlinked, sizeof s->unlinked, "%s", why);
    }
    TRY(agreed);
    for (int64_t n = 0; s->links && n < s->whole->inners; n++)
        s->whole->inner[n].executor->linked = true;
    return !s->links && w == WISH_NCCL ? cannot(s->unlinked) : PAV_OK;
}

static bool may_link(const executor *here)
{
    wish w;
    const gpu *g = here ? executor_gpu(here) : NULL;
    return find_wish(&w) == PAV_OK && w != WISH_MPI && g && gpu_links_know(g) &&
           gpu_links_there();
}

pav_status split_open_links(split *s)
{
    wish w;
    TRY(find_wish(&w));
    if (w == WISH_MPI || (w == WISH_ANY && !s->whole->ranks))
        return PAV_OK;
    gpu **g = mem_new(s->whole->inners, sizeof *g);
    const pav_status status = g ? open_links(s, w, g) : PAV_ENOMEM;
    mem_free(g);
    return status;
}

const char *exec_split_unlinked(const executor *e)
{
    return ((const split *)e)->unlinked;
}

/* ---- transports -------------------------------------------------------------------- */

/* Transports of points between subdomains. Deferred moves travel in parcels, from
 * split_move on. split_progress forwards parcels that have left a device; after
 * split_arrive all points are there. */

/* ---- at once ----------------------------------------------------------------------- */

static bool share_memory(executor *a, executor *b)
{
    return a->place == b->place && !a->absent && !b->absent;
}

static pav_status copy_there(const halo_move *m)
{
    return m->to->ops.copy_box(m->to, m->field, m->target, &m->range, m->from, m->field,
                               m->source, m->shift);
}

/* ---- from the memory of another GPU ------------------------------------------------ */

static bool reads(executor *a, executor *b)
{
    return a->queue && a->queue->reads(a, b);
}

static pav_status copy_concurrently(parcel *p)
{
    executor *to = p->what.to;
    TRY(to->queue->concurrent(to, GPU_CONCURRENT_BEGIN));
    const pav_status status = copy_there(&p->what);
    TRY(to->queue->concurrent(to, GPU_CONCURRENT_END));
    return status;
}

/* The receiver reads the halo, and the sender changes its source, only after the copy. */
static pav_status join_both(parcel *p)
{
    executor *to = p->what.to, *from = p->what.from;
    TRY(to->queue->join(to, to));
    return from->queue->join(from, to);
}

/* ---- by the host's memory ---------------------------------------------------------- */

static int64_t bytes_of_move(const halo_move *m)
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

static pav_status pack(parcel *p)
{
    const halo_move *m = &p->what;
    const box there = source_box(m);
    return m->from->queue ? m->from->queue->pack_box(m->from, m->field, m->source, &there,
                                                     &p->leaving)
                          : m->from->ops.read_box(m->from, m->field, m->source, &there,
                                                  p->values.bytes);
}

/* Unpacking waits for all work queued so far, because that work may still read the
 * halo. */
static pav_status expect(parcel *p)
{
    executor *to = p->what.to;
    if (!to->queue)
        return PAV_OK;
    TRY(to->queue->concurrent(to, GPU_CONCURRENT_BEGIN));
    return to->queue->concurrent(to, GPU_CONCURRENT_END);
}

static pav_status pack_and_expect(parcel *p)
{
    TRY(expect(p));
    return pack(p);
}

static pav_status fetch(parcel *p)
{
    executor *from = p->what.from;
    return from->queue ? from->queue->packed(from, &p->leaving, bytes_of_move(&p->what),
                                             p->values.bytes)
                       : PAV_OK;
}

static pav_status deliver(parcel *p)
{
    const halo_move *m = &p->what;
    return m->to->queue ? m->to->queue->unpack_box(m->to, m->field, m->target, &m->range,
                                                   &p->arriving, p->values.bytes)
                        : m->to->ops.write_box(m->to, m->field, m->target, &m->range,
                                               p->values.bytes);
}

/* ---- between ranks ----------------------------------------------------------------- */

static bool is_apart(executor *a, executor *b)
{
    return a->absent || b->absent;
}

static pav_status pack_or_receive(parcel *p)
{
    const halo_move *m = &p->what;
    const subdomain *whole = m->split->whole;
    if (!m->from->absent)
        return pack(p);
    TRY(expect(p));
    return ranks_receive(whole->ranks, whole->inner[m->from_part].rank, p->values.bytes,
                         bytes_of_move(m));
}

static pav_status fetch_and_send(parcel *p)
{
    const halo_move *m = &p->what;
    const subdomain *whole = m->split->whole;
    if (m->from->absent)
        return PAV_OK;
    TRY(fetch(p));
    return ranks_send(whole->ranks, whole->inner[m->to_part].rank, p->values.bytes,
                      bytes_of_move(m));
}

static pav_status deliver_received(parcel *p)
{
    return p->what.to->absent ? PAV_OK : deliver(p);
}

/* ---- by NCCL, from a GPU to another ------------------------------------------------ */

static bool are_linked(executor *a, executor *b)
{
    return a->linked && b->linked && link_number(a) != link_number(b);
}

static pav_status pack_or_expect(parcel *p)
{
    if (!p->what.to->absent)
        TRY(expect(p));
    return p->what.from->absent ? PAV_OK : pack(p);
}

static pav_status pass(parcel *p)
{
    const halo_move *m = &p->what;
    const gpu_links *l = m->split->links;
    const box there = source_box(m);
    if (!m->from->absent)
        TRY(m->from->queue->pass_box(m->from, m->source, &there, &p->leaving, l,
                                     link_number(m->to), true));
    if (m->to->absent)
        return PAV_OK;
    return m->to->queue->pass_box(m->to, m->target, &m->range, &p->arriving, l,
                                  link_number(m->from), false);
}

static pav_status take_passed(parcel *p)
{
    const halo_move *m = &p->what;
    return m->to->absent ? PAV_OK
                         : m->to->queue->unpack_box(m->to, m->field, m->target, &m->range,
                                                    &p->arriving, NULL);
}

enum { SAME_MEMORY, BY_NCCL, BY_MPI, PEER_ACCESS, STAGED_COPY };
static const transport transports[] = {
    [SAME_MEMORY] = {"same memory", .joins = share_memory, .at_once = copy_there},
    [BY_NCCL] = {"NCCL", true, are_linked, NULL, pack_or_expect, pass, true, take_passed},
    [BY_MPI] = {"MPI", false, is_apart, NULL, pack_or_receive, fetch_and_send, false,
                deliver_received},
    [PEER_ACCESS] = {"peer access", true, reads, NULL, copy_concurrently, NULL, false,
                     join_both},
    [STAGED_COPY] = {"staged copy", false, are_here, NULL, pack_and_expect, fetch, false,
                     deliver},
};

const transport *transport_between(executor *a, executor *b)
{
    for (size_t n = 0; n < sizeof transports / sizeof *transports; n++)
        if (transports[n].joins(a, b))
            return &transports[n];
    return NULL;
}

const transport *transport_between_ranks(const executor *here)
{
    return &transports[may_link(here) ? BY_NCCL : BY_MPI];
}

/* ---- under way --------------------------------------------------------------------- */

/* Reuses the memory of earlier parcels. */
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
    p->left = !by->go_on || (!m->from->asynchronous && !by->together);
    if (!by->together)
        TRY(staging_room(&p->values, bytes_of_move(m)));
    assert(by->together || p->values.room >= bytes_of_move(m));
    TRY(by->leave(p));
    return by->go_on && p->left ? by->go_on(p) : PAV_OK;
}

/* True if both memories contain the points. */
static bool is_between_windows(const halo_move *m)
{
    const box target = view_window(m->target), source = view_window(m->source);
    const box there = source_box(m);
    return m->target->type == m->source->type && box_is_inside(&m->range, &target) &&
           box_is_inside(&there, &source);
}

pav_status split_move(split *s, halo_move *m)
{
    const transport *t = transport_between(m->to, m->from);
    if (!t)
        return FAIL(PAV_EUNSUPPORTED, "two subdomains are at places that nothing joins");
    if (box_is_empty(&m->range) || (m->to->absent && m->from->absent))
        return PAV_OK;
    assert(is_between_windows(m));
    m->split = s;
    s->cost.bytes += bytes_of_move(m);
    s->cost.later = s->cost.later || t->later;
    if (!s->cost.by || t->joins != share_memory)
        s->cost.by = t->name;
    if (t->at_once == copy_there && s->leaders.team && !m->to->asynchronous)
        return leaders_add_move(s, m);
    return t->at_once ? t->at_once(m) : send_off(s, m, t);
}

pav_status split_go_together(split *s, int64_t count)
{
    int64_t any = 0;
    for (int64_t n = 0; n < count; n++)
        any += s->parcel[n].by->together && !s->parcel[n].left;
    if (any == 0)
        return PAV_OK;
    TRY(gpu_links_begin(s->links));
    for (int64_t n = 0; n < count; n++) {
        parcel *p = &s->parcel[n];
        if (!p->by->together || p->left)
            continue;
        p->left = true;
        TRY(p->by->go_on(p));
    }
    return gpu_links_end(s->links);
}

static pav_status go_on(split *s, int64_t count)
{
    TRY(split_go_together(s, count));
    for (int64_t n = 0; n < count; n++) {
        parcel *p = &s->parcel[n];
        const bool leaves = !p->left;
        p->left = true;
        if (leaves)
            TRY(p->by->go_on(p));
    }
    return ranks_poll(s->whole->ranks);
}

pav_status split_progress(split *s)
{
    split_clock_in(s);
    const pav_status status = go_on(s, s->parcels);
    split_clock_out(s);
    return status;
}

static pav_status arrive(split *s, int64_t count)
{
    TRY(go_on(s, count));
    TRY(ranks_wait(s->whole->ranks));
    bool later = true;
    for (int64_t n = 0; n < count; n++) {
        TRY(s->parcel[n].by->arrive(&s->parcel[n]));
        later = later && s->parcel[n].by->later;
    }
    return later ? PAV_OK : split_mark_there(s);
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

static void drop(packed_box *b)
{
    if (b->owner)
        b->owner->queue->drop_box(b->owner, b);
}

void split_close_parcels(split *s)
{
    for (int64_t n = 0; n < s->parcel_room; n++) {
        drop(&s->parcel[n].leaving);
        drop(&s->parcel[n].arriving);
        mem_free(s->parcel[n].values.bytes);
    }
    mem_free(s->parcel);
}
