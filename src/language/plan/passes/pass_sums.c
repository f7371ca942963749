/* SPDX-License-Identifier: BSD-3-Clause */
/* sums: every sum and product of a stage is collected and rebuilt in the cheapest order.
 * Uniform stages are unchanged.
 *
 * Sums and products are collected before they are built, so that the factor of a sum is
 * known when its order is chosen. A sum is a list of terms k*factor*atom: k is an exact
 * number, factor a uniform expression, atom any other value. An inner sum is flattened if
 * it is read once and has weight 1 or -1. Factored expressions of the user stay factored:
 * u + a*(s - 6*u) keeps a constant exactly, and (1 - 6*a)*u + a*s does not. A product is
 * a list of factors in the written order, with numbers and uniforms moved to the front.
 * Factors of one index alone are multiplied with each other first, to become a table, and
 * absorb the number. Dividing by a uniform is multiplying by its reciprocal.
 *
 * The terms of a complete sum are gathered: terms of one weight are joined, a*p + a*q to
 * a*(p + q); equal atoms are merged; terms of one index alone are added first, to become
 * a table. Then the order is chosen. If all weights are rational, the sum may take out
 * its content and leave integers. Integers are exact, so the weights of a difference
 * cancel exactly on a constant. There are four possible orders: by weight or by plane
 * (sum_order.c), with content or without. The cheapest is built; by weight if costs are
 * equal. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_private.h"

enum {
    MAX_PARTS_DEPTH =
        48, /* depth of sums in products in sums ... not yet built; bounds recursion */
    MOST_CANDIDATES = 4,
};

/* The same value without parts. absorbed: its factor takes a constant at no cost. */
static term term_settle(terms *l, term t, bool absorbed);
static term term_settle_sum(terms *l, const parts *p, bool absorbed);
static int term_build(terms *l, term t)
{
    return build_scaled(&l->build, term_settle(l, t, false).value);
}

terms terms_open(ir *code, ir_stage *stage, bool seen_through)
{
    return (terms){.code = code,
                   .seen_through = seen_through,
                   .build = builder_open(code, stage),
                   .alike = alike_open(code->arena, ON_AXES)};
}

static unsigned term_depends(terms *l, int node)
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

static term term_number(num value)
{
    return make_term(value, -1, -1);
}

/* A node as an atom. */
term term_value(terms *l, int node)
{
    const bool uniform = (term_depends(l, node) & ~(unsigned)ON_UNIFORM) == 0;

    return make_term(num_int(1), uniform ? node : -1, uniform ? -1 : node);
}

static term term_negate(term t)
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

static parts *parts_new(terms *l, bool product)
{
    parts *p = arena_alloc(l->code->arena, 1, sizeof *p);

    p->product = product;
    return p;
}

static void append_term(terms *l, parts *p, term t)
{
    if (t.parts && t.parts->depth >= MAX_PARTS_DEPTH)
        t = term_settle(l, t, !scaled_is_unit(t.value));
    if (t.parts && t.parts->depth >= p->depth)
        p->depth = t.parts->depth + 1;
    ARENA_ADD(l->code->arena, p->term, p->count, p->capacity) = t;
}

/* Appends to a sum. */
static void parts_take(terms *l, parts *p, term t, bool minus)
{
    if (!is_inner_sum(t)) {
        append_term(l, p, minus ? term_negate(t) : t);
        return;
    }
    minus = minus != weight_is_minus(t.value.k);
    for (int64_t k = 0; k < t.parts->count; k++)
        append_term(l, p, minus ? term_negate(t.parts->term[k]) : t.parts->term[k]);
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
        append_term(l, p, t);
        return;
    }
    for (int64_t k = 0; k < t.parts->count; k++)
        append_term(l, p, t.parts->term[k]);
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

static term term_divide(terms *l, term a, term b)
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

/* ---- gathering: terms in an order -------------------------------------------------- */

typedef struct sorted {
    const term *term;
    int64_t index;
} sorted;

static int by_term_weight(const void *left, const void *right)
{
    const sorted *a = left, *b = right;
    int order = int_compare(a->term->value.factor, b->term->value.factor);

    if (order == 0)
        order = num_compare(weight_size(a->term->value.k), weight_size(b->term->value.k));
    return order ? order : int_compare(a->index, b->index);
}

static int by_term_node(const void *left, const void *right)
{
    const sorted *a = left, *b = right;
    int order = int_compare(a->term->value.node, b->term->value.node);

    order = order ? order : int_compare(a->term->value.factor, b->term->value.factor);
    return order ? order : int_compare(a->index, b->index);
}

static sorted *sort_terms(terms *l, const parts *p,
                          int (*order)(const void *, const void *))
{
    sorted *s = arena_alloc(l->code->arena, p->count + 1, sizeof *s);

    for (int64_t k = 0; k < p->count; k++)
        s[k] = (sorted){&p->term[k], k};
    qsort(s, (size_t)p->count, sizeof *s, order);
    return s;
}

/* Removes terms with weight zero. */
static void drop_zeros(parts *p)
{
    int64_t left = 0;

    assert(p->term || p->count == 0); /* parts with a count have terms */
    for (int64_t k = 0; k < p->count; k++)
        if (!num_is_zero(p->term[k].value.k))
            p->term[left++] = p->term[k];
    p->count = left;
}

/* ---- one weight, several sums ------------------------------------------------------ */

/* Terms run[0..count) of p become one, at the place of the first. */
static void join_terms(terms *l, parts *p, const sorted *run, int64_t count)
{
    term *first = &p->term[run[0].index];
    parts *inner = parts_new(l, false);

    for (int64_t k = 0; k < count; k++) {
        term t = p->term[run[k].index];
        const bool minus = weight_is_minus(t.value.k);
        t.value.k = num_int(1);
        t.value.factor = -1;
        parts_take(l, inner, t, minus);
    }
    first->value.k = weight_size(first->value.k);
    first->value.node = -1;
    first->parts = inner;
    for (int64_t k = 1; k < count; k++)
        p->term[run[k].index].value.k = num_int(0);
}

static void join_equal_weights(terms *l, parts *p)
{
    const sorted *s = sort_terms(l, p, by_term_weight);
    sorted *run = arena_alloc(l->code->arena, p->count + 1, sizeof *run);
    int64_t count = 0, sums = 0;
    scaled weight = {0};

    for (int64_t k = 0; k <= p->count; k++) {
        const term *t = k < p->count ? &p->term[s[k].index] : NULL;
        if (t && ((!t->parts && t->value.node < 0) || scaled_is_unit(t->value)))
            continue;
        const bool more = t && count > 0 && t->value.factor == weight.factor &&
                          num_equal(weight_size(t->value.k), weight.k);
        if (!more) {
            if (count > 1 && sums > 0)
                join_terms(l, p, run, count);
            count = sums = 0;
        }
        if (!t)
            break;
        weight = t->value;
        weight.k = weight_size(weight.k);
        run[count++] = s[k];
        sums += t->parts && !t->parts->product;
    }
    drop_zeros(p);
}

/* ---- equal atoms ------------------------------------------------------------------- */

/* Weights with different factors make one uniform. */
static void merge_weights(terms *l, term *into, const term *t)
{
    builder *b = &l->build;

    if (into->value.factor == t->value.factor) {
        into->value.k = num_add(into->value.k, t->value.k);
        return;
    }
    const bool minus = weight_is_minus(t->value.k);
    const int left = build_weight(b, into->value.k, into->value.factor),
              right = build_weight(b, weight_size(t->value.k), t->value.factor);
    into->value.k = num_int(1);
    into->value.factor = build_op(b, minus ? IR_SUB : IR_ADD, left, right, -1);
}

static void merge_equal_atoms(terms *l, parts *p)
{
    sorted *s = sort_terms(l, p, by_term_node);

    for (int64_t k = 0, first = 0; k < p->count; k++) {
        term *t = &p->term[s[k].index];
        if (k == 0 || t->value.node != p->term[s[first].index].value.node) {
            first = k;
            continue;
        }
        term *into = &p->term[s[first].index];
        if (num_is_zero(into->value.k))
            *into = *t;
        else
            merge_weights(l, into, t);
        t->value.k = num_int(0);
    }
    drop_zeros(p);
}

/* ---- terms of one index alone ------------------------------------------------------ */

static bool is_on_axis(terms *l, const term *t, int axis)
{
    return t->value.node >= 0 && t->value.factor < 0 &&
           term_depends(l, t->value.node) == (unsigned)ON_X << axis;
}

/* Moves the terms of one axis into one table, together with the numbers. */
static void gather_axis(terms *l, parts *p, int axis)
{
    parts *own = parts_new(l, false);
    int64_t on_axis = 0, numbers = 0, first = 0;

    for (int64_t k = p->count; k-- > 0;) {
        const bool here = is_on_axis(l, &p->term[k], axis);
        on_axis += here;
        numbers += is_number(p->term[k]);
        first = here ? k : first;
    }
    if (on_axis == 0 || on_axis + numbers == p->count)
        return;
    for (int64_t k = 0; k < p->count; k++) {
        term *t = &p->term[k];
        if (!is_on_axis(l, t, axis) && !is_number(*t))
            continue;
        parts_take(l, own, *t, false);
        t->value.k = num_int(0);
    }
    scaled sum = term_settle_sum(l, own, false).value;
    if (!scaled_is_unit(sum))
        sum = (scaled){num_int(1), -1, build_scaled(&l->build, sum)};
    p->term[first] = (term){.value = sum};
    drop_zeros(p);
}

/* Joins and merges; afterwards no term has parts. */
static void parts_gather(terms *l, parts *p)
{
    join_equal_weights(l, p);
    for (int64_t k = 0; k < p->count; k++)
        p->term[k] = term_settle(l, p->term[k], false);
    merge_equal_atoms(l, p);
    for (int axis = 0; axis < MAX_DIM; axis++)
        gather_axis(l, p, axis);
}

/* ---- the order of a sum ------------------------------------------------------------ */

typedef struct candidate {
    bool by_plane;
    scaled outer; /* the factor taken out; its node is not used */
    int64_t cost;
} candidate;

/* Numbers the kinds of a sum in the order of their first appearance. */
static int rank_of(terms *l, int kind, int *next)
{
    for (; l->ranks <= kind; l->ranks++)
        arena_reserve(l->code->arena, &l->rank, l->ranks, &l->rank_room, sizeof *l->rank);
    struct sum_rank *r = &l->rank[kind];
    if (r->sum != l->sums)
        *r = (struct sum_rank){l->sums, (*next)++};
    return r->rank;
}

/* A uniform term becomes a node; a number stays without a node until its weight is
 * known. */
static summand *make_summands(terms *l, const parts *p)
{
    summand *item = arena_alloc(l->code->arena, p->count, sizeof *item);
    int next = 0;

    l->sums++;
    for (int64_t k = 0; k < p->count; k++) {
        scaled v = p->term[k].value;
        if (v.node < 0 && v.factor >= 0)
            v = (scaled){num_int(1), -1, build_weight(&l->build, v.k, v.factor)};
        item[k].value = v;
        alike_update(&l->alike, l->build.stage);
        if (v.node >= 0) {
            const alike_place *where = &l->alike.node[v.node];
            item[k].kind = rank_of(l, where->kind, &next);
            memcpy(item[k].at, where->at, sizeof where->at);
        } else {
            item[k].kind = next++;
        }
    }
    return item;
}

/* Builds a candidate from items with nodes of `b`. The items are changed. */
static scaled build_candidate(builder *b, summand *item, int64_t count,
                              const candidate *c)
{
    const int slowest = b->code->dim > 0 ? b->code->dim - 1 : 0;

    for (int64_t k = 0; k < count; k++) {
        scaled *v = &item[k].value;
        v->k = num_div(v->k, c->outer.k);
        v->factor = v->factor == c->outer.factor ? -1 : v->factor;
        if (v->node >= 0)
            continue;
        v->node = build_const(b, weight_size(v->k));
        v->k = num_int(weight_is_minus(v->k) ? -1 : 1);
    }
    scaled sum = c->by_plane ? sum_by_plane(b, slowest, item, count)
                             : sum_by_weight(b, item, count);
    sum.k = num_mul(sum.k, c->outer.k);
    sum.factor = sum.factor < 0 ? c->outer.factor : sum.factor;
    return sum;
}

/* Builds the sum separately, with loads in place of its atoms, and counts its cost. */
static pav_status count_cost(ir *apart, const summand *item, int64_t count, candidate *c,
                             bool absorbed)
{
    ir_stage stage = {.real = PAV_F64, .before = -1};
    builder b = builder_open(apart, &stage);
    summand *copy = arena_alloc(apart->arena, count, sizeof *copy);
    candidate own = *c;

    for (int64_t k = 0; k < count; k++) {
        ir_node n = node_blank(IR_LOAD);
        n.field = item[k].kind;
        memcpy(n.offset, item[k].at, sizeof n.offset);
        copy[k] = item[k];
        if (item[k].value.node >= 0)
            copy[k].value.node = build_node(&b, &n);
        if (item[k].value.factor >= 0)
            copy[k].value.factor = build_uniform(&b, item[k].value.factor);
    }
    if (c->outer.factor >= 0)
        own.outer.factor = build_uniform(&b, c->outer.factor);
    const scaled sum = build_candidate(&b, copy, count, &own);
    stage_add_output(apart, &stage, &(ir_output){.kind = IR_STORE, .node = sum.node});
    c->cost = cost_or_fail(apart, &stage, apart->arena).streamed;
    c->cost += absorbed || scaled_is_unit(sum) ? 0 : 1;
    return PAV_OK;
}

static void cost_candidate(terms *l, const summand *item, int64_t count, candidate *c,
                           bool absorbed)
{
    ir apart = *l->code;
    pav_status status;

    apart.arena = arena_new();
    ARENA_GUARD(apart.arena, status, count_cost(&apart, item, count, c, absorbed));
    arena_free(apart.arena);
    if (status != PAV_OK)
        arena_fail(l->code->arena, status, "memory ran out while a sum was ordered");
}

/* Partial sums can pay if there are several planes, and one of them has several
 * summands. */
static bool has_planes(const ir *code, const summand *item, int64_t count)
{
    const int axis = code->dim > 0 ? code->dim - 1 : 0;

    for (int64_t k = 1; k < count; k++)
        if (item[k].at[axis] != item[0].at[axis])
            return count > 3;
    return false;
}

static const scaled nothing = {.k = {.p = 1, .q = 1, .v = 1, .exact = true},
                               .factor = -1};

/* Builds the cheapest order of the sum. Candidates of equal cost: the first one wins, so
 * summing by weight wins over summing by plane.
 *
 * A common content (a factor of all weights) is tried only for sums with several
 * different weights, known except for one common factor. If some weight is already 1,
 * both choices are tried the other way round: content inside the sum first. */
static term put_in_order(terms *l, const parts *p, bool absorbed)
{
    candidate c[MOST_CANDIDATES];
    summand *item = make_summands(l, p);
    scaled content = nothing;
    bool unit = false, several = false;
    int count = 0, best = 0;

    for (int64_t k = 0; k < p->count; k++) {
        const scaled *v = &item[k].value;
        unit = unit || scaled_is_unit(*v);
        several = several || !num_equal(weight_size(v->k), weight_size(item[0].value.k));
    }
    content.factor = item[0].value.factor;
    const bool two = several && sum_content(item, p->count, &content.k) &&
                     !scaled_is_unit(content);
    for (int by_plane = 0; by_plane <= has_planes(l->code, item, p->count); by_plane++) {
        if (two)
            c[count++] = (candidate){by_plane, unit ? nothing : content, 0};
        c[count++] = (candidate){by_plane, two && unit ? content : nothing, 0};
    }
    for (int k = 0; count > 1 && k < count; k++) {
        cost_candidate(l, item, p->count, &c[k], absorbed);
        best = c[k].cost < c[best].cost ? k : best;
    }
    return (term){.value = build_candidate(&l->build, item, p->count, &c[best])};
}

static term term_settle_sum(terms *l, const parts *p, bool absorbed)
{
    parts own = *p; /* with its own terms: gathering changes them */

    own.term = arena_alloc(l->code->arena, p->count + 1, sizeof *own.term);
    own.capacity = p->count + 1;
    memcpy(own.term, p->term, (size_t)p->count * sizeof *own.term);
    parts_gather(l, &own);
    return own.count == 0   ? term_number(num_int(0))
           : own.count == 1 ? own.term[0]
                            : put_in_order(l, &own, absorbed);
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

static term term_settle(terms *l, term t, bool absorbed)
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

/* The same value, prepared for several readers. */
static term term_share(terms *l, term t)
{
    if (is_plain(t) || (!t.parts && scaled_is_unit(t.value)))
        return t;
    l->shared = l->shared || !t.parts;
    if (l->seen_through && !t.parts)
        return t;
    const scaled v = term_settle(l, t, false).value;
    return v.node < 0          ? (term){.value = v}
           : scaled_is_unit(v) ? make_term(v.k, -1, v.node)
                               : make_term(num_int(1), -1, build_scaled(&l->build, v));
}

/* ---- the pass ---------------------------------------------------------------------- */

/* A node with built arguments, other than a sum or product. */
static term copy_node(terms *l, const ir_node *n, const term *value)
{
    ir_node made = *n;

    for (int k = 0; k < ir_op_table[n->op].arguments; k++)
        made.arg[k] = term_build(l, value[n->arg[k]]);
    return term_value(l, build_node(&l->build, &made));
}

static term take_node(terms *l, const ir_stage *old, const ir_node *n, const term *value)
{
    switch (n->op) {
    case IR_CONST: return term_number(n->value);
    case IR_NEG: return term_negate(value[n->arg[0]]);
    case IR_ADD: return term_add(l, value[n->arg[0]], value[n->arg[1]]);
    case IR_SUB: return term_add(l, value[n->arg[0]], term_negate(value[n->arg[1]]));
    case IR_MUL: return term_multiply(l, value[n->arg[0]], value[n->arg[1]]);
    case IR_DIV:
        if (is_coordinate(old, n->arg[0], n->arg[1]))
            return copy_node(l, n, value);
        return term_divide(l, value[n->arg[0]], value[n->arg[1]]);
    default: return copy_node(l, n, value);
    }
}

static bool rebuild_sums(ir *code, int stage, bool seen_through)
{
    arena *a = code->arena;
    ir_stage *s = &code->stage[stage];
    const ir_stage old = *s;
    const bool *live = stage_live(&old, a);
    int *uses = arena_alloc(a, old.count + 1, sizeof *uses);
    term *value = arena_alloc(a, old.count + 1, sizeof *value);
    terms l = terms_open(code, s, seen_through);

    for (int64_t k = 0; k < old.outputs; k++)
        uses[old.output[k].node]++;
    for (int64_t k = 0; k < old.count; k++)
        for (int i = 0; live[k] && i < ir_op_table[old.node[k].op].arguments; i++)
            uses[old.node[k].arg[i]]++;
    for (int64_t k = 0; k < old.count; k++) {
        if (live[k])
            value[k] = take_node(&l, &old, &old.node[k], value);
        if (uses[k] > 1)
            value[k] = term_share(&l, value[k]);
    }
    /* with outputs of its own: the old version may be restored */
    s->output = arena_alloc(a, old.outputs + 1, sizeof *s->output);
    s->output_capacity = old.outputs + 1;
    for (int64_t k = 0; k < old.outputs; k++) {
        s->output[k] = old.output[k];
        s->output[k].node = term_build(&l, value[old.output[k].node]);
    }
    stage_sweep(code, s);
    return l.shared;
}

/* Tries two versions of the stage and takes the cheaper one. If two sums read 2*u, the
 * first version repeats 2*u as a weight in each sum: there it may merge with other
 * weights, and it costs nothing in an fma. The second version keeps 2*u as a shared
 * node. */
void pass_sums(ir *code, int stage)
{
    ir_stage *s = &code->stage[stage];
    const ir_stage old = *s;

    if (ir_is_uniform(s))
        return;
    const bool shared = rebuild_sums(code, stage, true);
    ir_stage best = *s;
    int64_t least = cost_or_fail(code, s, code->arena).streamed;
    if (shared) {
        *s = old;
        rebuild_sums(code, stage, false);
        const int64_t cost = cost_or_fail(code, s, code->arena).streamed;
        best = cost < least ? *s : best;
        least = int64_least(cost, least);
    }
    *s = least <= cost_or_fail(code, &old, code->arena).streamed ? best : old;
}
