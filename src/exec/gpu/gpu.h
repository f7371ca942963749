/* SPDX-License-Identifier: BSD-3-Clause */
/* Subdomains on GPUs: sets of kernels, the executor, and forecasts of what its launches
 * move. */
#ifndef EXEC_GPU_GPU_H
#define EXEC_GPU_GPU_H

#include "codegen/codegen.h"
#include "exec/client/client.h"

/* ---- sets of kernels (gpu_set.c) --------------------------------------------------- */

/* Of some programs, made by one call of the compiler for a GPU that outlives them.
 * candidates: schedules, see emit_gpu_source; they last as long as the set. */
typedef struct gpu_set gpu_set;
pav_status gpu_set_open(gpu *g, const ir *const *code, int64_t count,
                        const schedule *const *candidates, const char *head, unsigned how,
                        gpu_set **result);
void gpu_set_close(gpu_set *set);
/* With fused launches, by schedules that last as long as the set; NULL: the program has
 * none. */
pav_status gpu_set_add_passes(gpu_set *set, const ir *const *code, int64_t count,
                              const schedule *const *passes, const char *head,
                              unsigned how);
const schedule *gpu_set_fused(const gpu_set *set, int64_t number); /* or NULL */

/* ---- the executor (gpu_run.c) ------------------------------------------------------ */

/* Whose GPU and kernels it has: a device's, of which it makes kernels; those of a set,
 * which is somebody else's; or those of the device on a GPU that is open already. */
typedef struct gpurun_source {
    const pav_device *device;
    const gpu_set *set; /* or NULL */
    int64_t number;     /* of the program in the set */
    int64_t planes;     /* for checks: of every sweep; 0: they are tried */
    gpu *borrowed;      /* or NULL */
} gpurun_source;

/* gpurun_open finds the GPU, gpurun_compile makes its kernels. The executor's close frees
 * all. */
typedef struct gpurun gpurun;
pav_status gpurun_open(exec_client *client, subdomain *part, const gpurun_source *from,
                       gpurun **result);
/* For a further subdomain of the client: it shares the GPU and the kernels of the
 * first. */
pav_status gpurun_open_beside(const gpurun *first, subdomain *part);
pav_status gpurun_compile(gpurun *g);
gpu *gpurun_gpu(const gpurun *g);
executor *gpurun_executor(gpurun *g);

/* Memory that is taken besides fields, and buffers of a field. passes: with fused
 * launches. */
int64_t gpurun_reduction_bytes(const ir *code);
int gpu_fused_buffers(const ir_field *f, bool passes);

/* ---- schedules --------------------------------------------------------------------- */

/* gpu_requested.c: by which schedules kernels are compiled; the nth of a stage, or
 * NULL. */
pav_status gpurun_choose(gpurun *g);
const schedule *gpurun_candidate(const gpurun *g, int64_t stage, int n);

/* gpu_choice.c: whether the client may come to take fused launches, so that its fields
 * need buffers for them; whether all that was likely has been tried in a run that is long
 * enough. */
pav_status gpu_choice_may_fuse(const exec_client *client, const ir *code, bool *passes);
bool gpu_choice_is_complete(const gpurun *g);
/* All that it may try is compiled now: for a bundle. */
pav_status gpu_choice_make_all(gpurun *g);

/* ---- forecasts --------------------------------------------------------------------- */

/* A stage: the schedule that comes first of those that its first steps try, none where
 * the host runs it; and bytes of all its points, as of cost_stage_bytes. */
typedef struct gpu_forecast {
    schedule schedule;
    int tried;
    double bytes;
} gpu_forecast;
typedef struct gpu_fused_forecast {
    schedule requested, schedule; /* as asked for; with nothing left to defaults */
    double bytes;                 /* of a point and step */
    int64_t shared;               /* bytes of a block */
    int shorter;                  /* steps of the shorter launch; 0: there is none */
    step_cost cost;               /* between observations */
} gpu_fused_forecast;
/* gpu_tuned.c: of those that gpurun_choose took. */
pav_status gpu_forecast_stage(const gpurun *g, int64_t stage, gpu_forecast *f);
/* gpu_fused_forecast.c */
double gpu_points(const ir *code);
/* Steps of the shortest launch that is likely; 0: this GPU has none of them, as
 * pav_message says. */
pav_status gpu_fused_fewest(const gpurun *g, int *fewest);
/* Fused launches that move less than `single` bytes a step by the model; 0: all that are
 * likely. */
pav_status gpu_fused_candidates(const gpurun *g, double single,
                                gpu_fused_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                                int *count);
/* Those that a schedule of several steps asks for, at least one: where none can be, it is
 * refused. */
pav_status gpu_fused_requested(const gpurun *g, const schedule *requested,
                               gpu_fused_forecast list[EMIT_GPU_FUSED_CANDIDATES],
                               int *count);

/* ---- fused launches ---------------------------------------------------------------- */

/* A client is too short for what is compiled unasked: it takes fewer seconds than that is
 * worth, where it waits for the compiler, and where another thread does. */
enum { GPU_FUSED_WORTH = 10, GPU_FUSED_WORTH_AHEAD = 1 };
bool gpu_fused_is_short(const exec_client *client, double worth);
/* gpu_fused_find.c: what one would be: refused where this GPU or the program cannot.
 * `requested`: with what suits this GPU from then on. */
pav_status gpu_fused_find(const gpurun *g, schedule *requested, emit_gpu_fused *what);
void gpu_fused_suit(const gpurun *g, schedule *candidate); /* to what the GPU has */
/* gpu_fused_make.c: compiled, in a module of its own or (m) that of a set. */
typedef struct gpu_fused gpu_fused;
pav_status gpu_fused_make(gpurun *g, const schedule *requested, gpu_module *m,
                          gpu_fused **fused);
void gpu_fused_free(gpu_fused *p);
const emit_gpu_fused *gpu_fused_what(const gpu_fused *p);
/* gpu_fused_launch.c: the numbers of some steps, what->number_bytes of each, as scalars
 * of a subdomain give them. */
pav_status gpu_fused_numbers(subdomain *part, const gpu_fused *p, int64_t first,
                             int steps, void *numbers);
/* For visits of a grid out of core, each of so many planes: compiled, and of what->most
 * steps launched for planes from begin up to end, as the levels stand. */
typedef struct gpu_fused_visit {
    int64_t begin, end;
    int64_t first, last; /* planes that the window has, */
    int64_t behind;      /* and the end of those that are read, but for ghosts */
    const void *numbers;
} gpu_fused_visit;
pav_status gpu_fused_make_visits(gpurun *g, const schedule *requested, int64_t planes,
                                 gpu_fused **fused);
pav_status gpu_fused_visit_planes(gpurun *g, gpu_fused *p, const gpu_fused_visit *v);

/* For subdomains: each has one of its own, which its executor frees; what it is in
 * *what. */
pav_status gpu_fused_make_within(executor *e, const schedule *requested, int64_t planes,
                                 const emit_gpu_fused **what);
pav_status gpu_fused_visit_within(executor *e, const gpu_fused_visit *v);
/* Those of the next steps of a whole, as any of its subdomains on a GPU takes them. */
pav_status gpu_fused_numbers_within(subdomain *whole, int steps, void *numbers);

/* ---- copying (gpu_rate.c) ---------------------------------------------------------- */

/* Two blocks of a GPU's memory, beyond its caches where that fits, and bytes a second,
 * read and written, at which one is copied to the other. */
typedef struct gpu_copying gpu_copying;
pav_status gpu_copying_open(gpu *g, gpu_copying **result);
pav_status gpu_copying_pass(gpu_copying *c, double *rate);
void gpu_copying_close(gpu_copying *c);
pav_status gpu_copy_rate(gpu *g, copy_rate *result); /* of a few passes */
/* gpu_rates.c: all rates of a GPU, by kernels that copy. */
pav_status gpu_rates_measure(gpu *g, machine_rates *r);

#endif
