/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a run and the parts of the time loop, shared inside src/runs/run only. */
#ifndef RUN_RUN_PRIVATE_H
#define RUN_RUN_PRIVATE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "run/residual_private.h"
#include "run/run.h"
#include "solve/solve.h"
#include "wisdom/wisdom.h"

/* The record of one output, sample or measure: its file and the rows or frames so far. */
enum { LEADING = 2 }; /* columns of a row before its values: step and t */
typedef struct recorder {
    const statement *statement;
    const ir_event *event; /* the event of a measure */
    point_set points;      /* the positions of a sample */
    int64_t columns,
        rows;    /* rows of a table in its file; for an output, the frames written */
    double *row; /* the last row */
    bool taken;  /* true once `row` has values */
    /* the value of a measure at the end of a run, if the last row of its table belongs to
     * an earlier step */
    double end;
    int64_t end_step;  /* the step of `end`; -1: none */
    table_file *table; /* or NULL */
    series *series;    /* the series of an output once it is written; or NULL */
    /* the caller's values and their name in place of the field's; or NULL */
    const view *given;
    text given_name;
    int64_t skipped;   /* columns left out of the table */
    int64_t last_step; /* the last recorded step; -1 before any */
    /* bytes of the table or film at the last checkpoint; 0: no checkpoint */
    int64_t bytes;
    uint64_t sum; /* hash of the table's rows at the last checkpoint */
    text kept;    /* all rows, for runs in checks */
    /* rows of one part of a sample of expressions; the first `used` bytes are already
     * merged with the other parts */
    text waiting;
    int64_t used;
    /* the values of each form at each position, for a sample of expressions */
    double *form_values;
    trace_gather *gather; /* the gather file of all rows; or NULL */
    text title;
    double *place; /* the position of each column */
    char letters[MAX_DIM + 1];
    pav_run *run;    /* the run of this recorder */
    sampler sampler; /* the sampler of a sample */
} recorder;

typedef struct expectation {
    double value, left, right;
} expectation;

/* The settings and the state of a run's checkpoint. */
typedef struct checkpoint_plan {
    char *path;     /* NULL: the run writes no checkpoint */
    int64_t every;  /* steps; 0: by time */
    double seconds; /* seconds between two checkpoints */
    /* the file of this name is valid, so the next checkpoint keeps it under FILE.old */
    bool keep;
    /* files were begun anew, so the last checkpoint counts their rows wrongly */
    bool outdated;
    bool waits; /* a checkpoint is due, but waits until the store has the oldest levels */
    bool apart; /* the file being read is older, and has one more level of some fields */
    bool in_files; /* the fields lie in files on disks, and these belong to it */
    int64_t saved; /* step of the checkpoint on disk; -1: this run has written none */
    /* the last step without its checkpoint, because writing failed; -1: none since
     * `saved` */
    int64_t missed;
    char *why; /* the cause of `missed` */
    double saved_at;
    int64_t count; /* checkpoints written */
} checkpoint_plan;

/* Clock readings for the time limit of a run (loop.c). */
typedef struct time_limit {
    /* seconds: clock at the last check; longest interval */
    double checked_at, longest;
    bool over; /* the time is nearly used up */
} time_limit;

/* The schedules of a run, from wisdom or tuning (choice/). `several` is the schedule for
 * fused steps; AUTO takes single steps. `stage` has the schedule of each stage of a
 * single step; NONE is the default schedule of the stage. */
enum { CHOICE_STAGES = 24 };
typedef struct run_choice {
    bool is_wisdom; /* true: from wisdom; false: from the caller who opened the run */
    bool is_hint;   /* measured at another size: autotuning tries it first */
    double gpts;    /* the measured rate in wisdom, Gpts/s */
    bool doubted;   /* the rate was compared with the run's own */
    char name[WISDOM_NAME]; /* the name of the measured program */
    schedule several;
    int stages; /* stages with a schedule; 0: defaults for all */
    schedule stage[CHOICE_STAGES];
    char words[WISDOM_SCHEDULE];
} run_choice;

typedef struct time_choice time_choice; /* time_private.h: temporal blocking */

/* Wisdom about the schedules of the run. */
typedef struct run_known {
    run_choice *choice; /* or NULL */
    /* the key of this run in wisdom; NULL: wisdom is neither asked nor written */
    wisdom_line *problem;
} run_known;

/* The decomposition of the grid, and the place or rank of each subdomain. */
typedef struct run_cutting {
    bool is_cut;
    decomposition boxes;
    int *order;    /* the place, or rank, of each group of boxes; NULL: as listed */
    double *share; /* weights of places, or ranks; NULL: they are equal */
    char *hybrid;  /* how the weights were found, for the plan; or NULL */
    /* The cost of each plane across an axis if masks skip points (mask_loads.c); NULL:
     * all planes cost the same. computed_share: the fraction of points to compute.
     * unknown_mask: some masks are known only after fields are filled. */
    double *load[MAX_DIM], computed_share;
    bool unknown_mask;
    int exchange_every; /* the model's choice, in steps; 0: the model was not asked */
    double exchange;    /* modelled seconds of exchange per step */
    struct launches *launches; /* fused launches within subdomains; or NULL */
} run_cutting;

/* Temporal blocking on processors. */
typedef struct run_blocking {
    time_choice *tiles;        /* NULL: the run takes single steps */
    struct async_tiles *async; /* the tiles of asynchronous relaxation; or NULL */
    /* the reason why blocks wait, in a program that permits asynchronous relaxation */
    const char *no_async;
    block_count count; /* time blocks so far */
} run_blocking;

struct opening;

/* The solver of a run, and the solvers of equations within its step. */
typedef struct run_solving {
    /* the solution of the equation, if this run is a solver's own run */
    solution solution;
    /* norms of the residual: at the start and at each observation since */
    double *residual;
    int64_t residuals, residual_room;
    residual_watch watch; /* the same residuals, for the rule of a stall */
    const pav_run *outer; /* the run with the step that contains this equation; or NULL */
    /* steps at once: the difference to single steps on a small grid, relative to the
     * largest value; 0: it was not measured yet; NAN: it cannot be */
    double difference;
    /* for another method of `auto`: the description, the device and the opener; the
     * method that solved the equation in the end, and its steps */
    const program *asked;
    const pav_device *device;
    pav_status (*open)(const struct opening *how, const pav_run_options *options,
                       pav_run **run);
    const char *then;
    int64_t then_steps;
    struct step_solver *within; /* the solver of each equation within the step; or NULL */
    /* solves the equations before a stage; or NULL */
    pav_status (*before_stage)(pav_run *run, int stage);
} run_solving;

/* Threads. */
typedef struct run_teams {
    host_team *all; /* the executor's threads; NULL: the caller's thread alone */
    /* one team per group of subdomains computing at the same time; or NULL */
    host_team **part;
    int parts; /* teams in `part`; each has a share of the threads */
} run_teams;

/* Settings and facts from the opening of the run. */
typedef struct run_opened {
    bool of_size;   /* kernels compiled for this size of grid alone */
    bool rough;     /* for benchmarks: no trials (run_open_rough) */
    bool forced;    /* the run called mem_trust(1) and must undo it */
    bool installed; /* kernels of the installation take the steps */
    bool early;     /* the interpreter takes the steps until the kernels are compiled */
    bool late;      /* they were compiled after the last step */
    bool automatic; /* no device was named, so the interpreter may stand in for it */
    int64_t interpreted;       /* steps taken before the kernels */
    const given_traces *given; /* only while the run is opened; or NULL */
    const pav_run *lender;     /* the run that shares its threads and GPUs; or NULL */
} run_opened;

/* The recorders of a run and the state of its checks. */
typedef struct run_observers {
    int64_t recorders;
    recorder *recorder;
    writer *writer;        /* the writer of outputs; NULL before the first output */
    pav_output *opened;    /* outputs of the caller that are open, the last one first */
    expectation *expected; /* one result per `expect`, once checked */
    bool checked;
    bool keeps_rows; /* rows are kept for checks or for the caller */
    /* rank 0 gathers outputs, because some ranks do not see the directory */
    bool ranks_gather;
    bool until_holds,
        until_fails; /* after the last step, one `until` holds; or none does */
    int64_t nan_check_every, nan_checked; /* nan_checked: the step of the last check */
    double nan_check_seconds;             /* seconds spent on NaN checks */
} run_observers;

/* The progress of the run. */
typedef struct run_progress {
    bool started, stopped, until_met;
    int answer;       /* of the listener, last: it holds, if the run is stopped, too */
    bool entered;     /* a caller takes steps: the listener cannot, too */
    unsigned agreed;  /* what ranks wished for after the last step */
    pav_status ended; /* what the last pav_run_steps or pav_run_finish gave ... */
    char *why;        /* ... and its message */
} run_progress;

/* The progress of filling fields. */
typedef struct run_setup {
    bool *written;        /* for each field of the IR: pav_field_write has changed it */
    unsigned *lent;       /* the same: a bit for each lent level; NULL: none is lent */
    int64_t done, points; /* points done, and points of all fields */
    progress_sink sink;   /* each part of the grid reports its points here */
    const char *what, *of;
} run_setup;

/* The clock of a run is always in one phase, so the seconds of the phases sum up to the
 * time since the run opened. PHASE_OUTPUT: outputs, measures and checks. PHASE_CALLER:
 * the caller works between two calls. */
typedef enum run_phase {
    PHASE_SETUP,
    PHASE_STEPS,
    PHASE_OUTPUT,
    PHASE_CHECKPOINT,
    PHASE_REPORT,
    PHASE_CALLER,
    PHASES
} run_phase;

/* Seconds per phase of the run, and the state of its last progress report. */
typedef struct run_times {
    double opened, since; /* clock when the run opened, and when the phase began */
    run_phase phase;
    double spent[PHASES];           /* without the time since `since` */
    double report_at, report_steps; /* clock at the last report, seconds of steps then */
    int64_t report_step;
    host_usage begun; /* before the first step */
} run_times;

/* The work of a step, and measurements for the report. */
typedef struct run_work {
    int64_t points; /* points of the grid */
    double step_bytes, step_flops;
    /* bytes of the equations; used if no equation is split into stages */
    double least_bytes;
    double copy_rate;           /* bytes a second, once measured; else 0 */
    int64_t peak, process_peak; /* peak bytes of memory before the copy measurement */
    int64_t tiny_steps;         /* the opening thread computed denormal numbers in them */
} run_work;

/* What takes the steps of a run. One stepper is chosen when the run opens, and nobody
 * else asks in which way steps are taken. An operation is NULL if there is nothing to
 * do. */
typedef struct stepper {
    /* The devices have windows of the fields, and the host's memory or its disks, the
     * store, have all planes. */
    bool windows;
    /* Chooses sizes, once the devices are open, before anything has memory. */
    pav_status (*plan)(pav_run *run);
    /* Gives a field of the store its memory; NULL: the executor does. */
    pav_status (*take_field)(pav_run *run, int64_t field, const field_shape *shape);
    /* Takes the next steps: one at least, `most` at most. */
    pav_status (*steps)(pav_run *run, int64_t most);
    /* Takes one stage of a single step; NULL: the executor does. */
    pav_status (*stage)(pav_run *run, int stage);
    /* settle: brings the store to the present step. check: fails if the host cannot have
     * the fields, because its levels belong to different steps or a disk has failed. */
    pav_status (*settle)(pav_run *run);
    pav_status (*check)(const pav_run *run);
    void (*written)(const pav_run *run); /* the caller has written fields */
    void (*figures)(const pav_run *run, executor_figures *f); /* changes the executor's */
    pav_status (*finish)(const pav_run *run);                 /* all steps are taken */
    void (*close)(pav_run *run);
} stepper;
extern const stepper single_steps, device_steps; /* loop.c */
extern const stepper async_steps, tile_steps;    /* time/ */
extern const stepper launch_steps;               /* subdomains/launches.c */
extern const stepper window_steps;               /* outofcore/outofcore.c */

struct pav_run {
    exec_client client; /* the run seen by its executors (run.c) */
    const program *program;
    ir *code; /* the IR of the whole grid */
    pav_run_options options;
    run_opened opened;
    subdomain *part;   /* the whole grid, at one place or cut into subdomains */
    exec_place *place; /* the listed devices, or the only one */
    int places;
    char device_name[64]; /* a copy: the device may be freed before the run */
    io_origin origin;     /* for the report and the files */
    bool compiled;        /* kernels for processors exist or will be compiled */
    run_teams team;
    run_cutting cut;
    schedule schedule; /* the schedule from the options or from wisdom */
    run_known known;
    const stepper *stepper;
    run_blocking blocks;
    struct outofcore *outofcore; /* the state of a grid out of core; or NULL */
    run_solving solver;
    run_observers observers;
    run_progress progress;
    int64_t steps;      /* steps to take in all */
    int64_t first_step; /* the step of the checkpoint at the start of the run */
    checkpoint_plan checkpoint;
    time_limit limit;
    run_setup setup;
    run_times seconds;
    run_work work;
};

/* The recorders one after the other: the first follows NULL, and NULL the last. */
static inline recorder *run_next_recorder(const pav_run *run, const recorder *r)
{
    const int64_t next = r ? r - run->observers.recorder + 1 : 0;
    return next < run->observers.recorders ? &run->observers.recorder[next] : NULL;
}

/* Parameters of opening a run: a runner of stages, a device, or compiled kernels. */
typedef struct opening {
    stage_runner runner;
    const pav_device *device; /* or NULL */
    const kernel_set *set;    /* or NULL */
    const schedule *loop;     /* or NULL */
    const schedule *time;     /* the schedule of time blocks; or NULL */
    place_opening there; /* kernels for a device's own memory; number: also of `set` */
    const decomposition *cut; /* the decomposition of the grid; NULL: from the options */
    int every;                /* steps between exchanges; 0: from the options */
    const outofcore_request *visits; /* settings out of core; NULL: from the options */
    /* the outer run, if this run solves an equation of its step; or NULL */
    const pav_run *within;
    /* the equation to solve; its program is the program of this run; or NULL */
    const solution *solution;
    /* placeholder numbers replace costly initial values on a GPU */
    bool rough;
    const char *choice; /* schedules as a string; or NULL */
    bool without_wisdom;
    bool of_size; /* the kernels of a bundle are compiled for this size of grid alone */
    const struct trial_runs *trials; /* how to open trial runs; NULL: no trial runs */
    const given_traces *given;       /* or NULL */
    const pav_run *lender;           /* or NULL */
} opening;

/* The functions by which a run opens and closes trial runs, before its first step. */
typedef struct trial_runs {
    pav_status (*open)(const program *p, const pav_device *device,
                       const pav_run_options *options, pav_run **run);
    void (*close)(pav_run *run);
} trial_runs;

/* solver.c: equations to solve within a step. */
typedef struct step_solver {
    const solution *solution;
    pav_run *run; /* the steps of this run solve the equation */
    int stage;    /* the equation is solved before this stage of the step */
    /* fields to hand over: of the outer step, and of the solver's run */
    int from[MOST_HANDED], to[MOST_HANDED];
    /* so far: solutions, their steps, and the most steps of one solution */
    int64_t solutions, steps, most;
} step_solver;
/* The first stage of the step that reads the field: there its equation is solved. */
int solver_stage(const ir *code, int field);
/* The param or scalar of the step that gives a scalar of the solver; -1: none. */
int solver_number(const ir *solver, int64_t number, const ir *step);
/* A function of run.c; it closes the run if opening fails. */
typedef pav_status run_opener(const opening *how, const pav_run_options *options,
                              pav_run **run);
pav_status step_solvers_open(pav_run *run, const opening *how, run_opener *open);

/* choice/choice.c. run_find_choice takes the schedules of the run from wisdom or the
 * caller, and finds the key for run_learn. run_is_single: only single steps are
 * requested. */
pav_status run_find_choice(pav_run *run, const opening *how);
void run_drop_choice(pav_run *run);
bool run_is_single(const pav_run *run);
/* choice/choice.c: the schedules of a run as a string. */
pav_status run_choice_words(const pav_run *run, text *t);
/* bundle.c: PAV_OK if the bundle belongs to this program and device; its
 * schedule. */
/* Points of a grid that the interpreter computes in some 50 ms a stage. */
enum { MOST_EARLY_POINTS = 1 << 24 };
bool run_serves_sizes(const pav_run *run); /* run.c */
pav_status bundle_check(const pav_bundle *b, const pav_device *device);
const char *bundle_schedule(const pav_bundle *b);
/* True if the bundle has kernels for exactly this size of grid. bundle_note_size reports
 * the cost of kernels for any size. */
bool bundle_is_of_size(const pav_bundle *b, const pav_run *run);
void bundle_note_size(const pav_bundle *b, const exec_client *client);
/* choice/choice.c. run_doubt_choice warns once if a run is much slower than wisdom
 * says. run_learn stores in wisdom the schedule that a long run has tuned. */
void run_doubt_choice(pav_run *run);
void run_learn(pav_run *run);
pav_status run_remember(const pav_run *run, const char *words, double gpts,
                        wisdom_effort effort, bool *taken);

/* fields.c: the shape of a field in memory: on the whole grid with its levels, or in a
 * run. */
field_shape run_shape_whole(const ir *code, const ir_field *f);
field_shape run_shape_of(const pav_run *run, const ir_field *f);
/* The most planes, at most `most`, with fields of at most `limit` bytes. */
typedef bool planes_bytes(const pav_run *run, int64_t planes, int64_t *bytes);
int64_t run_most_planes(const pav_run *run, planes_bytes *of, int64_t most,
                        int64_t limit);
/* Bytes of all fields in the shape for `planes` planes; false: the number needs more than
 * 64 bits. */
typedef field_shape planes_shape(const pav_run *run, const ir_field *f, int64_t planes);
bool run_fields_bytes(const pav_run *run, planes_shape *of, int64_t planes,
                      int64_t *bytes);
/* fields.c: allocates the fields. */
pav_status run_allocate(pav_run *run);
/* Initial values, in the order of the IR's start list (fields.c). */
pav_status run_start(pav_run *run);
/* The same after the caller has written fields (run->setup.written). Those fields keep
 * their values. */
pav_status run_start_given(pav_run *run);
/* Computes a field again by its initial value, from the present values of others. */
pav_status run_show(pav_run *run, int64_t field);
int64_t run_start_work(const pav_run *run); /* in points */
/* The path of an input file of the description. */
pav_status run_input_path(const pav_run *run, const char *file, text *t);
/* Reads the values of a field from its file. */
pav_status run_read_file(const pav_run *run, const ir_field *f, const view *v,
                         progress_sink *a);

/* loop.c */
pav_status run_list(pav_run *run, const ir_list *list);
pav_status run_check_whole(const pav_run *run); /* stepper.check */
/* values.c: other code may have changed the lent levels: waits for it, fills borders. */
pav_status run_see_loans(pav_run *run);
pav_status run_plan_steps(pav_run *run); /* run.c: stepper.plan */
/* run.c: how processors take the steps of a run once its kernels are there. time: the
 * schedule of time blocks; or NULL */
pav_status run_fuse_steps(pav_run *run, const schedule *time);
/* One place computes the whole grid in its own memory. */
bool run_is_whole(const pav_run *run);
pav_status run_one_step(pav_run *run, int64_t most); /* of `most`, stage by stage */
/* loop.c: stops early if an `until` holds */
pav_status run_take_steps(pav_run *run, int64_t steps);

/* loop.c: stops a run if `seconds` more would bring it near its limit. */
void time_limit_within(pav_run *run, double seconds);

/* Each gives the run its stepper if the run may take such steps. time_chaotic.c:
 * asynchronous relaxation, if the description permits it and no schedule is requested.
 * time_choose.c: time blocks of processors. */
pav_status async_open(pav_run *run);
pav_status run_open_temporal(pav_run *run, const schedule *fixed);
void run_count_block(pav_run *run, int64_t steps); /* counts a finished block */
/* true if all constant borders are filled */
bool temporal_borders_are_kept(const pav_run *run);
/* Finds skews and candidates alone, without memory; free with ir_blocking_close. close:
 * tiles may begin within cache lines. */
pav_status temporal_plan(const pav_run *run, bool close, time_choice *c);
/* Appends to `why` the reason against time blocks; without one, `why` stays empty. */
pav_status temporal_refusal(const pav_run *run, text *why);
/* temporal_check fails if time blocks are requested but impossible. temporal_fit fails if
 * no tile fits into a cache. */
pav_status temporal_check(const pav_run *run);
pav_status temporal_fit(const pav_run *run, const time_choice *c);
/* recorders.c. run_list_observers appends each observer with an interval below
 * `least` steps, or a run with fewer steps. run_steps_to_observer: steps until the next
 * observation, or until the end; 0: no end is known. */
void run_list_observers(const pav_run *run, int64_t least, text *why);
int64_t run_steps_to_observer(const pav_run *run);
/* The steps of `every`, about so many of `every T time`; 0: none. */
int64_t observer_interval(const pav_run *run, const statement *s);
/* Steps until the next observation, at most `most`. */
int64_t time_until_event(const pav_run *run, int64_t most);
int64_t run_steps_between_observations(
    const pav_run *run); /* the interval in steps; 0: none */

pav_status run_count_work(pav_run *run); /* report.c */

/* run.c: a run with all its settings known, without memory for the grid. */
pav_status run_open_unstarted(const program *p, const pav_device *device,
                              const pav_run_options *options, pav_run **result);

/* The same as pav_run_open, with kernels recorded for this size of grid alone. */
pav_status run_open_of_size(const program *p, const pav_device *device,
                            const pav_run_options *options, pav_run **run);
/* The same, started, with the schedules of the string `choice`. */
pav_status run_open_chosen(const program *p, const pav_device *device,
                           const pav_run_options *options, const char *choice, bool rough,
                           pav_run **run);
/* loop.c: measures steps for `seconds`, after autotuning. *least: seconds of the
 * fastest step; unchanged if no step was timed. */
pav_status run_time_steps(pav_run *run, double seconds, double *least);
/* verify.c: takes `steps` steps in both runs and compares all bits. */
pav_status run_verify_pair(pav_run *run, pav_run *reference, int64_t steps);
/* The interpreter's run for the comparison: never cut, never out of core. */
pav_status run_open_reference(const program *p, const pav_run_options *options,
                              pav_run **run);

/* run_device.c: checks named options, and takes the schedule option for this device. */
pav_status run_take_options(pav_run *run, const pav_device *device);
/* `compiles`: also make kernels. If another device stands in, *other is that device;
 * `how` refers to it, and the caller frees it after the run is open. */
pav_status run_open_places(pav_run *run, opening *how, bool compiles, pav_device **other);
pav_status run_open_executor(pav_run *run, const opening *how);
/* subdomains.c: cuts the grid if requested, and joins the executors of its subdomains
 * to one. */
pav_status run_cut(pav_run *run, const opening *how);
/* subdomains.c: the places of a run and their weights. If unequal places do not pay, *how
 * changes to the best single place. */
pav_status places_find(pav_run *run, opening *how);
/* Reads "1,3": a positive number for each place; false: these are others. */
bool shares_read(const char *given, int count, double *share);
/* hybrid.c, for places of different speed. hybrid_weigh: finds the share of the grid for
 * each place. hybrid_check: refuses given shares too large for the memory of a place. */
pav_status hybrid_weigh(pav_run *run, opening *how);
pav_status hybrid_check(pav_run *run);
/* outofcore/: a grid larger than the device's memory. outofcore_find decides before any
 * device is opened (given NULL: by the options); then outofcore_begin gives the run its
 * stepper. outofcore_open_window follows after the fields are filled. */
typedef struct outofcore outofcore;
pav_status outofcore_find(pav_run *run, const outofcore_request *given);
/* forces a run out of core */
pav_status outofcore_begin(pav_run *run, const outofcore_request *r);
bool outofcore_may_be(const pav_run *run); /* the program permits it */
pav_status outofcore_open_window(pav_run *run);
/* Lines of the report (none in core), or its JSON object (null in core). */
void outofcore_report(const pav_run *run, bool json, text *t);
/* launches.c: a fused launch over the planes of a visit or of a subdomain. */
typedef struct launch_request {
    const ir_blocking *blocking;
    int axis;
    int64_t depth;         /* requested steps; 0: free; 1: single steps */
    int most;              /* steps at most; 0: any */
    bool injects;          /* sources may lie within it */
    bool samples;          /* receivers may lie within it */
    bool goes_on;          /* see place_visit; for a periodic axis */
    bool by_model;         /* the caller decides by the model whether compiling pays */
    const schedule *given; /* the schedule of a check; NULL: from the run's options */
    const char *where;     /* "out of core" */
} launch_request;
typedef struct visit_launch {
    int depth; /* fused steps; 1: no fused launch */
    /* the reason for depth 1; empty: nobody asked for fused launches */
    char why_single[240];
    int radius; /* planes read on each side of its own */
    int ahead;  /* prefetched planes */
    /* extra planes of coefficients, for the redundant computation at the edges */
    int lag;
    schedule launch;
} visit_launch;
pav_status run_find_launch(const pav_run *run, const launch_request *r, visit_launch *l);
/* launches.c: fused launches within subdomains. launches_find chooses them once GPUs
 * are open; launches_make compiles them. */
pav_status launches_find(pav_run *run, const opening *how);
pav_status launches_make(pav_run *run);
void launches_close(pav_run *run);
int launches_depth(const pav_run *run); /* 1: no fused launches */
pav_status launches_leave(pav_run *run, const char *why);
/* choose.c: chooses the steps between halo exchanges, if the options do not. It
 * runs after the places are open; all ranks call it. */
pav_status run_choose_exchange(pav_run *run, const opening *how);
/* subdomains.c. run_widen: gives subdomains halos wide enough for `steps` steps between
 * two exchanges. run_new_halo: these halos; NULL for one step. */
pav_status run_widen(pav_run *run, int steps);
pav_status run_new_halo(const pav_run *run, int steps, wide_halo **wide);
/* subdomains.c: the neighbour of subdomain n beyond a face; -1: none. */
int64_t run_neighbour(const pav_run *run, int64_t n, int axis, int side);
void launches_text(const pav_run *run, text *t);
/* choose.c: the cost of the halo at each face of each box, at [box * 2 * MAX_DIM
 * + 2 * axis + side]. from: the neighbour box, or -1. messages, bytes: per exchange.
 * seconds: by the model; between ranks, measured. */
typedef struct exchange_cost {
    int64_t from, messages, bytes;
    double seconds;
} exchange_cost;
pav_status run_exchange_costs(const pav_run *run, exchange_cost *cost);
/* choose.c: which place computes which boxes. */
int places_count(const pav_run *run); /* the places of all ranks */
/* Gives each group of boxes a place, order[group], so that groups with many common bytes
 * get fast links. Groups a and b exchange bytes[a * places + b]; between[a * places + b]
 * is the cost of the link of two places. */
void run_order_places(int places, const double *bytes, const halo_cost *between,
                      int *order);
/* The same for the subdomains of a run. */
pav_status run_find_order(pav_run *run);
int run_place_of(const pav_run *run, int64_t n); /* the place or rank of box n */
pav_status run_find_loads(pav_run *run);         /* mask_loads.c */
void run_close_loads(pav_run *run);
/* choose.c: cuts each axis so that the fewest bytes are exchanged. */
pav_status run_choose_parts(const ir *code, int64_t count, int64_t *parts);
void run_close_team(pav_run *run);
void run_name_device(pav_run *run, const char *name);
/* Threads, bound to cores by the options. */
pav_status run_open_team(const pav_run *run, int threads, host_team **team);

/* subdomains/hybrid.c: the rates of places with `count` points and `seconds` each; shares
 * in these rates would finish together. Returns the time of the slowest place over the
 * mean. */
double hybrid_even_out(int places, const double *count, const double *seconds,
                       double *rate);

/* needs.c: refuses a run if its memory is not available, unless forced. */
pav_status run_check_memory(pav_run *run);

/* points.c */
pav_status points_open(const pav_run *run, const statement *s, point_set *set);
void points_close(point_set *set);
/* The number of positions, and an upper bound of their bytes. */
pav_status points_measure(const pav_run *run, const statement *s, int64_t *count,
                          int64_t *bytes);

/* solver.c: hooks of an equation to solve: at the start, after `until` is evaluated,
 * and after all steps. PAV_ECONVERGE: the solver cannot continue; the message has the
 * reason. */
pav_status solver_begin(pav_run *run);
/* a parameter of a derived description */
bool solver_owns(const pav_run *run, const char *param);
pav_status solver_not_finite(pav_run *run);
/* Replaces the message of a failure, if relaxations divide by 0 at some point. */
pav_status solver_explain(const pav_run *run, pav_status status);
/* solver_expected_steps: the expected number of steps; a solver may take more cycles.
 * solver_steps_left: the remaining steps, for an equation by the fall of its residual;
 * -1 if the residual does not fall. */
double solver_steps_left(const pav_run *run);
int64_t solver_expected_steps(const pav_run *run);
pav_status solver_observe(pav_run *run, const ir_event *event, bool *met);
pav_status solver_end(const pav_run *run);
void solver_text(const pav_run *run, text *t);
void solver_json(const pav_run *run, text *t);
/* Compares a jump with single steps on a small grid. */
void solver_compare(pav_run *run);
int64_t solver_compared_steps(const solution *s);

/* stability.c: warns if the step is too long for a wave equation, or a wavelength
 * has too few points. */
pav_status run_check_wave(pav_run *run);
/* points.c: warns of sources and receivers in an absorbing layer. */
void run_check_positions(pav_run *run);
/* points.c: warns of truncated wavelets and of wavelets sampled at another step
 * length. */
void run_check_wavelets(pav_run *run);

/* recorders.c, outputs.c, rows.c, nan_check.c */
pav_status run_open_recorders(pav_run *run);
pav_status run_check_directory(const pav_run *run); /* the output directory, for plans */
void run_close_recorders(pav_run *run);
pav_status run_record(pav_run *run, bool last); /* records everything due now */
pav_status run_write_rows(pav_run *run); /* writes all outputs and rows to their files */
/* The path of the table of a sample or measure; appends nothing for a measure without
 * `into`. */
pav_status rows_path(const pav_run *run, const statement *s, text *path);
/* The names of all columns, each ending in NUL: "u(303 497)" for a receiver of u.
 * where: NULL for a measure. */
void rows_heads(const pav_run *run, const statement *s, const point_set *where,
                text *names);
pav_status rows_resume(pav_run *run); /* tables of a restarted run */
/* Writes the waiting rows. */
pav_status rows_flush(pav_run *run, recorder *r);
/* Adds the row of `step` to the table. */
pav_status rows_keep(pav_run *run, recorder *r, int64_t step, double time);
const recorder *run_sample(const pav_run *run, int64_t index); /* or NULL */
int64_t run_samples(const pav_run *run);
pav_status run_event_value(pav_run *run, const ir_event *event, double *value);
pav_status run_check_until(pav_run *run, bool last, bool *met);
/* After the last step: warns if no `until` holds. */
pav_status run_check_nan_now(pav_run *run); /* and measures its seconds */
pav_status run_check_pivots(pav_run *run);  /* fails if a tridiagonal system has a 0 */
bool run_recorder_is_due(const pav_run *run, const recorder *r, bool last);
bool run_is_due(const pav_run *run, bool last); /* an output or a measure */
/* The frame of an output without its points, and the box from the first to the last shown
 * point. output_place: the points of a view of this box. */
io_frame output_frame(const pav_run *run, const statement *s, box *shown);
/* The frames of all fields of an output, one for each of output_fields, joined by
 * `more`. */
int64_t output_fields(const statement *s);
void output_frames(const pav_run *run, const statement *s, box *shown, io_frame *all);
void output_place(const statement *s, const view *v, const box *shown, io_frame *f);
pav_status output_path(const pav_run *run, const statement *s, text *t);
/* Opens the series of an output line at a path. */
pav_status output_open(const pav_run *run, recorder *r, const char *path);
/* Queues the output for the writer. An error may belong to an earlier output. */
pav_status output_write(pav_run *run, recorder *r);
void output_report(pav_run *run);     /* notes the files written since the last call */
pav_status output_wait(pav_run *run); /* until all outputs are in files */
/* The path of an output file of the description. */
pav_status run_path(const pav_run *run, const char *file, text *t);
/* outputs.c: refuses `path`, or its files of all `every` steps, for `what` if the
 * description or an open output of the caller writes such a file. */
pav_status names_check(const pav_run *run, const char *path, int64_t every,
                       const char *what);
/* PAV_EINVAL if the description writes a file outside the output directory and has no
 * permission for it. */
pav_status names_check_inside(const pav_run *run);

/* A run on the interpreter, on any machine. */
pav_status run_open_interpreted(const program *p, const pav_run_options *options,
                                pav_run **run);

/* The number of a symbol's field in the IR. */
int run_field_of(const pav_run *run, const symbol *field);

/* report.c: "cpu, 2 threads", "cuda:0 (NVIDIA H200)". */
void run_device_words(const pav_run *run, int threads, text *t);
/* subdomains.c: a run shared by ranks. run_check_ranks refuses ranks started with other
 * arguments than the first. run_is_first: this rank writes files and prints. A wish of
 * one rank after a step becomes a wish of all. */
enum { WISH_STOP = 1, WISH_CHECK = 2, WISH_CHECKPOINT = 4 };
pav_status run_check_ranks(pav_run *run, const pav_device *device);
bool run_is_first(const pav_run *run);
typedef void run_joining(void *own, const void *other);
pav_status run_join_ranks(pav_run *run, void *own, int64_t bytes, run_joining *join);
/* run.c: all places have their own memory. */
bool places_have_memory(const pav_run *run);
/* The clock enters a phase until the end of the scope, and then the phase before it:
 *     IN_PHASE(run, PHASE_STEPS);
 * run_enter_phase: without such an end; it returns the phase before. */
run_phase run_enter_phase(pav_run *run, run_phase phase);
typedef struct phase_scope {
    pav_run *run;
    run_phase before;
} phase_scope;
void phase_scope_end(const phase_scope *s);
#define IN_PHASE(run, phase)                                                             \
    OWNED_BY(phase_scope_end)                                                            \
    const phase_scope in_phase = {run, run_enter_phase(run, phase)};                     \
    (void)in_phase
/* Waits for all GPU work, so that its seconds count for the steps. */
pav_status run_settle(pav_run *run);

/* report.c */
double run_rate(double amount, double seconds); /* 0 if seconds is 0 */
int run_threads(const pav_run *run);            /* threads with work to do */
/* Measures copying in the memory of the run's fields. */
pav_status run_measure_copy(const pav_run *run, host_team *team, copy_rate *result);
typedef struct figures {
    /* 1e9 a second; gpts_all includes set-up and output */
    double gpts, gpts_all, gbytes, gflops;
    double bytes_per_point, flops_per_point;
    double copy_gbytes, percent; /* 0: not measured */
    int64_t memory, process, device_memory;
    int threads;
} figures;
run_phase run_longest_phase(const pav_run *run); /* PHASE_STEPS: no other is long */
figures run_figures(pav_run *run);

void run_ask_whether_to_stop(pav_run *run); /* sets run->progress.stopped */
/* Reports "filling u" with `done` of all points of the set-up, at the interval of
 * progress reports. PAV_EINTERRUPTED if the listener asks to stop. Parts report further
 * points to run->setup.sink. */
pav_status run_report_setup(pav_run *run, const char *what, const char *of, int64_t done);
/* Informs the listener of slow compilers from now on; a call with NULL ends this. */
void run_watch_compilers(pav_run *run);
void run_end_setup(pav_run *run); /* ends reports and questions of the set-up */

#endif
