/* SPDX-License-Identifier: BSD-3-Clause */
/* Values at a spot: indices, coordinates, absorbing layers, fields. A spot's offset
 * counts points of the spot's own grid. For coarse spots of a stage on the grid it counts
 * points of the grid. */
#include <math.h>
#include <stdlib.h>

#include "plan/plan_private.h"

int64_t points_along(const ir *code, int axis, int coarse)
{
    return coarse_extent(code->program, code->finest + coarse, axis);
}

num spacing_along(const ir *code, int axis, int coarse)
{
    return num_mul(num_int(1 << coarse_shift(code->program, coarse, axis)),
                   code->program->axis[axis].step);
}

spot spot_shift(const lowering *l, const spot *at, const int *offset)
{
    const bool beyond = at->coarse > l->draft->stage.coarse;
    spot there = *at;

    for (int axis = 0; axis < l->code->dim; axis++)
        there.offset[axis] += (beyond && coarse_halves(l->program, at->coarse, axis)
                                   ? 2
                                   : 1) *
                              offset[axis];
    return there;
}

static ir_transfer transfer_to(const lowering *l, int coarse)
{
    return coarse == l->draft->stage.coarse  ? IR_SAME
           : coarse > l->draft->stage.coarse ? IR_TO_COARSE
                                             : IR_TO_FINE;
}

/* The axes with IR_SAME in spite of the transfer. */
static unsigned kept_to(const lowering *l, int coarse)
{
    const int own = l->draft->stage.coarse;

    return coarse == own ? 0 : l->program->kept[coarse > own ? coarse : own];
}

/* ---- indices and coordinates ------------------------------------------------------- */

static int plus(lowering *l, int node, int64_t offset)
{
    return offset ? lower_op(l, IR_ADD, node, lower_const(l, num_int(offset))) : node;
}

/* The index of the point that a ghost of the field copies, or of the nearest point; so
 * the ghosts at an edge belong to the same part of a face as their images. */
static int lower_image(lowering *l, int axis, int index)
{
    const ir_field *f = &l->code->field[l->draft->bordered];
    const int64_t last = f->extent[axis] - 1;
    const int i = index;

    for (int side = 0; side < 2; side++) {
        const border_kind kind = f->border[axis][side].kind;
        const int64_t end = side ? last : 0;
        const int limit = lower_const(l, num_int(end));
        int image = limit;
        if (border_wraps(kind))
            image = plus(l, i, side ? -(int)(last + 1) : (int)(last + 1));
        else if (border_rules[kind].copies && border_inside(kind, 2) > 0)
            image = lower_op(
                l, IR_SUB,
                lower_const(
                    l, num_int(2 * end + (side ? 1 : -1) * (2 - border_inside(kind, 2)))),
                i);
        const int beyond = side ? lower_op(l, IR_LT, limit, i)
                                : lower_op(l, IR_LT, i, limit);
        index = build_op(&l->draft->build, IR_SELECT, beyond, image, index);
    }
    return index;
}

int lower_index(lowering *l, int axis, const spot *at)
{
    const int offset = at->offset[axis];
    int index;

    if (l->draft->uniform)
        lower_fail(l, PAV_ESYNTAX,
                   "coordinates have no value here, outside of sum, min, max and norm");
    if (axis == l->draft->fixed_axis) {
        index = lower_const(l, num_int(l->draft->fixed_index));
    } else {
        ir_node n = node_blank(IR_INDEX);
        n.axis = axis;
        index = build_node(&l->draft->build, &n);
        if (l->draft->parts && axis < l->draft->fixed_axis)
            index = lower_image(l, axis, index);
    }
    switch (ir_transfer_along(transfer_to(l, at->coarse), kept_to(l, at->coarse), axis)) {
    case IR_TO_FINE:
        return plus(l, lower_op(l, IR_MUL, lower_const(l, num_int(2)), index), offset);
    case IR_TO_COARSE:
        return lower_op(
            l, IR_FLOOR,
            lower_op(l, IR_MUL, plus(l, index, offset), lower_const(l, num_ratio(1, 2))),
            -1);
    default: return plus(l, index, offset);
    }
}

/* Coordinates (slope*i + start)/below. The numbers are integers if a double holds all of
 * them exactly: then only the quotient is rounded. */
typedef struct ratio_line {
    num slope, start, below;
} ratio_line;

static bool find_ratio_line(const ir *code, int axis, int coarse, ratio_line *r)
{
    const num origin = code->program->axis[axis].origin,
              step = spacing_along(code, axis, coarse);
    if (!origin.exact || !step.exact)
        return false;

    const num denominators = num_ratio(step.q, origin.q);
    r->below = num_mul(num_ratio(origin.q, 1), num_ratio(denominators.p, 1));
    r->slope = num_mul(step, r->below);
    r->start = num_mul(origin, r->below);
    const double farthest = (double)points_along(code, axis, coarse) + 4 * MAX_HALO;
    return r->below.exact && r->slope.exact && r->start.exact &&
           num_f64(r->slope) * farthest + fabs(num_f64(r->start)) < 0x1p52 &&
           num_f64(r->below) < 0x1p52;
}

static int lower_ratio(lowering *l, int above, num below)
{
    return num_equal(below, num_int(1))
               ? above
               : lower_op(l, IR_DIV, above, lower_const(l, below));
}

/* A value of a stretched axis. */
int lower_metric(lowering *l, int metric, const spot *at)
{
    const int axis = l->code->metric[metric].axis;
    ir_node n = node_blank(IR_METRIC);

    if (axis == l->draft->fixed_axis && !l->draft->uniform)
        return lower_const(
            l, num_double(ir_metric_value(l->code, metric,
                                          l->draft->fixed_index + at->offset[axis])));
    n.field = metric;
    n.axis = axis;
    n.arg[0] = lower_index(l, axis, at);
    return build_node(&l->draft->build, &n);
}

int lower_place(lowering *l, metric_kind kind, int axis, const spot *at)
{
    const ir_metric m = {.kind = kind, .axis = axis, .coarse = at->coarse};

    return lower_metric(l, code_add_metric(l->code, &m), at);
}

/* If the axis has neither range nor spacing, the coordinate is the index. */
int lower_coordinate(lowering *l, int axis, const spot *at)
{
    if (axis >= l->code->dim)
        return lower_const(l, num_int(0));
    if (axis_stretched(l->program, axis))
        return lower_place(l, METRIC_PLACE, axis, at);
    const axis_grid *g = &l->program->axis[axis];
    const int index = lower_index(l, axis, at);
    ratio_line r;

    if (num_is_zero(g->origin) &&
        num_equal(spacing_along(l->code, axis, at->coarse), num_int(1)))
        return index;
    if (find_ratio_line(l->code, axis, at->coarse, &r))
        return lower_ratio(l,
                           lower_op(l, IR_ADD, lower_const(l, r.start),
                                    lower_op(l, IR_MUL, index, lower_const(l, r.slope))),
                           r.below);
    const num span = num_mul(num_int(1 << coarse_shift(l->program, at->coarse, axis)),
                             g->span);
    const int way = lower_op(l, IR_MUL, index, lower_const(l, span));
    return lower_op(l, IR_ADD, lower_const(l, g->origin), lower_ratio(l, way, g->over));
}

/* ---- absorbing layers -------------------------------------------------------------- */

/* The faces at which a statement damps a field: all except periodic ones. */
static unsigned absorbing_faces(const lowering *l, const statement *absorb, int field)
{
    unsigned faces = absorb->faces;

    for (int face = 0; face < 2 * l->code->dim; face++)
        if (border_wraps(l->code->field[field].border[face / 2][face % 2].kind))
            faces &= ~(1u << face);
    return faces;
}

static int lower_factor(lowering *l, const statement *s, int axis, unsigned faces,
                        const spot *at)
{
    const int cells = lower_const(l, num_int(s->cell_count));
    const int64_t last = points_along(l->code, axis, at->coarse) - 1;
    const int low = lower_index(l, axis, at);
    const int high = lower_op(l, IR_SUB, lower_const(l, num_int(last)), low);
    int distance = low; /* in points, from the nearest face of the axis with the layer */

    if (faces & FACE_BIT(axis, 1))
        distance = faces & FACE_BIT(axis, 0) ? lower_op(l, IR_MIN, low, high) : high;
    const int depth = lower_op(l, IR_SUB, cells, distance),
              d = lower_op(l, IR_MAX, depth, lower_const(l, num_int(0))),
              part = lower_op(l, IR_DIV,
                              lower_op(l, IR_MUL, lower_const(l, s->strength_value), d),
                              cells),
              square = lower_op(l, IR_MUL, part, part);

    return lower_op(l, IR_EXP, lower_op(l, IR_NEG, square, -1), -1);
}

/* The product of all damping factors of a field at a spot; -1: no damping. The new value
 * of a damped field is multiplied by g, and a read of an older level -k by g^k. Along
 * each axis g = exp(-(strength*d/n)^2). In the layer, d is n minus the distance from the
 * nearest of its faces; beyond the layer, d is 0. */
int lower_damping(lowering *l, int field, const spot *at)
{
    int g = -1;

    for (const statement *s = l->absorbs ? l->program->first : NULL; s; s = s->next) {
        if (s->kind != STATEMENT_ABSORB || s->cell_count < 1 || s->matched)
            continue;
        const unsigned faces = absorbing_faces(l, s, field);
        for (int axis = 0; axis < l->code->dim; axis++)
            if (faces & (FACE_BIT(axis, 0) | FACE_BIT(axis, 1))) {
                const int factor = lower_factor(l, s, axis, faces, at);
                g = g < 0 ? factor : lower_op(l, IR_MUL, g, factor);
            }
    }
    return g;
}

/* ---- fields ------------------------------------------------------------------------ */

/* The spot in the grid of a field. In a coarse equation, r[i] of a field r of the next
 * finer grid is at 2*I + i, inside and outside of a transfer. */
static spot spot_in_field(lowering *l, const ir_field *f, const spot *at)
{
    spot there = *at;

    if (at->coarse == l->draft->stage.coarse && f->coarse == at->coarse - 1)
        there.coarse = f->coarse;
    if (there.coarse == f->coarse)
        return there;
    if (f->coarse > at->coarse)
        lower_fail(l, PAV_ESYNTAX,
                   "field %s is coarse and read on a finer grid; write interpolate(%s)",
                   f->name, f->name);
    lower_fail(l, PAV_ESYNTAX,
               "field %s is on a finer grid than other values of this expression",
               f->name);
}

static void place_node(lowering *l, ir_node *n, const spot *at)
{
    n->transfer = transfer_to(l, at->coarse);
    n->kept = kept_to(l, at->coarse);
    const int most = n->transfer == IR_SAME ? MAX_OFFSET : 2 * MAX_OFFSET;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        n->offset[axis] = at->offset[axis];
        if (n->offset[axis] > most || n->offset[axis] < -most)
            lower_fail(l, PAV_ELIMIT,
                       "a value is read %d points away, and %d are the most supported",
                       n->offset[axis], most);
    }
}

/* Makes sure that the field has a buffer for `level` (0, -1, ...). A statement of the
 * step also needs a buffer for the new level +1. Observers run after the rotation, when
 * the new level is level 0. */
static void keep_level(lowering *l, int field, int level)
{
    ir_field *f = &l->code->field[field];
    const int levels = l->draft->use == DRAFT_STEP ? 2 - level : 1 - level;

    if (level > 0 && (l->draft->use != DRAFT_STEP || !f->updated))
        lower_fail(l, PAV_ESYNTAX, "%s' has no value here", f->name);
    if (f->levels < levels && f->updated)
        f->levels = levels;
    if (l->fields[field].oldest < -level)
        l->fields[field].oldest = -level;
}

/* True if a new value of a line operation is read at an earlier point of the line. */
static bool is_before_line(const draft *d, const ir_field *f, int level, const spot *at)
{
    const statement *s = d->line;
    return s && level == 1 && at->offset[s ? abs(s->along) - 1 : 0] * s->along < 0 &&
           (f->symbol == s->symbol || (f->symbol && f->symbol->line_of));
}

/* Before the first point of a line, `edge` stands for the new value. */
static int lower_edge(lowering *l, int load, const spot *at)
{
    const statement *s = l->draft->line;
    const int axis = abs(s->along) - 1, *inset = l->draft->stage.inset[axis];
    const int64_t count = points_along(l->code, axis, l->draft->stage.coarse);
    const int64_t limit = s->along > 0 ? inset[0] - at->offset[axis]
                                       : count - 1 - inset[1] - at->offset[axis];
    const spot here = {.coarse = l->draft->stage.coarse};
    const int index = lower_index(l, axis, &here), last = lower_const(l, num_int(limit));
    const int beyond = s->along > 0 ? lower_op(l, IR_LT, index, last)
                                    : lower_op(l, IR_LT, last, index);

    return build_op(&l->draft->build, IR_SELECT, beyond, lower_number(l, s->edge, &here),
                    load);
}

/* In an equation, a neighbour behind the edge of an insulated mask is read as the point
 * itself. */
static int insulate(lowering *l, int load, int field, int level, const spot *at)
{
    const ir_field *f = &l->code->field[field];
    const spot here = {.coarse = at->coarse};

    for (int k = 0; k < f->masks; k++) {
        const int mask = f->mask[k];
        if (!l->fields[mask].mask->insulated ||
            !(at->offset[0] || at->offset[1] || at->offset[2]))
            continue;
        const int open = lower_op(l, IR_NE, lower_load(l, mask, 0, at),
                                  lower_const(l, num_int(0)));
        load = build_op(&l->draft->build, IR_SELECT, open, load,
                        lower_load(l, field, level, &here));
    }
    return load;
}

int lower_load(lowering *l, int field, int level, const spot *at)
{
    const ir_field *f = &l->code->field[field];
    const spot there = spot_in_field(l, f, at);
    ir_node n = node_blank(IR_LOAD);

    if (l->draft->uniform)
        lower_fail(
            l, PAV_ESYNTAX,
            "field %s has a value at every point; here, only sum, min, max or norm "
            "of it can stand",
            f->name);
    n.field = field;
    n.level = f->updated ? level : 0;
    keep_level(l, field, n.level);
    if (l->draft->use == DRAFT_BORDER && f->updated && field != l->draft->bordered)
        n.level = 1;
    place_node(l, &n, &there);
    int load = build_node(&l->draft->build, &n);
    const int g = n.level < 0 && l->draft->absorbs ? lower_damping(l, field, &there) : -1;
    for (int k = 0; g >= 0 && k < -n.level; k++)
        load = lower_op(l, IR_MUL, g, load);
    return is_before_line(l->draft, f, level, &there) ? lower_edge(l, load, &there)
           : l->draft->absorbs ? insulate(l, load, field, level, at)
                               : load;
}

int lower_random(lowering *l, int seed_slot, int level, const spot *at)
{
    ir_node n = node_blank(IR_RANDOM);

    n.level = level;
    n.type = l->program->real;
    n.uniform = seed_slot;
    place_node(l, &n, at);
    return build_node(&l->draft->build, &n);
}
