/* SPDX-License-Identifier: BSD-3-Clause */
/* Types and functions shared by the files of imaging only. */
#ifndef IMAGING_IMAGING_PRIVATE_H
#define IMAGING_IMAGING_PRIVATE_H

#include "imaging/imaging.h"

static inline const pav_program *public_program(const program *p)
{
    return (const pav_program *)(const void *)p;
}

/* ---- store.c: points of levels of a run -------------------------------------------- */

typedef struct frame_item {
    int field, age; /* field: of the IR */
    pav_type type;
    bool narrow; /* stored in a narrower type than the field's own */
    bool part;   /* only `range` is stored, in the field's type, without its border */
    box range;
    int64_t at; /* offset in a frame, bytes */
} frame_item;
typedef struct frame_layout {
    int64_t count, capacity, bytes;
    frame_item *item;
} frame_layout;
typedef enum stored_where {
    STORED_NOWHERE,
    STORED_THERE, /* in the memory of the run's device */
    STORED_HERE,
    STORED_DISK
} stored_where;
typedef struct stored {
    stored_where where;
    char *memory;
    int64_t slot;
} stored;
typedef struct store store;
typedef struct store_room {
    int64_t there;    /* bytes allowed in the memory of the run's device */
    int64_t frames;   /* largest number of frames in memory */
    const char *disk; /* a directory; or NULL */
} store_room;
/* Adds an item of `count` points at the end of a frame. */
void frame_add(arena *a, frame_layout *l, const frame_item *item, int64_t count);
/* The arena, the layout and the name of the disk's directory must outlive the store. */
store *store_open(arena *a, pav_run *run, const frame_layout *layout,
                  const store_room *room);
void store_close(store *s);
pav_status store_put(store *s, bool disk, stored *f);
pav_status store_get(const store *s, const stored *f, int64_t item, pav_run *to,
                     int field, int age);
void store_drop(store *s, stored *f);

/* Numbers of stored levels in a narrower type: levels with a value that is not 0, and
 * levels that became 0. */
typedef struct narrowed {
    int64_t kept, lost;
} narrowed;
const narrowed *store_narrowed(const store *s);

/* ---- boundary.c: stepping the wave back -------------------------------------------- */

/* `inside` holds the points outside of all absorbing layers. The values in the strips
 * around it are kept at each step, and `bytes` is their size for all wave fields. */
typedef struct boundary_shape {
    char why[200]; /* the reason that steps cannot be taken back; empty if they can */
    box inside;
    int boxes;
    box strip[2 * MAX_DIM];
    int64_t bytes;
} boundary_shape;
pav_status boundary_measure(const adjoint *a, boundary_shape *b);

typedef struct boundary boundary;
boundary *boundary_open(arena *a, pav_run *run, const adjoint *past,
                        const boundary_shape *shape, const store_room *room,
                        int64_t disk_frames);
void boundary_close(boundary *b);
pav_status boundary_note(boundary *b);
pav_status boundary_restore(boundary *b, int64_t m, pav_run *adjoint_run);

/* ---- history.c: the past of a run -------------------------------------------------- */

typedef enum history_kind {
    HISTORY_ALL,
    HISTORY_SNAPSHOTS,
    HISTORY_BOUNDARY,
    HISTORY_WAYS
} history_kind;

/* Costs of one way to keep the past: bytes of memory and of a disk, and steps taken
 * again. */
typedef struct history_way {
    history_kind kind;
    int64_t bytes, disk;
    /* `states` is the largest number of states kept at one time. */
    int64_t steps_again, states, disk_states;
    bool fits;
} history_way;

/* The sizes of a history. step: bytes of the values needed from one step. state: bytes of
 * a state from which the run can continue. */
typedef struct history_size {
    int64_t step, state;
    /* only the steps 0, every, 2*every, ... are needed */
    int64_t every;
    bool needs_new; /* the values that a step computes are needed, too */
    bool narrow;    /* the values needed of a step are stored ... */
    pav_type type;  /* ... in this type if the field's type is wider */
} history_size;
typedef struct history_budget {
    int64_t memory, disk; /* bytes */
} history_budget;

/* The sizes of the past, the cost of each way to keep it, and the way taken.
 * history_choose returns PAV_ENOMEM if no way fits the budget. */
typedef struct history_choice {
    history_budget budget;
    const char *disk; /* a directory; or NULL */
    history_size size;
    boundary_shape boundary;
    history_way way[HISTORY_WAYS];
    int taken;
    int concurrent; /* shots that share a device */
} history_choice;
pav_status history_choose(const adjoint *a, const pav_adjoint_options *o,
                          history_choice *c);
/* Adds up the bytes needed of a step and of a state. Reads size->every, narrow and
 * type. */
void history_measure(const adjoint *a, history_size *size);

typedef struct history history;
/* `run` is a run of past->forward at step 0. The arena, the run and the adjoint must
 * outlive the history. */
history *history_open(arena *a, pav_run *run, const adjoint *past,
                      const history_choice *choice);
void history_close(history *h);
int64_t history_again(const history *h); /* number of steps taken again so far */
/* True if most stored values underflowed to 0 in the narrow type. `n` receives the
 * numbers of levels kept and lost. */
bool history_vanished(const history *h, narrowed *n);
/* Forwards: stores the values needed of the present step. *next is the step of the next
 * call. */
pav_status history_note(history *h, int64_t *next);
/* Backwards: copies the past fields of `a` at step m, a multiple of size->every, into the
 * run of the adjoint. */
pav_status history_restore(history *h, int64_t m, pav_run *adjoint_run);

/* ---- shot.c: one shot, or several as one ------------------------------------------- */

/* Values at the grid's points, in doubles: the gradient of each coefficient, or the image
 * and the illumination. */
typedef struct shot_result {
    pav_adjoint_result of; /* .steps 0: it was in a file */
    int64_t points, count;
    double **value;
    double *file; /* what its file holds: the misfit, and all values */
} shot_result;
void shot_result_free(shot_result *r);
pav_status shot_result_open(shot_result *r, int64_t count, int64_t of_points);
typedef struct shot_wish {
    const pav_adjoint_options *options;
    const char *data; /* or NULL */
    const char *const *coefficients;
    bool image;
} shot_wish;
/* A shot, of a list or alone. */
typedef struct shot_job {
    int64_t number; /* in the list */
    program *program;
    const char *data; /* or NULL */
    text path;        /* of its result: a file, or the directory of a recorded shot */
    text mark;        /* record.c: what shot.txt says */
    bool done;        /* the result was there before */
    shot_result result;
} shot_job;
/* Computes the results. Returns PAV_EUNSUPPORTED if several jobs cannot be computed
 * together. */
pav_status shots_take(shot_job *const *job, int64_t jobs, pav_device *device,
                      const shot_wish *wish);

/* ---- receivers (shot_data.c) ------------------------------------------------------- */

/* Lists the samples recorded in `data`, which is a file, or a directory with the files of
 * all samples. The list is NULL-terminated and freed with mem_free; NULL stands for all
 * samples. */
pav_status receivers_choose(const program *p, const char *data, const statement ***list);
pav_status receivers_hash(const program *p, const char *data, hash *h);

/* The columns of one channel of the adjoint in a table of all records, from column `at`
 * on: first the columns of the first shot, then the columns of the second shot, and so
 * on. */
typedef struct shot_channel {
    const statement *line; /* of the description */
    int column;            /* of its expressions */
    int64_t sample;        /* its number in the run forwards */
    int64_t at, count, every;
} shot_channel;
/* *columns is the number of columns of all channels. The result is freed with
 * mem_free. */
pav_status channels_open(const adjoint *a, pav_run *run, int64_t *columns,
                         shot_channel **result);

enum { MOST_TOGETHER = 64 }; /* shots */

/* The state of a shot in progress, or of several shots computed together. In the second
 * case the first program of `back` holds the stacks of all shots (lang/program.c), and
 * `p` is the program of the first shot. */
typedef struct shot_state {
    arena *arena;
    const program *p;
    shot_job *const *job;
    int64_t jobs;
    pav_device *device;
    const shot_wish *wish;
    int64_t points;              /* number of points of one shot */
    adjoint back[MOST_TOGETHER]; /* one per job */
    /* programs forwards and back, of all jobs */
    const program *stacked[2][MOST_TOGETHER];
    pav_run *run, *backward;
    history *past;
    history_choice choice;
    int64_t receivers; /* number of columns of all receivers */
    shot_channel *channel;
    double *row;           /* (steps + 1) x receivers: the record, then the residual */
    given_traces *given;   /* for the adjoint: data and sources, reversed in time */
    int64_t base;          /* steps before the present run; -1: steps are taken again */
    int64_t reported, all; /* steps, of both directions */
    double begun, reported_at, forward_seconds, backward_seconds;
} shot_state;

/* Returns PAV_EUNSUPPORTED, with the reason, if steps of two shots differ in more than
 * positions. */
pav_status shots_alike(const program *a, const program *b);

/* shot_data.c: passes traces from the run to its adjoint. Their names begin with this
 * folder. */
#define SHOT_FOLDER "recorded"
/* "recorded/data.npy", "recorded/data-1.npy": the trace of a run's given_traces. */
void shot_trace_name(const char *what, int64_t number, char name[40]);
pav_status shot_give_traces(shot_state *s);
/* Before the run forwards: checks that the data exist and fit these receivers. */
pav_status shot_check_data(const shot_state *s);
/* Reads the amounts of a source from its file. */
pav_status shot_read_wavelet(const program *p, const statement *inject, trace_table *t);

/* history_plan.c: replaces PAV_EVERY_AUTO by a number of steps, from the spectra of the
 * sources. */
pav_status every_settle(const program *p, pav_adjoint_options *o);

/* shot_list.c: a list of shots, each with its own values of params of `p`. */
enum { MOST_SHOT_COLUMNS = 64 };
typedef struct shot_list {
    const program *p;
    const char *data_of_all; /* used if the list has no column `data`; or NULL */
    char *source;            /* of p */
    char *bytes;
    int columns, data; /* data: the column of paths; -1: none */
    const char *name[MOST_SHOT_COLUMNS];
    bool varies[MOST_SHOT_COLUMNS]; /* the values are arguments of the kernels */
    int64_t shots, capacity;
    int64_t points; /* of the grid of the first shot */
    char **cell;    /* one per shot and column; points into bytes */
} shot_list;
pav_status shots_open(const program *p, const char *path, const char *data, shot_list *l);
void shots_close(shot_list *l);
const char *shots_cell(const shot_list *l, int64_t k, int column);
/* The description of shot k. */
pav_status shots_parse(const shot_list *l, int64_t k, program **result);

/* Ranks: shots_own is true if shot k belongs to this rank. shots_meet exchanges
 * the status of all ranks after their last shot. */
bool shots_own(const pav_adjoint_options *o, int64_t k);
pav_status shots_meet(pav_ranks *ranks, pav_status own);

/* Notes to the listener: the number of shots computed together; or, with
 * the reason in pav_message(), that fewer shots are computed together. */
void shots_note_together(const pav_adjoint_options *o, int64_t count);
void shots_note_apart(const pav_adjoint_options *o, pav_status status);

/* survey.c: computes the single shot, or the sum of the shots of the list. `end` writes
 * the result; then the files of single shots are removed. */
typedef pav_status survey_end(void *user, shot_result *r);
pav_status survey_take(const program *p, pav_device *device, const shot_wish *wish,
                       survey_end *end, void *user, shot_result *result);

/* Hashes path, size and time of all files read by the description (shot_data.c). */
pav_status files_hash(const program *p, hash *h);

/* deal.c: deals shots 0 .. shots - 1 to the devices of a list: all of them, or those of
 * this rank. `find` parses the shot and looks for a result that was there
 * before. `take` computes the others; it may refuse several together. `keep` stores a new
 * result. `fail` takes note of a shot that failed, with the reason in pav_message(), and
 * the others go on; NULL: a failure ends all. Several threads call these four. `add` is
 * called by one thread at a time, in the order of the shots. */
typedef struct shot_deal {
    int64_t shots, points; /* points of one shot */
    bool all;
    pav_status (*find)(void *user, shot_job *job);
    pav_status (*take)(void *user, shot_job *const *job, int64_t count,
                       pav_device *device, const pav_adjoint_options *options);
    pav_status (*keep)(void *user, shot_job *job);
    pav_status (*add)(void *user, const shot_result *r);
    void *user;
    pav_status (*fail)(void *user, shot_job *job);
} shot_deal;
pav_status shots_deal(const shot_deal *deal, pav_device *device,
                      const pav_adjoint_options *options);
/* Number of shots of `of_points` points that fill a large GPU or the threads of a
 * processor; at most MOST_TOGETHER. */
int64_t shots_that_fill(bool on_gpu, int threads, int64_t of_points);

/* All fields of the grid that no statement updates, NULL-terminated; freed with
 * mem_free. */
const char **coefficients_of(const program *p);
#endif
