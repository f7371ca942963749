/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporal blocking on processors: several time steps in one pass over memory.
 * The grid is cut into skewed tiles: along an axis, operation n of a time block works on
 * tile k shifted down by shift(n) points. Tiles are done in ascending order along every
 * axis, all operations of a tile one after another, so that the data of a tile stay in
 * caches from operation to operation (plan.h explains why these skews suffice). Along y,
 * tiles follow each other on one thread, like a wave through a column. Columns stand side
 * by side along z, in two dimensions along x. Each column runs on a thread of its own,
 * some tiles behind its neighbour. A tile has a few rows of many planes, and a kernel
 * goes plane by plane, so rows of neighbour planes are still in L1.
 * Along a periodic axis, the first tile is skewed to both sides, like a pyramid. The last
 * tile takes the remaining points, including those before the first point.
 * Boundaries between columns may also turn back, which makes diamonds across columns
 * (time_shapes.c). Along y the wave is the same. */
#ifndef EXEC_TIME_TIME_H
#define EXEC_TIME_TIME_H

#include "exec/exec.h"
#include "exec/host/host.h"
#include "schedule/schedule.h"

/* ---- time_shapes.c ----------------------------------------------------------------- */

typedef struct time_axis {
    int64_t extent, width, tiles;
    int64_t first; /* boundaries between tiles lie farther by this many points: the first
                    * tile is wider */
    bool periodic;
    /* boundaries move to and fro over `swing` points, and stand at multiples of `unit` */
    bool turns;
    int64_t swing, unit;
} time_axis;

/* Indices lo .. hi - 1. A spans list holds a few spans, ascending and not adjacent. */
typedef struct span {
    int64_t lo, hi;
} span;
typedef struct spans {
    int count;
    span at[4];
} spans;

/* The axis of the sweep: tiles follow each other along it. */
int time_sweep_axis(int dim);
/* most: largest shift along the axis. A periodic axis gets tiles wide enough for it. */
time_axis time_axis_of(int64_t extent, int64_t width, bool periodic, int64_t most);
/* The axis for a time block of `steps` steps. */
time_axis time_axis_in(const ir *code, const ir_blocking *b, const schedule *s, int axis,
                       int steps);
/* Rounds the widths of a schedule to the real widths of its tiles. An axis with a single
 * tile gets 0 across columns, and all rows along them. */
void time_round_tile(const ir *code, const ir_blocking *b, schedule *s);
/* Points of tile k for an operation with this shift. */
spans time_points(const time_axis *a, int64_t k, int64_t shift);
/* time_inner leaves out points prescribed by a border. time_outer also adds the ghosts
 * and prescribed points of field f that belong to the tile. */
spans time_inner(const time_axis *a, int64_t k, int64_t shift, const ir_field *f,
                 int axis);
spans time_outer(const time_axis *a, int64_t k, int64_t shift, const ir_field *f,
                 int axis);
/* Number of points at a face prescribed by the border. */
int64_t time_given(const ir_field *f, int axis, int side);
/* True if the ghosts of a face belong to the tile. */
bool time_has_face(const time_axis *a, int64_t k, int64_t shift, const ir_field *f,
                   int axis, int side);
/* The last span of the tile; without points, its end lies before its begin. */
span time_last_points(const time_axis *a, int64_t k, int64_t shift);
/* A box formed by one span of each axis, by its number; false: there are fewer. */
bool time_box(const spans axis[MAX_DIM], int number, box *b);

/* ---- shapes of tiles (time_shapes.c) ----------------------------------------------- */

/* Columns of a time block. Turning boundaries turn after each `turn` steps: a phase.
 * Tiles then stand in rows, and each row needs the row before it. */
typedef struct time_columns {
    time_axis axis; /* if boundaries turn */
    int turn;       /* 0: boundaries never turn, and there is one row */
    int64_t rows;
} time_columns;
time_columns time_columns_in(const ir *code, const ir_blocking *b, const schedule *s,
                             int steps);
/* Shift of an operation in a step. */
int64_t time_turning_shift(const ir_blocking *b, const time_columns *c, int axis,
                           int step, const ir_operation *operation);
/* First column owned by the n-th thread: it touched the pages of those planes first. */
int64_t time_first_column(int64_t columns, int64_t threads, int64_t n);
bool time_is_in_row(const time_columns *c, int64_t row, int64_t k);
/* First and last step of the tiles of a row, in a time block of `steps` steps. */
void time_steps_of_row(const time_columns *c, int64_t row, int steps, int *first,
                       int *end);

/* ---- state between time blocks (time_tile.c) --------------------------------------- */

/* A receiver inside time blocks: after some steps the statement takes a sample. points
 * NULL: no samples. */
typedef struct time_receiver {
    const statement *statement;
    const point_set *points;
    int field;
} time_receiver;

enum { TIME_MOST_STEPS = 256 }; /* of a time block */
typedef struct time_state {
    ir_blocking blocking;
    int stream, column; /* axes; column -1: no columns */
    bool ready;         /* points are sorted */
    int64_t receivers;
    time_receiver *receiver;
    placed_points *injection, *sample; /* of each injection; of each receiver */
    double **sampled; /* of each receiver: values of its neighbours after each step */
    int sampled_steps;
    double time[TIME_MOST_STEPS]; /* t after each step of a time block */
} time_state;
/* Opens the state for blocks of `steps` steps. `receiver` is set before, and freed by
 * time_state_close. */
pav_status time_state_open(const subdomain *whole, time_state *s, int steps);
void time_state_close(const ir *code, time_state *s);

/* ---- time blocks (time_block.c) ---------------------------------------------------- */

/* A time block restricted to some planes: along `axis` it takes `tiles` tiles of `cut`,
 * from `first` on. The memory belongs to `part`. kept: for each field, its borders are
 * already filled. */
typedef struct time_slab {
    const time_axis *cut; /* NULL: the whole grid */
    int axis;
    int64_t first, tiles;
    const bool *kept;
} time_slab;

typedef struct time_instance time_instance; /* tile_private.h */
typedef struct time_block {
    subdomain *whole, *part; /* the whole grid; the whole, or its subdomain `number` */
    int64_t number;          /* -1: the whole */
    host_team *team;         /* or NULL */
    time_state *state;
    tile_count *count;
    schedule shape;
    int64_t step; /* the first step */
    int steps, threads;
    int before;   /* steps of earlier blocks with rows in the state */
    bool goes_on; /* it takes the samples after its last step itself */
    time_slab slab;
    time_axis axis[MAX_DIM];
    time_columns columns;
    int64_t instances;
    time_instance *instance;
    arena *arena; /* memory of the operation instances, except grids */
} time_block;
/* time_block_take: all steps of a block of the whole, with its state open. _within: the
 * same in each subdomain by itself, between two exchanges. */
pav_status time_block_take(time_block *p);
pav_status time_block_take_slab(time_block *p); /* does not rotate levels */
pav_status time_block_take_within(const time_block *like);
/* Asynchronous relaxation over planes of the slowest axis: threads do not wait for each
 * other (time_block.c). A thread takes `width` planes at a time. Others read
 * `read_by_others` planes at each end of its range. */
pav_status time_block_take_async(const time_block *like, int64_t width,
                                 int64_t read_by_others);

#endif
