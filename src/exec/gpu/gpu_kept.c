/* SPDX-License-Identifier: BSD-3-Clause */
/* Points of levels that are kept on the GPU, dense, in memory apart from the fields. */
#include <string.h>

#include "exec/gpu/gpu_private.h"

pav_status gpu_kept_take(executor *self, int64_t bytes, void **memory)
{
    return gpu_take(((gpurun *)self)->gpu, bytes, "the past of the run", memory);
}

void gpu_kept_release(executor *self, void *memory)
{
    gpu_release(((gpurun *)self)->gpu, memory);
}

static emit_gpu_view dense(const view *v, void *memory)
{
    return (emit_gpu_view){memory, v->extent[0], v->extent[0] * v->extent[1],
                           (int64_t)v->type};
}

static pav_status copy(gpurun *g, const view *v, const emit_gpu_view *to,
                       const emit_gpu_view *from)
{
    emit_gpu_copy a = {.to = *to, .from = *from};
    const box all = view_points(v);

    memcpy(a.lo, all.lo, sizeof a.lo);
    memcpy(a.hi, all.hi, sizeof a.hi);
    return gpu_call_common(g, g->set->copy, gpu_blocks(box_points(&all)), &a, sizeof a);
}

pav_status gpu_kept_keep(executor *self, int field, const view *v, void *memory)
{
    gpurun *g = (gpurun *)self;
    const emit_gpu_view to = dense(v, memory), from = gpu_view_of(v);

    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, false));
    return copy(g, v, &to, &from);
}

pav_status gpu_kept_bring(executor *self, int field, const view *v, void *memory)
{
    gpurun *g = (gpurun *)self;
    const emit_gpu_view to = gpu_view_of(v), from = dense(v, memory);

    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, true));
    return copy(g, v, &to, &from);
}
