/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run only: the state of a run and the parts of the time loop. */
#ifndef RUN_RUN_PRIVATE_H
#define RUN_RUN_PRIVATE_H

#include "run/run.h"
#include "solve/solve.h"
#include "wisdom/wisdom.h"

/* What follows a step: outputs, samples and measures keep their own record. */
enum { LEADING = 2 }; /* columns of a row before its values: step and t */
typedef struct recorder {
    const statement *statement;
    const ir_event *event; /* a measure's */
    point_set points;      /* a sample's */
    int64_t columns,
        rows;    /* of a table: in its file; of an output: frames that were written */
    double *row; /* the last one ... */
    bool taken;  /* ... once there is one */
    double
        end; /* a measure at the end of a run whose last row is of an earlier step ... */
    int64_t end_step;  /* ... and that step; -1: none */
    table_file *table; /* or NULL */
    series *series;    /* an output's, once it is written; or NULL */
    int64_t skipped;   /* columns that the table leaves out */
    int64_t last_step; /* recorded last; -1 before any */
    int64_t bytes;     /* of the table or film in the last checkpoint; 0: none */
    text kept;         /* all rows, in runs for checks */
    /* of a part of a sample of expressions: rows, of which `used` bytes ... */
    text waiting;
    int64_t used;         /* ... are put together with those of the other parts */
    double *forms;        /* of a sample of expressions: of each form at each position */
    trace_gather *gather; /* a file of all rows; or NULL */
    text title;
    double *place; /* of each of its columns */
    char letters[MAX_DIM + 1];
    pav_run *run;    /* that it is of, and ... */
    sampler sampler; /* a sample's */
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
    bool outdated;  /* files began anew that the last one counts otherwise */
    bool waits;     /* one is due once the oldest levels are there */
    int64_t saved;  /* step of the one there; -1: none of this run's */
    int64_t missed; /* the last step that goes without one; -1: none since `saved` */
    char *why;      /* of that */
    double saved_at, spent;
    int64_t count; /* written */
} checkpoint_plan;

/* What is known of the time that a run may take (time_limit.c). */
typedef struct time_limit {
    double checked_at, longest; /* the last check; between two of them */
    bool over;                  /* little of it is left */
} time_limit;

/* How a run takes its steps, as wisdom or tuning has it (choice/): `several` of them at
 * once, AUTO: one by one; and each stage of single steps; NONE: the default there. */
enum { CHOICE_STAGES = 24 };
typedef struct run_choice {
    bool is_wisdom;         /* else of who opened the run */
    bool is_hint;           /* of another size: tried first */
    double gpts;            /* of wisdom, as it was measured; */
    bool doubted;           /* that was compared with the run's own */
    char name[WISDOM_NAME]; /* of what it was measured of */
    schedule several;
    int stages; /* 0: defaults for all */
    schedule stage[CHOICE_STAGES];
    char words[WISDOM_SCHEDULE];
} run_choice;

typedef struct time_choice time_choice; /* time_private.h: several steps at once */

/* What is known of its schedules. */
typedef struct run_known {
    run_choice *choice;   /* or NULL */
    wisdom_line *problem; /* the key of what is known of it; NULL: nothing is to be */
} run_known;

/* How the grid is cut into subdomains, and which place or rank has which. */
typedef struct run_cutting {
    bool is_cut;
    decomposition boxes;
    int *order;    /* the place, or rank, of each group of boxes; NULL: as listed */
    double *share; /* weights of places, or ranks; NULL: they are equal */
    char *hybrid;  /* how the weights were found, for the plan; or NULL */
    /* What each plane across an axis costs where masks leave points alone (mask_loads.c);
     * NULL: all the same; the share of points that compute; masks that are not known
     * before fields are filled. */
    double *load[MAX_DIM], computed_share;
    bool unknown_mask;
    int exchange_every;        /* as the model chose; 0: it was not asked */
    double exchange;           /* seconds of one a step, by the model */
    struct launches *launches; /* of several steps within subdomains; or NULL */
} run_cutting;

/* Several steps at once on processors. */
typedef struct run_blocking {
    time_choice *tiles;        /* NULL: steps are taken one by one */
    struct async_tiles *async; /* of blocks that do not wait; or NULL ... */
    const char *no_async;      /* ... and why they do, in a program that is chaotic */
    block_count count;         /* of time blocks so far */
} run_blocking;

/* An equation that it solves, and those within its step. */
typedef struct run_solving {
    solution solution; /* of an equation to solve: the run's program is its own */
    double *residual;  /* norms, of the start and of each observation since */
    int64_t residuals, residual_room;
    const pav_run *outer;       /* that it solves an equation of; or NULL */
    struct step_solver *within; /* of equations within its step; or NULL */
    pav_status (*before_stage)(pav_run *run, int stage); /* solves them; or NULL */
} run_solving;

/* Threads. */
typedef struct run_teams {
    host_team *all;   /* of the executor; NULL: the caller alone */
    host_team **part; /* of subdomains that compute at the same time, or NULL; */
    int parts;        /* so many, each with a part of the threads */
} run_teams;

/* What its opening said, or found. */
typedef struct run_opened {
    bool of_size;              /* what a bundle has for its own size serves it */
    bool rough;                /* as of its opening */
    bool forced;               /* mem_trust is to be taken back */
    const given_traces *given; /* while it is opened; or NULL */
    const pav_run *lender;     /* whose threads and GPUs it has, too; or NULL */
} run_opened;

/* What observers keep, after a step or between observations. */
typedef struct run_observers {
    int64_t recorders;
    recorder *recorder;
    writer *writer;        /* of outputs; NULL before the first */
    expectation *expected; /* of every expect, once checked */
    bool checked;
    bool keeps_rows;   /* for checks, and for who asked */
    bool ranks_gather; /* outputs: not all see the directory */
    bool until_holds,
        until_fails; /* some of `until` after the last of all steps, or none */
    int64_t nan_check_every, nan_checked; /* the latter: the step of the last check */
    double nan_check_seconds;             /* spent on checks */
} run_observers;

/* How far it is. */
typedef struct run_progress {
    bool started, stopped, until_met;
    bool entered;     /* a caller takes steps: the listener cannot, too */
    unsigned agreed;  /* what ranks wished for after the last step */
    pav_status ended; /* what the last pav_run_steps or pav_run_finish gave ... */
    char *why;        /* ... and its message */
} run_progress;

/* While fields are filled. */
typedef struct run_setup {
    bool *written;        /* fields of the IR that pav_field_write changed */
    int64_t done, points; /* of fields ... */
    progress_sink sink;   /* ... by parts that report to this one */
    const char *what, *of;
} run_setup;

/* Where its time went, in seconds; and the last report of its progress. */
typedef struct run_times {
    double opened, setup, steps, output;
    double report_at, report_steps; /* and `steps` then */
    int64_t report_step;
} run_times;

/* Of a step: what it computes and moves; and what was measured for the report. */
typedef struct run_work {
    int64_t points; /* of the grid */
    double step_bytes, step_flops;
    double least_bytes;         /* of its equations, when none is in parts */
    double copy_rate;           /* bytes a second, once measured; 0 */
    int64_t peak, process_peak; /* of memory, before that */
} run_work;

struct pav_run {
    exec_client client; /* as its executors see it (run_client.c) */
    const program *program;
    ir *code; /* of the whole grid */
    pav_run_options options;
    run_opened opened;
    subdomain *part;   /* the whole grid, at one place or cut into subdomains */
    exec_place *place; /* devices of the list, or the only one */
    int places;
    char device_name[64]; /* a copy: the device may be freed before the run */
    bool compiled;        /* there are kernels for processors, or will be */
    run_teams team;
    run_cutting cut;
    schedule schedule; /* as the options ask for it, or wisdom knows it */
    run_known known;
    run_blocking blocks;
    struct outofcore *outofcore; /* visits of a window; or NULL */
    run_solving solver;
    run_observers observers;
    run_progress progress;
    int64_t steps;      /* to take in all */
    int64_t first_step; /* that of the checkpoint it began with */
    checkpoint_plan checkpoint;
    time_limit limit;
    run_setup setup;
    run_times seconds;
    run_work work;
};

/* How a run is opened: with a runner of stages, a device, or kernels that are there
 * already. */
typedef struct opening {
    stage_runner runner;
    const pav_device *device; /* or NULL */
    const kernel_set *set;    /* or NULL */
    int64_t number;
    const schedule *loop;   /* or NULL */
    const schedule *time;   /* of time blocks; or NULL */
    const place_set *there; /* kernels for a device's own memory; or NULL */
    int64_t planes;
    const decomposition *cut; /* of the grid; NULL: as the options say */
    int every;                /* steps from exchange to exchange; 0: as the options say */
    const outofcore_request *visits; /* the same */
    bool split;                      /* its stages are those of ir_split_stages */
    bool fuses_steps;                /* a GPU's steps may be fused */
    bool plain;                      /* rows of fields on a GPU have no padding */
    const pav_run *within;           /* an equation of its step is solved, whose ... */
    const solution *solution;        /* ... program is this one's; or NULL */
    bool rough; /* a GPU is not given values that the host would have to work out */
    const char *choice; /* words of a choice; or NULL */
    bool unwise;        /* wisdom is not asked */
    bool of_size;       /* kernels of a bundle are of this grid's size alone */
    const struct trial_runs *trials; /* of its own; NULL: it is not to make any */
    const given_traces *given;       /* or NULL */
    const pav_run *lender;           /* or NULL */
} opening;

/* How a run makes others to measure them, before its first step. */
typedef struct trial_runs {
    pav_status (*open)(const program *p, const pav_device *device,
                       const pav_run_options *options, pav_run **run);
    void (*close)(pav_run *run);
} trial_runs;

/* step_solvers.c: equations that are solved within a step. */
typedef struct step_solver {
    const solution *solution;
    pav_run *run;                           /* whose steps solve it */
    int stage;                              /* of the step, before which it is solved */
    int field;                              /* of the step: has the solution */
    int from[MOST_HANDED], to[MOST_HANDED]; /* fields handed over: of the step, its own */
    int64_t solutions, steps, most;         /* so far: steps of all, and of one at most */
} step_solver;
/* open: of run.c, which closes what it opened. */
typedef pav_status run_opener(const opening *how, const pav_run_options *options,
                              pav_run **run);
pav_status step_solvers_open(pav_run *run, const opening *how, run_opener *open);

/* choice/choice.c: what is known of the run is taken, and what is to be remembered of it
 * later; the schedule of a stage of single steps, or NULL; whether single steps are all
 * that is requested; " (from wisdom)", or nothing. */
pav_status run_find_choice(pav_run *run, const opening *how);
void run_drop_choice(pav_run *run);
const schedule *run_choice_of_stage(const pav_run *run, int64_t stage);
bool run_is_single(const pav_run *run);
void run_choice_text(const pav_run *run, text *t);
/* choice/choice_words.c: what a run goes by, in words that ask for it again, and back. */
pav_status run_choice_words(const pav_run *run, text *t);
pav_status run_choice_parse(const pav_run *run, const char *words, schedule_place on,
                            run_choice *c);
/* bundle/bundle.c: whether it is of this program and device; and its schedule. */
bool run_serves_sizes(const pav_run *run); /* run.c */
pav_status bundle_check(const pav_bundle *b, const pav_device *device);
const char *bundle_schedule(const pav_bundle *b);
/* Whether it has kernels of the grid's size alone; and a note of what it costs that it
 * has not. */
bool bundle_is_of_size(const pav_bundle *b, const pav_run *run);
void bundle_note_size(const pav_bundle *b, const exec_client *client);
/* choice/choice_learn.c: whether a run is as fast as wisdom says, said once; what a long
 * run has found out is remembered; PAV_OK where nothing is. */
void run_doubt_choice(pav_run *run);
void run_learn(pav_run *run);
pav_status run_remember(const pav_run *run, const char *words, double gpts,
                        wisdom_effort effort, bool *taken);

/* run_shape.c: of a field's memory. */
field_shape run_shape_of(const pav_run *run, const ir_field *f);
/* The most planes, `most` at most, whose fields take no more bytes than the limit. */
typedef bool planes_bytes(const pav_run *run, int64_t planes, int64_t *bytes);
int64_t run_most_planes(const pav_run *run, planes_bytes *of, int64_t most,
                        int64_t limit);
/* Bytes of all fields, each of the shape that so many planes of it have; false: more than
 * 64 bits can say. */
typedef field_shape planes_shape(const pav_run *run, const ir_field *f, int64_t planes);
bool run_fields_bytes(const pav_run *run, planes_shape *of, int64_t planes,
                      int64_t *bytes);
/* Finds the strides that the host's kernels count on, once it is known what the grid is
 * cut into. */
void run_fix_strides(pav_run *run);
/* run_fields.c: the memory itself. */
pav_status run_allocate(pav_run *run);
void run_release(pav_run *run);
pav_status run_fill_tables(pav_run *run);
/* Initial values, in the order of the IR's start list (run_start.c). */
pav_status run_start(pav_run *run);
/* Again, once fields were given values (run->setup.written), which they keep. */
pav_status run_start_given(pav_run *run);
int64_t run_start_work(const pav_run *run); /* in points */
/* The path of a file that the description names for reading. */
void run_input_path(const pav_run *run, const char *file, text *t);
/* The field's values, from its file. */
pav_status run_read_file(const pav_run *run, const ir_field *f, const view *v,
                         progress_sink *a);

/* run_step.c */
pav_status run_list(pav_run *run, const ir_list *list);
pav_status run_one_step(pav_run *run);
/* run_loop.c: unless `until` holds before */
pav_status run_take_steps(pav_run *run, int64_t steps);

/* time_limit.c: refuses a limit that cannot be kept; and stops a run that comes near
 * it. */
pav_status time_limit_check(const pav_run *run);
pav_status time_limit_observe(pav_run *run);
/* Stops a run that would come near its limit within so many seconds. */
void time_limit_within(pav_run *run, double seconds);

/* time_chaotic.c: where the description permits it, and the run's schedule is free. */
pav_status async_open(pav_run *run);
void async_close(pav_run *run);
pav_status async_steps(pav_run *run, int64_t most, bool *done);

/* time_choose.c. Whether steps may share time blocks; and takes the next of them, at
 * most so many. */
pav_status run_open_temporal(pav_run *run, const schedule *fixed);
void run_close_temporal(pav_run *run);
pav_status run_some_steps(pav_run *run, int64_t most);
const char *outofcore_tiles(const pav_run *run);   /* schedule of visits; or NULL */
void run_count_block(pav_run *run, int64_t steps); /* one that was taken */
bool temporal_is_tuned(const pav_run *run);
bool temporal_borders_are_kept(const pav_run *run); /* those that are to be */
const char *temporal_schedule(const pav_run *run);  /* NULL: of single steps */
int temporal_depth(const pav_run *run); /* of the next block; 1: a single step */
double temporal_bytes(
    const pav_run *run); /* of its step, by the model; 0: a single one */
/* Skews and trials alone; to be closed by ir_blocking_close. */
pav_status temporal_plan(const pav_run *run, time_choice *c);
/* Why steps cannot share blocks, in `why`; else it stays empty. */
pav_status temporal_refusal(const pav_run *run, text *why);
/* Refuses a run of which they were asked for then; and one of whose tiles no cache holds
 * any (time_fit.c). */
pav_status temporal_check(const pav_run *run);
pav_status temporal_fit(const pav_run *run, const time_choice *c);
/* run_observers.c: adds what observes the fields more often than every `least` steps, or
 * that the run has fewer; steps from one observation to the next, or all that are left;
 * 0: no end is known. */
void run_list_observers(const pav_run *run, int64_t least, text *why);
int64_t run_steps_to_observer(const pav_run *run);
int64_t run_steps_between_observations(
    const pav_run *run); /* however long it is; 0: none */

pav_status run_count_work(pav_run *run); /* run_loads.c */

/* run.c: all is known of the run, and nothing of the grid's size is taken. */
pav_status run_open_unstarted(const program *p, const pav_device *device,
                              const pav_run_options *options, pav_run **result);

/* As pav_run_open, with kernels that are recorded for a grid of its size alone. */
pav_status run_open_of_size(const program *p, const pav_device *device,
                            const pav_run_options *options, pav_run **run);
/* The same begun, by a choice in words. */
pav_status run_open_chosen(const program *p, const pav_device *device,
                           const pav_run_options *options, const char *choice, bool rough,
                           pav_run **run);
/* run_timing.c: for so many seconds, once all is tried: those of a step, the
 * least; 0 or as before: none was timed. */
pav_status run_time_steps(pav_run *run, double seconds, double *least);
/* run_verify.c: so many steps of both, whose bits are compared. */
pav_status run_verify_pair(pav_run *run, pav_run *reference, int64_t steps);
/* The interpreter's run that runs of these options are compared with: never cut, never
 * out of core. */
pav_status run_open_reference(const program *p, const pav_run_options *options,
                              pav_run **run);

/* run_device.c: checks options that name something, and takes the schedule of such a
 * device. */
pav_status run_take_options(pav_run *run, const pav_device *device);
/* `compiles`: kernels are made, too. Another device may stand in, which `how` names then
 * and the caller frees once the run is open. */
pav_status run_open_places(pav_run *run, opening *how, bool compiles, pav_device **other);
pav_status run_open_executor(pav_run *run, const opening *how);
/* run_subdomains.c: the grid is cut, where that was asked for; and the executors of its
 * subdomains become one. */
pav_status run_cut(pav_run *run, const opening *how);
pav_status run_join(pav_run *run);
void run_uncut(pav_run *run);
/* run_places.c: the places of a run and their weights. Where unequal ones do not pay,
 * *how is with the best of them from then on. */
pav_status places_find(pav_run *run, opening *how);
/* run_hybrid.c: weights of unequal places; given ones are what their memory holds. */
pav_status hybrid_weigh(pav_run *run, opening *how);
pav_status hybrid_check(pav_run *run);
void places_close(pav_run *run);
/* outofcore/: a grid that the device's memory does not hold. Whether it is one, before
 * any device is opened (given: NULL: as the options say); how it is visited, once there
 * is one; the window, once the fields are filled; the next steps, at most so many. */
typedef struct outofcore outofcore;
pav_status outofcore_find(pav_run *run, const outofcore_request *given);
pav_status outofcore_begin(pav_run *run, const outofcore_request *r); /* it is one */
bool outofcore_may_be(const pav_run *run); /* nothing in the program is against it */
pav_status outofcore_plan(pav_run *run);
pav_status outofcore_open_window(pav_run *run); /* nothing in another run */
pav_status outofcore_steps(pav_run *run, int64_t most);
/* A stage of a single step, which is no visit in another run. */
pav_status outofcore_stage(pav_run *run, int stage);
bool outofcore_is_behind(const pav_run *run); /* as of executor_figures */
/* Fails where fields are of no step: visits of a block go on, or failed. */
pav_status outofcore_check_whole(const pav_run *run);
pav_status outofcore_settle(pav_run *run); /* the store is that of the present step */
/* Where one is asked for: an empty one at the start, and all at the end. */
pav_status outofcore_begin_timeline(const pav_run *run);
pav_status outofcore_write_timeline(const pav_run *run);
void outofcore_close(pav_run *run);
/* Its store is in files; the memory of a field, which is mapped from there. */
pav_status outofcore_check_store(const pav_run *run); /* the host could read it */
bool outofcore_is_on_disk(const pav_run *run);
pav_status outofcore_take_field(pav_run *run, int64_t field);
void outofcore_written(const pav_run *run); /* fields, by the caller */
/* Planes of its window, and their bytes; false: too many. */
bool outofcore_window_bytes(const pav_run *run, int64_t *planes, int64_t *bytes);
int64_t outofcore_device_bytes(const pav_run *run);
void outofcore_report_text(const pav_run *run, text *t); /* nothing of another run */
void outofcore_report_json(const pav_run *run, text *t);
/* run_find_launch.c: a fused launch over some planes, of a visit or of a subdomain. */
typedef struct launch_request {
    const ir_blocking *blocking;
    int axis;
    int64_t depth; /* steps that are asked for; 0: those that suit; 1: single ones */
    int most;      /* steps at most; 0: any */
    bool injects;  /* sources may be within it, */
    bool samples;  /* and receivers */
    bool goes_on;  /* as of place_visit, where the axis wraps around */
    bool by_model; /* whether it is worth compiling is the caller's question */
    const schedule *given; /* by a check; NULL: as the run's options ask */
    const char *where;     /* "out of core" */
} launch_request;
typedef struct visit_launch {
    int depth;            /* steps; 1: there are none ... */
    char why_single[240]; /* ... for this reason; empty: nobody asked for one */
    int radius;           /* planes around its own that it reads, */
    int ahead;            /* and that it prefetches */
    int lag;              /* more planes of coefficients, for what is computed in vain */
    schedule launch;
} visit_launch;
pav_status run_find_launch(const pav_run *run, const launch_request *r, visit_launch *l);
/* run_launches.c: such launches within subdomains: what they are, once GPUs are open;
 * made; the next steps, at most so many, where there are any; for plans and reports. */
pav_status launches_find(pav_run *run, const opening *how);
pav_status launches_make(pav_run *run);
pav_status launches_steps(pav_run *run, int64_t most, bool *done);
void launches_close(pav_run *run);
int launches_depth(const pav_run *run); /* 1: there are none */
pav_status launches_leave(pav_run *run, const char *why);
/* choose_exchange.c: after how many steps halos are exchanged, where nobody said it. Once
 * places are open; of ranks all call it. */
pav_status run_choose_exchange(pav_run *run, const opening *how);
/* run_subdomains.c: whose points lie beyond a face of subdomain n; -1: nobody's. */
int64_t run_neighbour(const pav_run *run, int64_t n, int axis, int side);
void launches_text(const pav_run *run, text *t);
/* choose_exchange.c: of each face of each box, [box * 2 * MAX_DIM + 2 * axis + side]: the
 * box that halos come from, or -1, with how many messages and bytes an exchange, and the
 * seconds that these take by the model; of ranks their messages are measured. */
typedef struct exchange_cost {
    int64_t from, messages, bytes;
    double seconds;
} exchange_cost;
pav_status run_exchange_costs(const pav_run *run, exchange_cost *cost);
bool run_wraps(const ir *code, int axis); /* some field does */
/* choose_places.c: the places of all ranks; the place of each group, where groups
 * exchange so many bytes [a*places + b] and links are so fast; the same of a run that is
 * cut; the group of box n, and its place, or rank. */
int places_count(const pav_run *run);
void run_order_places(int places, const double *bytes, const halo_cost *between,
                      int *order);
pav_status run_find_order(pav_run *run);
int run_group_of(const pav_run *run, int64_t n);
int run_place_of(const pav_run *run, int64_t n);
pav_status run_find_loads(pav_run *run); /* mask_loads.c */
void run_close_loads(pav_run *run);
/* choose_parts.c: along each axis, for as few bytes as possible to exchange. */
pav_status run_choose_parts(const ir *code, int64_t count, int64_t *parts);
void run_close_team(pav_run *run);
void run_name_device(pav_run *run, const char *name);
/* Threads, bound as the options say. */
pav_status run_open_team(const pav_run *run, int threads, host_team **team);

/* run_needs.c: refuses a run that needs more memory than is available, unless it is
 * forced. */
pav_status run_check_memory(pav_run *run);

/* run_points.c */
pav_status points_open(const pav_run *run, const statement *s, point_set *set);
void points_close(point_set *set);
/* The rows of a file of positions, freed with mem_free. */
pav_status points_read(const pav_run *run, const statement *s, double **rows,
                       int64_t *count);
/* How many there will be, and bytes that they take at most. */
pav_status points_measure(const pav_run *run, const statement *s, int64_t *count,
                          int64_t *bytes);
pav_status run_inject(pav_run *run, int64_t index);

/* run_solver.c: of an equation to solve, at the start, after `until` was asked, and when
 * all steps are taken; PAV_ECONVERGE says why it does not go on. */
pav_status solver_begin(pav_run *run);
bool solver_owns(const pav_run *run, const char *param); /* of a derived description */
pav_status solver_not_finite(const pav_run *run);
/* Steps that a run will take, as far as is known: cycles of a solver are fewer than it
 * may take. */
/* Those that remain; of an equation those to its tolerance, as its residual falls,
 * -1 while it does not. */
double solver_steps_left(const pav_run *run);
int64_t solver_expected_steps(const pav_run *run);
pav_status solver_observe(pav_run *run, const ir_event *event, bool met);
pav_status solver_end(const pav_run *run);
void solver_text(const pav_run *run, text *t);
void solver_json(const pav_run *run, text *t);

/* run_wave_limit.c: warns of a step that is too long for a wave equation, and of waves of
 * too few points. */
pav_status run_check_wave(pav_run *run);
/* What it allows; least, most: of each field of the program. */
pav_status run_wave_limit(pav_run *run, double *least, double *most, wave_limit *w);
/* run_layer_check.c: warns of sources and receivers in an absorbing layer. */
void run_check_positions(pav_run *run);
/* run_wavelets.c: warns of wavelets of another step's length, and of cut ones. */
void run_check_wavelets(pav_run *run);

/* run_events.c, run_output.c, run_rows.c, run_nan_check.c */
pav_status run_open_recorders(pav_run *run);
pav_status run_check_directory(const pav_run *run); /* where it would write: for plans */
void run_close_recorders(pav_run *run);
pav_status run_record(pav_run *run, bool last); /* what is due now */
pav_status run_write_rows(pav_run *run);        /* and outputs: all into their files */
/* Where a sample or measure is written; nothing is added for measures without `into`. */
pav_status rows_path(const pav_run *run, const statement *s, text *path);
pav_status rows_resume(pav_run *run); /* tables of a run that is gone on with */
pav_status rows_measure(pav_run *run, recorder *r);
/* At the end of a run: for the report, and in no table. */
pav_status rows_measure_end(pav_run *run, recorder *r);
/* What was measured last, and at which step; false where nothing was. */
bool rows_measured(const recorder *r, double *value, int64_t *step);
pav_status rows_sample(pav_run *run, recorder *r);
/* What keeps a row that was sampled; and those that wait are kept. */
sampler rows_sampler(pav_run *run, recorder *r);
pav_status rows_flush(pav_run *run, recorder *r);
/* The row as of a step into the table. */
pav_status rows_keep(pav_run *run, recorder *r, int64_t step, double time);
/* run_gather.c: a row of a part of a sample of expressions; what a GPU still has of all
 * parts. */
pav_status gather_part(pav_run *run, recorder *r);
pav_status gather_flush_parts(pav_run *run, const recorder *whole);
/* The file of all rows, where it is one; what an expression of a sample is called. */
pav_status gather_find(pav_run *run, recorder *r);
void gather_name(const pav_run *run, const statement *s, int column, text *t);
void gather_forget(recorder *r);
const recorder *run_sample(const pav_run *run, int64_t index); /* or NULL */
int64_t run_samples(const pav_run *run);
pav_status run_event_value(pav_run *run, const ir_event *event, double *value);
pav_status run_check_until(pav_run *run, bool last, bool *met);
/* After the last step: warns where none holds. */
pav_status run_end_until(pav_run *run);
pav_status run_check_expects(pav_run *run);
pav_status run_check_nan_now(pav_run *run); /* and counts its time */
bool run_recorder_is_due(const pav_run *run, const recorder *r, bool last);
bool run_is_due(const pav_run *run, bool last); /* an output or a measure */
bool run_output_is_due(const pav_run *run, bool last);
/* What an output shows and where it is written; no points, strides or time yet. */
/* The grid's points from one of the field's to the next. */
int64_t output_unit(const pav_run *run, const statement *s, int axis);
io_frame output_frame(const pav_run *run, const statement *s);
pav_status output_path(const pav_run *run, const statement *s, text *t);
/* What the output needs is there; nothing is written yet. */
pav_status output_open(const pav_run *run, recorder *r);
/* run_output_parts.c: where ranks share the run and each can write its own points. */
pav_status output_write_parts(pav_run *run, recorder *r, const io_frame *f,
                              const box *shown, bool *done);
/* Hands the output to the writer; a failure may be that of an earlier one. */
pav_status output_write(pav_run *run, recorder *r);
/* Outputs of a run that is gone on with: what is kept of the files that were written. */
pav_status outputs_resume(pav_run *run);
void output_report(pav_run *run);     /* of the files written since this was last asked */
pav_status output_wait(pav_run *run); /* until all outputs are files */
/* Where the description's file is written. */
pav_status run_path(const pav_run *run, const char *file, text *t);
/* run_names.c: refuses a name for `what` that a file of the description's will have. */
pav_status names_check(const pav_run *run, const char *path, const char *what);
/* PAV_EINVAL where the description names a file to write that is not in the directory of
 * outputs, and may not. */
pav_status names_check_inside(const pav_run *run);

/* run_record.c holds run_open_recorders and run_close_recorders. */

/* A run on the interpreter, whatever devices there are. */
pav_status run_open_interpreted(const program *p, const pav_run_options *options,
                                pav_run **run);

/* Number of the IR's field behind a symbol. */
int run_field_of(const pav_run *run, const symbol *field);

/* run_report.c: "cpu, 2 threads", "cuda:0 (NVIDIA H200)". */
void run_device_words(const pav_run *run, int threads, text *t);
/* run_ranks.c: a run that several ranks share. Refuses ranks that were started otherwise
 * than the first; whether this one writes files and prints. What one rank wishes after a
 * step, all do. */
enum { WISH_STOP = 1, WISH_CHECK = 2, WISH_CHECKPOINT = 4 };
pav_status run_check_ranks(pav_run *run, const pav_device *device);
bool run_is_first(const pav_run *run);
pav_status run_agree(pav_run *run, unsigned wishes);
/* Executors of what other ranks have. */
pav_status run_open_absent(pav_run *run);
/* run_state.c: whether all places have memory of their own; the first subdomain at a
 * place, the whole grid where it is not cut. */
bool places_have_memory(const pav_run *run);
subdomain *places_first(const pav_run *run, int number);
/* What was asked of a GPU is done, and its time is that of steps. */
pav_status run_settle(pav_run *run);
executor_figures run_executor_figures(const pav_run *run);

/* run_client.c: once all is known that executors ask for. */
void run_open_client(pav_run *run);

/* run_figures.c */
double run_rate(double amount, double seconds); /* 0 of no time */
int run_threads(const pav_run *run);            /* as many as it has work for */
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

/* run_report.c, run_report_json.c, run_notes.c */
void report_json(pav_run *run, text *t);
const char *run_state(const pav_run *run);
void run_report_progress(pav_run *run, bool force);
void run_ask_whether_to_stop(pav_run *run); /* run->stopped */
/* "filling u", of all points of the set-up `done`: as often as progress is reported.
 * PAV_EINTERRUPTED when the listener asks to stop. What is reported to run->setup.sink
 * from now on is added. */
pav_status run_report_setup(pav_run *run, const char *what, const char *of, int64_t done);
/* The listener is informed of compilers that take long, from now until this is called
 * with NULL. */
void run_watch_compilers(pav_run *run);
void run_end_setup(pav_run *run); /* nothing more is reported or asked */

#endif
