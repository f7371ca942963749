/* SPDX-License-Identifier: BSD-3-Clause */
/* Subdomains on GPUs, within exec alone: their rates. Folders above exec use
 * place/place.h. */
#ifndef EXEC_GPU_GPU_H
#define EXEC_GPU_GPU_H

#include "codegen/codegen.h"
#include "exec/place/place.h"

/* GPU of an executor; NULL: none. */
gpu *executor_gpu(const executor *e);

/* ---- copying (gpu_rates.c) --------------------------------------------------------- */

/* Two blocks of a GPU's memory, larger than its caches if possible, to measure copy
 * bandwidth in bytes read and written a second. */
typedef struct gpu_copies gpu_copies;
pav_status gpu_copies_open(gpu *g, gpu_copies **result);
pav_status gpu_copies_pass(gpu_copies *c, double *rate);
void gpu_copies_close(gpu_copies *c);
/* place.c: median and best of a few passes */
pav_status gpu_copy_rate(gpu *g, copy_rate *rate);
pav_status gpu_link_rates(gpu *g, machine_rates *r); /* link and staged */
/* gpu_rates.c: measures all rates of a GPU with copy kernels. */
pav_status gpu_rates_measure(gpu *g, machine_rates *r);

#endif
