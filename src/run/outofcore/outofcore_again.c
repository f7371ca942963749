/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods MM and MMT of Jin, Endo and Matsuoka. A visit uploads its part of the grid
 * with the overlap for all its steps, and computes the overlap again. Its results
 * overwrite planes that the next visit needs in their old state. The host's memory keeps
 * copies of these. */
#include <string.h>

#include "run/outofcore/outofcore_private.h"

/* Planes that come back from a visit: its own, and the ghosts at the ends. */
void outofcore_own(const outofcore_block *b, int64_t visit, int64_t *lo, int64_t *hi)
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

static int64_t levels_of_all(const outofcore_block *b)
{
    int64_t all = 0;
    for (int64_t f = 0; f < b->run->code->fields; f++)
        all += b->run->code->field[f].levels;
    return all;
}

static int64_t plane_bytes(const outofcore_block *b, const view *v)
{
    return v->stride[b->o->axis] * (int64_t)pav_type_size(v->type);
}

/* The most old planes that a visit needs of the visits before. */
static int64_t depth(const outofcore_block *b)
{
    return outofcore_most_shift(b->o, b->steps) + outofcore_reach(b->o) + b->o->unit;
}

static char *plane_at(const outofcore_block *b, const view *v, int64_t plane)
{
    const box all = view_window(v);
    int64_t at[MAX_DIM];
    memcpy(at, all.lo, sizeof at);
    at[b->o->axis] = plane;
    return view_at(v, at[0], at[1], at[2]);
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
    return end - plane_at(b, v, lo);
}

/* A view like the store's level, but with planes from `lo` on in separate memory. */
static pav_status open_old(outofcore_block *b, const view *store, view *old)
{
    *old = *store;
    old->data = mem_big(plane_bytes(b, store) * (depth(b) + 1));
    return old->data ? PAV_OK : PAV_ENOMEM;
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
        memcpy(to + (again - lo) * one, plane_at(b, store, again),
               (size_t)bytes_between(b, store, again, hi));
    old->first[b->o->axis] = lo;
}

typedef pav_status old_work(outofcore_block *b, int field, int level, view *old,
                            const box *range);

static pav_status keep(outofcore_block *b, int field, int level, view *old,
                       const box *range)
{
    const int axis = b->o->axis;
    const view *store = outofcore_in_store(b, field, level, TO_DEVICE);
    TRY(subdomain_ask(b->run->part, field, store, HOST_READ, range));
    if (!old->data)
        TRY(open_old(b, store, old));
    if (range->lo[axis] < range->hi[axis])
        keep_old(b, store, old, range->lo[axis], range->hi[axis]);
    return PAV_OK;
}

static pav_status bring(outofcore_block *b, int field, int level, view *old,
                        const box *range)
{
    executor *e = b->window->executor;
    const view *store = outofcore_in_store(b, field, level, TO_DEVICE);
    view from = *store;
    if (box_is_empty(range))
        return PAV_OK;
    from.data = (char *)store->data +
                ((char *)old->data - plane_at(b, store, range->lo[b->o->axis]));
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
                                 (depth(b) + 1));
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

pav_status outofcore_go_again(outofcore_block *b, const outofcore_window *next)
{
    const int64_t done = b->visit * b->axis.width;
    int64_t lo, hi;
    if (!b->old)
        b->old = mem_new(levels_of_all(b) + 1, sizeof *b->old);
    if (!b->old)
        return PAV_ENOMEM;
    TRY(with_old(b, next->lo, done, keep));
    outofcore_own(b, b->visit - 1, &lo, &hi);
    TRY(outofcore_move_planes(b, lo, hi, TO_STORE, false, true));
    b->at = *next;
    outofcore_place(b, false);
    TRY(with_old(b, next->lo, done, bring));
    TRY(bring_constant(b, next->lo, done));
    TRY(outofcore_move_planes(b, done, next->hi, TO_DEVICE, false, true));
    return outofcore_keep_borders(b, next->lo, next->hi);
}
