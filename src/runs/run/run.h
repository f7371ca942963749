/* SPDX-License-Identifier: BSD-3-Clause */
/* run: the fields of a program, the time loop, sources, receivers, measures, outputs,
 * checkpoints, the NaN check, plans and the report. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/base.h"
#include "codegen/codegen.h"
#include "device/device.h"
#include "domain/domain.h"
#include "exec/exec.h"
#include "exec/host/host.h"
#include "exec/place/place.h"
#include "interp/interp.h"
#include "io/io.h"
#include "lang/lang.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

RELEASES(free_run, pav_run, pav_run_free) /* for OWNED_BY */
/* A run for measurements, without trials and wisdom. */
pav_status run_open_rough(const program *p, const pav_device *device,
                          const pav_run_options *options, pav_run **run);

/* Traces for sources, given in memory instead of the trace file of the description. */
typedef struct given_traces {
    char name[40]; /* empty: the end of a list */
    trace_table table;
} given_traces;
/* A run with such traces. The traces are copied, and the run keeps all rows of its
 * samples for run_kept_rows. lender: a run on the same device, or NULL. The new run
 * shares its threads and GPUs, must be freed before it, and skips the check of a wave's
 * longest step. */
pav_status run_open_given(const program *p, const pav_device *device,
                          const pav_run_options *options, const given_traces *given,
                          const pav_run *lender, pav_run **run);

void run_keep_no_rows(pav_run *run); /* from now on */
/* The same as pav_run_steps, without waiting for the device. */
pav_status run_advance(pav_run *run, int64_t steps);
/* The caller's thread stays bound to its core between calls. This saves changing the
 * binding, for callers with many short calls. End it with `awake` false. */
void run_keep_awake(pav_run *run, bool awake);

/* A run for checks, by the given runner: it has no files and no listener. */
pav_status run_open_with(const program *p, stage_runner runner, pav_run **run);
/* The same by the interpreter, with split stages. */
pav_status run_open_split(const program *p, pav_run **run);

/* ---- runs for checks --------------------------------------------------------------- */

/* A run for checks, by the kernels of program `number` of the set. Program and set must
 * outlive the run. loop NULL: the default loop schedule. */
pav_status run_open_compiled(const program *p, const kernel_set *set, int64_t number,
                             const schedule *loop, pav_run **run);
/* The same with temporal blocking, if the program allows it. Otherwise the run takes
 * single steps, and *temporal is false. */
pav_status run_open_timed(const program *p, const kernel_set *set, int64_t number,
                          const schedule *loop, const schedule *time, pav_run **run,
                          bool *temporal);

/* True if two views of one shape have other bits; *point: the first point. Any NaN equals
 * any NaN. */
bool run_view_differs(const view *a, const view *b, int64_t *point);

/* Settings of a grid out of core; 0 leaves a setting to the model. */
typedef struct outofcore_request {
    const char *method; /* name of the method */
    bool single;        /* naive: one step a visit */
    bool again;         /* mm: overlaps of visits are uploaded and computed again */
    /* mmtb: results are not shifted, so a visit needs extra planes for the skew */
    bool unshifted;
    bool resend;  /* upload coefficients in every block, even if they fit on the device */
    bool between; /* planes move between visits only */
    /* mp-mmtb: planes move during a visit, if the window has room for them */
    bool overlapped;
    int64_t steps; /* steps of a block, at most */
    int64_t depth; /* steps of a fused launch; 1: single steps */
    int64_t parts; /* visits of a block: cuts of the slowest axis */
    int64_t stay;  /* planes resident on the device from block to block */
    bool stays;    /* `stay` is requested, so the model does not choose it */
    bool asks_depth, asks_overlap; /* set by settings, not by the name of the method */
    int64_t windows;    /* windows with blocks in turn; 0: one on each device */
    int64_t bytes;      /* bytes of the device's memory */
    bool always;        /* out of core even if the grid fits */
    int64_t host_bytes; /* bytes of the host's memory; a larger store is on disk */
    /* directories "DIR,DIR" for a store on disk, whatever its size; or NULL */
    const char *disk;
    const schedule *launch; /* for a check, compiled on its device; or NULL */
    /* for a check: the schedule of visits on processors; or NULL */
    const schedule *tiles;
} outofcore_request;
/* The name of method `number`, and its settings. */
enum { OUTOFCORE_METHODS = 7 };
const char *outofcore_method(int64_t number, outofcore_request *as);
/* Counts of the features that runs out of core used, for checks; each run adds 1 to its
 * own. */
typedef struct outofcore_seen {
    int64_t method[OUTOFCORE_METHODS];
    int64_t stages, launches,
        tiles;             /* runs with steps by stages, fused launches, time tiles */
    int64_t around;        /* runs with several visits along a periodic axis */
    int64_t stay, windows; /* with resident planes; with blocks in several windows */
    int64_t disk, bounded; /* store in files; store larger than the host's memory */
} outofcore_seen;
void outofcore_see(const pav_run *run, outofcore_seen *seen);

/* A run for checks on a decomposed grid: by kernels of the host or of a device; without
 * either, by the interpreter. */
typedef struct cut_opening {
    const decomposition *cut;
    int every;                       /* steps between exchanges; or 0 */
    const outofcore_request *visits; /* or NULL: the grid is in core */
    const kernel_set *set;
    const struct place_opening *there;
    int64_t number;
    const schedule *loop;
    const schedule *time; /* the schedule of time blocks between exchanges; or NULL */
    bool apart;           /* each subdomain is treated like a place of its own */
} cut_opening;
pav_status run_open_cut(const program *p, const cut_opening *how, pav_run **run);

/* True once autotuning is over, so that the kernels no longer change. */
bool run_is_tuned(const pav_run *run);
/* The schedule of the kernels: "rows" or "blocks"; "mixed" if the stages differ;
 * "time:depth=..." for time blocks and fused launches. */
const char *run_schedule(const pav_run *run);
/* The full schedule string, with one string per stage if the stages differ; "" for the
 * interpreter. */
void run_schedule_string(const pav_run *run, text *t);
/* Limits of a step; 0: unknown. bytes: moved if caches keep nothing from tile to tile
 * (GPUs and time blocks only). seconds: the least time of its arithmetic (GPUs only). */
pav_status run_limits(const pav_run *run, double *bytes, double *seconds);
/* Bytes of the results of a step's products and of its sums, if compiled kernels of the
 * host take it; else 0. */
pav_status run_arithmetic(const pav_run *run, double *products, double *sums);
/* The steps of the next time block. A measurement takes a multiple of it. */
int64_t run_block_steps(const pav_run *run);
/* Its `crossing`: steps fused into one pass over memory; 1: single steps. */
executor_figures run_executor_figures(const pav_run *run);
/* Time blocks and fused launches of this run. shorter: blocks cut short by an
 * observation. tile: counts of the tiles of the host's time blocks. */
typedef struct block_count {
    int64_t taken, shorter, longest; /* longest: in steps */
    tile_count tile;
} block_count;
const block_count *run_blocks(const pav_run *run);
/* Points updated by a step, and the least bytes it must move. */
void run_load(const pav_run *run, double *updates, double *bytes);

const ir *run_code(const pav_run *run);
/* Restarts the run at an earlier step. The caller then writes all levels of all updated
 * fields. */
void run_rewind(pav_run *run, int64_t step);
/* The rows so far of the sample or measure at line `line`. Each row has `columns`
 * numbers: step, t, then the values. Only runs for checks keep rows. */
typedef struct kept_rows {
    int line;
    int64_t columns, count;
    const double *row;
} kept_rows;
int64_t run_recorders(
    const pav_run *run); /* samples, measures, outputs; outputs have no rows */
pav_status run_kept_rows(pav_run *run, int64_t number, kept_rows *rows);
/* The same for a sample by its number, counted by pav_sample_read. */
pav_status run_kept_sample(pav_run *run, int64_t sample, kept_rows *rows);
/* rows.c. run_rows_bytes: bytes of all rows of a run's samples.
 * run_write_samples: `stack` has the rows of all shots; the rows of one shot are written
 * to the files of `run`, a run of this shot without steps. */
int64_t run_rows_bytes(const pav_run *run);
pav_status run_write_samples(pav_run *run, pav_run *stack, int64_t shot, int64_t shots);
/* values.c. A host view of level 0, -1, ... of field number `field` of the IR; NULL if
 * the run does not keep the level. `how`: to read, to change, or to overwrite all points.
 * After overwriting, the caller fills the borders. The view is valid until the next step
 * or the next request. */
pav_status run_host_view(const pav_run *run, int field, int level, host_use how,
                         const view **v);
/* A host view to read the points of one box. */
pav_status run_host_box(const pav_run *run, int field, int level, const box *range,
                        const view **v);

/* ---- points of levels, kept (values.c) ------------------------------------------- */

int run_field_number(const pav_run *run, const char *name); /* of the IR; -1: none */
int run_slot(const ir *code, ir_uniform_kind kind, const char *name); /* -1: none */
/* Copies all points of level -age to the host's memory (dense, x fastest, any type), and
 * back; the copy back fills the border. */
pav_status run_keep_points(pav_run *run, int field, int age, pav_type type, void *memory);
pav_status run_bring_points(pav_run *run, int field, int age, pav_type type,
                            void *memory);
/* Copies the points of a box between the run and `memory`, in the field's type. After
 * run_restore_box the borders are stale: call run_fill_border. */
pav_status run_save_box(pav_run *run, int field, int age, const box *range, void *memory);
pav_status run_restore_box(pav_run *run, int field, int age, const box *range,
                           void *memory);
pav_status run_fill_border(pav_run *run, int field, int age);
/* The same in the memory of the run's device (range NULL: all points).
 * run_memory_on_device: free bytes there, divided by `concurrent`, the runs that share
 * the device; 0 in the host's memory or with several places. run_restore_from_device also
 * reads memory of a run opened together with this one. */
int64_t run_memory_on_device(const pav_run *run, int concurrent);
pav_status run_take_on_device(pav_run *run, int64_t bytes, void **memory);
void run_release_on_device(pav_run *run, void *memory);
pav_status run_save_on_device(pav_run *run, int field, int age, const box *range,
                              void *memory);
pav_status run_restore_from_device(pav_run *run, int field, int age, const box *range,
                                   void *memory);
/* The least and the largest value of level 0, over all ranks. */
pav_status run_field_range(pav_run *run, int field, double *least, double *most);

/* A run for checks, by the device kernels of program `number`. planes: of every sweep; 0:
 * the default. split: the kernels are for the stages of ir_split_stages. plain: rows have
 * no padding. fuses_steps: by the fused kernels of the set. */
typedef struct place_opening {
    const place_set *set;
    int64_t number, planes;
    bool split, plain, fuses_steps;
} place_opening;
pav_status run_open_there(const program *p, const place_opening *how, pav_run **run);

/* run_place: the place for choosing schedules, the first with its own memory, else the
 * first place. run_uses_device_memory: this place has its own memory, for fields or for a
 * window. */
const exec_place *run_place(const pav_run *run);
bool run_uses_device_memory(const pav_run *run);
/* run_has_launches: the run launches GPU kernels. run_has_kernels: the run has kernels
 * for processors or GPUs. */
bool run_has_launches(const pav_run *run);
bool run_has_kernels(const pav_run *run);

/* bundle.c: parses the bytes of a bundle file; fuzz/fuzz_bundle.c calls it, too.
 * Free the result with pav_bundle_free. */
pav_status bundle_take(const char *bytes, int64_t length, const char *path,
                       pav_bundle **result);

/* checkpoint_head.c: the head of a checkpoint; fuzz/fuzz_checkpoint.c reads it, too. */
typedef struct checkpoint_head {
    const char *path;
    int64_t step;
} checkpoint_head;
pav_status head_write(const pav_run *run, text *t);
/* head_check: PAV_EINVAL with the difference if the checkpoint belongs to another
 * program. head_take then restores the state in the head. */
pav_status head_check(pav_run *run, const char *bytes, int64_t length,
                      checkpoint_head *h);
void head_take(pav_run *run, const char *bytes, int64_t length);

#endif
