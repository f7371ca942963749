/* SPDX-License-Identifier: BSD-3-Clause */
/* Lowers expressions to nodes, as written: every operation of the tree becomes a node of
 * the innermost draft. An expression is lowered once for every spot with a use of it. */
#include "plan/plan_private.h"

/* ---- leaves ------------------------------------------------------------------------ */

static int lower_literal(lowering *l, const expr *e, const spot *at)
{
    (void)at;
    return lower_const(l, e->number);
}

static int lower_spacing(lowering *l, int axis, const spot *at)
{
    if (axis_stretched(l->program, axis))
        return lower_place(l, METRIC_WIDTH, axis, at);
    return lower_const(l, spacing_along(l->code, axis, at->coarse));
}

static int lower_one_spacing(lowering *l, const spot *at)
{
    for (int axis = 1; axis < l->code->dim; axis++)
        if (coarse_shift(l->program, at->coarse, axis) !=
            coarse_shift(l->program, at->coarse, 0))
            lower_fail(l, PAV_ESYNTAX,
                       "'h' is one spacing, and on coarse %d that along %c differs from "
                       "that along x; write hx, hy, hz",
                       at->coarse, axis_letter(l->program, axis));
    return lower_spacing(l, 0, at);
}

static int lower_builtin(lowering *l, const expr *e, const spot *at)
{
    switch (e->builtin) {
    case BUILTIN_X:
    case BUILTIN_Y:
    case BUILTIN_Z: return lower_coordinate(l, (int)e->builtin - BUILTIN_X, at);
    case BUILTIN_H: return lower_one_spacing(l, at);
    case BUILTIN_HX:
    case BUILTIN_HY:
    case BUILTIN_HZ: return lower_spacing(l, (int)e->builtin - BUILTIN_HX, at);
    case BUILTIN_NX:
    case BUILTIN_NY:
    case BUILTIN_NZ:
        return lower_const(
            l, num_int(points_along(l->code, (int)e->builtin - BUILTIN_NX, false)));
    case BUILTIN_T: return build_uniform(&l->draft->build, l->code->uniform_t);
    case BUILTIN_STEP: return build_uniform(&l->draft->build, l->code->uniform_step);
    default: return lower_const(l, num_double(3.14159265358979323846));
    }
}

static int lower_param(lowering *l, const symbol *s)
{
    if (s->constant)
        return lower_const(l, s->number);
    return build_uniform(&l->draft->build, l->param_slot[s->index]);
}

static const expr *measured(lowering *l, const symbol *measure)
{
    for (const statement *s = l->program->first; s; s = s->next)
        if (s->kind == STATEMENT_MEASURE && s->symbol == measure)
            return s->value;
    lower_fail(l, PAV_EINTERNAL, "measure %s has no value", measure->name);
}

static int lower_any(lowering *l, const expr *e, const spot *at);

static int lower_in(lowering *l, const expr *e, const scope *in, const spot *at)
{
    spot there = *at;

    there.scope = in;
    return lower_any(l, e, &there);
}

static int lower_argument_at(lowering *l, const expr *e, const spot *at)
{
    const scope *in = at->scope;
    const expr *value = lower_argument(l, e, &in);

    return lower_in(l, value, in, at);
}

static int lower_symbol(lowering *l, const expr *e, const spot *at)
{
    const symbol *s = e->symbol;

    switch (s->kind) {
    case SYMBOL_FIELD: return lower_load(l, s->index, e->level, at);
    case SYMBOL_PARAM: return lower_param(l, s);
    case SYMBOL_SCALAR: return build_uniform(&l->draft->build, l->scalar_slot[s->index]);
    case SYMBOL_LET: return lower_in(l, s->value, NULL, at);
    case SYMBOL_ARGUMENT: return lower_argument_at(l, e, at);
    case SYMBOL_MEASURE: return lower_in(l, measured(l, s), NULL, at);
    default: lower_fail(l, PAV_EINTERNAL, "%s has no value", s->name);
    }
}

/* ---- operations -------------------------------------------------------------------- */

static int lower_shift(lowering *l, const expr *e, const spot *at)
{
    const spot there = spot_shift(l, at, e->offset);

    return lower_any(l, e->arg[0], &there);
}

static int lower_unary(lowering *l, const expr *e, const spot *at)
{
    if (e->op == OP_NOT)
        return lower_op(l, IR_NOT, lower_condition(l, e->arg[0], at), -1);
    return lower_op(l, IR_NEG, lower_number(l, e->arg[0], at), -1);
}

static bool is_arithmetic(const expr *e)
{
    return e->kind == EXPR_BINARY && e->op <= OP_DIV;
}

/* Long sums and products nest to the left, so a loop follows the left arguments instead
 * of a recursion. */
static int lower_terms(lowering *l, const expr *e, const spot *at)
{
    static const ir_op of[] = {
        [OP_ADD] = IR_ADD, [OP_SUB] = IR_SUB, [OP_MUL] = IR_MUL, [OP_DIV] = IR_DIV};
    int64_t count = 0;

    for (const expr *sum = e; is_arithmetic(sum); sum = sum->arg[0])
        count++;
    const expr **spine = arena_alloc(l->arena, count, sizeof *spine);
    for (int64_t k = 0; k < count; k++, e = e->arg[0])
        spine[k] = e;
    int value = lower_number(l, e, at);
    while (count-- > 0)
        value = lower_op(l, of[spine[count]->op], value,
                         lower_number(l, spine[count]->arg[1], at));
    return value;
}

static int lower_binary(lowering *l, const expr *e, const spot *at)
{
    static const ir_op of[] = {
        [OP_POW] = IR_POW, [OP_LT] = IR_LT,   [OP_LE] = IR_LE,
        [OP_GT] = IR_LT,   [OP_GE] = IR_LE,   [OP_EQ] = IR_EQ,
        [OP_NE] = IR_NE,   [OP_AND] = IR_AND, [OP_OR] = IR_OR,
    };
    const bool logical = e->op == OP_AND || e->op == OP_OR;
    const bool swapped = e->op == OP_GT || e->op == OP_GE;
    int (*const lower)(lowering *, const expr *, const spot *) = logical ? lower_condition
                                                                         : lower_number;

    if (is_arithmetic(e))
        return lower_terms(l, e, at);
    const int a = lower(l, e->arg[0], at), b = lower(l, e->arg[1], at);

    return lower_op(l, of[e->op], swapped ? b : a, swapped ? a : b);
}

static int lower_application(lowering *l, const expr *e, const spot *at)
{
    return lower_in(l, e->symbol->value, lower_apply(l, e, at->scope), at);
}

static int lower_reduction(lowering *l, const expr *e, const spot *at)
{
    return lower_reduce(l, e, at->scope);
}

/* ---- dispatch ---------------------------------------------------------------------- */

typedef int (*lower_kind)(lowering *l, const expr *e, const spot *at);

static const lower_kind by_kind[] = {
    [EXPR_NUMBER] = lower_literal,   [EXPR_BUILTIN] = lower_builtin,
    [EXPR_SYMBOL] = lower_symbol,    [EXPR_SHIFT] = lower_shift,
    [EXPR_UNARY] = lower_unary,      [EXPR_BINARY] = lower_binary,
    [EXPR_CALL] = lower_call,        [EXPR_APPLY] = lower_application,
    [EXPR_STENCIL] = lower_stencil,  [EXPR_DERIVE] = lower_derive,
    [EXPR_LAPLACE] = lower_derive,   [EXPR_TRANSFER] = lower_transfer,
    [EXPR_REDUCE] = lower_reduction,
};

/* A reduction has the same value at every spot. */
static spot spot_of(const expr *e, const spot *at)
{
    return e->kind == EXPR_REDUCE ? (spot){.scope = at->scope} : *at;
}

static int lower_any(lowering *l, const expr *e, const spot *at)
{
    const spot here = spot_of(e, at);
    int node = memo_get(&l->draft->nodes, e, &here);

    if (node >= 0)
        return node;
    lower_enter(l);
    node = by_kind[e->kind](l, e, &here);
    lower_leave(l);
    memo_put(l, &l->draft->nodes, e, &here, node);
    return node;
}

static bool is_boolean(const lowering *l, int node)
{
    return ir_is_boolean(l->draft->stage.node[node].op);
}

int lower_number(lowering *l, const expr *e, const spot *at)
{
    const int node = lower_any(l, e, at);

    if (!is_boolean(l, node))
        return node;
    return build_op(&l->draft->build, IR_SELECT, node, lower_const(l, num_int(1)),
                    lower_const(l, num_int(0)));
}

int lower_condition(lowering *l, const expr *e, const spot *at)
{
    const int node = lower_any(l, e, at);

    if (is_boolean(l, node))
        return node;
    return lower_op(l, IR_NE, node, lower_const(l, num_int(0)));
}
