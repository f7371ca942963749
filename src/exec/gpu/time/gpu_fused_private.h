/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of fused launches: one that is made, and how it is launched. */
#ifndef EXEC_GPU_FUSED_PRIVATE_H
#define EXEC_GPU_FUSED_PRIVATE_H

#include "exec/gpu/gpu_private.h"

struct gpu_fused {
    emit_gpu_fused what;
    gpu_kernel *call;
    gpu_module *module;      /* its own; NULL: of the set */
    gpu_fused *shorter;      /* taken where this one has no room; or NULL */
    gpu_fused_points *marks; /* once a fused launch was taken */
    gpu_known_tensors known; /* to the tensor memory accelerator */
    cost_sweep sweep;
    emit_gpu_fused_work work; /* but for its steps */
    void *signals; /* memory by which persistent blocks signal each other; or NULL */
    int64_t epoch; /* how often they have synchronised */
    int64_t taken; /* launches so far */
};

/* gpu_fused_make.c */
bool gpu_fused_is_persistent(const gpu_fused *p);
/* gpu_fused_launch.c: of the next steps, over all points. */
pav_status gpu_fused_launch(gpurun *g, gpu_fused *p, int steps);

#endif
