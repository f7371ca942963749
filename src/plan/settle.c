/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a sum is settled here. Terms of one weight are joined, a*p + a*q to a*(p + q); equal atoms
 * are merged; what depends on one index alone is added first, to become a table. When all weights are
 * rational the sum may take out its content and leave integers, which hold exactly: the weights of a
 * difference then cancel exactly on a constant. Of the orders possible (by weight or by plane, with
 * content or without) the one that costs least is built; by weight where they cost the same. */
#include <stdlib.h>
#include <string.h>

#include "plan/plan_private.h"

enum {
    MOST_CANDIDATES = 4,
};

static num size_of(num k)
{
    return num_compare(k, num_int(0)) < 0 ? num_neg(k) : k;
}

static bool is_zero(num k)
{
    return num_equal(k, num_int(0));
}

/* ---- terms in an order -------------------------------------------------------------------- */

typedef struct sorted {
    const term *term;
    int64_t index;
} sorted;

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_weight(const void *left, const void *right)
{
    const sorted *a = left, *b = right;
    int order = compare(a->term->value.factor, b->term->value.factor);

    if (order == 0)
        order = num_compare(size_of(a->term->value.k), size_of(b->term->value.k));
    return order ? order : compare(a->index, b->index);
}

static int by_node(const void *left, const void *right)
{
    const sorted *a = left, *b = right;
    int order = compare(a->term->value.node, b->term->value.node);

    order = order ? order : compare(a->term->value.factor, b->term->value.factor);
    return order ? order : compare(a->index, b->index);
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

/* Takes out terms whose weight was set to zero. */
static void compact(parts *p)
{
    int64_t left = 0;

    for (int64_t k = 0; k < p->count; k++)
        if (!is_zero(p->term[k].value.k))
            p->term[left++] = p->term[k];
    p->count = left;
}

static parts copy_parts(terms *l, const parts *p)
{
    parts copy = *p;

    copy.term = arena_alloc(l->code->arena, p->count + 1, sizeof *copy.term);
    copy.capacity = p->count + 1;
    memcpy(copy.term, p->term, (size_t)p->count * sizeof *copy.term);
    return copy;
}

/* ---- one weight, several sums ------------------------------------------------------------- */

static bool is_sum(const term *t)
{
    return t->parts && !t->parts->product;
}

/* Terms run[0..count) of p become one, where the first stands. */
static void join(terms *l, parts *p, const sorted *run, int64_t count)
{
    term *first = &p->term[run[0].index];
    parts *inner = parts_new(l, false);

    for (int64_t k = 0; k < count; k++) {
        term t = p->term[run[k].index];
        const bool minus = num_compare(t.value.k, num_int(0)) < 0;
        t.value.k = num_int(1);
        t.value.factor = -1;
        parts_take(l, inner, t, minus);
    }
    first->value.k = size_of(first->value.k);
    first->value.node = -1;
    first->parts = inner;
    for (int64_t k = 1; k < count; k++)
        p->term[run[k].index].value.k = num_int(0);
}

static bool is_joinable(const term *t)
{
    return (t->parts || t->value.node >= 0) && !scaled_is_unit(t->value);
}

static void join_equal_weights(terms *l, parts *p)
{
    const sorted *s = sort_terms(l, p, by_weight);
    sorted *run = arena_alloc(l->code->arena, p->count + 1, sizeof *run);
    int64_t count = 0, sums = 0;
    scaled weight = {0};

    for (int64_t k = 0; k <= p->count; k++) {
        if (k < p->count && !is_joinable(&p->term[s[k].index]))
            continue;
        const term *t = k < p->count ? &p->term[s[k].index] : NULL;
        const bool more = t && count > 0 && t->value.factor == weight.factor &&
                          num_equal(size_of(t->value.k), weight.k);
        if (!more) {
            if (count > 1 && sums > 0)
                join(l, p, run, count);
            count = sums = 0;
        }
        if (!t)
            break;
        weight = t->value;
        weight.k = size_of(weight.k);
        run[count++] = s[k];
        sums += is_sum(t);
    }
    compact(p);
}

/* ---- equal atoms -------------------------------------------------------------------------- */

/* Weights with different factors make one uniform. */
static void merge_weights(terms *l, term *into, const term *t)
{
    builder *b = &l->build;

    if (into->value.factor == t->value.factor) {
        into->value.k = num_add(into->value.k, t->value.k);
        return;
    }
    const bool minus = num_compare(t->value.k, num_int(0)) < 0;
    const int left = build_weight(b, into->value.k, into->value.factor);
    const int right = build_weight(b, size_of(t->value.k), t->value.factor);
    into->value.k = num_int(1);
    into->value.factor = build_op(b, minus ? IR_SUB : IR_ADD, left, right, -1);
}

static void merge_equal_atoms(terms *l, parts *p)
{
    sorted *s = sort_terms(l, p, by_node);

    for (int64_t k = 0, first = 0; k < p->count; k++) {
        term *t = &p->term[s[k].index];
        if (k == 0 || t->value.node != p->term[s[first].index].value.node) {
            first = k;
            continue;
        }
        term *into = &p->term[s[first].index];
        if (is_zero(into->value.k))
            *into = *t;
        else
            merge_weights(l, into, t);
        t->value.k = num_int(0);
    }
    compact(p);
}

/* ---- what depends on one index alone ------------------------------------------------------ */

static bool is_number(const term *t)
{
    return t->value.node < 0 && t->value.factor < 0;
}

static bool is_on_axis(terms *l, const term *t, int axis)
{
    return t->value.node >= 0 && t->value.factor < 0 &&
           term_depends(l, t->value.node) == (unsigned)ON_X << axis;
}

/* The numbers go with them. */
static void gather_axis(terms *l, parts *p, int axis)
{
    parts *own = parts_new(l, false);
    term *first = NULL;
    int64_t on_axis = 0, numbers = 0;

    for (int64_t k = 0; k < p->count; k++) {
        on_axis += is_on_axis(l, &p->term[k], axis);
        numbers += is_number(&p->term[k]);
    }
    if (on_axis == 0 || on_axis + numbers == p->count)
        return;
    for (int64_t k = 0; k < p->count; k++) {
        term *t = &p->term[k];
        if (!is_on_axis(l, t, axis) && !is_number(t))
            continue;
        parts_take(l, own, *t, false);
        first = first ? first : t;
        t->value.k = num_int(0);
    }
    scaled sum = term_settle_sum(l, own, false).value;
    if (!scaled_is_unit(sum))
        sum = (scaled){num_int(1), -1, build_scaled(&l->build, sum)};
    *first = (term){.value = sum};
    compact(p);
}

/* ---- the order ---------------------------------------------------------------------------- */

typedef struct candidate {
    bool by_plane;
    scaled outer; /* what is taken out; its node is not used */
    int64_t cost;
} candidate;

static void grow_ranks(terms *l)
{
    const int64_t ranks = 2 * l->alike.kinds;
    int64_t *ranked = arena_alloc(l->code->arena, ranks, sizeof *ranked);
    int *rank = arena_alloc(l->code->arena, ranks, sizeof *rank);

    if (l->ranks) {
        memcpy(ranked, l->ranked, (size_t)l->ranks * sizeof *ranked);
        memcpy(rank, l->rank, (size_t)l->ranks * sizeof *rank);
    }
    l->ranked = ranked;
    l->rank = rank;
    l->ranks = ranks;
}

/* Numbers the kinds of a sum in the order of their first appearance. */
static int rank_of(terms *l, int kind, int *next)
{
    if (kind >= l->ranks)
        grow_ranks(l);
    if (l->ranked[kind] != l->sums) {
        l->ranked[kind] = l->sums;
        l->rank[kind] = (*next)++;
    }
    return l->rank[kind];
}

/* A uniform term is a node from now on; a number stays without until its weight is known. */
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

/* Builds a candidate of items whose nodes are b's. They are changed. */
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
        v->node = build_const(b, size_of(v->k));
        v->k = num_int(num_compare(v->k, num_int(0)) < 0 ? -1 : 1);
    }
    scaled sum = c->by_plane ? sum_by_plane(b, slowest, item, count)
                             : sum_by_weight(b, item, count);
    sum.k = num_mul(sum.k, c->outer.k);
    sum.factor = sum.factor < 0 ? c->outer.factor : sum.factor;
    return sum;
}

/* Builds the sum apart, of loads that stand for its atoms, and counts. */
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
    const ir_output output = {.kind = IR_STORE, .node = sum.node};
    stage_add_output(apart, &stage, &output);
    c->cost = ir_stage_cost(apart, &stage).streamed;
    c->cost += absorbed || scaled_is_unit(sum) ? 0 : 1;
    return PAV_OK;
}

static void cost_candidate(terms *l, const summand *item, int64_t count, candidate *c,
                           bool absorbed)
{
    ir apart = *l->code;
    pav_status status = PAV_ENOMEM;

    apart.arena = arena_new();
    if (apart.arena)
        ARENA_GUARD(apart.arena, status, count_cost(&apart, item, count, c, absorbed));
    arena_free(apart.arena);
    if (status != PAV_OK)
        arena_fail(l->code->arena, status, "a sum is too long to be put in order");
}

/* Partial sums can pay where there are several planes and one of them holds several summands. */
static bool has_planes(const ir *code, const summand *item, int64_t count)
{
    const int axis = code->dim > 0 ? code->dim - 1 : 0;

    for (int64_t k = 1; k < count; k++)
        if (item[k].at[axis] != item[0].at[axis])
            return count > 3;
    return false;
}

static bool has_unit(const summand *item, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (scaled_is_unit(item[k].value))
            return true;
    return false;
}

/* Content is for sums of several weights, all known but for one factor of all. */
static bool find_content(const summand *item, int64_t count, scaled *content)
{
    bool several = false;

    for (int64_t k = 0; k < count; k++)
        several = several ||
                  !num_equal(size_of(item[k].value.k), size_of(item[0].value.k));
    content->factor = item[0].value.factor;
    return several && sum_content(item, count, &content->k) && !scaled_is_unit(*content);
}

static const scaled nothing = {.k = {.p = 1, .q = 1, .v = 1, .exact = true},
                               .factor = -1};

/* Where two cost the same the earlier is taken: by weight before by plane, and content stays inside
 * where some weight is 1 already. */
static int list_candidates(const ir *code, const summand *item, int64_t count,
                           candidate *c)
{
    scaled content = nothing;
    int found = 0;
    const bool two = find_content(item, count, &content);
    const bool unit = has_unit(item, count);

    for (int by_plane = 0; by_plane <= has_planes(code, item, count); by_plane++) {
        if (two)
            c[found++] = (candidate){by_plane, unit ? nothing : content, 0};
        c[found++] = (candidate){by_plane, two && unit ? content : nothing, 0};
    }
    return found;
}

static term put_in_order(terms *l, const parts *p, bool absorbed)
{
    candidate c[MOST_CANDIDATES];
    summand *item = make_summands(l, p);
    const int count = list_candidates(l->code, item, p->count, c);
    int best = 0;

    for (int k = 0; count > 1 && k < count; k++) {
        cost_candidate(l, item, p->count, &c[k], absorbed);
        best = c[k].cost < c[best].cost ? k : best;
    }
    return (term){.value = build_candidate(&l->build, item, p->count, &c[best])};
}

term term_settle_sum(terms *l, const parts *p, bool absorbed)
{
    parts own = copy_parts(l, p);

    join_equal_weights(l, &own);
    for (int64_t k = 0; k < own.count; k++)
        own.term[k] = term_settle(l, own.term[k], false);
    merge_equal_atoms(l, &own);
    for (int axis = 0; axis < MAX_DIM; axis++)
        gather_axis(l, &own, axis);
    if (own.count == 0)
        return term_number(num_int(0));
    return own.count == 1 ? own.term[0] : put_in_order(l, &own, absorbed);
}
