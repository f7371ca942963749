/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep may store ghosts together with the points they copy (kernel_ghosts.cuh), which
 * saves a launch of borders. Conditions: all outputs of the stage have the same ghosts,
 * no ghost copies a ghost, and the call covers all points. */
#include <assert.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* A border maps a ghost to its point; the image maps a point to its ghost. */
static emit_gpu_ghost_image beyond_of(const emit_gpu_border_axis *a, int side)
{
    const emit_gpu_border_side *s = &a->side[side];

    return (emit_gpu_ghost_image){.from = s->sign > 0 ? -s->from : s->from,
                                  .sign = s->sign,
                                  .first = side ? a->extent : -a->halo,
                                  .depth = side ? a->outer - a->halo : a->halo};
}

/* True if each ghost copies a point, and no two ghosts copy the same one. The outermost
 * ghost decides. */
static bool are_images(const emit_gpu_border_axis *a, int side,
                       const emit_gpu_ghost_image *b)
{
    const emit_gpu_border_side *s = &a->side[side];
    const int outermost = side ? b->first + b->depth - 1 : b->first;
    const int from = s->from + s->sign * outermost;

    return b->depth == 0 || (s->sign != 0 && from >= 0 && from < a->extent);
}

/* Ghosts of one level; false: some ghosts are no images of single points. */
static bool find_level(const subdomain *part, int field, const view *v,
                       emit_gpu_ghost_image found[MAX_DIM][SIDES])
{
    int map[MAX_DIM][SIDES];
    bool all = gpu_borders_are_copies(part, field, v, map);
    const emit_gpu_border b = gpu_border_of(v, map);

    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < SIDES; side++) {
            found[axis][side] = beyond_of(&b.axis[axis], side);
            all = all && are_images(&b.axis[axis], side, &found[axis][side]);
        }
    return all;
}

/* Ghosts of a stage; false: its outputs differ. */
static bool find_stage(const subdomain *part, const interp_args *args,
                       emit_gpu_ghost_image found[MAX_DIM][SIDES])
{
    emit_gpu_ghost_image other[MAX_DIM][SIDES];
    bool all = true;

    for (int64_t k = 0; k < args->stage->outputs && all; k++) {
        const ir_output *o = &args->stage->output[k];
        const view *v = args->view[o->field][1 - o->level];
        all = find_level(part, o->field, v, k == 0 ? found : other) &&
              (k == 0 || memcmp(found, other, sizeof other) == 0);
    }
    return all;
}

bool gpu_is_of_all_points(const interp_args *args)
{
    assert(args->stage->outputs > 0 && args->stage->output[0].kind == IR_STORE);
    const int64_t *extent = args->code->field[args->stage->output[0].field].extent;

    for (int axis = 0; axis < MAX_DIM; axis++)
        if (args->box.lo[axis] != 0 || args->box.hi[axis] != extent[axis])
            return false;
    return true;
}

/* Vectors that extend beyond a row would overwrite ghosts with old values, so rows must
 * have whole vectors. */
bool gpu_ghost_images(const gpurun *g, gpu_stage *s, const gpu_variant *v,
                      const interp_args *args, emit_gpu_work *w)
{
    if (!v->what.ghosts || !gpu_is_of_all_points(args))
        return false;
    if (s->images == IMAGES_UNKNOWN)
        s->images = find_stage(g->base.part, args, s->beyond) ? IMAGES_ALL : IMAGES_NONE;
    if (s->images == IMAGES_NONE)
        return false;
    memcpy(w->beyond, s->beyond, sizeof w->beyond);
    w->same_ends = w->same_ends && w->hi[0] % v->what.schedule.thread.size[0] == 0;
    return true;
}

bool gpu_stage_fills(const executor *self, const ir_stage *stage)
{
    const gpurun *g = (const gpurun *)self;
    return g->stage[stage - self->part->code->stage].fills;
}
