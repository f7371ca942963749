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
        /* Between the last plane and the repeated first plane lie the ghosts of both
         * ends. A periodic field has its first plane there instead. */
        const int64_t before = b->o->extent + (border_wraps(field->border[axis][0].kind)
                                                   ? 0
                                                   : 2 * b->o->halo);
        const int64_t first = outofcore_first(b) - (wrapped ? before : 0);
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
    return box_along(view_window(store), axis, int64_most(lo, all.lo[axis]),
                     int64_least(hi, all.hi[axis]));
}

/* Views of the store have ghosts around their points; views of a window have none. */
bool outofcore_has_planes(const outofcore_block *b, const view *v, const box *range)
{
    const int axis = b->o->axis;
    return range->lo[axis] >= v->first[axis] - v->halo[axis][0] &&
           range->hi[axis] <= v->first[axis] + v->extent[axis] + v->halo[axis][1];
}

static void count_bytes(const outofcore_block *b, const view *v, const box *range,
                        int where)
{
    outofcore *all = b->run->outofcore;
    *(where == TO_STORE ? &all->got : &all->sent) += box_points(*range) *
                                                     (int64_t)pav_type_size(v->type);
}

pav_status outofcore_copy(outofcore_block *b, int field, const view *there,
                          const view *host, const box *range, int where)
{
    executor *e = b->window->executor;
    if (box_is_empty(range))
        return PAV_OK;
    count_bytes(b, host, range, where);
    if (where != TO_STORE)
        TRY(subdomain_ask(b->run->part, field, host, HOST_READ, range));
    return e->ops.move_rows(e, field, there, range, host, where != TO_STORE);
}

static const view *in_store(const outofcore_block *b, int field, int level, int where)
{
    return &b->run->part->field[field]
                .level[outofcore_store_buffer(b, field, level, where)];
}

static pav_status move_level(outofcore_block *b, int field, int level, const box *range,
                             int where)
{
    const view *there = outofcore_in_window(b, field, level, where);
    const view *store = in_store(b, field, level, where);
    /* both memories have the planes */
    assert(outofcore_has_planes(b, there, range) &&
           outofcore_has_planes(b, store, range));
    if (!b->o->disk)
        return outofcore_copy(b, field, there, store, range, where);
    count_bytes(b, store, range, where);
    return where == TO_STORE ? disk_keep(b, field, level, range)
                             : disk_fetch(b, field, level, range, where);
}

pav_status outofcore_each_level(outofcore_block *b, int64_t lo, int64_t hi, int where,
                                bool all, bool ghosts, outofcore_level_work *work)
{
    for (int f = 0; f < b->run->code->fields; f++) {
        const box range = outofcore_range(b, f, lo, hi, ghosts);
        for (int n = 0; n < b->run->code->field[f].levels && !box_is_empty(&range); n++)
            if (outofcore_moves(b, f, n, where, all))
                TRY(work(b, f, n, &range, where));
    }
    return PAV_OK;
}

static pav_status move_planes(outofcore_block *b, int64_t lo, int64_t hi, int where,
                              bool all, bool ghosts)
{
    return outofcore_each_level(b, lo, hi, where, all, ghosts, move_level);
}

/* ---- within the window ------------------------------------------------------------- */

/* Shifts planes towards the first by `by`. It copies at most `by` planes at a time, so
 * that none is overwritten before it is read. */
static pav_status keep_planes(outofcore_block *b, int64_t count, int64_t by)
{
    executor *e = b->window->executor;
    const int axis = b->o->axis;
    int64_t shift[MAX_DIM] = {0};
    shift[axis] = by;
    assert(by >= 0 && count >= 0); /* windows move forward */
    for (int f = 0; f < b->run->code->fields && by > 0; f++) {
        const levels *l = &b->window->field[f];
        const ir_field *field = &b->run->code->field[f];
        for (int n = 0;
             n < l->count && !field->memory && !outofcore_is_whole(b->o, field); n++) {
            const view *v = &l->level[n];
            for (int64_t done = 0; done < count; done += by) {
                const box range = box_along(view_window(v), axis, b->at.lo + done,
                                            b->at.lo + int64_least(done + by, count));
                TRY(e->ops.copy_box(e, f, v, &range, e, f, v, shift));
            }
        }
    }
    return PAV_OK;
}

/* ---- from visit to visit ----------------------------------------------------------- */

/* On a periodic axis the last visit reads the first planes again, with the levels of all
 * steps of the block. So all their buffers go to the store. */
static bool stores_all_buffers(const outofcore_block *b, int64_t lo)
{
    const outofcore_window end = outofcore_window_of(b->o, b->steps, b->axis.tiles - 1);
    return end.wrapped > 0 && lo < end.wrapped;
}

/* ---- transfers during a visit ------------------------------------------------------ */

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

/* ---- downloads --------------------------------------------------------------------- */

static pav_status save_level(outofcore_block *b, int field, int level, const box *range,
                             int where)
{
    executor *e = b->window->executor;
    const int axis = b->o->axis;
    const view *v = outofcore_in_window(b, field, level, where);
    const int64_t by = b->left_lo - place_of_out(b);
    int64_t shift[MAX_DIM] = {0};
    shift[axis] = by;
    const box there = box_along(*range, axis, range->lo[axis] - by, range->hi[axis] - by);
    return e->ops.copy_box(e, field, v, &there, e, field, v, shift);
}

/* ---- an exchange ------------------------------------------------------------------- */

static int64_t buffers_of_window(const outofcore_block *b)
{
    int64_t all = 0;
    for (int64_t f = 0; f < b->run->code->fields; f++)
        all += b->window->field[f].count;
    return all;
}

/* In the window, planes on their way to the store lie b->moved_by lower. */
static pav_status add_move(outofcore_block *b, int field, int level, const box *range,
                           int where)
{
    const int axis = b->o->axis;
    const view *store = in_store(b, field, level, where);
    const bool up = where == TO_DEVICE;
    const int64_t by = up ? 0 : b->moved_by;
    assert(b->moves < 2 * buffers_of_window(b)); /* open_moves made room */
    count_bytes(b, store, range, where);
    b->move[b->moves++] = (box_move){
        .field = field,
        .there = outofcore_in_window(b, field, level, where),
        .here = store,
        .range = box_along(*range, axis, range->lo[axis] - by, range->hi[axis] - by),
        .by = by,
        .up = up};
    return PAV_OK;
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
    b->moved_by = b->left_lo - place_of_out(b);
    TRY(outofcore_each_level(b, b->left_lo, b->left_hi, TO_STORE,
                             stores_all_buffers(b, b->left_lo), true, add_move));
    TRY(outofcore_each_level(b, b->at.hi, end, TO_DEVICE, false, true, add_move));
    b->loaded_end = end;
    b->left_hi = b->left_lo;
    return begin_moves(b);
}

/* The last planes go back while the next block begins. */
static pav_status drain(outofcore_block *b)
{
    TRY(open_moves(b));
    b->moved_by = 0;
    TRY(outofcore_each_level(b, b->at.lo, b->at.hi, TO_STORE, false, true, add_move));
    b->o->drains = b->moves > 0;
    TRY(begin_moves(b));
    b->moves = 0;
    return PAV_OK;
}

/* Waits for the transfers of all windows. Staged planes remain until the window's next
 * visit takes them. */
static pav_status wait_for_disk(outofcore_block *b)
{
    b->o->passage.out.used = 0;
    return striped_wait(b->o->disk->files);
}

/* Planes of the last block may still go back during the first visit of this one. */
pav_status outofcore_exchanged(outofcore_block *b)
{
    executor *e = b->window->executor;
    const bool drained = b->o->drains && b->visit > 0, any = b->moves > 0 || drained;
    if (b->o->disk)
        return wait_for_disk(b);
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

/* Copies the resident planes to the store; they begin the window's memory. */
static pav_status download_resident(outofcore_block *b)
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

/* Called if an unexpected observer reads the store between blocks. */
pav_status outofcore_settle(pav_run *run)
{
    outofcore *o = run->outofcore;
    if (!o->stale)
        return PAV_OK;
    outofcore_block none = {.run = run, .o = o, .window = o->window, .visit = 1};
    TRY(outofcore_exchanged(&none));
    outofcore_turn(&none, 0, 0);
    return download_resident(&none);
}

/* ---- coefficients ------------------------------------------------------------------ */

/* Coefficients that fit next to the window are on the device whole. They are uploaded
 * before the first block, and again only after the caller has changed them. */
bool outofcore_is_whole(const outofcore *o, const ir_field *f)
{
    return o->sent_once && !f->updated && !f->shared && !f->memory && !f->coarse;
}

/* ---- visits with recomputed overlap ------------------------------------------------ */

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

/* The kept planes of a level that steps overwrite; NULL: the store has the level
 * unchanged. */
static view *old_of(const outofcore_block *b, int field, int level)
{
    const ir_field *f = &b->run->code->field[field];
    view *old = b->old + level;
    for (int k = 0; k < field; k++)
        old += b->run->code->field[k].levels;
    return f->updated || f->shared ? old : NULL;
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
    return (char *)view_at(v, last[0] + 1, last[1], last[2]) -
           outofcore_plane_at(b->o, v, lo);
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

static pav_status keep_level(outofcore_block *b, int field, int level, const box *range,
                             int where)
{
    const view *store = in_store(b, field, level, where);
    view *old = old_of(b, field, level);
    if (!old)
        return PAV_OK;
    TRY(subdomain_ask(b->run->part, field, store, HOST_READ, range));
    if (!old->data) {
        *old = *store;
        old->data = mem_big(plane_bytes(b, store) * (old_depth(b) + 1));
        if (!old->data)
            return PAV_ENOMEM;
    }
    keep_old(b, store, old, range->lo[b->o->axis], range->hi[b->o->axis]);
    return PAV_OK;
}

/* Uploads planes as they were before the block. */
static pav_status upload_level(outofcore_block *b, int field, int level, const box *range,
                               int where)
{
    const view *store = in_store(b, field, level, where);
    const view *old = old_of(b, field, level);
    view from = *store;
    if (old)
        from.data = (char *)store->data +
                    ((char *)old->data -
                     outofcore_plane_at(b->o, store, range->lo[b->o->axis]));
    return outofcore_copy(b, field, outofcore_in_window(b, field, level, where), &from,
                          range, where);
}

void outofcore_forget_old(outofcore_block *b)
{
    for (int f = 0; b->old && f < b->run->code->fields; f++)
        for (int n = 0; n < b->run->code->field[f].levels; n++) {
            const view *old = old_of(b, f, n);
            if (old && old->data)
                mem_big_free(old->data, plane_bytes(b, b->run->part->field[f].level) *
                                            (old_depth(b) + 1));
        }
    mem_free(b->old);
    b->old = NULL;
}

/* ---- from visit to visit ----------------------------------------------------------- */

static pav_status move_recomputed(outofcore_block *b, const outofcore_window *next)
{
    const int64_t done = b->visit * b->axis.width;
    int64_t lo, hi, count = 0;
    for (int64_t f = 0; f < b->run->code->fields; f++)
        count += b->run->code->field[f].levels;
    if (!b->old)
        TRY(mem_take(&b->old, count + 1, sizeof *b->old));
    TRY(outofcore_each_level(b, next->lo, done, TO_DEVICE, false, true, keep_level));
    find_own(b, b->visit - 1, &lo, &hi);
    TRY(move_planes(b, lo, hi, TO_STORE, false, true));
    b->at = *next;
    outofcore_place(b, false);
    TRY(outofcore_each_level(b, next->lo, done, TO_DEVICE, false, true, upload_level));
    TRY(move_planes(b, done, next->hi, TO_DEVICE, false, true));
    return outofcore_keep_borders(b, next->lo, next->hi);
}

/* Planes left behind go back to the store, at once or during the visit. */
static pav_status go_on(outofcore_block *b, const outofcore_window *next)
{
    const outofcore_window was = b->at;
    const int64_t gone = int64_least(next->lo, was.hi), loaded_end = b->loaded_end;
    const bool all = stores_all_buffers(b, was.lo), saves = overlaps(b, next);
    if (saves) {
        b->left_lo = was.lo;
        b->left_hi = gone;
    }
    TRY(outofcore_each_level(b, was.lo, gone, TO_STORE, all, true,
                             saves ? save_level : move_level));
    if (gone < loaded_end)
        TRY(keep_planes(b, loaded_end - gone, next->lo - was.lo));
    b->at = *next;
    outofcore_place(b, false);
    TRY(move_planes(b, loaded_end, next->hi, TO_DEVICE, false, next->wrapped == 0));
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
    TRY(move_planes(b, all ? b->at.lo : visited - b->axis.width - most,
                    all ? b->at.hi : visited, TO_STORE, all || most > 0, true));
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
    /* each visit has a window */
    assert(visit >= 0 && visit < b->axis.tiles && next.lo <= next.hi);
    b->visit = visit;
    b->run->outofcore->visits++;
    TRY(outofcore_exchanged(b));
    if (visit > 0) {
        TRY(b->o->requested.again    ? move_recomputed(b, &next)
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
    b->loaded_end = b->at.hi;
    if (b->at.wrapped > 0) { /* the first planes, again behind the last ones */
        outofcore_place(b, true);
        TRY(move_planes(b, -b->o->halo, b->at.wrapped, TO_DEVICE_AGAIN, true, false));
        outofcore_place(b, false);
    }
    return begin_exchange(b);
}

/* Reads from disk the planes at both ends, because ghosts are copies of them. */
static pav_status request_ends(const outofcore_block *b, int field)
{
    const ir_field *f = &b->run->code->field[field];
    const int axis = b->o->axis, count = b->whole ? f->levels : ir_kept_levels(f);
    for (int n = 0; n < count; n++) {
        const view *v = &b->run->part->field[field]
                             .level[outofcore_store_buffer(b, field, n, TO_STORE)];
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
            TRY(request_ends(b, f));
        for (int n = 0; n < l->count && wraps && field->updated; n++)
            TRY(e->ops.fill_axes(e, f, &l->level[n], axis, axis + 1));
        if (b->o->disk && wraps)
            disk_forget_sums(b->run, f, true);
    }
    return e->ops.end_borders(e);
}

static bool is_of_another(const disk_field *d, int buffer, int slot)
{
    for (int n = 0; n < d->buffers; n++)
        if (n != buffer && d->buffer[n].slot == slot)
            return true;
    return false;
}

/* After a pass through a field: moves a buffer to a free slot if a written buffer took
 * its slot. Such a buffer had no new contents, and its old contents are no longer needed.
 * A constant buffer keeps its slot. */
static void end_field(const disk_field *d, levels *l)
{
    for (int n = 0; n < d->buffers; n++)
        if (d->buffer[n].fresh >= 0)
            d->buffer[n].slot = d->buffer[n].fresh;
    for (int n = 0; n < d->buffers; n++) {
        disk_buffer *own = &d->buffer[n];
        for (int slot = 0; own->fresh < 0 && is_of_another(d, n, own->slot); slot++)
            own->slot = slot;
    }
    for (int n = 0; n < d->buffers; n++)
        disk_place(d, n, l);
}

/* after its last block */
static void end_round(const outofcore_block *b)
{
    for (int64_t f = 0; f < b->run->code->fields; f++)
        end_field(&b->o->disk->field[f], &b->run->part->field[f]);
    subdomain_refresh_views(b->run->part);
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
        TRY(download_resident(b));
    /* After a block, the resident planes belong to its last step. */
    outofcore *o = b->o;
    const int singles = b->steps - b->launches * o->launch.depth;
    for (int f = 0; f < b->run->code->fields && o->stay > 0; f++)
        o->newest[f] = outofcore_newest(b, f, b->launches, singles);
    o->stays = o->stay > 0;
    o->stale = o->stays && !b->whole;
    if (b->o->disk) {
        TRY(wait_for_disk(b));
        if (b->last)
            end_round(b);
    }
    return b->at.wrapped ? fill_around(b) : PAV_OK;
}
