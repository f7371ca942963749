/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts that are copies, on a GPU: all axes of a level are one launch, and so are levels one after the other. What
 * waits has been noted as stored; no stage is launched before it goes out. */
#include <string.h>

#include "run/gpu_private.h"

static emit_gpu_border border_of(const view *v, int kind[MAX_DIM][SIDES])
{
    emit_gpu_border b = {.view = gpu_view_of(v)};
    memcpy(b.kind, kind, sizeof b.kind);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        b.extent[axis] = v->extent[axis];
        for (int side = 0; side < SIDES; side++)
            b.halo[axis][side] = v->halo[axis][side];
    }
    return b;
}

/* Points that are filled, some of them twice. */
static int64_t points_of(const emit_gpu_border *b)
{
    int64_t count = 0, below = 1, above = b->extent[0] * b->extent[1] * b->extent[2];
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int *halo = b->halo[axis], *kind = b->kind[axis];
        above /= b->extent[axis];
        for (int side = 0; side < SIDES; side++)
            if (kind[side] != NO_GHOST)
                count += below * above * (halo[side] + (kind[side] == GHOST_ODD));
        below *= b->extent[axis] + halo[0] + halo[1];
    }
    return count;
}

static int64_t most_points(const gpurun *g)
{
    int64_t most = 0;
    for (int64_t n = 0; n < g->borders; n++) {
        const int64_t count = points_of(&g->border.level[n]);
        most = count > most ? count : most;
    }
    return most;
}

pav_status gpu_borders_done(gpurun *g)
{
    const int64_t most = most_points(g);
    const gpu_call call = {.kernel = g->set->borders,
                           .blocks = {gpu_blocks(most), g->borders, 1},
                           .threads = {EMIT_GPU_COMMON, 1, 1},
                           .argument = &g->border,
                           .argument_bytes = sizeof g->border};
    g->borders = 0;
    return most > 0 ? gpu_launch(g->gpu, &call) : PAV_OK;
}

pav_status gpu_borders(gpurun *g, int field, const view *v, int kind[MAX_DIM][SIDES])
{
    if (g->borders == EMIT_GPU_BORDERS)
        TRY(gpu_borders_done(g));
    TRY(twins_on_gpu(g, field, v, true));
    if (g->borders == 0)
        g->border = (emit_gpu_borders){0};
    g->border.level[g->borders++] = border_of(v, kind);
    return PAV_OK;
}
