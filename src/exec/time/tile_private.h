/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of time blocks: the work on one tile. */
#ifndef EXEC_TIME_TILE_PRIVATE_H
#define EXEC_TIME_TILE_PRIVATE_H

#include <stdatomic.h>

#include "exec/exec.h"
#include "exec/host/host.h"
#include "exec/time/time.h"

/* ---- operation instances (time_tile.c) --------------------------------------------- */

/* Borders of one level of one field. */
typedef struct time_fill {
    const ir_field *field;
    const view *view;
    const view *slot[2];          /* levels +1 and 0, for its border stages */
    const view *const **views;    /* of all fields */
    ready_stage face[MAX_DIM][2]; /* of faces with a border stage */
} time_fill;

/* An operation of one step of a time block. */
struct time_instance {
    const ir_operation *operation;
    int step; /* of the time block */
    int64_t shift[MAX_DIM];
    const view *const *const *view; /* levels for this step */
    ready_stage stage;              /* of OPERATION_STAGE */
    ready_stage *inject;            /* of OPERATION_INJECT: a stage for each injection */
    box box;                        /* points of the stage */
    int64_t fills;
    time_fill *fill;
};

/* A tile with some of the operation instances. */
typedef struct time_tile {
    int64_t at[MAX_DIM];
    int64_t first, end;    /* instances */
    int64_t back[MAX_DIM]; /* subtracted from the shifts */
    span column;           /* points of all instances across columns */
} time_tile;
/* The tile of a row and a column: first along the sweep and along x. */
time_tile time_tile_of(const time_block *p, int64_t row, int64_t column);

/* ---- one tile (time_tile.c) -------------------------------------------------------- */

/* Threads that share tiles, and their present column. The padding keeps groups in
 * separate cache lines, because threads poll them all the time. */
typedef struct time_group {
    atomic_int come; /* threads that have reached the barrier */
    atomic_uint turn;
    int threads;
    int64_t row, column, tried; /* tried: columns of the row already visited */
    char apart[CPU_LINE];
} time_group;
/* A barrier of all threads of the group. */
void time_synchronise(time_group *g);
/* Pause in a polling loop. */
void time_spin(int *spins);

/* Data of one thread: its place in a group, and room for uniforms. */
typedef struct time_own {
    time_group *group;
    int number;          /* in the group */
    _Atomic int *failed; /* status shared by all threads */
    double *uniform;
} time_own;
void time_do_tile(const time_block *p, time_own *mine, const time_tile *t);

/* Everything needed by the steps of a time block, computed in the order of single
 * steps. */
pav_status time_instances_open(time_block *p);
void time_instances_close(time_block *p);

/* time_tile.c: fills the borders of the outputs of an operation instance in a tile. */
pav_status time_fill_borders(const time_block *p, const time_instance *m,
                             const time_tile *t);

#endif
