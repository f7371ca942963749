/* SPDX-License-Identifier: BSD-3-Clause */
/* Subdomains on GPUs, for who opens or measures GPUs themselves: sets of kernels, and the
 * rate of copying. What runs ask of them is far/far.h. */
#ifndef EXEC_GPU_GPU_H
#define EXEC_GPU_GPU_H

#include "codegen/codegen.h"
#include "exec/far/far.h"

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

/* The GPU of an executor; NULL: it is on none. */
gpu *executor_gpu(const executor *e);

/* ---- copying (gpu_rate.c) ---------------------------------------------------------- */

/* Two blocks of a GPU's memory, beyond its caches where that fits, and bytes a second,
 * read and written, at which one is copied to the other. */
typedef struct gpu_copying gpu_copying;
pav_status gpu_copying_open(gpu *g, gpu_copying **result);
pav_status gpu_copying_pass(gpu_copying *c, double *rate);
void gpu_copying_close(gpu_copying *c);
pav_status gpu_copy_rate(gpu *g, copy_rate *result); /* of a few passes */
pav_status gpu_link_rates(gpu *g, machine_rates *r); /* link and staged */
/* gpu_rates.c: all rates of a GPU, by kernels that copy. */
pav_status gpu_rates_measure(gpu *g, machine_rates *r);

#endif
