/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled kernels on processors: sets of them, their loop schedules, and the executor
 * that calls them. */
#ifndef EXEC_HOST_HOST_H
#define EXEC_HOST_HOST_H

#include "codegen/codegen.h"
#include "exec/client/client.h"

/* ---- sets of kernels (kernel_set.c, kernel_text.c) --------------------------------- */

/* The kernels of some programs, made as one shared object. */
typedef struct kernel_set kernel_set;
/* how: HOST_KEEP, HOST_QUICK. */
pav_status kernel_set_open(const ir *const *code, int64_t count, const char *head,
                           unsigned how, kernel_set **set);
void kernel_set_close(kernel_set *set);
/* Before it is opened: the kernels will count on the strides that fields have in one
 * piece on the host (kernel_strides.c). */
void kernel_strides_of_whole(ir *code);
/* The text of one program's kernels by a schedule, as pav_run_open compiles it. */
pav_status kernel_source(const ir *code, bool for_gpu, const schedule *s, text *t);
const char *kernel_head(bool for_gpu);
emit_kernel *kernel_set_find(const kernel_set *set, int64_t number, int64_t stage);
const char *kernel_set_note(const kernel_set *set);

/* ---- loop schedules ---------------------------------------------------------------- */

/* What the host has: on that, and on what a stage moves (cost_load), the candidates
 * depend. */
typedef struct kernel_host {
    int threads, sharers;      /* sharers: of them, those that share the largest cache */
    int nodes;                 /* NUMA; 0: not known */
    schedule_kind kind;        /* that is asked for */
    int64_t cache, core_cache; /* bytes: of the largest, and of one core's own */
    int64_t steps;             /* of the run; 0: nobody knows */
    const schedule
        *requested; /* the one candidate, with these settings; NULL: any candidate */
    const schedule *hint; /* the first candidate; or NULL */
    machine_rates rates;  /* which rank candidates; all 0: not known */
} kernel_host;

enum { MOST_LOOP_SCHEDULES = 10 };
typedef struct loop_tuner {
    box box; /* that they are for: the first of the stage */
    int threads, axis, count, trials, fastest;
    int64_t steps, calls; /* of the run, 0: nobody knows; with that box so far */
    bool trying;          /* this call is a trial */
    trial_budget budget;
    double begun, seconds[MOST_LOOP_SCHEDULES];
    schedule loop[MOST_LOOP_SCHEDULES];
} loop_tuner;
/* Candidates, the fastest by the model first; and how many calls try them. */
void loop_tuner_list(const box *b, const cost_load *l, const kernel_host *host,
                     loop_tuner *m);
int loop_tuner_trials(const loop_tuner *m);
/* The loop schedule for a call; loop_tuner_done after it. */
void loop_tuner_next(loop_tuner *m, const box *b, const cost_load *l,
                     const kernel_host *host, schedule *result);
void loop_tuner_done(loop_tuner *m, const box *b);
/* A trial that took so many seconds. */
void loop_tuner_note(loop_tuner *m, double seconds);
/* The candidate that it goes by; false: none yet. Defaults are left out. */
bool loop_tuner_fastest(const loop_tuner *m, schedule *s);
/* The most threads that any candidate for boxes of so many points takes. */
int loop_tuner_threads(int64_t count, int threads);
bool loop_tuner_is_tuned(const loop_tuner *m);
/* Of the fastest; auto while there is none. */
schedule_kind loop_tuner_kind(const loop_tuner *m);

/* kernel_load.c. Of a reduction a kernel leaves a value for each piece of a row: the
 * number of the piece that x lies in; how many are of a row, a plane and all of a box;
 * and the most bytes of them that a stage needs. */
int64_t reduction_piece(int64_t x);
void reduction_sizes(const box *b, int64_t size[MAX_DIM]);
int64_t kernels_reduction_bytes(const ir *code);
kernel_host kernel_host_of(const exec_client *client);
/* The same for a stage, of which more may be said. */
kernel_host kernel_host_in(const exec_client *client, int64_t stage);
/* Those that will be tried for a stage that has a kernel; none where the interpreter
 * takes it. */
pav_status kernel_candidates(const exec_client *client, const ir *code,
                             const ir_stage *stage, loop_tuner *m);

/* kernel_run.c. `owned`: the set is closed with the executor; the team outlives it. */
pav_status kernels_open(subdomain *part, kernel_set *set, bool owned, int64_t number,
                        const schedule *loop, const exec_client *client, host_team *team,
                        executor **result);
/* kernel_parallel.c: on so many threads of the team as the loop schedule says. */
void kernel_call(host_team *team, emit_kernel *kernel, const emit_work *w,
                 const schedule *m);
/* kernel_strides.c: whether a call has the strides that kernels were made for. */
pav_status kernel_strides_check(const ir *code, const emit_slot *slot, int64_t slots,
                                const emit_grid *grid);
/* Whether vectors may be stored by aligned instructions: index 0 of each row of what is
 * stored begins a line of memory. */
bool kernel_rows_begin_lines(const ir *code, const emit_slot *slot, int64_t slots,
                             const emit_grid *grid);

/* ---- a stage made ready to be called for any box (kernel_run.c) -------------------- */

typedef struct ready_stage {
    emit_kernel *call; /* NULL: the interpreter */
    emit_grid *grid;
    emit_work work;
    interp_args args;
    ir_stage stage; /* of the interpreter's: what comes before it is done */
    bool there;     /* there is such a stage */
} ready_stage;
/* What args point to must last; `before` has been evaluated. self: of kernels_open. */
pav_status kernels_ready(const executor *self, const interp_args *args, const schedule *m,
                         ready_stage *ready);
void ready_close(ready_stage *ready);
pav_status ready_call(const ready_stage *ready, const box *b);
/* Of a program that is chaotic, a box with points of which others load and store some
 * meanwhile; the stage has a kernel. */
void ready_call_relaxed(const ready_stage *ready, const box *b);

/* stage_call.c: before a kernel of a stage is called. */
/* `checked`: the last box known to be good. */
pav_status stage_fits(const interp_args *args, box *checked);
/* False when a view is missing, or what is stored is also read under another name. */
bool stage_grids(const interp_args *args, const emit_slot *slot, int64_t slots,
                 emit_grid *grid);
pav_status stage_before(const interp_args *args);

/* Of all time blocks (exec/time) so far: the most tiles along each axis, and whether it
 * wraps around; the most threads of one tile; whether pyramids or diamonds were among
 * them. */
typedef struct tile_count {
    int64_t most[MAX_DIM];
    bool around[MAX_DIM], turned;
    int sharers;
} tile_count;

#endif
