/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders: one level of one field gets its ghost points and given faces, axis by axis, x first and side
 * - before side +. Ghosts that are copies are moved by grid; values and fluxes are stages of the IR
 * run over the face's slab, with level 0 standing for the level being filled. */
#include "run/gpu/gpu_private.h"
#include "run/host/kernel_private.h"

/* BORDER_VALUE counts its face as part of the slab. */
void border_slab(const view *v, int axis, int side, border_kind kind, box *b)
{
    const int inner = kind == BORDER_VALUE ? 1 : 0;
    b->lo[axis] = side ? v->extent[axis] - inner : -v->halo[axis][0];
    b->hi[axis] = side ? v->extent[axis] + v->halo[axis][1] : inner;
}

/* Lower axes: all points, halo included; higher axes: the points without halo. */
box border_box(const view *v, int axis, int side, border_kind kind)
{
    box b;
    for (int a = 0; a < MAX_DIM; a++) {
        b.lo[a] = a < axis ? -v->halo[a][0] : 0;
        b.hi[a] = v->extent[a] + (a < axis ? v->halo[a][1] : 0);
    }
    border_slab(v, axis, side, kind, &b);
    return b;
}

static const ghost_kind ghost[] = {
    [BORDER_NEUMANN] = GHOST_EVEN,  [BORDER_PERIODIC] = GHOST_PERIODIC,
    [BORDER_MIRROR] = GHOST_MIRROR, [BORDER_ODD] = GHOST_ODD,
    [BORDER_CLAMP] = GHOST_CLAMP,
};

void border_copy(const view *v, int axis, int side, border_kind kind, const box *range)
{
    if (kind >= BORDER_NEUMANN)
        ghost_fill_side(v, axis, side, ghost[kind], range);
}

static pav_status copy_ghosts(pav_run *run, int field, const view *v, int axis, int side,
                              const box *range)
{
    const border_kind kind = run->part->code->field[field].border[axis][side].kind;
    if (run->gpu && kind >= BORDER_NEUMANN)
        return gpu_ghosts(run->gpu, field, v, axis, side, ghost[kind], range);
    border_copy(v, axis, side, kind, range);
    return PAV_OK;
}

/* ---- faces -------------------------------------------------------------------------------- */

typedef struct border_face {
    int field;
    const view *v;
    int axis, side, stage;
    ghost_sides sides;
} border_face;

static pav_status copy_side(pav_run *run, const box *part, void *user)
{
    const border_face *f = user;
    return copy_ghosts(run, f->field, f->v, f->axis, f->side, part);
}

static pav_status copy_both(pav_run *run, const box *part, void *user)
{
    const border_face *f = user;
    run_copy_ghosts(run->team, f->v, f->axis, f->sides, part);
    return PAV_OK;
}

/* On the host the range along the axis counts for nothing, and is not to be cut. */
static pav_status copy_in_pieces(pav_run *run, const box *range, int axis,
                                 piece_work *copy, border_face *f)
{
    box all = *range;
    if (!run->gpu)
        all.hi[axis] = all.lo[axis] + 1;
    return run_in_pieces(run, &all, false, copy, f);
}

static pav_status compute(pav_run *run, const box *part, void *user)
{
    return run_stage(run, ((const border_face *)user)->stage, part);
}

static pav_status fill_face(pav_run *run, int field, const view *v, int axis, int side)
{
    const ir_border *border = &run->part->code->field[field].border[axis][side];
    if (border->kind == BORDER_NONE)
        return PAV_OK;
    const box range = border_box(v, axis, side, border->kind);
    border_face f = {
        .field = field, .v = v, .axis = axis, .side = side, .stage = border->stage};
    TRY(copy_in_pieces(run, &range, axis, copy_side, &f));
    if (border->stage < 0 || box_is_empty(&range))
        return PAV_OK;
    return run_may_be_cut(&run->part->code->stage[border->stage])
               ? run_in_pieces(run, &range, false, compute, &f)
               : compute(run, &range, &f);
}

/* In a small grid the ghosts of side - may be copies of the face of side +, which gets its value after
 * them: a second round knows it. */
static int rounds(const view *v, int axis)
{
    const int reach = v->halo[axis][0] > v->halo[axis][1] ? v->halo[axis][0]
                                                          : v->halo[axis][1];
    return v->extent[axis] <= reach + 1 ? 2 : 1;
}

/* Whether a face's ghosts, if it has any, are copies of points. */
static bool only_copies(const ir_border *b)
{
    return b->kind == BORDER_NONE || (b->kind >= BORDER_NEUMANN && b->stage < 0);
}

/* Whether an axis has ghosts that are copies, and no others; and of which kinds. */
static bool are_copies(const ir_field *f, const view *v, int axis, ghost_sides *sides)
{
    *sides = (ghost_sides){0};
    for (int side = 0; side < SIDES; side++) {
        const ir_border *b = &f->border[axis][side];
        if (!only_copies(b))
            return false;
        sides->filled[side] = b->kind != BORDER_NONE;
        if (sides->filled[side])
            sides->kind[side] = ghost[b->kind];
    }
    return rounds(v, axis) == 1;
}

/* Both faces at once, or one after the other. */
static pav_status fill_axis(pav_run *run, int field, const view *v, int axis)
{
    ghost_sides sides;
    if (!run->gpu && are_copies(&run->part->code->field[field], v, axis, &sides)) {
        const box range = border_box(v, axis, 0, BORDER_PERIODIC);
        border_face f = {.v = v, .axis = axis, .sides = sides};
        return copy_in_pieces(run, &range, axis, copy_both, &f);
    }
    for (int n = 0; n < 2 * rounds(v, axis); n++)
        TRY(fill_face(run, field, v, axis, n % 2));
    return PAV_OK;
}

/* ---- on a GPU ----------------------------------------------------------------------------- */

/* Whether all ghosts of an axis are copies of points that the filling leaves alone, and not too many. */
static bool is_copied(const ir_field *f, const view *v, int axis)
{
    for (int side = 0; side < SIDES; side++) {
        const ir_border *b = &f->border[axis][side];
        if (!only_copies(b) || (b->kind == BORDER_ODD && rounds(v, axis) > 1) ||
            (b->kind != BORDER_NONE && !gpu_borders_fit(v, axis)))
            return false;
    }
    return true;
}

/* Axes from `axis` on that are copied, up to the one that is given. */
static int copied_axes(const ir_field *f, const view *v, int axis, int dim,
                       int kind[MAX_DIM][SIDES])
{
    for (int n = 0; n < MAX_DIM * SIDES; n++)
        kind[n / SIDES][n % SIDES] = NO_GHOST;
    for (; axis < dim && is_copied(f, v, axis); axis++)
        for (int side = 0; side < SIDES; side++) {
            const border_kind k = f->border[axis][side].kind;
            if (k != BORDER_NONE)
                kind[axis][side] = (int)ghost[k];
        }
    return axis;
}

bool run_borders_are_copies(const pav_run *run, int field, const view *v,
                            int kind[MAX_DIM][SIDES])
{
    const int dim = run->part->code->dim;
    return copied_axes(&run->part->code->field[field], v, 0, dim, kind) == dim;
}

/* As few launches as can be: axes that are copied are one. */
static pav_status fill_on_gpu(pav_run *run, int field, const view *v)
{
    const ir_field *f = &run->part->code->field[field];
    int kind[MAX_DIM][SIDES];
    for (int axis = 0, end; axis < run->part->code->dim; axis = end) {
        end = copied_axes(f, v, axis, run->part->code->dim, kind);
        if (end > axis) {
            TRY(gpu_borders(run->gpu, field, v, kind));
            continue;
        }
        TRY(gpu_borders_done(run->gpu));
        TRY(fill_axis(run, field, v, axis));
        end = axis + 1;
    }
    return PAV_OK;
}

pav_status run_end_borders(pav_run *run)
{
    return run->gpu ? gpu_borders_done(run->gpu) : PAV_OK;
}

/* ---- one level ---------------------------------------------------------------------------- */

static pav_status fill_level(pav_run *run, int field, const view *v)
{
    if (run->gpu)
        return fill_on_gpu(run, field, v);
    for (int axis = 0; axis < run->part->code->dim; axis++)
        TRY(fill_axis(run, field, v, axis));
    return PAV_OK;
}

static pav_status begin_border(pav_run *run, int field, int level, int64_t step)
{
    const view **slot = run->part->views + (run->part->view[field] - run->part->views);
    const view *filled = slot[1 - level];
    const view *level_0 = slot[1];
    slot[1] = filled;
    subdomain_set_time(run->part, step);
    const pav_status status = fill_level(run, field, filled);
    slot[1] = level_0;
    return status;
}

pav_status run_fill_border(pav_run *run, int field, int level, int64_t step)
{
    TRY(begin_border(run, field, level, step));
    return run_end_borders(run);
}

/* ---- borders that stay as they are -------------------------------------------------------- */

static bool stage_is_still(const ir_stage *s)
{
    for (int64_t k = 0; k < s->count; k++)
        if (s->node[k].op == IR_LOAD || s->node[k].op == IR_UNIFORM)
            return false;
    return true;
}

/* Whether all faces, or what lies beyond them, have values that depend on neither time nor fields. */
bool borders_are_still(const ir *code, const ir_field *f)
{
    for (int axis = 0; axis < code->dim; axis++)
        for (int side = 0; side < 2; side++) {
            const ir_border *b = &f->border[axis][side];
            const bool value = b->kind == BORDER_VALUE || b->kind == BORDER_BEYOND;
            if (b->kind != BORDER_NONE &&
                !(value && b->stage >= 0 && stage_is_still(&code->stage[b->stage])))
                return false;
        }
    return true;
}

/* Steps store between the faces that have values, and nothing beyond any, so a buffer keeps what never changes. */
pav_status run_keep_border(pav_run *run, int field, int level, int64_t step)
{
    const int64_t buffer = run->part->view[field][1 - level] -
                           run->part->field[field].level;
    const uint64_t bit = buffer < 64 ? UINT64_C(1) << buffer : 0;
    if (run->part->kept[field] & bit)
        return PAV_OK;
    TRY(begin_border(run, field, level, step));
    if (borders_are_still(run->part->code, &run->part->code->field[field]))
        run->part->kept[field] |= bit;
    return PAV_OK;
}

border_state run_border_state(const pav_run *run, int field)
{
    const int buffers = run->part->field[field].count;
    const uint64_t all = buffers < 64 ? (UINT64_C(1) << buffers) - 1 : 0;
    if (!borders_are_still(run->part->code, &run->part->code->field[field]))
        return BORDER_LIVE;
    return all && run->part->kept[field] == all ? BORDER_KEPT : BORDER_TO_KEEP;
}

/* What is not kept is filled after the stage; what is kept is the same in all buffers that keep it. */
bool run_ends_are_alike(const pav_run *run, const ir_stage *s)
{
    for (int64_t k = 0; k < s->outputs; k++) {
        const ir_output *o = &s->output[k];
        if (o->kind != IR_STORE)
            continue;
        const int buffers = run->part->field[o->field].count;
        const uint64_t all = buffers < 64 ? (UINT64_C(1) << buffers) - 1 : 0;
        if (run->part->kept[o->field] && run->part->kept[o->field] != all)
            return false;
    }
    return true;
}

pav_status masks_bring(const pav_run *run, int field)
{
    const ir_field *f = &run->part->code->field[field];
    const view *mask;
    for (int k = 0; k < f->masks; k++)
        TRY(run_host_view(run, f->mask[k], 0, HOST_READ, &mask));
    return PAV_OK;
}

static bool is_masked(const pav_run *run, const ir_field *f, const int64_t *point)
{
    for (int k = 0; k < f->masks; k++) {
        const view *mask = NULL;
        (void)run_host_view(run, f->mask[k], 0, HOST_READ, &mask); /* it was brought */
        if (((const uint8_t *)
                 mask->data)[view_index(mask, point[0], point[1], point[2])] == 0)
            return true;
    }
    return false;
}

bool point_is_given(const ir *code, int field, const int64_t *point)
{
    const ir_field *f = &code->field[field];
    for (int axis = 0; axis < code->dim; axis++)
        for (int side = 0; side < 2; side++) {
            const border_kind kind = f->border[axis][side].kind;
            const int64_t face = side ? f->extent[axis] - 1 : 0;
            if ((kind == BORDER_VALUE || kind == BORDER_ODD) && point[axis] == face)
                return true;
        }
    return false;
}

/* A point whose value a border or a mask gives: an injection adds nothing to it. */
bool run_point_is_fixed(const pav_run *run, int field, const int64_t *point)
{
    return point_is_given(run->part->code, field, point) ||
           is_masked(run, &run->part->code->field[field], point);
}
