/* SPDX-License-Identifier: BSD-3-Clause */
/* Two orders of a weighted sum.
 *
 * By weight: summands of equal |weight| are added first and multiplied once. Within one
 * weight, mirror images are paired: x- with x+, then y- with y+, then z, about the middle
 * of the group; then classes of equal distance are chained, the slowest axis last. So a
 * symmetric sum gives the same bits on mirrored data, and an antisymmetric sum the exact
 * negative, about points and about half points. The order depends only on kinds and
 * relative places: sums equal up to a shift are built equally.
 *
 * The order of weights is: first 1 and -1, because they cost nothing and products are
 * later fused to them; then by kind, by the extent of the group, and by place. If no two
 * weights are equal and all summands are of one kind, the order is that of memory, plane
 * by plane and row by row.
 *
 * By plane: each plane across the slowest axis is summed first, in the same way for
 * planes equal up to a shift and a factor. A sweep along this axis then computes such a
 * partial sum once and reads it again some planes later. The symmetric 27-point operator
 * is (S(-1) + S(+1)) + S(0); both kinds of S share their sums of four: 18 operations, not
 * 30. If planes are multiples of each other, they get coprime integers as weights inside,
 * if such integers exist. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "plan/plan_private.h"

enum {
    LARGEST_WEIGHT = 1 << 20, /* exactly representable in either type */
};

/* A node with its sign in the sum. */
typedef struct signed_node {
    int node;
    bool minus;
} signed_node;

/* All summands of one |weight|. */
typedef struct group {
    scaled weight; /* k > 0 */
    int kind, span[MAX_DIM], at[MAX_DIM];
    signed_node sum;
} group;

/* Summands of one kind and weight, paired step by step. */
typedef struct image {
    int d[MAX_DIM];  /* twice the distance from the middle */
    unsigned paired; /* bits of the axes along which it is a pair */
    signed_node sum;
} image;

bool weight_is_minus(num k)
{
    return num_compare(k, num_int(0)) < 0;
}

num weight_size(num k)
{
    return weight_is_minus(k) ? num_neg(k) : k;
}

bool scaled_is_unit(scaled v)
{
    return v.factor < 0 && num_equal(weight_size(v.k), num_int(1));
}

int build_weight(builder *b, num k, int factor)
{
    if (factor < 0)
        return build_const(b, k);
    return num_equal(k, num_int(1)) ? factor
           : num_equal(k, num_int(-1))
               ? build_op(b, IR_NEG, factor, -1, -1)
               : build_op(b, IR_MUL, build_const(b, k), factor, -1);
}

int build_scaled(builder *b, scaled v)
{
    if (v.node < 0)
        return build_weight(b, v.k, v.factor);
    return !scaled_is_unit(v)
               ? build_op(b, IR_MUL, build_weight(b, v.k, v.factor), v.node, -1)
           : weight_is_minus(v.k) ? build_op(b, IR_NEG, v.node, -1, -1)
                                  : v.node;
}

static signed_node add_signed(builder *b, signed_node a, signed_node c)
{
    return a.minus == c.minus
               ? (signed_node){build_op(b, IR_ADD, a.node, c.node, -1), a.minus}
           : a.minus ? (signed_node){build_op(b, IR_SUB, c.node, a.node, -1), false}
                     : (signed_node){build_op(b, IR_SUB, a.node, c.node, -1), false};
}

/* ---- one kind and weight ----------------------------------------------------------- */

/* Compares the slowest axis first. */
static int compare_places(const int *a, const int *b)
{
    for (int axis = MAX_DIM; axis-- > 0;)
        if (a[axis] != b[axis])
            return a[axis] < b[axis] ? -1 : 1;
    return 0;
}

/* Brings together images that mirror each other along an axis. */
static int compare_mirrored(const image *a, const image *b, int axis)
{
    int order = int_compare(a->paired, b->paired);

    for (int other = 0; other < MAX_DIM && order == 0; other++)
        if (other != axis)
            order = int_compare(a->d[other], b->d[other]);
    return order ? order : int_compare(abs(a->d[axis]), abs(b->d[axis]));
}

static int by_mirror(const void *left, const void *right, void *along)
{
    const image *a = left, *b = right;
    const int axis = *(const int *)along, order = compare_mirrored(a, b, axis);

    return order ? order : int_compare(a->d[axis], b->d[axis]);
}

static int64_t pair_along(builder *b, int axis, image *item, int64_t count)
{
    int64_t left = 0;

    qsort_r(item, (size_t)count, sizeof *item, by_mirror, &axis);
    for (int64_t k = 0; k < count; k++) {
        image one = item[k];
        if (k + 1 < count && compare_mirrored(&one, &item[k + 1], axis) == 0) {
            one = item[++k];
            one.sum = add_signed(b, one.sum, item[k - 1].sum);
            one.paired |= 1u << axis;
        }
        item[left++] = one;
    }
    return left;
}

static int by_class(const void *left, const void *right)
{
    const image *a = left, *b = right;

    for (int axis = MAX_DIM; axis-- > 0;)
        if (abs(a->d[axis]) != abs(b->d[axis]))
            return abs(a->d[axis]) < abs(b->d[axis]) ? -1 : 1;
    return compare_places(a->d, b->d);
}

static signed_node sum_kind(builder *b, const summand *item, int64_t count)
{
    int middle[MAX_DIM];

    if (count == 1)
        return (signed_node){item->value.node, weight_is_minus(item->value.k)};
    image *images = arena_alloc(b->code->arena, count, sizeof *images);
    for (int axis = 0; axis < MAX_DIM; axis++) {
        int least = item[0].at[axis], most = least;
        for (int64_t k = 1; k < count; k++) {
            least = item[k].at[axis] < least ? item[k].at[axis] : least;
            most = item[k].at[axis] > most ? item[k].at[axis] : most;
        }
        middle[axis] = least + most;
    }
    for (int64_t k = 0; k < count; k++) {
        images[k].sum = (signed_node){item[k].value.node,
                                      weight_is_minus(item[k].value.k)};
        for (int axis = 0; axis < MAX_DIM; axis++)
            images[k].d[axis] = 2 * item[k].at[axis] - middle[axis];
    }
    for (int axis = 0; axis < MAX_DIM; axis++)
        count = pair_along(b, axis, images, count);
    qsort(images, (size_t)count, sizeof *images, by_class);
    signed_node sum = images[0].sum;
    for (int64_t k = 1; k < count; k++)
        sum = add_signed(b, sum, images[k].sum);
    return sum;
}

/* ---- one weight -------------------------------------------------------------------- */

static int by_weight(const void *left, const void *right)
{
    const summand *a = left, *b = right;
    int order = int_compare(a->value.factor, b->value.factor);

    order = order ? order : num_compare(weight_size(a->value.k), weight_size(b->value.k));
    order = order ? order : int_compare(a->kind, b->kind);
    return order ? order : compare_places(a->at, b->at);
}

static bool same_weight(const summand *a, const summand *b)
{
    return a->value.factor == b->value.factor &&
           num_compare(weight_size(a->value.k), weight_size(b->value.k)) == 0;
}

static group sum_group(builder *b, const summand *item, int64_t count)
{
    group g = {.weight = item->value, .kind = item->kind};
    int64_t first = 0;

    g.weight.k = weight_size(g.weight.k);
    memcpy(g.at, item->at, sizeof g.at);
    for (int64_t k = 1; k <= count; k++) {
        if (k < count && item[k].kind == item[first].kind)
            continue;
        const signed_node sum = sum_kind(b, item + first, k - first);
        g.sum = first == 0 ? sum : add_signed(b, g.sum, sum);
        first = k;
    }
    for (int64_t k = 0; k < count && item[k].kind == g.kind; k++)
        for (int axis = 0; axis < MAX_DIM; axis++)
            if (abs(item[k].at[axis] - g.at[axis]) > g.span[axis])
                g.span[axis] = abs(item[k].at[axis] - g.at[axis]);
    return g;
}

/* ---- all of them ------------------------------------------------------------------- */

static int by_memory(const void *left, const void *right)
{
    const group *a = left, *b = right;

    return compare_places(a->at, b->at);
}

static int by_kind(const void *left, const void *right)
{
    const group *a = left, *b = right;
    int order = int_compare(!scaled_is_unit(a->weight), !scaled_is_unit(b->weight));

    order = order ? order : int_compare(a->kind, b->kind);
    order = order ? order : compare_places(a->span, b->span);
    order = order ? order : compare_places(a->at, b->at);
    return order ? order : int_compare(a->sum.node, b->sum.node);
}

/* A constant takes the sign; other weights are subtracted. */
static signed_node weigh(builder *b, const group *g)
{
    scaled v = g->weight;

    if (scaled_is_unit(v))
        return g->sum;
    v.node = g->sum.node;
    if (v.factor >= 0)
        return (signed_node){build_scaled(b, v), g->sum.minus};
    v.k = g->sum.minus ? num_neg(v.k) : v.k;
    return (signed_node){build_scaled(b, v), false};
}

scaled sum_by_weight(builder *b, summand *item, int64_t count)
{
    group *g = arena_alloc(b->code->arena, count, sizeof *g);
    int64_t groups = 0, first = 0;
    bool one_kind = true;

    qsort(item, (size_t)count, sizeof *item, by_weight);
    for (int64_t k = 1; k <= count; k++) {
        one_kind = one_kind && item[k - 1].kind == item[0].kind;
        if (k < count && same_weight(&item[k], &item[first]))
            continue;
        g[groups++] = sum_group(b, item + first, k - first);
        first = k;
    }
    if (groups == 1) {
        scaled only = g->weight;
        only.k = g->sum.minus ? num_neg(only.k) : only.k;
        only.node = g->sum.node;
        return only;
    }
    qsort(g, (size_t)groups, sizeof *g,
          (one_kind && groups == count) ? by_memory : by_kind);
    signed_node sum = weigh(b, &g[0]);
    for (int64_t k = 1; k < groups; k++)
        sum = add_signed(b, sum, weigh(b, &g[k]));
    return (scaled){num_int(sum.minus ? -1 : 1), -1, sum.node};
}

/* ---- by plane ---------------------------------------------------------------------- */

typedef struct plane {
    int64_t first, count;
    int at;     /* along the axis */
    int like;   /* first plane with this one as a multiple, possibly itself */
    num ratio;  /* to that plane */
    bool whole; /* first planes: all multiples are by 1 or -1 */
} plane;

static bool is_small(i128 a)
{
    const i128 limit = (i128)1 << 62;

    return a > -limit && a < limit;
}

/* gcd of numerators over lcm of denominators, negative if all weights are. */
bool sum_content(const summand *item, int64_t count, num *content)
{
    i128 p = 0, q = 1;
    bool minus = true;

    for (int64_t k = 0; k < count; k++) {
        const num v = item[k].value.k;
        if (!v.exact || item[k].value.factor != item[0].value.factor || !is_small(v.p) ||
            !is_small(v.q))
            return false;
        p = (i128)int_common((u128)p, v.p < 0 ? -(u128)v.p : (u128)v.p);
        const u128 common = int_common((u128)q, (u128)v.q);
        q *= common > 1 ? v.q / (i128)common : v.q;
        if (!is_small(q))
            return false;
    }
    if (p == 0)
        return false;
    *content = num_ratio(p, q);
    for (int64_t k = 0; k < count; k++) {
        int64_t weight = 0;
        if (!num_is_int(num_div(item[k].value.k, *content), &weight) ||
            llabs(weight) >= LARGEST_WEIGHT)
            return false;
        minus = minus && weight < 0;
    }
    *content = minus ? num_neg(*content) : *content;
    return true;
}

/* ---- equal planes ------------------------------------------------------------------ */

static int compare_off_axis(const summand *a, const summand *b, int axis)
{
    int order = int_compare(a->kind, b->kind);

    for (int k = MAX_DIM; k-- > 0 && order == 0;)
        if (k != axis)
            order = int_compare(a->at[k], b->at[k]);
    return order;
}

static int by_plane(const void *left, const void *right, void *along)
{
    const summand *a = left, *b = right;
    const int axis = *(const int *)along;
    const int order = int_compare(a->at[axis], b->at[axis]);

    return order ? order : compare_off_axis(a, b, axis);
}

static bool is_one(num k)
{
    return num_equal(k, num_int(1)) || num_equal(k, num_int(-1));
}

static bool is_multiple(const summand *a, const summand *b, int64_t count, int axis,
                        num *ratio)
{
    *ratio = num_div(a->value.k, b->value.k);
    if (!ratio->exact && !is_one(*ratio))
        return false;
    for (int64_t k = 0; k < count; k++)
        if (compare_off_axis(&a[k], &b[k], axis) != 0 ||
            a[k].value.factor != b[k].value.factor ||
            !num_equal(a[k].value.k, num_mul(*ratio, b[k].value.k)))
            return false;
    return true;
}

static void find_like(const summand *item, plane *p, int number, int axis)
{
    plane *mine = &p[number];

    for (int k = 0; k < number; k++)
        if (p[k].like == k && p[k].count == mine->count &&
            is_multiple(item + mine->first, item + p[k].first, mine->count, axis,
                        &mine->ratio)) {
            mine->like = k;
            p[k].whole = p[k].whole && is_one(mine->ratio);
            return;
        }
    mine->like = number;
    mine->ratio = num_int(1);
    mine->whole = true;
}

static int split_planes(builder *b, int axis, summand *item, int64_t count,
                        plane **result)
{
    plane *p = arena_alloc(b->code->arena, count, sizeof *p);
    int planes = 0;

    qsort_r(item, (size_t)count, sizeof *item, by_plane, &axis);
    for (int64_t k = 0; k < count; k++) {
        if (k == 0 || item[k].at[axis] != item[k - 1].at[axis])
            p[planes++] = (plane){.first = k, .at = item[k].at[axis]};
        p[planes - 1].count++;
    }
    for (int k = 0; k < planes; k++)
        find_like(item, p, k, axis);
    *result = p;
    return planes;
}

/* ---- the sum ----------------------------------------------------------------------- */

/* Gives the summands the weights of the plane it is like, and returns the weight of the
 * plane's sum. */
static num take_weights(summand *item, const plane *p, const plane *like)
{
    num content = num_int(1);

    if (!like->whole && !sum_content(item + like->first, like->count, &content))
        content = num_int(1);
    for (int64_t k = 0; k < p->count; k++)
        item[p->first + k].value.k = num_div(item[p->first + k].value.k,
                                             num_mul(p->ratio, content));
    return num_mul(p->ratio, content);
}

scaled sum_by_plane(builder *b, int axis, summand *item, int64_t count)
{
    plane *p = NULL;
    const int planes = split_planes(b, axis, item, count, &p);
    summand *partial = arena_alloc(b->code->arena, planes, sizeof *partial);

    for (int k = planes; k-- > 0;) {
        const num weight = take_weights(item, &p[k], &p[p[k].like]);
        partial[k] = (summand){.kind = p[k].like};
        partial[k].at[axis] = p[k].at;
        partial[k].value = sum_by_weight(b, item + p[k].first, p[k].count);
        partial[k].value.k = num_mul(partial[k].value.k, weight);
    }
    return sum_by_weight(b, partial, planes);
}
