/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitted costs of the models of GPU kernels, and the points that fill a machine. */
#include "machine/machine.h"

/* Fitted to rows of `pavior bench` of 5 points at 1024^2 (f32, one H200, 2026-11-23).
 * Other GPUs use these costs until they have a fit of their own. */
const gpu_persistent_costs *gpu_persistent_costs_of(const gpu_facts *f)
{
    static const gpu_persistent_costs h200 = {.exchange = 2200,
                                              .vector = 5,
                                              .parallel = 8,
                                              .scattered = 4,
                                              .step = 220,
                                              .tile = 45,
                                              .row = 4,
                                              .shared_row = 12,
                                              .in_place = 1.35};

    (void)f;
    return &h200;
}

int64_t gpu_full_points(const gpu_facts *f)
{
    enum { POINTS_EACH = 16 };

    return (int64_t)POINTS_EACH * GPU_MOST_THREADS *
           (f ? f : gpu_facts_default())->multiprocessors;
}

int64_t cpu_full_points(int threads)
{
    return (int64_t)CPU_PARALLEL_POINTS * threads;
}
