/* SPDX-License-Identifier: BSD-3-Clause */
/* Planes move during a visit (the method MP-MMTB of Jin, Endo and Matsuoka). Behind the
 * planes of the visit lie the planes uploaded for the next one. Behind these lie the
 * planes left by the visit before, copied there on the device. The last visit of a
 * periodic axis takes no part. */
#include <assert.h>

#include "run/outofcore/outofcore_private.h"

bool outofcore_overlaps(const outofcore_block *b, const outofcore_window *next)
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

pav_status outofcore_save(outofcore_block *b, int64_t lo, int64_t hi)
{
    const bool all = outofcore_all_go(b, lo);
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

static int64_t buffers(const outofcore_block *b)
{
    int64_t all = 0;
    for (int64_t f = 0; f < b->run->code->fields; f++)
        all += b->window->field[f].count;
    return all;
}

static void add(outofcore_block *b, int field, int level, const box *range, int64_t by,
                int where)
{
    const view *store = outofcore_in_store(b, field, level, where);
    int64_t *moved = where == TO_DEVICE ? &b->run->outofcore->sent
                                        : &b->run->outofcore->got;
    if (box_is_empty(range))
        return;
    assert(b->moves < 2 * buffers(b)); /* open_moves made room */
    *moved += box_points(range) * (int64_t)pav_type_size(store->type);
    b->move[b->moves++] = (box_move){.field = field,
                                     .there = outofcore_in_window(b, field, level, where),
                                     .here = store,
                                     .range = *range,
                                     .by = by,
                                     .up = where == TO_DEVICE};
}

static void add_left(outofcore_block *b, int field)
{
    const int axis = b->o->axis;
    const bool all = outofcore_all_go(b, b->left_lo);
    const int64_t by = b->left_lo - place_of_out(b);
    box range = outofcore_range(b, field, b->left_lo, b->left_hi, true);
    if (b->left_lo >= b->left_hi)
        return;
    range.lo[axis] -= by;
    range.hi[axis] -= by;
    for (int n = 0; n < b->run->code->field[field].levels; n++)
        if (outofcore_moves(b, field, n, TO_STORE, all))
            add(b, field, n, &range, by, TO_STORE);
}

static void add_coming(outofcore_block *b, int field, int64_t end)
{
    const box range = outofcore_range(b, field, b->at.hi, end, true);
    for (int n = 0; n < b->run->code->field[field].levels; n++)
        if (outofcore_moves(b, field, n, TO_DEVICE, false))
            add(b, field, n, &range, 0, TO_DEVICE);
}

/* The end of the planes for the next visit; the window's end if that visit takes no
 * part. */
static int64_t next_end(const outofcore_block *b)
{
    if (b->visit + 1 >= b->axis.tiles)
        return b->at.hi;
    const outofcore_window next = outofcore_window_of(b->o, b->steps, b->visit + 1);
    return outofcore_overlaps(b, &next) ? next.hi : b->at.hi;
}

static pav_status open_moves(outofcore_block *b)
{
    b->moves = 0;
    if (!b->move)
        b->move = mem_new(2 * buffers(b) + 1, sizeof *b->move);
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

pav_status outofcore_exchange(outofcore_block *b)
{
    const int64_t end = next_end(b);
    if (b->o->disk)
        return disk_prefetch(b);
    if (!b->o->overlaps)
        return PAV_OK;
    TRY(open_moves(b));
    for (int f = 0; f < b->run->code->fields; f++) {
        add_left(b, f);
        if (end > b->at.hi)
            add_coming(b, f, end);
    }
    b->come = end;
    b->left_hi = b->left_lo;
    return begin_moves(b);
}

bool outofcore_may_drain(const outofcore_block *b)
{
    return b->o->overlaps && b->axis.first > 0 && !b->whole;
}

pav_status outofcore_drain(outofcore_block *b)
{
    TRY(open_moves(b));
    for (int f = 0; f < b->run->code->fields; f++) {
        const box range = outofcore_range(b, f, b->at.lo, b->at.hi, true);
        for (int n = 0; n < b->run->code->field[f].levels; n++)
            if (outofcore_moves(b, f, n, TO_STORE, false))
                add(b, f, n, &range, 0, TO_STORE);
    }
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
