/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports known divisors of 0. Every expression is visited once, from its leaves, after
 * the grid and all settings are known. In `where`, `and` and `or`, only the decisive
 * operand is checked, so that a condition may guard a divisor. */
#include "lang/lang_private.h"

enum { MAX_APPLIED = 1000 }; /* largest use of a let that is evaluated */

typedef struct known {
    bool is;
    num value;
} known;

static const known nothing;

static known look(parser *p, const expr *e);

static known look_up(parser *p, const expr *e)
{
    const constant c = constant_find(p, e);

    return (known){c.known, c.value};
}

/* True if the left side alone decides: 0 of `and`, not 0 of `or`. */
static bool decides(op_kind op, const known *left)
{
    return left->is &&
           ((op == OP_AND && left->value.v == 0) || (op == OP_OR && left->value.v != 0));
}

static known join(parser *p, const expr *e, known left)
{
    if (decides(e->op, &left))
        return left;
    const known right = look(p, e->arg[1]);
    if (e->op == OP_DIV && right.is && right.value.v == 0)
        mistake_at(p, e->arg[1]->at, "the divisor is 0");
    if (decides(e->op, &right))
        return right;
    if (!left.is || !right.is)
        return nothing;
    return (known){true, constant_combine(e->op, left.value, right.value)};
}

static known look_at_binary(parser *p, const expr *e)
{
    int64_t count;
    const expr **chain = constant_chain(p->arena, &e, &count);

    known value = look(p, e);
    for (int64_t i = 0; i < count; i++)
        value = join(p, chain[i], value);
    return value;
}

static known look_at_unary(parser *p, const expr *e)
{
    const known a = look(p, e->arg[0]);

    return (known){a.is, e->op == OP_NEG ? num_neg(a.value) : num_int(a.value.v == 0)};
}

static known look_at_call(parser *p, const expr *e)
{
    num a[3] = {{0}};
    bool all = e->function != FUNCTION_RANDOM;

    for (int i = 0; i < e->count && i < 3; i++) {
        const known k = look(p, e->arg[i]);
        if (e->function == FUNCTION_WHERE && i == 0 && k.is)
            return look(p, e->arg[k.value.v != 0 ? 1 : 2]);
        a[i] = k.value;
        all &= k.is;
    }
    return all ? (known){true, constant_call(e->function, a)} : nothing;
}

static known look(parser *p, const expr *e)
{
    switch (e->kind) {
    case EXPR_NUMBER:
    case EXPR_BUILTIN:
    case EXPR_SYMBOL: return look_up(p, e);
    case EXPR_SHIFT: return look(p, e->arg[0]);
    case EXPR_UNARY: return look_at_unary(p, e);
    case EXPR_BINARY: return look_at_binary(p, e);
    case EXPR_CALL: return look_at_call(p, e);
    default: break;
    }
    for (int i = 0; i < e->count; i++)
        look(p, e->arg[i]);
    return e->kind == EXPR_APPLY && e->size <= MAX_APPLIED ? look_up(p, e) : nothing;
}

/* Only the first field is visited: the fields of one border share its value. */
void divisors_check(parser *p)
{
    const expr *last = NULL;

    for (const statement *s = p->program->first; s; s = s->next) {
        if (s->value && s->value != last)
            look(p, s->value);
        if (s->right)
            look(p, s->right);
        for (int i = 0; s->kind == STATEMENT_STENCIL && i < s->symbol->taps; i++)
            look(p, s->symbol->tap[i].weight);
        last = s->value;
    }
}
