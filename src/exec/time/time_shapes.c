/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of time tiles: the motion of boundaries between columns during the operations of
 * a time block. One number fixes the shape: the steps after which a boundary turns back.
 * Boundaries that never turn make skewed tiles: one row of columns, each following the
 * one before. Boundaries that move to and fro, neighbours in opposite directions, make
 * narrowing tiles between widening tiles; they never move faster than values spread. A
 * widening tile uses the narrowed tiles next to it, so tiles of a row are independent,
 * and a row needs the row before. If boundaries turn only at the end of the time block,
 * the tiles are pyramids; if they turn in the middle of each tile, diamonds. */
#include "cost/cost.h"
#include "exec/time/tile_private.h"

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

/* First position of a boundary, or the position it would have if all boundaries moved one
 * way. On a periodic axis tile 0 has both ends of the axis. */
static int64_t base_of(const time_axis *a, int64_t k)
{
    const int64_t at = a->periodic ? (2 * k - 1) * a->extent / (2 * a->tiles)
                                   : k * a->extent / a->tiles;
    return (at - a->swing / 2) / a->unit * a->unit;
}

int64_t time_turning_edge(const time_axis *a, int64_t k, int64_t shift)
{
    if (!a->periodic && (k == 0 || k == a->tiles))
        return k == 0 ? 0 : a->extent;
    return base_of(a, k) + (k % 2 ? shift : a->swing - shift);
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
