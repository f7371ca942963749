/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the order of a sum. If all weights are rational, the sum may take out its
 * content and leave integers. Integers are exact, so the weights of a difference cancel
 * exactly on a constant. There are four possible orders: by weight or by plane, with
 * content or without. The cheapest is built; by weight if costs are equal. */
#include <string.h>

#include "plan/plan_private.h"

enum {
    MOST_CANDIDATES = 4,
};

/* ---- the order --------------------------------------------------------------------- */

typedef struct candidate {
    bool by_plane;
    scaled outer; /* the factor taken out; its node is not used */
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
    const ir_output output = {.kind = IR_STORE, .node = sum.node};
    stage_add_output(apart, &stage, &output);
    c->cost = cost_or_fail(apart, &stage, apart->arena).streamed;
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
        arena_fail(l->code->arena, status, "there is no memory to order a sum");
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

static bool has_unit(const summand *item, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (scaled_is_unit(item[k].value))
            return true;
    return false;
}

/* Content is for sums of several different weights, known except for one common
 * factor. */
static bool find_content(const summand *item, int64_t count, scaled *content)
{
    bool several = false;

    for (int64_t k = 0; k < count; k++)
        several = several ||
                  !num_equal(weight_size(item[k].value.k), weight_size(item[0].value.k));
    content->factor = item[0].value.factor;
    return several && sum_content(item, count, &content->k) && !scaled_is_unit(*content);
}

static const scaled nothing = {.k = {.p = 1, .q = 1, .v = 1, .exact = true},
                               .factor = -1};

/* If two cost the same, the earlier candidate is taken: by weight before by plane.
 * Content stays inside if some weight is already 1. */
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

static parts copy_parts(terms *l, const parts *p)
{
    parts copy = *p;

    copy.term = arena_alloc(l->code->arena, p->count + 1, sizeof *copy.term);
    copy.capacity = p->count + 1;
    memcpy(copy.term, p->term, (size_t)p->count * sizeof *copy.term);
    return copy;
}

term term_settle_sum(terms *l, const parts *p, bool absorbed)
{
    parts own = copy_parts(l, p);

    parts_gather(l, &own);
    if (own.count == 0)
        return term_number(num_int(0));
    return own.count == 1 ? own.term[0] : put_in_order(l, &own, absorbed);
}
