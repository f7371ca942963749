/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the grids of the fields in an expression: a reduction runs over the points of its
 * grid. */
#include "plan/plan_private.h"

static unsigned grids_of_arguments(lowering *l, const expr *e, const scope *in)
{
    unsigned grids = 0;

    for (int k = 0; k < e->count; k++)
        grids |= lower_grids(l, e->arg[k], in);
    return grids;
}

/* The grids of a let's body without its arguments; computed once. */
static unsigned grids_of_let(lowering *l, const symbol *let)
{
    unsigned *known = &l->let_grids[let->index];

    if (!*known)
        *known = 1 + lower_grids(l, let->value, NULL);
    return *known - 1;
}

static unsigned grids_of_symbol(lowering *l, const expr *e, const scope *in)
{
    const symbol *s = e->symbol;

    if (s->kind == SYMBOL_FIELD)
        return 1u << s->coarse;
    if (s->kind == SYMBOL_LET)
        return grids_of_let(l, s);
    if (s->kind != SYMBOL_ARGUMENT || !in)
        return 0;
    const expr *value = lower_argument(l, e, &in);
    return lower_grids(l, value, in);
}

static unsigned grids_of_stencil(lowering *l, const symbol *stencil)
{
    unsigned grids = 0;

    for (int k = 0; k < stencil->taps; k++)
        grids |= lower_grids(l, stencil->tap[k].weight, NULL);
    return grids;
}

static unsigned grids_of_kind(lowering *l, const expr *e, const scope *in)
{
    switch (e->kind) {
    case EXPR_SYMBOL: return grids_of_symbol(l, e, in);
    case EXPR_REDUCE: return 0;
    case EXPR_TRANSFER: {
        const unsigned grids = grids_of_arguments(l, e, in);
        return e->transfer == TRANSFER_RESTRICT ? grids << 1 : grids >> 1;
    }
    case EXPR_APPLY: return grids_of_let(l, e->symbol) | grids_of_arguments(l, e, in);
    case EXPR_STENCIL:
        return grids_of_stencil(l, e->symbol) | grids_of_arguments(l, e, in);
    default: return grids_of_arguments(l, e, in);
    }
}

unsigned lower_grids(lowering *l, const expr *e, const scope *in)
{
    lower_enter(l);
    const unsigned grids = grids_of_kind(l, e, in);
    lower_leave(l);
    return grids;
}
