/* SPDX-License-Identifier: BSD-3-Clause */
/* A weighted sum by planes: each plane across the slowest axis is summed first, in the
 * same way for planes equal up to a shift and a factor. A sweep along this axis then
 * computes such a partial sum once and reads it again some planes later. The symmetric
 * 27-point operator is (S(-1) + S(+1)) + S(0); both kinds of S share their sums of four:
 * 18 operations, not 30.
 *
 * If planes are multiples of each other, they get coprime integers as weights inside, if
 * such integers exist. */
#include <stdlib.h>
#include <string.h>

#include "plan/plan_private.h"

enum {
    LARGEST_WEIGHT = 1 << 20, /* exactly representable in either type */
};

typedef struct plane {
    int64_t first, count;
    int at;     /* along the axis */
    int like;   /* first plane with this one as a multiple, possibly itself */
    num ratio;  /* to that plane */
    bool whole; /* first planes: all multiples are by 1 or -1 */
} plane;

/* ---- integers ---------------------------------------------------------------------- */

static i128 common_divisor(i128 a, i128 b)
{
    while (b != 0) {
        const i128 rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static bool is_small(i128 a)
{
    const i128 limit = (i128)1 << 62;

    return a > -limit && a < limit;
}

/* gcd of numerators over lcm of denominators. */
static bool find_content(const summand *item, int64_t count, i128 *p, i128 *q)
{
    *p = 0;
    *q = 1;
    for (int64_t k = 0; k < count; k++) {
        const num v = item[k].value.k;
        if (!v.exact || item[k].value.factor != item[0].value.factor)
            return false;
        if (!is_small(v.p) || !is_small(v.q))
            return false;
        *p = common_divisor(*p, v.p);
        const i128 common = common_divisor(*q, v.q);
        *q *= common > 1 ? v.q / common : v.q;
        if (!is_small(*q))
            return false;
    }
    return *p != 0;
}

bool sum_content(const summand *item, int64_t count, num *content)
{
    i128 p, q;
    bool minus = true;

    if (!find_content(item, count, &p, &q))
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
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int k = MAX_DIM; k-- > 0;)
        if (k != axis && a->at[k] != b->at[k])
            return a->at[k] < b->at[k] ? -1 : 1;
    return 0;
}

static int by_plane(const summand *a, const summand *b, int axis)
{
    if (a->at[axis] != b->at[axis])
        return a->at[axis] < b->at[axis] ? -1 : 1;
    return compare_off_axis(a, b, axis);
}

static int by_plane_x(const void *a, const void *b)
{
    return by_plane(a, b, 0);
}

static int by_plane_y(const void *a, const void *b)
{
    return by_plane(a, b, 1);
}

static int by_plane_z(const void *a, const void *b)
{
    return by_plane(a, b, 2);
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

static int split(builder *b, int axis, summand *item, int64_t count, plane **result)
{
    static int (*const order[MAX_DIM])(const void *, const void *) = {
        by_plane_x, by_plane_y, by_plane_z};
    plane *p = arena_alloc(b->code->arena, count, sizeof *p);
    int planes = 0;

    qsort(item, (size_t)count, sizeof *item, order[axis]);
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
    const int planes = split(b, axis, item, count, &p);
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
