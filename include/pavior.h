/* SPDX-License-Identifier: BSD-3-Clause */
/* pavior.h: the C interface of Pavior, a compiler and runtime for stencil computations on
 * grids. A run takes five calls:
 *
 *     pav_device *device;  pav_program *program;  pav_run *run;
 *     pav_device_open("auto", &device);
 *     pav_program_load("heat3d.pav", NULL, &program);
 *     pav_run_open(program, device, NULL, &run);
 *     pav_run_steps(run, 100);
 *
 * Every function that can fail returns a pav_status. After a failure pav_message() holds
 * the reason in a sentence, one for each thread. Out-parameters come last and are set to
 * NULL or 0 on failure. pav_..._free(NULL) does nothing. An options struct filled with
 * zeros asks for the defaults. x is the contiguous axis and comes first. Extents and
 * indices are 64 bits wide. One thread at a time may use a handle; different threads may
 * use different handles at once. */
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

#define PAV_VERSION_MAJOR 1
#define PAV_VERSION_MINOR 0
#define PAV_VERSION_PATCH 0
#define PAV_VERSION "1.0.0"

/* X(name, value, meaning) */
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
    X(ECONVERGE, 13, "an equation could not be solved as accurately as asked")           \
    X(EFULL, 14, "a disk is full")

typedef enum pav_status {
#define X(name, value, text) PAV_##name = value,
    PAV_STATUS_LIST(X)
#undef X
} pav_status;

/* Storage type of a value. Arithmetic is in f32 or f64; the other types are storage
 * only. */
typedef enum pav_type {
    PAV_F32 = 0,
    PAV_F64 = 1,
    PAV_BF16 = 2,
    PAV_F16 = 3,
    PAV_U8 = 4,
} pav_type;

enum { PAV_MAX_DIMENSIONS = 3, PAV_MAX_THREADS = 1024 };

typedef struct pav_device pav_device;   /* a place for computations: processors or GPUs */
typedef struct pav_program pav_program; /* a checked description */
typedef struct pav_run pav_run;         /* a computation with its fields, at some step */
typedef struct pav_ranks pav_ranks;     /* processes of MPI with a common run */
typedef struct pav_plan pav_plan; /* the needs of a run and its speed, before it starts */
typedef struct pav_bundle pav_bundle; /* compiled kernels of a program, from a file */

PAV_API const char *pav_version(void);
PAV_API const char *pav_status_name(pav_status status);
PAV_API const char *pav_status_text(pav_status status);
/* Message of this thread's last failure: one sentence, or one line for each mistake of a
 * description. "" before the first failure. */
PAV_API const char *pav_message(void);
PAV_API size_t pav_type_size(pav_type type);
PAV_API const char *pav_type_name(pav_type type);
/* Frees a string returned by one of the functions below. */
PAV_API void pav_text_free(char *string);

/* ---- devices ----------------------------------------------------------------------- */

/* A device is the hardware of a run: the processors of the host, one GPU, or a list of
 * several devices. These functions open devices, describe the machine and measure its
 * rates.
 *
 *     pav_device *device;
 *     char *text;
 *     pav_device_open("auto", &device);
 *     pav_machine_measure(device, 0, &text);
 *     printf("%s\n%s", pav_device_name(device), text); */

/* "auto" or NULL: the device named by $PAV_DEVICE, else the best device of the machine.
 * An unknown name fails, and the message lists the known names. With a list ("cpu+cuda",
 * "cuda:0-3") a run shares its grid among several devices; only runs take lists. */
PAV_API pav_status pav_device_open(const char *name, pav_device **device);
PAV_API void pav_device_free(pav_device *device);
PAV_API const char *pav_device_name(const pav_device *device);
/* Latency, in seconds, of a halo message between two of `devices` such devices: the time
 * of the message less the time of its bytes. It comes from a table of machines: up to 8
 * devices in one machine, more over NCCL or a network. */
PAV_API double pav_message_seconds(const pav_device *device, int devices);
/* Number of kernels compiled or loaded by this process so far. A caller of timed steps
 * should discard each step in which this number changed. */
PAV_API int64_t pav_kernel_loads(void);
/* Number of these kernels not stored in the cache: another process has to compile them
 * again. */
PAV_API int64_t pav_kernels_not_kept(void);
/* Describes this build and this machine: text, or one JSON object if json != 0. */
PAV_API pav_status pav_doctor(int json, char **text);
/* Measures the rates of a device: copying in memory and in caches, arithmetic, and the
 * start of a launch or parallel region. The rates are stored next to the wisdom; plans
 * and default schedules use them. threads: of the host; 0: $PAV_THREADS, or all. *text: a
 * report for people. */
PAV_API pav_status pav_machine_measure(const pav_device *device, int threads,
                                       char **text);

/* ---- programs ---------------------------------------------------------------------- */

/* A program is a description, parsed and checked. These functions load it, print it, show
 * its analysis and generate its source code.
 *
 *     pav_program *program;
 *     const char *set[] = {"n=128", NULL};
 *     pav_program_load("heat.pav", &(pav_program_options){.set = set}, &program);
 *     pav_program_explain(program, 0, &text);
 *     puts(text); */

typedef struct pav_program_options {
    /* Values for params and scalars, as "name=value"; NULL-terminated; or NULL. With
     * "name:=value" a param is an argument of the kernels, so programs with other values
     * share them; the last bits may differ from "name=value". */
    const char *const *set;
    /* Name of the description in messages, in place of the path; or NULL. */
    const char *name;
    /* Directory for the files named in a parsed string; NULL: the current one. */
    const char *directory;
} pav_program_options;

/* path: a description file, or a catalogue entry such as "star3d:r=4@64x64x64/f32". */
PAV_API pav_status pav_program_load(const char *path, const pav_program_options *options,
                                    pav_program **result);
PAV_API pav_status pav_program_parse(const char *text, size_t length,
                                     const pav_program_options *options,
                                     pav_program **result);
PAV_API void pav_program_free(pav_program *p);
PAV_API int pav_program_dimensions(const pav_program *p); /* 1 to 3 */
/* Prints the canonical form. It parses to the same program and serves as the program's
 * identity. */
PAV_API pav_status pav_program_print(const pav_program *p, char **text);
/* The program, its IR after each pass and its analysis: text, or one JSON object. */
PAV_API pav_status pav_program_explain(const pav_program *p, int json, char **text);
/* For a program with an equation to solve: the description of the solver's steps. *text
 * is NULL if the program has no equation. */
PAV_API pav_status pav_program_solver(const pav_program *p, char **text);
/* Source code of the program's kernels for a device (NULL: "cpu"). schedule, for GPUs:
 * "point", "sweep", "two-pass", or a schedule with settings such as
 * "sweep:shared,rows=2" (docs/gpu.md); NULL: the default. */
PAV_API pav_status pav_program_generate(const pav_program *p, const char *device,
                                        const char *schedule, char **text);
/* Options of a stand-alone program. Zeros ask for the defaults. */
typedef struct pav_write_options {
    const char *device; /* "cpu"; "cuda", "cuda:0-1", "cpu+cuda" */
    const char *schedule;
    const char *name;    /* of the program and its files; NULL: the description's */
    const char *command; /* for the README: the command behind these files; or NULL */
    int library;         /* non-zero: one header and one source, without main */
    int allow_outside;   /* see pav_run_options; it holds for the written program */
    const char *shares;  /* for several devices: "1,3"; NULL: by memory bandwidth */
} pav_write_options;
/* Writes a stand-alone program for the description into a directory: source, Makefile,
 * README. The program does not need this library, and its values are bitwise identical to
 * those of a run. */
PAV_API pav_status pav_program_write(const pav_program *p,
                                     const pav_write_options *options,
                                     const char *directory);
/* Registers, spills and shared memory of the program's GPU kernels, reported by NVRTC for
 * sm_75, sm_80, sm_90 and sm_100. Needs no GPU. */
PAV_API pav_status pav_program_stats(const pav_program *p, const char *schedule,
                                     char **text);
/* The entries of the catalogue, one a line. */
PAV_API pav_status pav_catalogue(int json, char **text);

/* ---- runs -------------------------------------------------------------------------- */

/* A run is a program on a device, with its fields in memory, at some step. These
 * functions take steps, read and write fields, and write checkpoints. A run may be cut
 * into subdomains or shared by several processes, and may keep its grid out of core. None
 * of this changes a bit of the results.
 *
 *     pav_run *run;
 *     double total;
 *     pav_run_open(program, device, &(pav_run_options){.checkpoint = "half"}, &run);
 *     pav_run_finish(run);
 *     pav_run_get(run, "total", &total); */

typedef struct pav_progress {
    int64_t step, steps; /* steps done; steps requested in all */
    double seconds;      /* since the first step began */
    double gpts;         /* 1e9 point updates per second since the last report */
    double gbytes;       /* 1e9 bytes per second read and written by the fields */
    double seconds_left; /* estimate; negative while unknown */
    int64_t points;      /* grid points updated per step */
    int bounded;         /* 1: an `until` may end the run before seconds_left */
    /* The part of the run that has taken longest, over half a second, if it is not the
     * steps: "set-up", "output and checks" or "checkpoints"; or NULL. */
    const char *longest;
} pav_progress;

/* Events of a run. Measures, outputs and expectations arrive in sentences. */
typedef enum pav_event {
    PAV_EVENT_PROGRESS = 0, /* progress is set */
    PAV_EVENT_NOTE =
        1, /* text is set: a written file, a value of a measure, a fulfilled `until` */
    /* Set-up, before the first step: text is set, and progress shows step 0. pav_run_open
     * sends these events if compilation takes over 2 seconds, then every 10 seconds, and
     * during the NaN check of the initial values. */
    PAV_EVENT_SETUP = 2,
    /* text is set: a sentence for everybody's attention, for example that the interpreter
     * replaces the device cpu */
    PAV_EVENT_WARNING = 3,
    /* The run is held (see pav_answer); progress is set, without rates. All levels of all
     * fields are present. */
    PAV_EVENT_HELD = 4,
} pav_event;

/* Return values of a listener. Every value besides these requests a stop with
 * PAV_EINTERRUPTED, too: of a run after the current step, of a set-up after the current
 * part. The return value for a note or a warning is ignored. */
typedef enum pav_answer {
    PAV_GO_ON = 0,
    PAV_STOP = 1,
    /* Hold the run at the next step with all levels: until the listener answers
     * otherwise, it gets PAV_EVENT_HELD again and again, and may wait in it. A time limit
     * ends a hold. Ranks stop instead. */
    PAV_HOLD = 2,
    PAV_STEP = 3, /* take one step, then hold */
} pav_answer;

typedef int (*pav_listener)(void *user, pav_event event, const pav_progress *progress,
                            const char *text);

typedef struct pav_run_options {
    pav_listener listener;
    void *user;
    double report_seconds; /* least seconds between progress events; 0: 0.5 */
    int64_t steps;         /* replaces the description's `steps`; 0: as described */
    /* Steps from one NaN check to the next; 0: the device's choice; < 0: never. */
    int64_t nan_check_every;
    /* Directory for outputs, created if necessary; NULL: the current one. */
    const char *directory;
    int no_files; /* non-zero: no outputs or samples are written */
    /* Threads of the host, at most PAV_MAX_THREADS; 0: $PAV_THREADS, or all
     * processors. */
    int threads;
    /* Binding of threads to processors. "cores": each thread to a core of its own;
     * "none". NULL or "auto": bind if the threads take all cores, or all processors,
     * available to the caller. The caller's own thread is bound only during the steps of
     * the run. */
    const char *bind;
    /* Schedule. For the device cpu: "rows", "blocks" or "time" (temporal blocking), with
     * settings as in "time:depth=8,tile=32x2". For GPUs: see pav_program_generate. NULL
     * or "auto": the fastest in the first steps. All schedules give the same bits. */
    const char *schedule;
    /* Checkpoint file, updated during the run. It holds all the state needed to continue
     * with the same bits. The previous checkpoint is kept as FILE.old. NULL: as
     * described. */
    const char *checkpoint;
    int64_t checkpoint_every;  /* steps between two; 0: as described, else by time */
    double checkpoint_seconds; /* least seconds between two; 0: 600 */
    /* Checkpoint to continue from, in place of step 0. If FILE is damaged, FILE.old is
     * read. Only `steps`, `output` and `checkpoint` of the description may have
     * changed. */
    const char *restart;
    /* Measure the host's copy bandwidth for the report. 0: for runs of 20 s or more; > 0:
     * for all runs; < 0: never. */
    int copy_rate;
    /* Non-zero: begin the run even if it needs more memory than is available. During such
     * a run no function of this process fails for lack of available memory. */
    int force;
    /* Non-zero: the memory of a second run, on the interpreter, counts among the needs,
     * because pav_run_verify opens such a run. pav_plan_open reports it. */
    int verify;
    /* Number of subdomains, with halo exchanges after each step: in all, "4", or along
     * each axis, "2x1x2"; NULL: one. The bits are the same. */
    const char *subdomains;
    /* Shares of the grid for the devices of a list: "1,3"; NULL: in proportion to their
     * speed. The bits are the same. */
    const char *weights;
    /* Seconds from pav_run_open. The run stops early enough to write its due files and
     * its checkpoint, with PAV_EINTERRUPTED; 0: no limit. */
    double time_limit;
    /* Bytes of device memory for the run; 0: all free memory. A larger grid is computed
     * out of core: it stays in the host's memory, and its blocks of planes visit the
     * device in turn. The bits are the same. */
    int64_t device_memory;
    /* Out-of-core method: "auto", "naive", "mm", "mmt", "mmtb", "m-mmtb" or "mp-mmtb",
     * with settings as in "auto:steps=8,parts=4". A named method is used even if the grid
     * fits on the device. NULL: auto, for grids too large for the device. */
    const char *out_of_core;
    /* Timeline of an out-of-core run, written at its end: the times of computation and of
     * transfers for each visit, for chrome://tracing and ui.perfetto.dev; or NULL. */
    const char *timeline;
    /* Non-zero: output paths of the description may be absolute or contain `..`.
     * Otherwise such a run is refused with PAV_EINVAL. */
    int allow_outside;
    /* Steps between two halo exchanges of subdomains. In between, each subdomain computes
     * a strip of its neighbours' points again. 0: the fastest by the model. The bits are
     * the same. */
    int exchange_every;
    /* Ranks of the run; NULL: this process alone. All ranks must call the same functions
     * of the run in the same order. Only the first rank writes files, and the bits are
     * those of one process. The ranks must last as long as the run. */
    pav_ranks *ranks;
    /* Use of wisdom if `schedule` is auto. 0: a known schedule for this problem and
     * machine is used at once, and a long run stores its result. < 0: neither. > 0: a run
     * of an unknown problem is refused with PAV_EUNSUPPORTED. See docs/tuning.md. */
    int wisdom;
    /* Compiled kernels and, unless `schedule` is set, the schedule of this run, for this
     * program and machine. NULL: kernels are compiled, or come from the cache. */
    const pav_bundle *bundle;
    /* Bytes of host memory for the fields; 0: all free memory. Larger fields are stored
     * in files and computed out of core, even on processors. The bits are the same. */
    int64_t host_memory;
    /* Directory for these files, or a list of directories on several disks used in turn:
     * "/ssd1,/ssd2". If it is set, the fields are in files in any case; NULL: the current
     * directory, used only if host_memory requires files. With `checkpoint` the files are
     * part of the checkpoint: each block of steps leaves one, and a killed run continues
     * from it. Without `checkpoint` the files are deleted. */
    const char *disk;
    /* While kernels for processors are compiled, the interpreter takes steps, with the
     * same bits. 0: as many as it can ($PAV_EARLY=0: none). N: exactly N. < 0: none; the
     * run waits for its kernels. */
    int64_t early;
    /* Files of outputs say how they were made: version, machine, compiler, settings and
     * date. Non-zero: they do not, so files of two machines or days can be compared. */
    int no_stamp;
} pav_run_options;

/* Ranks started by an MPI launcher (mpirun, srun), or ranks of a caller's communicator (a
 * pointer to its MPI_Comm, after MPI_Init). For a single process *ranks is NULL, with
 * PAV_OK. pav_ranks_free finalises MPI if pav_ranks_open initialised it. */
PAV_API pav_status pav_ranks_open(const void *communicator, pav_ranks **ranks);
/* `count` imaginary ranks on this machine, for pav_plan_open alone: the plan shows the
 * first rank's view. *ranks is NULL if count is 1. */
PAV_API pav_status pav_ranks_assume(int count, pav_ranks **ranks);
PAV_API void pav_ranks_free(pav_ranks *ranks);
PAV_API int pav_ranks_count(const pav_ranks *ranks);  /* 1 for NULL */
PAV_API int pav_ranks_number(const pav_ranks *ranks); /* of this process, from 0 */
/* Like pav_device_open, but the GPUs of a machine are divided among its ranks. */
PAV_API pav_status pav_ranks_device(const pav_ranks *ranks, const char *name,
                                    pav_device **device);
/* Synchronises all ranks at the end of a run; each passes its own status. *failed: the
 * first failed rank, or -1. If a rank fails alone, the others may wait for it elsewhere:
 * after two seconds pav_ranks_meet then returns PAV_EDEVICE, and the rank should call
 * pav_ranks_abort, to end all processes with this exit status. */
PAV_API pav_status pav_ranks_meet(pav_ranks *ranks, pav_status own, int *failed);
PAV_API void pav_ranks_abort(pav_ranks *ranks, int code);

/* Opens a run. The program, the device and the strings in the options must last as long
 * as the run. */
PAV_API pav_status pav_run_open(const pav_program *p, pav_device *device,
                                const pav_run_options *options, pav_run **run);
PAV_API void pav_run_free(pav_run *run);
/* Takes `steps` steps. It takes fewer if `until` holds or the listener stops the run. */
PAV_API pav_status pav_run_steps(pav_run *run, int64_t steps);
/* Takes all remaining steps, writes the final files and checks the expectations. If the
 * listener stops the run, the final files hold the last step. A thread writes outputs
 * during the steps; all files are complete after pav_run_finish or pav_run_free. A
 * failure to write a checkpoint does not stop a run, but PAV_EIO reports a failed
 * checkpoint of the last step. */
PAV_API pav_status pav_run_finish(pav_run *run);
PAV_API int64_t pav_run_step(const pav_run *run);
/* State of the description's `until`: 1 if it ended the run or holds after the last step,
 * 0 if not, -1 if the description has none. A run may take all its steps without a
 * fulfilled `until`: it warns, and returns PAV_OK. */
PAV_API int pav_run_until(const pav_run *run);
/* Norms of the residual of an equation to solve: at the start, and at each check since.
 * Copies the first `count` norms (values NULL: none) and returns the number of all norms;
 * -1 if the program has no equation. */
PAV_API int64_t pav_run_residuals(const pav_run *run, double *values, int64_t count);
/* Writes a checkpoint of the present step; path NULL: the run's own checkpoint file. The
 * checkpoint is written under a temporary name, synchronised to disk and renamed, so a
 * killed process always leaves a complete file. Between fused steps of a GPU, or between
 * visits of an out-of-core block, some levels are missing. A listener's request is then
 * refused (PAV_EINVAL). At steps with an output, a measure or a field access all levels
 * are present. */
PAV_API pav_status pav_run_checkpoint(pav_run *run, const char *path);
/* Path and step of the run's checkpoint; NULL and -1 if it does not exist, or no
 * longer. */
PAV_API const char *pav_run_checkpointed(const pav_run *run, int64_t *step);
/* Checks the name of a file of the caller's: PAV_EINVAL if the run will write a file of
 * this name (an output, a table or its checkpoint). */
PAV_API pav_status pav_run_check_name(const pav_run *run, const char *path);
/* Reads a param, scalar or measure by name; sets a scalar, to a finite value, for the
 * coming steps. */
PAV_API pav_status pav_run_get(pav_run *run, const char *name, double *value);
PAV_API pav_status pav_run_set(pav_run *run, const char *name, double value);
/* Items of a run: its fields, params, scalars, measures and samples, each kind in the
 * order of the description, numbered from 0 to pav_run_items - 1. pav_run_describe
 * returns PAV_EINVAL for larger numbers. */
typedef enum pav_kind {
    PAV_KIND_FIELD = 0,
    PAV_KIND_PARAM = 1,
    PAV_KIND_SCALAR = 2,
    PAV_KIND_MEASURE = 3,
    PAV_KIND_SAMPLE = 4,
} pav_kind;
typedef struct pav_item {
    pav_kind kind;
    int64_t index; /* among the items of its kind */
    /* Name; for a sample, its field's name. Valid until the program is freed. */
    const char *name;
    pav_type type;  /* storage type of a field; else PAV_F64 */
    int dimensions; /* grid dimensions of a field; 1 for a sample; else 0 */
    int64_t extent[PAV_MAX_DIMENSIONS]; /* points or receivers; 1 along absent axes */
    int ages;                           /* number of levels of a field; else 0 */
} pav_item;
PAV_API int64_t pav_run_items(const pav_run *run);
PAV_API pav_status pav_run_describe(const pav_run *run, int64_t number, pav_item *item);
/* Report of the run so far: time, rates, memory, expectations and the cause of a failure.
 * Text, or one JSON object. */
PAV_API pav_status pav_run_report(pav_run *run, int json, char **text);

/* A view of a field's memory. Point (i, j, k) is at data + (i + j*stride[1] +
 * k*stride[2]) * size of type. The view is valid until the next step of the run or
 * pav_run_free. It is read-only: use pav_field_write to change a field, because its
 * borders have to be updated as well. */
typedef struct pav_view {
    const void *data;
    pav_type type;
    int dimensions;
    int64_t extent[PAV_MAX_DIMENSIONS]; /* 1 along absent axes */
    int64_t stride[PAV_MAX_DIMENSIONS]; /* in points; stride[0] is 1 */
} pav_view;

/* age 0 is the newest level, 1 the previous level (`prev` in a description). Inside a
 * fused launch of a GPU a listener cannot borrow the oldest level (PAV_EINVAL). */
PAV_API pav_status pav_field_borrow(pav_run *run, const char *field, int age,
                                    pav_view *view);
/* Dense copies, x fastest, converted from or to the field's storage type. count is in
 * points. */
PAV_API pav_status pav_field_read(pav_run *run, const char *field, int age, pav_type type,
                                  void *values, int64_t count);
PAV_API pav_status pav_field_write(pav_run *run, const char *field, int age,
                                   pav_type type, const void *values, int64_t count);

/* The memory of a level on the run's device, for other code of this process: CuPy,
 * PyTorch, kernels of the caller. `data` is an address of the device: the host may use it
 * if device_type is 1. The device has finished all its work. Other code may read and
 * change the points until the next steps of the run; every call of the run sees the
 * changes, waits for the device, and fills the borders again. Refused inside a listener,
 * and if subdomains, ranks or blocks share the grid. */
typedef struct pav_device_view {
    pav_view view;
    int device_type;   /* as DLPack numbers them: 1 the host, 2 CUDA */
    int device_number; /* 0, 1, ... of CUDA; 0 for the host */
} pav_device_view;
PAV_API pav_status pav_field_device(pav_run *run, const char *field, int age,
                                    pav_device_view *view);
/* Like pav_field_write, with values in this memory: dense, x fastest, of the field's
 * storage type, in memory of the run's device. */
PAV_API pav_status pav_field_write_device(pav_run *run, const char *field, int age,
                                          const void *values, int64_t count);
/* Draws the newest level as a PNG in memory, with axes and a colour bar; of a field in
 * three dimensions, the slice across `axis` (0, 1, 2) at index `at`. Only the points of
 * the slice leave the device. Along axes of more than 1024 points, every n-th point is
 * drawn. Free *png with pav_text_free. */
PAV_API pav_status pav_field_picture(pav_run *run, const char *field, int axis,
                                     int64_t at, char **png, size_t *length);

/* Outputs that the description does not have. `words` stand behind `output` in a line of
 * the language: "u slice z 16 range 0 to 2". The ending of the path gives the format.
 * With "u every 1" in an .apng, .pvd or .xdmf file each call of pav_output_write adds the
 * present step; other files then have the step in their names. The path is the caller's:
 * `directory` and `no_files` of the run do not hold. Expressions are refused, and so is a
 * file that a statement or another open output of the run writes.
 * pav_output_close waits for the files, gives all pictures of an animation one range, and
 * frees the output whatever the status. Close it before the run. */
typedef struct pav_output pav_output;
PAV_API pav_status pav_output_open(pav_run *run, const char *words, const char *path,
                                   pav_output **result);
PAV_API pav_status pav_output_write(pav_output *output);
/* Writes values of the caller in place of the field's, one for each point, x fastest: the
 * magnitude of a complex field, for example. `name` stands in the title. */
PAV_API pav_status pav_output_write_values(pav_output *output, const char *name,
                                           const double *values, int64_t count);
PAV_API pav_status pav_output_close(pav_output *output);

/* The last values of a sample, one for each receiver, and their step (`step` may be
 * NULL). Samples are numbered from 0 in the order of the description.
 * pav_sample_positions gives the positions of the receivers: x, y, z of the first, then
 * of the second, with one number for each axis of the grid. count is in values. */
PAV_API pav_status pav_sample_read(pav_run *run, int64_t sample, int64_t *step,
                                   double *values, int64_t count);
PAV_API pav_status pav_sample_positions(pav_run *run, int64_t sample, double *values,
                                        int64_t count);

/* ---- equations --------------------------------------------------------------------- */

/* An equation is solved by a run of its own: the caller may replace the right side,
 * coefficients and the first guess, and gets the solution and the residual.
 *
 *     pav_solve_field f = {"f", values, count};
 *     pav_solve_result result;
 *     pav_solve(program, device, NULL, &f, 1, u, count, &result);
 *     printf("%d iterations\n", (int)result.iterations); */

/* Values of a field at all points, x fastest. They replace the description's values of
 * the right side, a coefficient or the unknown (the first guess). */
typedef struct pav_solve_field {
    const char *name;
    const double *values;
    int64_t count;
} pav_solve_field;
/* Iterations of the method; norm of the residual relative to the first; seconds. */
typedef struct pav_solve_result {
    int64_t iterations;
    double residual, seconds;
    double setup_seconds; /* the part of `seconds` before the first iteration */
} pav_solve_result;
/* Solves the equation of a description by a run of its own. The run writes its files and
 * checks its expectations. given: NULL if `fields` is 0. The choices of the method, for
 * example its axes of coarsening, depend on the description's values, not on `given`. u:
 * the solution at `count` points, or NULL; several unknowns follow each other. If the
 * method does not converge (PAV_ECONVERGE), u holds its last iterate, and pav_message
 * gives the cause. result: or NULL. */
PAV_API pav_status pav_solve(const pav_program *p, pav_device *device,
                             const pav_run_options *options, const pav_solve_field *given,
                             int64_t fields, double *u, int64_t count,
                             pav_solve_result *result);

/* ---- wisdom ------------------------------------------------------------------------ */

/* Wisdom is a file of measured results: the fastest known schedule for each program,
 * device and machine. pav_tune adds to it, and later runs start with it.
 *
 *     pav_tune(program, device, &(pav_tune_options){.effort = "patient"}, &text);
 *     puts(text);
 *     pav_wisdom_text(1, &text);
 *     puts(text); */

/* The wisdom of this user: a table for people, or (exported) a file for
 * pav_wisdom_import. */
PAV_API pav_status pav_wisdom_text(int exported, char **text);
/* Adds all lines of such a file, or none. It adds none if the file is damaged
 * (PAV_EFORMAT), or if a line is of another version, machine or compiler
 * (PAV_EUNSUPPORTED). With `any`, lines of other machines and compilers are added, too.
 * *taken: number of new or faster lines. */
PAV_API pav_status pav_wisdom_import(const char *path, int any, int64_t *taken);
/* Deletes all wisdom about programs of this name; NULL: about all programs. */
PAV_API pav_status pav_wisdom_forget(const char *name, int64_t *forgotten);

/* Finds the fastest schedule of a program on a device by measuring, and stores it in the
 * wisdom. Each schedule's bits are compared with the interpreter's, or on large grids
 * with those of the simplest kernels. No file of the description is written. If the
 * listener stops the search (PAV_EINTERRUPTED), the next call continues it. *said: the
 * result in a sentence. */
typedef struct pav_tune_options {
    /* Receives each candidate in a PAV_EVENT_NOTE. Each PAV_EVENT_PROGRESS lets it stop
     * the tuning. */
    pav_listener listener;
    void *user;
    const char
        *effort;    /* "estimate", "measure", "patient" or "exhaustive"; NULL: measure. */
    double seconds; /* in all; 0: by effort: 10, 30, 120, 900 */
    int threads;    /* see pav_run_options */
    const char *bind;
} pav_tune_options;
PAV_API pav_status pav_tune(const pav_program *p, pav_device *device,
                            const pav_tune_options *options, char **said);

/* ---- compiled ahead of time -------------------------------------------------------- */

/* A bundle is a file of compiled kernels, for machines without a compiler and for a
 * faster start.
 *
 *     pav_bundle *bundle;
 *     pav_bundle_write(program, device, NULL, "heat.bundle");
 *     pav_bundle_open("heat.bundle", &bundle);
 *     pav_run_open(program, device, &(pav_run_options){.bundle = bundle}, &run); */

/* Compiles the kernels of a run into one file. A run with this bundle needs no compiler,
 * neither for C nor for CUDA. The bundle is valid for this description, this version and
 * this model of processor or GPU. */
PAV_API pav_status pav_bundle_write(const pav_program *p, pav_device *device,
                                    const pav_run_options *options, const char *path);
/* Opens a bundle. Call it before pav_device_open: the device then needs no compiler
 * either. While a bundle is open, this process compiles nothing. PAV_EFORMAT: the file is
 * truncated or damaged. PAV_EUNSUPPORTED: it is of another version. PAV_EINVAL: users
 * other than this one may have written it. The bundle must last as long as its runs. */
PAV_API pav_status pav_bundle_open(const char *path, pav_bundle **bundle);
PAV_API void pav_bundle_free(pav_bundle *bundle);
PAV_API const char *pav_bundle_device(const pav_bundle *bundle); /* "cpu" */

/* Writes kernels of descriptions (pav_program_load), for grids of all sizes, into a
 * folder: the files x86-64-v3.kernels and x86-64-v4.kernels, one for each level of
 * processors. An installation has them in lib/pavior/kernels; $PAV_KERNELS names another
 * folder. Runs of these descriptions, and of others with the same kernels, then need no
 * compiler. device: a GPU, "cpu" or NULL. "cpu" writes the level of this processor alone.
 * With a GPU the kernels are those of its runs of these descriptions, and lie in a folder
 * for its architecture: sm_90. */
PAV_API pav_status pav_kernels_write(const char *const *files, int64_t count,
                                     pav_device *device, const char *folder);

/* ---- before a run ------------------------------------------------------------------ */

/* A plan answers two questions before a run starts: does it fit, and how long will it
 * take? Nothing of the grid's size is allocated, and no file is written.
 *
 *     pav_plan *plan;
 *     pav_forecast forecast;
 *     pav_plan_open(program, device, NULL, 0, &plan);
 *     pav_plan_forecast(plan, &forecast);
 *     if (pav_plan_verdict(plan) == PAV_OK)
 *         printf("%g s at least\n", forecast.seconds); */

/* Plans a run of the program on this device with these options. The program, the device
 * and the strings in the options must last as long as the plan. copy_gbytes: copy
 * bandwidth of the host's memory, in 1e9 bytes per second, read and written. 0: measured
 * now, in a fraction of a second, unless the caches hold all data of a step. < 0:
 * unknown, and the plan has no times. */
PAV_API pav_status pav_plan_open(const pav_program *p, pav_device *device,
                                 const pav_run_options *options, double copy_gbytes,
                                 pav_plan **plan);
PAV_API void pav_plan_free(pav_plan *plan);
/* PAV_OK if the run fits. PAV_ENOMEM: pav_run_open would refuse the run. PAV_EFULL: the
 * files certain to be written need more space than the disk has. The message then names a
 * size with room. */
PAV_API pav_status pav_plan_verdict(const pav_plan *plan);
/* The whole plan: text, or one JSON object. */
PAV_API pav_status pav_plan_report(const pav_plan *plan, int json, char **text);

/* Needs of a run and lower bounds of its time. The bounds are memory traffic, less the
 * traffic that caches can absorb, at copy bandwidth. They are 0 if the caches hold all
 * data or the bandwidth is unknown. available: -1 if the system does not report it. */
typedef struct pav_forecast {
    int64_t points, steps; /* of the grid; steps 0: not in the description */
    int threads;
    int64_t memory, memory_available; /* bytes certain to be allocated; bytes available */
    int64_t disk,
        disk_available; /* Bytes of files on the fullest disk; 0 and -1: no files. */
    double bytes_per_point, flops_per_point; /* of one step */
    double copy_gbytes;                      /* 0: unknown */
    double seconds_per_step, seconds;        /* lower bounds; seconds: all steps */
    /* Predicted for the most probable schedule; 0: no model, for example for the
     * interpreter. */
    double expected_seconds_per_step, expected_seconds;
} pav_forecast;
PAV_API pav_status pav_plan_forecast(const pav_plan *plan, pav_forecast *result);

/* A legal schedule of the run, and the model's prediction for one step: seconds of each
 * component alone, and of all together; idle: seconds lost by units without work. */
typedef struct pav_candidate {
    char schedule[256]; /* in the syntax of pav_run_options.schedule */
    const char *bound;  /* name of the largest component */
    double seconds, memory, caches, arithmetic, start, idle;
    int tried; /* non-zero: autotuning may choose it */
} pav_candidate;
/* Candidate 0, 1, ..., the fastest first; PAV_EINVAL after the last. */
PAV_API int64_t pav_plan_candidates(const pav_plan *plan);
PAV_API pav_status pav_plan_candidate(const pav_plan *plan, int64_t number,
                                      pav_candidate *result);

/* ---- the way back ------------------------------------------------------------------ */

/* Adjoints, gradients and images of wave equations, and surveys of many shots: the tools
 * for seismic inversion and migration.
 *
 *     pav_adjoint_options options = {.data = "d.npy", .every = PAV_EVERY_AUTO};
 *     pav_adjoint_result sum;
 *     pav_gradient(program, device, &options, &sum);
 *     printf("misfit %g\n", sum.misfit); */

/* Options for descriptions with receivers (`sample` lines) and equations linear in the
 * updated fields. d: the recorded data; o: the observed data. See docs/seismic.md. */
enum { PAV_EVERY_AUTO = -1 };
typedef struct pav_adjoint_options {
    pav_listener listener; /* gets progress over all steps, forward and backward */
    void *user;
    int64_t steps; /* replaces the description's `steps` */
    int threads;   /* see pav_run_options, like the next ones */
    const char *schedule;
    const char *directory; /* for results; NULL: the current one */
    int no_files;
    /* Observed data: a .npy file (rows, receivers) or a SEG-Y file, with the rows of the
     * sample of the same name, or a directory with the files of all samples. NULL: 0. */
    const char *data;
    /* Names, NULL-terminated; NULL: all fields of the grid without an update. */
    const char *const *coefficients;
    /* List of shots; results are summed over them. The first line holds names (params of
     * the description, or `data`); each further line holds the values of one shot. Or
     * NULL. */
    const char *shots;
    int at_once; /* simultaneous runs on each device of a list; 0: one */
    /* Ranks share the shots and must see the same directory; the first rank adds up the
     * results. */
    pav_ranks *ranks;
    /* Bytes of memory for the forward history, for all shots of a run together; 0: half
     * of the available memory, divided among the simultaneous runs. */
    int64_t history;
    /* History method: "all", "snapshots" or "boundary"; NULL: the first with enough room
     * in `history`. "boundary" rounds differently, and its gradients cover only the
     * points outside the absorbing layers. */
    const char *keep;
    double *const
        *values; /* Arrays for the results, in the order of the coefficients; or NULL. */
    /* Every n-th step of the history is used, with weight n; the waves must still be
     * sampled often enough. 0: 1. PAV_EVERY_AUTO: from the spectra of the sources,
     * ricker(f, t) or files. */
    int64_t every;
    const char *disk;   /* Directory for history too large for memory; or NULL. */
    int64_t disk_bytes; /* bytes of files there; 0: half of the free space, divided */
    /* Storage type of the history for wider fields: "f16", "bf16" or "f32"; or NULL. */
    const char *stored;
    /* For pav_migrate: name of the velocity coefficient; the image is multiplied by its
     * cube. Or NULL. */
    const char *speed;
    int image; /* for pav_adjoint_plan: plan pav_migrate, not pav_gradient */
    /* Number of shots computed in one run; they may differ only in positions and data. 0:
     * enough to fill the device; 1: no batching. */
    int together;
    /* For pav_record: a study of params. A failed run does not end it: measures.csv has a
     * column with the reasons. Params are arguments of the kernels ("name:=value")
     * wherever the description allows it. */
    int sweep;
    int no_stamp; /* see pav_run_options */
} pav_adjoint_options;

typedef struct pav_adjoint_result {
    double misfit;       /* half the sum of (d - o)^2 */
    int64_t steps;       /* of the forward run */
    int64_t steps_again; /* recomputed for lack of memory */
    int64_t history_bytes, disk_bytes;
    double forward_seconds, backward_seconds;
    int64_t every; /* used sampling interval of the history */
} pav_adjoint_result;

/* The description of the adjoint: it steps backward, with receivers and sources
 * exchanged. Its sources read the traces "data.npy", "data-1.npy", ..., with row s at
 * step N - s. */
PAV_API pav_status pav_program_adjoint(const pav_program *p, int64_t steps, char **text);
/* Dot-product test. F maps traces x of all sources to the recorded data. For random x and
 * y, forward is (F x, y), backward is (x, F' y), and size is |F x| |y|. Up to rounding
 * errors of this size, both are equal. */
PAV_API pav_status pav_adjoint_test(const pav_program *p, pav_device *device,
                                    const pav_adjoint_options *options, double *forward,
                                    double *backward, double *size);
/* The gradient of half the sum of (d - o)^2 with respect to each coefficient at every
 * point: c-gradient.npy. */
PAV_API pav_status pav_gradient(const pav_program *p, pav_device *device,
                                const pav_adjoint_options *options,
                                pav_adjoint_result *result);
/* Reverse-time migration of `data`. image.npy: zero-lag correlation of the forward run
 * with the adjoint run, driven by the data at the receivers. For equations of second
 * order in time both fields are summed over time, so a reflector gives a peak and not a
 * flank. illumination.npy: sum of squares of the forward field. migrated.npy and .png:
 * Laplacian of image / illumination (it removes smooth parts), times the cube of `speed`.
 * values: arrays for these three, or NULLs. */
PAV_API pav_status pav_migrate(const pav_program *p, pav_device *device,
                               const pav_adjoint_options *options,
                               pav_adjoint_result *result);
/* A survey: one run for each shot of options->shots, shared by devices and ranks. The
 * outputs, samples and shot.txt of shot 1 are in shot-0001, and so on. recorded.csv lists
 * these directories in its column `data`, for pav_migrate and pav_gradient. A shot
 * already recorded with the same description and files is skipped. measures.csv has the
 * measures of each shot at its end. Used options: listener, steps, threads, schedule,
 * directory, at_once, together, ranks and sweep. */
typedef struct pav_record_result {
    int64_t shots, found; /* found: already recorded */
    int64_t measures;     /* of each shot */
    double seconds;       /* sum over the newly recorded shots */
    int64_t failed;       /* of a sweep */
} pav_record_result;
PAV_API pav_status pav_record(const pav_program *p, pav_device *device,
                              const pav_adjoint_options *options,
                              pav_record_result *result);
/* Memory and steps of each history method, and the default choice: text or JSON. */
PAV_API pav_status pav_adjoint_plan(const pav_program *p,
                                    const pav_adjoint_options *options, int json,
                                    char **text);

/* ---- measuring --------------------------------------------------------------------- */

/* Benchmarks and verification: rates of a program and of copying on the same device, and
 * a bitwise comparison with the interpreter.
 *
 *     pav_bench_result rate;
 *     pav_bench_program(program, device, NULL, &rate);
 *     printf("%g Gpts/s, %.0f %% of copying\n", rate.gpts, 100 * rate.share);
 *     pav_run_verify(program, device, NULL, 10, &text);
 *     puts(text); */

/* Methods of copying a GPU's memory. DRIVER: the driver's copy. KERNEL: one thread for
 * every 16 bytes. HALO: thread tiles also read a halo of radius 1, and threads at the
 * faces read more than others. REMAP: the same, but all threads of a tile share its
 * points and halo evenly. WORDS: one thread for every word, with any alignment of
 * rows. */
typedef enum pav_copy {
    PAV_COPY_DRIVER = 0,
    PAV_COPY_KERNEL = 1,
    PAV_COPY_HALO = 2,
    PAV_COPY_REMAP = 3,
    PAV_COPY_WORDS = 4,
} pav_copy;

typedef struct pav_bench_options {
    int threads;      /* of the host; 0: $PAV_THREADS, or all processors */
    int repetitions;  /* measurements of steps, each paired with one of copying; 0: 9 */
    const char *bind; /* see pav_run_options */
    const char *schedule; /* see pav_run_options; an illegal schedule is refused */
    pav_copy copy;        /* from here on: for pav_bench_copy on a GPU */
    int64_t extent[PAV_MAX_DIMENSIONS]; /* of a grid; all 0: far beyond the caches */
    pav_type type;
    /* For PAV_COPY_WORDS. word: bytes of a word, 4, 8 or 16. begin: offset of rows from a
     * multiple of 128 bytes, in words. stride: distance of words, 1 or more; the number
     * of rows is divided by it. With stride 1 extent and type give the number of copied
     * bytes. */
    int word, begin, stride;
} pav_bench_options;

typedef struct pav_bench_result {
    int threads;
    pav_type type;    /* of the arithmetic */
    char device[160]; /* "cpu", "cuda:0 (NVIDIA H200)" */
    /* Requested schedule, or the tuned schedules of the kernels: "rows", "blocks",
     * "mixed". */
    char schedule[256];
    double gpts,
        bound_gpts; /* 1e9 point updates per second: measured, and at copy bandwidth. */
    /* gpts / bound_gpts: the median of each repetition's steps and its own copying */
    double share;
    double bytes_per_point;             /* least memory traffic of a step */
    double seconds_min, seconds_median; /* of one step */
    double spread; /* half the width of the middle half of the times, over the median */
    double copy_bytes_per_second; /* read and written */
    /* GPU only, 0 if unknown: bytes a point and step, in whole sectors of 32 bytes, if
     * caches kept nothing from one tile of threads to the next. Equal to bytes_per_point
     * if each value is moved once. */
    double footprint_bytes;
    /* Bound by arithmetic alone; also for compiled kernels of the host. */
    double arithmetic_gpts;
    /* Fused steps, on all devices, else 1; footprint_bytes is then for fused steps. */
    int depth;
    char tuned[256]; /* tuned schedules of its kernels; else "" */
    /* Bytes a point and step read from memory, by the processors' own counters; 0:
     * unknown. */
    double read_bytes;
} pav_bench_result;

/* Measures steps of a program in turn with passes of copying on the same device. No files
 * are written. On a GPU constants may replace initial values that are slow to compute on
 * the host: rates do not depend on them. */
PAV_API pav_status pav_bench_program(const pav_program *p, pav_device *device,
                                     const pav_bench_options *options,
                                     pav_bench_result *result);
/* Measures the copy bandwidth of a device (NULL: the host) with arrays larger than its
 * caches. Only the members about copying are set. With an extent, a point is one copied
 * number, and the bound is the driver's rate for large arrays, measured in turn. */
PAV_API pav_status pav_bench_copy(pav_device *device, const pav_bench_options *options,
                                  pav_bench_result *result);

/* Takes the first `steps` steps (0: 3) on the device and on the interpreter, without
 * files. It compares all levels of all fields after each step, bit for bit. PAV_EEXPECT:
 * they differ, and the message names the first difference; else *text names the compared
 * data. Needs memory for two runs. */
PAV_API pav_status pav_run_verify(const pav_program *p, pav_device *device,
                                  const pav_run_options *options, int64_t steps,
                                  char **text);

/* Model of the host's processor; "" if unknown. */
PAV_API const char *pav_host_name(void);

/* ---- finite elements on extruded meshes -------------------------------------------- */

/* A second kind of computation: finite elements on prisms. These functions make meshes,
 * apply and assemble bilinear forms, solve problems and draw the results.
 *
 *     pav_mesh *mesh;
 *     pav_mesh_border cold = {.name = "all"};
 *     pav_mesh_open("disc:n=32", NULL, &mesh);
 *     pav_mesh_problem problem = {{1, 0}, .source = "1", .border = &cold, .borders = 1};
 *     pav_mesh_solve(mesh, &problem, u, &result); */

/* An extruded mesh: triangles in a plane or on a sphere, times layers, give prisms with
 * six nodes. Nodes are numbered column*levels + level, so the nodes of a column are
 * contiguous. Columns are renumbered for locality. All sums have a fixed order: results
 * are bitwise identical for every number of threads. See docs/prisms.md. */
typedef struct pav_mesh pav_mesh;

typedef struct pav_mesh_options {
    int layers;         /* 0: 16 */
    double bottom, top; /* heights; both 0: from 0 to 1 */
    double grading;     /* ratio of a layer's thickness to the layer below; 0: 1 */
    /* For every point of the file, in its order; or NULL. */
    const double *bottoms, *tops;
    const char *order; /* of columns: "curve" (NULL), "rcm" or "given" */
} pav_mesh_options;

/* path: "square:n=64", "disc:n=32", "shell:n=4", a Gmsh file (.msh, versions 2.2 and 4.1,
 * ASCII), or "points.npy,triangles.npy". */
PAV_API pav_status pav_mesh_open(const char *path, const pav_mesh_options *options,
                                 pav_mesh **result);
/* A mesh from arrays: x, y, z of each point, then three points of each triangle, counted
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
/* Coordinates of all nodes; the file's point number of each column. Valid until the mesh
 * is freed. */
PAV_API const double *pav_mesh_coordinates(const pav_mesh *mesh, int axis);
PAV_API const int32_t *pav_mesh_columns(const pav_mesh *mesh);
/* Name of border 0, 1, ...; NULL after the last. Every mesh also has the borders
 * "bottom", "top" and "all". */
PAV_API const char *pav_mesh_border_name(const pav_mesh *mesh, int number);

/* The bilinear form  stiffness * grad(u).grad(v) + mass * u*v;  Helmholtz has a mass of
 * -k^2. */
typedef struct pav_form {
    double stiffness, mass;
} pav_form;

/* The operator of a form on a mesh. Each function below acts on all nodes. */
typedef struct pav_prism pav_prism;
typedef struct pav_prism_options {
    pav_device *device; /* an open GPU; NULL: the host */
    /* Host: "columns" (NULL), "atomics", "reference". GPU: "best" (NULL), "direct",
     * "constant", "accumulators". */
    const char *method;
    int threads; /* of the host; 0: all */
    int f32;     /* non-zero: arithmetic in f32 */
} pav_prism_options;
PAV_API pav_status pav_prism_open(const pav_mesh *mesh, pav_form form,
                                  const pav_prism_options *options, pav_prism **result);
PAV_API void pav_prism_free(pav_prism *prism);
/* Seconds of the last operation on the device. For a GPU, by its own clock, without
 * transfers. */
PAV_API double pav_prism_seconds(const pav_prism *prism);
/* Evaluates an expression of x, y and z at the nodes, for example
 * "cos(pi*x)*sin(pi*y)". */
PAV_API pav_status pav_mesh_evaluate(const pav_mesh *mesh, const char *expression,
                                     double *values);
/* b = integrals of f times each node's function; y = A u, matrix-free. */
PAV_API pav_status pav_prism_rhs(pav_prism *prism, const double *f, double *b);
PAV_API pav_status pav_prism_action(pav_prism *prism, const double *u, double *y);
/* Assembles A in compressed rows. The arrays are valid until the prism is freed; the
 * pattern is fixed, and each call replaces the values. */
typedef struct pav_matrix {
    int64_t rows, entries;
    const int64_t *first;  /* rows + 1 */
    const int32_t *column; /* ascending in each row */
    const double *value;
} pav_matrix;
PAV_API pav_status pav_prism_assemble(pav_prism *prism, pav_matrix *matrix);
/* y = A u with the matrix of the last pav_prism_assemble. */
PAV_API pav_status pav_prism_multiply(pav_prism *prism, const double *u, double *y);

/* ---- solving ---- */

/* A problem is a form, a source, values on borders and a method. pav_mesh_solve gives the
 * solution at the nodes; the other functions measure, write and draw it.
 *
 *     pav_mesh_error(mesh, u, "1 - x^2 - y^2", NULL, &total, NULL);
 *     pav_mesh_picture(mesh, "u.png", u, 0, NULL, NULL); */

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
/* Finds u with form(u, v) + borders = integral of source v for all v. Borders without a
 * rule have no flux. */
typedef struct pav_mesh_problem {
    pav_form form;
    const char *source; /* an expression of x, y, z; NULL: 0 */
    const pav_mesh_border *border;
    int borders;
    /* "cg", "minres", "bicgstab"; NULL: minres if mass < 0, else cg */
    const char *method;
    const char *preconditioner; /* "column" (NULL), "multigrid", "jacobi" or "none" */
    double tolerance;           /* of the residual, relative to the right side; 0: 1e-8 */
    int64_t most;               /* maximum number of iterations; 0: 10000 */
    int threads;
} pav_mesh_problem;
PAV_API pav_status pav_mesh_solve(const pav_mesh *mesh, const pav_mesh_problem *problem,
                                  double *u, pav_solve_result *result);
/* Distance of u from a known function: in the L2 norm and, with the three derivatives of
 * the function, in the H1 seminorm. */
PAV_API pav_status pav_mesh_error(const pav_mesh *mesh, const double *u,
                                  const char *exact, const char *const gradient[3],
                                  double *l2, double *h1);

/* Writes values at the nodes as an unstructured grid (.vtu) for ParaView. */
PAV_API pav_status pav_mesh_write(const pav_mesh *mesh, const char *path,
                                  const char *const *names, const double *const *values,
                                  int count);
/* Draws values as a .png. level >= 0: this level seen along -z. level < 0: the vertical
 * section through two points (x, y). */
PAV_API pav_status pav_mesh_picture(const pav_mesh *mesh, const char *path,
                                    const double *values, int level, const double from[2],
                                    const double to[2]);

/* ---- programs on a mesh ---- */

/* A description may begin with `mesh` in place of `grid`. Its run solves, measures and
 * writes in the order of the statements.
 *
 *     pav_mesh_run *solved;
 *     const double *nodes;
 *     pav_mesh_run_open(program, device, NULL, &solved);
 *     pav_mesh_run_finish(solved);
 *     pav_mesh_run_values(solved, "u", &nodes); */

/* 1 if the description begins with `mesh` (docs/prisms.md). pav_program_load parses it
 * like every other, but the calls below run it, not pav_run_*; its statements are
 * executed in order. */
PAV_API int pav_program_on_mesh(const pav_program *p);
typedef struct pav_mesh_run pav_mesh_run;
typedef struct pav_mesh_run_options {
    const char *directory; /* see pav_run_options */
    int no_files;
    int threads;       /* of the host; 0: all */
    int allow_outside; /* see pav_run_options */
    int no_stamp;      /* see pav_run_options */
} pav_mesh_run_options;
/* Opens the mesh of a program. device NULL: the interpreter. On a GPU, the iterations run
 * there, and the host does all other work. The program, the device and the strings in the
 * options must last as long as the run. */
PAV_API pav_status pav_mesh_run_open(const pav_program *p, const pav_device *device,
                                     const pav_mesh_run_options *options,
                                     pav_mesh_run **run);
PAV_API void pav_mesh_run_free(pav_mesh_run *run);
/* Solves, measures and writes; PAV_EEXPECT with all failed expectations. */
PAV_API pav_status pav_mesh_run_finish(pav_mesh_run *run);
PAV_API const pav_mesh *pav_mesh_run_mesh(const pav_mesh_run *run);
/* Values of a field on nodes, and of a measure. Valid until the run is freed. */
PAV_API pav_status pav_mesh_run_values(const pav_mesh_run *run, const char *field,
                                       const double **values);
PAV_API pav_status pav_mesh_run_measure(const pav_mesh_run *run, const char *measure,
                                        double *value);
/* Matrix of the equation for a field, with the forms of the borders but without
 * prescribed values: for solvers of the caller's own, after pav_mesh_run_finish. Valid
 * until the next call, or until the run is freed. */
PAV_API pav_status pav_mesh_run_matrix(pav_mesh_run *run, const char *field,
                                       pav_matrix *matrix);
/* pav_mesh_explain: flops and bytes a cell of each form's kernel, and the effect of the
 * passes. pav_mesh_run_plan: memory of an open run. Text for people, or JSON; free it
 * with pav_text_free. */
PAV_API pav_status pav_mesh_explain(const pav_program *p, int json, char **text);
PAV_API pav_status pav_mesh_run_plan(const pav_mesh_run *run, int json, char **text);
/* Report of a finished run. */
PAV_API pav_status pav_mesh_run_report(const pav_mesh_run *run, int json, char **text);

/* ---- figures ----------------------------------------------------------------------- */

/* Diagrams for benchmarks and convergence: bars or lines, in a .png or .svg file.
 *
 *     pav_figure_series line = {.name = "error", .x = values, .y = u, .count = count};
 *     pav_figure figure = {.kind = PAV_FIGURE_LINES, .series = &line, .series_count = 1};
 *     pav_figure_write("error.svg", &figure); */

typedef enum pav_figure_kind {
    /* horizontal bars: a group for each label, a bar for each series */
    PAV_FIGURE_BARS = 0,
    PAV_FIGURE_LINES = 1, /* a line for each series, with its name at the end */
} pav_figure_kind;

typedef struct pav_figure_series {
    const char *name;        /* in the legend, or at the end of a line; or NULL */
    const double *x;         /* of lines; NULL: 0, 1, ... */
    const double *y;         /* NAN, or values <= 0 on logarithmic axes: not drawn */
    const double *mark;      /* of bars: drawn across each, NAN: not; or NULL */
    const char *const *note; /* of bars: written next to each; or NULL */
    int64_t count;
    int dashed;        /* lines: 1: dashed and without points, for bounds; 2: dotted */
    const char *panel; /* lines: each panel name has a plot of its own; or NULL */
} pav_figure_series;

typedef struct pav_figure {
    pav_figure_kind kind;
    const char *title, *subtitle; /* or NULL, like all strings here */
    const char *axis_name[2];     /* horizontal, vertical; for bars only the first */
    int logarithmic[2];           /* of lines */
    const char *const *label;     /* bars: one for each value of the longest series */
    const char *mark_name;        /* of bars: in the legend */
    const pav_figure_series *series;
    int64_t series_count;
} pav_figure;

/* Draws a figure as .png or .svg, by the ending of the path. figure NULL: checks only the
 * ending and the permission to write; leaves no file. */
PAV_API pav_status pav_figure_write(const char *path, const pav_figure *figure);

/* ---- checking an installation ------------------------------------------------------ */

/* pav_check tests an installation: it compares devices with the interpreter, bit for bit,
 * over the catalogue and random programs.
 *
 *     pav_check_count found;
 *     pav_check(&(pav_check_options){.device = "cpu", .programs = 500}, &found);
 *     printf("%d failed\n", (int)found.failed); */

typedef struct pav_check_options {
    const char *device; /* NULL: "auto" */
    int64_t programs;   /* random programs; 0: 200 */
    uint64_t seed;      /* 0: 1 */
    void (*report)(void *user,
                   /* Gets a line for each failure and some lines of progress. */
                   const char *line);
    void *user;
    int random_only; /* non-zero: the catalogue is left out */
    int share,
        /* Run only every n-th program, n = shares, from number `share` on (1 to shares);
         * 0: all programs. */
        shares;
    /* Non-zero: only compile the kernels for GPUs, for all architectures, with NVRTC;
     * nothing runs and no device is opened. A kernel with register spills counts as
     * failed. */
    int compile;
    /* gets a line about the present work; or NULL */
    void (*live)(void *user, const char *line);
} pav_check_options;

typedef struct pav_check_count {
    int64_t passed, failed;
    /* Passed programs with fused steps, in time blocks or launches of a GPU (several).
     * Among them, on processors: with several tiles along x, y and z (tiled), with
     * periodic axes (around), and with diamonds (turned). */
    int64_t several, tiled[3], around[3], turned;
    int64_t within; /* with fused launches of a GPU inside subdomains */
    /* with fused steps in out-of-core visits; on processors in time tiles */
    int64_t visits;
} pav_check_count;

PAV_API pav_status pav_check(const pav_check_options *options, pav_check_count *count);
/* Description of the random program of a seed. */
PAV_API pav_status pav_check_program(uint64_t seed, char **text);

#ifdef __cplusplus
}
#endif

#endif
