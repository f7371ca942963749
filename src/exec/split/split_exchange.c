/* SPDX-License-Identifier: BSD-3-Clause */
/* Halos that a stage reads, exchanged between subdomains, and the time it takes. */
#include <assert.h>

#include "exec/split/split_private.h"

/* ---- costs ------------------------------------------------------------------------- */

/* Costs of exchanges, and the part hidden behind the inside.
 * Some exchanges are timed. On processors a timed exchange is awaited at once: the time
 * saved by the other exchanges is hidden. On a GPU, marks on its clock tell how long
 * halos travelled, and how long after the inside they arrived. */

enum { PERIOD = 32, FIRST = 5, LEFT = 0, THERE, INSIDE };

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

static executor *first_asynchronous(const split *s)
{
    for (int64_t n = 0; n < s->whole->inners; n++)
        if (s->whole->inner[n].executor->asynchronous)
            return s->whole->inner[n].executor;
    return NULL;
}

static pav_status mark_concurrent(executor *e, gpu_concurrent_step step, int number)
{
    TRY(e->queue->concurrent(e, step));
    const pav_status status = e->queue->mark(e, number);
    TRY(e->queue->concurrent(e, GPU_CONCURRENT_END));
    return status;
}

/* Reads the marks of the last timed exchange. An error only drops the measurement, and
 * does not end the run. */
static void read_marks(split *s, executor *e)
{
    double whole, after;
    s->cost.marked = false;
    if (e->queue->between(e, LEFT, THERE, &whole) != PAV_OK ||
        e->queue->between(e, INSIDE, THERE, &after) != PAV_OK)
        return;
    s->cost.whole.seconds += whole;
    s->cost.whole.count++;
    s->cost.waited.seconds += after > 0 ? after : 0;
    s->cost.waited.count++;
}

static pav_status mark_leaving(split *s)
{
    executor *e = is_timed(s) ? first_asynchronous(s) : NULL;
    if (!e)
        return PAV_OK;
    if (s->cost.marked)
        read_marks(s, e);
    return mark_concurrent(e, GPU_CONCURRENT_BEGIN, LEFT);
}

pav_status split_mark_there(split *s)
{
    executor *e = is_timed(s) ? first_asynchronous(s) : NULL;
    return e ? mark_concurrent(e, GPU_CONCURRENT_AGAIN, THERE) : PAV_OK;
}

pav_status split_mark_inside(split *s)
{
    executor *e = is_timed(s) ? first_asynchronous(s) : NULL;
    if (!e)
        return PAV_OK;
    s->cost.marked = true;
    return e->queue->mark(e, INSIDE);
}

/* ---- totals ------------------------------------------------------------------------ */

static double mean(const exchange_mean *m)
{
    return m->count > 0 ? m->seconds / (double)m->count : 0;
}

void split_add_figures(const split *s, executor_figures *all)
{
    all->exchanged_by = s->cost.by;
    all->exchanged_bytes = s->cost.bytes;
    all->exchanged_seconds = s->cost.seconds;
    all->exchange_later = s->cost.later;
    if (s->cost.whole.count > 0 && s->cost.waited.count > 0) {
        all->exchange_whole = mean(&s->cost.whole);
        all->exchange_waited = mean(&s->cost.waited);
    }
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
    b.lo[axis] = v->first[axis] - v->halo[axis][0];
    b.hi[axis] = own.hi[axis] + v->halo[axis][1];
    if (side)
        b.lo[axis] = own.hi[axis];
    else
        b.hi[axis] = own.lo[axis];
    return b;
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
    halo_move m = {.to = s->whole->inner[n].executor,
                   .from = s->whole->inner[other].executor,
                   .to_part = n,
                   .from_part = other,
                   .field = field,
                   .target = split_view(s, n, field, buffer),
                   .source = split_view(s, other, field, buffer)};
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

static pav_status copy_box_of(split *s, int field, int64_t buffer, int64_t to,
                              int64_t from)
{
    halo_move m = {.to = s->whole->inner[to].executor,
                   .from = s->whole->inner[from].executor,
                   .to_part = to,
                   .from_part = from,
                   .field = field,
                   .target = split_view(s, to, field, buffer),
                   .source = split_view(s, from, field, buffer),
                   .range = s->whole->inner[from].grid[split_coarse(s, field)].box};
    return split_move(s, &m);
}

pav_status split_exchange_axis(split *s, int field, int64_t buffer, int axis)
{
    split_clock_in(s);
    const pav_status status = begin_axis(s, field, buffer, axis);
    split_clock_out(s);
    return status == PAV_OK ? split_arrive(s) : status;
}

pav_status split_exchange_points(split *s, int field, int64_t buffer)
{
    split_clock_in(s);
    pav_status status = PAV_OK;
    for (int64_t to = 0; to < s->whole->inners; to++)
        for (int64_t from = 0; from < s->whole->inners && status == PAV_OK; from++)
            if (from != to)
                status = copy_box_of(s, field, buffer, to, from);
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

static int last_cut(const split *s)
{
    int last = -1;
    for (int axis = 0; axis < s->whole->code->dim; axis++)
        last = split_is_cut(s, axis) ? axis : last;
    return last;
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

static bool reads_beyond(const split *s, const ir_node *n)
{
    bool any = s->whole->wide || split_has_all(s, n->field);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        int reach[2] = {0, 0};
        halo_reach(n, axis, reach);
        any = any || (split_is_cut(s, axis) && reach[0] + reach[1] > 0);
    }
    return any;
}

/* Exchanges one level along an axis: its faces along this axis. Without reads of corners,
 * all axes go together with the last one. */
static pav_status begin_level_along(split *s, int field, int64_t buffer, int axis,
                                    int last)
{
    const split_level *l = &s->level[field][buffer];
    if (s->use[field] != HALO_FACES || s->whole->wide)
        return axis >= l->from ? begin_axis(s, field, buffer, axis) : PAV_OK;
    for (int a = 0; a <= last && axis == last; a++)
        if (split_is_cut(s, a))
            TRY(begin_axis(s, field, buffer, a));
    return PAV_OK;
}

static pav_status begin_axes(split *s, const stale_levels *all)
{
    const int last = last_cut(s);
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
        TRY(split_exchange_points(s, field, buffer));
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
    for (int64_t k = 0; k < args->stage->count; k++) {
        const ir_node *n = &args->stage->node[k];
        const view *v = n->op == IR_LOAD ? args->view[n->field][1 - n->level] : NULL;
        if (!v || split_is_good(s, n, v, extra))
            continue;
        const int64_t buffer = split_buffer(s, n->field, v);
        if (reads_beyond(s, n))
            TRY(add_level(s, &all, n->field, buffer));
        else
            TRY(split_on_parts(s, n->field, buffer, false));
    }
    return all.count > 0 ? begin_levels(s, &all) : PAV_OK;
}

pav_status split_refresh(split *s, const interp_args *args, const halo_depth *extra)
{
    TRY(split_refresh_begin(s, args, extra));
    return split_arrive(s);
}

/* ---- halos of all levels ----------------------------------------------------------- */

static pav_status add_levels_of(split *s, int field, const halo_depth *needed,
                                stale_levels *all)
{
    const ir_field *f = &s->whole->code->field[field];
    const halo_depth all_of_it = subdomain_depth(s->whole, field);
    const int count = f->updated ? f->levels - 1 : 1;
    for (int age = 0; age < count; age++) {
        const view *v = s->whole->view[field][1 + age];
        split_level *l = v ? &s->level[field][split_buffer(s, field, v)] : NULL;
        if (!l ||
            (l->parts_are_new && halo_is_within(needed ? needed : &all_of_it, &l->good)))
            continue;
        l->stale = true;
        l->from = 0;
        TRY(add_level(s, all, field, split_buffer(s, field, v)));
    }
    return PAV_OK;
}

pav_status split_refresh_all(split *s, const halo_depth *needed)
{
    stale_levels all = {.count = 0};
    for (int f = 0; f < s->whole->code->fields; f++)
        TRY(add_levels_of(s, f, needed, &all));
    if (all.count > 0)
        TRY(begin_levels(s, &all));
    return split_arrive(s);
}
