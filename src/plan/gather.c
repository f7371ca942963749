/* SPDX-License-Identifier: BSD-3-Clause */
/* The terms of a complete sum. Terms of one weight are joined, a*p + a*q to a*(p + q);
 * equal atoms are merged; terms of one index alone are added first, to become a table. */
#include <stdlib.h>

#include "plan/plan_private.h"

/* ---- terms in an order ------------------------------------------------------------- */

typedef struct sorted {
    const term *term;
    int64_t index;
} sorted;

static int by_weight(const void *left, const void *right)
{
    const sorted *a = left, *b = right;
    int order = int_compare(a->term->value.factor, b->term->value.factor);

    if (order == 0)
        order = num_compare(weight_size(a->term->value.k), weight_size(b->term->value.k));
    return order ? order : int_compare(a->index, b->index);
}

static int by_node(const void *left, const void *right)
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
static void compact(parts *p)
{
    int64_t left = 0;

    for (int64_t k = 0; k < p->count; k++)
        if (!num_is_zero(p->term[k].value.k))
            p->term[left++] = p->term[k];
    p->count = left;
}

/* ---- one weight, several sums ------------------------------------------------------ */

static bool is_sum(const term *t)
{
    return t->parts && !t->parts->product;
}

/* Terms run[0..count) of p become one, at the place of the first. */
static void join(terms *l, parts *p, const sorted *run, int64_t count)
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
                          num_equal(weight_size(t->value.k), weight.k);
        if (!more) {
            if (count > 1 && sums > 0)
                join(l, p, run, count);
            count = sums = 0;
        }
        if (!t)
            break;
        weight = t->value;
        weight.k = weight_size(weight.k);
        run[count++] = s[k];
        sums += is_sum(t);
    }
    compact(p);
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
    const int left = build_weight(b, into->value.k, into->value.factor);
    const int right = build_weight(b, weight_size(t->value.k), t->value.factor);
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
        if (num_is_zero(into->value.k))
            *into = *t;
        else
            merge_weights(l, into, t);
        t->value.k = num_int(0);
    }
    compact(p);
}

/* ---- terms of one index alone ------------------------------------------------------ */

static bool is_number(const term *t)
{
    return t->value.node < 0 && t->value.factor < 0;
}

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
        numbers += is_number(&p->term[k]);
        first = here ? k : first;
    }
    if (on_axis == 0 || on_axis + numbers == p->count)
        return;
    for (int64_t k = 0; k < p->count; k++) {
        term *t = &p->term[k];
        if (!is_on_axis(l, t, axis) && !is_number(t))
            continue;
        parts_take(l, own, *t, false);
        t->value.k = num_int(0);
    }
    scaled sum = term_settle_sum(l, own, false).value;
    if (!scaled_is_unit(sum))
        sum = (scaled){num_int(1), -1, build_scaled(&l->build, sum)};
    p->term[first] = (term){.value = sum};
    compact(p);
}

void parts_gather(terms *l, parts *p)
{
    join_equal_weights(l, p);
    for (int64_t k = 0; k < p->count; k++)
        p->term[k] = term_settle(l, p->term[k], false);
    merge_equal_atoms(l, p);
    for (int axis = 0; axis < MAX_DIM; axis++)
        gather_axis(l, p, axis);
}
