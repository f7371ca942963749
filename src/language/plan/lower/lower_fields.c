/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of the ir and their borders: first the fields of the program, in its order,
 * then one hidden field for every mask.
 *
 * A border rule with a computation has a stage: given values, and fluxes. It runs over
 * one face's slab. Level 0 stands for the level being filled. A value is evaluated at the
 * ghost point itself, a flux and a value that reads fields at the face. Rules that only
 * copy need no stage. */
#include <string.h>

#include "plan/plan_private.h"

/* Sets extents, and borders without stages. */
static void set_shape(const lowering *l, ir_field *f)
{
    for (int axis = 0; axis < MAX_DIM; axis++) {
        f->extent[axis] = points_along(l->code, axis, f->coarse);
        f->border[axis][0].stage = f->border[axis][1].stage = -1;
    }
}

static void add_field(lowering *l, const symbol *s)
{
    ir_field *f = &l->code->field[s->index];

    *f = (ir_field){
        .name = s->name,
        .symbol = s,
        .line = s->at.line,
        .storage = s->storage,
        .coarse = s->coarse,
        .updated = s->updated,
        .levels = s->updated ? s->oldest + 2 : 1,
        .file = s->file,
    };
    l->fields[s->index] = (field_draft){.oldest = s->updated ? s->oldest : 0,
                                        .stage = -1};
    set_shape(l, f);
    for (int face = 0; face < 2 * l->code->dim; face++) {
        const statement *rule = l->rule[s->index][face / 2][face % 2];
        f->border[face / 2][face % 2].kind = statement_rule(rule);
        f->border[face / 2][face % 2].face = parts_give_face(rule);
    }
}

/* Points of an insulated mask are read beyond faces, too. There the mask is the mask of
 * the copied points of its field, without their sign; or that of the face. */
static border_kind mask_border(const ir_field *f, int face)
{
    const border_kind kind = f->border[face / 2][face % 2].kind;

    return border_rules[kind].copies ? border_unsigned(kind) : BORDER_CLAMP;
}

static bool is_masked(const lowering *l, const statement *s, int64_t field)
{
    const ir_field *f = &l->code->field[field];

    return f->updated && !f->symbol->line_of &&
           (!s->symbol || s->symbol->index == (int)field);
}

/* The first field that shares a mask with this one: the same points of an insulated mask
 * are open beyond faces. */
static int64_t mask_leader(const lowering *l, const statement *s, int64_t field)
{
    for (int64_t k = 0; k < field; k++) {
        bool same = is_masked(l, s, k);
        for (int face = 0; face < 2 * l->code->dim && s->insulated; face++)
            same = same && mask_border(&l->code->field[k], face) ==
                               mask_border(&l->code->field[field], face);
        if (same)
            return k;
    }
    return field;
}

/* A mask of one coarse field lives on its grid, every other mask on the finest grid. */
static void add_mask(lowering *l, const statement *s, int64_t leader)
{
    ir *code = l->code;
    const int64_t index = code->fields++;
    const int number = (int)(index - l->program->fields.count) + 1;

    code->field[index] = (ir_field){
        .name = arena_print(l->arena, "mask %d", number),
        .line = s->at.line,
        .storage = PAV_U8,
        .coarse = s->symbol ? s->symbol->coarse : 0,
        .levels = 1,
        .file = s->file,
    };
    l->fields[index] = (field_draft){.mask = s, .stage = -1};
    set_shape(l, &code->field[index]);
    for (int face = 0; face < 2 * code->dim && s->insulated; face++)
        code->field[index].border[face / 2][face % 2].kind = mask_border(
            &code->field[leader], face);
    for (int64_t k = leader; k < l->program->fields.count; k++) {
        ir_field *f = &code->field[k];
        if (!is_masked(l, s, k) || mask_leader(l, s, k) != leader)
            continue;
        int *both = arena_alloc(l->arena, f->masks + 1, sizeof *both);
        if (f->masks)
            memcpy(both, f->mask, (size_t)f->masks * sizeof *both);
        both[f->masks++] = (int)index;
        f->mask = both;
    }
}

void lower_fields(lowering *l)
{
    const program *p = l->program;
    ir *code = l->code;
    const int64_t named = p->fields.count;

    int64_t most = named;
    EACH_STATEMENT(s, p) {
        most += s->kind != STATEMENT_MASK ? 0 : s->insulated ? named + 1 : 1;
        l->absorbs |= s->kind == STATEMENT_ABSORB;
    }
    code->fields = named;
    code->field = arena_alloc(l->arena, most + 1, sizeof *code->field);
    l->fields = arena_alloc(l->arena, most + 1, sizeof *l->fields);
    l->rule = arena_alloc(l->arena, named + 1, sizeof *l->rule);
    field_borders(p, l->rule);
    for (int64_t k = 0; k < named; k++)
        add_field(l, p->fields.item[k]);
    EACH_STATEMENT(s, p) {
        const int64_t before = code->fields;
        for (int64_t k = 0; k < named && s->kind == STATEMENT_MASK; k++)
            if (is_masked(l, s, k) && mask_leader(l, s, k) == k)
                add_mask(l, s, k);
        if (s->kind == STATEMENT_MASK && code->fields == before)
            add_mask(l, s, 0); /* of no field */
    }
}

/* ---- borders ----------------------------------------------------------------------- */

/* The border statement of a face; NULL if none is written, or an absorbing layer makes it
 * 0. */
static const statement *rule_of(const lowering *l, int field, int axis, int side)
{
    const statement *s = l->rule[field][axis][side];

    return s && s->kind == STATEMENT_BORDER ? s : NULL;
}

/* The number of points from the face to the ghost: k. */
static int lower_beyond(lowering *l, int axis, int side, const spot *at)
{
    const int64_t last = points_along(l->code, axis, at->coarse) - 1;
    const int index = lower_index(l, axis, at);

    return side ? lower_op(l, IR_SUB, index, lower_const(l, num_int(last)))
                : lower_op(l, IR_NEG, index, -1);
}

/* The distance between a ghost and its image: 2*k*h, or (2*k - 1)*h with a wall between
 * points. On a stretched axis the way to the face counts twice. */
static int lower_distance(lowering *l, const ir_field *f, border_kind kind, int axis,
                          int side)
{
    const spot at = {.coarse = f->coarse};
    const num h = spacing_along(l->code, axis, at.coarse);
    const bool between = border_rules[kind].wall == WALL_BETWEEN;

    if (axis_stretched(l->program, axis)) {
        const int64_t last = points_along(l->code, axis, f->coarse) - 1;
        const double face = axis_coordinate(l->program, axis, at.coarse, side ? last : 0);
        if (between)
            lower_fail(l, PAV_EUNSUPPORTED,
                       "the flux of '%s' has no place on an axis with unequal spacings; "
                       "use 'neumann', with points on the wall",
                       border_rules[kind].word);
        const int way = lower_op(l, IR_SUB, lower_place(l, METRIC_PLACE, axis, &at),
                                 lower_const(l, num_double(face)));
        return lower_op(l, IR_MUL, lower_const(l, num_int(side ? 2 : -2)), way);
    }
    const int beyond = lower_beyond(l, axis, side, &at);
    if (!between)
        return lower_op(l, IR_MUL, lower_const(l, num_mul(num_int(2), h)), beyond);
    const int twice = lower_op(l, IR_MUL, lower_const(l, num_int(2)), beyond);
    return lower_op(l, IR_MUL, lower_const(l, h),
                    lower_op(l, IR_SUB, twice, lower_const(l, num_int(1))));
}

/* One layer of a face: its distance from the face, or -1: all layers. `foot`: the points
 * on the face beside it. fixed_axis: of the draft. */
typedef struct layer_spot {
    int field, axis, side, layer, fixed_axis;
    spot here, foot;
} layer_spot;

/* The value of a rule at a layer. A given value is the value itself. Otherwise the point
 * inside is the image of the ghost: a flux adds its product with the distance of the two,
 * and a wall of value g between points adds 2*g to the negated image. The ghost has the
 * image already, except for rules of parts. Rules that do not give the face leave it. */
static int lower_rule(lowering *l, draft *d, const layer_spot *at, border_kind kind,
                      const expr *value)
{
    const border_rule *rule = &border_rules[kind];
    const ir_field *f = &l->code->field[at->field];
    const int inwards = at->layer + border_inside(kind, at->layer);
    const bool copies = rule->copies && at->layer != 0;
    spot from = at->here;
    int length = -1, given = -1;

    if (at->layer == 0 && !rule->has_face)
        return lower_load(l, at->field, 0, &at->here);
    if (copies && value)
        length = rule->fixes_wall ? lower_const(l, num_int(2))
                                  : lower_distance(l, f, kind, at->axis, at->side);
    d->fixed_axis = at->fixed_axis;
    if (value || !copies)
        given = value ? lower_number(l, value, &at->foot) : lower_const(l, num_int(0));
    d->fixed_axis = -1;
    if (!copies)
        return given;
    const int rise = value ? lower_op(l, IR_MUL, length, given) : -1;
    if (d->parts)
        from.offset[at->axis] = at->side ? -inwards : inwards;
    int image = lower_load(l, at->field, 0, &from);
    if (d->parts && (rule->map & GHOST_NEGATIVE))
        image = lower_op(l, IR_NEG, image, -1);
    return value ? lower_op(l, IR_ADD, image, rise) : image;
}

static int lower_parts(lowering *l, draft *d, const layer_spot *at, const statement *s)
{
    if (!s->where)
        return lower_rule(l, d, at, s->border, s->value);
    d->fixed_axis = at->fixed_axis;
    const int condition = lower_condition(l, s->where, &at->foot);
    d->fixed_axis = -1;
    const int part = lower_rule(l, d, at, s->part, s->value);
    return build_op(&d->build, IR_SELECT, condition, part,
                    lower_parts(l, d, at, s->rest));
}

/* The stage of a layer. Fluxes, and values that read fields, are taken at the face. */
static int lower_layer(lowering *l, int field, int axis, int side, const statement *s,
                       int layer)
{
    const ir_field *f = &l->code->field[field];
    const border_kind kind = f->border[axis][side].kind;
    const int64_t last = points_along(l->code, axis, f->coarse) - 1;
    const bool one = layer < 0 && !border_rules[kind].copies; /* stage of several faces */
    layer_spot at = {field, axis, side, layer, one ? -1 : axis, {.coarse = f->coarse},
                     {0}};
    draft d = draft_new(
        one ? arena_print(l->arena, "border %s", f->name)
            : arena_print(l->arena, "border %s %s", f->name, face_names[2 * axis + side]),
        l->program->real, f->coarse, DRAFT_BORDER);

    d.bordered = field;
    d.stage.layer = layer >= 0;
    d.parts = s && s->where;
    at.foot = at.here;
    at.foot.offset[axis] = layer < 0 ? 0 : side ? -layer : layer;
    d.fixed_index = (side ? last : 0) - at.foot.offset[axis];
    draft_open(l, &d);
    draft_store(l, &d,
                d.parts ? lower_parts(l, &d, &at, s)
                        : lower_rule(l, &d, &at, kind, s ? s->value : NULL),
                field, 0);
    return draft_close(l, &d);
}

/* Faces of a field with the same rule for their value share the stage. */
static int find_value(const lowering *l, int field, const statement *rule)
{
    for (int face = 0; face < 2 * l->code->dim; face++) {
        const ir_border *b = &l->code->field[field].border[face / 2][face % 2];
        if (border_rules[b->kind].values && b->stage >= 0 && !b->layers &&
            rule_of(l, field, face / 2, face % 2) == rule)
            return b->stage;
    }
    return -1;
}

/* Finds the stages of a face's rule. A value needs them, and so does a flux other than
 * 0. */
static void lower_border(lowering *l, int field, int axis, int side)
{
    const ir_field *f = &l->code->field[field];
    const statement *rule = rule_of(l, field, axis, side);
    ir_border *b = &l->code->field[field].border[axis][side];
    const border_rule *kind = &border_rules[b->kind];
    const expr *value = rule ? rule->value : NULL;

    if (rule)
        l->at = rule->at;
    if (!kind->values &&
        (!value || (value->kind == EXPR_NUMBER && num_is_zero(value->number))))
        return;
    if (!rule || !rule->reads_fields) {
        b->stage = kind->values ? find_value(l, field, rule) : -1;
        if (b->stage < 0)
            b->stage = lower_layer(l, field, axis, side, rule, -1);
        return;
    }
    for (int layer = kind->has_face || b->face ? 0 : 1;
         layer <= f->symbol->beyond[axis][side]; layer++) {
        const int stage = lower_layer(l, field, axis, side, rule, layer);
        b->stage = b->layers++ ? b->stage : stage;
    }
}

void lower_borders(lowering *l)
{
    for (int64_t k = 0; k < l->program->fields.count; k++)
        for (int face = 0; face < 2 * l->code->dim; face++)
            lower_border(l, (int)k, face / 2, face % 2);
}
