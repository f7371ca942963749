/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of the ir and their borders: first the fields of the program, in its order,
 * then one hidden field for every mask.
 *
 * A border rule with a computation has a stage: given values, and fluxes. It runs over
 * one face's slab. Level 0 stands for the level being filled. A value is evaluated at the
 * ghost point itself, a flux at the face. Rules that only copy need no stage. */
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
    for (int face = 0; face < 2 * l->code->dim; face++)
        f->border[face / 2][face % 2].kind = statement_rule(
            l->rule[s->index][face / 2][face % 2]);
}

/* A mask of one coarse field lives on its grid, every other mask on the finest grid. */
static void add_mask(lowering *l, const statement *s, int index, int number)
{
    ir *code = l->code;

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
    for (int64_t k = 0; k < l->program->fields.count; k++) {
        ir_field *f = &code->field[k];
        if (!f->updated || f->symbol->line_of || (s->symbol && s->symbol->index != k))
            continue;
        int *both = arena_alloc(l->arena, f->masks + 1, sizeof *both);
        if (f->masks)
            memcpy(both, f->mask, (size_t)f->masks * sizeof *both);
        both[f->masks++] = index;
        f->mask = both;
    }
}

void lower_fields(lowering *l)
{
    const program *p = l->program;
    ir *code = l->code;
    const int64_t named = p->fields.count;

    code->fields = named;
    for (const statement *s = p->first; s; s = s->next) {
        code->fields += s->kind == STATEMENT_MASK;
        l->absorbs |= s->kind == STATEMENT_ABSORB;
    }
    code->field = arena_alloc(l->arena, code->fields + 1, sizeof *code->field);
    l->fields = arena_alloc(l->arena, code->fields + 1, sizeof *l->fields);
    l->rule = arena_alloc(l->arena, named + 1, sizeof *l->rule);
    field_borders(p, l->rule);
    for (int64_t k = 0; k < named; k++)
        add_field(l, p->fields.item[k]);
    int masks = 0;
    for (const statement *s = p->first; s; s = s->next)
        if (s->kind == STATEMENT_MASK) {
            add_mask(l, s, (int)named + masks, masks + 1);
            masks++;
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

/* A Neumann border with a slope: u + 2*k*h*g, with u copied from inside, and g taken at
 * the face. k*h is the distance to the ghost; on a stretched axis, 2*k*h is the distance
 * between the ghost and its image inside. */
static int lower_flux(lowering *l, int field, int axis, int side, const expr *slope)
{
    static const char *const faces[MAX_DIM][2] = {
        {"x-", "x+"}, {"y-", "y+"}, {"z-", "z+"}};
    const ir_field *f = &l->code->field[field];
    const int64_t last = points_along(l->code, axis, f->coarse) - 1;
    draft d = draft_new(arena_print(l->arena, "border %s %s", f->name, faces[axis][side]),
                        l->program->real, f->coarse, DRAFT_BORDER);
    const spot at = {.coarse = f->coarse};
    int length;

    draft_open(l, &d);
    if (axis_stretched(l->program, axis)) {
        const double face = axis_coordinate(l->program, axis, at.coarse, side ? last : 0);
        const int way = lower_op(l, IR_SUB, lower_place(l, METRIC_PLACE, axis, &at),
                                 lower_const(l, num_double(face)));
        length = lower_op(l, IR_MUL, lower_const(l, num_int(side ? 2 : -2)), way);
    } else {
        const num twice = num_mul(num_int(2), spacing_along(l->code, axis, at.coarse));
        length = lower_op(l, IR_MUL, lower_const(l, twice),
                          lower_beyond(l, axis, side, &at));
    }
    d.fixed_axis = axis;
    d.fixed_index = side ? last : 0;
    const int flux = lower_number(l, slope, &at);
    d.fixed_axis = -1;
    const int rise = lower_op(l, IR_MUL, length, flux);
    draft_store(l, &d, lower_op(l, IR_ADD, lower_load(l, field, 0, &at), rise), field, 0);
    return draft_close(l, &d);
}

/* Faces of a field with the same rule for their value share the stage. */
static int find_value(const lowering *l, int field, const statement *rule)
{
    const ir_field *f = &l->code->field[field];

    for (int face = 0; face < 2 * l->code->dim; face++) {
        const ir_border *b = &f->border[face / 2][face % 2];
        if (border_rules[b->kind].values && b->stage >= 0 &&
            rule_of(l, field, face / 2, face % 2) == rule)
            return b->stage;
    }
    return -1;
}

/* The stage of a face's rule, or -1. A value needs one, and so does a flux other than
 * 0. */
static int lower_border(lowering *l, int field, int axis, int side)
{
    const ir_field *f = &l->code->field[field];
    const statement *rule = rule_of(l, field, axis, side);
    const border_kind kind = f->border[axis][side].kind;
    const expr *value = rule ? rule->value : NULL;
    const spot at = {.coarse = f->coarse};

    if (rule)
        l->at = rule->at;
    if (border_rules[kind].copies && value &&
        !(value->kind == EXPR_NUMBER && num_is_zero(value->number)))
        return lower_flux(l, field, axis, side, value);
    if (!border_rules[kind].values)
        return -1;
    const int known = find_value(l, field, rule);
    if (known >= 0)
        return known;
    draft d = draft_new(arena_print(l->arena, "border %s", f->name), l->program->real,
                        f->coarse, DRAFT_BORDER);
    draft_open(l, &d);
    draft_store(l, &d, rule ? lower_number(l, value, &at) : lower_const(l, num_int(0)),
                field, 0);
    return draft_close(l, &d);
}

void lower_borders(lowering *l)
{
    for (int64_t k = 0; k < l->program->fields.count; k++)
        for (int face = 0; face < 2 * l->code->dim; face++)
            l->code->field[k].border[face / 2][face % 2].stage = lower_border(
                l, (int)k, face / 2, face % 2);
}
