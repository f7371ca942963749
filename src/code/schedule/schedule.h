/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule: the order and place of computing the points of a step, or of several steps.
 * It changes no bit.
 *
 * A schedule is a stack of levels. Each level cuts its points into units for the next
 * level: a device has tiles, a tile has threads, a thread has points. A schedule is
 * parsed once, when a run opens (schedule_parse), and printed by one function
 * (schedule_print). Parsing a printed string gives the same schedule again. */
#ifndef SCHEDULE_SCHEDULE_H
#define SCHEDULE_SCHEDULE_H

#include "base/base.h"
#include "lang/lang.h"

/* The table of schedules, a row each. Every folder takes the columns it needs: name;
 * device, CPU or GPU; steps of a launch or time block, SINGLE or FUSED; options, as
 * groups of schedule_kinds.c; the emitter, which holds all functions of codegen for it
 * (accept, emit, ...: codegen_private.h) in a file of its own; the cost model
 * (cost_private.h). */
#define SCHEDULES_CPU_SINGLE(X)                                                          \
    X(ROWS, "rows", CPU, SINGLE, LOOPS, host_loops, cost_loops)                          \
    X(BLOCKS, "blocks", CPU, SINGLE, LOOPS | BLOCKS, host_loops, cost_loops)
#define SCHEDULES_CPU_FUSED(X)                                                           \
    X(CPU_TIME, "time", CPU, FUSED, CPU_TIME, host_time, cost_tiles)
#define SCHEDULES_GPU_SINGLE(X)                                                          \
    X(POINT, "point", GPU, SINGLE, POINT, cuda_point, cost_stages)                       \
    X(SWEEP, "sweep", GPU, SINGLE, SWEEPS, cuda_sweep, cost_stages)                      \
    X(TWO_PASS, "two-pass", GPU, SINGLE, SWEEPS, cuda_two_pass, cost_stages)
#define SCHEDULES_GPU_FUSED(X)                                                           \
    X(GPU_TIME, "time", GPU, FUSED, TIME, cuda_time, cost_time)                          \
    X(PERSISTENT, "persistent", GPU, FUSED, PERSISTENT, cuda_persistent, cost_time)
#define SCHEDULE_TABLE(X)                                                                \
    SCHEDULES_CPU_SINGLE(X)                                                              \
    SCHEDULES_CPU_FUSED(X) SCHEDULES_GPU_SINGLE(X) SCHEDULES_GPU_FUSED(X)

typedef enum schedule_kind {
    SCHEDULE_AUTO, /* chosen by autotuning */
#define SCHEDULE_ENUM(kind, ...) SCHEDULE_##kind,
    SCHEDULE_TABLE(SCHEDULE_ENUM)
#undef SCHEDULE_ENUM
        SCHEDULE_KINDS,
    SCHEDULE_NONE = SCHEDULE_KINDS /* the end of a list of candidates */
} schedule_kind;

/* Where loaded points stay until their last use: in caches; in registers (along x also in
 * registers of other threads of the warp); in a tile of shared memory. */
typedef enum schedule_storage {
    STORAGE_CACHE,
    STORAGE_REGISTERS,
    STORAGE_SHARED
} schedule_storage;

/* Copies of planes to shared memory. ASYNC: each thread copies its part in the background
 * (cp.async). REMAP: each thread reads its part to registers one plane ahead. TMA: one
 * thread starts the tensor memory accelerator (sm_90). SPLIT: like ASYNC, but doubles go
 * to two planes of 32-bit words. */
typedef enum schedule_copy { COPY_ASYNC, COPY_REMAP, COPY_TMA, COPY_SPLIT } schedule_copy;

/* How the boundaries between time tiles move from step to step: always in one direction,
 * or back and forth (src/runs/exec/time/time_shapes.c). */
typedef enum schedule_shape { SHAPE_SKEWED, SHAPE_DIAMOND } schedule_shape;

/* Where a kernel reads its uniforms: in its argument; in a variable in constant memory;
 * in the GPU's memory, read by all threads; in a copy in shared memory. */
typedef enum schedule_uniforms {
    UNIFORMS_DEFAULT,
    UNIFORMS_ARGUMENT,
    UNIFORMS_CONSTANT,
    UNIFORMS_GLOBAL,
    UNIFORMS_SHARED
} schedule_uniforms;

/* One level. Members of 0 are left open for a default, a model or autotuning. */
typedef struct schedule_level {
    int size[MAX_DIM]; /* units of the next level along each axis */
    int steps;         /* steps between two exchanges of neighbour units */
    int ahead;         /* prefetch distance: planes, on processors rows */
    schedule_storage storage;
    schedule_copy copy;
} schedule_level;

typedef struct schedule {
    schedule_kind kind;
    /* Meaning of the sizes by kind.
     *
     * device.size: PERSISTENT: tiles of the grid, one for each block. ROWS, BLOCKS:
     * threads of the team, along one axis. CPU_TIME: threads sharing a tile.
     *
     * tile.size: GPUs: threads of a block, along x and y. BLOCKS: rows along y. CPU_TIME:
     * points across columns, and along the sweep (enum tile_size).
     *
     * thread.size: points along x (a vector) and rows. */
    schedule_level device, tile, thread;
    int planes;   /* planes swept by a block; PERSISTENT: planes of a thread */
    int tail;     /* the same for tail tiles */
    int unroll;   /* planes unrolled in the text of the loop */
    int prefetch; /* planes prefetched into L2 before `ahead` */
    int blocks;   /* resident blocks of a multiprocessor; limits registers */
    /* PERSISTENT: 1: a new level replaces the oldest, 2: there is one more */
    int buffers;
    schedule_uniforms coefficients;
    bool input; /* each plane is used once, when it arrives; partial sums are kept instead
                 * of planes */
    bool plain; /* rows of fields have no padding, so no kernel loads vectors */
    bool apart; /* AUTO: no launch takes several stages of a step */
    bool non_temporal;    /* stores bypass the caches */
    schedule_shape shape; /* CPU_TIME */
    bool close;           /* CPU_TIME: skewed by points along x, not by lines */
} schedule;

/* The split axis, and the threads of the team. */
int schedule_axis(const schedule *s);
int schedule_threads(const schedule *s);

/* Sizes of a tile of CPU_TIME: points along two axes; BLOCKS uses TILE_SWEEP.
 * schedule_column_axis: columns of tiles stand side by side along this axis; -1 in one
 * dimension. */
enum tile_size { TILE_COLUMN, TILE_SWEEP };
static inline int schedule_column_axis(int dim)
{
    return dim == 3 ? 2 : dim - 2;
}

enum {
    SCHEDULE_STRING = 256,        /* room for a printed schedule */
    SCHEDULE_MOST_SIZE = 1 << 30, /* of a tile */
    SCHEDULE_MOST_DEPTH = 64      /* steps of a fused launch or time block */
};

/* A size for a level, cut off at the largest size: a larger tile is the whole axis. */
static inline int schedule_size(int64_t size)
{
    return size < SCHEDULE_MOST_SIZE ? (int)size : SCHEDULE_MOST_SIZE;
}

/* ---- kinds (schedule_kinds.c) ------------------------------------------------------ */

const char *schedule_name(schedule_kind kind); /* "sweep" */
bool schedule_is_of_gpus(schedule_kind kind);
/* True if one launch, or one time block, takes several steps. */
bool schedule_fuses_steps(const schedule *s);
/* True for a launch on a GPU that takes several stages of one step. */
bool schedule_groups_stages(const schedule *s);
/* CPU_TIME only. schedule_turn: the boundaries of tiles turn back after this number of
 * steps; 0: never. schedule_longest: steps of a full time block, or of a block in a
 * trial. */
int schedule_turn(const schedule *s);
int schedule_longest(const schedule *s, bool trial);

/* ---- schedule strings (schedule_kinds.c) ------------------------------------------- */

/* The device of a schedule; `name`: for messages. */
typedef struct schedule_place {
    bool gpu;
    const char *name;
} schedule_place;
/* Parses "sweep:shared,rows=2"; NULL: auto. The message of PAV_EINVAL names the nearest
 * known word, or the kind of device needed by the schedule. */
pav_status schedule_parse(const char *string, schedule_place on, schedule *s);
void schedule_print(const schedule *s, text *t);
/* Prints to `string` and returns it. */
const char *schedule_string(const schedule *s, char string[SCHEDULE_STRING]);
bool schedule_is_same(const schedule *a, const schedule *b);

/* ---- candidates (schedule_candidates.c) -------------------------------------------- */

/* Values for autotuning to try, ascending unless noted. Time tiles: steps. BLOCKS: halves
 * of the number of rows that fits the caches. SWEEP: planes, and numbers of waves if each
 * block has a multiprocessor. */
enum {
    SCHEDULE_DEPTHS = 9,
    SCHEDULE_HALF_BLOCKS = 3,
    SCHEDULE_PLANES = 6,
    SCHEDULE_WAVES = 3
};
extern const int schedule_depths[SCHEDULE_DEPTHS],
    schedule_depths_by_rank[SCHEDULE_DEPTHS], schedule_half_blocks[SCHEDULE_HALF_BLOCKS],
    schedule_planes[SCHEDULE_PLANES], schedule_waves[SCHEDULE_WAVES];

/* Schedules of GPUs: candidates ranked by models, and more of them for `tune` by
 * effort. */
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
