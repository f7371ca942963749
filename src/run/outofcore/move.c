/* SPDX-License-Identifier: BSD-3-Clause */
/* Planes move between the window and the store, from visit to visit. Planes that no later
 * visit needs go back to the store. Planes for the next visit are shifted within the
 * window, and new ones come from the store, some of them already during a visit. */
#include <assert.h>
#include <string.h>

#include "run/outofcore/outofcore_private.h"

/* ---- where planes lie -------------------------------------------------------------- */

void outofcore_place(outofcore_block *b, bool wrapped)
{
    const int axis = b->o->axis;
    for (int64_t f = 0; f < b->run->code->fields; f++) {
        const ir_field *field = &b->run->code->field[f];
        const int64_t before = wrapped ? outofcore_around(b->o, field) : 0;
        const int64_t first = outofcore_first(b) - before;
        levels *l = &b->window->field[f];
        const bool whole = outofcore_is_whole(b->o, field);
        for (int n = 0; n < l->count && !whole; n++) {
            view *v = &l->level[n];
            const int64_t bytes = v->stride[axis] * (int64_t)pav_type_size(v->type);
            v->data = (char *)v->data - (first - v->first[axis]) * bytes;
            v->first[axis] = first;
        }
    }
}

/* ---- between the store and the window ---------------------------------------------- */

/* The planes of a range in the store's view of a field; ghosts: on a periodic axis, also
 * the planes beyond its ends. */
box outofcore_range(const outofcore_block *b, int field, int64_t lo, int64_t hi,
                    bool ghosts)
{
    const int axis = b->o->axis;
    const view *store = b->run->part->field[field].level;
    const bool wraps = border_wraps(b->run->code->field[field].border[axis][0].kind);
    const box all = ghosts || !wraps ? view_window(store) : view_points(store);
    box range = view_window(store);
    range.lo[axis] = lo > all.lo[axis] ? lo : all.lo[axis];
    range.hi[axis] = hi < all.hi[axis] ? hi : all.hi[axis];
    return range;
}

/* Views of the store have ghosts around their points; views of a window have none. */
bool outofcore_has_planes(const outofcore_block *b, const view *v, const box *range)
{
    const int axis = b->o->axis;
    return range->lo[axis] >= v->first[axis] - v->halo[axis][0] &&
           range->hi[axis] <= v->first[axis] + v->extent[axis] + v->halo[axis][1];
}

static pav_status move_level(outofcore_block *b, int field, int level, const box *range,
                             int where)
{
    executor *e = b->window->executor;
    const view *there = outofcore_in_window(b, field, level, where);
    const view *store = outofcore_in_store(b, field, level, where);
    int64_t *moved = where == TO_STORE ? &b->run->outofcore->got
                                       : &b->run->outofcore->sent;
    if (box_is_empty(range))
        return PAV_OK;
    assert(outofcore_has_planes(b, there, range) &&
           outofcore_has_planes(b, store, range));
    *moved += box_points(range) * (int64_t)pav_type_size(store->type);
    if (b->o->disk)
        return where == TO_STORE ? disk_keep(b, field, level, range)
                                 : disk_bring(b, field, level, range, where);
    return where == TO_STORE ? e->ops.to_host(e, field, there, range, store)
                             : e->ops.from_host(e, field, there, range, store);
}

/* ghosts: on a periodic axis, also planes beyond its ends. */
static pav_status move_planes(outofcore_block *b, int64_t lo, int64_t hi, int where,
                              bool all, bool ghosts)
{
    for (int f = 0; f < b->run->code->fields; f++) {
        const box range = outofcore_range(b, f, lo, hi, ghosts);
        for (int n = 0; n < b->run->code->field[f].levels; n++)
            if (outofcore_moves(b, f, n, where, all))
                TRY(move_level(b, f, n, &range, where));
    }
    return PAV_OK;
}

/* ---- within the window ------------------------------------------------------------- */

/* Shifts planes towards the first by `by`. It copies at most `by` planes at a time, so
 * that none is overwritten before it is read. */
static pav_status keep_buffer(outofcore_block *b, int field, const view *v, int64_t count,
                              int64_t by)
{
    executor *e = b->window->executor;
    const int axis = b->o->axis;
    int64_t shift[MAX_DIM] = {0};
    box range = view_window(v);
    const int64_t first = b->at.lo;
    shift[axis] = by;
    assert(by > 0 && count >= 0);
    for (int64_t done = 0; done < count; done += by) {
        range.lo[axis] = first + done;
        range.hi[axis] = first + (done + by < count ? done + by : count);
        TRY(e->ops.copy_box(e, field, v, &range, e, field, v, shift));
    }
    return PAV_OK;
}

static pav_status keep_planes(outofcore_block *b, int64_t count, int64_t by)
{
    for (int f = 0; f < b->run->code->fields && by > 0; f++) {
        const levels *l = &b->window->field[f];
        const ir_field *field = &b->run->code->field[f];
        if (field->memory || outofcore_is_whole(b->o, field))
            continue;
        for (int n = 0; n < l->count; n++)
            TRY(keep_buffer(b, f, &l->level[n], count, by));
    }
    return PAV_OK;
}

/* ---- from visit to visit ----------------------------------------------------------- */

/* On a periodic axis the last visit reads the first planes again, with the levels of all
 * steps of the block. So all their buffers go to the store. */
static bool all_buffers_go(const outofcore_block *b, int64_t lo)
{
    const outofcore_window end = outofcore_window_of(b->o, b->steps, b->axis.tiles - 1);
    return end.wrapped > 0 && lo < end.wrapped;
}

/* ---- planes that move during a visit ----------------------------------------------- */

/* Planes move during a visit (the method MP-MMTB of Jin, Endo and Matsuoka). Behind the
 * planes of the visit lie the planes uploaded for the next one. Behind these lie the
 * planes left by the visit before, copied there on the device. The last visit of a
 * periodic axis takes no part. */

static bool overlaps(const outofcore_block *b, const outofcore_window *next)
{
    return b->o->overlaps && next->wrapped == 0;
}

static int64_t place_of_out(const outofcore_block *b)
{
    return b->at.lo + b->o->out;
}

/* ---- planes that go ---------------------------------------------------------------- */

static pav_status save_buffer(outofcore_block *b, int field, const view *v,
                              const box *range)
{
    executor *e = b->window->executor;
    const int axis = b->o->axis;
    int64_t shift[MAX_DIM] = {0};
    box there = *range;
    if (box_is_empty(range))
        return PAV_OK;
    shift[axis] = b->left_lo - place_of_out(b);
    there.lo[axis] -= shift[axis];
    there.hi[axis] -= shift[axis];
    return e->ops.copy_box(e, field, v, &there, e, field, v, shift);
}

static pav_status save_planes(outofcore_block *b, int64_t lo, int64_t hi)
{
    const bool all = all_buffers_go(b, lo);
    b->left_lo = lo;
    b->left_hi = hi;
    for (int f = 0; f < b->run->code->fields; f++) {
        const box range = outofcore_range(b, f, lo, hi, true);
        for (int n = 0; n < b->run->code->field[f].levels; n++)
            if (outofcore_moves(b, f, n, TO_STORE, all))
                TRY(save_buffer(b, f, outofcore_in_window(b, f, n, TO_STORE), &range));
    }
    return PAV_OK;
}

/* ---- an exchange ------------------------------------------------------------------- */

static int64_t buffers_of_window(const outofcore_block *b)
{
    int64_t all = 0;
    for (int64_t f = 0; f < b->run->code->fields; f++)
        all += b->window->field[f].count;
    return all;
}

static void add_move(outofcore_block *b, int field, int level, const box *range,
                     int64_t by, int where)
{
    const view *store = outofcore_in_store(b, field, level, where);
    int64_t *moved = where == TO_DEVICE ? &b->run->outofcore->sent
                                        : &b->run->outofcore->got;
    if (box_is_empty(range))
        return;
    assert(b->moves < 2 * buffers_of_window(b)); /* open_moves made room */
    *moved += box_points(range) * (int64_t)pav_type_size(store->type);
    b->move[b->moves++] = (box_move){.field = field,
                                     .there = outofcore_in_window(b, field, level, where),
                                     .here = store,
                                     .range = *range,
                                     .by = by,
                                     .up = where == TO_DEVICE};
}

/* Adds the moves of a field's planes from `lo` up to `hi`; in the window they lie `by`
 * planes lower. */
static void add_planes(outofcore_block *b, int field, int64_t lo, int64_t hi, int64_t by,
                       int where, bool all)
{
    const int axis = b->o->axis;
    box range = outofcore_range(b, field, lo, hi, true);
    range.lo[axis] -= by;
    range.hi[axis] -= by;
    for (int n = 0; n < b->run->code->field[field].levels; n++)
        if (outofcore_moves(b, field, n, where, all))
            add_move(b, field, n, &range, by, where);
}

static pav_status open_moves(outofcore_block *b)
{
    b->moves = 0;
    if (!b->move)
        b->move = mem_new(2 * buffers_of_window(b) + 1, sizeof *b->move);
    return b->move ? PAV_OK : PAV_ENOMEM;
}

static pav_status begin_moves(const outofcore_block *b)
{
    executor *e = b->window->executor;
    if (b->o->first == 0)
        b->o->first = clock_seconds();
    b->o->exchanges += b->moves > 0;
    return b->moves > 0 ? e->ops.exchange(e, b->move, b->moves) : PAV_OK;
}

static pav_status begin_exchange(outofcore_block *b)
{
    int64_t end = b->at.hi; /* of the planes for the next visit, if that takes part */
    if (b->o->disk)
        return disk_prefetch(b);
    if (!b->o->overlaps)
        return PAV_OK;
    TRY(open_moves(b));
    if (b->visit + 1 < b->axis.tiles) {
        const outofcore_window next = outofcore_window_of(b->o, b->steps, b->visit + 1);
        end = overlaps(b, &next) ? next.hi : end;
    }
    for (int f = 0; f < b->run->code->fields; f++) {
        add_planes(b, f, b->left_lo, b->left_hi, b->left_lo - place_of_out(b), TO_STORE,
                   all_buffers_go(b, b->left_lo));
        if (end > b->at.hi)
            add_planes(b, f, b->at.hi, end, 0, TO_DEVICE, false);
    }
    b->come = end;
    b->left_hi = b->left_lo;
    return begin_moves(b);
}

/* The last planes go back while the next block begins. */
static pav_status drain(outofcore_block *b)
{
    TRY(open_moves(b));
    for (int f = 0; f < b->run->code->fields; f++)
        add_planes(b, f, b->at.lo, b->at.hi, 0, TO_STORE, false);
    b->o->drains = b->moves > 0;
    TRY(begin_moves(b));
    b->moves = 0;
    return PAV_OK;
}

/* Planes of the last block may still go back during the first visit of this one. */
pav_status outofcore_exchanged(outofcore_block *b)
{
    executor *e = b->window->executor;
    const bool drained = b->o->drains && b->visit > 0;
    const bool any = b->moves > 0 || drained;
    if (b->o->disk)
        return disk_wait(b);
    b->moves = 0;
    b->o->drains = b->o->drains && !drained;
    return any ? e->ops.exchanged(e) : PAV_OK;
}

/* ---- resident planes --------------------------------------------------------------- */

/* If the device's memory holds most of the grid, its first planes are resident from block
 * to block, and only the others move. The resident planes lie before the window's. Each
 * level is one array with both while the window stands at their end, so visits and
 * launches need no special case. The store gets them back before anybody reads it. */

/* A block must leave its results in the place of the next block's input. */
bool outofcore_may_be_resident(const outofcore *o)
{
    const outofcore_request *r = &o->requested;
    return !r->single && !r->again && !r->unshifted && !o->disk && !o->why_stages[0] &&
           o->windows == 1 && o->unit == 1 && !outofcore_has_tiles(o) &&
           !o->state.blocking.periodic[o->axis];
}

pav_status outofcore_resident_open(const pav_run *run)
{
    outofcore *o = run->outofcore;
    if (o->stay == 0)
        return PAV_OK;
    o->newest = mem_new(run->code->fields + 1, sizeof *o->newest);
    return o->newest ? PAV_OK : PAV_ENOMEM;
}

/* Copies the resident planes to the store; they begin the window's memory. */
static pav_status bring_resident_back(outofcore_block *b)
{
    const outofcore_window at = b->at;
    if (b->o->stay == 0)
        return PAV_OK;
    b->at.lo = outofcore_resident_end(b->o);
    outofcore_place(b, false);
    const pav_status status = move_planes(b, -b->o->halo, b->at.lo, TO_STORE, false,
                                          true);
    b->at = at;
    b->o->stale = false;
    return status;
}

/* After a block, the resident planes belong to its last step. */
static void note_resident(const outofcore_block *b)
{
    outofcore *o = b->o;
    const int singles = b->steps - b->launches * o->depth;
    for (int f = 0; f < b->run->code->fields && o->stay > 0; f++)
        o->newest[f] = outofcore_newest(b, f, b->launches, singles);
    o->stays = o->stay > 0;
    o->stale = o->stays && !b->whole;
}

/* Called if an unexpected observer reads the store between blocks. */
pav_status outofcore_settle(pav_run *run)
{
    outofcore *o = run->outofcore;
    if (!o || !o->stale)
        return PAV_OK;
    outofcore_block none = {.run = run, .o = o, .window = o->window, .visit = 1};
    TRY(outofcore_exchanged(&none));
    outofcore_turn(&none, 0, 0);
    return bring_resident_back(&none);
}

/* ---- coefficients ------------------------------------------------------------------ */

/* Coefficients that fit next to the window are on the device whole. They are uploaded
 * before the first block, and again only after the caller has changed them. */
bool outofcore_is_whole(const outofcore *o, const ir_field *f)
{
    return o->sent_once && !f->updated && !f->shared && !f->memory && !f->coarse;
}

static pav_status send_field(outofcore_block *b, int field)
{
    executor *e = b->window->executor;
    const levels *store = &b->run->part->field[field];
    levels *there = &b->window->field[field];
    for (int n = 0; n < store->count; n++) {
        const box all = view_window(&store->level[n]);
        TRY(subdomain_ask(b->run->part, field, &store->level[n], HOST_READ, NULL));
        TRY(e->ops.from_host(e, field, &there->level[n], &all, &store->level[n]));
        b->run->outofcore->sent += box_points(&all) *
                                   (int64_t)pav_type_size(store->level[n].type);
    }
    return PAV_OK;
}

pav_status outofcore_send_whole(outofcore_block *b)
{
    if (!b->o->sent_once || b->o->are_there)
        return PAV_OK;
    for (int f = 0; f < b->run->code->fields; f++)
        if (outofcore_is_whole(b->o, &b->run->code->field[f]))
            TRY(send_field(b, f));
    b->o->are_there = true;
    return PAV_OK;
}

/* ---- visits that compute the overlap again ----------------------------------------- */

/* The methods MM and MMT of Jin, Endo and Matsuoka. A visit uploads its part of the grid
 * with the overlap for all its steps, and computes the overlap again. Its results
 * overwrite planes that the next visit needs in their old state. The host's memory keeps
 * copies of these. */

/* Planes that come back from a visit: its own, and the ghosts at the ends. */
static void find_own(const outofcore_block *b, int64_t visit, int64_t *lo, int64_t *hi)
{
    *lo = visit == 0 ? -b->o->halo : visit * b->axis.width;
    *hi = visit + 1 == b->axis.tiles ? b->o->extent + b->o->halo
                                     : (visit + 1) * b->axis.width;
}

/* ---- planes as they were ----------------------------------------------------------- */

static bool is_overwritten(const outofcore_block *b, int field, int level)
{
    const ir_field *f = &b->run->code->field[field];
    return (f->updated || f->shared) &&
           outofcore_moves(b, field, level, TO_DEVICE, false);
}

static int64_t plane_bytes(const outofcore_block *b, const view *v)
{
    return v->stride[b->o->axis] * (int64_t)pav_type_size(v->type);
}

/* The most old planes that a visit needs of the visits before. */
static int64_t old_depth(const outofcore_block *b)
{
    return outofcore_most_shift(b->o, b->steps) + outofcore_reach(b->o) + b->o->unit;
}

/* Bytes from the first point of one plane to the last point of the other. */
static int64_t bytes_between(const outofcore_block *b, const view *v, int64_t lo,
                             int64_t hi)
{
    const box all = view_window(v);
    int64_t last[MAX_DIM];
    for (int axis = 0; axis < MAX_DIM; axis++)
        last[axis] = all.hi[axis] - 1;
    last[b->o->axis] = hi - 1;
    const char *end = view_at(v, last[0] + 1, last[1], last[2]);
    return end - outofcore_plane_at(b->o, v, lo);
}

static void keep_old(const outofcore_block *b, const view *store, view *old, int64_t lo,
                     int64_t hi)
{
    char *to = old->data;
    const int64_t one = plane_bytes(b, store);
    const int64_t before = b->visit == 1 ? lo : (b->visit - 1) * b->axis.width;
    const int64_t again = before > hi ? hi : before > lo ? before : lo;
    if (again > lo) /* earlier visits have overwritten these planes */
        memmove(to, to + (lo - old->first[b->o->axis]) * one,
                (size_t)bytes_between(b, store, lo, again));
    if (hi > again)
        memcpy(to + (again - lo) * one, outofcore_plane_at(b->o, store, again),
               (size_t)bytes_between(b, store, again, hi));
    old->first[b->o->axis] = lo;
}

typedef pav_status old_work(outofcore_block *b, int field, int level, view *old,
                            const box *range);

static pav_status keep_store(outofcore_block *b, int field, int level, view *old,
                             const box *range)
{
    const int axis = b->o->axis;
    const view *store = outofcore_in_store(b, field, level, TO_DEVICE);
    TRY(subdomain_ask(b->run->part, field, store, HOST_READ, range));
    if (!old->data) {
        *old = *store;
        old->data = mem_big(plane_bytes(b, store) * (old_depth(b) + 1));
        if (!old->data)
            return PAV_ENOMEM;
    }
    if (range->lo[axis] < range->hi[axis])
        keep_old(b, store, old, range->lo[axis], range->hi[axis]);
    return PAV_OK;
}

static pav_status bring_old(outofcore_block *b, int field, int level, view *old,
                            const box *range)
{
    executor *e = b->window->executor;
    const view *store = outofcore_in_store(b, field, level, TO_DEVICE);
    view from = *store;
    if (box_is_empty(range))
        return PAV_OK;
    from.data = (char *)store->data +
                ((char *)old->data -
                 outofcore_plane_at(b->o, store, range->lo[b->o->axis]));
    b->run->outofcore->sent += box_points(range) * (int64_t)pav_type_size(store->type);
    return e->ops.from_host(e, field, outofcore_in_window(b, field, level, TO_DEVICE),
                            range, &from);
}

/* Visits all buffers overwritten by steps. */
static pav_status with_old(outofcore_block *b, int64_t lo, int64_t hi, old_work *work)
{
    int64_t number = 0;
    for (int f = 0; f < b->run->code->fields; f++) {
        const box range = outofcore_range(b, f, lo, hi, true);
        for (int n = 0; n < b->run->code->field[f].levels; n++, number++)
            if (is_overwritten(b, f, n))
                TRY(work(b, f, n, &b->old[number], &range));
    }
    return PAV_OK;
}

void outofcore_forget_old(outofcore_block *b)
{
    int64_t number = 0;
    for (int64_t f = 0; b->old && f < b->run->code->fields; f++) {
        for (int n = 0; n < b->run->code->field[f].levels; n++, number++)
            if (b->old[number].data)
                mem_big_free(b->old[number].data,
                             plane_bytes(b, b->run->part->field[f].level) *
                                 (old_depth(b) + 1));
    }
    mem_free(b->old);
    b->old = NULL;
}

/* ---- from visit to visit ----------------------------------------------------------- */

/* Uploads planes of constant fields, which the store still has unchanged. */
static pav_status bring_constant(outofcore_block *b, int64_t lo, int64_t hi)
{
    executor *e = b->window->executor;
    for (int f = 0; f < b->run->code->fields; f++) {
        const box range = outofcore_range(b, f, lo, hi, true);
        for (int n = 0; n < b->run->code->field[f].levels; n++) {
            const view *store = outofcore_in_store(b, f, n, TO_DEVICE);
            if (is_overwritten(b, f, n) || box_is_empty(&range) ||
                !outofcore_moves(b, f, n, TO_DEVICE, false))
                continue;
            b->run->outofcore->sent += box_points(&range) *
                                       (int64_t)pav_type_size(store->type);
            TRY(subdomain_ask(b->run->part, f, store, HOST_READ, &range));
            TRY(e->ops.from_host(e, f, outofcore_in_window(b, f, n, TO_DEVICE), &range,
                                 store));
        }
    }
    return PAV_OK;
}

static pav_status go_again(outofcore_block *b, const outofcore_window *next)
{
    const int64_t done = b->visit * b->axis.width;
    int64_t lo, hi, count = 0;
    for (int64_t f = 0; f < b->run->code->fields; f++)
        count += b->run->code->field[f].levels;
    if (!b->old)
        b->old = mem_new(count + 1, sizeof *b->old);
    if (!b->old)
        return PAV_ENOMEM;
    TRY(with_old(b, next->lo, done, keep_store));
    find_own(b, b->visit - 1, &lo, &hi);
    TRY(move_planes(b, lo, hi, TO_STORE, false, true));
    b->at = *next;
    outofcore_place(b, false);
    TRY(with_old(b, next->lo, done, bring_old));
    TRY(bring_constant(b, next->lo, done));
    TRY(move_planes(b, done, next->hi, TO_DEVICE, false, true));
    return outofcore_keep_borders(b, next->lo, next->hi);
}

/* Planes left behind go back to the store, at once or during the visit. */
static pav_status go_on(outofcore_block *b, const outofcore_window *next)
{
    const outofcore_window was = b->at;
    const int64_t gone = int64_least(next->lo, was.hi), come = b->come;
    if (overlaps(b, next))
        TRY(save_planes(b, was.lo, gone));
    else
        TRY(move_planes(b, was.lo, gone, TO_STORE, all_buffers_go(b, was.lo), true));
    if (gone < come)
        TRY(keep_planes(b, come - gone, next->lo - was.lo));
    b->at = *next;
    outofcore_place(b, false);
    TRY(move_planes(b, come, next->hi, TO_DEVICE, false, next->wrapped == 0));
    return outofcore_keep_borders(b, was.hi, next->hi);
}

/* ---- nothing is kept --------------------------------------------------------------- */

/* Some of the visits at the ends fill the ghosts there. */
static bool is_at_end(const outofcore_block *b, const outofcore_window *w)
{
    return b->axis.periodic || w->lo <= -b->o->halo || w->hi >= b->o->extent + b->o->halo;
}

/* Brings back all results of a visit, and uploads all input of the next one. Planes
 * already visited need all buffers and borders, unless all operations of a step have the
 * same shift. */
static pav_status begin_anew(outofcore_block *b, const outofcore_window *next)
{
    const int64_t most = outofcore_most_shift(b->o, b->steps);
    const int64_t visited = b->visit * b->axis.width;
    const bool all = is_at_end(b, &b->at), whole = is_at_end(b, next);
    const int64_t lo = visited - b->axis.width - most;
    TRY(move_planes(b, all ? b->at.lo : lo, all ? b->at.hi : visited, TO_STORE,
                    all || most > 0, true));
    b->at = *next;
    outofcore_place(b, false);
    const int64_t middle = whole ? next->hi : most > 0 ? visited : next->lo;
    TRY(move_planes(b, next->lo, middle, TO_DEVICE, true, next->wrapped == 0));
    TRY(move_planes(b, middle, next->hi, TO_DEVICE, false, next->wrapped == 0));
    return outofcore_keep_borders(b, visited, next->hi);
}

pav_status outofcore_go_to(outofcore_block *b, int64_t visit)
{
    const outofcore_window next = outofcore_window_of(b->o, b->steps, visit);
    assert(visit >= 0 && visit < b->axis.tiles && next.lo <= next.hi);
    b->visit = visit;
    b->run->outofcore->visits++;
    TRY(outofcore_exchanged(b));
    if (visit > 0) {
        TRY(b->o->requested.again    ? go_again(b, &next)
            : b->o->requested.single ? begin_anew(b, &next)
                                     : go_on(b, &next));
    } else {
        /* The first block uploads the resident planes, and so does the first block after
         * the caller has changed the store. */
        const int64_t lo = b->o->stay > 0 && !b->o->stays ? -b->o->halo : next.lo;
        b->at = next;
        outofcore_place(b, false);
        TRY(move_planes(b, lo, next.hi, TO_DEVICE, false, true));
        TRY(outofcore_keep_borders(b, lo, next.hi));
    }
    b->come = b->at.hi;
    if (b->at.wrapped > 0) { /* the first planes, again behind the last ones */
        outofcore_place(b, true);
        TRY(move_planes(b, -b->o->halo, b->at.wrapped, TO_DEVICE_AGAIN, true, false));
        outofcore_place(b, false);
    }
    return begin_exchange(b);
}

/* Reads from disk the planes at both ends, because ghosts are copies of them. */
static pav_status ask_for_ends(const outofcore_block *b, int field)
{
    const ir_field *f = &b->run->code->field[field];
    const int axis = b->o->axis, count = b->whole ? f->levels : disk_kept(f);
    for (int n = 0; n < count; n++) {
        const int buffer = outofcore_store_buffer(b, field, n, TO_STORE);
        const view *v = &b->run->part->field[field].level[buffer];
        box first = view_points(v), last = first;
        first.hi[axis] = v->halo[axis][1];
        last.lo[axis] = last.hi[axis] - v->halo[axis][0];
        TRY(subdomain_ask(b->run->part, field, v, HOST_READ, &first));
        TRY(subdomain_ask(b->run->part, field, v, HOST_READ, &last));
    }
    return PAV_OK;
}

/* Ghosts of a periodic field are copies of points at its other end. */
static pav_status fill_around(outofcore_block *b)
{
    executor *e = b->run->part->executor;
    const int axis = b->o->axis;
    for (int f = 0; f < b->run->code->fields; f++) {
        const ir_field *field = &b->run->code->field[f];
        const levels *l = &b->run->part->field[f];
        const bool wraps = border_wraps(field->border[axis][0].kind);
        if (wraps && field->updated)
            TRY(ask_for_ends(b, f));
        for (int n = 0; n < l->count && wraps && field->updated; n++)
            TRY(e->ops.fill_axes(e, f, &l->level[n], axis, axis + 1));
        if (b->o->disk && wraps)
            disk_forget_sums(b->run, f, true);
    }
    return e->ops.end_borders(e);
}

pav_status outofcore_leave(outofcore_block *b)
{
    int64_t lo = b->at.lo, hi = b->at.hi;
    if (b->o->requested.again)
        find_own(b, b->visit, &lo, &hi);
    TRY(outofcore_exchanged(b));
    TRY(b->o->overlaps && b->axis.first > 0 && !b->whole
            ? drain(b)
            : move_planes(b, lo, hi, TO_STORE, false, b->at.wrapped == 0));
    if (b->at.wrapped) {
        outofcore_place(b, true);
        TRY(move_planes(b, -b->o->halo, b->at.wrapped, TO_STORE, false, false));
        outofcore_place(b, false);
    }
    if (b->whole)
        TRY(bring_resident_back(b));
    note_resident(b);
    if (b->o->disk) {
        TRY(disk_wait(b));
        if (b->last)
            disk_end_round(b);
    }
    return b->at.wrapped ? fill_around(b) : PAV_OK;
}
