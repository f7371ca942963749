/* SPDX-License-Identifier: BSD-3-Clause */
/* Types: an expression is a number or a condition, and its context decides on one of
 * them. The first use of a let's argument decides its type. The value of a let decides
 * the type of the let. */
#include "lang/lang_private.h"

bool expr_compares(const expr *e)
{
    return e->kind == EXPR_BINARY && e->op >= OP_LT && e->op <= OP_NE;
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
    case EXPR_BINARY: return e->op == OP_NOT || e->op >= OP_LT; /* a condition */
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
        bool condition = e->kind == EXPR_APPLY
                             ? e->symbol->argument[i]->boolean
                             : e->kind == EXPR_CALL && e->function == FUNCTION_WHERE &&
                                   i == 0;
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
            condition = e->op == OP_NOT || e->op == OP_AND || e->op == OP_OR;
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
