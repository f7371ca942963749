/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders on a GPU: filled by launches of their own, stored by the stage itself, or left
 * out where rows wrap around. */
#include <assert.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"

/* ---- launches ---------------------------------------------------------------------- */

/* Ghosts that are copies, on a GPU: one launch fills all axes of a level, and several
 * levels in a row. Deferred levels already count as stored; they are filled before the
 * next launch of a stage. Borders left out by fused launches, and by sweeps around
 * periodic rows, are filled later. */

/* Bound of the 32-bit numbers that threads count with; twice the bound still fits. */
enum { MOST = 1 << 30 };

/* ---- one axis ---------------------------------------------------------------------- */

static int how_of(int map)
{
    if (map == NO_GHOST)
        return 0;
    return EMIT_GPU_GHOST_FILLED | (map & GHOST_NEGATIVE ? EMIT_GPU_GHOST_NEGATED : 0);
}

static bool zeroes_face(int map)
{
    return map != NO_GHOST && border_zeroes_face((ghost_map)map);
}

/* For ghosts no farther out than the width of the grid. */
static emit_gpu_border_side side_of(int map, int extent, int side)
{
    const border_image image = map == NO_GHOST || extent == 1
                                   ? border_image_of(GHOST_CLAMPS, side)
                                   : border_image_of((ghost_map)map, side);

    return (emit_gpu_border_side){map, how_of(map), image.extents * extent + image.shift,
                                  image.sign};
}

static emit_gpu_border_axis axis_of(const view *v, int axis, const int *map)
{
    const int low = zeroes_face(map[0]), high = zeroes_face(map[1]);
    const int extent = (int)v->extent[axis], *halo = v->halo[axis];
    emit_gpu_border_axis a = {.extent = extent,
                              .first = low,
                              .inner = extent - low - high,
                              .outer = halo[0] + low + high + halo[1],
                              .low = halo[0] + low,
                              .halo = halo[0]};

    for (int side = 0; side < SIDES; side++)
        a.side[side] = side_of(map[side], extent, side);
    return a;
}

/* True if the outermost ghosts, and so all ghosts, are copies found by one
 * multiplication. */
static bool is_wide(const emit_gpu_border_axis *a)
{
    const int outermost[] = {-a->halo, a->first + a->inner + a->outer - a->low - 1};

    for (int side = 0; side < SIDES; side++) {
        const emit_gpu_border_side *s = &a->side[side];
        const int from = s->from + s->sign * outermost[side];
        if (s->map != NO_GHOST && (from < 0 || from >= a->extent))
            return false;
    }
    return true;
}

/* ---- one level --------------------------------------------------------------------- */

static int blocks_of(const emit_gpu_border *b, int part)
{
    int64_t width[MAX_DIM];
    bool any = false;

    for (int axis = 0; axis < MAX_DIM; axis++) {
        const bool outer = part >> axis & 1;
        any = any || (outer && (b->axis[axis].side[0].map != NO_GHOST ||
                                b->axis[axis].side[1].map != NO_GHOST));
        width[axis] = outer ? b->axis[axis].outer : b->axis[axis].inner;
    }
    const int64_t lines = width[1] * width[2] + EMIT_GPU_BORDER_LINES - 1;
    return any ? (int)gpu_blocks(width[0] * (lines / EMIT_GPU_BORDER_LINES)) : 0;
}

emit_gpu_border gpu_border_of(const view *v, int map[MAX_DIM][SIDES])
{
    const bool near = v->stride[1] <= INT32_MAX && v->stride[2] <= INT32_MAX;
    emit_gpu_border b = {.view = gpu_view_from_first(v, 0, MAX_DIM)};

    for (int axis = 0; axis < MAX_DIM; axis++) {
        b.axis[axis] = axis_of(v, axis, map[axis]);
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

/* ---- deferred borders -------------------------------------------------------------- */

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

/* Levels of one launch are filled in any order. A border that reads ghosts of lower axes
 * needs a launch of its own. */
static bool is_waiting(const gpurun *g, const emit_gpu_view *v)
{
    for (int64_t n = 0; n < g->borders; n++)
        if (g->border.level[n].view.data == v->data)
            return true;
    return false;
}

/* ---- borders of a level ------------------------------------------------------------ */

/* True if all ghosts of an axis are copies of points not changed by the filling, and few
 * enough. */
static bool is_copied(const subdomain *part, int field, const view *v, int axis)
{
    for (int side = 0; side < SIDES; side++) {
        const ir_border *b = subdomain_border(part, field, axis, side);
        if (!border_only_copies(b) ||
            (border_zeroes_face(border_rules[b->kind].map) &&
             border_rounds(v, axis) > 1) ||
            (border_is(b->kind) && !gpu_borders_fit(v, axis)))
            return false;
    }
    return true;
}

/* Advances `axis` over all following axes with copied ghosts, at most to `end`. */
static int copied_axes(const subdomain *part, int field, const view *v, int axis, int end,
                       int map[MAX_DIM][SIDES])
{
    for (int n = 0; n < MAX_DIM * SIDES; n++)
        map[n / SIDES][n % SIDES] = NO_GHOST;
    for (; axis < end && is_copied(part, field, v, axis); axis++)
        for (int side = 0; side < SIDES; side++) {
            const border_rule
                *r = &border_rules[subdomain_border(part, field, axis, side)->kind];
            if (r->copies)
                map[axis][side] = (int)r->map;
        }
    return axis;
}

/* Adjacent axes with copied ghosts share a launch. */
pav_status gpu_fill_axes(executor *self, int field, const view *v, int axis, int end)
{
    gpurun *g = (gpurun *)self;
    int map[MAX_DIM][SIDES];
    for (int next; axis < end; axis = next) {
        next = copied_axes(self->part, field, v, axis, end, map);
        if (next > axis) {
            const emit_gpu_border b = gpu_border_of(v, map);
            if (g->borders == EMIT_GPU_BORDERS || is_waiting(g, &b.view))
                TRY(gpu_borders_done(g));
            TRY(mirrors_on_gpu(g, field, v, true));
            if (g->borders == 0)
                g->border = (emit_gpu_borders){0};
            g->border.level[g->borders++] = b;
            continue;
        }
        TRY(gpu_borders_done(g));
        TRY(border_fill_axis(self->part, field, v, axis));
        next = axis + 1;
    }
    return PAV_OK;
}

/* ---- stale borders ----------------------------------------------------------------- */

pav_status gpu_fill_borders(gpurun *g)
{
    if (!g->ghosts_stale && !g->wrap_ghosts_stale)
        return PAV_OK;
    TRY(subdomain_keep_borders(g->base.part));
    g->ghosts_stale = g->wrap_ghosts_stale = false;
    return PAV_OK;
}

/* ---- ghosts stored by a stage ------------------------------------------------------ */

/* A sweep may store ghosts together with the points they copy (sweep.cuh), which
 * saves a launch of borders. Conditions: all outputs of the stage have the same ghosts,
 * no ghost copies a ghost, and the call covers all points. */

/* True if each ghost copies a point and no two ghosts copy the same point. Checking the
 * outermost ghost is enough: the others copy points nearer to the face. */
static bool are_images(const emit_gpu_border_axis *a, int side,
                       const emit_gpu_ghost_image *b)
{
    const emit_gpu_border_side *s = &a->side[side];
    const int from = s->from + s->sign * (side ? b->first + b->depth - 1 : b->first);

    return b->depth == 0 || (s->sign != 0 && from >= 0 && from < a->extent);
}

/* Ghosts of one level; false: some ghosts are no images of single points. */
static bool find_level(const subdomain *part, int field, const view *v,
                       emit_gpu_ghost_image found[MAX_DIM][SIDES])
{
    int map[MAX_DIM][SIDES];
    const int dim = part->code->dim;
    bool all = copied_axes(part, field, v, 0, dim, map) == dim;
    const emit_gpu_border b = gpu_border_of(v, map);

    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < SIDES; side++) {
            const emit_gpu_border_side *s = &b.axis[axis].side[side];

            found[axis][side] = (emit_gpu_ghost_image){
                .from = s->sign > 0 ? -s->from : s->from,
                .sign = s->sign,
                .first = side ? b.axis[axis].extent : -b.axis[axis].halo,
                .depth = side ? b.axis[axis].outer - b.axis[axis].halo
                              : b.axis[axis].halo};
            all = all && are_images(&b.axis[axis], side, &found[axis][side]);
        }
    return all;
}

/* Ghosts of a stage; false: its outputs differ. */
static bool find_stage(const subdomain *part, const interp_args *args,
                       emit_gpu_ghost_image found[MAX_DIM][SIDES])
{
    emit_gpu_ghost_image other[MAX_DIM][SIDES];

    for (int64_t k = 0; k < args->stage->outputs; k++) {
        const ir_output *o = &args->stage->output[k];
        if (!find_level(part, o->field, args->view[o->field][1 - o->level],
                        k == 0 ? found : other) ||
            (k > 0 && memcmp(found, other, sizeof other) != 0))
            return false;
    }
    return true;
}

static bool is_of_all_points(const interp_args *args)
{
    /* a stage with kernels that store */
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
    if (!v->what.ghosts || !is_of_all_points(args))
        return false;
    if (s->images == IMAGES_UNKNOWN)
        s->images = find_stage(g->base.part, args, s->beyond) ? IMAGES_ALL : IMAGES_NONE;
    if (s->images == IMAGES_NONE)
        return false;
    memcpy(w->beyond, s->beyond, sizeof w->beyond);
    w->same_ends = w->same_ends && w->hi[0] % v->what.schedule.thread.size[0] == 0;
    return true;
}

/* ---- periodic rows ----------------------------------------------------------------- */

/* Periodic rows without ghosts. A sweep that wraps around (codegen/gpu/cuda_columns.c)
 * need not store ghosts beyond the ends of rows if all other stages of a step have chosen
 * such sweeps. These ghosts are filled before another reader: a measure, another kernel
 * in a trial, or a fused launch. */

static bool reads_ends(const ir_stage *s)
{
    for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
        if (n->offset[0] != 0 || n->transfer != IR_SAME)
            return true;
    return false;
}

static bool wraps_around(const gpurun *g, const ir_stage *stage, const gpu_variant *v)
{
    const ir_field *field = g->base.part->code->field;

    return v->what.around &&
           field[stage->output->field].extent[0] % v->what.schedule.thread.size[0] == 0;
}

static bool stage_wraps_rows(const gpurun *g, int64_t number)
{
    const ir_stage *stage = &g->base.part->code->stage[number];
    const gpu_stage *s = &g->stage[number];

    if (!reads_ends(stage))
        return true;
    return s->variants > 0 && gpu_tuner_is_tuned(&s->tuner) &&
           wraps_around(
               g, stage,
               &s->variant[gpu_tuner_candidate(&s->tuner, &s->tuner.box).kernel]);
}

/* Computed borders run in the middle of a step. */
static bool borders_read_ends(const ir *code)
{
    for (int64_t f = 0; f < code->fields; f++)
        for (int face = 0; face < SIDES * code->dim; face++) {
            const int stage = code->field[f].border[face / SIDES][face % SIDES].stage;
            if (stage >= 0 && reads_ends(&code->stage[stage]))
                return true;
        }
    return false;
}

/* True if no other stage of this step reads ghosts beyond the ends of rows. */
static bool others_wrap(const gpurun *g, const ir_stage *stage)
{
    const ir *code = g->base.part->code;

    for (int64_t n = 0; n < code->step.count; n++)
        if (&code->stage[code->step.stage[n]] != stage &&
            !stage_wraps_rows(g, code->step.stage[n]))
            return false;
    return !borders_read_ends(code);
}

void gpu_wrap(gpurun *g, const gpu_stage *s, const gpu_variant *v,
              const interp_args *args, emit_gpu_work *w)
{
    if (!wraps_around(g, args->stage, v) || !is_of_all_points(args))
        return;
    w->around = w->hi[0];
    if (!s->fills || !others_wrap(g, args->stage))
        return;
    w->beyond[0][0].depth = w->beyond[0][1].depth = 0;
    g->wrap_ghosts_stale = true;
}

pav_status gpu_refresh_wrapped_ghosts(gpurun *g, const ir_stage *stage)
{
    return g->wrap_ghosts_stale && reads_ends(stage) ? gpu_fill_borders(g) : PAV_OK;
}
