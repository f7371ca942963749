/* SPDX-License-Identifier: BSD-3-Clause */
/* Rewrites expressions of the description for a step of the adjoint. Time is reversed. A
 * sponge is written out in a factor, so that it can be transposed like any other. */
#include "solve/adjoint/adjoint_private.h"

static expr *number(adjoint_deriver *a, int64_t value)
{
    return tree_number(&a->d, num_int(value));
}

static expr *builtin(adjoint_deriver *a, builtin_kind kind)
{
    expr *e = tree_new(&a->d, EXPR_BUILTIN, 0);

    e->builtin = kind;
    return e;
}

/* (N + ahead)*dt - t, or N + ahead - step. */
static expr *turned(adjoint_deriver *a, builtin_kind kind, int ahead)
{
    expr *last = number(a, a->result->steps + ahead);

    if (kind == BUILTIN_T && a->p->dt) {
        expr *dt = tree_field(&a->d, a->p->dt->name, 0);
        last = tree_binary(&a->d, OP_MUL, last, dt);
    }
    return tree_binary(&a->d, OP_SUB, last, builtin(a, kind));
}

expr *time_turned(adjoint_deriver *a, const expr *e, const symbol *own, int level,
                  int ahead)
{
    if (e->kind == EXPR_BUILTIN &&
        (e->builtin == BUILTIN_T || e->builtin == BUILTIN_STEP))
        return turned(a, e->builtin, ahead);
    expr *copy = tree_new(&a->d, e->kind, e->count);
    expr **const arg = copy->arg;
    *copy = *e;
    copy->arg = arg;
    if (e->kind == EXPR_SYMBOL && e->symbol == own)
        copy->level = level;
    for (int k = 0; k < e->count; k++)
        arg[k] = time_turned(a, e->arg[k], own, level, ahead);
    return copy;
}

/* ---- sponges ----------------------------------------------------------------------- */

/* Distance from a face, in cells. */
static expr *distance(adjoint_deriver *a, int axis, int side)
{
    deriver *d = &a->d;
    const axis_grid *g = &a->p->axis[axis];
    expr *x = builtin(a, (builtin_kind)(BUILTIN_X + axis));

    x = tree_binary(d, OP_SUB, x, tree_number(d, g->origin));
    x = tree_binary(d, OP_DIV, x, tree_number(d, g->step));
    return side ? tree_binary(d, OP_SUB, number(a, g->points - 1), x) : x;
}

static expr *face_factor(adjoint_deriver *a, const statement *s, int axis, unsigned faces)
{
    deriver *d = &a->d;
    expr *near = NULL;

    for (int side = 0; side < 2; side++)
        if (faces & FACE_BIT(axis, side)) {
            expr *one = distance(a, axis, side);
            near = near ? tree_call(d, FUNCTION_MIN, near, one) : one;
        }
    expr *deep = tree_binary(d, OP_SUB, number(a, s->cell_count), near);
    deep = tree_call(d, FUNCTION_MAX, deep, number(a, 0));
    expr *part = tree_binary(d, OP_MUL, tree_number(d, s->strength_value), deep);
    part = tree_binary(d, OP_DIV, part, number(a, s->cell_count));
    expr *square = tree_binary(d, OP_POW, part, number(a, 2));
    return tree_call(d, FUNCTION_EXP, tree_negated(d, square), NULL);
}

static unsigned sponge_faces(const adjoint_deriver *a, const statement *s,
                             const symbol *field)
{
    unsigned faces = s->faces;

    for (int face = 0; face < 2 * a->p->dim; face++) {
        const statement *rule = field_border(a->p, field, face / 2, face % 2);
        if (rule && rule->kind == STATEMENT_BORDER && border_wraps(rule->border))
            faces &= ~(1U << face);
    }
    return faces;
}

expr *sponge_factor(adjoint_deriver *a, const symbol *field)
{
    expr *all = NULL;

    for (const statement *s = a->p->first; s; s = s->next) {
        if (s->kind != STATEMENT_ABSORB || s->matched || s->cell_count < 1)
            continue;
        const unsigned faces = sponge_faces(a, s, field);
        for (int axis = 0; axis < a->p->dim; axis++)
            if (faces & (FACE_BIT(axis, 0) | FACE_BIT(axis, 1))) {
                expr *one = face_factor(a, s, axis, faces);
                all = all ? tree_binary(&a->d, OP_MUL, all, one) : one;
            }
    }
    return all;
}
