/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts that are copies, on a GPU: all axes of a level are one launch, and so are levels one after the other that are
 * of one shape. What waits has been noted as stored; no stage is launched before it goes out. */
#include <string.h>

#include "run/gpu_private.h"

static emit_gpu_borders shape_of(const view *v, int64_t kind[MAX_DIM][SIDES])
{
    emit_gpu_borders a = {0};
    memcpy(a.kind, kind, sizeof a.kind);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        a.extent[axis] = v->extent[axis];
        for (int side = 0; side < SIDES; side++)
            a.halo[axis][side] = v->halo[axis][side];
    }
    return a;
}

static bool same_shape(const emit_gpu_borders *a, const emit_gpu_borders *b)
{
    return memcmp(a, b, offsetof(emit_gpu_borders, view)) == 0;
}

/* Ghosts beyond the faces that are filled. */
static int64_t ghosts_of(const emit_gpu_borders *a)
{
    int64_t count = 0, below = 1, above = 1;
    for (int axis = 0; axis < MAX_DIM; axis++)
        above *= a->extent[axis];
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int64_t *halo = a->halo[axis];
        above /= a->extent[axis];
        for (int side = 0; side < SIDES; side++)
            count += a->kind[axis][side] != NO_GHOST ? below * halo[side] * above : 0;
        below *= a->extent[axis] + halo[0] + halo[1];
    }
    return count;
}

pav_status gpu_borders_done(gpurun *g)
{
    const int64_t threads = g->borders > 0 ? ghosts_of(&g->border) : 0;
    const gpu_call call = {.kernel = g->set->borders,
                           .blocks = {gpu_blocks(threads), g->borders, 1},
                           .threads = {EMIT_GPU_COMMON, 1, 1},
                           .argument = &g->border,
                           .argument_bytes = sizeof g->border};
    g->borders = 0;
    return threads > 0 ? gpu_launch(g->gpu, &call) : PAV_OK;
}

pav_status gpu_borders(gpurun *g, int field, const view *v, int64_t kind[MAX_DIM][SIDES])
{
    const emit_gpu_borders a = shape_of(v, kind);
    if (g->borders == EMIT_GPU_BORDERS || (g->borders > 0 && !same_shape(&g->border, &a)))
        TRY(gpu_borders_done(g));
    TRY(twins_on_gpu(g, field, v, true));
    if (g->borders == 0)
        g->border = a;
    g->border.view[g->borders++] = gpu_view_of(v);
    return PAV_OK;
}
