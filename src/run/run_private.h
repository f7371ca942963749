/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: the state of a run and the parts of the time loop. */
#ifndef RUN_RUN_PRIVATE_H
#define RUN_RUN_PRIVATE_H

#include "run/run.h"

/* Positions of an injection or a sample, with their neighbours and weights worked out: those of
 * position `row` are first[row] .. first[row + 1] - 1. */
typedef struct point_set {
    int64_t count, neighbours, capacity;
    int64_t *first;
    int64_t (*index)[MAX_DIM];
    double *weight;
    double *position; /* dim coordinates each */
} point_set;

/* What follows a step: outputs, samples and measures keep their own record. */
enum { LEADING = 2 }; /* columns of a row before its values: step and t */
typedef struct recorder {
    const statement *statement;
    const ir_event *event; /* a measure's */
    point_set points;      /* a sample's */
    int64_t columns, rows; /* of a sample's or measure's table, so far */
    double *row;           /* the last one */
    table_file *table;     /* or NULL */
    int64_t skipped;       /* columns that the table leaves out */
    int64_t last_step;     /* recorded last; -1 before any */
} recorder;

typedef struct expectation {
    double value, left, right;
} expectation;

/* Runs stages in another way than a stage_runner: with something made ready once for the run. */
typedef struct executor executor;
struct executor {
    pav_status (*stage)(executor *self, const interp_args *args);
    bool (*settled)(const executor *self);
    void (*close)(executor *self);
};

/* What a stage moves, and what the host has: on that the likely manners depend (kernel_manner.c). */
typedef struct kernel_load {
    int64_t point_bytes; /* of all levels that it touches */
    int64_t reach_bytes; /* the same with all planes along z that it reads at once */
    int64_t planes;      /* the most of one level */
} kernel_load;
typedef struct kernel_host {
    int threads;
    int64_t cache, core_cache; /* bytes: of the largest, and of one core's own */
} kernel_host;

enum { MOST_MANNERS = 8 };
typedef struct manners {
    box box; /* that they are for: the first of the stage */
    int threads, axis, count, trials, fastest;
    double begun, seconds[MOST_MANNERS];
    kernel_manner manner[MOST_MANNERS];
} manners;
/* The manner for a call; manners_done after it. */
void manners_next(manners *m, const box *b, const kernel_load *l, const kernel_host *host,
                  kernel_manner *result);
void manners_done(manners *m, const box *b);
bool manners_settled(const manners *m);

/* kernel_run.c. `owned`: the set is closed with the executor. */
pav_status kernels_open(const ir *code, kernel_set *set, bool owned, int64_t number,
                        const kernel_manner *manner, int threads, executor **result);
/* kernel_set.c */
pav_status kernel_head(const program *p, text *t);
emit_kernel *kernel_set_find(const kernel_set *set, int64_t number, int64_t stage);
const char *kernel_set_note(const kernel_set *set);

struct pav_run {
    const program *program;
    pav_run_options options;
    stage_runner runner;
    executor *executor;   /* in place of the runner; or NULL */
    char device_name[64]; /* a copy: the device may be freed before the run */
    ir *code;
    levels *field;      /* of every field of the IR */
    uint64_t *kept;     /* of each field: buffers whose border needs no more filling */
    const view **views; /* all pointers behind `view` */
    const view *const **view; /* [field][1 - level] */
    double **table_memory;    /* from index -margin */
    const double **table;     /* from index 0 */
    double *uniform;
    point_set *injection; /* of every injection of the IR */
    int64_t recorders;
    recorder *recorder;
    expectation *expected; /* of every expect, once checked */
    bool checked, stopped, until_met, started;
    bool *written;       /* fields of the IR that pav_field_write changed */
    int64_t step, steps; /* taken, and to take in all */
    pav_status ended;    /* what the last pav_run_steps or pav_run_finish gave ... */
    char *why;           /* ... and its message */
    int64_t watch_every, watched;
    /* time and work */
    double opened, setup_seconds, seconds, output_seconds;
    int64_t setup_done, setup_points; /* of fields, while a run is set up ... */
    asker setup;                      /* ... by parts that tell this one */
    const char *setup_what, *setup_of;
    double report_at, report_seconds; /* when last told, and `seconds` then */
    int64_t report_step;
    int64_t points; /* of the grid */
    double step_bytes, step_flops;
};

/* memory.c of a run: run_fields.c */
pav_status run_allocate(pav_run *run);
void run_release(pav_run *run);
void run_refresh_views(pav_run *run);
pav_status run_fill_tables(pav_run *run);
/* Initial values, in the order of the IR's start list (run_start.c). */
pav_status run_start(pav_run *run);
int64_t run_start_work(const pav_run *run); /* in points */
/* The path of a file that the description names for reading. */
void run_input_path(const pav_run *run, const char *file, text *t);

/* run_borders.c, run_step.c */
void run_set_time(pav_run *run, int64_t step);
pav_status run_stage(pav_run *run, int stage, const box *where);
pav_status run_list(pav_run *run, const ir_list *list);
/* Fills the border of one level; `step` is the step that level belongs to. */
pav_status run_fill_border(pav_run *run, int field, int level, int64_t step);
/* The same after a step, which leaves a border alone that was filled before and never changes. */
pav_status run_keep_border(pav_run *run, int field, int level, int64_t step);
bool run_point_is_fixed(const pav_run *run, int field, const int64_t *point);
pav_status run_one_step(pav_run *run);

/* run_points.c */
pav_status points_open(const pav_run *run, const statement *s, point_set *set);
void points_close(point_set *set);
pav_status run_inject(pav_run *run, int64_t index);
double points_value(const view *v, const point_set *set, int64_t row);

/* run_events.c, run_output.c, run_rows.c, run_watch.c */
pav_status run_open_recorders(pav_run *run);
void run_close_recorders(pav_run *run);
pav_status run_record(pav_run *run, bool last); /* what is due now */
pav_status run_write_rows(pav_run *run);        /* all rows into their files */
pav_status rows_measure(pav_run *run, recorder *r);
pav_status rows_sample(pav_run *run, recorder *r);
const recorder *run_sample(const pav_run *run, int64_t index); /* or NULL */
int64_t run_samples(const pav_run *run);
pav_status run_event_value(pav_run *run, const ir_event *event, double *value);
pav_status run_check_until(pav_run *run, bool *met);
pav_status run_check_expects(pav_run *run);
pav_status run_watch(pav_run *run);
pav_status output_write(pav_run *run, const statement *s);
pav_status run_path(const pav_run *run, const char *file, int64_t step, text *t);

/* run_record.c holds run_open_recorders and run_close_recorders. */

/* Number of the IR's field behind a symbol. */
int run_field_of(const pav_run *run, const symbol *field);

/* run_report.c */
void run_note(pav_run *run, const char *format, ...) PRINTF_LIKE(2, 3);
void run_tell_progress(pav_run *run, bool force);
/* "filling u", of all points of the set-up `done`: as often as progress is told. PAV_EINTERRUPTED when
 * the listener wants no more. What is told to run->setup from now on is added. */
pav_status run_tell_setup(pav_run *run, const char *what, const char *of, int64_t done);

#endif
