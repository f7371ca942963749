/* SPDX-License-Identifier: BSD-3-Clause */
/* The window moves on. Planes that no later visit needs go back to the store. Planes for
 * the next visit are shifted within the window, and new ones come from the store. */
#include <assert.h>

#include "run/outofcore/outofcore_private.h"

/* ---- where planes lie -------------------------------------------------------------- */

static void place_view(view *v, int axis, int64_t first)
{
    const int64_t bytes = v->stride[axis] * (int64_t)pav_type_size(v->type);
    v->data = (char *)v->data - (first - v->first[axis]) * bytes;
    v->first[axis] = first;
}

void outofcore_place(outofcore_block *b, bool wrapped)
{
    const int axis = b->o->axis;
    for (int64_t f = 0; f < b->run->code->fields; f++) {
        const int64_t before = wrapped ? outofcore_around(b->o, &b->run->code->field[f])
                                       : 0;
        levels *l = &b->window->field[f];
        const bool whole = outofcore_is_whole(b->o, &b->run->code->field[f]);
        for (int n = 0; n < l->count && !whole; n++)
            place_view(&l->level[n], axis, outofcore_first(b) - before);
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
pav_status outofcore_move_planes(outofcore_block *b, int64_t lo, int64_t hi, int where,
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
bool outofcore_all_go(const outofcore_block *b, int64_t lo)
{
    const outofcore_window end = outofcore_window_of(b->o, b->steps, b->axis.tiles - 1);
    return end.wrapped > 0 && lo < end.wrapped;
}

/* Planes left behind go back to the store, at once or during the visit. */
static pav_status go_on(outofcore_block *b, const outofcore_window *next)
{
    const outofcore_window was = b->at;
    const int64_t gone = int64_least(next->lo, was.hi), come = b->come;
    if (outofcore_overlaps(b, next))
        TRY(outofcore_save(b, was.lo, gone));
    else
        TRY(outofcore_move_planes(b, was.lo, gone, TO_STORE, outofcore_all_go(b, was.lo),
                                  true));
    if (gone < come)
        TRY(keep_planes(b, come - gone, next->lo - was.lo));
    b->at = *next;
    outofcore_place(b, false);
    TRY(outofcore_move_planes(b, come, next->hi, TO_DEVICE, false, next->wrapped == 0));
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
    TRY(outofcore_move_planes(b, all ? b->at.lo : lo, all ? b->at.hi : visited, TO_STORE,
                              all || most > 0, true));
    b->at = *next;
    outofcore_place(b, false);
    const int64_t middle = whole ? next->hi : most > 0 ? visited : next->lo;
    TRY(outofcore_move_planes(b, next->lo, middle, TO_DEVICE, true, next->wrapped == 0));
    TRY(outofcore_move_planes(b, middle, next->hi, TO_DEVICE, false, next->wrapped == 0));
    return outofcore_keep_borders(b, visited, next->hi);
}

static pav_status bring_first(outofcore_block *b)
{
    if (b->at.wrapped == 0)
        return PAV_OK;
    outofcore_place(b, true);
    TRY(outofcore_move_planes(b, -b->o->halo, b->at.wrapped, TO_DEVICE_AGAIN, true,
                              false));
    outofcore_place(b, false);
    return PAV_OK;
}

pav_status outofcore_go_to(outofcore_block *b, int64_t visit)
{
    const outofcore_window next = outofcore_window_of(b->o, b->steps, visit);
    assert(visit >= 0 && visit < b->axis.tiles && next.lo <= next.hi);
    b->visit = visit;
    b->run->outofcore->visits++;
    TRY(outofcore_exchanged(b));
    if (visit > 0) {
        TRY(b->o->requested.again    ? outofcore_go_again(b, &next)
            : b->o->requested.single ? begin_anew(b, &next)
                                     : go_on(b, &next));
    } else {
        const int64_t lo = outofcore_resident_from(b, next.lo);
        b->at = next;
        outofcore_place(b, false);
        TRY(outofcore_move_planes(b, lo, next.hi, TO_DEVICE, false, true));
        TRY(outofcore_keep_borders(b, lo, next.hi));
    }
    b->come = b->at.hi;
    TRY(bring_first(b));
    return outofcore_exchange(b);
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
        outofcore_own(b, b->visit, &lo, &hi);
    TRY(outofcore_exchanged(b));
    TRY(outofcore_may_drain(b)
            ? outofcore_drain(b)
            : outofcore_move_planes(b, lo, hi, TO_STORE, false, b->at.wrapped == 0));
    if (b->at.wrapped) {
        outofcore_place(b, true);
        TRY(outofcore_move_planes(b, -b->o->halo, b->at.wrapped, TO_STORE, false, false));
        outofcore_place(b, false);
    }
    if (b->whole)
        TRY(outofcore_resident_back(b));
    outofcore_resident_note(b);
    if (b->o->disk) {
        TRY(disk_wait(b));
        if (b->last)
            disk_end_round(b);
    }
    return b->at.wrapped ? fill_around(b) : PAV_OK;
}
