/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations to solve: the unknown, and whether both sides are linear in it. The degree
 * of an expression is 0 (without the unknown), 1 or 2 (anything beyond linear). */
#include "lang/lang_private.h"

/* ---- types ------------------------------------------------------------------------- */

/* Types: an expression is a number or a condition, and its context decides on one of
 * them. The first use of a let's argument decides its type. The value of a let decides
 * the type of the let. */

/* True if the operator's result is a condition. */
static bool gives_condition(op_kind op)
{
    return op == OP_NOT || op >= OP_LT;
}

bool expr_compares(const expr *e)
{
    return e->kind == EXPR_BINARY && e->op >= OP_LT && e->op <= OP_NE;
}

static bool takes_conditions(op_kind op)
{
    return op == OP_NOT || op == OP_AND || op == OP_OR;
}

/* The operand of a shift, or the expression itself. */
static expr *unshifted(expr *e)
{
    while (e->kind == EXPR_SHIFT)
        e = e->arg[0];
    return e;
}

static bool is_open(const expr *e)
{
    return e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_ARGUMENT &&
           !e->symbol->notes->typed;
}

static bool is_condition(const expr *e)
{
    while (e->kind == EXPR_SHIFT)
        e = e->arg[0];
    switch (e->kind) {
    case EXPR_SYMBOL:
    case EXPR_APPLY: return e->symbol->boolean;
    case EXPR_UNARY:
    case EXPR_BINARY: return gives_condition(e->op);
    default: return false;
    }
}

static bool is_unknown(const expr *e)
{
    return (e->kind == EXPR_SYMBOL || e->kind == EXPR_APPLY) && e->symbol->notes->bad;
}

static void settle_argument(expr *e, bool condition)
{
    e->symbol->notes->typed = true;
    e->symbol->boolean = condition;
}

/* Checks the type of one expression; true if it is correct. The parts of a wrong
 * expression are not checked. */
static bool check_one(parser *p, expr *e, bool condition)
{
    e->boolean = is_condition(e);
    if (is_unknown(e) || e->boolean == condition)
        return true;
    if (condition)
        mistake_at(p, e->at,
                   "a condition is needed here, such as a < b; this is a number");
    else
        mistake_at(p, e->at,
                   "a number is needed here; this is a condition, which "
                   "where(condition, 1, 0) makes a number");
    return false;
}

static void check_arguments(parser *p, const expr *e)
{
    for (int i = 0; i < e->count; i++) {
        bool condition = e->kind == EXPR_CALL && e->function == FUNCTION_WHERE && i == 0;
        if (e->kind == EXPR_APPLY)
            condition = e->symbol->argument[i]->boolean;
        type_check(p, e->arg[i], condition);
    }
}

/* Left operands by iteration: sums and products may be long. */
void type_check(parser *p, expr *e, bool condition)
{
    for (;;) {
        if (is_open(unshifted(e)))
            settle_argument(unshifted(e), condition);
        if (!check_one(p, e, condition))
            return;
        if (e->kind == EXPR_UNARY || e->kind == EXPR_BINARY) {
            condition = takes_conditions(e->op);
            if (e->count == 2)
                type_check(p, e->arg[1], condition);
        } else if (e->kind != EXPR_SHIFT) {
            check_arguments(p, e);
            return;
        }
        e = e->arg[0];
    }
}

void type_settle(parser *p, expr *e)
{
    type_check(p, e, is_condition(e));
}

/* ---- linearity --------------------------------------------------------------------- */

typedef struct linear {
    parser *p;
    const symbol *unknown;
    int level;           /* of the unknown */
    const expr *culprit; /* the first nonlinear part */
} linear;

static int degree_of(linear *l, const expr *e);

static int beyond_linear(linear *l, const expr *e)
{
    if (!l->culprit)
        l->culprit = e;
    return 2;
}

static int degree_of_symbol(linear *l, const expr *e)
{
    switch (e->symbol->kind) {
    case SYMBOL_FIELD: return e->symbol == l->unknown && e->level == l->level;
    case SYMBOL_ARGUMENT: return e->symbol->notes->degree;
    case SYMBOL_LET: return degree_of(l, e->symbol->value);
    default: return 0;
    }
}

static int degree_of_applied(linear *l, const expr *e)
{
    int degree[MAX_ARGUMENTS], outer[MAX_ARGUMENTS];
    symbol **argument = e->symbol->argument;

    for (int i = 0; i < e->count; i++)
        degree[i] = degree_of(l, e->arg[i]);
    for (int i = 0; i < e->count; i++) {
        outer[i] = argument[i]->notes->degree;
        argument[i]->notes->degree = degree[i];
    }
    const int result = degree_of(l, e->symbol->value);
    for (int i = 0; i < e->count; i++)
        argument[i]->notes->degree = outer[i];
    return result;
}

static int degree_of_binary(linear *l, const expr *e)
{
    const int a = degree_of(l, e->arg[0]), b = degree_of(l, e->arg[1]);

    if (e->op == OP_ADD || e->op == OP_SUB)
        return int_most(a, b);
    if (a == 0 && b == 0)
        return 0;
    if ((e->op == OP_MUL && a + b == 1) || (e->op == OP_DIV && b == 0 && a == 1))
        return 1;
    if (e->op == OP_POW && a == 1 && b == 0) {
        const constant c = constant_find(l->p, e->arg[1]);
        if (c.known && c.value.v == 1)
            return 1;
    }
    return beyond_linear(l, e);
}

static int degree_of_call(linear *l, const expr *e)
{
    int degree = 0;

    for (int i = 0; i < e->count; i++) {
        const int d = degree_of(l, e->arg[i]);
        const bool chosen = e->function == FUNCTION_WHERE && i > 0;
        if (d > 0 && !chosen)
            return beyond_linear(l, e);
        degree = int_most(degree, d);
    }
    return degree;
}

static int degree_of_stencil(linear *l, const expr *e)
{
    const int inner = degree_of(l, e->arg[0]);
    int weights = 0;

    for (int i = 0; i < e->symbol->taps; i++)
        weights = int_most(weights, degree_of(l, e->symbol->tap[i].weight));
    return inner + weights > 1 ? beyond_linear(l, e) : inner + weights;
}

static int degree_of(linear *l, const expr *e)
{
    switch (e->kind) {
    case EXPR_NUMBER:
    case EXPR_BUILTIN: return 0;
    case EXPR_SYMBOL: return degree_of_symbol(l, e);
    case EXPR_BINARY: return degree_of_binary(l, e);
    case EXPR_CALL: return degree_of_call(l, e);
    case EXPR_APPLY: return degree_of_applied(l, e);
    case EXPR_STENCIL: return degree_of_stencil(l, e);
    case EXPR_UNARY:
        if (e->op == OP_NOT && degree_of(l, e->arg[0]) > 0)
            return beyond_linear(l, e);
        return degree_of(l, e->arg[0]);
    case EXPR_SHIFT:
    case EXPR_DERIVE:
    case EXPR_LAPLACE:
    case EXPR_TRANSFER:
    case EXPR_GRADIENT:
    case EXPR_DOT: return degree_of(l, e->arg[0]);
    case EXPR_REDUCE: return degree_of(l, e->arg[0]) > 0 ? beyond_linear(l, e) : 0;
    }
    return 0;
}

/* The difference of both sides must be linear, and the left side must contain the
 * unknown. */
void linear_check(parser *p, const statement *s)
{
    const expr *const side[2] = {s->value, s->right};
    const char *const name[2] = {"left", "right"};

    for (int i = 0; i < 2 && !statement_is_bad(p); i++) {
        linear l = {.p = p, .unknown = s->symbol, .level = s->level};
        const int degree = degree_of(&l, side[i]);
        if (i == 0 && degree == 0)
            mistake_at(p, side[i]->at,
                       "the left side does not hold '%s', which is to be solved for",
                       s->symbol->name);
        else if (degree > 1)
            mistake_at(p, l.culprit ? l.culprit->at : side[i]->at,
                       "the %s side must be linear in '%s'", name[i], s->symbol->name);
    }
}

/* The unknown of an equation for u': the only field with its new value on the left side
 * and without an earlier equation. NULL: none, or several. */
symbol *solve_new(const reads *left)
{
    symbol *only = NULL;

    for (int64_t i = 0; i < left->count; i++) {
        symbol *s = left->item[i].symbol;
        if (s->kind != SYMBOL_FIELD || left->item[i].level != 1 || s->notes->equation)
            continue;
        if (only && only != s)
            return NULL;
        only = s;
    }
    return only;
}

symbol *solve_unknown(const reads *left)
{
    symbol *only = NULL, *empty = NULL;
    int fields = 0, empties = 0;

    for (int64_t i = 0; i < left->count; i++) {
        symbol *s = left->item[i].symbol;
        bool seen = s->kind != SYMBOL_FIELD || left->item[i].reduced;
        for (int64_t k = 0; k < i && !seen; k++)
            seen = left->item[k].symbol == s;
        if (seen)
            continue;
        only = s;
        fields++;
        if (!s->value && !s->file) {
            empty = s;
            empties++;
        }
    }
    if (fields == 1)
        return only;
    return empties == 1 ? empty : NULL;
}
