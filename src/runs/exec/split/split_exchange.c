/* SPDX-License-Identifier: BSD-3-Clause */
/* Halos between subdomains: the halos that a stage reads, the ways of a halo from one
 * subdomain to another, and the time that exchanges take. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/gpu/gpu.h"
#include "exec/split/split_private.h"

/* ---- costs ------------------------------------------------------------------------- */

/* Costs of exchanges, and the part hidden behind the inside.
 * Some exchanges are timed. On processors a timed exchange is awaited at once: the time
 * saved by the other exchanges is hidden. On a GPU, marks on its clock tell how long
 * halos travelled, and how long after the inside they arrived. */

enum { PERIOD = 32, FIRST = 5, LEFT = GPU_FREE_MARK, THERE, INSIDE };

static void split_clock_in(split *s)
{
    if (s->cost.nested++ == 0)
        s->cost.begun = clock_seconds();
}

static void split_clock_out(split *s)
{
    if (--s->cost.nested == 0)
        s->cost.seconds += clock_seconds() - s->cost.begun;
}

static bool is_timed(const split *s)
{
    return s->cost.exchanges % PERIOD == FIRST;
}

/* ---- on processors ----------------------------------------------------------------- */

bool split_is_awaited(const split *s)
{
    return is_timed(s) && !s->base.asynchronous;
}

void split_note(split *s, double before)
{
    exchange_mean *m = split_is_awaited(s) ? &s->cost.whole : &s->cost.waited;
    if (!s->base.asynchronous && s->cost.exchanges >= FIRST) {
        m->seconds += s->cost.seconds - before;
        m->count++;
    }
    s->cost.exchanges++;
}

/* ---- on a GPU ---------------------------------------------------------------------- */

/* The first executor on a GPU, if this exchange is timed; else NULL. */
static executor *timed_gpu(const split *s)
{
    for (int64_t n = 0; n < s->whole->inners && is_timed(s); n++)
        if (s->whole->inner[n].executor->asynchronous)
            return s->whole->inner[n].executor;
    return NULL;
}

/* Ends the work on the second stream, whatever its status. */
static pav_status end_concurrent(executor *e, pav_status status)
{
    TRY(gpurun_concurrent(e, GPU_CONCURRENT_END));
    return status;
}

static pav_status mark_concurrent(executor *e, gpu_concurrent_step step, int number)
{
    TRY(gpurun_concurrent(e, step));
    return end_concurrent(e, gpu_mark(executor_gpu(e), number));
}

static pav_status mark_leaving(split *s)
{
    executor *e = timed_gpu(s);
    if (!e)
        return PAV_OK;
    if (s->cost.marked) {
        /* Reads the marks of the last timed exchange. An error only drops the
         * measurement, and does not end the run. */
        double whole, after;
        s->cost.marked = false;
        if (gpu_seconds(executor_gpu(e), LEFT, THERE, &whole) == PAV_OK &&
            gpu_seconds(executor_gpu(e), INSIDE, THERE, &after) == PAV_OK) {
            s->cost.whole.seconds += whole;
            s->cost.whole.count++;
            s->cost.waited.seconds += after > 0 ? after : 0;
            s->cost.waited.count++;
        }
    }
    return mark_concurrent(e, GPU_CONCURRENT_BEGIN, LEFT);
}

static pav_status split_mark_there(split *s)
{
    executor *e = timed_gpu(s);
    return e ? mark_concurrent(e, GPU_CONCURRENT_AGAIN, THERE) : PAV_OK;
}

pav_status split_mark_inside(split *s)
{
    executor *e = timed_gpu(s);
    if (!e)
        return PAV_OK;
    s->cost.marked = true;
    return gpu_mark(executor_gpu(e), INSIDE);
}

/* ---- totals ------------------------------------------------------------------------ */

void split_add_figures(const split *s, executor_figures *all)
{
    all->exchanged_by = s->cost.by;
    all->exchanged_bytes = s->cost.bytes;
    all->exchanged_seconds = s->cost.seconds;
    all->exchange_later = s->cost.later;
    if (s->cost.whole.count > 0 && s->cost.waited.count > 0) {
        all->exchange_whole = s->cost.whole.seconds / (double)s->cost.whole.count;
        all->exchange_waited = s->cost.waited.seconds / (double)s->cost.waited.count;
    }
}

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

/* Collects one GPU for each place and returns their number. *good: all subdomains here
 * are on GPUs. */
static int find_gpus(const split *s, gpu **g, bool *good)
{
    const subdomain *whole = s->whole;
    int count = 0;
    *good = true;
    for (int64_t n = 0; n < whole->inners; n++) {
        const executor *e = whole->inner[n].executor;
        if (e->absent || (count > 0 && !e->absent && g[count - 1] == executor_gpu(e)))
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
    OWNED gpu **g = mem_new(s->whole->inners, sizeof *g);
    return g ? open_links(s, w, g) : PAV_ENOMEM;
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
    return executor_gpu(a) && gpu_reads_fields(a, b);
}

static pav_status copy_concurrently(parcel *p)
{
    executor *to = p->what.to;
    TRY(gpurun_concurrent(to, GPU_CONCURRENT_BEGIN));
    return end_concurrent(to, copy_there(&p->what));
}

/* The receiver reads the halo, and the sender changes its source, only after the copy. */
static pav_status join_both(parcel *p)
{
    gpu *to = executor_gpu(p->what.to);
    TRY(gpu_join(to, to));
    return gpu_join(executor_gpu(p->what.from), to);
}

/* ---- by the host's memory ---------------------------------------------------------- */

static int64_t bytes_of_move(const halo_move *m)
{
    return box_points(m->range) * (int64_t)pav_type_size(m->target->type);
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

static bool can_copy_box(executor *a, executor *b)
{
    return a->ops.read_box && b->ops.write_box;
}

static pav_status pack_and_expect(parcel *p)
{
    /* Unpacking waits for all work queued so far, because that work may still read the
     * halo. */
    executor *to = p->what.to;
    if (executor_gpu(to)) {
        TRY(gpurun_concurrent(to, GPU_CONCURRENT_BEGIN));
        TRY(gpurun_concurrent(to, GPU_CONCURRENT_END));
    }
    const halo_move *m = &p->what;
    const box there = box_moved(m->range, m->shift);
    if (m->from->absent)
        return PAV_OK;
    return executor_gpu(m->from)
               ? gpu_pack_box(m->from, m->field, m->source, &there, &p->leaving)
               : m->from->ops.read_box(m->from, m->field, m->source, &there,
                                       p->values.bytes);
}

static pav_status fetch(parcel *p)
{
    executor *from = p->what.from;
    return executor_gpu(from)
               ? gpu_packed(from, &p->leaving, bytes_of_move(&p->what), p->values.bytes)
               : PAV_OK;
}

static pav_status deliver(parcel *p)
{
    const halo_move *m = &p->what;
    const void *values = p->by->together ? NULL : p->values.bytes;
    if (m->to->absent)
        return PAV_OK;
    return executor_gpu(m->to)
               ? gpu_unpack_box(m->to, m->field, m->target, &m->range, &p->arriving,
                                values)
               : m->to->ops.write_box(m->to, m->field, m->target, &m->range, values);
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
    TRY(pack_and_expect(p));
    return m->from->absent ? ranks_receive(whole->ranks, whole->inner[m->from_part].rank,
                                           p->values.bytes, bytes_of_move(m))
                           : PAV_OK;
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

/* ---- by NCCL, from a GPU to another ------------------------------------------------ */

static bool are_linked(executor *a, executor *b)
{
    return a->linked && b->linked && link_number(a) != link_number(b);
}

static pav_status pass(parcel *p)
{
    const halo_move *m = &p->what;
    const gpu_links *l = m->split->links;
    const box there = box_moved(m->range, m->shift);
    if (!m->from->absent)
        TRY(gpu_pass_box(m->from, m->source, &there, &p->leaving, l, link_number(m->to),
                         true));
    if (m->to->absent)
        return PAV_OK;
    return gpu_pass_box(m->to, m->target, &m->range, &p->arriving, l,
                        link_number(m->from), false);
}

enum { SAME_MEMORY, BY_NCCL, BY_MPI, PEER_ACCESS, STAGED_COPY };
static const transport transports[] = {
    [SAME_MEMORY] = {"same memory", .joins = share_memory, .at_once = copy_there},
    [BY_NCCL] = {"NCCL", true, are_linked, NULL, pack_and_expect, pass, true, deliver},
    [BY_MPI] = {"MPI", false, is_apart, NULL, pack_or_receive, fetch_and_send, false,
                deliver},
    [PEER_ACCESS] = {"peer access", true, reads, NULL, copy_concurrently, NULL, false,
                     join_both},
    [STAGED_COPY] = {"staged copy", false, can_copy_box, NULL, pack_and_expect, fetch,
                     false, deliver},
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

static pav_status send_off(split *s, const halo_move *m, const transport *by)
{
    parcel *p;
    /* Reuses the memory of earlier parcels. */
    const int64_t before = s->parcel_room;
    TRY(mem_reserve(&s->parcel, &s->parcel_room, s->parcels, sizeof *s->parcel));
    for (int64_t n = before; n < s->parcel_room; n++)
        s->parcel[n] = (parcel){0};
    p = &s->parcel[s->parcels++];
    p->what = *m;
    p->by = by;
    p->left = !by->go_on || (!m->from->asynchronous && !by->together);
    if (!by->together)
        TRY(staging_room(&p->values, bytes_of_move(m)));
    /* staging_room made room */
    assert(by->together || p->values.room >= bytes_of_move(m));
    TRY(by->leave(p));
    return by->go_on && p->left ? by->go_on(p) : PAV_OK;
}

/* True if both memories contain the points. */
static bool is_between_windows(const halo_move *m)
{
    return m->target->type == m->source->type &&
           box_is_inside(m->range, view_window(m->target)) &&
           box_is_inside(box_moved(m->range, m->shift), view_window(m->source));
}

static pav_status split_move(split *s, halo_move *m)
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

static pav_status split_go_together(split *s, int64_t count)
{
    bool any = false;
    for (int64_t n = 0; n < count; n++) {
        parcel *p = &s->parcel[n];
        if (!p->by->together || p->left)
            continue;
        if (!any)
            TRY(gpu_links_begin());
        any = p->left = true;
        TRY(p->by->go_on(p));
    }
    return any ? gpu_links_end() : PAV_OK;
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
        gpu_drop_box(b->owner, b);
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

/* ---- exchange ---------------------------------------------------------------------- */

/* The halo exchange before a read of halos. It goes axis by axis, x first, and includes
 * points beyond the faces of lower axes, so that corners arrive, too. If nobody reads
 * corners, all axes go at once. The halos of the last axis may stay under way while
 * points that do not read them are computed (split_stages.c). */

/* ---- one face ---------------------------------------------------------------------- */

/* The points beyond a face, with the points beyond lower axes if corners are read. Wide
 * halos are exchanged between two steps, with filled borders, so they also include points
 * beyond outer faces of higher axes. */
box split_beyond(const subdomain *inner, int64_t field, halo_use use, const view *v,
                 int axis, int side)
{
    const box own = view_points(v);
    box b = use == HALO_FACES ? own : view_window(v);
    for (int a = axis + 1; a < MAX_DIM; a++) {
        if (!inner->wide || subdomain_is_seam(inner, field, a, 0))
            b.lo[a] = own.lo[a];
        if (!inner->wide || subdomain_is_seam(inner, field, a, 1))
            b.hi[a] = own.hi[a];
    }
    return side ? box_along(b, axis, own.hi[axis], own.hi[axis] + v->halo[axis][1])
                : box_along(b, axis, own.lo[axis] - v->halo[axis][0], own.lo[axis]);
}

/* A move of points of a level from a subdomain to another. */
static halo_move move_of(const split *s, int field, int64_t buffer, int64_t to,
                         int64_t from)
{
    return (halo_move){.to = s->whole->inner[to].executor,
                       .from = s->whole->inner[from].executor,
                       .to_part = to,
                       .from_part = from,
                       .field = field,
                       .target = split_view(s, to, field, buffer),
                       .source = split_view(s, from, field, buffer)};
}

static pav_status exchange_face(split *s, int field, int64_t buffer, int64_t n, int axis,
                                int side)
{
    int64_t at[MAX_DIM];
    const decomposition *d = &s->cut[split_coarse(s, field)];
    const int64_t parts = d->parts[axis], extent = d->cut[axis][parts];
    decomposition_place(d, n, at);
    const int64_t next = at[axis] + (side ? 1 : -1);
    at[axis] = (next + parts) % parts;
    const int64_t other = decomposition_number(d, at);
    halo_move m = move_of(s, field, buffer, n, other);
    m.range = split_beyond(&s->whole->inner[n], field, s->use[field], m.target, axis,
                           side);
    m.shift[axis] = next < 0 ? extent : next == parts ? -extent : 0;
    /* A neighbour sends its own points: its copies of other points may be stale. */
    assert(m.range.lo[axis] + m.shift[axis] >= m.source->first[axis]);
    assert(m.range.hi[axis] + m.shift[axis] <=
           m.source->first[axis] + m.source->extent[axis]);
    return split_move(s, &m);
}

/* ---- one level --------------------------------------------------------------------- */

static pav_status begin_axis(split *s, int field, int64_t buffer, int axis)
{
    for (int64_t n = 0; n < s->whole->inners; n++)
        for (int side = 0; side < 2; side++)
            if (subdomain_is_seam(&s->whole->inner[n], field, axis, side))
                TRY(exchange_face(s, field, buffer, n, axis, side));
    leaders_copy(s);
    return PAV_OK;
}

pav_status split_exchange_axis(split *s, int field, int64_t buffer, int axis)
{
    split_clock_in(s);
    const pav_status status = begin_axis(s, field, buffer, axis);
    split_clock_out(s);
    return status == PAV_OK ? split_arrive(s) : status;
}

pav_status split_exchange_lines(split *s, int field, int64_t buffer,
                                const split_lines *lines, bool back)
{
    const int64_t inners = s->whole->inners;
    pav_status status = PAV_OK;
    split_clock_in(s);
    for (int64_t n = 0; n < inners * inners && status == PAV_OK; n++) {
        halo_move m = move_of(s, field, buffer, n / inners, n % inners);
        /* The points of subdomain m.from_part that m.to_part needs: all of them, or
         * those of its lines. */
        const int coarse = split_coarse(s, m.field);
        if (!lines) {
            m.range = s->whole->inner[m.from_part].grid[coarse].box;
        } else if (back) {
            m.range = split_share(s, m.to_part, coarse, &lines[m.from_part].range);
            m.from = lines[m.from_part].at;
            m.source = &lines[m.from_part].level;
        } else {
            m.range = split_share(s, m.from_part, coarse, &lines[m.to_part].range);
            m.to = lines[m.to_part].at;
            m.target = &lines[m.to_part].level;
        }
        if (lines || m.to_part != m.from_part)
            status = split_move(s, &m);
    }
    if (status == PAV_OK)
        leaders_copy(s);
    split_clock_out(s);
    return status == PAV_OK ? split_arrive(s) : status;
}

/* ---- halos of a stage -------------------------------------------------------------- */

bool split_is_cut(const split *s, int axis)
{
    return s->whole->inner[0].grid->cut[axis];
}

/* Levels with stale halos that a stage reads. */
enum { MOST_STALE = 64 };
typedef struct stale_levels {
    int field[MOST_STALE];
    int64_t buffer[MOST_STALE];
    int count;
} stale_levels;

static bool is_listed(const split *s, const stale_levels *all, int field, int64_t buffer)
{
    for (int n = 0; n < all->count; n++)
        if (&s->level[all->field[n]][all->buffer[n]] == &s->level[field][buffer])
            return true;
    return false;
}

static bool reads_beyond(const split *s, const ir_stage *stage, const ir_node *n)
{
    int reach[MAX_DIM][2] = {{0}};
    bool any = s->whole->wide || split_has_all(s, n->field);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        halo_reach(s->whole->code, stage, n, axis, reach[axis]);
        any = any || (split_is_cut(s, axis) && reach[axis][0] + reach[axis][1] > 0);
    }
    return any;
}

/* Exchanges one level along an axis: its faces along this axis. Without reads of corners,
 * all axes go together with the last one. */
static pav_status begin_level_along(split *s, int field, int64_t buffer, int axis,
                                    int last)
{
    if (s->use[field] != HALO_FACES || s->whole->wide)
        return axis >= s->level[field][buffer].from ? begin_axis(s, field, buffer, axis)
                                                    : PAV_OK;
    for (int a = 0; a <= last && axis == last; a++)
        if (split_is_cut(s, a))
            TRY(begin_axis(s, field, buffer, a));
    return PAV_OK;
}

static pav_status begin_axes(split *s, const stale_levels *all)
{
    int last = -1;
    for (int axis = 0; axis < s->whole->code->dim; axis++)
        last = split_is_cut(s, axis) ? axis : last;
    for (int axis = 0; axis <= last; axis++) {
        if (axis == last)
            TRY(mark_leaving(s));
        for (int n = 0; n < all->count && split_is_cut(s, axis); n++)
            TRY(begin_level_along(s, all->field[n], all->buffer[n], axis, last));
        if (axis < last)
            TRY(split_arrive(s));
    }
    TRY(split_go_together(s, s->parcels));
    return split_mark_there(s);
}

/* Begins the exchange; halos along the last axis are under way on return. */
static pav_status begin_levels(split *s, stale_levels *all)
{
    split_clock_in(s);
    const pav_status status = begin_axes(s, all);
    split_clock_out(s);
    for (int n = 0; n < all->count; n++)
        split_is_fresh(s, all->field[n], &s->level[all->field[n]][all->buffer[n]]);
    all->count = 0;
    return status;
}

/* ---- lists of stale levels --------------------------------------------------------- */

static pav_status add_level(split *s, stale_levels *all, int field, int64_t buffer)
{
    split_level *l = &s->level[field][buffer];
    TRY(split_on_parts(s, field, buffer, false));
    if (is_listed(s, all, field, buffer))
        return PAV_OK;
    if (l->stale && split_has_all(s, field))
        TRY(split_exchange_lines(s, field, buffer, NULL, false));
    if (!l->stale || !s->deep[field] || split_has_all(s, field)) {
        split_is_fresh(s, field, l);
        return PAV_OK;
    }
    if (all->count == MOST_STALE) {
        TRY(begin_levels(s, all));
        TRY(split_arrive(s));
    }
    all->field[all->count] = field;
    all->buffer[all->count++] = buffer;
    return PAV_OK;
}

pav_status split_refresh_begin(split *s, const interp_args *args, const halo_depth *extra)
{
    stale_levels all = {.count = 0};
    for (const ir_node *n = NULL; (n = ir_next_load(args->stage, n));) {
        const view *v = args->view[n->field][1 - n->level];
        if (split_is_good(s, args->stage, n, v, extra))
            continue;
        const int64_t buffer = split_buffer(s, n->field, v);
        TRY(reads_beyond(s, args->stage, n) ? add_level(s, &all, n->field, buffer)
                                            : split_on_parts(s, n->field, buffer, false));
    }
    return all.count > 0 ? begin_levels(s, &all) : PAV_OK;
}

/* Refreshes the other fields read by a border of a level: its faces also cover points
 * beyond seams. */
pav_status split_refresh_border(split *s, int field, const view *v)
{
    const ir *code = s->whole->code;
    stale_levels all = {.count = 0};
    int age = 0;
    while (age < code->field[field].levels && s->whole->view[field][age] != v)
        age++;
    for (int f = 0; f < field; f++)
        if (ir_border_reads(code, field, f))
            TRY(add_level(
                s, &all, f,
                split_buffer(s, f, s->whole->view[f][code->field[f].updated ? age : 1])));
    if (all.count > 0)
        TRY(begin_levels(s, &all));
    return split_arrive(s);
}

/* ---- halos of all levels ----------------------------------------------------------- */

pav_status split_refresh_all(split *s, const halo_depth *needed)
{
    stale_levels all = {.count = 0};
    for (int f = 0; f < s->whole->code->fields; f++) {
        const halo_depth all_of_it = subdomain_depth(s->whole, f);
        for (int age = 0; age < ir_kept_levels(&s->whole->code->field[f]); age++) {
            const view *v = s->whole->view[f][1 + age];
            split_level *l = v ? &s->level[f][split_buffer(s, f, v)] : NULL;
            if (!l || (l->parts_are_new &&
                       halo_is_within(needed ? needed : &all_of_it, &l->good)))
                continue;
            l->stale = true;
            l->from = 0;
            TRY(add_level(s, &all, f, split_buffer(s, f, v)));
        }
    }
    if (all.count > 0)
        TRY(begin_levels(s, &all));
    return split_arrive(s);
}
