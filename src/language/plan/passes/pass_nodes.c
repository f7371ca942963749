/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes that rewrite nodes one by one.
 *
 * fold: constants are computed exactly and rounded once; identities are removed; dividing
 * by a constant becomes multiplying by its exact reciprocal. Negations move outwards, and
 * sums absorb them. Values are assumed finite: 0*x is 0. Known conditions become
 * constants 0 or 1, and every reader of a condition folds them away.
 *
 * powers: x^n for integers |n| <= 64 becomes multiplications by repeated squaring, so
 * that x^3 and x^4 share x^2; x^-n is 1/x^n; x^(1/2) is a root. Other powers are
 * unchanged.
 *
 * fma: a product with one reader, a sum or difference, is contracted into it: one
 * rounding and one instruction less. Of two products the one with the later kind is
 * chosen. Nodes equal up to a shift along the slowest axis are treated equally; if a
 * schedule could keep a product for another plane, this counts as another reader. Two
 * products equal up to any shift stay products, so that the difference of two fluxes
 * keeps its mirror symmetry. Negation is free: a - x*y is fma(-x, y, a). */
#include <assert.h>
#include <math.h>

#include "base/functions/functions.h"
#include "plan/plan_private.h"

static const ir_node *node_at(const builder *b, int n)
{
    return &b->stage->node[n];
}

static bool is_const(const builder *b, int n)
{
    return node_at(b, n)->op == IR_CONST;
}

static bool is_value(const builder *b, int n, int64_t value)
{
    return is_const(b, n) && num_equal(node_at(b, n)->value, num_int(value));
}

static num value_of(const builder *b, int n)
{
    return node_at(b, n)->value;
}

num num_operate(ir_op op, num a, num b)
{
    const double v = num_f64(a), w = num_f64(b);
    int64_t n = 0;

    if (op == IR_POW && num_is_int(b, &n))
        return num_power(a, n);
    if (op == IR_FLOOR && a.exact)
        return num_ratio(a.p >= 0 ? a.p / a.q : -((a.q - 1 - a.p) / a.q), 1);
    switch (op) {
    case IR_NEG: return num_neg(a);
    case IR_ADD: return num_add(a, b);
    case IR_SUB: return num_sub(a, b);
    case IR_MUL: return num_mul(a, b);
    case IR_DIV: return num_div(a, b);
    case IR_ABS: return num_compare(a, num_int(0)) < 0 ? num_neg(a) : a;
    case IR_SQRT: return num_double(sqrt(v));
#define ONE(NAME, word, ...)                                                             \
    case IR_##NAME: return num_double(f64_##word(v));
        SMOOTH_FUNCTION_LIST(ONE)
        STEPWISE_FUNCTION_LIST(ONE)
#define PAIR(NAME, word, ...)                                                            \
    case IR_##NAME: return num_double(f64_##word(v, w));
        PAIR_FUNCTION_LIST(PAIR)
    case IR_MIN: return num_compare(a, b) < 0 ? a : b;
    case IR_MAX: return num_compare(a, b) > 0 ? a : b;
    case IR_AND: return num_int(!num_is_zero(a) && !num_is_zero(b));
    case IR_OR: return num_int(!num_is_zero(a) || !num_is_zero(b));
    case IR_NOT: return num_int(num_is_zero(a));
    case IR_EVEN: return num_int(f64_mod(v, 2) == 0);
    case IR_LT: return num_int(num_compare(a, b) < 0);
    case IR_LE: return num_int(num_compare(a, b) <= 0);
    case IR_EQ: return num_int(num_compare(a, b) == 0);
    default: assert(op == IR_NE); return num_int(num_compare(a, b) != 0);
    }
}

/* ---- arithmetic -------------------------------------------------------------------- */

/* These functions get no operation on constants alone: fold_node has computed it. */

static int fold_neg(builder *b, int x)
{
    return is_const(b, x)                ? build_const(b, num_neg(value_of(b, x)))
           : node_at(b, x)->op == IR_NEG ? node_at(b, x)->arg[0]
                                         : build_op(b, IR_NEG, x, -1, -1);
}

static int fold_sub(builder *b, int x, int y);

static int fold_add(builder *b, int x, int y)
{
    if (is_value(b, x, 0))
        return y;
    if (is_value(b, y, 0))
        return x;
    return node_at(b, y)->op == IR_NEG   ? fold_sub(b, x, node_at(b, y)->arg[0])
           : node_at(b, x)->op == IR_NEG ? fold_sub(b, y, node_at(b, x)->arg[0])
                                         : build_op(b, IR_ADD, x, y, -1);
}

static int fold_sub(builder *b, int x, int y)
{
    if (is_value(b, x, 0))
        return fold_neg(b, y);
    if (is_value(b, y, 0))
        return x;
    if (x == y)
        return build_const(b, num_int(0));
    return node_at(b, y)->op == IR_NEG ? fold_add(b, x, node_at(b, y)->arg[0])
           : node_at(b, x)->op == IR_NEG
               ? fold_neg(b, fold_add(b, node_at(b, x)->arg[0], y))
               : build_op(b, IR_SUB, x, y, -1);
}

/* Multiplies x by the constant c. */
static int fold_scale(builder *b, int c, int x)
{
    const ir_node *n = node_at(b, x);
    const num k = value_of(b, c);

    if (num_is_zero(k))
        return c;
    if (num_equal(k, num_int(1)))
        return x;
    if (num_equal(k, num_int(-1)))
        return fold_neg(b, x);
    if (n->op == IR_NEG)
        return fold_scale(b, build_const(b, num_neg(k)), n->arg[0]);
    for (int i = 0; n->op == IR_MUL && i < 2; i++)
        if (is_const(b, n->arg[i])) {
            const num both = num_mul(k, value_of(b, n->arg[i]));
            if (isnormal(num_f64(both)))
                return fold_scale(b, build_const(b, both), n->arg[1 - i]);
        }
    return build_op(b, IR_MUL, c, x, -1);
}

/* MUL or DIV. */
static int fold_product(builder *b, ir_op op, int x, int y)
{
    if (op == IR_MUL && (is_const(b, x) || is_const(b, y)))
        return is_const(b, x) ? fold_scale(b, x, y) : fold_scale(b, y, x);
    if (op == IR_DIV && is_const(b, y) && !is_value(b, y, 0)) {
        const num reciprocal = num_div(num_int(1), value_of(b, y));
        if (isnormal(num_f64(reciprocal)) && !is_coordinate(b->stage, x, y))
            return fold_scale(b, build_const(b, reciprocal), x);
    }
    if (op == IR_DIV && is_value(b, x, 0) && !is_const(b, y))
        return x;
    return node_at(b, x)->op == IR_NEG
               ? fold_neg(b, fold_product(b, op, node_at(b, x)->arg[0], y))
           : node_at(b, y)->op == IR_NEG
               ? fold_neg(b, fold_product(b, op, x, node_at(b, y)->arg[0]))
               : build_op(b, op, x, y, -1);
}

static int fold_abs(builder *b, int x)
{
    while (node_at(b, x)->op == IR_NEG)
        x = node_at(b, x)->arg[0];
    return node_at(b, x)->op == IR_ABS ? x : build_op(b, IR_ABS, x, -1, -1);
}

/* ---- conditions -------------------------------------------------------------------- */

static int fold_logic(builder *b, ir_op op, int x, int y)
{
    if (is_const(b, x))
        return is_value(b, x, op == IR_OR) ? x : y;
    if (is_const(b, y))
        return is_value(b, y, op == IR_OR) ? y : x;
    return x == y ? x : build_op(b, op, x, y, -1);
}

/* With NaN, not (a < b) differs from a >= b, so only equality is inverted. */
static int fold_not(builder *b, int x)
{
    const ir_node *n = node_at(b, x);

    if (n->op == IR_NOT)
        return n->arg[0];
    return n->op == IR_EQ || n->op == IR_NE
               ? build_op(b, n->op == IR_EQ ? IR_NE : IR_EQ, n->arg[0], n->arg[1], -1)
               : build_op(b, IR_NOT, x, -1, -1);
}

static int fold_select(builder *b, int condition, int x, int y)
{
    if (is_const(b, condition))
        return is_value(b, condition, 0) ? y : x;
    return x == y ? x
           : node_at(b, condition)->op == IR_NOT
               ? fold_select(b, node_at(b, condition)->arg[0], y, x)
               : build_op(b, IR_SELECT, condition, x, y);
}

/* ---- all operations ---------------------------------------------------------------- */

/* A division by 0 stays, and so does a function without a finite value. */
static bool has_value(ir_op op, num y, num result)
{
    const bool is_function = op == IR_ABS || op == IR_SQRT || ir_is_function(op);

    return op == IR_DIV ? !num_is_zero(y) : !is_function || isfinite(num_f64(result));
}

static int fold_node(builder *b, const ir_node *n, const int *map)
{
    const int arguments = ir_op_table[n->op].arguments;

    if (arguments == 0 || n->op == IR_ROUND || n->op == IR_METRIC)
        return build_copy(b, n, map);
    const int x = map[n->arg[0]], y = map[n->arg[arguments > 1 ? 1 : 0]];
    if (arguments < 3 && is_const(b, x) && is_const(b, y)) {
        const num result = num_operate(n->op, value_of(b, x), value_of(b, y));
        if (has_value(n->op, value_of(b, y), result))
            return build_const(b, result);
    }
    switch (n->op) {
    case IR_NEG: return fold_neg(b, x);
    case IR_ADD: return fold_add(b, x, y);
    case IR_SUB: return fold_sub(b, x, y);
    case IR_MUL:
    case IR_DIV: return fold_product(b, n->op, x, y);
    case IR_MIN:
    case IR_MAX: return x == y ? x : build_copy(b, n, map);
    case IR_ABS: return fold_abs(b, x);
    case IR_AND:
    case IR_OR: return fold_logic(b, n->op, x, y);
    case IR_NOT: return fold_not(b, x);
    case IR_SELECT: return fold_select(b, x, y, map[n->arg[2]]);
    default: return build_copy(b, n, map);
    }
}

void pass_fold(ir *code, int stage)
{
    stage_rewrite(code, &code->stage[stage], fold_node, NULL);
}

/* ---- powers ------------------------------------------------------------------------ */

/* n >= 1 */
static int build_power(builder *b, int x, int64_t n)
{
    if (n == 1)
        return x;
    const int half = build_power(b, x, n / 2);
    const int square = build_op(b, IR_MUL, half, half, -1);
    return n % 2 ? build_op(b, IR_MUL, square, x, -1) : square;
}

/* The node; its power is expanded if the exponent is a small integer or a half. */
static int expand_power(builder *b, const ir_node *n, const int *map)
{
    if (n->op != IR_POW || !is_const(b, map[n->arg[1]]))
        return build_copy(b, n, map);
    const num exponent = value_of(b, map[n->arg[1]]);
    int64_t times = 0;
    int x = map[n->arg[0]];

    if (num_equal(exponent, num_ratio(1, 2)) || num_equal(exponent, num_ratio(-1, 2)))
        x = build_op(b, IR_SQRT, x, -1, -1);
    else if (!num_is_int(exponent, &times) || times > MAX_POWER || times < -MAX_POWER)
        return build_copy(b, n, map);
    else if (times == 0)
        return build_const(b, num_int(1));
    else
        x = build_power(b, x, times < 0 ? -times : times);
    return num_compare(exponent, num_int(0)) < 0
               ? build_op(b, IR_DIV, build_const(b, num_int(1)), x, -1)
               : x;
}

void pass_powers(ir *code, int stage)
{
    stage_rewrite(code, &code->stage[stage], expand_power, NULL);
}

/* ---- fma --------------------------------------------------------------------------- */

typedef struct contraction {
    const ir_node *old;
    alike alike, images; /* up to shifts along the slowest axis; along all */
    int *uses;           /* readers of a kind: nodes of different kinds, and outputs */
} contraction;

static bool is_product(const contraction *c, int n)
{
    return c->old[n].op == IR_MUL && c->uses[c->alike.node[n].kind] == 1;
}

/* The argument of a sum to contract: 0, 1, or -1 for none. */
static int choose_product(const contraction *c, const ir_node *n)
{
    const int left = n->arg[0], right = n->arg[1];

    if (!is_product(c, left) || !is_product(c, right))
        return is_product(c, right) ? 1 : is_product(c, left) ? 0 : -1;
    return c->images.node[left].kind == c->images.node[right].kind                   ? -1
           : n->op == IR_SUB || c->alike.node[right].kind > c->alike.node[left].kind ? 1
                                                                                     : 0;
}

/* The factor of a product that takes a sign: a constant, else the factor with the smaller
 * kind or place. */
static int choose_factor(const contraction *c, const ir_node *product)
{
    const alike_place *a = &c->alike.node[product->arg[0]],
                      *b = &c->alike.node[product->arg[1]];

    for (int k = 0; k < 2; k++)
        if (c->old[product->arg[k]].op == IR_CONST)
            return k;
    if (a->kind != b->kind)
        return a->kind < b->kind ? 0 : 1;
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (a->at[axis] != b->at[axis])
            return a->at[axis] < b->at[axis] ? 0 : 1;
    return 0;
}

static int contract(builder *b, const ir_node *n, int which, const int *map)
{
    const contraction *c = b->user;
    const ir_node *product = &c->old[n->arg[which]];
    const int first = choose_factor(c, product);
    int x = map[product->arg[first]], z = map[n->arg[1 - which]];

    if (n->op == IR_SUB && which == 0)
        z = fold_neg(b, z);
    else if (n->op == IR_SUB)
        x = fold_neg(b, x);
    return build_op(b, IR_FMA, x, map[product->arg[1 - first]], z);
}

static int contract_sum(builder *b, const ir_node *n, const int *map)
{
    const int which = n->op == IR_ADD || n->op == IR_SUB ? choose_product(b->user, n)
                                                         : -1;

    return which < 0 ? build_copy(b, n, map) : contract(b, n, which, map);
}

void pass_fma(ir *code, int stage)
{
    const ir_stage *s = &code->stage[stage];
    const int slowest = code->dim > 0 ? code->dim - 1 : 0;
    contraction c = {.old = s->node,
                     .alike = alike_open(code->arena, 1u << slowest),
                     .images = alike_open(code->arena, ON_AXES)};

    alike_update(&c.alike, s);
    alike_update(&c.images, s);
    arena *a = c.alike.arena;
    bool *seen = arena_alloc(a, c.alike.kinds + 1, sizeof *seen);
    c.uses = arena_alloc(a, c.alike.kinds + 1, sizeof *c.uses);
    for (int64_t k = 0; k < s->outputs; k++)
        c.uses[c.alike.node[s->output[k].node].kind]++;
    for (int64_t k = 0; k < s->count; k++) {
        const ir_node *n = &s->node[k];
        if (seen[c.alike.node[k].kind])
            continue;
        seen[c.alike.node[k].kind] = true;
        for (int i = 0; i < ir_op_table[n->op].arguments; i++)
            c.uses[c.alike.node[n->arg[i]].kind]++;
    }
    stage_rewrite(code, &code->stage[stage], contract_sum, &c);
}
