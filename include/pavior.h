/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior.h: nearest-neighbour computations on grids, described in a few lines of
 * mathematics.
 *
 *     pav_device *device;  pav_program *program;  pav_run *run;
 *     pav_device_open("auto", &device);
 *     pav_program_load("heat3d.pav", NULL, &program);
 *     pav_run_open(program, device, NULL, &run);
 *     pav_run_steps(run, 100);
 *
 * Every function that can fail returns a pav_status; pav_message() then holds the
 * sentence that says why, per thread. Out-parameters come last and are set to NULL or 0
 * on failure. pav_..._free(NULL) is fine. An options struct filled with zeros asks for
 * the defaults. x is the contiguous axis and comes first; extents and indices are 64 bits
 * wide. A handle may be used by one thread at a time; different handles by different
 * threads at once. */
#ifndef PAVIOR_H
#define PAVIOR_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) || !defined(__GNUC__)
#define PAV_API
#else
#define PAV_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PAV_VERSION_MAJOR 0
#define PAV_VERSION_MINOR 1
#define PAV_VERSION_PATCH 0
#define PAV_VERSION "0.1.0"

/* X(name, value, what it means) */
#define PAV_STATUS_LIST(X)                                                               \
    X(OK, 0, "done")                                                                     \
    X(EINVAL, 1, "an argument is not usable")                                            \
    X(ESYNTAX, 2, "the description has mistakes")                                        \
    X(ENOMEM, 3, "memory ran out")                                                       \
    X(EIO, 4, "a file could not be read or written")                                     \
    X(EFORMAT, 5, "a data file does not hold what is needed")                            \
    X(ELIMIT, 6, "a size is beyond what is supported")                                   \
    X(EUNSUPPORTED, 7, "this version or build cannot do it")                             \
    X(EDEVICE, 8, "a device is missing or failed")                                       \
    X(ENOTFINITE, 9, "a field is no longer finite")                                      \
    X(EINTERRUPTED, 10, "the caller asked to stop")                                      \
    X(EEXPECT, 11, "an expectation of the description does not hold")                    \
    X(EINTERNAL, 12, "a defect in Pavior")                                               \
    X(ECONVERGE, 13, "an equation could not be solved as accurately as asked")

typedef enum pav_status {
#define X(name, value, text) PAV_##name = value,
    PAV_STATUS_LIST(X)
#undef X
} pav_status;

/* How a value is kept. Arithmetic is in f32 or f64; the others are storage only. */
typedef enum pav_type {
    PAV_F32 = 0,
    PAV_F64 = 1,
    PAV_BF16 = 2,
    PAV_F16 = 3,
    PAV_U8 = 4,
} pav_type;

enum { PAV_MAX_DIMENSIONS = 3, PAV_MAX_THREADS = 1024 };

typedef struct pav_device pav_device;   /* where a computation runs */
typedef struct pav_program pav_program; /* a checked description */
typedef struct pav_run pav_run;         /* a computation with its fields, at some step */
typedef struct pav_ranks pav_ranks;     /* processes that share a run: MPI */
typedef struct pav_plan pav_plan;     /* what a run would need, and how fast it can be */
typedef struct pav_bundle pav_bundle; /* compiled kernels of a program, from a file */

PAV_API const char *pav_version(void);
PAV_API const char *pav_status_name(pav_status status);
PAV_API const char *pav_status_text(pav_status status);
/* The sentence (or lines, one mistake each) of this thread's last failure; "" before
 * any. */
PAV_API const char *pav_message(void);
PAV_API size_t pav_type_size(pav_type type);
PAV_API const char *pav_type_name(pav_type type);
/* Frees a text that a function below gave. */
PAV_API void pav_text_free(char *string);

/* ---- devices ----------------------------------------------------------------------- */

/* "auto" or NULL: the one that $PAV_DEVICE names, or the best present. An unknown name
 * fails; the message lists the known. A list ("cpu+cuda", "cuda:0-3") shares out the grid
 * of a run among several; nothing else takes one. */
PAV_API pav_status pav_device_open(const char *name, pav_device **device);
PAV_API void pav_device_free(pav_device *device);
PAV_API const char *pav_device_name(const pav_device *device);
/* Seconds that a message of halos between two of so many such devices takes besides its
 * bytes, by a table of machines: of up to 8 in one machine, of more by NCCL or a
 * network. */
PAV_API double pav_message_seconds(const pav_device *device, int devices);
/* How often kernels have been compiled or loaded in this process: who times steps leaves
 * out those in which it changed. */
PAV_API int64_t pav_kernel_loads(void);
/* How many of them the cache could not keep for another process. */
PAV_API int64_t pav_kernels_not_kept(void);
/* What this build and machine offer, as lines of text or (json != 0) as one JSON
 * object. */
PAV_API pav_status pav_doctor(int json, char **text);
/* Measures a device's rates - copying in memory and caches, arithmetic, what it takes to
 * begin a piece of work - and keeps them next to wisdom: plans and first choices go by
 * them. threads: of the host; 0: $PAV_THREADS, or all. *text: lines for people. */
PAV_API pav_status pav_machine_measure(const pav_device *device, int threads,
                                       char **text);

/* ---- programs ---------------------------------------------------------------------- */

typedef struct pav_program_options {
    const char *const
        *set; /* "name=value" texts for params and scalars, NULL-terminated; or NULL */
    const char *name; /* stands in messages instead of the path; or NULL */
    const char
        *directory; /* where files named in a parsed text are looked for; NULL: here */
} pav_program_options;

/* path: a description file, or a catalogue word such as "star3d:r=4@64x64x64/f32". */
PAV_API pav_status pav_program_load(const char *path, const pav_program_options *options,
                                    pav_program **result);
PAV_API pav_status pav_program_parse(const char *text, size_t length,
                                     const pav_program_options *options,
                                     pav_program **result);
PAV_API void pav_program_free(pav_program *p);
PAV_API int pav_program_dimensions(const pav_program *p); /* of the grid, 1 to 3 */
/* The canonical form: parsing it gives the same program, and it is the program's
 * identity. */
PAV_API pav_status pav_program_print(const pav_program *p, char **text);
/* Program, IR after each pass and analysis, as text or as one JSON object. */
PAV_API pav_status pav_program_explain(const pav_program *p, int json, char **text);
/* Of a program with an equation to solve: the description whose steps solve it; NULL
 * where there is none. */
PAV_API pav_status pav_program_solver(const pav_program *p, char **text);
/* The source of the kernels that a device (NULL: "cpu") compiles to run the program.
 * schedule: of GPUs, "point", "stream", "two-pass", or one with settings such as
 * "sweep:shared,rows=2" (docs/gpu.md); NULL: the default. */
PAV_API pav_status pav_program_generate(const pav_program *p, const char *device,
                                        const char *schedule, char **text);
/* A whole program in place of kernels. Zeros: the default. */
typedef struct pav_write_options {
    const char *device; /* "cpu"; "cuda", "cuda:0-1", "cpu+cuda" */
    const char *schedule;
    const char *name;    /* of the program and its files; NULL: the description's */
    const char *command; /* stands in its README as what wrote it; or NULL */
    int library;         /* one header and one source to link, without main */
    int allow_outside;   /* as of pav_run_options, of the program that is written */
    const char *shares;  /* of several devices, as "1,3"; NULL: by rates of memory */
} pav_write_options;
/* Writes a stand-alone program for the description into a directory: source, Makefile,
 * README. It needs nothing of this library, and its values have the bits of a run. */
PAV_API pav_status pav_program_write(const pav_program *p,
                                     const pav_write_options *options,
                                     const char *directory);
/* Registers, spills and shared memory of the program's kernels for GPUs, as NVRTC says
 * them for sm_80, sm_90 and sm_100; needs no GPU. */
PAV_API pav_status pav_program_stats(const pav_program *p, const char *schedule,
                                     char **text);
/* The catalogue's words, a line each. */
PAV_API pav_status pav_catalogue(int json, char **text);

/* ---- runs -------------------------------------------------------------------------- */

typedef struct pav_progress {
    int64_t step, steps; /* steps done and asked for in all */
    double seconds;      /* since the first step began */
    double gpts;   /* 1e9 point updates per second, over the time since the last report */
    double gbytes; /* 1e9 bytes per second that the fields' reads and writes amount to */
    double seconds_left; /* estimate; negative while unknown */
    int64_t points;      /* grid points updated per step */
} pav_progress;

/* What a run says: events of measures, outputs and expectations are sentences. */
typedef enum pav_event {
    PAV_EVENT_PROGRESS = 0, /* progress is set */
    PAV_EVENT_NOTE =
        1, /* text is set: a file written, a measure taken, `until` reached */
    /* from pav_run_open, where kernels are compiled after 2 seconds and every 10 from
     * then on, and from the look at all values before the first step: text says what it
     * does and how far it is, and progress that no step is taken yet */
    PAV_EVENT_SETUP = 2,
    PAV_EVENT_WARNING = 3, /* text is set: a sentence that nobody should miss, as that the
                            interpreter stands in for the device cpu */
} pav_event;

/* Return non-zero to stop: the run after the current step, its set-up after the current
 * part (PAV_EINTERRUPTED). Of a note or a warning it is ignored. A listener reads its
 * run's values, and neither takes steps of it (PAV_EINVAL) nor frees it. */
typedef int (*pav_listener)(void *user, pav_event event, const pav_progress *progress,
                            const char *text);

typedef struct pav_run_options {
    pav_listener listener;
    void *user;
    double report_seconds; /* least time between progress events; 0: 0.5 */
    int64_t steps;         /* in place of the description's `steps`; 0: as described */
    /* steps between searches for NaN; 0: the device's choice, < 0: never */
    int64_t nan_check_every;
    const char *
        directory; /* where outputs are written, made if need be; NULL: the current one */
    int no_files;  /* non-zero: outputs and samples are not written */
    /* of the host, PAV_MAX_THREADS at most; 0: $PAV_THREADS, or all processors */
    int threads;
    const char
        *bind; /* threads to processors: "cores": each to its own; "none"; NULL, "auto":
                         when they take all cores, or all processors, that the caller may
                         use. The caller is bound only while the run takes its steps. */
    /* of the device cpu: "rows", "blocks" or "time", several steps in one pass over
     * memory, with settings as in "time:depth=8,tile=32x2"; of GPUs: as of
     * pav_program_generate; NULL, "auto": what the first steps show to be fastest. The
     * bits are the same. */
    const char *schedule;
    const char
        *checkpoint; /* kept up to date: all that a later run needs to go on with the same
                       bits. The one before stays as FILE.old. NULL: as described */
    int64_t checkpoint_every;  /* steps; 0: as described, else by time */
    double checkpoint_seconds; /* least time between two; 0: 600 */
    const char
        *restart;  /* a checkpoint to go on from in place of the start; FILE.old is taken
                    where FILE is damaged. Only `steps`, `output` and `checkpoint` of the
                    description may have changed. */
    int copy_rate; /* the rate at which the host copies memory is measured for the report:
                      0: of runs of 20 s and more; > 0: of any; < 0: of none */
    /* non-zero: a run that needs more memory than is available is begun all the same. As
     * long as it lasts, nothing in this process is refused for that. */
    int force;
    /* non-zero: a run of the interpreter next to it, as pav_run_verify opens one, is
     * counted among what it needs; pav_plan_open reports it */
    int verify;
    /* the grid is cut into boxes that exchange halos after each step: so many in all,
     * "4", or along each axis, "2x1x2"; NULL: one. The bits are the same. */
    const char *subdomains;
    /* of the parts of the grid that the devices of a list get: "1,3"; NULL: as fast as
     * each is. The bits are the same. */
    const char *weights;
    /* seconds from opening the run on: it stops early enough to write what is due and its
     * checkpoint, with PAV_EINTERRUPTED; 0: none */
    double time_limit;
    /* bytes of the device's memory that the run may take; 0: what is free. A larger grid
     * is computed out of core: it stays in the host's memory, and a part after the other
     * visits the device. The bits are the same. */
    int64_t device_memory;
    /* "auto", "naive", "mm", "mmt", "mmtb", "m-mmtb" or "mp-mmtb", also where the grid
     * fits, with settings as in "auto:steps=8,parts=4"; NULL: auto, where it does not
     * fit */
    const char *out_of_core;
    /* a file to write at the end of a run out of core: when each visit computed and its
     * planes moved, as chrome://tracing and ui.perfetto.dev read it; or NULL */
    const char *timeline;
    /* non-zero: the description may name files to write by an absolute path or by `..`;
     * otherwise such a run is refused, with PAV_EINVAL */
    int allow_outside;
    /* steps from one exchange of halos between subdomains to the next, which compute
     * points of their neighbours again meanwhile; 0: as a model finds it fastest. The
     * bits are the same. */
    int exchange_every;
    /* that share the run: NULL: it is of this process alone. All ranks call the same
     * functions for it in the same order; the first alone writes files, and the bits are
     * those of one process. They must last as long as the run. */
    pav_ranks *ranks;
    /* where `schedule` is auto: 0: what is known of this problem on this machine is taken
     * at once, and what a long run finds out is remembered; < 0: neither; > 0: a run of
     * which nothing is known is refused, with PAV_EUNSUPPORTED. docs/tuning.md. */
    int wisdom;
    /* the run has its kernels and, unless `schedule` is given, its schedule; it must be
     * of this program and machine. NULL: kernels are compiled, or come from the cache */
    const pav_bundle *bundle;
    /* bytes of the host's memory that the fields may take; 0: what is free. Larger ones
     * are kept in files, and computed out of core, on processors too. The bits are the
     * same. */
    int64_t host_memory;
    /* a directory for these files, or some, "/ssd1,/ssd2", of disks that take turns: the
     * fields are there in any case; NULL: the present one, where host_memory asks for it.
     * With `checkpoint` they are part of it: each block of steps leaves one, and a run
     * that is killed goes on from there. Else nothing stays of them. */
    const char *disk;
} pav_run_options;

/* The ranks that a launcher of MPI (mpirun, srun) started, or those of a caller's
 * communicator (a pointer to its MPI_Comm, after MPI_Init). *ranks is NULL, with PAV_OK,
 * where this process is the only one. Freeing them ends MPI where opening them began
 * it. */
PAV_API pav_status pav_ranks_open(const void *communicator, pav_ranks **ranks);
/* `count` ranks on this machine that nobody starts, for pav_plan_open alone: what it says
 * of them is what it would say to the first. *ranks is NULL where count is 1. */
PAV_API pav_status pav_ranks_assume(int count, pav_ranks **ranks);
PAV_API void pav_ranks_free(pav_ranks *ranks);
PAV_API int pav_ranks_count(const pav_ranks *ranks);  /* 1 of NULL */
PAV_API int pav_ranks_number(const pav_ranks *ranks); /* of this process, from 0 */
/* As pav_device_open; the GPUs of a machine are dealt out to its ranks. */
PAV_API pav_status pav_ranks_device(const pav_ranks *ranks, const char *name,
                                    pav_device **device);
/* What all do when a run is over, each with its own status. *failed: the first rank that
 * failed, or -1. A rank that failed alone, while others wait for it, is given PAV_EDEVICE
 * after two seconds: pav_ranks_abort then ends all processes, with this exit status. */
PAV_API pav_status pav_ranks_meet(pav_ranks *ranks, pav_status own, int *failed);
PAV_API void pav_ranks_abort(pav_ranks *ranks, int code);

/* The program, the device and the texts in the options must last as long as the run. */
PAV_API pav_status pav_run_open(const pav_program *p, pav_device *device,
                                const pav_run_options *options, pav_run **run);
PAV_API void pav_run_free(pav_run *run);
/* Takes `steps` steps (or fewer if `until` holds or the listener stops it). */
PAV_API pav_status pav_run_steps(pav_run *run, int64_t steps);
/* Takes all steps that remain, writes what is due at the end, checks the expectations.
 * When the listener stops it, what is due at the end is written as of the step reached.
 * Outputs are written by a thread while steps are taken: all files are there when this
 * has returned, or pav_run_free. A run goes on without a checkpoint that cannot be
 * written, but PAV_EIO reports that of the last step. */
PAV_API pav_status pav_run_finish(pav_run *run);
PAV_API int64_t pav_run_step(const pav_run *run);
/* Whether an `until` of the description has ended the run, or holds after the last of all
 * its steps: 1 or 0; -1 where the description has none. A run that takes all its steps
 * without one is warned of, and is PAV_OK. */
PAV_API int pav_run_until(const pav_run *run);
/* Norms of the residual of an equation to solve: that of the start, and one of each look
 * since. Copies the first `count` (values NULL: none) and gives how many there are; -1
 * where nothing is solved. */
PAV_API int64_t pav_run_residuals(const pav_run *run, double *values, int64_t count);
/* Writes a checkpoint of the present step; path NULL: where the run keeps its own. It is
 * written next to its name, brought to the disk and renamed, so whenever a process is
 * killed a whole one is left. A listener may ask between steps of which several share a
 * launch of a GPU, or between visits of a block out of core, where no field is read or
 * written, nor a measure computed: then it is refused (PAV_EINVAL). */
PAV_API pav_status pav_run_checkpoint(pav_run *run, const char *path);
/* Where the run keeps its checkpoint, and of which step it is; NULL and -1 while there is
 * none, or none any more. */
PAV_API const char *pav_run_checkpointed(const pav_run *run, int64_t *step);
/* Whether a name is free for a file of the caller's: PAV_EINVAL where the run will write
 * one of that name, as an output, a table or its checkpoint. */
PAV_API pav_status pav_run_check_name(const pav_run *run, const char *path);
/* The value of a param, scalar or measure by name; sets a scalar for the steps to come,
 * to a finite value. */
PAV_API pav_status pav_run_get(pav_run *run, const char *name, double *value);
PAV_API pav_status pav_run_set(pav_run *run, const char *name, double value);
/* What a run holds, item 0, 1, ...: its fields, params, scalars, measures and samples,
 * each in the order of the description. PAV_EINVAL past the last, whose number is that of
 * pav_run_items less one. */
typedef enum pav_kind {
    PAV_KIND_FIELD = 0,
    PAV_KIND_PARAM = 1,
    PAV_KIND_SCALAR = 2,
    PAV_KIND_MEASURE = 3,
    PAV_KIND_SAMPLE = 4,
} pav_kind;
typedef struct pav_item {
    pav_kind kind;
    int64_t index;    /* among those of its kind */
    const char *name; /* of a sample: its field's; as long as the program lasts */
    pav_type type;    /* of a field: its storage; else PAV_F64 */
    int dimensions;   /* of a field: the grid's; of a sample 1; else 0 */
    int64_t extent[PAV_MAX_DIMENSIONS]; /* points or receivers; 1 along absent axes */
    int ages;                           /* of a field: levels kept; else 0 */
} pav_item;
PAV_API int64_t pav_run_items(const pav_run *run);
PAV_API pav_status pav_run_describe(const pav_run *run, int64_t number, pav_item *item);
/* Time, rates, memory and expectations so far, and why the run failed where it did, as
 * text or as one JSON object. */
PAV_API pav_status pav_run_report(pav_run *run, int json, char **text);

/* A field's memory: point (i, j, k) is data + (i + j*stride[1] + k*stride[2]) * size of
 * type. Valid until the run takes its next step or is freed, and for reading only:
 * pav_field_write changes a field, since its borders have to follow. */
typedef struct pav_view {
    const void *data;
    pav_type type;
    int dimensions;
    int64_t extent[PAV_MAX_DIMENSIONS]; /* 1 along absent axes */
    int64_t stride[PAV_MAX_DIMENSIONS]; /* in points; stride[0] is 1 */
} pav_view;

/* age 0 is the newest level, 1 the one before (what the description calls prev). Where
 * several steps share a launch of a GPU a listener is refused the oldest one between them
 * (PAV_EINVAL). */
PAV_API pav_status pav_field_borrow(pav_run *run, const char *field, int age,
                                    pav_view *view);
/* Dense copies, x fastest, converted from or to the field's storage; count is in
 * points. */
PAV_API pav_status pav_field_read(pav_run *run, const char *field, int age, pav_type type,
                                  void *values, int64_t count);
PAV_API pav_status pav_field_write(pav_run *run, const char *field, int age,
                                   pav_type type, const void *values, int64_t count);

/* What a sample, counted from 0 in the order of the description, took last: a value for
 * each receiver, and the step it was taken at. `step` may be NULL. Its receivers'
 * positions: x, y, z of the first, of the second, ... as the grid has axes. count is in
 * values. */
PAV_API pav_status pav_sample_read(pav_run *run, int64_t sample, int64_t *step,
                                   double *values, int64_t count);
PAV_API pav_status pav_sample_positions(pav_run *run, int64_t sample, double *values,
                                        int64_t count);

/* ---- equations --------------------------------------------------------------------- */

/* Values of all points of a field, x fastest, in place of the description's: the right
 * side, a coefficient, or the unknown, which the method starts from. */
typedef struct pav_solve_field {
    const char *name;
    const double *values;
    int64_t count;
} pav_solve_field;
/* Of a solution: steps of the method; the norm of the residual, of the first one's. */
typedef struct pav_solve_result {
    int64_t iterations;
    double residual, seconds;
    double setup_seconds; /* of these, before the first iteration */
} pav_solve_result;
/* Solves the equation of a description by a run of its own, with what the run is to
 * write and expect. given: NULL where `fields` is 0; what the method chooses by values,
 * as axes to halve, it chooses by those of the description. u: the solution at `count`
 * points, also what a method has come to that did not converge (PAV_ECONVERGE, and
 * pav_message says why); NULL: it is not wanted. result: may be NULL. */
PAV_API pav_status pav_solve(const pav_program *p, pav_device *device,
                             const pav_run_options *options, const pav_solve_field *given,
                             int64_t fields, double *u, int64_t count,
                             pav_solve_result *result);

/* ---- wisdom ------------------------------------------------------------------------ */

/* What is known to be fast on which machine: for people, or as a file that
 * pav_wisdom_import takes. */
PAV_API pav_status pav_wisdom_text(int exported, char **text);
/* Adds all lines of such a file, or none: where one is of another version, or of a
 * machine or compiler that is not here (PAV_EUNSUPPORTED; any: these are taken, too), or
 * the file is damaged (PAV_EFORMAT). *taken: lines that were not known, or are faster. */
PAV_API pav_status pav_wisdom_import(const char *path, int any, int64_t *taken);
/* All that the user's file has of programs of that name; NULL: all of it. */
PAV_API pav_status pav_wisdom_forget(const char *name, int64_t *forgotten);

/* Finds the fastest schedule of a program on a device by measuring, compares its bits
 * with the interpreter's or, on large grids, those of the plainest kernels, and remembers
 * it. No file of the description is written. PAV_EINTERRUPTED where the listener wishes
 * it: then the next call goes on. *said: a sentence about what was found. */
typedef struct pav_tune_options {
    /* informed of each candidate: PAV_EVENT_NOTE; asked by PAV_EVENT_PROGRESS */
    pav_listener listener;
    void *user;
    const char
        *effort;    /* "estimate", "measure", "patient", "exhaustive"; NULL: measure */
    double seconds; /* in all; 0: as the effort has it: 10, 30, 120, 900 */
    int threads;    /* as of a run */
    const char *bind;
} pav_tune_options;
PAV_API pav_status pav_tune(const pav_program *p, pav_device *device,
                            const pav_tune_options *options, char **said);

/* ---- compiled ahead of time -------------------------------------------------------- */

/* Compiles what such a run needs into one file. A run with it needs no compiler: neither
 * C nor CUDA's. What it holds is of this description, this version, and this model of
 * processor or GPU. */
PAV_API pav_status pav_bundle_write(const pav_program *p, pav_device *device,
                                    const pav_run_options *options, const char *path);
/* Before the device is opened, which then needs no compiler either. As long as a bundle
 * is open nothing is compiled in this process. PAV_EFORMAT: it was cut or damaged;
 * PAV_EUNSUPPORTED: it is of another version; PAV_EINVAL: others than this user may have
 * written it. It must last as long as the runs that have it. */
PAV_API pav_status pav_bundle_open(const char *path, pav_bundle **bundle);
PAV_API void pav_bundle_free(pav_bundle *bundle);
PAV_API const char *pav_bundle_device(const pav_bundle *bundle); /* "cpu" */

/* ---- before a run ------------------------------------------------------------------ */

/* What a run of the program on that device with these options would take, and how long it
 * takes at least: nothing of the grid's size is allocated and no file is written. The
 * program, the device and the texts in the options must last as long as the plan.
 * copy_gbytes: 1e9 bytes a second, read and written, at which the host copies memory. 0:
 * measured now, in a fraction of a second, unless caches hold all that a step moves; < 0:
 * not known, and no time is reported. */
PAV_API pav_status pav_plan_open(const pav_program *p, pav_device *device,
                                 const pav_run_options *options, double copy_gbytes,
                                 pav_plan **plan);
PAV_API void pav_plan_free(pav_plan *plan);
/* PAV_OK, or with the sentence that says what would fit: PAV_ENOMEM where pav_run_open
 * would refuse the run, PAV_EIO where the files that are sure to be written need more
 * than the disk has. */
PAV_API pav_status pav_plan_verdict(const pav_plan *plan);
/* All of it: as text, or as one JSON object. */
PAV_API pav_status pav_plan_report(const pav_plan *plan, int json, char **text);

/* available: -1 where the system does not say. Times are bounds: traffic between memory
 * and processors at the rate of copying, less what caches can hold; 0 where they hold all
 * or the rate is not known. */
typedef struct pav_forecast {
    int64_t points, steps; /* of the grid; steps 0: the program does not say */
    int threads;
    int64_t memory, memory_available; /* bytes that the run is sure to take */
    int64_t disk,
        disk_available; /* of the disk that would be fullest; 0 and -1: no files */
    double bytes_per_point, flops_per_point; /* of a step */
    double copy_gbytes;                      /* 0: not known */
    double seconds_per_step, seconds;        /* at least; seconds: of all steps */
    /* by the model of the likeliest schedule; 0: there is none, as of the interpreter */
    double expected_seconds_per_step, expected_seconds;
} pav_forecast;
PAV_API pav_status pav_plan_forecast(const pav_plan *plan, pav_forecast *result);

/* A schedule that the run could go by, with what the model says of a step: seconds of
 * each part by itself, and of all; idle: of units that have no work. */
typedef struct pav_candidate {
    char schedule[256]; /* as `schedule` of pav_run_options takes it */
    const char *bound;  /* the largest part in a word */
    double seconds, memory, caches, arithmetic, start, idle;
    int tried; /* a run that is free to choose may come to it */
} pav_candidate;
/* Candidate 0, 1, ..., the fastest first; PAV_EINVAL past the last. */
PAV_API int64_t pav_plan_candidates(const pav_plan *plan);
PAV_API pav_status pav_plan_candidate(const pav_plan *plan, int64_t number,
                                      pav_candidate *result);

/* ---- the way back ------------------------------------------------------------------ */

/* Of a description whose equations are linear in the fields that they update, with
 * receivers (its `sample` lines): data d that they record, and what is
 * observed there, o. docs/seismic.md. */
enum { PAV_EVERY_AUTO = -1 };
typedef struct pav_adjoint_options {
    pav_listener listener; /* informed of progress: of all steps forwards and backwards */
    void *user;
    int64_t steps; /* in place of the description's */
    int threads;   /* as of a run, like the next ones */
    const char *schedule;
    const char *directory; /* where results are written; NULL: here */
    int no_files;
    /* what was observed: .npy (rows, receivers) or SEG-Y, with the rows of the sample
     * of that name, or the directory where the files of all samples lie;
     * NULL: 0 */
    const char *data;
    /* NULL-terminated; NULL: all fields of the grid that nothing updates */
    const char *const *coefficients;
    /* a list of shots, whose sum is taken: a line of names, params of the description or
     * `data`, then a line of values for each; or NULL */
    const char *shots;
    int at_once; /* runs that each device of a list has at once; 0: one */
    /* that share the shots, and see the same directory; the first one adds them up */
    pav_ranks *ranks;
    /* bytes for the past of each run at once, of all its shots; 0: half of what is
     * available, divided among them */
    int64_t history;
    /* "all", "snapshots", "boundary" (other roundings, and of gradients the points
     * outside of the layers alone); NULL: the first of them that fits within
     * `history` */
    const char *keep;
    double *const
        *values; /* where results are put, in the order of the coefficients; or NULL */
    /* of the past every so many steps count, so many times: as often as the waves need;
     * 0: 1; PAV_EVERY_AUTO: by the spectra of the sources, ricker(f, t) or files */
    int64_t every;
    const char *disk;   /* a directory for what of the past is not in memory; or NULL */
    int64_t disk_bytes; /* the same there; 0: half of what is free, divided */
    /* "f16", "bf16", "f32": all of the past in this type, where a field's is wider; or
     * NULL */
    const char *stored;
    /* of pav_migrate: the coefficient that is the velocity, whose cube the image is
     * multiplied by; or NULL */
    const char *speed;
    int image; /* pav_adjoint_plan: of pav_migrate, in place of pav_gradient */
    /* shots of the list that are computed as one, where they differ in positions and data
     * alone; 0: as many as fill the device; 1: none */
    int together;
} pav_adjoint_options;

typedef struct pav_adjoint_result {
    double misfit;       /* half the sum of (d - o)^2 */
    int64_t steps;       /* of the run forwards */
    int64_t steps_again; /* taken again for want of memory */
    int64_t history_bytes, disk_bytes;
    double forward_seconds, backward_seconds;
    int64_t every; /* steps of the past of which one counted */
} pav_adjoint_result;

/* The description whose steps are those of the adjoint, with the receivers as sources
 * (traces "data.npy", "data-1.npy", ..., row s for step N - s), and the other way. */
PAV_API pav_status pav_program_adjoint(const pav_program *p, int64_t steps, char **text);
/* The dot-product test: F takes traces x of all sources to what the receivers record. (F
 * x, y) and (x, F' y) of random x and y; *size is |F x| |y|, of which their difference is
 * a rounding. */
PAV_API pav_status pav_adjoint_test(const pav_program *p, pav_device *device,
                                    const pav_adjoint_options *options, double *forward,
                                    double *backward, double *size);
/* The gradient of half the sum of (d - o)^2 with respect to each coefficient at every
 * point: c-gradient.npy. */
PAV_API pav_status pav_gradient(const pav_program *p, pav_device *device,
                                const pav_adjoint_options *options,
                                pav_adjoint_result *result);
/* Reverse-time migration of `data`: image.npy, the zero-lag correlation of the run
 * forwards with the adjoint whose receivers give back the data (of an equation of second
 * order in time: their sums over time, so that a reflector is a peak and no flank);
 * illumination.npy, the sum of squares of the former; migrated.npy and .png, the
 * Laplacian of their quotient, which leaves out what is smooth, times the cube of
 * `speed`. values: of these three, or NULLs. */
PAV_API pav_status pav_migrate(const pav_program *p, pav_device *device,
                               const pav_adjoint_options *options,
                               pav_adjoint_result *result);
/* A survey: the description is run once for each shot of options->shots, on the devices
 * and ranks that share them; outputs and samples of each, and shot.txt, lie in shot-0001,
 * ... of the directory, and recorded.csv there is the list with these as `data`, as
 * pav_migrate and pav_gradient take it. A shot that was recorded before, of the same
 * description and files, is not run again. Of the options the listener, steps, threads,
 * schedule, directory, at_once, together and ranks count. */
typedef struct pav_record_result {
    int64_t shots, found; /* found: that were there */
    double seconds;       /* of the others, one by one */
} pav_record_result;
PAV_API pav_status pav_record(const pav_program *p, pav_device *device,
                              const pav_adjoint_options *options,
                              pav_record_result *result);
/* What each way to keep the past takes in memory and steps, and which would be taken, as
 * text or JSON. */
PAV_API pav_status pav_adjoint_plan(const pav_program *p,
                                    const pav_adjoint_options *options, int json,
                                    char **text);

/* ---- measuring --------------------------------------------------------------------- */

/* What copies a GPU's memory: the driver; a kernel, a thread for every 16 bytes; one
 * whose tiles of threads also read what lies around them, as those of a stencil of radius
 * 1 do: threads at the faces read more than others, or all threads read alike, remapped
 * to the tile and what is around it; or a thread for every word, wherever rows begin. */
typedef enum pav_copy {
    PAV_COPY_DRIVER = 0,
    PAV_COPY_KERNEL = 1,
    PAV_COPY_HALO = 2,
    PAV_COPY_REMAP = 3,
    PAV_COPY_WORDS = 4,
} pav_copy;

typedef struct pav_bench_options {
    int threads;          /* of the host; 0: $PAV_THREADS, or all processors */
    int repetitions;      /* passes of steps, each paired with one of copying; 0: 9 */
    const char *bind;     /* as of a run */
    const char *schedule; /* as of a run; one by which the device cannot go is refused */
    pav_copy copy;        /* this and what follows: of pav_bench_copy on a GPU */
    int64_t extent[PAV_MAX_DIMENSIONS]; /* of a grid; all 0: far beyond the caches */
    pav_type type;
    /* Of PAV_COPY_WORDS, whose extent and type give the bytes that are copied where words
     * lie side by side: bytes of a word, 4, 8 or 16; words by which rows begin beyond a
     * multiple of 128 bytes; words from one to the next, 1 or more, of which rows are as
     * many times fewer. */
    int word, begin, stride;
} pav_bench_options;

typedef struct pav_bench_result {
    int threads;
    pav_type type;    /* of the arithmetic */
    char device[160]; /* "cpu", "cuda:0 (NVIDIA H200)" */
    /* that was asked for, or the kernels settled on: "rows", "blocks", "mixed" */
    char schedule[256];
    double gpts,
        bound_gpts; /* 1e9 point updates per second: reached, and as fast as copying */
    /* gpts / bound_gpts: the median of each repetition's steps and its own copying */
    double share;
    double bytes_per_point;             /* that a step must at least move */
    double seconds_min, seconds_median; /* of a step */
    double spread; /* half the width of the middle half of the times, over the median */
    double copy_bytes_per_second; /* read and written */
    /* On a GPU, 0 where not known. footprint_bytes: that a step would move a point if no
     * cache handed anything from one tile of a kernel's threads to the next, in whole
     * sectors of 32; bytes_per_point if each value crossed once. */
    double footprint_bytes;
    /* that its arithmetic alone would allow; of compiled kernels of the host, too */
    double arithmetic_gpts;
    /* steps that are fused, of which footprint_bytes are then, on all
     * devices; else 1 */
    int depth;
    char tuned[256]; /* the schedules of its kernels, as settled on; "" elsewhere */
    /* that memory handed to the processors, a point and step, by their own counters; 0
     * where not known */
    double read_bytes;
} pav_bench_result;

/* Steps of a program, in turns with passes that copy memory of the same device; files are
 * not written. On a GPU some numbers stand for initial values that the host would have to
 * work out: rates do not depend on them. */
PAV_API pav_status pav_bench_program(const pav_program *p, pav_device *device,
                                     const pav_bench_options *options,
                                     pav_bench_result *result);
/* The rate at which a device (NULL: the host) copies arrays beyond its caches; of the
 * result, only what is about copying is set. With an extent a point is a number that is
 * copied, and the driver's copying of large arrays, in turns with it, the bound. */
PAV_API pav_status pav_bench_copy(pav_device *device, const pav_bench_options *options,
                                  pav_bench_result *result);

/* Takes the first `steps` steps (0: 3) twice, on the device and on the interpreter,
 * without files, and compares all levels of all fields after each of them bit for bit.
 * PAV_EEXPECT: they differ, and the message says where and how; else *text says what was
 * compared. Needs memory for two runs. */
PAV_API pav_status pav_run_verify(const pav_program *p, pav_device *device,
                                  const pav_run_options *options, int64_t steps,
                                  char **text);

/* The model of the host's processor; "" where the system does not say. */
PAV_API const char *pav_host_name(void);

/* ---- finite elements on extruded meshes -------------------------------------------- */

/* Triangles in a plane or on a sphere, times layers: prisms with six nodes. Node number
 * column*levels + level, so a column lies side by side; columns are renumbered for
 * locality. All sums are taken in one order: the same bits for every number of threads.
 * docs/prisms.md. */
typedef struct pav_mesh pav_mesh;

typedef struct pav_mesh_options {
    int layers;         /* 0: 16 */
    double bottom, top; /* heights; both 0: from 0 to 1 */
    double grading;     /* a layer is so many times as thick as the one below; 0: 1 */
    const double *bottoms, *tops; /* of every point of the file, in its order; or NULL */
    const char *order;            /* of columns: "curve" (NULL), "rcm" or "given" */
} pav_mesh_options;

/* path: "square:n=64", "disc:n=32", "shell:n=4", a Gmsh file (.msh, versions 2.2 and 4.1,
 * ASCII), or "points.npy,triangles.npy". */
PAV_API pav_status pav_mesh_open(const char *path, const pav_mesh_options *options,
                                 pav_mesh **result);
/* The same from arrays: x, y, z of each point, three points of each triangle, counted
 * from 0. */
PAV_API pav_status pav_mesh_make(const double *points, int64_t point_count,
                                 const int32_t *triangles, int64_t triangle_count,
                                 const pav_mesh_options *options, pav_mesh **result);
PAV_API void pav_mesh_free(pav_mesh *mesh);

typedef struct pav_mesh_size {
    int64_t columns, triangles, nodes, cells;
    int layers, levels, colours;
    double volume;
} pav_mesh_size;
PAV_API pav_mesh_size pav_mesh_sizes(const pav_mesh *mesh);
/* Coordinates of all nodes; which point of the file each column is. As long as the
 * mesh. */
PAV_API const double *pav_mesh_coordinates(const pav_mesh *mesh, int axis);
PAV_API const int32_t *pav_mesh_columns(const pav_mesh *mesh);
/* The name of border 0, 1, ...; NULL past the last. "bottom", "top" and "all" are there
 * besides. */
PAV_API const char *pav_mesh_border_name(const pav_mesh *mesh, int number);

/* The bilinear form  stiffness * grad(u).grad(v) + mass * u*v;  Helmholtz has a mass of
 * -k^2. */
typedef struct pav_form {
    double stiffness, mass;
} pav_form;

/* The stages, each on all nodes. */
typedef struct pav_prism pav_prism;
typedef struct pav_prism_options {
    pav_device *device; /* NULL: the host; a GPU that is open */
    /* host: "columns" (NULL), "atomics", "reference"; GPU: "best" (NULL), "direct",
     * "constant", "accumulators" */
    const char *method;
    int threads; /* of the host; 0: all */
    int f32;     /* non-zero: arithmetic in f32 */
} pav_prism_options;
PAV_API pav_status pav_prism_open(const pav_mesh *mesh, pav_form form,
                                  const pav_prism_options *options, pav_prism **result);
PAV_API void pav_prism_free(pav_prism *prism);
/* Seconds of the last stage on the device: of a GPU its own clock, without copies to and
 * fro. */
PAV_API double pav_prism_seconds(const pav_prism *prism);
/* An expression of x, y and z at the nodes, such as "cos(pi*x)*sin(pi*y)". */
PAV_API pav_status pav_mesh_evaluate(const pav_mesh *mesh, const char *expression,
                                     double *values);
/* b = integrals of f times each node's function; y = A u, matrix-free. */
PAV_API pav_status pav_prism_rhs(pav_prism *prism, const double *f, double *b);
PAV_API pav_status pav_prism_action(pav_prism *prism, const double *u, double *y);
/* Assembles A in compressed rows. As long as the prism; the pattern stays, values change
 * with each call. */
typedef struct pav_matrix {
    int64_t rows, entries;
    const int64_t *first;  /* rows + 1 */
    const int32_t *column; /* ascending in each row */
    const double *value;
} pav_matrix;
PAV_API pav_status pav_prism_assemble(pav_prism *prism, pav_matrix *matrix);
/* y = A u with what was assembled last. */
PAV_API pav_status pav_prism_multiply(pav_prism *prism, const double *u, double *y);

/* ---- solving ---- */

typedef enum pav_border_kind {
    PAV_BORDER_DIRICHLET = 0, /* u = value */
    PAV_BORDER_NEUMANN = 1,   /* stiffness du/dn = value, outward */
    PAV_BORDER_ROBIN = 2,     /* stiffness du/dn + robin u = value */
} pav_border_kind;
typedef struct pav_mesh_border {
    const char *name; /* of the mesh, or "bottom", "top", "all" */
    pav_border_kind kind;
    const char *value; /* an expression of x, y, z; NULL: 0 */
    double robin;
} pav_mesh_border;
/* Finds u with  form(u, v) + borders = integral of source v.  What no border rules has no
 * flux. */
typedef struct pav_mesh_problem {
    pav_form form;
    const char *source; /* an expression of x, y, z; NULL: 0 */
    const pav_mesh_border *border;
    int borders;
    const char *method; /* "cg", "minres", "bicgstab"; NULL: minres where mass < 0 */
    const char *preconditioner; /* "column" (NULL), "jacobi" or "none" */
    double tolerance;           /* of the residual, relative to the right side; 0: 1e-8 */
    int64_t most;               /* iterations; 0: 10000 */
    int threads;
} pav_mesh_problem;
PAV_API pav_status pav_mesh_solve(const pav_mesh *mesh, const pav_mesh_problem *problem,
                                  double *u, pav_solve_result *result);
/* The distance from a known function in L2 and, with its three derivatives, in the
 * seminorm of H1. */
PAV_API pav_status pav_mesh_error(const pav_mesh *mesh, const double *u,
                                  const char *exact, const char *const gradient[3],
                                  double *l2, double *h1);

/* ParaView's unstructured grid (.vtu) with values at the nodes. */
PAV_API pav_status pav_mesh_write(const pav_mesh *mesh, const char *path,
                                  const char *const *names, const double *const *values,
                                  int count);
/* A .png of the values on a level seen along -z, or (level < 0) of the cut upwards
 * through two points (x, y). */
PAV_API pav_status pav_mesh_picture(const pav_mesh *mesh, const char *path,
                                    const double *values, int level, const double from[2],
                                    const double to[2]);

/* ---- programs on a mesh ---- */

/* A description that begins with `mesh` (docs/prisms.md) is parsed by pav_program_load as
 * all others are, and run by these calls in place of pav_run_*: its statements one after
 * the other. */
PAV_API int pav_program_on_mesh(const pav_program *p);
typedef struct pav_mesh_run pav_mesh_run;
typedef struct pav_mesh_run_options {
    const char *directory; /* as of pav_run_options */
    int no_files;
    int threads;       /* of the host; 0: all */
    int allow_outside; /* as of pav_run_options */
} pav_mesh_run_options;
/* Opens the mesh. device: NULL: the interpreter; a GPU: iterations run there, the host
 * does what comes before and after. The program, the device and the texts in the options
 * must last. */
PAV_API pav_status pav_mesh_run_open(const pav_program *p, const pav_device *device,
                                     const pav_mesh_run_options *options,
                                     pav_mesh_run **run);
PAV_API void pav_mesh_run_free(pav_mesh_run *run);
/* Solves, measures and writes; PAV_EEXPECT with all expectations that do not hold. */
PAV_API pav_status pav_mesh_run_finish(pav_mesh_run *run);
PAV_API const pav_mesh *pav_mesh_run_mesh(const pav_mesh_run *run);
/* A field at all nodes, and a measure, as long as the run. */
PAV_API pav_status pav_mesh_run_values(const pav_mesh_run *run, const char *field,
                                       const double **values);
PAV_API pav_status pav_mesh_run_measure(const pav_mesh_run *run, const char *measure,
                                        double *value);
/* The matrix of the left side of what is solved for a field, borders' forms among it,
 * given values not: for solvers of your own, once pav_mesh_run_finish has solved it. As
 * long as the run, or to the next call. */
PAV_API pav_status pav_mesh_run_matrix(pav_mesh_run *run, const char *field,
                                       pav_matrix *matrix);
/* Each form's kernel: flops and bytes a cell, and what the passes made of it; the memory
 * that a run takes, once it is open. For people or (json) as data, freed with
 * pav_text_free. */
PAV_API pav_status pav_mesh_explain(const pav_program *p, int json, char **text);
PAV_API pav_status pav_mesh_run_plan(const pav_mesh_run *run, int json, char **text);
/* What it did. */
PAV_API pav_status pav_mesh_run_report(const pav_mesh_run *run, int json, char **text);

/* ---- figures ----------------------------------------------------------------------- */

typedef enum pav_figure_kind {
    PAV_FIGURE_BARS = 0,  /* they lie, a group a label, in it a bar a series */
    PAV_FIGURE_LINES = 1, /* a line a series, its name where it ends */
} pav_figure_kind;

typedef struct pav_figure_series {
    const char *name;        /* in the legend, or where a line ends; NULL: not there */
    const double *x;         /* of lines; NULL: 0, 1, ... */
    const double *y;         /* NAN, or what a logarithmic axis lacks: not drawn */
    const double *mark;      /* of bars: drawn across each, NAN: not; or NULL */
    const char *const *note; /* of bars: written next to each; or NULL */
    int64_t count;
    int dashed;        /* of lines: dashed and without points, as a bound; 2: in dots */
    const char *panel; /* of lines: those of one name have a plot of their own; or NULL */
} pav_figure_series;

typedef struct pav_figure {
    pav_figure_kind kind;
    const char *title, *subtitle; /* or NULL, as all texts here */
    const char *axis_name[2];     /* across, upwards; of bars the first */
    int logarithmic[2];           /* of lines */
    const char *const *label;     /* of bars: as many as the longest series has values */
    const char *mark_name;        /* of bars: in the legend */
    const pav_figure_series *series;
    int64_t series_count;
} pav_figure;

/* Draws a figure as .png or .svg, which the path's ending decides. figure NULL: says only
 * whether that ending is known and a file can be there; none is left. */
PAV_API pav_status pav_figure_write(const char *path, const pav_figure *figure);

/* ---- checking an installation ------------------------------------------------------ */

typedef struct pav_check_options {
    const char *device; /* NULL: "auto" */
    int64_t programs;   /* random programs; 0: 200 */
    uint64_t seed;      /* 0: 1 */
    void (*report)(void *user,
                   const char *line); /* a line per failure and a few of progress */
    void *user;
    int random_only; /* non-zero: the catalogue is left out */
    int share,
        /* every n-th program alone, from number `share` on (1 to shares); 0: all of
         * them */
        shares;
    /* non-zero: nothing is run, but kernels for GPUs are compiled, for all architectures,
     * by NVRTC, which needs no GPU; one that spills registers has failed. No device is
     * opened */
    int compile;
    /* non-zero: random programs run over places instead: each where chance cuts it, on
     * lists of devices, out of core, restarted, by a schedule of chance; compared bit for
     * bit with the uncut interpreter. device NULL: the interpreter, cpu and emulated */
    int places;
    /* non-zero, of places: a pair (feature, place, schedule) that no program had and no
     * refusal explains is a failure */
    int coverage;
    void (*live)(void *user, const char *line); /* what is done now; or NULL */
} pav_check_options;

typedef struct pav_check_count {
    int64_t passed, failed;
    /* Of those that passed, on a GPU: programs whose steps have functions (exp, sin, ...)
     * at points, which are the GPU's own. Its kernels gave the same bits as each other,
     * and values within rounding. */
    int64_t near;
    /* Of those that passed: programs whose steps were fused, in time blocks or launches
     * of a GPU; and on a processor those that had several tiles along x, y and z in one,
     * and around faces that wrap, and those with pyramids or diamonds among them. */
    int64_t several, tiled[3], around[3], turned;
    int64_t within; /* a launch of a GPU within subdomains */
    int64_t visits; /* and in visits of a grid out of core; on processors in time tiles */
    /* Over places: programs whose place was refused, neither passed nor failed; and pairs
     * that no program had. */
    int64_t refused, missing;
} pav_check_count;

PAV_API pav_status pav_check(const pav_check_options *options, pav_check_count *count);
/* The description of the random program of a seed. */
PAV_API pav_status pav_check_program(uint64_t seed, char **text);
/* The same of `places`, with a comment for each file that it reads. */
PAV_API pav_status pav_check_place(uint64_t seed, char **text);

#ifdef __cplusplus
}
#endif

#endif
