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
    const ir_event *event;  /* a measure's */
    point_set points;       /* a sample's */
    int64_t columns, rows;  /* of a sample's or measure's table, so far */
    double *row;            /* the last one */
    table_file *table;      /* or NULL */
    series *series;         /* an output's, once it is written; or NULL */
    int64_t skipped;        /* columns that the table leaves out */
    int64_t last_step;      /* recorded last; -1 before any */
    int64_t bytes;          /* of the table in the last checkpoint; 0: none */
    struct gpu_sample *far; /* of a sample on a GPU, once taken; or NULL */
} recorder;

typedef struct expectation {
    double value, left, right;
} expectation;

/* How a run keeps its checkpoint. */
typedef struct checkpoint_plan {
    char *path;     /* NULL: it keeps none */
    int64_t every;  /* steps; 0: by time */
    double seconds; /* between two */
    bool keep;      /* what has the name now is good */
    int64_t saved;  /* step of the one there; -1: none of this run's */
    int64_t missed; /* the last step that goes without one; -1: none since `saved` */
    char *why;      /* of that */
    double saved_at, spent;
    int64_t count; /* written */
} checkpoint_plan;

/* Runs stages in another way than a stage_runner: with something made ready once for the run. */
typedef struct executor executor;
struct executor {
    pav_status (*stage)(executor *self, const interp_args *args);
    bool (*settled)(const executor *self);
    const char *(*schedule)(const executor *self);
    void (*close)(executor *self);
};

/* What a stage moves, and what the host has: on that the likely manners depend (kernel_manner.c). */
typedef struct kernel_load {
    int64_t point_bytes; /* of all levels that it touches */
    int64_t reach_bytes; /* the same with all planes along z that it reads at once */
    int64_t planes;      /* the most of one level */
    int64_t element;     /* bytes of the largest */
} kernel_load;
typedef struct kernel_host {
    int threads;
    schedule schedule;
    int64_t cache, core_cache; /* bytes: of the largest, and of one core's own */
} kernel_host;

enum { MOST_MANNERS = 8 };
typedef struct manners {
    box box; /* that they are for: the first of the stage */
    int threads, axis, count, trials, fastest;
    double begun, seconds[MOST_MANNERS];
    kernel_manner manner[MOST_MANNERS];
} manners;
/* Those that are likely to be fastest; and how many calls try them. */
void manners_list(const box *b, const kernel_load *l, const kernel_host *host,
                  manners *m);
int manners_trials(const manners *m);
/* The manner for a call; manners_done after it. */
void manners_next(manners *m, const box *b, const kernel_load *l, const kernel_host *host,
                  kernel_manner *result);
void manners_done(manners *m, const box *b);
/* The most threads that any manner for boxes of so many points takes. */
int manners_threads(int64_t count, int threads);
bool manners_settled(const manners *m);
schedule manners_schedule(
    const manners *m); /* of the fastest; auto while there is none */
/* Leaves only those of a schedule (kernel_schedule.c). */
void schedule_limit(schedule s, manners *m);

/* kernel_load.c. Of a reduction a kernel leaves a value for each piece of a row: the number of the piece
 * that x lies in; how many are of a row, a plane and all of a box; and the most bytes of them that a stage
 * needs. */
int64_t fold_piece(int64_t x);
void fold_sizes(const box *b, int64_t size[MAX_DIM]);
int64_t kernels_fold_bytes(const ir *code);
kernel_load kernel_load_of(const ir *code, const ir_stage *stage, const emit_slot *slot,
                           int64_t slots);
kernel_host kernel_host_of(const pav_run *run);
/* Those that the run will try for a stage; none where the interpreter takes it. */
pav_status kernel_manners(const pav_run *run, const ir_stage *stage, manners *m);

/* kernel_run.c. `owned`: the set is closed with the executor; the team outlives it. */
pav_status kernels_open(const ir *code, kernel_set *set, bool owned, int64_t number,
                        const kernel_manner *manner, kernel_host host, host_team *team,
                        executor **result);
/* kernel_share.c: on so many threads of the team as the manner says. */
void kernel_call(host_team *team, emit_kernel *kernel, const emit_work *w,
                 const kernel_manner *m);
/* kernel_set.c */
pav_status kernel_head(const program *p, const char *machine, text *t);
emit_kernel *kernel_set_find(const kernel_set *set, int64_t number, int64_t stage);
const char *kernel_set_note(const kernel_set *set);

/* A stage on a GPU: the schedule that comes first of those that its first steps try, none where the host runs it; and bytes of
 * all its points, as of emit_gpu_footprint. */
typedef struct gpu_forecast {
    emit_gpu_schedule schedule;
    int tried;
    double bytes;
} gpu_forecast;
typedef struct gpu_pass_forecast {
    emit_gpu_schedule wanted, schedule; /* as asked for; with nothing left to be usual */
    double bytes;                       /* of a point and step */
    int64_t shared;                     /* bytes of a block */
} gpu_pass_forecast;
/* gpu_settled.c. Of a schedule that is wanted, or of those that a run has chosen. */
pav_status gpu_forecast_of(const ir *code, const ir_stage *stage,
                           const emit_gpu_schedule *wanted, gpu_forecast *f);

typedef struct gpurun gpurun;           /* gpu_private.h */
typedef struct time_choice time_choice; /* time_private.h: several steps at once */
typedef struct gpu_sample gpu_sample;   /* gpu_samples.c */

/* stage_call.c: before a kernel of a stage is called. */
bool box_is_empty(const box *b);
bool box_is_same(const box *a, const box *b);
int64_t box_points(const box *b);
/* `checked`: the last box known to be good. */
pav_status stage_fits(const interp_args *args, box *checked);
/* False when a view is missing, or what is stored is also read under another name. */
bool stage_grids(const interp_args *args, const emit_slot *slot, int64_t slots,
                 emit_grid *grid);
pav_status stage_before(const interp_args *args);

struct pav_run {
    const program *program;
    pav_run_options options;
    stage_runner runner;
    executor *executor;   /* in place of the runner; or NULL */
    gpurun *gpu;          /* the executor, where it is a GPU's; or NULL */
    time_choice *several; /* NULL: steps are taken one by one */
    bool compiled;        /* there are kernels for processors, or will be */
    bool rough;           /* as of its opening */
    bool forced;          /* mem_trust is to be taken back */
    bool plain;      /* rows of fields on a GPU have no padding, whatever the schedule */
    host_team *team; /* of the executor; NULL: the caller alone */
    char device_name[64]; /* a copy: the device may be freed before the run */
    ir *code;
    /* The fields, which on a GPU are in its memory: the host reads and writes them through run_host_view. */
    levels *field;      /* of every field of the IR */
    bool passes;        /* a GPU takes several steps in one launch */
    uint64_t *kept;     /* of each field: buffers whose border needs no more filling */
    const view **views; /* all pointers behind `view` */
    const view *const **view; /* [field][1 - level] */
    double **table_memory;    /* from index -margin */
    const double **table;     /* from index 0 */
    double *uniform;
    point_set *injection; /* of every injection of the IR */
    int64_t recorders;
    recorder *recorder;
    writer *writer;        /* of outputs; NULL before the first */
    expectation *expected; /* of every expect, once checked */
    bool checked, stopped, until_met, started;
    bool *written;       /* fields of the IR that pav_field_write changed */
    int64_t step, steps; /* taken, and to take in all */
    int64_t first_step;  /* that of the checkpoint it began with */
    checkpoint_plan checkpoint;
    pav_status ended; /* what the last pav_run_steps or pav_run_finish gave ... */
    char *why;        /* ... and its message */
    int64_t watch_every, watched;
    double watch_seconds; /* spent on looking */
    /* time and work */
    double opened, setup_seconds, seconds, output_seconds;
    int64_t setup_done, setup_points; /* of fields, while a run is set up ... */
    asker setup;                      /* ... by parts that tell this one */
    const char *setup_what, *setup_of;
    double report_at, report_seconds; /* when last told, and `seconds` then */
    int64_t report_step;
    int64_t points; /* of the grid */
    double step_bytes, step_flops;
    double least_bytes;         /* of its equations, when none is in parts */
    double copy_rate;           /* bytes a second, once measured; 0 */
    int64_t peak, process_peak; /* of memory, before that */
};

/* memory.c of a run: run_fields.c */
field_shape run_shape_of(const pav_run *run, const ir_field *f);
int64_t run_table_count(const ir *code, const ir_table *table); /* doubles */
int64_t run_table_bytes(const ir *code);
pav_status run_allocate(pav_run *run);
void run_release(pav_run *run);
void run_refresh_views(pav_run *run);
pav_status run_fill_tables(pav_run *run);
/* Initial values, in the order of the IR's start list (run_start.c). */
pav_status run_start(pav_run *run);
int64_t run_start_work(const pav_run *run); /* in points */
/* The path of a file that the description names for reading. */
void run_input_path(const pav_run *run, const char *file, text *t);

/* gpu_pass.c: buffers of a field, of a run in passes on a GPU or any other. */
int gpu_pass_buffers(const ir_field *f, bool passes);

/* run_borders.c, run_step.c */
void run_set_time(pav_run *run, int64_t step);
pav_status run_stage(pav_run *run, int stage, const box *where);
pav_status run_list(pav_run *run, const ir_list *list);
/* Fills the border of one level; `step` is the step that level belongs to. */
pav_status run_fill_border(pav_run *run, int field, int level, int64_t step);
/* The same after a step, which leaves a border alone that was filled before and never changes. It may wait for
 * others until run_end_borders. */
pav_status run_keep_border(pav_run *run, int field, int level, int64_t step);
pav_status run_end_borders(pav_run *run);
/* Of the borders of all buffers: filled after every step; filled and never changed; still to be filled so. */
typedef enum border_state { BORDER_LIVE, BORDER_KEPT, BORDER_TO_KEEP } border_state;
border_state run_border_state(const pav_run *run, int field);
/* On the host: ghosts that are copies; and the ghosts and given points of a face along its axis. */
void border_copy(const view *v, int axis, int side, border_kind kind, const box *range);
void border_slab(const view *v, int axis, int side, border_kind kind, box *b);
box border_box(const view *v, int axis, int side, border_kind kind); /* all of them */
bool run_ends_are_alike(const pav_run *run, const ir_stage *s);
/* masks_bring first: the host reads the masks. */
pav_status masks_bring(const pav_run *run, int field);
bool run_point_is_fixed(const pav_run *run, int field, const int64_t *point);
pav_status run_one_step(pav_run *run);

/* time_choose.c. Whether steps may share passes; and takes the next of them, at most so many. */
pav_status run_open_several(pav_run *run, const time_shape *fixed);
void run_close_several(pav_run *run);
pav_status run_some_steps(pav_run *run, int64_t most);
bool several_settled(const pav_run *run);
const char *several_schedule(const pav_run *run); /* NULL: of single steps */
/* Lags and trials alone; to be closed by ir_blocking_close. */
pav_status several_plan(const pav_run *run, time_choice *c);
/* Why steps cannot share passes, in `why`; else it stays empty. */
pav_status several_refusal(const pav_run *run, text *why);

/* run_loads.c. What a stage moves and computes in one step, and what all of them do. */
typedef struct stage_load {
    double points, flops; /* flops: of a point */
    double streamed;      /* flops of a walk, that holds what later planes need again */
    double instructions;  /* of those, an fma counted once */
    double bytes;         /* of a point, read and written */
} stage_load;
pav_status stage_load_of(const ir *code, const ir_stage *s, stage_load *load);
pav_status run_count_work(pav_run *run);

/* run.c: all is known of the run, and nothing of the grid's size is taken. */
pav_status run_open_unstarted(const program *p, const pav_device *device,
                              const pav_run_options *options, pav_run **result);
/* How a run is opened: with a runner of stages, a device, or kernels that are there already. */
typedef struct opening {
    stage_runner runner;
    const pav_device *device; /* or NULL */
    const kernel_set *set;    /* or NULL */
    int64_t number;
    const kernel_manner *manner;
    const time_shape *shape; /* of passes; or NULL */
    const gpu_set *gpu;      /* or NULL */
    int64_t planes;
    bool parted; /* its stages are those of ir_part */
    bool passes; /* a GPU's steps are taken several in one launch */
    bool plain;  /* rows of fields on a GPU have no padding */
    bool rough;  /* a GPU is not given values that the host would have to work out */
} opening;

/* run_device.c. `compiles`: its kernels are made, too. Another device may stand in, which `how` names then and the
 * caller frees once the run is open. */
pav_status run_check_options(const pav_run_options *o, const pav_device *device);
pav_status run_open_gpu_side(pav_run *run, opening *how, bool compiles,
                             pav_device **other);
pav_status run_open_executor(pav_run *run, const opening *how);
void run_name_device(pav_run *run, const char *name);
/* Threads, bound as the options say. */
pav_status run_open_team(const pav_run *run, int threads, host_team **team);

/* run_needs.c: refuses a run that needs more memory than is available, unless it is forced. */
pav_status run_check_memory(pav_run *run);

/* run_points.c */
pav_status points_open(const pav_run *run, const statement *s, point_set *set);
void points_close(point_set *set);
/* How many there will be, and bytes that they take at most. */
pav_status points_measure(const pav_run *run, const statement *s, int64_t *count,
                          int64_t *bytes);
pav_status run_inject(pav_run *run, int64_t index);
double points_value(const view *v, const point_set *set, int64_t row);

/* run_events.c, run_output.c, run_rows.c, run_watch.c */
pav_status run_open_recorders(pav_run *run);
void run_close_recorders(pav_run *run);
pav_status run_record(pav_run *run, bool last); /* what is due now */
pav_status run_write_rows(pav_run *run);        /* and outputs: all into their files */
/* Where a sample or measure is written; nothing is added for measures without `into`. */
pav_status rows_path(const pav_run *run, const statement *s, text *path);
pav_status rows_resume(pav_run *run); /* tables of a run that is gone on with */
pav_status rows_measure(pav_run *run, recorder *r);
pav_status rows_sample(pav_run *run, recorder *r);
/* The row as of a step into the table. */
pav_status rows_keep(pav_run *run, recorder *r, int64_t step, double time);
pav_status gpu_sample_flush(pav_run *run, recorder *r);
void gpu_sample_close(recorder *r);
const recorder *run_sample(const pav_run *run, int64_t index); /* or NULL */
int64_t run_samples(const pav_run *run);
pav_status run_event_value(pav_run *run, const ir_event *event, double *value);
pav_status run_check_until(pav_run *run, bool *met);
pav_status run_check_expects(pav_run *run);
pav_status run_watch(pav_run *run);
pav_status run_watch_now(pav_run *run); /* the same, and counts its time (run_loop.c) */
bool run_is_due(const pav_run *run, bool last); /* an output or a measure */
bool run_output_is_due(const pav_run *run, bool last);
/* What an output shows and where it is written; no points, strides or time yet. */
io_frame output_frame(const pav_run *run, const statement *s);
pav_status output_path(const pav_run *run, const statement *s, text *t);
/* What the output needs is there; nothing is written yet. */
pav_status output_open(const pav_run *run, recorder *r);
/* Hands the output to the writer; a failure may be that of an earlier one. */
pav_status output_write(pav_run *run, recorder *r);
void output_tell(pav_run *run);       /* of the files written since this was last asked */
pav_status output_wait(pav_run *run); /* until all outputs are files */
/* Where the description's file is written. */
pav_status run_path(const pav_run *run, const char *file, text *t);

/* run_record.c holds run_open_recorders and run_close_recorders. */

/* A run on the interpreter, whatever devices there are. */
pav_status run_open_interpreted(const program *p, const pav_run_options *options,
                                pav_run **run);

/* Number of the IR's field behind a symbol. */
int run_field_of(const pav_run *run, const symbol *field);

/* run_report.c: "cpu, 2 threads", "cuda:0 (NVIDIA H200)". */
void run_device_words(const pav_run *run, int threads, text *t);
/* run_loop.c: what was asked of a GPU is done, and its time is that of steps. */
pav_status run_settle(pav_run *run);

/* run_figures.c */
int run_threads(const pav_run *run); /* as many as it has work for */
/* Bytes a second at which a team copies memory, of a few passes. */
typedef struct copy_rate {
    double usual, best;
} copy_rate;
pav_status run_copy_rate(host_team *team, copy_rate *result);
/* Of the memory that the run's fields are in. */
pav_status run_measure_copy(const pav_run *run, host_team *team, copy_rate *result);
typedef struct figures {
    double gpts, gpts_all, gbytes, gflops; /* 1e9 a second; all: with set-up and output */
    double bytes_per_point, flops_per_point;
    double copy_gbytes, percent; /* 0 where not measured */
    int64_t memory, process, device_memory;
    int threads;
} figures;
figures run_figures(pav_run *run);

/* run_report.c, run_report_json.c */
void report_json(pav_run *run, text *t);
bool run_has_failed(const pav_run *run);
const char *run_state(const pav_run *run);
void run_note(pav_run *run, const char *format, ...) PRINTF_LIKE(2, 3);
void run_warn(pav_run *run, const char *format, ...) PRINTF_LIKE(2, 3);
void run_tell_progress(pav_run *run, bool force);
/* "filling u", of all points of the set-up `done`: as often as progress is told. PAV_EINTERRUPTED when
 * the listener wants no more. What is told to run->setup from now on is added. */
pav_status run_tell_setup(pav_run *run, const char *what, const char *of, int64_t done);

/* ---- checkpoints -------------------------------------------------------------------------- */

/* All that a later process needs to go on with the same bits:
 *
 *     prefix   "PAVCHKPT", 0x01020304, version of the format, bytes of the head, hash of both
 *     head     the program, the step, uniforms, shapes of the fields, state of the recorders
 *     data     of each field, newest level first: its points, dense, x fastest, as they are stored;
 *              then, where a border cannot be worked out again, its ghosts face by face
 *     sum      of everything before it
 *
 * Nothing in it depends on device, threads, schedule or padding. */

/* checkpoint_stream.c */
enum {
    LANES = 4,
    STREAM_BUFFER = 1 << 20 /* bytes; a multiple of SUM_BLOCK */
};
typedef struct stream {
    const char *path;
    char *part; /* the name while it is written */
    int file;
    char *buffer;
    int64_t used, held, left; /* of the buffer; of the file, before the sum */
    uint64_t lane[LANES];
    int64_t length; /* summed so far */
    int64_t whole;  /* bytes that the file will have; 0: unknown */
} stream;
pav_status stream_create(stream *s, const char *path);
pav_status stream_put(stream *s, const void *bytes, int64_t length);
/* `keep`: what has the name now is good, and becomes FILE.old. */
pav_status stream_finish(stream *s, bool keep);
/* Damage is PAV_EFORMAT, no file PAV_EIO. */
pav_status stream_open(stream *s, const char *path);
pav_status stream_get(stream *s, void *bytes, int64_t length);
int64_t stream_left(const stream *s); /* bytes before the sum */
pav_status stream_check(stream *s);
void stream_close(
    stream *s); /* without stream_finish nothing stays of what was written */

/* checkpoint_sum.c: of what is put or got so far; only the last piece may end within a block. */
enum { SUM_BLOCK = LANES * 8 }; /* bytes */
void sum_add(stream *s, const char *bytes, int64_t length);
uint64_t sum_end(const stream *s);

/* checkpoint_identity.c */
void identity_add(const pav_run *run,
                  text *t); /* its statements, as far as they change values */
int64_t identity_positions(const pav_run *run); /* a hash: their files may have changed */
/* PAV_EINVAL, with what differs, where `theirs` is not what identity_add appends. */
pav_status identity_check(const pav_run *run, const char *path, const char *theirs);

/* checkpoint_head.c */
typedef struct checkpoint_head {
    const char *path;
    int64_t step;
} checkpoint_head;
pav_status head_write(const pav_run *run, text *t);
/* Whether the run is of the same program: PAV_EINVAL, with what differs; then what it tells is taken
 * over. */
pav_status head_check(const pav_run *run, const char *bytes, int64_t length,
                      checkpoint_head *h);
void head_take(pav_run *run, const char *bytes, int64_t length);

/* checkpoint_data.c */
pav_status data_write(const pav_run *run, stream *s);
pav_status data_read(pav_run *run, stream *s);
int64_t data_bytes(const pav_run *run);
/* Borders that were not kept, of levels that belong to steps up to `step`. */
pav_status data_fill_borders(pav_run *run, int64_t step);

/* checkpoint_plan.c, checkpoint.c, checkpoint_due.c */
pav_status checkpoint_find(pav_run *run); /* where it is kept and how often */
pav_status checkpoint_open(pav_run *run); /* that it can be written there */
void checkpoint_close(pav_run *run);
pav_status checkpoint_write(pav_run *run, const char *path);
pav_status checkpoint_after_step(
    pav_run *run); /* when one is due; what goes wrong is told */
/* The last one of a run that keeps one, unless it is there: before what is due at the end. */
pav_status checkpoint_at_end(pav_run *run);
/* PAV_EIO where that of the last step could not be written, which a note has told, too. */
pav_status checkpoint_check_last(const pav_run *run);
/* In place of run_start. */
pav_status checkpoint_restart(pav_run *run);

/* ---- before a run ------------------------------------------------------------------------- */

/* What a run takes of every store that keeps bytes, told before any of it is taken. A store is the memory of
 * the host or a file system; the memory of another device is one more line here. */
typedef enum need_kind {
    NEED_FIELD,
    NEED_COPIES,
    NEED_TABLES,
    NEED_REDUCTIONS,
    NEED_CHECKPOINT,
    NEED_POSITIONS,
    NEED_READING,
    NEED_WRITING,
    NEED_QUEUE,
    NEED_OUTPUT,
    NEED_ROWS,
} need_kind;
typedef enum need_surety {
    NEED_SURE, /* so many bytes */
    NEED_AT_MOST,
    NEED_SPARE, /* taken of what is left, and done without where nothing is */
} need_surety;

typedef struct need_item {
    need_kind kind;
    need_surety surety;
    int store;
    char *name; /* of a field, a file; or NULL */
    int64_t bytes;
    int64_t count;    /* levels, tables, positions, files, rows */
    levels_size size; /* of a field */
    const ir_field *field;
} need_item;

/* The host's memory is the first, that of a GPU the second where there is one; those behind it are file systems. */
enum { STORE_HOST, STORE_GPU };
typedef enum need_tier { TIER_HOST, TIER_GPU, TIER_DISK } need_tier;
typedef struct need_store {
    need_tier tier;
    char *name; /* of a file system: a directory on it; of a GPU: its; of the host NULL */
    uint64_t which;     /* file system */
    int64_t available;  /* -1: unknown */
    int64_t sure, most; /* bytes needed; most: with those at most */
} need_store;

typedef struct needs {
    int64_t items, stores;
    need_item *item;
    need_store *store;
} needs;

/* run_needs.c */
const char *need_name(need_kind kind); /* "field", "tables", ... */
/* Fields, tables, values of reductions, the buffer of checkpoints: all that is of some size for sure. */
pav_status needs_memory(const pav_run *run, needs *n);
/* `name` is copied. */
pav_status needs_add(needs *n, const need_item *what, const char *name);
/* The number of the file system that a path is on, or would be. */
pav_status needs_find_disk(needs *n, const char *path, int *store);
void needs_free(needs *n);

/* run_needs_files.c: files that are read and written, on disks and what they take of memory. */
pav_status needs_files(const pav_run *run, needs *n);

/* run_refusal.c: the sentence of a run that needs more memory than is available. */
pav_status run_refuse_memory(const pav_run *run, const need_store *store);
/* The same where a store of memory does not hold what is sure; PAV_OK where they do. */
pav_status needs_fit(const pav_run *run, const needs *n);

/* ---- plans -------------------------------------------------------------------------------- */

typedef struct plan_stage {
    const ir_stage *stage;
    stage_load load;
    manners manners; /* of the host */
    gpu_forecast gpu;
    double seconds; /* at least; 0 where all may stay in caches */
} plan_stage;

struct pav_plan {
    pav_run *run; /* not begun */
    needs needs;
    int64_t stages, caches; /* caches: bytes of those that the threads use */
    plan_stage *stage;
    time_choice *passes; /* NULL: the device takes single steps */
    char *single;        /* why it must; or NULL */
    int launches;        /* of several steps, on a GPU, that are likely */
    gpu_pass_forecast launch[EMIT_GPU_PASSES];
    double copy_rate;    /* bytes a second; 0: not known */
    bool measured;
    double seconds; /* of a step */
    pav_status verdict;
    char *why; /* or NULL */
};

bool plan_is_cached(const pav_plan *plan); /* all that a step moves may stay in caches */
/* run_plan_text.c, run_plan_json.c */
void plan_text(const pav_plan *plan, text *t);
/* run_plan_passes.c: of several steps at once. */
pav_status plan_passes(pav_plan *plan);
void plan_passes_close(pav_plan *plan);
void plan_passes_text(const pav_plan *plan, text *t);
void plan_passes_json(const pav_plan *plan, text *t);
/* gpu_plan.c: the same on a GPU. */
pav_status gpu_plan_passes(pav_plan *plan);
void gpu_plan_text(const pav_plan *plan, text *t);
void gpu_plan_json(const pav_plan *plan, text *t);
void plan_json(const pav_plan *plan, text *t);

#endif
