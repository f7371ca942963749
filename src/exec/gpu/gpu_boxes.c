/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes of points between fields of one GPU, and between a field and the host's memory: these are
 * packed on the GPU, so that what is copied is dense. */
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* By a kernel of one GPU from memory of another, or the same. */
static pav_status copy_from(gpurun *g, gpu *other, const emit_gpu_view *to,
                            const emit_gpu_view *from, const box *range)
{
    emit_gpu_copy a = {.to = *to, .from = *from};
    const gpu_call call = {.kernel = g->set->copy,
                           .blocks = {gpu_blocks(box_points(range)), 1, 1},
                           .threads = {EMIT_GPU_COMMON, 1, 1},
                           .argument = &a,
                           .argument_bytes = sizeof a};
    memcpy(a.lo, range->lo, sizeof a.lo);
    memcpy(a.hi, range->hi, sizeof a.hi);
    return other == g->gpu ? gpu_launch(g->gpu, &call)
                           : gpu_launch_reading(g->gpu, other, &call);
}

static pav_status copy(gpurun *g, const emit_gpu_view *to, const emit_gpu_view *from,
                       const box *range)
{
    return copy_from(g, g->gpu, to, from, range);
}

bool gpu_executor_reads(executor *self, executor *source)
{
    return source->ops.stage == self->ops.stage &&
           gpu_reads(((gpurun *)self)->gpu, ((gpurun *)source)->gpu);
}

pav_status gpu_copy_box(executor *self, int field, const view *to, const box *range,
                        executor *source, int of, const view *from, const int64_t *shift)
{
    gpurun *g = (gpurun *)self;
    const emit_gpu_view target = gpu_view_of(to);
    emit_gpu_view there = gpu_view_of(from);
    there.data = (char *)from->data + view_index(from, shift[0], shift[1], shift[2]) *
                                          (int64_t)pav_type_size(from->type);
    TRY(gpu_borders_done((gpurun *)source));
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu((gpurun *)source, of, from, false));
    TRY(mirrors_on_gpu(g, field, to, true));
    return copy_from(g, ((gpurun *)source)->gpu, &target, &there, range);
}

/* ---- by the host's memory ----------------------------------------------------------------- */

static int64_t bytes_of(const view *v, const box *range)
{
    return box_points(range) * (int64_t)pav_type_size(v->type);
}

/* Dense memory on the GPU, of which the box is all. */
static pav_status take_dense(gpurun *g, const view *v, const box *range,
                             emit_gpu_view *dense)
{
    const int64_t bytes = bytes_of(v, range), nx = range->hi[0] - range->lo[0],
                  ny = range->hi[1] - range->lo[1];
    if (bytes > g->packed_room) {
        if (g->packed)
            gpu_release(g->gpu, g->packed);
        g->packed = NULL;
        g->packed_room = 0;
        TRY(gpu_take(g->gpu, bytes, "halos on their way", &g->packed));
        g->packed_room = bytes;
    }
    const int64_t first = range->lo[0] + range->lo[1] * nx + range->lo[2] * nx * ny;
    *dense = (emit_gpu_view){(char *)g->packed - first * (int64_t)pav_type_size(v->type),
                             nx, nx * ny, (int64_t)v->type};
    return PAV_OK;
}

pav_status gpu_read_box(executor *self, int field, const view *v, const box *range,
                        void *values)
{
    gpurun *g = (gpurun *)self;
    const emit_gpu_view from = gpu_view_of(v);
    emit_gpu_view dense;
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, false));
    TRY(take_dense(g, v, range, &dense));
    TRY(copy(g, &dense, &from, range));
    return gpu_download(g->gpu, values, g->packed, bytes_of(v, range));
}

pav_status gpu_write_box(executor *self, int field, const view *v, const box *range,
                         const void *values)
{
    gpurun *g = (gpurun *)self;
    const emit_gpu_view to = gpu_view_of(v);
    emit_gpu_view dense;
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, true));
    TRY(take_dense(g, v, range, &dense));
    TRY(gpu_upload(g->gpu, g->packed, values, bytes_of(v, range)));
    return copy(g, &to, &dense, range);
}
