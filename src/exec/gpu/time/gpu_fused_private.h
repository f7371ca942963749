/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of fused launches: a launch and its state. */
#ifndef EXEC_GPU_FUSED_PRIVATE_H
#define EXEC_GPU_FUSED_PRIVATE_H

#include "exec/gpu/gpu_private.h"

struct gpu_fused {
    emit_gpu_fused what;
    gpu_kernel *call;
    gpu_module *module;      /* own module; NULL: the module of the set */
    gpu_fused *shorter;      /* used if this launch does not fit; or NULL */
    gpu_fused_points *marks; /* set by the first launch */
    gpu_known_tensors known; /* tensor maps already encoded */
    cost_sweep sweep;
    emit_gpu_fused_work work; /* without the number of steps */
    void *signals; /* counters for signals between persistent blocks; or NULL */
    int64_t epoch; /* number of synchronisations */
    int64_t taken; /* launches so far */
};

/* gpu_fused_make.c */
bool gpu_fused_is_persistent(const gpu_fused *p);
/* gpu_fused_launch.c: takes the next steps, over all points. */
pav_status gpu_fused_launch(gpurun *g, gpu_fused *p, int steps);

#endif
