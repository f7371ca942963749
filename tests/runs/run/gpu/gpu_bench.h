/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of stages, launched on the fields of a gpu_site. */
#ifndef GPU_BENCH_H
#define GPU_BENCH_H

#include "gpu_site.h"

typedef struct bench {
    gpu *g;
    gpu_module *stages, *common;
    gpu_site *site;
    int64_t program;
    const schedule *schedule, *schedules; /* of all stages; one for each stage, or NULL */
} bench;

gpu_kernel *bench_find(gpu_module *m, const char *name);
pav_status bench_compile(gpu *g, const text *source, gpu_module **module);
/* blocks: number along each axis; NULL: the kernel's default. */
pav_status bench_launch(const bench *b, const ir_stage *stage, const emit_gpu_kernel *k,
                        const emit_gpu_work *w, const int64_t *blocks);

#endif
