/* SPDX-License-Identifier: BSD-3-Clause */
/* run: the fields of a program, the time loop, sources, receivers, measures, outputs,
 * checkpoints, the NaN check, plans and the report. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/base.h"
#include "codegen/codegen.h"
#include "device/device.h"
#include "domain/domain.h"
#include "exec/client/client.h"
#include "exec/exec.h"
#include "exec/host/host.h"
#include "exec/place/place.h"
#include "interp/interp.h"
#include "io/io.h"
#include "lang/lang.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

/* A run for measurements: on a GPU some numbers stand for initial values that the host
 * would have to work out. */
pav_status run_open_rough(const program *p, const pav_device *device,
                          const pav_run_options *options, pav_run **run);

/* Traces that sources of a description name as those of a file, and are not in one. */
typedef struct given_traces {
    char name[40]; /* empty: the end of a list */
    trace_table table;
} given_traces;
/* A run with such traces, which are copied; all rows of its samples are kept
 * (run_kept_rows). `beside`: a run of the same device, whose threads and GPUs it has,
 * too, and which is freed later; what a wave's step may be was checked there. Or NULL. */
pav_status run_open_given(const program *p, const pav_device *device,
                          const pav_run_options *options, const given_traces *given,
                          const pav_run *lender, pav_run **run);

void run_keep_no_rows(pav_run *run); /* from now on */
/* As pav_run_steps, which does not wait until a device is done. */
pav_status run_go_steps(pav_run *run, int64_t steps);
/* Threads stay where they are between calls, for callers that make many short ones; to be
 * ended by `awake` false. */
void run_keep_awake(pav_run *run, bool awake);

/* A run for checks, through the given runner; no files, no listener. */
pav_status run_open_with(const program *p, stage_runner runner, pav_run **run);
/* The same by the interpreter, with its stages in parts. */
pav_status run_open_split(const program *p, pav_run **run);

/* ---- runs for checks --------------------------------------------------------------- */

/* A run for checks, through the kernels of program `number` of the set; both must outlive
 * it. loop NULL: as in any run. */
pav_status run_open_compiled(const program *p, const kernel_set *set, int64_t number,
                             const schedule *loop, pav_run **run);
/* The same with several steps a block, where the program allows that; else it is as one
 * that takes single steps, and *several is false. */
pav_status run_open_timed(const program *p, const kernel_set *set, int64_t number,
                          const schedule *loop, const schedule *time, pav_run **run,
                          bool *temporal);

/* A grid out of core: what is asked for; 0: free. */
typedef struct outofcore_request {
    const char *method; /* its name */
    bool single;        /* naive: one step a visit */
    bool again; /* mm: what parts have in common is sent and computed for each of them */
    /* mmtb: results stay where they are, so a visit has room for their shift */
    bool unshifted;
    bool resend;     /* coefficients come in every block, also where they fit */
    bool between;    /* planes come and go between visits, not while one goes on */
    bool overlapped; /* mp-mmtb: while one goes on, wherever there is room for that */
    int64_t steps;   /* of a block, at most */
    int64_t depth;   /* of a fused launch; 1: single steps */
    int64_t parts;   /* into which visits cut the slowest axis */
    int64_t stay;    /* planes that stay on the device from block to block ... */
    bool stays;      /* ... so many, not as many as the model would have */
    bool asks_depth, asks_overlap; /* by settings, not by the method's name */
    int64_t windows;        /* that take turns at the blocks; 0: one on each device */
    int64_t bytes;          /* of the device's memory */
    bool always;            /* also where the grid fits */
    int64_t host_bytes;     /* of the host's memory; a larger store is on disk */
    const char *disk;       /* directories, "DIR,DIR": it is there in any case; or NULL */
    const schedule *launch; /* of a check: its device has it compiled; or NULL */
    const schedule *tiles;  /* of a check: of visits of processors; or NULL */
} outofcore_request;
/* The name of a method, and what it asks for. */
enum { OUTOFCORE_METHODS = 7 };
const char *outofcore_method(int64_t number, outofcore_request *as);
/* How runs out of core went, for checks: a run adds 1 to each that it is. */
typedef struct outofcore_seen {
    int64_t method[OUTOFCORE_METHODS];
    int64_t stages, launches,
        tiles;             /* by which its steps went, in place of single ones */
    int64_t around;        /* in parts of an axis that wraps around */
    int64_t stay, windows; /* planes stayed; several windows took turns */
    int64_t disk, bounded; /* in files; and the host's memory did not hold all planes */
} outofcore_seen;
void outofcore_see(const pav_run *run, outofcore_seen *seen);

/* A run for checks of a grid that is cut: by kernels of the host or of a device, or the
 * interpreter where neither is given. */
typedef struct cut_opening {
    const decomposition *cut;
    int every;                       /* steps from exchange to exchange, or 0 */
    const outofcore_request *visits; /* or NULL: all of it is in one memory */
    const kernel_set *set;
    const struct place_opening *there;
    int64_t number;
    const schedule *loop;
    const schedule *time; /* of time blocks between exchanges; or NULL */
    bool apart;           /* as if each were at a place of its own */
} cut_opening;
pav_status run_open_cut(const program *p, const cut_opening *how, pav_run **run);

/* Whether kernels go on as they do now: true once the first steps have tuned what is
 * fast. */
bool run_is_tuned(const pav_run *run);
/* "rows" or "blocks", whichever the kernels go by at present; "mixed" where their stages
 * differ; "time:depth=..." of time blocks and fused launches. */
const char *run_schedule(const pav_run *run);
/* The same with all settings, of each stage where they differ; "" where the interpreter
 * runs. */
void run_schedule_string(const pav_run *run, text *t);
/* Of a step: bytes that it moves where no cache hands anything from tile to tile, known
 * of GPUs and of time blocks, and seconds that its arithmetic takes at least,
 * known of GPUs; 0: not known. */
pav_status run_limits(const pav_run *run, double *bytes, double *seconds);
/* Bytes of the results of a step's products, and of its sums, where compiled kernels of
 * the host take it; else 0. */
pav_status run_arithmetic(const pav_run *run, double *products, double *sums);
/* Steps that the next time block may fuse: who measures takes multiples of it. */
int64_t run_block_steps(const pav_run *run);
int run_depth(
    const pav_run *run); /* that are one crossing of memory: 1 where each is its own */
/* Passes of several steps that the run took itself, launches of a GPU among them, and how
 * many of these were the shorter ones before observations; tile: of time blocks of the
 * host's. */
typedef struct block_count {
    int64_t taken, shorter, longest; /* longest: in steps */
    tile_count tile;
} block_count;
const block_count *run_blocks(const pav_run *run);
/* Points updated by a step, and bytes that it must at least move. */
void run_load(const pav_run *run, double *updates, double *bytes);

const ir *run_code(const pav_run *run);
/* Goes on as of an earlier step; the caller then writes all levels of all updated
 * fields. */
void run_rewind(pav_run *run, int64_t step);
/* Rows so far of what stands at line `line` and samples or measures: step and t, then
 * values, `columns` in all. Runs for checks have them, others none. */
typedef struct kept_rows {
    int line;
    int64_t columns, count;
    const double *row;
} kept_rows;
int64_t run_recorders(
    const pav_run *run); /* samples, measures, and outputs without rows */
pav_status run_kept_rows(pav_run *run, int64_t number, kept_rows *rows);
/* Of a sample by its number, as pav_sample_read counts them. */
pav_status run_kept_sample(pav_run *run, int64_t sample, kept_rows *rows);
/* run_stack_rows.c. Bytes of all rows of a run's samples; those of one shot of a stack,
 * all of which are kept, into the files of a run of that shot, which takes no steps. */
int64_t run_rows_bytes(const pav_run *run);
pav_status run_write_samples(pav_run *run, pav_run *stack, int64_t shot, int64_t shots);
/* run_views.c. Level 0, -1, ... of field number `field` of the IR, for the host to read,
 * to change, or to give all points new values, after which the borders are to be filled;
 * NULL where it is not kept. What it points to is good until the run goes on, and what is
 * asked for last is what counts. */
pav_status run_host_view(const pav_run *run, int field, int level, host_use how,
                         const view **v);
/* To read the points of a box alone. */
pav_status run_host_box(const pav_run *run, int field, int level, const box *range,
                        const view **v);

/* ---- points of levels, kept (run_keep.c) ------------------------------------------- */

int run_field_number(const pav_run *run, const char *name); /* of the IR; -1: none */
/* All points of level -age, dense, x fastest, to the host's memory in any type, and back,
 * with the border. */
pav_status run_keep_points(pav_run *run, int field, int age, pav_type type, void *memory);
pav_status run_bring_points(pav_run *run, int field, int age, pav_type type,
                            void *memory);
/* The points of a box, in the field's type, and without the border, which is then to be
 * filled. */
pav_status run_keep_box(pav_run *run, int field, int age, const box *range, void *memory);
pav_status run_bring_box(pav_run *run, int field, int age, const box *range,
                         void *memory);
pav_status run_fill_border(pav_run *run, int field, int age);
/* The same (range: NULL for all points) where the run has its fields: bytes that are free
 * there, 0 where that is the host's memory or several places; of so many runs that share
 * a device, this one too, no more than a fair share. run_bring_there: also from memory of
 * a run with which this one was opened. */
int64_t run_memory_there(const pav_run *run, int concurrent);
pav_status run_take_there(pav_run *run, int64_t bytes, void **memory);
void run_release_there(pav_run *run, void *memory);
pav_status run_keep_there(pav_run *run, int field, int age, const box *range,
                          void *memory);
pav_status run_bring_there(pav_run *run, int field, int age, const box *range,
                           void *memory);
/* The points of level 0 that are here, part by part (run_ranges.c). */
pav_status run_visit_points(pav_run *run, int field, const part_visit *visit);
/* What ranks found is joined, in their order, so that all have the same. */
typedef void run_joining(void *own, const void *other);
pav_status run_join_ranks(pav_run *run, void *own, int64_t bytes, run_joining *join);
/* The least and the largest value of level 0, of all ranks. */
pav_status run_field_range(pav_run *run, int field, double *least, double *most);

/* A run for checks, through the kernels of program `number`. planes: of every SWEEP; 0:
 * as in any run. parted: the kernels are of the stages that ir_split_stages makes. plain:
 * rows have no padding, and the kernels take none to be there. fuses_steps: by those of
 * the set. */
typedef struct place_opening {
    const place_set *set;
    int64_t number, planes;
    bool split, plain, fuses_steps;
} place_opening;
pav_status run_open_there(const program *p, const place_opening *how, pav_run **run);

/* The place that schedules are for: the first with memory of its own, else the first; and
 * whether it has such memory, for fields or for a window of a grid out of core. */
const exec_place *run_place(const pav_run *run);
bool run_uses_device_memory(const pav_run *run);
/* Whether it goes by schedules of GPUs, whose kernels are launched; and whether there are
 * kernels at all, for processors or GPUs. */
bool run_has_launches(const pav_run *run);
bool run_has_kernels(const pav_run *run);
const char *run_machine_name(const pav_run *run); /* the device's; NULL: processors */

/* bundle/bundle.c: what the bytes of a file are, which fuzz/fuzz_bundle.c reads, too; for
 * pav_bundle_free. */
pav_status bundle_take(const char *bytes, int64_t length, const char *path,
                       pav_bundle **result);

/* checkpoint_head.c: the head of a checkpoint, which fuzz/fuzz_checkpoint.c reads,
 * too. */
typedef struct checkpoint_head {
    const char *path;
    int64_t step;
} checkpoint_head;
pav_status head_write(const pav_run *run, text *t);
/* Whether the run is of the same program: PAV_EINVAL, with what differs; then what it
 * says is taken over. */
pav_status head_check(const pav_run *run, const char *bytes, int64_t length,
                      checkpoint_head *h);
void head_take(pav_run *run, const char *bytes, int64_t length);

#endif
