/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies boxes of points between fields of one GPU, and between a field and the host's
 * memory. Boxes for the host are packed on the GPU, so that transfers are dense. */
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* A kernel of one GPU reads the memory of another, or of the same GPU. */
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
    there.data = view_at(from, shift[0], shift[1], shift[2]);
    TRY(gpu_borders_done((gpurun *)source));
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu((gpurun *)source, of, from, false));
    TRY(mirrors_on_gpu(g, field, to, true));
    return copy_from(g, ((gpurun *)source)->gpu, &target, &there, range);
}

/* ---- by the host's memory ---------------------------------------------------------- */

static int64_t bytes_of(const view *v, const box *range)
{
    return box_points(range) * (int64_t)pav_type_size(v->type);
}

/* Allocates dense memory on the GPU for exactly the box. */
static pav_status take_dense(gpurun *g, const view *v, const box *range,
                             packed_box *staged, emit_gpu_view *dense)
{
    const int64_t bytes = bytes_of(v, range), nx = range->hi[0] - range->lo[0],
                  ny = range->hi[1] - range->lo[1];
    if (staged->owner != &g->base || bytes > staged->room) {
        if (staged->owner)
            gpu_drop_box(staged->owner, staged);
        TRY(gpu_take(g->gpu, bytes, "halos on their way", &staged->memory));
        staged->owner = &g->base;
        staged->room = bytes;
    }
    const int64_t first = range->lo[0] + range->lo[1] * nx + range->lo[2] * nx * ny;
    *dense = (emit_gpu_view){(char *)staged->memory -
                                 first * (int64_t)pav_type_size(v->type),
                             nx, nx * ny, (int64_t)v->type};
    return PAV_OK;
}

static pav_status pack(gpurun *g, int field, const view *v, const box *range,
                       packed_box *staged)
{
    const emit_gpu_view from = gpu_view_of(v);
    emit_gpu_view dense;
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, false));
    TRY(take_dense(g, v, range, staged, &dense));
    return copy(g, &dense, &from, range);
}

static pav_status unpack(gpurun *g, int field, const view *v, const box *range,
                         packed_box *staged)
{
    const emit_gpu_view to = gpu_view_of(v);
    emit_gpu_view dense;
    TRY(take_dense(g, v, range, staged, &dense));
    TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, true));
    return copy(g, &to, &dense, range);
}

pav_status gpu_read_box(executor *self, int field, const view *v, const box *range,
                        void *values)
{
    gpurun *g = (gpurun *)self;
    TRY(pack(g, field, v, range, &g->packed));
    return gpu_download(g->gpu, values, g->packed.memory, bytes_of(v, range));
}

pav_status gpu_write_box(executor *self, int field, const view *v, const box *range,
                         const void *values)
{
    gpurun *g = (gpurun *)self;
    emit_gpu_view dense;
    TRY(take_dense(g, v, range, &g->packed, &dense));
    TRY(gpu_upload(g->gpu, g->packed.memory, values, bytes_of(v, range)));
    return unpack(g, field, v, range, &g->packed);
}

void gpu_drop_box(executor *self, packed_box *staged)
{
    if (staged->memory)
        gpu_release(((gpurun *)self)->gpu, staged->memory);
    *staged = (packed_box){0};
}

/* ---- next to stages ---------------------------------------------------------------- */

pav_status gpu_concurrent_of(executor *self, gpu_concurrent_step step)
{
    gpurun *g = (gpurun *)self;
    if (step == GPU_CONCURRENT_BEGIN)
        TRY(gpu_borders_done(g));
    return gpu_concurrent(g->gpu, step);
}

pav_status gpu_join_with(executor *self, executor *source)
{
    return gpu_join(((gpurun *)self)->gpu, ((gpurun *)source)->gpu);
}

pav_status gpu_pack_box(executor *self, int field, const view *v, const box *range,
                        packed_box *staged, void *values)
{
    gpurun *g = (gpurun *)self;
    (void)values;
    TRY(gpu_concurrent_of(self, GPU_CONCURRENT_BEGIN));
    const pav_status status = pack(g, field, v, range, staged);
    TRY(gpu_concurrent(g->gpu, GPU_CONCURRENT_END));
    return status;
}

pav_status gpu_packed_box(executor *self, packed_box *staged, int64_t bytes, void *values)
{
    gpurun *g = (gpurun *)self;
    TRY(gpu_concurrent(g->gpu, GPU_CONCURRENT_AGAIN));
    const pav_status status = gpu_download(g->gpu, values, staged->memory, bytes);
    TRY(gpu_concurrent(g->gpu, GPU_CONCURRENT_END));
    return status;
}

/* The unpack kernel runs after the inside: on the second stream it would only wait for a
 * free multiprocessor. */
pav_status gpu_unpack_box(executor *self, int field, const view *v, const box *range,
                          packed_box *staged, const void *values)
{
    gpurun *g = (gpurun *)self;
    emit_gpu_view dense;
    pav_status status = PAV_OK;
    TRY(take_dense(g, v, range, staged, &dense));
    if (values) {
        TRY(gpu_concurrent(g->gpu, GPU_CONCURRENT_AGAIN));
        status = gpu_upload(g->gpu, staged->memory, values, bytes_of(v, range));
        TRY(gpu_concurrent(g->gpu, GPU_CONCURRENT_END));
    }
    TRY(status);
    TRY(gpu_join(g->gpu, g->gpu));
    return unpack(g, field, v, range, staged);
}

pav_status gpu_pass_box(executor *self, const view *v, const box *range,
                        packed_box *staged, const gpu_links *links, int other, bool sends)
{
    gpurun *g = (gpurun *)self;
    emit_gpu_view dense;
    TRY(take_dense(g, v, range, staged, &dense));
    TRY(gpu_concurrent(g->gpu, GPU_CONCURRENT_AGAIN));
    const pav_status status = gpu_links_pass(links, g->gpu, staged->memory,
                                             bytes_of(v, range), other, sends);
    TRY(gpu_concurrent(g->gpu, GPU_CONCURRENT_END));
    return status;
}
