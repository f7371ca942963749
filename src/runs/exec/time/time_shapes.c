/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of tiles: the axes of a schedule's tiles, and columns with boundaries that turn
 * back. */
#include <assert.h>

#include "cost/cost.h"
#include "exec/time/time.h"

/* ---- axes -------------------------------------------------------------------------- */

int time_sweep_axis(int dim)
{
    return dim > 1 ? 1 : 0;
}

int time_skew_within(const ir_blocking *b, int axis)
{
    int most = 0;
    for (int64_t k = 0; k < b->operations; k++)
        most = int_most(most, b->operation[k].skew[axis]);
    return most;
}

time_ends time_ends_of(const ir_field *f, int axis)
{
    time_ends e = {.halo = {f->halo[axis][0], f->halo[axis][1]}};
    for (int side = 0; side < 2; side++)
        e.given[side] = border_rules[f->border[axis][side].kind].has_face;
    return e;
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
    if (c.turn > 0 && axis == schedule_column_axis(code->dim))
        return c.axis;
    if (c.turn > 0 && steps > 2 * c.turn)
        steps = 2 * c.turn;
    return time_axis_of(axis < code->dim ? points_along(code, axis, false) : 1,
                        width_of(s, code->dim, axis), b->periodic[axis],
                        (int64_t)(steps - 1) * b->skew[axis] + time_skew_within(b, axis));
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

/* A tile of row n widens in phase n - 1 and narrows in phase n. */
void time_steps_of_row(const time_columns *c, int64_t row, int steps, int *first,
                       int *end)
{
    *first = c->turn > 0 && row > 0 ? (int)(row - 1) * c->turn : 0;
    *end = c->turn > 0 && (row + 1) * c->turn < steps ? (int)(row + 1) * c->turn : steps;
}
