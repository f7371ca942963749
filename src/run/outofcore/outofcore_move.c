/* SPDX-License-Identifier: BSD-3-Clause */
/* The window moves on: what no later visit needs goes back to the store, what the next one
 * needs again is moved within the window, and what is new comes from the store. */
#include "run/outofcore/outofcore_private.h"

enum { TO_DEVICE, TO_STORE };

/* ---- where planes lie --------------------------------------------------------------------- */

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
        for (int n = 0; n < l->count; n++)
            place_view(&l->level[n], axis, b->at.lo - before);
    }
}

/* ---- between the store and the window ----------------------------------------------------- */

/* The planes of a range that the store has of a field; ghosts: beyond its ends, too. */
static box planes_of(const outofcore_block *b, const view *store, int64_t lo, int64_t hi,
                     bool ghosts)
{
    const int axis = b->o->axis;
    const box all = ghosts ? view_window(store) : view_points(store);
    box range = view_window(store);
    range.lo[axis] = lo > all.lo[axis] ? lo : all.lo[axis];
    range.hi[axis] = hi < all.hi[axis] ? hi : all.hi[axis];
    return range;
}

static pav_status move_buffer(outofcore_block *b, int field, int buffer, const box *range,
                              int where)
{
    executor *e = b->window->executor;
    const view *there = &b->window->field[field].level[buffer];
    const view *store = &b->run->part->field[field].level[buffer];
    int64_t *moved = where == TO_DEVICE ? &b->o->sent : &b->o->got;
    if (box_is_empty(range))
        return PAV_OK;
    *moved += box_points(range) * (int64_t)pav_type_size(store->type);
    return where == TO_DEVICE ? e->ops.from_host(e, field, there, range, store)
                              : e->ops.to_host(e, field, there, range, store);
}

/* The buffer that the first step of a block stores holds nothing that is read. */
static bool is_read(const outofcore_block *b, int field, int buffer)
{
    const levels *l = &b->run->part->field[field];
    const ir_field *f = &b->run->code->field[field];
    return l->count == 1 || !f->updated || f->shared || buffer != l->newest;
}

/* all: also those that are not read; ghosts: beyond the ends of an axis that wraps, too. */
static pav_status move_planes(outofcore_block *b, int64_t lo, int64_t hi, int where,
                              bool all, bool ghosts)
{
    const ir *code = b->run->code;
    for (int f = 0; f < code->fields; f++) {
        const ir_field *field = &code->field[f];
        const bool wraps = field->border[b->o->axis][0].kind == BORDER_PERIODIC;
        levels *store = &b->run->part->field[f];
        if (field->memory || (where == TO_STORE && !field->updated && !field->shared))
            continue;
        const box range = planes_of(b, store->level, lo, hi, ghosts || !wraps);
        for (int n = 0; n < store->count; n++)
            if (where == TO_STORE || all || is_read(b, f, n))
                TRY(move_buffer(b, f, n, &range, where));
    }
    return PAV_OK;
}

/* ---- within the window -------------------------------------------------------------------- */

/* `by` planes towards the first, so many at a time that none is read after it is written. */
static pav_status keep_buffer(outofcore_block *b, int field, const view *v, int64_t count,
                              int64_t by)
{
    executor *e = b->window->executor;
    const int axis = b->o->axis;
    int64_t shift[MAX_DIM] = {0};
    box range = view_window(v);
    const int64_t first = range.lo[axis];
    shift[axis] = by;
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
        for (int n = 0; n < l->count && !b->run->code->field[f].memory; n++)
            TRY(keep_buffer(b, f, &l->level[n], count, by));
    }
    return PAV_OK;
}

/* ---- from visit to visit ------------------------------------------------------------------ */

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Back to the store: planes that lie before the window from now on. */
static pav_status go_on(outofcore_block *b, const outofcore_window *next)
{
    const outofcore_window was = b->at;
    const int64_t gone = lesser(next->lo, was.hi);
    TRY(move_planes(b, was.lo, gone, TO_STORE, true, true));
    if (gone < was.hi)
        TRY(keep_planes(b, was.hi - gone, next->lo - was.lo));
    b->at = *next;
    outofcore_place(b, false);
    return move_planes(b, gone < was.hi ? was.hi : next->lo, next->hi, TO_DEVICE, false,
                       next->wrapped == 0);
}

/* What the visits before left there of every step is needed, so all buffers come. */
static pav_status bring_first(outofcore_block *b)
{
    if (b->at.wrapped == 0)
        return PAV_OK;
    outofcore_place(b, true);
    TRY(move_planes(b, -b->o->halo, b->at.wrapped, TO_DEVICE, true, false));
    outofcore_place(b, false);
    return PAV_OK;
}

pav_status outofcore_go_to(outofcore_block *b, int64_t visit)
{
    const outofcore_window next = outofcore_window_of(b->o, b->steps, visit);
    b->visit = visit;
    b->o->visits++;
    if (visit > 0) {
        TRY(go_on(b, &next));
    } else {
        b->at = next;
        outofcore_place(b, false);
        TRY(move_planes(b, next.lo, next.hi, TO_DEVICE, false, true));
    }
    return bring_first(b);
}

/* Ghosts of a field that wraps around are copies of points at its other end. */
static pav_status fill_around(outofcore_block *b)
{
    executor *e = b->run->part->executor;
    const int axis = b->o->axis;
    for (int f = 0; f < b->run->code->fields; f++) {
        const ir_field *field = &b->run->code->field[f];
        const levels *l = &b->run->part->field[f];
        const bool wraps = field->border[axis][0].kind == BORDER_PERIODIC;
        for (int n = 0; n < l->count && wraps && field->updated; n++)
            TRY(e->ops.fill_axes(e, f, &l->level[n], axis, axis + 1));
    }
    return e->ops.end_borders(e);
}

pav_status outofcore_leave(outofcore_block *b)
{
    TRY(move_planes(b, b->at.lo, b->at.hi, TO_STORE, true, b->at.wrapped == 0));
    if (b->at.wrapped) {
        outofcore_place(b, true);
        TRY(move_planes(b, -b->o->halo, b->at.wrapped, TO_STORE, true, false));
        outofcore_place(b, false);
    }
    return b->at.wrapped ? fill_around(b) : PAV_OK;
}
