/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule: how the points of a step, or of several, are gone through. It changes no bit.
 *
 * A schedule is a stack of levels. Each cuts what it is given into units, which the next
 * level cuts on: a device has tiles, a tile threads, a thread points. It is parsed once,
 * when a run opens (schedule_parse), and printed by one function (schedule_print): what
 * is printed asks for the same again. */
#ifndef SCHEDULE_SCHEDULE_H
#define SCHEDULE_SCHEDULE_H

#include "base/base.h"
#include "lang/lang.h"

/* The table of schedules, a row each, of which every folder takes the columns that it
 * knows: name; where it runs, on CPU or GPU; steps of a launch or time block, SINGLE or
 * FUSED; its options, groups of schedule_kinds.c; its emitter, which is what codegen has
 * of it (accept, emit, ...: codegen_private.h), in a file of its own; and its model of
 * what it costs (models_private.h). */
#define SCHEDULES_CPU_SINGLE(X)                                                          \
    X(ROWS, "rows", CPU, SINGLE, LOOPS, host_rows, cost_loops)                           \
    X(BLOCKS, "blocks", CPU, SINGLE, LOOPS | BLOCKS, host_blocks, cost_loops)
#define SCHEDULES_CPU_FUSED(X)                                                           \
    X(CPU_TIME, "time", CPU, FUSED, CPU_TIME, host_time, cost_tiles)
#define SCHEDULES_GPU_SINGLE(X)                                                          \
    X(POINT, "point", GPU, SINGLE, POINT, cuda_point, cost_stages)                       \
    X(SWEEP, "sweep", GPU, SINGLE, SWEEPS, cuda_sweep, cost_stages)                      \
    X(TWO_PASS, "two-pass", GPU, SINGLE, SWEEPS, cuda_two_pass, cost_stages)
#define SCHEDULES_GPU_FUSED(X)                                                           \
    X(GPU_TIME, "time", GPU, FUSED, TIME, cuda_time, cost_time)                          \
    X(PERSISTENT, "persistent", GPU, FUSED, PERSISTENT, cuda_persistent, cost_persistent)
#define SCHEDULE_TABLE(X)                                                                \
    SCHEDULES_CPU_SINGLE(X)                                                              \
    SCHEDULES_CPU_FUSED(X) SCHEDULES_GPU_SINGLE(X) SCHEDULES_GPU_FUSED(X)

typedef enum schedule_kind {
    SCHEDULE_AUTO, /* whatever autotuning finds */
#define SCHEDULE_ENUM(kind, ...) SCHEDULE_##kind,
    SCHEDULE_TABLE(SCHEDULE_ENUM)
#undef SCHEDULE_ENUM
        SCHEDULE_KINDS,
    SCHEDULE_NONE = SCHEDULE_KINDS /* the end of a list of candidates */
} schedule_kind;

/* Where a unit finds points again that it has read: in the caches; in registers, along x
 * in those of other threads of the warp; in a tile of shared memory. */
typedef enum schedule_storage {
    STORAGE_CACHE,
    STORAGE_REGISTERS,
    STORAGE_SHARED
} schedule_storage;

/* How planes come to shared memory: each thread copies its part while it goes on
 * (cp.async); or reads it to registers a plane before; or one thread asks the tensor
 * memory accelerator for all (sm_90). SPLIT: as ASYNC, but doubles come to two planes of
 * 32-bit words. */
typedef enum schedule_copy { COPY_ASYNC, COPY_REMAP, COPY_TMA, COPY_SPLIT } schedule_copy;

/* What the boundaries between time tiles do from step to step: move one way; move to and
 * fro once in a time block; or again and again (schedule_shapes.c). */
typedef enum schedule_shape { SHAPE_SKEWED, SHAPE_PYRAMID, SHAPE_DIAMOND } schedule_shape;

/* Where a kernel reads uniforms: in its argument; in a variable of constant memory; in
 * the GPU's memory, all threads the same; or from there through shared memory. */
typedef enum schedule_uniforms {
    UNIFORMS_DEFAULT,
    UNIFORMS_ARGUMENT,
    UNIFORMS_CONSTANT,
    UNIFORMS_GLOBAL,
    UNIFORMS_SHARED
} schedule_uniforms;

/* Who fills ghosts that are copies: the kernel that stores the points, or one of its
 * own. */
typedef enum schedule_ghosts { GHOSTS_FUSED, GHOSTS_SEPARATE } schedule_ghosts;

/* One level. What is 0 is chosen: by a default, a model or autotuning. */
typedef struct schedule_level {
    int size[MAX_DIM]; /* units of the next level along each axis */
    int steps;         /* taken before a unit reads what its neighbours have made */
    int ahead;         /* planes, on processors rows, that come before they are needed */
    schedule_storage storage;
    schedule_copy copy;
} schedule_level;

typedef struct schedule {
    schedule_kind kind;
    /* device.size: PERSISTENT: tiles of the grid, one a block; ROWS, BLOCKS: threads of
     * the
     *   team, along one axis.
     *   CPU_TIME: threads that share a tile.
     * tile.size: on GPUs: threads of a block, along x and y; BLOCKS: rows along y;
     *   CPU_TIME: points across columns, and along the sweep (enum tile_size).
     * thread.size: points along x (a vector) and rows. */
    schedule_level device, tile, thread;
    int planes; /* that a block sweeps through; PERSISTENT: of a thread */
    int tail;   /* the same of tiles that are left when the others have filled the GPU */
    int unroll; /* planes whose text stands one after the other */
    int prefetch; /* planes that are asked for into L2 before `ahead` */
    int blocks;   /* that a multiprocessor shall hold, which bounds registers */
    /* PERSISTENT: 1: a new level replaces the oldest, 2: there is one more */
    int buffers;
    schedule_uniforms coefficients;
    schedule_ghosts ghosts;
    bool input; /* planes are used as they come, and partial sums kept in place of them */
    bool plain; /* rows of fields have no padding, so that nothing loads vectors */
    bool non_temporal;    /* stores bypass the caches */
    schedule_shape shape; /* CPU_TIME */
    bool close;           /* CPU_TIME: skewed along x by points, not by lines of memory */
} schedule;

/* Threads of a team, and the axis that they split. */
int schedule_axis(const schedule *s);
int schedule_threads(const schedule *s);

/* The sizes of a tile of CPU_TIME, the last one of BLOCKS, too: points along x, of three
 * axes; and the axis that columns of its tiles stand side by side along, -1: a grid of
 * one dimension has none. */
enum tile_size { TILE_COLUMN, TILE_SWEEP, TILE_WIDTH };
static inline int schedule_column_axis(int dim)
{
    return dim == 3 ? 2 : dim - 2;
}

enum {
    SCHEDULE_STRING = 256,        /* room for a printed schedule */
    SCHEDULE_MOST_SIZE = 1 << 30, /* of a tile */
    SCHEDULE_MOST_DEPTH = 64      /* steps of a fused launch or time block */
};

/* A size as a level has it: what is larger than all tiles is one tile. */
static inline int schedule_size(int64_t size)
{
    return size < SCHEDULE_MOST_SIZE ? (int)size : SCHEDULE_MOST_SIZE;
}

/* ---- kinds (schedule_kinds.c) ------------------------------------------------------ */

const char *schedule_name(schedule_kind kind); /* "sweep" */
bool schedule_is_of_gpus(schedule_kind kind);
/* Whether one launch, or one time block, takes several steps. */
bool schedule_fuses_steps(const schedule *s);
/* Of CPU_TIME: steps after which boundaries of tiles turn back, 0: they never do; steps
 * of a time block that nothing cuts short (schedule_shapes.c). */
int schedule_turn(const schedule *s);
int schedule_longest(const schedule *s, bool trial);

/* ---- schedule strings (schedule_parse.c, schedule_print.c) ------------------------- */

/* Where schedules are for: `name` is that of the device, for messages. */
typedef struct schedule_place {
    bool gpu;
    const char *name;
} schedule_place;
/* "sweep:shared,rows=2"; NULL: auto. PAV_EINVAL says what is wrong, with the nearest
 * known word, and what a schedule of the other kind of device needs. */
pav_status schedule_parse(const char *string, schedule_place on, schedule *s);
void schedule_print(const schedule *s, text *t);
/* The same in place; gives `string`. */
const char *schedule_string(const schedule *s, char string[SCHEDULE_STRING]);
bool schedule_is_same(const schedule *a, const schedule *b);

/* ---- candidates (schedule_candidates.c) -------------------------------------------- */

/* Values that are tried, ascending where nothing else is said. Of time tiles: steps, and
 * points along x, the whole row first; of BLOCKS: halves of the rows that the caches
 * suggest; of SWEEP: planes, and how many times blocks that have a multiprocessor each
 * come to all planes. */
enum {
    SCHEDULE_DEPTHS = 9,
    SCHEDULE_WIDTHS = 3,
    SCHEDULE_HALF_BLOCKS = 3,
    SCHEDULE_PLANES = 6,
    SCHEDULE_WAVES = 3
};
extern const int schedule_depths[SCHEDULE_DEPTHS],
    schedule_depths_by_rank[SCHEDULE_DEPTHS], schedule_widths[SCHEDULE_WIDTHS],
    schedule_half_blocks[SCHEDULE_HALF_BLOCKS], schedule_planes[SCHEDULE_PLANES],
    schedule_waves[SCHEDULE_WAVES];

/* Schedules of GPUs: those that models rank; and those that `tune` adds by effort. */
typedef enum schedule_candidates_of {
    CANDIDATES_RANKED_SINGLE,
    CANDIDATES_RANKED_FUSED,
    CANDIDATES_PATIENT,
    CANDIDATES_EXHAUSTIVE
} schedule_candidates_of;
enum { SCHEDULE_MOST_CANDIDATES = 80 };
typedef struct schedule_list {
    int count;
    schedule schedule[SCHEDULE_MOST_CANDIDATES];
} schedule_list;
void schedule_candidates(schedule_candidates_of which, schedule_list *l);

#endif
