/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates a stage in long double at one imagined point, without rounding, to compare
 * its meaning before and after a pass. Leaves get values from the seed and their
 * identity.
 *
 * Each value has a magnitude: the size of its terms. The rounding error of any order of
 * evaluation is a small multiple of it. If a result could jump (a comparison of nearly
 * equal numbers, a floor near an integer), the magnitude is made so large that the
 * comparison passes. Roots, logarithms and powers with fractional exponents use the
 * absolute value of their argument. */
#include <float.h>
#include <math.h>

#include "plan/plan_private.h"

typedef long double real;

typedef struct value {
    real v;
    real size; /* of a condition: 1 if it might also be the opposite, else 0 */
} value;

typedef struct world {
    const ir *code;
    arena *arena;
    uint64_t seed;
    const ir_stage *stage;
    const ir_stage *before; /* and its values, or NULL */
    const value *uniform;   /* of before's nodes */
    real index[MAX_DIM];    /* in stages of tables */
} world;

enum {
    POINT = 100, /* the imagined point, along each axis (and 3 further each) */
};
static const real near = 1e-9L; /* closer than this, relatively: nearly equal */
static const real jump = 1e24L; /* size of an undecided value */

/* ---- leaves ------------------------------------------------------------------------ */

static uint64_t mix(uint64_t h, int64_t what)
{
    return hash_mix(h ^ hash_mix((uint64_t)what + 0x9e3779b97f4a7c15u));
}

/* In [0.5, 1.5), or its negative. */
static value leaf(uint64_t h)
{
    const real v = 0.5L + (real)(hash_mix(h) >> 11) * 0x1p-53L;

    return (value){h & 1 ? -v : v, v};
}

static value load_value(const world *w, const ir_node *n)
{
    uint64_t h = mix(mix(mix(w->seed, 1), n->field), n->level);

    for (int axis = 0; axis < MAX_DIM; axis++)
        h = mix(h, ir_node_index(n, axis, POINT + 3 * axis));
    return leaf(h);
}

static value uniform_value(const world *w, int slot)
{
    const ir_stage *before = w->before;

    for (int64_t k = 0; before && k < before->outputs; k++)
        if (before->output[k].kind == IR_SET && before->output[k].uniform == slot)
            return w->uniform[before->output[k].node];
    return leaf(mix(mix(w->seed, 2), slot));
}

static void evaluate(const world *w, value *all);

static value table_value(const world *w, const ir_node *n)
{
    const ir_table *table = &w->code->table[n->table];
    world inner = *w;
    value *all = arena_alloc(w->arena, table->stage.count + 1, sizeof *all);

    inner.stage = &table->stage;
    inner.before = NULL;
    inner.index[table->axis] += n->offset[0];
    evaluate(&inner, all);
    return all[table->stage.output[0].node];
}

static value leaf_value(const world *w, const ir_node *n)
{
    switch (n->op) {
    case IR_CONST: {
        const num k = n->value;
        const real v = k.exact ? (real)k.p / (real)k.q : (real)k.v;
        return (value){v, fabsl(v)};
    }
    case IR_UNIFORM: return uniform_value(w, n->uniform);
    case IR_INDEX: return (value){w->index[n->axis], fabsl(w->index[n->axis])};
    case IR_TABLE: return table_value(w, n);
    case IR_RANDOM: return leaf(mix(mix(w->seed, 3), n->uniform) & ~(uint64_t)1);
    default: return load_value(w, n);
    }
}

/* ---- operations -------------------------------------------------------------------- */

/* A function's value and its slope: the factor for the argument's error. */
static value through(real v, real slope, value a)
{
    return (value){v, fabsl(v) + fabsl(slope) * a.size};
}

/* Whole powers are products; other powers pass on the errors of base and exponent. */
static value power(value a, value b)
{
    const bool whole = b.v == rintl(b.v);
    const real v = powl(whole ? a.v : fabsl(a.v), b.v), ratio = a.size / fabsl(a.v);

    if (whole && b.v >= 0 && b.size == fabsl(b.v))
        return (value){v, powl(a.size, b.v)};
    const real spread = powl(ratio, fabsl(b.v)) + fabsl(b.v) * ratio;
    return (value){v, fabsl(v) * (1 + spread + b.size * fabsl(logl(fabsl(a.v))))};
}

static value function_value(ir_op op, value a)
{
    const bool logarithm = op == IR_LOG || op == IR_LOG10;
    const real positive = fabsl(a.v), v = logarithm ? positive : a.v, e = 0;
    const real least = v - near * a.size, most = v + near * a.size;

    switch (op) {
    case IR_NEG: return (value){-v, a.size};
    case IR_ABS: return (value){positive, a.size};
    case IR_SQRT: return through(sqrtl(positive), 0.5L / sqrtl(positive), a);
#define SMOOTH(NAME, word, bound, slope, about)                                          \
    case IR_##NAME:                                                                      \
        return through(word##l(v), slope, a);
#define STEPWISE(NAME, word, about)                                                      \
    case IR_##NAME:                                                                      \
        return (value){word##l(v),                                                       \
                       word##l(least) != word##l(most) ? jump : fabsl(word##l(v)) + 1};
        SMOOTH_FUNCTION_LIST(SMOOTH)
        STEPWISE_FUNCTION_LIST(STEPWISE)
    default: return a; /* ROUND: nothing is rounded here */
    }
}

static value compare(ir_op op, value a, value b)
{
    const real apart = fabsl(a.v - b.v);
    bool holds = a.v == b.v;

    if (op == IR_LT || op == IR_LE)
        holds = op == IR_LT ? a.v < b.v : a.v <= b.v;
    else if (op == IR_NE)
        holds = a.v != b.v;
    return (value){holds, apart <= near * (a.size + b.size) ? 1 : 0};
}

static value choose(value condition, value a, value b)
{
    const value taken = condition.v != 0 ? a : b;

    return condition.size == 0
               ? taken
               : (value){taken.v, a.size + b.size + jump * fabsl(a.v - b.v)};
}

static value operate(const ir_node *n, value a, value b, value c)
{
    switch (n->op) {
    case IR_ADD: return (value){a.v + b.v, a.size + b.size};
    case IR_SUB: return (value){a.v - b.v, a.size + b.size};
    case IR_MUL: return (value){a.v * b.v, a.size * b.size};
    case IR_FMA: return (value){a.v * b.v + c.v, a.size * b.size + c.size};
    case IR_DIV: return (value){a.v / b.v, a.size / fabsl(b.v) * (b.size / fabsl(b.v))};
    case IR_POW: return power(a, b);
    case IR_HYPOT: return (value){hypotl(a.v, b.v), a.size + b.size};
    case IR_ATAN2: {
        const real from = hypotl(a.v, b.v), v = atan2l(a.v, b.v);
        return (value){v, b.v < 0 && fabsl(a.v) <= near * a.size
                              ? jump
                              : fabsl(v) + (a.size + b.size) / from};
    }
    case IR_MOD: {
        const real q = a.v / b.v, size = (a.size + fabsl(q) * b.size) / fabsl(b.v);
        return (value){modl(a.v, b.v),
                       fabsl(q - rintl(q)) <= near * size ? jump : size * fabsl(b.v)};
    }
#define BITS(NAME, ...) case IR_##NAME:
        BIT_FUNCTION_LIST(BITS)
        return (value){a.v + b.v, jump}; /* numbers between integers have no bits */
    case IR_MIN:
    case IR_MAX: {
        const bool first = n->op == IR_MIN ? a.v < b.v : a.v > b.v;
        return (value){first ? a.v : b.v, a.size > b.size ? a.size : b.size};
    }
    case IR_LT:
    case IR_LE:
    case IR_EQ:
    case IR_NE: return compare(n->op, a, b);
    case IR_AND: return (value){a.v != 0 && b.v != 0, a.size + b.size > 0 ? 1 : 0};
    case IR_OR: return (value){a.v != 0 || b.v != 0, a.size + b.size > 0 ? 1 : 0};
    case IR_NOT: return (value){a.v == 0, a.size};
    case IR_EVEN: return (value){modl(a.v, 2) == 0, 0};
    case IR_SELECT: return choose(a, b, c);
    default: return function_value(n->op, a);
    }
}

/* ---- stages ------------------------------------------------------------------------ */

static void evaluate(const world *w, value *all)
{
    for (int64_t k = 0; k < w->stage->count; k++) {
        const ir_node *n = &w->stage->node[k];
        value arg[3] = {{0, 0}};
        for (int i = 0; i < ir_op_table[n->op].arguments; i++)
            arg[i] = all[n->arg[i]];
        if (n->op == IR_METRIC) /* a number for each index, which lies between integers */
            all[k] = leaf(mix(mix(mix(w->seed, 4), n->field), (int64_t)floorl(arg[0].v)));
        else
            all[k] = ir_op_table[n->op].arguments ? operate(n, arg[0], arg[1], arg[2])
                                                  : leaf_value(w, n);
    }
}

static pav_status evaluate_outputs(arena *a, const ir *code, const ir_stage *stage,
                                   uint64_t seed, real *result, real *magnitude)
{
    value *all = arena_alloc(a, stage->count + 1, sizeof *all);
    world w = {.code = code, .arena = a, .seed = seed};

    /* Between integers, so that comparisons and floors of indices are decided. */
    for (int axis = 0; axis < MAX_DIM; axis++)
        w.index[axis] = (real)(POINT + 3 * axis) + 0.3125L;
    if (stage->before >= 0) {
        const ir_stage *before = &code->stage[stage->before];
        value *uniform = arena_alloc(a, before->count + 1, sizeof *uniform);
        w.stage = before;
        evaluate(&w, uniform);
        w.before = before;
        w.uniform = uniform;
    }
    w.stage = stage;
    evaluate(&w, all);
    for (int64_t k = 0; k < stage->outputs; k++) {
        result[k] = all[stage->output[k].node].v;
        magnitude[k] = all[stage->output[k].node].size;
    }
    return PAV_OK;
}

pav_status ir_evaluate(const ir *code, const ir_stage *stage, uint64_t seed,
                       long double *result, long double *magnitude)
{
    RETURN_IN_ARENA(a, evaluate_outputs(a, code, stage, seed, result, magnitude));
}
