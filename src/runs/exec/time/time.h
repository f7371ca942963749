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
#include "exec/time/walk_private.h"
#include "schedule/schedule.h"

/* ---- time_shapes.c ----------------------------------------------------------------- */

/* The axis of the sweep: tiles follow each other along it. */
int time_sweep_axis(int dim);
/* The axis for a time block of `steps` steps. */
time_axis time_axis_in(const ir *code, const ir_blocking *b, const schedule *s, int axis,
                       int steps);
/* Rounds the widths of a schedule to the real widths of its tiles. An axis with a single
 * tile gets 0 across columns, and all rows along them. */
void time_round_tile(const ir *code, const ir_blocking *b, schedule *s);
/* The largest skew along an axis within one step. */
int time_skew_within(const ir_blocking *b, int axis);
/* The ends of a field along an axis, without faces to fill. */
time_ends time_ends_of(const ir_field *f, int axis);

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
/* First and last step of the tiles of a row, in a time block of `steps` steps. */
void time_steps_of_row(const time_columns *c, int64_t row, int steps, int *first,
                       int *end);

/* ---- state between time blocks (time_instances.c) ---------------------------------- */

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

/* time_each_operation: calls `work` for each operation of a step, with the uniforms
 * before it. Stages with uniforms only have no operation and are evaluated in between.
 * Ends with the time of the next step. time_keep_uniforms keeps the present uniforms in
 * the arena. */
typedef pav_status time_operation_work(void *user, const ir_operation *o);
pav_status time_each_operation(subdomain *whole, const ir_blocking *b, int64_t step,
                               time_operation_work *work, void *user);
double *time_keep_uniforms(const subdomain *whole, arena *a);

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

typedef struct time_instance time_instance; /* instances_private.h */
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
