/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside imaging only. */
#ifndef IMAGING_IMAGING_PRIVATE_H
#define IMAGING_IMAGING_PRIVATE_H

#include "imaging/imaging.h"

/* ---- store.c: points of levels of a run -------------------------------------------- */

typedef struct frame_item {
    int field, age; /* field: of the IR */
    pav_type type;
    bool narrow; /* than the field's own */
    bool part;   /* a box of it, in its own type, without its border */
    box range;
    int64_t at; /* bytes from the beginning */
} frame_item;
typedef struct frame_layout {
    int64_t count, bytes;
    frame_item *item;
} frame_layout;
typedef enum stored_where {
    STORED_NOWHERE,
    STORED_THERE, /* where the run has its fields */
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
    int64_t there;    /* bytes that may lie where the run has its fields */
    int64_t frames;   /* at most, in memory */
    const char *disk; /* a directory; or NULL */
} store_room;
/* The layout lasts as long, and so does the name of the directory. */
pav_status store_open(pav_run *run, const frame_layout *layout, const store_room *room,
                      store **result);
void store_close(store *s);
pav_status store_put(store *s, bool disk, stored *f);
pav_status store_get(const store *s, const stored *f, int64_t item, pav_run *to,
                     int field, int age);
void store_drop(store *s, stored *f);

/* narrow.c: levels in a narrower type, that are not 0, and that were not 0 before. */
typedef struct narrowed {
    int64_t kept, lost;
} narrowed;
/* The item of a run is in memory. PAV_EINVAL where a finite value became infinite. */
pav_status narrow_check(pav_run *run, const frame_item *i, const char *memory,
                        int64_t count, narrowed *n);
narrowed store_narrowed(const store *s);

/* ---- boundary.c: a past that is stepped back to ------------------------------------ */

/* The points outside of all layers that absorb, and the boxes around them whose points
 * are kept of each step; points of these, bytes of all wave fields there. */
typedef struct boundary_shape {
    char why[200]; /* steps cannot be taken back; empty: they can */
    box inside;
    int boxes;
    box strip[2 * MAX_DIM];
    int64_t bytes;
} boundary_shape;
pav_status boundary_measure(const program *forward, const adjoint *a, boundary_shape *b);
/* 0 at points outside. */
void boundary_leave_inside(const boundary_shape *b, const program *p, double *value);

typedef struct boundary boundary;
pav_status boundary_open(pav_run *run, const program *forward, const adjoint *a,
                         const boundary_shape *shape, const store_room *room,
                         int64_t disk_frames, boundary **result);
void boundary_close(boundary *b);
pav_status boundary_note(boundary *b);
pav_status boundary_bring(boundary *b, int64_t m, pav_run *adjoint_run);

/* ---- history.c: the past of a run -------------------------------------------------- */

typedef enum history_kind {
    HISTORY_ALL,
    HISTORY_SNAPSHOTS,
    HISTORY_BOUNDARY,
    HISTORY_WAYS
} history_kind;

/* What each way takes: bytes of memory and of a disk, and steps taken again. */
typedef struct history_way {
    history_kind kind;
    int64_t bytes, disk;
    int64_t steps_again, states, disk_states; /* states: that are kept at once */
    bool fits;
} history_way;

/* Points and bytes of what is needed of one step, and of a state from which steps can be
 * taken. */
typedef struct history_size {
    int64_t step, state;
    int64_t every;  /* steps 0, every, 2*every, ... of which it is needed */
    bool needs_new; /* what a step computes is needed, too */
    bool narrow;    /* what is needed of a step is stored in ... */
    pav_type type;  /* ... this type, where a field's is wider */
} history_size;
typedef struct history_budget {
    int64_t memory, disk; /* bytes */
} history_budget;
/* The two that keep the bits. */
void history_ways(const history_size *size, int64_t steps, const history_budget *budget,
                  history_way way[2]);
void history_divide(history_way *w, int64_t each, const history_budget *budget);

/* Of what a caller asks for: how much there is, and which way is taken; PAV_ENOMEM where
 * none fits. */
typedef struct history_choice {
    history_budget budget;
    const char *disk; /* a directory; or NULL */
    history_size size;
    boundary_shape boundary;
    history_way way[HISTORY_WAYS];
    int taken;
    int concurrent; /* shots that share a device */
} history_choice;
pav_status history_choose(const program *forward, const adjoint *a,
                          const pav_adjoint_options *o, history_choice *c);
/* Bytes of what is needed of a step and of a state; of size->every, narrow and type. */
void history_measure(const program *forward, const adjoint *a, history_size *size);
pav_type history_type(const history_size *size, const symbol *s); /* of a step's */
/* Fields of the past become those of the program that is run. */
pav_status history_settle(const program *forward, adjoint *a);

typedef struct history history;
/* `run` is that of a->forward, at step 0; it, and `a`, must last as long. */
pav_status history_open(pav_run *run, const program *forward, const adjoint *a,
                        const history_choice *choice, history **result);
void history_close(history *h);
int64_t history_again(const history *h); /* steps that were taken again so far */
/* Whether most of what was kept is 0 in the type that it was to be kept in, and the
 * levels of which nothing is left. */
bool history_vanished(const history *h, narrowed *n);
/* Forwards: notes what is needed of the step at hand; *next: at which it is to be called
 * again. */
pav_status history_note(history *h, int64_t *next);
/* Backwards: each of the past fields of `a`, as of step m, one of those that count, into
 * the run of the adjoint. */
pav_status history_bring(history *h, int64_t m, pav_run *adjoint_run);

/* ---- shot.c: one shot, or several as one ------------------------------------------- */

/* Values of the grid's points, in doubles: the gradient of each coefficient, or image and
 * illumination. */
typedef struct shot_result {
    double misfit;
    int64_t points, count;
    double **value;
    int64_t steps, steps_again, history_bytes, disk_bytes, every;
    double forward_seconds, backward_seconds;
} shot_result;
void shot_result_free(shot_result *r);
pav_status shot_result_open(shot_result *r, int64_t count, int64_t of_points);
typedef struct shot_wish {
    const pav_adjoint_options *options;
    const char *data; /* or NULL */
    const char *const *coefficients;
    bool image;
} shot_wish;
typedef struct shot_job {
    const program *p;
    const char *data; /* or NULL */
} shot_job;
/* Of each job a result; PAV_EUNSUPPORTED where several cannot be computed as one. */
pav_status shots_take(const shot_job *job, int64_t jobs, pav_device *device,
                      const shot_wish *wish, shot_result *result);

/* ---- shot_receivers.c -------------------------------------------------------------- */

/* The samples that such data are of, NULL-terminated, to be freed with mem_free; NULL:
 * all. Data are a file, or a directory with those of all samples. */
pav_status receivers_choose(const program *p, const char *data, const statement ***list);
/* To the listener: where some are left out. */
void receivers_report(const program *p, const char *data, const pav_adjoint_options *o);
pav_status receivers_path(const statement *line, const char *data, text *path);
pav_status receivers_hash(const program *p, const char *data, hash *h);

/* Columns `at`, ... of a table of what all shots record, for one of the adjoint's
 * channels: those of the first shot, of the second, ... */
typedef struct shot_channel {
    const statement *line; /* of the description */
    int column;            /* of its expressions */
    int64_t sample;        /* its number in the run forwards */
    int64_t at, count, every;
} shot_channel;
/* *columns: of all. Freed with mem_free. */
pav_status channels_open(const adjoint *a, pav_run *run, int64_t *columns,
                         shot_channel **result);

/* A shot while it is taken; or several, and then `back`, `forward` and `p` are those of
 * the first of them. */
typedef struct shot_state {
    const program *p;
    const shot_job *job;
    int64_t jobs;
    pav_device *device;
    const shot_wish *wish;
    shot_result *result; /* of each */
    int64_t points;      /* of each */
    adjoint back;
    program *forward;
    struct shot_stack *stack; /* the others; or NULL */
    pav_run *run, *backward;
    history *past;
    history_choice choice;
    int64_t receivers; /* of all */
    shot_channel *channel;
    double *row; /* (steps + 1) x receivers: what is recorded, then the residual */
    given_traces *given;   /* for the adjoint: data and sources, turned around in time */
    int64_t base;          /* steps before those of the run at hand; -1: taken again */
    int64_t reported, all; /* steps, of both directions */
    double begun, reported_at, forward_seconds, backward_seconds;
} shot_state;

pav_status shot_derive_one(const shot_state *s, const shot_job *job, bool scaled,
                           adjoint *back, program **forward);

/* shot_stack.c: what was derived of the first becomes the stack of all; and is no
 * more. */
pav_status shot_stack_open(shot_state *s, bool scaled);
void shot_stack_close(shot_state *s);
/* PAV_EUNSUPPORTED, with the reason, where steps of two shots differ in more than
 * positions. */
pav_status shots_alike(const program *a, const program *b);

/* shot_data.c: what goes from the run to its adjoint, under these names. */
#define SHOT_FOLDER "recorded"
pav_status shot_give_traces(shot_state *s);
/* Before the run forwards: whether the data are there, and of these receivers. */
pav_status shot_check_data(const shot_state *s);
/* Of a source whose amounts are a file's. */
pav_status shot_read_wavelet(const program *p, const statement *inject, trace_table *t);
void shot_drop_traces(shot_state *s);

/* nyquist.c: PAV_EVERY_AUTO becomes a number of steps, by the spectra of the sources. */
pav_status every_settle(const program *p, pav_adjoint_options *o);

/* shot_list.c: the shots of a list, each with its own values of params of `p`. */
enum { MOST_SHOT_COLUMNS = 64 };
typedef struct shot_list {
    const program *p;
    const char *data_of_all; /* where the list has no column of data; or NULL */
    char *source;            /* of p */
    char *bytes;
    int columns, data; /* data: the column of paths; -1: none */
    const char *name[MOST_SHOT_COLUMNS];
    int64_t shots, capacity;
    int64_t points; /* of the grid of the first */
    char **cell;    /* of each shot and column; points into bytes */
} shot_list;
pav_status shots_open(const program *p, const char *path, const char *data, shot_list *l);
void shots_close(shot_list *l);
const char *shots_cell(const shot_list *l, int64_t k, int column);
const char *shots_data(const shot_list *l, int64_t k); /* or NULL */
/* "sx=100, deep=1500" */
void shots_values(const shot_list *l, int64_t k, const char *between, text *t);
/* The description of shot k. */
pav_status shots_parse(const shot_list *l, int64_t k, program **result);

/* shot_ranks.c: whether a shot is this rank's; and what all ranks do when they are done
 * with theirs, with what became of them. */
bool shots_own(const pav_adjoint_options *o, int64_t k);
pav_status shots_meet(pav_ranks *ranks, pav_status own);

/* record_shots.c: a shot that is recorded. */
typedef struct recorded_shot {
    int64_t number;
    program *program;
    text directory, mark; /* mark: what shot.txt says */
    bool done;
} recorded_shot;
/* PAV_EUNSUPPORTED where several cannot be computed as one. */
pav_status shots_run(const shot_list *l, recorded_shot *const *s, int64_t count,
                     pav_device *device, const pav_adjoint_options *o);
/* shot_notes.c. To the listener: how many are computed as one; with pav_message(): that
 * so many are not. */
void shots_note_together(const pav_adjoint_options *o, int64_t count);
void shots_note_apart(const pav_adjoint_options *o, pav_status status);

/* survey.c: the shot, or the sum of those that the options list; `end` writes it, and
 * then what was kept of single shots is removed. */
typedef pav_status survey_end(void *user, shot_result *r);
pav_status survey_take(const program *p, pav_device *device, const shot_wish *wish,
                       survey_end *end, void *user, shot_result *result);

/* survey_files.c: path, size and time of a file; of all that the description reads. */
void file_hash(const char *path, hash *h);
pav_status files_hash(const program *p, hash *h);

/* shot_result.c. What the file of a shot's result is called: it is that of this
 * description, these values, the files that it reads as they are, and these data. It has
 * the misfit, then all values. */
pav_status result_name(const shot_wish *wish, const char *data, const program *shot,
                       int64_t k, text *path);
pav_status result_keep(const char *path, const shot_result *r);
/* That an earlier survey left, or another rank; *found is false where there is none. */
pav_status result_take(const char *path, int64_t count, int64_t of_points, shot_result *r,
                       bool *found);

/* deal.c: shots 0 .. shots - 1, taken by the devices of a list, those that `own` names;
 * `take` is called by several threads, with numbers of shots, of each of which it leaves
 * a result; `add` by one at a time and in the order of the shots. */
enum { MOST_TOGETHER = 64 };
typedef struct shot_deal {
    int64_t shots, points; /* points: of each */
    bool (*own)(void *user, int64_t shot);
    pav_status (*take)(void *user, const int64_t *shot, int64_t count, pav_device *device,
                       const pav_adjoint_options *options, shot_result *r);
    pav_status (*add)(void *user, const shot_result *r);
    void *user;
} shot_deal;
pav_status shots_deal(const shot_deal *deal, pav_device *device,
                      const pav_adjoint_options *options);
/* Shots of so many points that fill a large GPU, or threads of a processor; at most
 * MOST_TOGETHER. */
int64_t shots_that_fill(bool on_gpu, int threads, int64_t of_points);

/* gradient.c: into the directory of results; and what is reported of them. */
pav_status result_write(const program *p, const pav_adjoint_options *o, const char *name,
                        double *values);
/* All fields of the grid that nothing updates, NULL-terminated; freed with mem_free. */
const char **coefficients_of(const program *p);
void result_report(const shot_result *r, pav_adjoint_result *result);
#endif
