/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: temporal blocking on processors, several steps in one
 * crossing of memory.
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
#ifndef RUN_TIME_PRIVATE_H
#define RUN_TIME_PRIVATE_H

#include <stdatomic.h>

#include "run/run_private.h"

/* ---- time_tiles.c ------------------------------------------------------------------ */

typedef struct time_axis {
    int64_t extent, width, tiles;
    int64_t first; /* the first tile is so much wider */
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

/* ---- what a run keeps between time blocks (time_state.c) --------------------------- */

enum { TIME_MOST_STEPS = 256 }; /* of a block */
typedef struct time_state {
    ir_blocking blocking;
    int stream, column; /* axes; column -1: there are none */
    bool ready;         /* marks are there */
    placed_points *injection,
        *sample; /* of each injection; of each recorder that samples */
    /* of each recorder: values of its neighbours after each step of a time block */
    double **seen;
    int seen_steps;
    double time[TIME_MOST_STEPS]; /* t after each step of a time block */
} time_state;
pav_status time_state_ready(pav_run *run, time_state *s, int depth);
void time_state_close(const pav_run *run, time_state *s);

/* ---- which time block is next (time_choose.c, time_model.c) ------------------------ */

enum { MOST_SHAPES = 12 };
typedef struct time_trial {
    schedule shape;  /* of 1 step: single steps */
    double bytes;    /* of a point and step, to memory, as the model says */
    double forecast; /* seconds of a step by the model; 0: not known */
    double seconds;  /* of a step: the least */
    int tried;
    char words[SCHEDULE_STRING];
} time_trial;
struct time_choice {
    time_state state;
    bool forced;     /* no single steps but where they must be */
    bool waits;      /* for a budget that grows */
    bool has_rows;   /* shapes take rows as single steps do; */
    bool tried_rows; /* the fastest also takes them the other way */
    int threads;
    int count, fastest, current, losses; /* current: being tried; count: none is */
    trial_budget budget;
    time_trial trial[MOST_SHAPES + 1];
};
/* Steps of the next trial of a run of so many steps (0: nobody knows): of a shape that
 * was not tried, a few; 0: none may begin now. */
int time_next_trial(time_choice *c, int64_t known, int64_t done);
/* Such a trial took so many seconds a step; probe: it was of a few. */
void time_note(time_choice *c, int steps, double seconds, bool probe);
schedule time_requested(const pav_run *run); /* as the run's options say */
/* Gives shapes the rows at a time of single steps, which are tuned. */
void time_take_rows(const pav_run *run, time_choice *c);
int64_t time_line(int dim); /* points across columns that tiles are multiples of */
/* The k-th neighbour of a tile's size, half or twice as wide or high; false: none. */
enum { TIME_OTHERS = 4 };
bool time_other_size(int dim, const schedule *shape, int k, schedule *other);
/* Shapes that the model thinks best, for the caches of this host. requested: what is 0 is
 * free. */
int time_model(const pav_run *run, const ir_blocking *b, const schedule *requested,
               const kernel_host *host, int most, time_trial *trial);

/* ---- operation instances (time_instances.c) ---------------------------------------- */

/* Borders of one level of one field. */
typedef struct time_fill {
    const ir_field *field;
    const view *view;
    const view *slot[2];          /* levels +1 and 0, as its stages see them */
    const view *const **views;    /* of all fields */
    ready_stage face[MAX_DIM][2]; /* where there is a stage */
} time_fill;

/* An operation of one step of a time block. */
typedef struct time_instance {
    const ir_operation *operation;
    int step; /* of the time block */
    int64_t shift[MAX_DIM];
    const view *const *const *view; /* levels as the step sees them */
    ready_stage stage;              /* of OPERATION_STAGE */
    ready_stage *inject;            /* of OPERATION_INJECT: of each injection */
    box box;                        /* points of the stage */
    int64_t fills;
    time_fill *fill;
} time_instance;

typedef struct time_block {
    pav_run *run;
    subdomain *part; /* the whole grid, or subdomain `number` of it */
    int64_t number;  /* -1: the whole */
    host_team *team; /* or NULL */
    time_state *state;
    schedule shape;
    int64_t step; /* that it begins with */
    int steps, threads;
    time_axis axis[MAX_DIM];
    time_columns columns;
    int64_t instances;
    time_instance *instance;
    arena *arena; /* of all that the operation instances hold, but grids */
} time_block;

/* A tile, of some of the operation instances. */
typedef struct time_tile {
    int64_t at[MAX_DIM];
    int64_t first, end;    /* instances */
    int64_t back[MAX_DIM]; /* what their shifts count from */
    span column;           /* points of all of them along the columns */
} time_tile;
/* That of a row and a column, the first along the sweep and along x. */
time_tile time_tile_of(const time_block *p, int64_t row, int64_t column);
/* How far an operation instance lags behind the first of the tile. */
int64_t time_shift_in(const time_tile *t, const time_instance *m, int axis);

/* ---- one tile (time_tile.c) -------------------------------------------------------- */

/* Threads that share tiles, and the column that they are at; apart from others, since
 * they observe it all the time. */
typedef struct time_group {
    atomic_int come; /* threads that have come to where all meet */
    atomic_uint turn;
    int threads;
    int64_t row, column, tried; /* tried: columns of the row that were asked */
    char apart[CPU_LINE];
} time_group;
/* Returns when all threads of the group have come. */
void time_synchronise(time_group *g);
/* In a loop that waits for another thread. */
void time_spin(int *spins);

/* A thread's own: its place in a group and room for uniforms. */
typedef struct time_own {
    time_group *group;
    int number;          /* in the group */
    _Atomic int *failed; /* of all threads: a status */
    double *uniform;
} time_own;
/* Its part of a box that the group computes. */
box time_part(const time_own *mine, const box *b);
void time_do_tile(const time_block *p, time_own *mine, const time_tile *t);

/* Everything that steps of a time block need, worked out in the order of single steps. */
pav_status time_instances_open(time_block *p);
void time_instances_close(time_block *p);

/* time_events.c: sources and receivers in boxes of a tile. uniform: room for all, of the
 * thread's own. */
pav_status time_inject(const time_block *p, const time_instance *m, const box *b,
                       double *uniform);
pav_status time_sample(const time_block *p, const time_instance *m, const box *b);

/* time_borders.c: the borders of what an operation instance stored in a tile. */
pav_status time_fill_borders(const time_block *p, const time_instance *m,
                             const time_tile *t);

/* ---- time blocks (time_block.c, time_events.c) ------------------------------------- */

/* Takes so many steps at once: open, roll, close; and of all (time_within.c): each
 * subdomain takes its own. */
pav_status time_take(pav_run *run, time_state *s, const schedule *shape, int steps);
/* As run_one_step ends, so many times. */
void time_end_steps(pav_run *run, int steps);
pav_status time_take_within(pav_run *run, time_state *s, const schedule *shape,
                            int steps);
pav_status time_block_open(time_block *p);
pav_status time_block_roll(const time_block *p);
void time_block_close(time_block *p);
/* Why subdomains cannot take time blocks, in `why`; whether they may: so may the whole.
 * Ranks try what the first does. */
void time_within_refusal(const pav_run *run, text *why);
bool time_within_may_be(const pav_run *run);
pav_status time_within_agree(const pav_run *run, time_choice *c);
/* Steps until something observes the fields, at most `most`. */
int64_t time_until_event(const pav_run *run, int64_t most);
/* Whether a sample records after the step so many steps after the run's present one. */
bool time_sample_is_due(const recorder *r, int64_t step);
/* Rows of samples of the steps within a time block that began with `step`. */
pav_status time_keep_rows(pav_run *run, const time_state *s, int64_t step, int steps);

#endif
