/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of points of levels on the GPU, dense, in memory outside the fields. */
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

static emit_gpu_view dense(const view *v, const box *b, void *memory)
{
    const int64_t nx = b->hi[0] - b->lo[0], ny = b->hi[1] - b->lo[1];
    const int64_t first = b->lo[0] + nx * (b->lo[1] + ny * b->lo[2]);

    return (emit_gpu_view){(char *)memory - first * (int64_t)pav_type_size(v->type), nx,
                           nx * ny, (int64_t)v->type};
}

static pav_status copy(gpurun *g, const box *b, const emit_gpu_view *to,
                       const emit_gpu_view *from)
{
    emit_gpu_copy a = {.to = *to, .from = *from};

    memcpy(a.lo, b->lo, sizeof a.lo);
    memcpy(a.hi, b->hi, sizeof a.hi);
    return gpu_call_common(g, g->set->copy, gpu_blocks(box_points(b)), &a, sizeof a);
}

pav_status gpu_kept_keep(executor *self, int field, const view *v, const box *range,
                         void *memory)
{
    gpurun *g = (gpurun *)self;
    const box b = range ? *range : view_points(v);
    const emit_gpu_view to = dense(v, &b, memory), from = gpu_view_of(v);

    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, false));
    return copy(g, &b, &to, &from);
}

pav_status gpu_kept_bring(executor *self, int field, const view *v, const box *range,
                          void *memory)
{
    gpurun *g = (gpurun *)self;
    const box b = range ? *range : view_points(v);
    const emit_gpu_view to = gpu_view_of(v), from = dense(v, &b, memory);

    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, true));
    return copy(g, &b, &to, &from);
}
