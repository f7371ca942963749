/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions: operators by precedence. Nesting, length and size (with lets inlined) are
 * limited, so that trees can be visited recursively and inlining terminates. */
#include <string.h>

#include "lang/lang_private.h"

enum {
    ALL_SIZES = 16
}; /* times MAX_SIZE, of all expressions of a description together */

expr *expr_new(parser *p, expr_kind kind, place at)
{
    expr *e = arena_alloc(p->arena, 1, sizeof *e);

    e->kind = kind;
    e->at = at;
    e->size = e->height = 1;
    if (++p->nodes == MAX_NODES_WRITTEN)
        syntax_mistake(
            p, "this expression is longer than %d terms; a stencil or let is shorter",
            MAX_NODES_WRITTEN);
    return e;
}

expr *expr_unknown(parser *p, place at)
{
    expr *e = expr_new(p, EXPR_SYMBOL, at);

    e->symbol = p->unknown;
    return e;
}

void expr_arguments(parser *p, expr *e, int count, expr *const *arg)
{
    e->count = count;
    e->arg = arena_alloc(p->arena, count, sizeof(expr *));
    memcpy(e->arg, arg, (size_t)count * sizeof(expr *));
}

/* The place from the left operand to the end of the right operand, if both are on one
 * line. */
static place spanned(place left, place right)
{
    if (right.line == left.line && right.column > left.column)
        left.length = right.column + right.length - left.column;
    return left;
}

expr *expr_unary(parser *p, op_kind op, place at, expr *arg)
{
    expr *e = expr_new(p, EXPR_UNARY, spanned(at, arg->at));

    e->op = op;
    expr_arguments(p, e, 1, &arg);
    expr_close(p, e);
    return e;
}

expr *expr_binary(parser *p, op_kind op, expr *left, expr *right)
{
    expr *e = expr_new(p, EXPR_BINARY, spanned(left->at, right->at));

    e->op = op;
    expr_arguments(p, e, 2, (expr *[]){left, right});
    expr_close(p, e);
    return e;
}

/* ---- sizes ------------------------------------------------------------------------- */

/* Number of copies of an expression's argument once written out. */
static double repeats(const parser *p, const expr *e)
{
    double taps = 1;

    if (e->kind == EXPR_STENCIL)
        return e->symbol->taps;
    if (e->kind == EXPR_LAPLACE)
        return (double)(e->order + 1) * (p->dim > 0 ? p->dim : MAX_DIM);
    if (e->kind == EXPR_TRANSFER)
        return 1 << (2 * (p->dim > 0 ? p->dim : MAX_DIM));
    for (int i = 0; e->kind == EXPR_DERIVE && i < MAX_DIM; i++)
        if (e->derivative[i] > 0)
            taps *= e->order + e->derivative[i];
    return taps;
}

/* Size of a node's declaration, without the arguments of the node. */
static double named_size(const expr *e)
{
    double size = 1;

    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_LET && e->symbol->value)
        return (double)e->symbol->value->size;
    if (e->kind == EXPR_STENCIL)
        for (int i = 0; i < e->symbol->taps; i++)
            size += (double)e->symbol->tap[i].weight->size;
    return size;
}

static double applied_size(const expr *e)
{
    double size = (double)e->symbol->value->size;

    for (int i = 0; i < e->count && i < e->symbol->arguments; i++)
        size += e->symbol->argument[i]->notes->uses * (double)(e->arg[i]->size - 1);
    return size;
}

static int named_height(const expr *e)
{
    const symbol *s = e->symbol;
    int height = 0;

    if ((e->kind == EXPR_SYMBOL || e->kind == EXPR_APPLY) && s->kind == SYMBOL_LET &&
        s->value)
        return s->value->height;
    for (int i = 0; e->kind == EXPR_STENCIL && i < s->taps; i++)
        if (s->tap[i].weight->height > height)
            height = s->tap[i].weight->height;
    return height;
}

void expr_close(parser *p, expr *e)
{
    int height = 0;
    double size = 0;

    for (int i = 0; i < e->count; i++) {
        size += (double)e->arg[i]->size;
        if (e->arg[i]->height > height)
            height = e->arg[i]->height;
    }
    if (e->kind == EXPR_APPLY && e->symbol->value)
        size = applied_size(e);
    else
        size = size * repeats(p, e) + named_size(e);
    height += 1 + named_height(e);
    e->size = size > MAX_SIZE ? 1 : (int64_t)size;
    e->height = height > MAX_HEIGHT ? 1 : height;
    if (size > MAX_SIZE)
        mistake_at(p, e->at,
                   "written out, with lets and derivatives in place, this expression "
                   "has more than %d terms",
                   MAX_SIZE);
    else if (height > MAX_HEIGHT)
        mistake_at(p, e->at,
                   "with its lets in place, this expression is more than %d levels deep",
                   MAX_HEIGHT);
}

/* Number of uses of a let's argument in its value, with lets inlined. */
double argument_uses(const parser *p, const expr *e, const symbol *argument)
{
    double uses = 0;

    if (e->kind == EXPR_SYMBOL)
        return e->symbol == argument ? 1 : 0;
    for (int i = 0; i < e->count; i++) {
        const bool applied = e->kind == EXPR_APPLY && i < e->symbol->arguments;
        const double times = applied ? e->symbol->argument[i]->notes->uses : 1;
        uses += times * argument_uses(p, e->arg[i], argument);
    }
    return uses * repeats(p, e);
}

/* ---- parsing ----------------------------------------------------------------------- */

static bool enter(parser *p)
{
    if (p->depth++ < MAX_DEPTH)
        return true;
    syntax_mistake(p, "this expression is nested deeper than %d levels", MAX_DEPTH);
    return false;
}

static void leave(parser *p)
{
    p->depth--;
}

static expr *parse_unary(parser *p);
static expr *parse_binary(parser *p, int least);

/* Parses the operand of a sign or of `^`. */
static expr *parse_operand(parser *p)
{
    const place at = p->next->at;
    expr *e = enter(p) ? parse_unary(p) : expr_unknown(p, at);

    leave(p);
    return e;
}

static expr *parse_unary(parser *p)
{
    const place at = p->next->at;

    if (accept_on(p, "-"))
        return expr_unary(p, OP_NEG, at, parse_operand(p));
    if (accept_on(p, "+"))
        return parse_operand(p);
    expr *base = primary_parse(p);
    return accept_on(p, "^") ? expr_binary(p, OP_POW, base, parse_operand(p)) : base;
}

static expr *parse_prefix(parser *p, int least)
{
    const place at = p->next->at;

    if (!next_is(p, "not"))
        return parse_unary(p);
    if (least > PRECEDENCE_NOT) {
        syntax_mistake(p, "'not' needs parentheses here: (not ...)");
        return expr_unknown(p, at);
    }
    accept_on(p, "not");
    return expr_unary(p, OP_NOT, at, parse_binary(p, PRECEDENCE_COMPARE));
}

/* The next token's binary operator, or -1. */
static int next_operator(const parser *p)
{
    if (p->panic || (p->next->kind != TOKEN_SIGN && p->next->kind != TOKEN_NAME))
        return -1;
    for (int op = OP_ADD; op <= OP_OR; op++)
        if (op != OP_POW && next_is(p, operator_table[op].sign))
            return op;
    return -1;
}

static expr *parse_binary(parser *p, int least)
{
    expr *left = parse_prefix(p, least);
    bool compared = false;

    for (;;) {
        const int op = next_operator(p);
        if (op < 0 || operator_table[op].precedence < least)
            return left;
        const bool compares = operator_table[op].precedence == PRECEDENCE_COMPARE;
        if (compares && compared)
            syntax_mistake(
                p, "comparisons do not follow one another; write a < b and b < c");
        compared = compares;
        accept_on(p, operator_table[op].sign);
        left = expr_binary(p, (op_kind)op, left,
                           parse_binary(p, operator_table[op].precedence + 1));
    }
}

expr *expr_parse_inside(parser *p)
{
    const place at = p->next->at;
    expr *e = enter(p) ? parse_binary(p, PRECEDENCE_OR) : expr_unknown(p, at);

    leave(p);
    return e;
}

static expr *parse_whole(parser *p, int least)
{
    p->depth = 0;
    p->nodes = 0;
    expr *e = parse_binary(p, least);
    p->size += e->size;
    if (p->size > (int64_t)ALL_SIZES * MAX_SIZE) {
        p->size = 0;
        mistake_at(p, e->at,
                   "written out, the expressions so far have more than %lld terms",
                   (long long)ALL_SIZES * MAX_SIZE);
    }
    return e;
}

expr *expr_parse(parser *p)
{
    return parse_whole(p, PRECEDENCE_OR);
}

expr *expr_parse_factors(parser *p)
{
    return parse_whole(p, PRECEDENCE_PRODUCT);
}
