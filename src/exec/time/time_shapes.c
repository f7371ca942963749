/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of tiles: spans of skewed tiles along an axis, and columns with boundaries that
 * turn back. */
#include <assert.h>

#include "cost/cost.h"
#include "exec/time/tile_private.h"

/* ---- spans ------------------------------------------------------------------------- */

/* Tiles of a time block: the points of an axis, and the ghosts of a field, that an
 * operation has in a tile. */

int time_sweep_axis(int dim)
{
    return dim > 1 ? 1 : 0;
}

/* Tiles beyond the end of the grid at last still have points inside at first. */
static int64_t tiles_of(int64_t extent, int64_t width, int64_t most)
{
    return (extent + most + width - 1) / width;
}

/* A pyramid needs room for both its sides. The last tile of a periodic axis needs room
 * for the points left by the others. */
time_axis time_axis_of(int64_t extent, int64_t width, bool periodic, int64_t most)
{
    time_axis a = {.extent = extent, .width = extent, .tiles = 1, .periodic = periodic};
    if (periodic && width > 0 && width <= 2 * most)
        width = 2 * most + 1;
    if (width <= 0 || width >= extent)
        return a;
    a.width = width;
    a.tiles = periodic ? extent / width : tiles_of(extent, width, most);
    return a;
}

/* Width of tiles along an axis; 0: the whole axis. */
static int width_of(const schedule *s, int dim, int axis)
{
    return axis == time_sweep_axis(dim)        ? s->tile.size[TILE_SWEEP]
           : axis == schedule_column_axis(dim) ? s->tile.size[TILE_COLUMN]
                                               : 0;
}

/* With turning boundaries, a row of tiles has the steps of two phases. */
time_axis time_axis_in(const ir *code, const ir_blocking *b, const schedule *s, int axis,
                       int steps)
{
    const time_columns c = time_columns_in(code, b, s, steps);
    int within = 0;
    if (c.turn > 0 && axis == schedule_column_axis(code->dim))
        return c.axis;
    for (int64_t k = 0; k < b->operations; k++)
        within = int_most(within, b->operation[k].skew[axis]);
    if (c.turn > 0 && steps > 2 * c.turn)
        steps = 2 * c.turn;
    return time_axis_of(axis < code->dim ? points_along(code, axis, false) : 1,
                        width_of(s, code->dim, axis), b->periodic[axis],
                        (int64_t)(steps - 1) * b->skew[axis] + within);
}

void time_round_tile(const ir *code, const ir_blocking *b, schedule *s)
{
    const int sweep = time_sweep_axis(code->dim),
              column = schedule_column_axis(code->dim);
    const time_axis rows = time_axis_in(code, b, s, sweep, s->tile.steps);
    s->tile.size[TILE_SWEEP] = schedule_size(rows.width);
    if (column < 0)
        return;
    const time_axis across = time_axis_in(code, b, s, column, s->tile.steps);
    s->tile.size[TILE_COLUMN] = across.tiles > 1 ? schedule_size(across.width) : 0;
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

/* First position of a boundary, or the position it would have if all boundaries moved one
 * way. On a periodic axis tile 0 has both ends of the axis. */
static int64_t base_of(const time_axis *a, int64_t k)
{
    const int64_t at = a->periodic ? (2 * k - 1) * a->extent / (2 * a->tiles)
                                   : k * a->extent / a->tiles;
    return (at - a->swing / 2) / a->unit * a->unit;
}

/* First point of tile k. Tile 0 may start before the grid: wide tiles are split, and the
 * split need not fall on the first point. */
static int64_t begin_of(const time_axis *a, int64_t k, int64_t shift)
{
    if (a->turns) {
        if (!a->periodic && (k == 0 || k == a->tiles))
            return k == 0 ? 0 : a->extent;
        return base_of(a, k) + (k % 2 ? shift : a->swing - shift);
    }
    const int64_t least = a->periodic && a->tiles > 1 ? shift - a->first : 0;
    const int64_t at = clamp_index(a, a->first + k * a->width - shift);
    return k == 0 || at < least ? least : at;
}

static int64_t end_of(const time_axis *a, int64_t k, int64_t shift)
{
    return k + 1 < a->tiles || a->turns ? begin_of(a, k + 1, shift) : a->extent;
}

/* True if a tile has points at both ends of a periodic axis. */
static bool is_wrapping(const time_axis *a, int64_t k)
{
    return a->periodic && a->tiles > 1 && k == (a->turns ? 0 : a->tiles - 1);
}

static spans wrapping_points(const time_axis *a, int64_t k, int64_t shift)
{
    spans s = {0};
    add_span(&s, 0, a->turns ? end_of(a, k, shift) : shift);
    add_span(&s, begin_of(a, a->turns ? a->tiles : k, shift), a->extent);
    return s;
}

spans time_points(const time_axis *a, int64_t k, int64_t shift)
{
    spans s = {0};
    if (is_wrapping(a, k))
        return wrapping_points(a, k, shift);
    add_span(&s, begin_of(a, k, shift), end_of(a, k, shift));
    return s;
}

span time_last_points(const time_axis *a, int64_t k, int64_t shift)
{
    const spans s = time_points(a, k, shift);
    return s.count > 0 ? s.at[s.count - 1] : (span){a->extent, 0};
}

bool time_has_face(const time_axis *a, int64_t k, int64_t shift, const ir_field *f,
                   int axis, int side)
{
    /* Ghosts of side - belong to the tile with the farthest point that they may copy. */
    const int *halo = f->halo[axis];
    const int64_t inside = halo[0] > halo[1] ? halo[0] : halo[1];
    const int64_t last = a->extent - 1;
    const int64_t at = side || inside > last ? last : inside;
    if (a->periodic)
        return is_wrapping(a, k) || a->tiles == 1;
    return begin_of(a, k, shift) <= at && at < end_of(a, k, shift);
}

int64_t time_given(const ir_field *f, int axis, int side)
{
    return border_rules[f->border[axis][side].kind].has_face;
}

static void add_inner(const time_axis *a, const spans *all, const ir_field *f, int axis,
                      spans *s)
{
    const int64_t first = time_given(f, axis, 0),
                  end = a->extent - time_given(f, axis, 1);
    for (int n = 0; n < all->count; n++)
        add_span(s, all->at[n].lo > first ? all->at[n].lo : first,
                 all->at[n].hi < end ? all->at[n].hi : end);
}

spans time_inner(const time_axis *a, int64_t k, int64_t shift, const ir_field *f,
                 int axis)
{
    const spans all = time_points(a, k, shift);
    spans s = {0};
    add_inner(a, &all, f, axis, &s);
    return s;
}

spans time_outer(const time_axis *a, int64_t k, int64_t shift, const ir_field *f,
                 int axis)
{
    const spans all = time_points(a, k, shift);
    spans s = {0};
    if (time_has_face(a, k, shift, f, axis, 0))
        add_span(&s, -f->halo[axis][0], time_given(f, axis, 0));
    add_inner(a, &all, f, axis, &s);
    if (time_has_face(a, k, shift, f, axis, 1))
        add_span(&s, a->extent - time_given(f, axis, 1), a->extent + f->halo[axis][1]);
    return s;
}

/* Along x first. */
bool time_box(const spans axis[MAX_DIM], int number, box *b)
{
    for (int n = 0; n < MAX_DIM; n++) {
        if (axis[n].count == 0)
            return false;
        const span *s = &axis[n].at[number % axis[n].count];
        number /= axis[n].count;
        b->lo[n] = s->lo;
        b->hi[n] = s->hi;
    }
    return number == 0;
}

/* ---- columns ----------------------------------------------------------------------- */

/* Shapes of time tiles: the motion of boundaries between columns during the operations of
 * a time block. One number fixes the shape: the steps after which a boundary turns back.
 * Boundaries that never turn make skewed tiles: one row of columns, each following the
 * one before. Boundaries that move to and fro, neighbours in opposite directions, make
 * narrowing tiles between widening tiles; they never move faster than values spread. A
 * widening tile uses the narrowed tiles next to it, so tiles of a row are independent,
 * and a row needs the row before. Boundaries turn in the middle of each tile: the tiles
 * are diamonds. */

/* Points of the first and last tile that no boundary reaches: the points copied to ghosts
 * belong there. */
static int64_t core_of(const ir *code, int axis)
{
    int most = 0;
    for (int64_t f = 0; f < code->fields; f++)
        for (int side = 0; side < 2 && code->field[f].updated; side++)
            most = int_most(most, code->field[f].halo[axis][side]);
    return most + 2;
}

static int64_t least_width(int64_t swing, int64_t core, bool periodic)
{
    const int64_t of_faces = periodic ? swing + 2 * core : swing / 2 + core;
    return of_faces > swing ? of_faces : swing;
}

static time_axis zigzag(const ir *code, const ir_blocking *b, int axis, int64_t width,
                        int turn)
{
    time_axis a = {.extent = points_along(code, axis, false),
                   .tiles = 1,
                   .periodic = b->periodic[axis]};
    const int64_t swing = (int64_t)turn * cost_column_skew(b, axis);
    const int64_t least = least_width(swing, core_of(code, axis), a.periodic) +
                          b->unit[axis] - 1;
    if (width <= 0 || width >= a.extent)
        width = a.extent;
    a.width = width > least ? width : least;
    a.tiles = a.extent / a.width;
    if (a.periodic)
        a.tiles -= a.tiles % 2;
    if (a.tiles < 2)
        return time_axis_of(a.extent, 0, a.periodic, 0);
    a.turns = true;
    a.swing = swing;
    a.unit = b->unit[axis];
    return a;
}

time_columns time_columns_in(const ir *code, const ir_blocking *b, const schedule *s,
                             int steps)
{
    const int axis = schedule_column_axis(code->dim),
              turn = int_least(schedule_turn(s), steps);
    const time_columns never = {.rows = 1};
    if (axis < 0 || turn == 0)
        return never;
    const time_axis a = zigzag(code, b, axis, s->tile.size[TILE_COLUMN], turn);
    return a.turns ? (time_columns){a, turn, (steps + turn - 1) / turn + 1} : never;
}

/* For boundaries of odd number. */
int64_t time_turning_shift(const ir_blocking *b, const time_columns *c, int axis,
                           int step, const ir_operation *operation)
{
    const int64_t moved = (int64_t)(step % c->turn) * cost_column_skew(b, axis) +
                          operation->skew[axis];
    return step / c->turn % 2 ? c->axis.swing - moved : moved;
}

/* A tile of row n widens in phase n - 1 and narrows in phase n. */
bool time_is_in_row(const time_columns *c, int64_t row, int64_t k)
{
    return c->turn == 0 || (k + row) % 2 == 1;
}

void time_steps_of_row(const time_columns *c, int64_t row, int steps, int *first,
                       int *end)
{
    *first = c->turn > 0 && row > 0 ? (int)(row - 1) * c->turn : 0;
    *end = c->turn > 0 && (row + 1) * c->turn < steps ? (int)(row + 1) * c->turn : steps;
}

int64_t time_first_column(int64_t columns, int64_t threads, int64_t n)
{
    return n * columns / threads;
}
