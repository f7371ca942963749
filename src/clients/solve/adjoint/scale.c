/* SPDX-License-Identifier: BSD-3-Clause */
/* Scales the adjoint in its field to save products. The equation u' = ... + g*D(u) has
 * the adjoint A' = ... + D(g*A), with a product by g at each point read by D. The scaled
 * adjoint B = g*A obeys B' = ... + g*D(B), so a backward step costs no more than a
 * forward step. The scale g is the product of the factors common to all reads at other
 * points. These factors may be 0 only if one of the listed coefficients (adjoint.divisor)
 * is 0. An expression that needs A at its own point divides B by g. */
#include <string.h>

#include "solve/adjoint/adjoint_private.h"

enum { MOST_FACTORS = 12 };

typedef struct scale_factor {
    const expr *e;
    const char *text;
    bool inverse; /* 1/e */
} scale_factor;

/* The factors around an adjoint in an expression. */
typedef struct chain {
    adjoint_deriver *a;
    const symbol *own;
    int count;
    scale_factor factor[MOST_FACTORS];
    bool open; /* the chain may still grow */
} chain;

/* ---- allowed divisors -------------------------------------------------------------- */

static bool is_moving(const expr *e)
{
    const bool still = e->kind == EXPR_NUMBER || e->kind == EXPR_UNARY ||
                       e->kind == EXPR_BINARY || e->kind == EXPR_CALL ||
                       (e->kind == EXPR_BUILTIN && e->builtin != BUILTIN_T &&
                        e->builtin != BUILTIN_STEP) ||
                       (e->kind == EXPR_SYMBOL &&
                        (e->symbol->kind == SYMBOL_PARAM ||
                         (e->symbol->kind == SYMBOL_FIELD && !e->symbol->updated &&
                          !e->symbol->coarse && e->symbol->index >= 0)));

    return !still;
}

/* True if e can be 0 only at a 0 of a coefficient in it. */
static bool may_divide(const expr *e)
{
    switch (e->kind) {
    case EXPR_NUMBER: return !tree_is_number(e, 0);
    case EXPR_BUILTIN:
        return e->builtin == BUILTIN_PI ||
               (e->builtin >= BUILTIN_H && e->builtin <= BUILTIN_HZ);
    case EXPR_SYMBOL: return !is_moving(e);
    case EXPR_UNARY: return e->op == OP_NEG && may_divide(e->arg[0]);
    case EXPR_BINARY:
        if (e->op == OP_POW)
            return may_divide(e->arg[0]) && e->arg[1]->kind == EXPR_NUMBER;
        return (e->op == OP_MUL || e->op == OP_DIV) && may_divide(e->arg[0]) &&
               may_divide(e->arg[1]);
    case EXPR_CALL:
        return (e->function == FUNCTION_EXP && !tree_any(e, is_moving)) ||
               (e->function == FUNCTION_SQRT && may_divide(e->arg[0]));
    default: return false;
    }
}

/* ---- factors ----------------------------------------------------------------------- */

static bool is_product(const expr *e)
{
    return e->kind == EXPR_BINARY && (e->op == OP_MUL || e->op == OP_DIV);
}

static bool is_negated(const expr *e)
{
    return e->kind == EXPR_UNARY && e->op == OP_NEG;
}

static void add_factors(chain *c, const expr *e, bool inverse)
{
    double value;

    if (is_product(e)) {
        add_factors(c, e->arg[0], inverse);
        add_factors(c, e->arg[1], inverse != (e->op == OP_DIV));
    } else if (is_negated(e)) {
        add_factors(c, e->arg[0], inverse);
    } else if (c->count < MOST_FACTORS && may_divide(e) &&
               !tree_known(&c->a->d, e, &value)) {
        c->factor[c->count++] = (scale_factor){e, tree_text(&c->a->d, e), inverse};
    }
}

static bool is_same(const scale_factor *a, const scale_factor *b)
{
    return a->inverse == b->inverse && strcmp(a->text, b->text) == 0;
}

/* Removes the factors of the part that are missing in the chain. */
static void keep_common(adjoint_part *part, const chain *c)
{
    bool used[MOST_FACTORS] = {false};
    int kept = 0;

    for (int k = 0; k < part->factors; k++)
        for (int j = 0; j < c->count; j++)
            if (!used[j] && is_same(&part->factor[k], &c->factor[j])) {
                part->factor[kept++] = part->factor[k];
                used[j] = true;
                break;
            }
    part->factors = kept;
}

static void end_chain(chain *c, adjoint_part *part, bool apart)
{
    if (!c->open || !apart)
        return;
    if (part->factor) {
        keep_common(part, c);
        return;
    }
    part->factor = arena_alloc(c->a->d.arena, MOST_FACTORS, sizeof *part->factor);
    memcpy(part->factor, c->factor, (size_t)c->count * sizeof *c->factor);
    part->factors = c->count;
}

static bool is_elsewhere(const expr *e)
{
    return e->kind == EXPR_SHIFT || e->kind == EXPR_STENCIL || e->kind == EXPR_DERIVE ||
           e->kind == EXPR_LAPLACE || e->kind == EXPR_TRANSFER;
}

bool scale_is_apart(const expr *e, const symbol *own)
{
    bool apart = is_elsewhere(e) && tree_reads(e, own);

    for (int k = 0; k < e->count && !apart; k++)
        apart = scale_is_apart(e->arg[k], own);
    return apart;
}

/* apart: an outer expression reads e at other points. */
static void find_chains(chain *c, adjoint_part *part, const expr *e, bool apart)
{
    if (e->kind == EXPR_SYMBOL && e->symbol == c->own) {
        c->count = 0;
        c->open = true;
    } else if (is_product(e) &&
               tree_reads(e->arg[0], c->own) != tree_reads(e->arg[1], c->own) &&
               !(e->op == OP_DIV && tree_reads(e->arg[1], c->own))) {
        const int side = !tree_reads(e->arg[0], c->own);
        find_chains(c, part, e->arg[side], apart);
        if (c->open)
            add_factors(c, e->arg[!side], e->op == OP_DIV);
    } else if (is_negated(e)) {
        find_chains(c, part, e->arg[0], apart);
    } else {
        for (int k = 0; k < e->count; k++) {
            c->open = false;
            if (tree_reads(e->arg[k], c->own))
                find_chains(c, part, e->arg[k], apart || is_elsewhere(e));
            end_chain(c, part, apart || is_elsewhere(e));
        }
        c->open = false;
    }
}

/* ---- choosing ---------------------------------------------------------------------- */

static void list_fields(adjoint_deriver *a, const expr *e, int64_t *count)
{
    const char **list = a->result->divisor;

    if (e->kind == EXPR_CALL && e->function == FUNCTION_EXP)
        return;
    if (e->kind == EXPR_SYMBOL && e->symbol->kind == SYMBOL_FIELD) {
        for (int64_t k = 0; k < *count; k++)
            if (strcmp(list[k], e->symbol->name) == 0)
                return;
        list[(*count)++] = e->symbol->name;
    }
    for (int k = 0; k < e->count; k++)
        list_fields(a, e->arg[k], count);
}

void scales_choose(adjoint_deriver *a)
{
    int64_t count = 0;

    a->result->divisor = arena_alloc(a->result->names, a->p->fields.count + 1,
                                     sizeof *a->result->divisor);
    if (!a->wish->scaled || borders_any_fold(a))
        return;
    for (int64_t k = 0; k < a->contributions; k++) {
        const contribution *c = &a->contribution[k];
        chain found = {.a = a, .own = c->own};
        find_chains(&found, c->reader, c->cotangent, false);
    }
    for (int64_t k = 0; k < a->parts; k++) {
        expr *all = NULL;

        for (int n = 0; n < a->part[k].factors; n++) {
            const scale_factor *f = &a->part[k].factor[n];
            expr *one = copy_inlined(&a->d, f->e);
            all = all ? tree_binary(&a->d, f->inverse ? OP_DIV : OP_MUL, all, one)
                  : f->inverse
                      ? tree_binary(&a->d, OP_DIV, tree_number(&a->d, num_int(1)), one)
                      : one;
        }

        a->part[k].scale = all;
        if (a->part[k].scale)
            list_fields(a, a->part[k].scale, &count);
    }
}

/* ---- taking it out ----------------------------------------------------------------- */

typedef struct removal {
    adjoint_deriver *a;
    const adjoint_part *part;
    const symbol *own;
    bool left[MOST_FACTORS]; /* factors of the part that remain to be removed */
    bool open;
} removal;

/* Copies e without the removed factors; NULL: only 1 remains. */
static expr *without(removal *r, const expr *e, bool inverse)
{
    deriver *d = &r->a->d;

    if (is_negated(e)) {
        expr *rest = without(r, e->arg[0], inverse);
        return tree_negated(d, rest ? rest : tree_number(d, num_int(1)));
    }
    if (is_product(e)) {
        expr *first = without(r, e->arg[0], inverse),
             *second = without(r, e->arg[1], inverse != (e->op == OP_DIV));
        return second ? tree_binary(d, e->op, first ? first : tree_number(d, num_int(1)),
                                    second)
                      : first;
    }
    const char *words = tree_text(d, e);
    for (int k = 0; k < r->part->factors; k++)
        if (r->left[k] &&
            is_same(&r->part->factor[k], &(scale_factor){e, words, inverse})) {
            r->left[k] = false;
            return NULL;
        }
    return copy_inlined(d, e);
}

/* Divides e by the remaining factors of the part. */
static expr *divided(removal *r, expr *e)
{
    for (int k = 0; k < r->part->factors && r->open; k++)
        if (r->left[k])
            e = tree_binary(&r->a->d, r->part->factor[k].inverse ? OP_MUL : OP_DIV, e,
                            copy_inlined(&r->a->d, r->part->factor[k].e));
    r->open = false;
    return e;
}

static expr *removed(removal *r, const expr *e);

static expr *removed_product(removal *r, const expr *e)
{
    deriver *d = &r->a->d;
    const int side = !tree_reads(e->arg[0], r->own);
    expr *own = removed(r, e->arg[side]);
    expr *rest = r->open ? without(r, e->arg[!side], e->op == OP_DIV)
                         : copy_inlined(d, e->arg[!side]);

    return !rest  ? own
           : side ? tree_binary(d, e->op, rest, own)
                  : tree_binary(d, e->op, own, rest);
}

static expr *removed(removal *r, const expr *e)
{
    if (e->kind == EXPR_SYMBOL && e->symbol == r->own) {
        memset(r->left, true, sizeof r->left);
        r->open = true;
        return (expr *)(uintptr_t)e;
    }
    if (is_product(e) && tree_reads(e->arg[0], r->own) != tree_reads(e->arg[1], r->own) &&
        !(e->op == OP_DIV && tree_reads(e->arg[1], r->own)))
        return removed_product(r, e);
    if (is_negated(e))
        return tree_negated(&r->a->d, removed(r, e->arg[0]));
    expr *copy = tree_clone(&r->a->d, e);
    for (int k = 0; k < e->count; k++)
        copy->arg[k] = tree_reads(e->arg[k], r->own) ? divided(r, removed(r, e->arg[k]))
                                                     : copy_inlined(&r->a->d, e->arg[k]);
    return copy;
}

expr *scale_removed(adjoint_deriver *a, const adjoint_part *part, const symbol *own,
                    const expr *e)
{
    removal r = {.a = a, .part = part, .own = own};

    return !part->scale ? (expr *)(uintptr_t)e : divided(&r, removed(&r, e));
}
