/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts that are copies, on a GPU: all axes of a level are one launch, and so are levels one after the other. What
 * waits has been noted as stored; no stage is launched before it goes out. */
#include "run/gpu/gpu_private.h"

/* Numbers that threads count with are below it, and twice such a number is a number, too. */
enum { MOST = 1 << 30 };

/* ---- one axis ----------------------------------------------------------------------------- */

static int how_of(int kind)
{
    if (kind == NO_GHOST)
        return 0;
    return EMIT_GPU_GHOST_FILLED | (kind == GHOST_ODD ? EMIT_GPU_GHOST_NEGATIVE : 0);
}

/* What source_of (domain/ghosts.c) says, of ghosts that are no farther out than the grid is wide. */
static emit_gpu_border_side side_of(int kind, int extent, bool above)
{
    const int last = above ? extent - 1 : 0, how = how_of(kind);

    if (kind == GHOST_CLAMP || extent == 1)
        return (emit_gpu_border_side){kind, how, last, 0};
    if (kind == GHOST_PERIODIC)
        return (emit_gpu_border_side){kind, how, above ? -extent : extent, 1};
    const int beyond = kind == GHOST_MIRROR ? (above ? 1 : -1) : 0;
    return (emit_gpu_border_side){kind, how, 2 * last + beyond, -1};
}

static emit_gpu_border_axis axis_of(const view *v, int axis, const int *kind)
{
    const int low = kind[0] == GHOST_ODD, high = kind[1] == GHOST_ODD;
    const int extent = (int)v->extent[axis], *halo = v->halo[axis];
    emit_gpu_border_axis a = {.extent = extent,
                              .first = low,
                              .inner = extent - low - high,
                              .outer = halo[0] + low + high + halo[1],
                              .low = halo[0] + low,
                              .halo = halo[0]};

    for (int side = 0; side < SIDES; side++)
        a.side[side] = side_of(kind[side], extent, side == 1);
    return a;
}

/* Whether the outermost ghosts, and so all of them, are copies of points by one multiplication. */
static bool is_wide(const emit_gpu_border_axis *a)
{
    const int outermost[] = {-a->halo, a->first + a->inner + a->outer - a->low - 1};
    bool wide = true;

    for (int side = 0; side < SIDES; side++) {
        const emit_gpu_border_side *s = &a->side[side];
        const int from = s->from + s->sign * outermost[side];
        wide = wide && (s->kind == NO_GHOST || (from >= 0 && from < a->extent));
    }
    return wide;
}

/* ---- one level ---------------------------------------------------------------------------- */

static bool is_filled(const emit_gpu_border_axis *a)
{
    return a->side[0].kind != NO_GHOST || a->side[1].kind != NO_GHOST;
}

static int blocks_of(const emit_gpu_border *b, int part)
{
    int64_t width[MAX_DIM];
    bool any = false;

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const bool outer = part >> axis & 1;
        any = any || (outer && is_filled(&b->axis[axis]));
        width[axis] = outer ? b->axis[axis].outer : b->axis[axis].inner;
    }
    const int64_t lines = width[1] * width[2] + EMIT_GPU_BORDER_LINES - 1;
    return any ? (int)gpu_blocks(width[0] * (lines / EMIT_GPU_BORDER_LINES)) : 0;
}

emit_gpu_border gpu_border_of(const view *v, int kind[MAX_DIM][SIDES])
{
    const bool near = v->stride[1] <= INT32_MAX && v->stride[2] <= INT32_MAX;
    emit_gpu_border b = {.view = gpu_view_of(v)};

    for (int axis = 0; axis < MAX_DIM; axis++) {
        b.axis[axis] = axis_of(v, axis, kind[axis]);
        if (near && is_wide(&b.axis[axis]))
            b.straight |= 1 << (1 << axis);
    }
    for (int part = 1; part < EMIT_GPU_BORDER_PARTS; part++)
        b.end[part] = b.end[part - 1] + blocks_of(&b, part);
    return b;
}

bool gpu_borders_fit(const view *v, int axis)
{
    double count = 1;

    for (int other = 0; other < MAX_DIM; other++) {
        const int halo = v->halo[other][0] + v->halo[other][1];
        const double all = (double)v->extent[other] + halo;
        if (all >= MOST)
            return false;
        count *= other == axis ? halo + 2 : all;
    }
    return count < MOST;
}

/* ---- those that wait ---------------------------------------------------------------------- */

static int64_t most_blocks(const gpurun *g)
{
    int most = 0;

    for (int64_t n = 0; n < g->borders; n++) {
        const int blocks = g->border.level[n].end[EMIT_GPU_BORDER_PARTS - 1];
        most = blocks > most ? blocks : most;
    }
    return most;
}

pav_status gpu_borders_done(gpurun *g)
{
    const gpu_call call = {.kernel = g->set->borders,
                           .blocks = {most_blocks(g), g->borders, 1},
                           .threads = {EMIT_GPU_COMMON, 1, 1},
                           .argument = &g->border,
                           .argument_bytes = sizeof g->border};
    g->borders = 0;
    return gpu_launch(g->gpu, &call);
}

pav_status gpu_borders(gpurun *g, int field, const view *v, int kind[MAX_DIM][SIDES])
{
    if (g->borders == EMIT_GPU_BORDERS)
        TRY(gpu_borders_done(g));
    TRY(mirrors_on_gpu(g, field, v, true));
    if (g->borders == 0)
        g->border = (emit_gpu_borders){0};
    g->border.level[g->borders++] = gpu_border_of(v, kind);
    return PAV_OK;
}
