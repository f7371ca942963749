/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders: fills the ghost points and prescribed faces of one level, axis by axis, x
 * first and side - before side +. Some ghosts are copied. Values and fluxes are stages of
 * the IR that run over the slab of a face, and see the level being filled as level 0. A
 * value that reads fields has a stage for each layer of points, and sees the level being
 * filled of other fields as level 1. */
#include <assert.h>

#include "exec/exec.h"

bool axis_wraps(const ir *code, int axis)
{
    for (int64_t f = 0; f < code->fields; f++)
        if (border_wraps(code->field[f].border[axis][0].kind))
            return true;
    return false;
}

bool subdomain_is_seam(const subdomain *part, int64_t field, int axis, int side)
{
    const ir_field *f = &part->code->field[field];
    const subdomain_grid *g = part->grid ? &part->grid[f->coarse] : NULL;
    return g && !g->all &&
           (g->seam[axis][side] ||
            (g->cut[axis] && border_wraps(f->border[axis][side].kind)));
}

const ir_border *subdomain_border(const subdomain *part, int64_t field, int axis,
                                  int side)
{
    static const ir_border none = {.stage = -1};
    return subdomain_is_seam(part, field, axis, side)
               ? &none
               : &part->code->field[field].border[axis][side];
}

/* ---- faces ------------------------------------------------------------------------- */

typedef struct border_face {
    int field;
    const view *v;
    int axis, stage;
    ghost_sides sides;
} border_face;

static pav_status copy_ghosts(subdomain *part, const box *range, void *user)
{
    const border_face *f = user;
    executor *e = part->executor;
    return e->ops.copy_ghosts(e, f->field, f->v, f->axis, f->sides, range);
}

/* Copies ghosts, cut into pieces for the threads. In the host's memory one call fills an
 * axis with its ghosts, so the range along this axis must be a single piece. */
static pav_status copy_in_pieces(subdomain *part, const box *range, border_face *f)
{
    box all = *range;
    if (!part->executor->own_memory)
        all.hi[f->axis] = all.lo[f->axis] + 1;
    return subdomain_in_pieces(part, &all, false, copy_ghosts, f);
}

static const view **slots_of(subdomain *part, int64_t field)
{
    return part->views + (part->view[field] - part->views);
}

/* Replaces level 1 of the other fields read by a border with their level 1 - `age`. */
static void show_level(subdomain *part, const ir_stage *s, int age)
{
    for (const ir_node *n = NULL; (n = ir_next_load(s, n));)
        if (n->level == 1) {
            const view **slot = slots_of(part, n->field);
            slot[0] = slot[age];
        }
}

/* The stage sees the level being filled as level 0, and of other fields as level 1. */
static pav_status compute(subdomain *part, const box *range, void *user)
{
    const border_face *f = user;
    const view **slot = slots_of(part, f->field);
    int age = 0;
    while (age < part->code->field[f->field].levels && slot[age] != f->v)
        age++;
    if (age > 0)
        show_level(part, &part->code->stage[f->stage], age);
    const view *level_0 = slot[1];
    slot[1] = f->v;
    const pav_status status = subdomain_stage(part, f->stage, range);
    slot[1] = level_0;
    if (age > 0)
        subdomain_refresh_views(part);
    return status;
}

static pav_status fill_face(subdomain *part, int field, const view *v, int axis, int side)
{
    const ir_border *border = subdomain_border(part, field, axis, side);
    if (!border_is(border->kind))
        return PAV_OK;
    const box range = border_box(v, axis, side, ir_border_stores_face(border));
    border_face f = {.field = field, .v = v, .axis = axis};
    f.sides.filled[side] = border_rules[border->kind].copies;
    f.sides.map[side] = border_rules[border->kind].map;
    if (f.sides.filled[side])
        TRY(copy_in_pieces(part, &range, &f));
    for (int n = 0; n < ir_border_stages(border); n++) {
        box layer = range;
        if (border->layers) { /* from the face outwards */
            const int64_t at = side ? range.lo[axis] + n : range.hi[axis] - 1 - n;
            layer = box_along(range, axis, at, at + 1);
            layer = box_common(layer, range);
        }
        if (box_is_empty(&layer))
            continue;
        f.stage = border->stage + n;
        TRY(stage_may_be_cut(&part->code->stage[f.stage])
                ? subdomain_in_pieces(part, &layer, false, compute, &f)
                : compute(part, &layer, &f));
    }
    return PAV_OK;
}

bool border_only_copies(const ir_border *b)
{
    return !border_is(b->kind) || (border_rules[b->kind].copies && b->stage < 0);
}

/* True if all ghosts of an axis are copies of points; sides: the kinds of copies. */
static bool are_copies(const subdomain *part, int field, const view *v, int axis,
                       ghost_sides *sides)
{
    *sides = (ghost_sides){0};
    for (int side = 0; side < 2; side++) {
        const ir_border *b = subdomain_border(part, field, axis, side);
        if (!border_only_copies(b))
            return false;
        sides->filled[side] = border_rules[b->kind].copies;
        sides->map[side] = border_rules[b->kind].map;
    }
    return border_rounds(v, axis) == 1;
}

/* Fills both faces at once, or one after the other. */
pav_status border_fill_axis(subdomain *part, int field, const view *v, int axis)
{
    border_face f = {.field = field, .v = v, .axis = axis};
    if (!part->executor->own_memory && are_copies(part, field, v, axis, &f.sides)) {
        const box range = border_box(v, axis, 0, false);
        return f.sides.filled[0] || f.sides.filled[1] ? copy_in_pieces(part, &range, &f)
                                                      : PAV_OK;
    }
    for (int n = 0; n < 2 * border_rounds(v, axis); n++)
        TRY(fill_face(part, field, v, axis, n % 2));
    return PAV_OK;
}

/* ---- one level --------------------------------------------------------------------- */

static pav_status begin_border(subdomain *part, int field, int level, int64_t step)
{
    executor *e = part->executor;
    subdomain_set_time(part, step);
    return e->ops.fill_axes(e, field, part->view[field][1 - level], 0, part->code->dim);
}

pav_status subdomain_fill_as(subdomain *part, int field, view *level, const view *as,
                             int axis, int end)
{
    executor *e = part->executor;
    const view own = *level;
    *level = *as;
    const pav_status status = e->ops.fill_axes(e, field, level, axis, end);
    *level = own;
    return status;
}

pav_status subdomain_fill_border(subdomain *part, int field, int level, int64_t step)
{
    TRY(begin_border(part, field, level, step));
    return part->executor->ops.end_borders(part->executor);
}

/* ---- constant borders -------------------------------------------------------------- */

bool stage_is_still(const ir_stage *s)
{
    for (const ir_node *n = NULL; (n = ir_next_node(s, n));)
        if (n->op == IR_LOAD || n->op == IR_UNIFORM)
            return false;
    return true;
}

/* True if values at and beyond all faces depend on neither time nor fields. */
bool borders_are_still(const ir *code, const ir_field *f)
{
    for (int face = 0; face < 2 * code->dim; face++) {
        const ir_border *b = &f->border[face / 2][face % 2];
        if (border_is(b->kind) &&
            !(border_rules[b->kind].values && !b->face && b->stage >= 0 &&
              stage_is_still(&code->stage[b->stage])))
            return false;
    }
    return true;
}

/* Steps store only between prescribed faces, and nothing beyond faces, so a buffer keeps
 * a constant border. */
pav_status subdomain_keep_border(subdomain *part, int field, int level, int64_t step)
{
    const int64_t buffer = part->view[field][1 - level] - part->field[field].level;
    const uint64_t bit = buffer < 64 ? UINT64_C(1) << buffer : 0;
    assert(buffer >= 0 && buffer < part->field[field].count); /* views are up to date */
    if (part->kept[field] & bit)
        return PAV_OK;
    TRY(begin_border(part, field, level, step));
    if (!part->code->field[field].refills &&
        borders_are_still(part->code, &part->code->field[field]))
        part->kept[field] |= bit;
    return PAV_OK;
}

pav_status subdomain_keep_borders(subdomain *part)
{
    for (int f = 0; f < part->code->fields; f++)
        for (int age = 0;
             part->code->field[f].updated && age < ir_kept_levels(&part->code->field[f]);
             age++)
            TRY(subdomain_keep_border(part, f, -age, part->step - age));
    TRY(part->executor->ops.end_borders(part->executor));
    subdomain_set_time(part, part->step);
    return PAV_OK;
}

static uint64_t all_buffers(const subdomain *part, int field)
{
    const int buffers = part->field[field].count;
    return buffers < 64 ? (UINT64_C(1) << buffers) - 1 : 0;
}

border_state subdomain_border_state(const subdomain *part, int field)
{
    const uint64_t all = all_buffers(part, field);
    return !borders_are_still(part->code, &part->code->field[field]) ? BORDER_LIVE
           : all && part->kept[field] == all                         ? BORDER_KEPT
                                                                     : BORDER_TO_KEEP;
}

/* Other borders are filled after the stage. Kept borders are equal in all buffers. */
bool subdomain_ends_are_alike(const subdomain *part, const ir_stage *s)
{
    for (const ir_output *o = NULL; (o = ir_next_store(s, o));)
        if (part->kept[o->field] && part->kept[o->field] != all_buffers(part, o->field))
            return false;
    return true;
}

/* ---- prescribed points ------------------------------------------------------------- */

pav_status subdomain_bring_masks(subdomain *part, int field)
{
    const ir_field *f = &part->code->field[field];
    const view *mask;
    for (int k = 0; k < f->masks; k++)
        TRY(subdomain_host_view(part, f->mask[k], 0, HOST_READ, NULL, &mask));
    return PAV_OK;
}

bool point_is_given(const ir *code, int field, const int64_t *point)
{
    const ir_field *f = &code->field[field];
    for (int face = 0; face < 2 * code->dim; face++)
        if (border_rules[f->border[face / 2][face % 2].kind].has_face &&
            point[face / 2] == (face % 2 ? f->extent[face / 2] - 1 : 0))
            return true;
    return false;
}
