/* SPDX-License-Identifier: BSD-3-Clause */
/* time: temporal blocking on processors, several steps of fields in one crossing of
 * memory.
 *
 * The grid is cut into skewed tiles: what operation n of a time block does of tile k
 * along an axis lies shift(n) points before what operation 0 does of it. Tiles are done
 * in ascending order along every axis, all operations of a tile one after another, so
 * that what a tile moves stays in caches from operation to operation (plan.h says why the
 * skews suffice). Along y tiles follow each other on one thread, like a wave that rolls
 * through a column; columns stand side by side along z, in two dimensions along x, each
 * on a thread of its own, some tiles behind its neighbour. A tile is a few rows of many
 * planes: a kernel takes them plane by plane, so rows of the planes around are still
 * in L1.
 *
 * Where a field wraps around, the first tile of the axis is skewed to both sides, like a
 * pyramid, and the last one takes what is left, also before the first.
 *
 * So it is with skewed tiles. The boundaries between columns may also turn back, which
 * makes pyramids or diamonds across columns (time_shapes.c); along y they roll as
 * ever. */
#ifndef EXEC_TIME_TIME_H
#define EXEC_TIME_TIME_H

#include "exec/exec.h"
#include "exec/host/host.h"
#include "schedule/schedule.h"

/* ---- time_tiles.c ------------------------------------------------------------------ */

typedef struct time_axis {
    int64_t extent, width, tiles;
    int64_t first; /* boundaries between tiles lie so much farther: the first is wider */
    bool periodic;
    /* boundaries between tiles move to and fro, so far, and stand at multiples of unit */
    bool turns;
    int64_t swing, unit;
} time_axis;

/* Indices from lo to before hi; a few of them, ascending, that do not touch each
 * other. */
typedef struct span {
    int64_t lo, hi;
} span;
typedef struct spans {
    int count;
    span at[4];
} spans;

/* The axis that tiles follow each other along. */
int time_sweep_axis(int dim);
/* most: the largest shift along the axis. Where it wraps around, tiles are made as wide
 * as that needs. */
time_axis time_axis_of(int64_t extent, int64_t width, bool periodic, int64_t most);
/* The same of a time block of so many steps. */
time_axis time_axis_in(const ir *code, const ir_blocking *b, const schedule *s, int axis,
                       int steps);
/* Widths become those of the tiles that a time block of its depth has; what is one tile
 * is 0 across columns, and all rows along them. */
void time_round_tile(const ir *code, const ir_blocking *b, schedule *s);
/* Points of tile k for an operation that is shifted so far. */
int64_t time_within(const time_axis *a, int64_t at); /* or the nearest point that is */
spans time_points(const time_axis *a, int64_t k, int64_t shift);
/* The same less points that a border gives, and with the ghosts and given points of field
 * f that count as the tile's. */
spans time_inner(const time_axis *a, int64_t k, int64_t shift, const ir_field *f,
                 int axis);
spans time_outer(const time_axis *a, int64_t k, int64_t shift, const ir_field *f,
                 int axis);
/* How many points of a face a border gives. */
int64_t time_given(const ir_field *f, int axis, int side);
/* Whether those of a face are the tile's. */
bool time_has_face(const time_axis *a, int64_t k, int64_t shift, const ir_field *f,
                   int axis, int side);
/* The last of these; where there are none, it ends before it begins. */
span time_last_points(const time_axis *a, int64_t k, int64_t shift);
/* Calls visit with each box that spans of all axes make. */
typedef pav_status time_visit(void *user, const box *b);
pav_status time_boxes(const spans axis[MAX_DIM], time_visit *visit, void *user);

/* ---- shapes of tiles (time_shapes.c) ----------------------------------------------- */

/* Columns of a time block. Where their boundaries turn, they do so after `turn` steps, a
 * phase; tiles then stand in rows, of which each needs the one before. */
typedef struct time_columns {
    time_axis axis; /* where they turn */
    int turn;       /* 0: they never do, and there is one row */
    int64_t rows;
} time_columns;
time_columns time_columns_in(const ir *code, const ir_blocking *b, const schedule *s,
                             int steps);
/* The first point of tile k; the shift of an operation of a step. */
int64_t time_turning_edge(const time_axis *a, int64_t k, int64_t shift);
int64_t time_turning_shift(const ir_blocking *b, const time_columns *c, int axis,
                           int step, const ir_operation *operation);
/* The first of those columns whose planes the n-th thread was the first to touch. */
int64_t time_first_column(int64_t columns, int64_t threads, int64_t n);
bool time_is_in_row(const time_columns *c, int64_t row, int64_t k);
/* Steps that the tiles of a row have, of so many. */
void time_steps_of_row(const time_columns *c, int64_t row, int steps, int *first,
                       int *end);

/* ---- what is kept between time blocks (time_state.c) ------------------------------- */

/* Who samples within time blocks: after which steps a statement says. points: NULL: it
 * samples nothing. */
typedef struct time_receiver {
    const statement *statement;
    const point_set *points;
    int field;
} time_receiver;

enum { TIME_MOST_STEPS = 256 }; /* of a block */
typedef struct time_state {
    ir_blocking blocking;
    int stream, column; /* axes; column -1: there are none */
    bool ready;         /* points are placed */
    int64_t receivers;
    time_receiver *receiver;
    placed_points *injection, *sample; /* of each injection; of each receiver */
    double **sampled; /* of each receiver: values of its neighbours after each step */
    int sampled_steps;
    double time[TIME_MOST_STEPS]; /* t after each step of a time block */
} time_state;
/* Before a block of so many steps; `receiver` is there then, and mem_free's. */
pav_status time_state_open(const subdomain *whole, time_state *s, int steps);
void time_state_close(const ir *code, time_state *s);
bool time_is_due(const time_receiver *r, int64_t step);

/* ---- time blocks (time_block.c, time_within.c) ------------------------------------- */

/* A block of some planes: along `axis` its tiles are those of `cut`, of which it takes
 * `tiles` from the first on. `part` has the memory then; kept: of each field, whether its
 * borders are there. */
typedef struct time_slab {
    const time_axis *cut; /* NULL: it takes all */
    int axis;
    int64_t first, tiles;
    const bool *kept;
} time_slab;

typedef struct time_instance time_instance; /* tile_private.h */
typedef struct time_block {
    subdomain *whole, *part; /* the whole grid; that or its subdomain `number` */
    int64_t number;          /* -1: the whole */
    host_team *team;         /* or NULL */
    time_state *state;
    tile_count *count;
    schedule shape;
    int64_t step; /* that it begins with */
    int steps, threads;
    int before;   /* steps of others that the state has rows of, before its own */
    bool goes_on; /* nobody else samples after its last step */
    time_slab slab;
    time_axis axis[MAX_DIM];
    time_columns columns;
    int64_t instances;
    time_instance *instance;
    arena *arena; /* of all that the operation instances hold, but grids */
} time_block;
/* The steps of a block of the whole, once its state is open; and of each subdomain by
 * itself, between two exchanges. */
pav_status time_block_take(time_block *p);
pav_status time_block_take_slab(time_block *p); /* which leaves levels as they were */
pav_status time_block_take_within(const time_block *like);
/* The same of planes along the slowest axis whose threads do not wait for each other
 * (time_async.c): `width` planes at a time; of those that a thread begins and ends with
 * others read so many. */
pav_status time_block_take_async(const time_block *like, int64_t width,
                                 int64_t read_by_others);

#endif
