/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks: spans of skewed tiles along an axis, the boxes and faces of an operation in a
 * tile, and threads that take columns of tiles, some tiles behind the columns they depend
 * on. */
#include <assert.h>
#include <sched.h>
#include <string.h>

#include "exec/time/time.h"

/* ---- spans ------------------------------------------------------------------------- */

/* Cuts an axis into tiles of about `width` points. On a periodic axis the first tile is
 * skewed to both sides, so tiles are wide enough for both, and the last tile takes the
 * points left over. On other axes the number of tiles covers extent + most points: with
 * the largest shift, the last tiles have left the grid, but their first operations had
 * points in it. */
time_axis time_axis_of(int64_t extent, int64_t width, bool periodic, int64_t most)
{
    time_axis a = {.extent = extent, .width = extent, .tiles = 1, .periodic = periodic};

    if (periodic && width > 0 && width <= 2 * most)
        width = 2 * most + 1;
    if (width <= 0 || width >= extent)
        return a;
    a.width = width;
    a.tiles = periodic ? extent / width : (extent + most + width - 1) / width;
    return a;
}

static void add_span(spans *s, int64_t lo, int64_t hi)
{
    if (lo >= hi)
        return;
    /* Spans ascend without overlap, so no point is computed twice. */
    assert(s->count == 0 || s->at[s->count - 1].hi <= lo);
    if (s->count > 0 && s->at[s->count - 1].hi == lo)
        s->at[s->count - 1].hi = hi;
    else
        s->at[s->count++] = (span){lo, hi};
}

/* Moves an index into the grid. */
static int64_t clamp_index(const time_axis *a, int64_t at)
{
    return at < 0 ? 0 : at > a->extent ? a->extent : at;
}

/* First point of tile k. Tile 0 may start before the grid: wide tiles are split, and the
 * split need not fall on the first point. */
static int64_t begin_of(const time_axis *a, int64_t k, int64_t shift)
{
    if (a->turns && !a->periodic && (k == 0 || k == a->tiles))
        return k == 0 ? 0 : a->extent;
    if (a->turns) {
        /* The position of the boundary at shift 0. On a periodic axis tile 0 has points
         * at both ends of the axis, so boundary 0 lies half a tile before the first
         * point. */
        const int64_t at = a->periodic ? (2 * k - 1) * a->extent / (2 * a->tiles)
                                       : k * a->extent / a->tiles;
        return (at - a->swing / 2) / a->unit * a->unit +
               (k % 2 ? shift : a->swing - shift);
    }
    if (a->overlap > 0)
        return clamp_index(a, k * a->width - (a->overlap - shift));
    const int64_t least = a->periodic && a->tiles > 1 ? shift - a->first : 0;
    const int64_t at = clamp_index(a, a->first + k * a->width - shift);
    return k == 0 || at < least ? least : at;
}

static int64_t end_of(const time_axis *a, int64_t k, int64_t shift)
{
    if (a->overlap > 0)
        return clamp_index(a, (k + 1) * a->width + (a->overlap - shift));
    return k + 1 < a->tiles || a->turns ? begin_of(a, k + 1, shift) : a->extent;
}

/* True if a tile has points at both ends of a periodic axis. */
static bool is_wrapping(const time_axis *a, int64_t k)
{
    return a->periodic && a->tiles > 1 && k == (a->turns ? 0 : a->tiles - 1);
}

spans time_points(const time_axis *a, int64_t k, int64_t shift)
{
    const bool wraps = is_wrapping(a, k);
    spans s = {0};

    if (wraps)
        add_span(&s, 0, a->turns ? end_of(a, k, shift) : shift);
    add_span(&s, begin_of(a, wraps && a->turns ? a->tiles : k, shift),
             wraps ? a->extent : end_of(a, k, shift));
    return s;
}

bool time_has_face(const time_axis *a, int64_t k, int64_t shift, time_ends e, int side)
{
    /* Ghosts of side - belong to the tile with the farthest point that they may copy. */
    const int64_t inside = e.halo[0] > e.halo[1] ? e.halo[0] : e.halo[1];
    const int64_t last = a->extent - 1;
    const int64_t at = side || inside > last ? last : inside;

    if (a->periodic)
        return is_wrapping(a, k) || a->tiles == 1;
    if (a->overlap > 0)
        return side ? end_of(a, k, shift) == a->extent : begin_of(a, k, shift) == 0;
    return begin_of(a, k, shift) <= at && at < end_of(a, k, shift);
}

spans time_stored(const time_axis *a, int64_t k, int64_t shift, time_ends e, bool outer)
{
    const int64_t first = e.given[0], end = a->extent - e.given[1];
    const spans all = time_points(a, k, shift);
    spans s = {0};

    if (outer && time_has_face(a, k, shift, e, 0))
        add_span(&s, -e.halo[0], first);
    for (int n = 0; n < all.count; n++)
        add_span(&s, all.at[n].lo > first ? all.at[n].lo : first,
                 all.at[n].hi < end ? all.at[n].hi : end);
    if (outer && time_has_face(a, k, shift, e, 1))
        add_span(&s, end, a->extent + e.halo[1]);
    return s;
}

/* ---- one tile ---------------------------------------------------------------------- */

/* A box formed by one span of each axis, by its number, along x first; false: there are
 * fewer. */
static bool find_box(const spans at[3], int number, box *b)
{
    for (int axis = 0; axis < 3; axis++) {
        const int count = at[axis].count;
        if (count == 0)
            return false;
        b->lo[axis] = at[axis].at[number % count].lo;
        b->hi[axis] = at[axis].at[number % count].hi;
        number /= count;
    }
    return number == 0;
}

void walk_points(const walk_tile *t, const int64_t *shift, walk_part *part, void *user)
{
    spans at[3];
    box b;

    for (int axis = 0; axis < 3; axis++)
        at[axis] = time_points(&t->axis[axis], t->at[axis], shift[axis] - t->back[axis]);
    for (int n = 0; find_box(at, n, &b); n++)
        part(user, &b);
}

static void walk_side(const walk_tile *t, const int64_t *shift, const time_ends *ends,
                      int axis, int side, walk_face *face, void *user)
{
    spans at[3];
    box b;

    if (!ends[axis].filled[side] ||
        !time_has_face(&t->axis[axis], t->at[axis], shift[axis] - t->back[axis],
                       ends[axis], side))
        return;
    for (int n = 0; n < 3; n++)
        at[n] = time_stored(&t->axis[n], t->at[n], shift[n] - t->back[n], ends[n],
                            n < axis);
    at[axis] = (spans){1, {{0, 1}}};
    for (int n = 0; find_box(at, n, &b); n++)
        face(user, axis, side, &b);
}

void walk_faces(const walk_tile *t, const int64_t *shift, const time_ends *ends,
                walk_face *face, void *user)
{
    for (int n = 0; n < 6; n++)
        walk_side(t, shift, ends, n / 2, n % 2, face, user);
}

/* ---- threads ----------------------------------------------------------------------- */

enum { WALK_SPINS = 2000 }; /* before other threads get the processor */

/* Pause in a polling loop. */
static void spin(int *spins)
{
    if (++*spins > WALK_SPINS)
        (void)sched_yield();
}

void walk_synchronise(walk_group *g)
{
    int spins = 0;
    const unsigned turn = atomic_load_explicit(&g->turn, memory_order_relaxed);

    if (g->threads == 1)
        return;
    if (atomic_fetch_add(&g->arrived, 1) == g->threads - 1) {
        atomic_store_explicit(&g->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&g->turn, turn + 1, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&g->turn, memory_order_acquire) == turn)
        spin(&spins);
}

bool walk_open(walk *w, int threads)
{
    w->done = mem_new(w->rows * w->columns, sizeof *w->done);
    w->taken = mem_new(w->rows * w->columns, sizeof *w->taken);
    w->group = mem_new(threads, sizeof *w->group);
    w->seat = mem_new(threads, sizeof *w->seat);
    return w->done && w->taken && w->group && w->seat;
}

void walk_close(walk *w)
{
    mem_free(w->done);
    mem_free(w->taken);
    mem_free(w->group);
    mem_free(w->seat);
}

void walk_begin(walk *w, int threads, int share)
{
    w->groups = (threads + share - 1) / share;
    memset(w->done, 0, (size_t)(w->rows * w->columns) * sizeof *w->done);
    memset(w->taken, 0, (size_t)(w->rows * w->columns) * sizeof *w->taken);
    memset(w->group, 0, (size_t)w->groups * sizeof *w->group);
    for (int n = 0; n < threads; n++) {
        w->seat[n] = (walk_seat){&w->group[n / share], n % share};
        w->seat[n].group->threads++;
    }
}

/* Waits until another column has done all tiles needed by a tile. */
static void wait_for(const walk *w, const walk_place *at, int64_t row, int64_t column)
{
    const int64_t next = at->tile + w->behind;
    const int64_t tiles = next < w->tiles ? next : w->tiles;
    int spins = 0;

    if (!w->around && (column < 0 || column >= w->columns))
        return;
    walk_progress
        *other = &w->done[row * w->columns + (column + w->columns) % w->columns];
    while (atomic_load_explicit(&other->tiles, memory_order_acquire) < tiles)
        spin(&spins);
}

bool walk_is_in_row(const walk *w, int64_t row, int64_t column)
{
    return !w->turns || (column + row) % 2 == 1;
}

int64_t time_first_column(int64_t columns, int64_t groups, int64_t n)
{
    return n * columns / groups;
}

/* Tiles of a row with turning boundaries are independent: a group first takes the columns
 * of its own memory pages, then columns nobody has taken. All groups go from row to row,
 * so a column that another one waits for has always been taken. */
static void find_column(const walk *w, walk_group *g)
{
    const int64_t first = w->turns
                              ? time_first_column(w->columns, w->groups, g - w->group)
                              : 0;

    for (; g->row < w->rows; g->row++, g->tried = 0)
        while (g->tried < w->columns) {
            g->column = (first + g->tried++) % w->columns;
            if (walk_is_in_row(w, g->row, g->column) &&
                !atomic_exchange(&w->taken[g->row * w->columns + g->column], 1))
                return;
        }
}

void walk_take(const walk *w, int64_t thread, void *own)
{
    walk_place at = {.seat = w->seat[thread], .own = own};
    walk_group *g = at.seat.group;

    for (;;) {
        if (at.seat.number == 0)
            find_column(w, g);
        walk_synchronise(g);
        if (g->row >= w->rows)
            return;
        at.row = g->row;
        at.column = g->column;
        const int64_t row = at.row, column = at.column;

        for (int64_t k = 0; k < w->tiles; k++) {
            at.tile = k;
            if (!w->turns) {
                wait_for(w, &at, row, column - 1);
            } else if (row > 0) {
                wait_for(w, &at, row - 1, column - 1);
                wait_for(w, &at, row - 1, column + 1);
            }
            w->tile(w->user, &at);
            if (at.seat.number == 0)
                atomic_store_explicit(&w->done[row * w->columns + column].tiles, k + 1,
                                      memory_order_release);
        }
        walk_synchronise(g);
    }
}
