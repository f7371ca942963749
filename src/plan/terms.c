/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums and products are collected before they are built, so that the factor of a sum is
 * known when its order is chosen (settle.c). A sum is a list of terms k*factor*atom: k is
 * an exact number, factor a uniform expression, atom any other value. An inner sum is
 * flattened if it is read once and has weight 1 or -1. Factored expressions of the user
 * stay factored: u + a*(s - 6*u) keeps a constant exactly, and (1 - 6*a)*u + a*s does
 * not. A product is a list of factors in the written order, with numbers and uniforms
 * moved to the front. Factors of one index alone are multiplied with each other first, to
 * become a table, and absorb the number. Dividing by a uniform is multiplying by its
 * reciprocal. */
#include <math.h>

#include "plan/plan_private.h"

enum {
    MAX_PARTS_DEPTH =
        48, /* depth of sums in products in sums ... not yet built; bounds recursion */
};

terms terms_open(ir *code, ir_stage *stage, bool seen_through)
{
    return (terms){.code = code,
                   .seen_through = seen_through,
                   .build = builder_open(code, stage),
                   .alike = alike_open(code->arena, ON_AXES)};
}

unsigned term_depends(terms *l, int node)
{
    const ir_stage *s = l->build.stage;

    for (; l->depended < s->count; l->depended++) {
        arena_reserve(l->code->arena, &l->depends, l->depended, &l->depend_capacity, 1);
        l->depends[l->depended] = (unsigned char)node_depends(
            l->code, &s->node[l->depended], l->depends);
    }
    return l->depends[node];
}

/* ---- terms ------------------------------------------------------------------------- */

static term make_term(num k, int factor, int node)
{
    return (term){.value = {k, factor, node}};
}

term term_number(num value)
{
    return make_term(value, -1, -1);
}

term term_value(terms *l, int node)
{
    const bool uniform = (term_depends(l, node) & ~(unsigned)ON_UNIFORM) == 0;

    return make_term(num_int(1), uniform ? node : -1, uniform ? -1 : node);
}

term term_negate(term t)
{
    t.value.k = num_neg(t.value.k);
    return t;
}

/* A number or a uniform: constant over all points. */
static bool is_plain(term t)
{
    return !t.parts && t.value.node < 0;
}

static bool is_number(term t)
{
    return is_plain(t) && t.value.factor < 0;
}

/* A sum inside a sum. */
static bool is_inner_sum(term t)
{
    return t.parts && !t.parts->product && scaled_is_unit(t.value);
}

static int multiply_factors(terms *l, int a, int b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return build_op(&l->build, IR_MUL, a, b, -1);
}

static int divide_factors(terms *l, int a, int b)
{
    if (b < 0)
        return a;
    a = a < 0 ? build_const(&l->build, num_int(1)) : a;
    return build_op(&l->build, IR_DIV, a, b, -1);
}

/* ---- parts ------------------------------------------------------------------------- */

parts *parts_new(terms *l, bool product)
{
    parts *p = arena_alloc(l->code->arena, 1, sizeof *p);

    p->product = product;
    return p;
}

static void append(terms *l, parts *p, term t)
{
    if (t.parts && t.parts->depth >= MAX_PARTS_DEPTH)
        t = term_settle(l, t, !scaled_is_unit(t.value));
    if (t.parts && t.parts->depth >= p->depth)
        p->depth = t.parts->depth + 1;
    arena_reserve(l->code->arena, &p->term, p->count, &p->capacity, sizeof *p->term);
    p->term[p->count++] = t;
}

void parts_take(terms *l, parts *p, term t, bool minus)
{
    if (!is_inner_sum(t)) {
        append(l, p, minus ? term_negate(t) : t);
        return;
    }
    minus = minus != weight_is_minus(t.value.k);
    for (int64_t k = 0; k < t.parts->count; k++)
        append(l, p, minus ? term_negate(t.parts->term[k]) : t.parts->term[k]);
}

static term opaque(terms *l, ir_op op, term a, term b)
{
    const int left = term_build(l, a);

    return term_value(l, build_op(&l->build, op, left, term_build(l, b), -1));
}

/* The longer of two sums absorbs the other, so that the cost of a long chain is
 * proportional to its length. */
term term_add(terms *l, term a, term b)
{
    if (is_plain(a) && is_plain(b))
        return opaque(l, IR_ADD, a, b);
    if (is_inner_sum(b) && (!is_inner_sum(a) || a.parts->count < b.parts->count)) {
        const term other = a;
        a = b;
        b = other;
    }
    if (is_inner_sum(a)) {
        parts_take(l, a.parts, b, weight_is_minus(a.value.k));
        return a;
    }
    term sum = {.value = {num_int(1), -1, -1}, .parts = parts_new(l, false)};
    parts_take(l, sum.parts, a, false);
    parts_take(l, sum.parts, b, false);
    return sum;
}

static bool is_zero(term t)
{
    return num_is_zero(t.value.k);
}

static bool is_usable(num k)
{
    return isnormal(num_f64(k));
}

static void append_factor(terms *l, parts *p, term t)
{
    t.value.k = num_int(1);
    t.value.factor = -1;
    if (!t.parts || !t.parts->product) {
        append(l, p, t);
        return;
    }
    for (int64_t k = 0; k < t.parts->count; k++)
        append(l, p, t.parts->term[k]);
}

term term_multiply(terms *l, term a, term b)
{
    term t = {.value = {num_mul(a.value.k, b.value.k),
                        multiply_factors(l, a.value.factor, b.value.factor), -1}};

    if ((is_number(a) && is_number(b)) || is_zero(a) || is_zero(b))
        return term_number(t.value.k);
    if (!is_usable(t.value.k))
        return opaque(l, IR_MUL, a, b);
    if (is_plain(a) || is_plain(b)) {
        t.value.node = is_plain(a) ? b.value.node : a.value.node;
        t.parts = is_plain(a) ? b.parts : a.parts;
        return t;
    }
    t.parts = parts_new(l, true);
    append_factor(l, t.parts, a);
    append_factor(l, t.parts, b);
    return t;
}

/* The weights of a quotient of values move in front of it. */
static term divide_values(terms *l, term a, term b)
{
    const bool absorbed = !scaled_is_unit(a.value) || !scaled_is_unit(b.value);
    const scaled below = term_settle(l, b, absorbed).value;
    scaled above = term_settle(l, a, absorbed).value;
    const num k = num_div(above.k, below.k);

    if (num_is_zero(above.k))
        return term_number(above.k);
    if (!is_usable(k))
        return opaque(l, IR_DIV, (term){.value = above}, (term){.value = below});
    if (above.node < 0) {
        const int factor = divide_factors(l, above.factor, below.factor);
        const int top = build_weight(&l->build, k, factor);
        return make_term(num_int(1), -1,
                         build_op(&l->build, IR_DIV, top, below.node, -1));
    }
    return make_term(k, divide_factors(l, above.factor, below.factor),
                     build_op(&l->build, IR_DIV, above.node, below.node, -1));
}

term term_divide(terms *l, term a, term b)
{
    const num k = is_plain(b) ? num_div(a.value.k, b.value.k) : num_int(1);

    if (!is_plain(b))
        return divide_values(l, a, b);
    if (!is_usable(k) || (b.value.factor < 0 && is_plain(a)))
        return opaque(l, IR_DIV, a, b);
    a.value.k = k;
    a.value.factor = divide_factors(l, a.value.factor, b.value.factor);
    return a;
}

/* ---- building ---------------------------------------------------------------------- */

static bool is_axis_only(terms *l, term t)
{
    const unsigned on = t.parts ? ON_POINT : term_depends(l, t.value.node);

    return on == ON_X || on == ON_X << 1 || on == ON_X << 2;
}

static int multiply_in(terms *l, int product, int node)
{
    return product < 0 ? node : build_op(&l->build, IR_MUL, product, node, -1);
}

/* Multiplies the factors of each axis to a table. The first table absorbs the number. */
static int multiply_axes(terms *l, const parts *p, num *k)
{
    int all = -1;

    for (int axis = 0; axis < MAX_DIM; axis++) {
        int one = -1;
        for (int64_t i = 0; i < p->count; i++)
            if (term_depends(l, p->term[i].value.node) == (unsigned)ON_X << axis)
                one = multiply_in(l, one, p->term[i].value.node);
        if (one >= 0 && !num_equal(*k, num_int(1))) {
            one = build_scaled(&l->build, (scaled){*k, -1, one});
            *k = num_int(1);
        }
        all = one < 0 ? all : multiply_in(l, all, one);
    }
    return all;
}

static term settle_product(terms *l, term t, bool absorbed)
{
    parts *p = t.parts;
    scaled v = t.value;

    for (int64_t k = 0; k < p->count; k++)
        absorbed = absorbed || is_axis_only(l, p->term[k]);
    for (int64_t k = 0; k < p->count; k++) {
        const scaled one = term_settle(l, p->term[k], absorbed || !scaled_is_unit(v))
                               .value;
        v.k = num_mul(v.k, one.k);
        v.factor = multiply_factors(l, v.factor, one.factor);
        p->term[k] = make_term(num_int(1), -1, one.node);
    }
    if (num_is_zero(v.k))
        return term_number(v.k);
    v.node = multiply_axes(l, p, &v.k);
    for (int64_t k = 0; k < p->count; k++)
        if (p->term[k].value.node >= 0 && !is_axis_only(l, p->term[k]))
            v.node = multiply_in(l, v.node, p->term[k].value.node);
    return (term){.value = v};
}

term term_settle(terms *l, term t, bool absorbed)
{
    if (!t.parts)
        return t;
    if (t.parts->product)
        return settle_product(l, t, absorbed || !scaled_is_unit(t.value));
    term sum = term_settle_sum(l, t.parts, absorbed || !scaled_is_unit(t.value));
    sum.value.k = num_mul(t.value.k, sum.value.k);
    sum.value.factor = multiply_factors(l, t.value.factor, sum.value.factor);
    return sum;
}

int term_build(terms *l, term t)
{
    return build_scaled(&l->build, term_settle(l, t, false).value);
}

term term_share(terms *l, term t)
{
    if (is_plain(t) || (!t.parts && scaled_is_unit(t.value)))
        return t;
    l->shared = l->shared || !t.parts;
    if (l->seen_through && !t.parts)
        return t;
    const scaled v = term_settle(l, t, false).value;
    if (v.node < 0)
        return (term){.value = v};
    if (scaled_is_unit(v))
        return make_term(v.k, -1, v.node);
    return make_term(num_int(1), -1, build_scaled(&l->build, v));
}
