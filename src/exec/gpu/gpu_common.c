/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of common kernels: ghosts that are copies; points copied, zeroed or filled; the
 * NaN check. */
#include <string.h>

#include "exec/gpu/gpu_private.h"

int64_t gpu_blocks(int64_t count)
{
    return (count + EMIT_GPU_COMMON - 1) / EMIT_GPU_COMMON;
}

emit_gpu_view gpu_view_of(const view *v)
{
    return (emit_gpu_view){v->data, v->stride[1], v->stride[2], (int64_t)v->type};
}

/* A view with index 0 at the first point, along the axes `axis` .. `end` - 1. */
emit_gpu_view gpu_view_from_first(const view *v, int axis, int end)
{
    emit_gpu_view from = gpu_view_of(v);
    int64_t at[MAX_DIM] = {0};
    for (; axis < end; axis++)
        at[axis] = v->first[axis];
    from.data = view_at(v, at[0], at[1], at[2]);
    return from;
}

pav_status gpu_call_common(gpurun *g, gpu_kernel *k, int64_t blocks, const void *argument,
                           int64_t bytes)
{
    const gpu_call call = {.kernel = k,
                           .blocks = {blocks, 1, 1},
                           .threads = {EMIT_GPU_COMMON, 1, 1},
                           .argument = argument,
                           .argument_bytes = bytes};
    return blocks > 0 ? gpu_launch(g->gpu, &call) : PAV_OK;
}

pav_status gpu_ghosts(gpurun *g, int field, const view *v, int axis, int side,
                      ghost_map map, const box *range)
{
    emit_gpu_ghosts a = {.view = gpu_view_from_first(v, axis, axis + 1),
                         .axis = axis,
                         .side = side,
                         .map = map,
                         .extent = v->extent[axis],
                         .depth = v->halo[axis][side]};
    memcpy(a.lo, range->lo, sizeof a.lo);
    memcpy(a.hi, range->hi, sizeof a.hi);
    box lines = *range;
    lines.lo[axis] = 0;
    lines.hi[axis] = 1;
    TRY(mirrors_on_gpu(g, field, v, true));
    return gpu_call_common(g, g->set->ghosts, gpu_blocks(box_points(&lines)), &a,
                           sizeof a);
}

pav_status gpu_copy_points(gpurun *g, int field, const view *to, const view *from)
{
    emit_gpu_copy a = {.to = gpu_view_of(to), .from = {.type = (int64_t)to->type}};
    const box all = view_points(to);
    memcpy(a.lo, all.lo, sizeof a.lo);
    memcpy(a.hi, all.hi, sizeof a.hi);
    if (from)
        TRY(mirrors_on_gpu(g, field, from, false));
    if (from)
        a.from = gpu_view_of(from);
    TRY(mirrors_on_gpu(g, field, to, true));
    return gpu_call_common(g, g->set->copy, gpu_blocks(box_points(&all)), &a, sizeof a);
}

pav_status gpu_fill_points(gpurun *g, int field, const view *v)
{
    emit_gpu_fill a = {.to = gpu_view_of(v)};
    const box all = view_points(v);
    memcpy(a.lo, all.lo, sizeof a.lo);
    memcpy(a.hi, all.hi, sizeof a.hi);
    TRY(mirrors_on_gpu(g, field, v, true));
    return gpu_call_common(g, g->set->fill, gpu_blocks(box_points(&all)), &a, sizeof a);
}

static void point_at(const box *b, int64_t number, int64_t *point)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t width = b->hi[axis] - b->lo[axis];
        point[axis] = b->lo[axis] + number % width;
        number /= width;
    }
}

pav_status gpu_find_not_finite(gpurun *g, int field, const view *v, const box *range,
                               int64_t *point, bool *any)
{
    emit_gpu_nan_check a = {.view = gpu_view_of(v), .found = g->not_finite};
    const int64_t count = box_points(range);
    uint64_t found = UINT64_MAX;
    *any = false;
    if (count == 0)
        return PAV_OK;
    memcpy(a.lo, range->lo, sizeof a.lo);
    memcpy(a.hi, range->hi, sizeof a.hi);
    TRY(mirrors_on_gpu(g, field, v, false));
    TRY(gpu_fill(g->gpu, g->not_finite, 0xff, sizeof found));
    TRY(gpu_call_common(g, g->set->nan_check, gpu_blocks(count), &a, sizeof a));
    TRY(gpu_download(g->gpu, &found, g->not_finite, sizeof found));
    *any = found != UINT64_MAX;
    if (*any)
        point_at(range, (int64_t)found, point);
    return PAV_OK;
}
