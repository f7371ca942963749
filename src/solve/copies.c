/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of expressions: with lets inlined, with another expression for the unknown and
 * coefficients of another grid, or of the part linear in the unknown. */
#include "solve/solve_private.h"

/* The arguments of a let, replaced by name. */
typedef struct env {
    const expr *apply;
    const struct env *outer;
} env;

static expr *inlined(deriver *d, const expr *e, const env *in);

static expr *clone(deriver *d, const expr *e)
{
    expr *c = arena_alloc(d->arena, 1, sizeof *c);

    *c = *e;
    c->arg = arena_alloc(d->arena, e->count + 1, sizeof *c->arg);
    return c;
}

static expr *inlined_symbol(deriver *d, const expr *e, const env *in)
{
    if (e->symbol->kind == SYMBOL_LET)
        return inlined(d, e->symbol->value, NULL);
    if (e->symbol->kind == SYMBOL_ARGUMENT && in)
        return inlined(d, in->apply->arg[e->symbol->index], in->outer);
    return clone(d, e);
}

static expr *inlined(deriver *d, const expr *e, const env *in)
{
    if (e->kind == EXPR_SYMBOL)
        return inlined_symbol(d, e, in);
    if (e->kind == EXPR_APPLY)
        return inlined(d, e->symbol->value, &(env){e, in});
    expr *c = clone(d, e);
    for (int k = 0; k < e->count; k++)
        c->arg[k] = inlined(d, e->arg[k], in);
    return c;
}

expr *copy_inlined(deriver *d, const expr *e)
{
    return inlined(d, e, NULL);
}

static bool is_unknown(const deriver *d, const expr *e)
{
    return e->kind == EXPR_SYMBOL && e->symbol == d->unknown && e->level == d->level;
}

/* ---- with other fields ------------------------------------------------------------- */

static expr *field_of_grid(deriver *d, const expr *e, int coarse)
{
    if (e->symbol->kind != SYMBOL_FIELD || coarse == 0 || e->symbol->index < 0)
        return clone(d, e);
    return tree_field(d, write_coefficient(d, e->symbol, coarse), 0);
}

expr *copy_with(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    if (is_unknown(d, e))
        return clone(d, unknown);
    if (e->kind == EXPR_SYMBOL)
        return field_of_grid(d, e, coarse);
    expr *c = clone(d, e);
    if (e->kind == EXPR_REDUCE)
        coarse = 0;
    for (int k = 0; k < e->count; k++)
        c->arg[k] = copy_with(d, e->arg[k], unknown, coarse);
    return c;
}

/* ---- the linear part --------------------------------------------------------------- */

static expr *linear_binary(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    expr *a = copy_linear(d, e->arg[0], unknown, coarse);
    expr *b = copy_linear(d, e->arg[1], unknown, coarse);

    if (!a && !b)
        return NULL;
    if (e->op == OP_ADD || e->op == OP_SUB) {
        if (a && b)
            return tree_binary(d, e->op, a, b);
        return a ? a : e->op == OP_ADD ? b : tree_negated(d, b);
    }
    if (a)
        return tree_binary(d, e->op, a, copy_with(d, e->arg[1], unknown, coarse));
    return tree_binary(d, e->op, copy_with(d, e->arg[0], unknown, coarse), b);
}

static expr *linear_choice(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    expr *a = e->function == FUNCTION_WHERE ? copy_linear(d, e->arg[1], unknown, coarse)
                                            : NULL;
    expr *b = e->function == FUNCTION_WHERE ? copy_linear(d, e->arg[2], unknown, coarse)
                                            : NULL;

    if (!a && !b)
        return NULL;
    expr *c = clone(d, e);
    c->arg[0] = copy_with(d, e->arg[0], unknown, coarse);
    c->arg[1] = a ? a : tree_number(d, num_int(0));
    c->arg[2] = b ? b : tree_number(d, num_int(0));
    return c;
}

static expr *linear_of_one(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    expr *inner = copy_linear(d, e->arg[0], unknown, coarse);

    if (!inner)
        return NULL;
    expr *c = clone(d, e);
    c->arg[0] = inner;
    return c;
}

/* The weights of a stencil name fields of the finest grid. On coarser grids the stencil
 * is therefore written out in a sum. */
static expr *linear_stencil(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    expr *sum = NULL;

    if (coarse == 0)
        return linear_of_one(d, e, unknown, coarse);
    expr *inner = copy_linear(d, e->arg[0], unknown, coarse);
    for (int k = 0; inner && k < e->symbol->taps; k++) {
        const stencil_tap *t = &e->symbol->tap[k];
        expr *weight = copy_with(d, copy_inlined(d, t->weight), unknown, coarse);
        expr *part = tree_binary(d, OP_MUL, weight, tree_shifted(d, inner, t->offset));
        sum = sum ? tree_binary(d, OP_ADD, sum, part) : part;
    }
    return sum;
}

expr *copy_linear(deriver *d, const expr *e, const expr *unknown, int coarse)
{
    switch (e->kind) {
    case EXPR_SYMBOL: return is_unknown(d, e) ? clone(d, unknown) : NULL;
    case EXPR_UNARY:
    case EXPR_SHIFT:
    case EXPR_DERIVE:
    case EXPR_LAPLACE:
    case EXPR_TRANSFER: return linear_of_one(d, e, unknown, coarse);
    case EXPR_STENCIL: return linear_stencil(d, e, unknown, coarse);
    case EXPR_BINARY: return linear_binary(d, e, unknown, coarse);
    case EXPR_CALL: return linear_choice(d, e, unknown, coarse);
    default: return NULL;
    }
}
