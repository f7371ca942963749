/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled kernels on processors: sets of kernels, their loop schedules, and the executor
 * that calls them. */
#ifndef EXEC_HOST_HOST_H
#define EXEC_HOST_HOST_H

#include "codegen/codegen.h"
#include "exec/exec.h"

/* ---- sets of kernels (kernel_run.c) ------------------------------------------------ */

/* Kernels of some programs, compiled into one shared object. The kernels of a program
 * derived from an equation have no names: the same object serves grids of all sizes. */
typedef struct kernel_set {
    host_module *module;
    emit_shared_kernels shared; /* empty: kernels have the names of stages */
} kernel_set;
/* how: HOST_KEEP, HOST_QUICK, HOST_PARTLY. HOST_BESIDE: if the cache lacks the kernels,
 * they are compiled on a thread of their own, while the interpreter runs the stages
 * (kernels_take). */
pav_status kernel_set_open(const ir *const *code, int64_t count, const char *head,
                           unsigned how, kernel_set **set);
void kernel_set_close(kernel_set *set);
/* Writes kernels (emit_source_add) for grids of all sizes into the folder of an
 * installation (host_install). */
pav_status kernels_install(text *kernels, text_pieces *pieces, bool only_own,
                           const char *folder);
/* Asks if the installation has the kernels of all steps of a program. */
pav_status kernels_are_installed(const ir *code, bool *there);
RELEASES(close_kernel_set, kernel_set, kernel_set_close)
/* Call before kernel_set_open: kernels will use the strides of fields that lie in one
 * piece on the host (kernel_run.c). */
void kernel_strides_of_whole(ir *code);
/* Source of one program's kernels by a schedule, identical to the text compiled by
 * pav_run_open. */
pav_status kernel_source(const ir *code, bool for_gpu, const schedule *s, text *t);
const char *kernel_head(bool for_gpu);
static inline const char *kernel_set_note(const kernel_set *set)
{
    return host_module_note(set->module);
}

/* ---- loop schedules ---------------------------------------------------------------- */

/* Properties of the host. The candidates depend on these, and on the memory traffic of a
 * stage (cost_load). */
typedef struct kernel_host {
    int threads, sharers;      /* sharers: threads sharing the largest cache */
    int nodes;                 /* NUMA; 0: unknown */
    schedule_kind kind;        /* requested */
    int64_t cache, core_cache; /* bytes: of the largest, and of one core's own */
    int64_t steps;             /* of the run; 0: unknown */
    const schedule
        *requested; /* the only candidate, with these settings; NULL: all candidates */
    const schedule *hint; /* the first candidate; or NULL */
    machine_rates rates;  /* for ranking candidates; all 0: unknown */
} kernel_host;

enum { MOST_LOOP_SCHEDULES = 10 };
typedef struct loop_tuner {
    box box; /* box of the trials: first box of the stage */
    int threads, axis, count;
    bool trying; /* the present call is a trial */
    double begun;
    schedule loop[MOST_LOOP_SCHEDULES];
    tuner tuner;
} loop_tuner;
/* Lists candidates, the fastest by the model first. A trial
 * takes tuner.rounds calls of each. */
void loop_tuner_list(const box *b, const cost_load *l, const kernel_host *host,
                     loop_tuner *m);
/* The loop schedule for a call. Each call but the last candidate's ends a trial. */
void loop_tuner_next(loop_tuner *m, const box *b, const cost_load *l,
                     const kernel_host *host, schedule *result);
/* The fastest candidate so far; false: none yet. Default settings are omitted. */
bool loop_tuner_fastest(const loop_tuner *m, schedule *s);
/* Most threads of any candidate for boxes of `count` points. */
int loop_tuner_threads(int64_t count, int threads);
bool loop_tuner_is_tuned(const loop_tuner *m);
/* Kind of the fastest; auto if there is none yet. */
schedule_kind loop_tuner_kind(const loop_tuner *m);

/* reduction.c. A kernel leaves one value of a reduction for each piece of a row.
 * reduction_piece: number of the piece that contains x. reduction_sizes: pieces in a row,
 * a plane and a box. reduction_offset: pieces before the first one of a part of the box.
 * kernels_reduction_bytes (kernel_run.c): most bytes of pieces for any stage. */
int64_t reduction_piece(int64_t x);
void reduction_sizes(const box *b, int64_t size[MAX_DIM]);
int64_t reduction_offset(const box *whole, const box *part);
int64_t kernels_reduction_bytes(const ir *code);
/* reduction_to_rows replaces the values of pieces by values of rows. reduction_of_rows
 * goes on to planes, and to one value. */
void reduction_to_rows(reduction_kind kind, const box *b, double *value);
double reduction_of_rows(reduction_kind kind, const box *b, double *value);
kernel_host kernel_host_of(const exec_client *client);
/* The candidates for a stage with a kernel; none if the interpreter runs it. */
pav_status kernel_candidates(const exec_client *client, const ir *code,
                             const ir_stage *stage, loop_tuner *m);

/* kernel_run.c. `owned`: the set is closed with the executor; the team outlives it. */
pav_status kernels_open(subdomain *part, kernel_set *set, bool owned, int64_t number,
                        const schedule *loop, const exec_client *client, host_team *team,
                        executor **result);

/* True if the interpreter runs the stages until kernels_take has found the kernels. They
 * are taken once they are compiled; `waits`: the call waits for the compiler. */
bool kernels_are_awaited(const executor *self);
void kernels_await(executor *self); /* even if they are there */
pav_status kernels_take(executor *self, bool waits);
/* Not compiled yet, and an earlier process stopped the same compilation. */
bool kernels_are_late(const executor *self);

/* ---- a stage made ready to be called for any box (kernel_run.c) -------------------- */

typedef struct ready_stage {
    emit_kernel *call; /* NULL: the interpreter */
    emit_grid *grid;
    emit_work work;
    interp_args args;
    ir_stage stage; /* for the interpreter, without the preceding stage */
    bool there;     /* the stage exists */
} ready_stage;
/* Everything behind args must outlive `ready`; `before` has been evaluated. self: of
 * kernels_open. */
pav_status kernels_ready(const executor *self, const interp_args *args, const schedule *m,
                         ready_stage *ready);
pav_status ready_call(const ready_stage *ready, const box *b);
/* Consecutive operations along axes or at points, over the box of the first one. None
 * reads neighbours of an earlier one's results, but along its axis. */
pav_status kernels_lines(executor *self, const interp_args *args, int64_t count);
/* The slabs of these operations: boxes of whole lines of at most `most` points, if their
 * least widths allow it. Several operations are not cut across an axis along which one
 * reads neighbours. */
typedef struct line_slabs {
    box all, first;
    int64_t slabs[MAX_DIM], count;
} line_slabs;
line_slabs line_slabs_of(const interp_args *args, int64_t stages, int64_t most);
box line_slab(const line_slabs *l, int64_t number);
/* For asynchronous programs: other threads load and store some points of the box
 * meanwhile. The stage must have a kernel. */
void ready_call_relaxed(const ready_stage *ready, const box *b);

/* kernel_run.c: checks before a call of a stage's kernel.
 * *checked: the last valid box. */
pav_status stage_fits(const interp_args *args, box *checked);
/* False if a view is missing, or if an output is also read under another name. */
bool stage_grids(const interp_args *args, const emit_slot *slot, int64_t slots,
                 emit_grid *grid);
pav_status stage_before(const interp_args *args);
/* The slots of a stage, and room for its grids; the caller frees both. */
pav_status stage_slots(const ir_stage *stage, emit_slot **slot, int64_t *slots,
                       emit_grid **grid);
/* Precondition of same_ends: rows end at the last point of their views, or before. */
bool stage_ends_lie_beyond(const interp_args *args, const emit_slot *slot, int64_t slots);

/* Statistics of all time blocks (exec/time) so far: most tiles along each axis, and if
 * the axis is periodic; most threads sharing a tile; `turned`: diamonds
 * occurred. */
typedef struct tile_count {
    int64_t most[MAX_DIM];
    bool around[MAX_DIM], turned;
    int sharers;
} tile_count;

#endif
