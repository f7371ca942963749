/* SPDX-License-Identifier: BSD-3-Clause */
/* Border rules with a computation: given values, and fluxes. Rules that only copy need no
 * stage.
 *
 * A stage runs over one face's slab. Level 0 stands for the level being filled. A value
 * is evaluated at the ghost point itself, a flux at the face. */
#include "plan/plan_private.h"

/* The border statement of a face; NULL if none is written, or an absorbing layer makes it
 * 0. */
static const statement *rule_of(const lowering *l, int field, int axis, int side)
{
    const symbol *f = l->code->field[field].symbol;
    const statement *s = field_border(l->program, f, axis, side);

    return s && s->kind == STATEMENT_BORDER ? s : NULL;
}

static draft border_draft(lowering *l, int field, const char *name)
{
    const ir_field *f = &l->code->field[field];

    return draft_new(name, l->program->real, f->coarse, DRAFT_BORDER);
}

static int lower_value(lowering *l, int field, const statement *rule)
{
    const char *name = arena_print(l->arena, "border %s", l->code->field[field].name);
    draft d = border_draft(l, field, name);
    const spot at = {.coarse = d.stage.coarse};

    draft_open(l, &d);
    draft_store(l, &d,
                rule ? lower_number(l, rule->value, &at) : lower_const(l, num_int(0)),
                field, 0);
    return draft_close(l, &d);
}

/* The number of points from the face to the ghost: k. */
static int lower_beyond(lowering *l, int axis, int side, const spot *at)
{
    const int64_t last = points_along(l->code, axis, at->coarse) - 1;
    const int index = lower_index(l, axis, at);

    return side ? lower_op(l, IR_SUB, index, lower_const(l, num_int(last)))
                : lower_op(l, IR_NEG, index, -1);
}

/* The distance between a point beyond the face and its image inside. */
static int lower_stretch(lowering *l, int axis, int side, const spot *at)
{
    const int64_t last = side ? points_along(l->code, axis, at->coarse) - 1 : 0;
    const double face = axis_coordinate(l->program, axis, at->coarse, last);
    const int way = lower_op(l, IR_SUB, lower_place(l, METRIC_PLACE, axis, at),
                             lower_const(l, num_double(face)));

    return lower_op(l, IR_MUL, lower_const(l, num_int(side ? 2 : -2)), way);
}

static int lower_at_face(lowering *l, const expr *e, int axis, int side, const spot *at)
{
    draft *d = l->draft;

    d->fixed_axis = axis;
    d->fixed_index = side ? points_along(l->code, axis, at->coarse) - 1 : 0;
    const int value = lower_number(l, e, at);
    d->fixed_axis = -1;
    return value;
}

/* A Neumann border with a slope: u + 2*k*h*g, with u copied from inside. */
static int lower_flux(lowering *l, int field, int axis, int side)
{
    static const char *const faces[MAX_DIM][2] = {
        {"x-", "x+"}, {"y-", "y+"}, {"z-", "z+"}};
    const char *name = arena_print(l->arena, "border %s %s", l->code->field[field].name,
                                   faces[axis][side]);
    draft d = border_draft(l, field, name);
    const spot at = {.coarse = d.stage.coarse};
    const num twice = num_mul(num_int(2), spacing_along(l->code, axis, at.coarse));

    draft_open(l, &d);
    const int length = axis_stretched(l->program, axis)
                           ? lower_stretch(l, axis, side, &at)
                           : lower_op(l, IR_MUL, lower_const(l, twice),
                                      lower_beyond(l, axis, side, &at));
    const expr *flux = rule_of(l, field, axis, side)->value;
    const int rise = lower_op(l, IR_MUL, length, lower_at_face(l, flux, axis, side, &at));
    draft_store(l, &d, lower_op(l, IR_ADD, lower_load(l, field, 0, &at), rise), field, 0);
    return draft_close(l, &d);
}

static bool has_flux(const statement *rule)
{
    const expr *e = rule ? rule->value : NULL;

    return e && !(e->kind == EXPR_NUMBER && num_is_zero(e->number));
}

/* Faces of a field with the same rule for their value share the stage. */
static int find_value(const lowering *l, int field, const statement *rule)
{
    const ir_field *f = &l->code->field[field];

    for (int axis = 0; axis < l->code->dim; axis++)
        for (int side = 0; side < 2; side++) {
            const ir_border *b = &f->border[axis][side];
            const bool value = border_rules[b->kind].values;
            if (value && b->stage >= 0 && rule_of(l, field, axis, side) == rule)
                return b->stage;
        }
    return -1;
}

static int lower_face(lowering *l, int field, int axis, int side)
{
    const statement *rule = rule_of(l, field, axis, side);
    const border_kind kind = l->code->field[field].border[axis][side].kind;

    if (rule)
        l->at = rule->at;
    if (border_rules[kind].copies && has_flux(rule))
        return lower_flux(l, field, axis, side);
    if (!border_rules[kind].values)
        return -1;
    const int known = find_value(l, field, rule);
    return known >= 0 ? known : lower_value(l, field, rule);
}

void lower_borders(lowering *l)
{
    for (int64_t k = 0; k < l->program->fields.count; k++)
        for (int axis = 0; axis < l->code->dim; axis++)
            for (int side = 0; side < 2; side++)
                l->code->field[k].border[axis][side].stage = lower_face(l, (int)k, axis,
                                                                        side);
}
