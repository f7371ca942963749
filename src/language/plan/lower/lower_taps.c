/* SPDX-License-Identifier: BSD-3-Clause */
/* Weighted sums over neighbours: derivatives, stencils, restriction; and interpolation.
 * The weights of a derivative are a tensor product of exact weights along each axis,
 * divided by powers of the spacing; each product is one constant. Terms are added in the
 * order of the taps, x fastest; passes merge equal weights. */
#include <string.h>

#include "plan/plan_private.h"

/* Weights along one axis, for the offsets first, first + 1, ... */
typedef struct line {
    int first, count;
    num *weight;
    /* on a stretched axis: 1 + the metric of each weight (the weight itself is 1); or
     * NULL */
    int *metric;
} line;

static line line_new(lowering *l, int first, int count)
{
    return (line){first, count, arena_alloc(l->arena, count, sizeof(num)), NULL};
}

/* Weights of the m-th derivative, in units of the spacing; m = 0 is the point itself. */
static line line_of(lowering *l, int m, int order, int half, num spacing)
{
    num weight[2 * MAX_OFFSET + 1]; /* it is too long to fill it with 0 */
    int first = 0, count = 1;

    weight[0] = num_int(1);
    if ((m || half) && !difference_weights(m, order, half, weight, &first, &count))
        lower_fail(l, PAV_ELIMIT,
                   "the weights of derivative %d at order %d are beyond exact arithmetic",
                   m, order);
    line result = line_new(l, first, count);
    for (int k = 0; k < count; k++)
        result.weight[k] = num_div(weight[k], num_power(spacing, m));
    return result;
}

/* Along a stretched axis the weights are values of tables. */
static line line_stretched(lowering *l, int axis, int coarse, int m, int order, int half)
{
    ir_metric metric = {.kind = METRIC_WEIGHT,
                        .axis = axis,
                        .coarse = coarse,
                        .derivative = m,
                        .order = order,
                        .half = half};
    int first = 0, count = 0;

    if (!difference_taps(m, order, half, &first, &count))
        lower_fail(l, PAV_ELIMIT, "derivative %d at order %d reads too many points", m,
                   order);
    line result = line_new(l, first, count);
    result.metric = arena_alloc(l->arena, count, sizeof *result.metric);
    for (int k = 0; k < count; k++) {
        metric.tap = k;
        result.weight[k] = num_int(1);
        result.metric[k] = code_add_metric(l->code, &metric) + 1;
    }
    return result;
}

static line line_along(lowering *l, int axis, int coarse, int m, int order, int half)
{
    return (m || half) && axis_stretched(l->program, axis)
               ? line_stretched(l, axis, coarse, m, order, half)
               : line_of(l, m, order, half, spacing_along(l->code, axis, coarse));
}

/* The tensor product of weights along each axis. */
static tap_list tensor(lowering *l, const line *along)
{
    const int64_t count = (int64_t)along[0].count * along[1].count * along[2].count;
    tap_list list = {0};

    if (count > MAX_NODES)
        lower_fail(l, PAV_ELIMIT,
                   "a derivative reads %lld points, and %d are the most supported",
                   (long long)count, MAX_NODES);
    list.item = arena_alloc(l->arena, count, sizeof *list.item);
    for (int64_t n = 0; n < count; n++) {
        const int64_t rows = n / along[0].count;
        const int at[MAX_DIM] = {(int)(n % along[0].count), (int)(rows % along[1].count),
                                 (int)(rows / along[1].count)};
        const num yz = num_mul(along[1].weight[at[1]], along[2].weight[at[2]]);
        tap t = {.weight = num_mul(along[0].weight[at[0]], yz)};
        if (num_is_zero(t.weight))
            continue;
        for (int axis = 0; axis < MAX_DIM; axis++) {
            t.offset[axis] = along[axis].first + at[axis];
            t.metric[axis] = along[axis].metric ? along[axis].metric[at[axis]] : 0;
        }
        list.item[list.count++] = t;
    }
    return list;
}

static void centre_lines(lowering *l, line *along)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        along[axis] = line_of(l, 0, 2, 0, num_int(1));
}

/* ---- the taps of each kind of expression ------------------------------------------- */

static tap_list derivative_taps(lowering *l, const expr *e, int coarse)
{
    line along[MAX_DIM];

    centre_lines(l, along);
    for (int axis = 0; axis < l->code->dim; axis++)
        along[axis] = line_along(l, axis, coarse, e->derivative[axis], e->order,
                                 e->half[axis]);
    return tensor(l, along);
}

static tap_list laplace_taps(lowering *l, const expr *e, int coarse)
{
    tap_list list = {0};

    for (int axis = 0; axis < l->code->dim; axis++) {
        line along[MAX_DIM];
        centre_lines(l, along);
        along[axis] = line_along(l, axis, coarse, 2, e->order, 0);
        const tap_list more = tensor(l, along);
        tap *both = arena_alloc(l->arena, list.count + more.count, sizeof *both);
        if (list.count)
            memcpy(both, list.item, (size_t)list.count * sizeof *both);
        memcpy(both + list.count, more.item, (size_t)more.count * sizeof *both);
        list = (tap_list){list.count + more.count, both};
    }
    return list;
}

static tap_list restrict_taps(lowering *l, int coarse)
{
    line along[MAX_DIM];

    centre_lines(l, along);
    for (int axis = 0; axis < l->code->dim; axis++) {
        if (!coarse_halves(l->program, coarse, axis))
            continue;
        along[axis] = line_new(l, -1, 3);
        along[axis].weight[0] = along[axis].weight[2] = num_ratio(1, 4);
        along[axis].weight[1] = num_ratio(1, 2);
    }
    return tensor(l, along);
}

static tap_list stencil_taps(lowering *l, const symbol *stencil)
{
    tap_list list = {.item = arena_alloc(l->arena, stencil->taps + 1, sizeof *list.item)};

    for (int k = 0; k < stencil->taps; k++) {
        tap *t = &list.item[list.count++];
        memcpy(t->offset, stencil->tap[k].offset, sizeof t->offset);
        t->expr = stencil->tap[k].weight;
    }
    return list;
}

/* Computed once for each expression and spacing. */
static tap_list taps_of(lowering *l, const expr *e, int coarse)
{
    const spot key = {.coarse = coarse};
    const int known = memo_get(&l->taps, e, &key);

    if (known >= 0)
        return l->tap_list[known];
    const tap_list list = e->kind == EXPR_DERIVE    ? derivative_taps(l, e, coarse)
                          : e->kind == EXPR_LAPLACE ? laplace_taps(l, e, coarse)
                          : e->kind == EXPR_STENCIL ? stencil_taps(l, e->symbol)
                                                    : restrict_taps(l, coarse);
    ARENA_ADD(l->arena, l->tap_list, l->tap_lists, l->tap_capacity) = list;
    memo_put(l, &l->taps, e, &key, (int)l->tap_lists - 1);
    return list;
}

/* ---- sums -------------------------------------------------------------------------- */

/* Weights are evaluated at the centre, in the scope outside of any let. */
static int lower_weight(lowering *l, const tap *t, const spot *at)
{
    spot centre = *at;

    centre.scope = NULL;
    int weight = t->expr ? lower_number(l, t->expr, &centre) : lower_const(l, t->weight);
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (t->metric[axis])
            weight = lower_op(l, IR_MUL, weight,
                              lower_metric(l, t->metric[axis] - 1, &centre));
    return weight;
}

static int lower_sum(lowering *l, tap_list list, const expr *value, const spot *centre,
                     const spot *base)
{
    int sum = -1;

    for (int64_t k = 0; k < list.count; k++) {
        const tap *t = &list.item[k];
        const spot there = spot_shift(l, base, t->offset);
        const int weight = lower_weight(l, t, centre);
        const int part = lower_op(l, IR_MUL, weight, lower_number(l, value, &there));
        sum = sum < 0 ? part : lower_op(l, IR_ADD, sum, part);
    }
    return sum < 0 ? lower_const(l, num_int(0)) : sum;
}

/* In a coarse equation only derivatives of coarse values reach this function: the checker
 * requires restrict around fields of finer grids. */
int lower_neighbours(lowering *l, const expr *e, const spot *at)
{
    return lower_sum(l, taps_of(l, e, e->kind == EXPR_STENCIL ? 0 : at->coarse),
                     e->arg[0], at, at);
}

/* ---- between the grids ------------------------------------------------------------- */

/* The mean of both neighbours along each axis. At coinciding points both are the same
 * point, so the value is exact. */
static int lower_mean(lowering *l, const expr *e, const spot *at, int axis)
{
    if (axis < 0) {
        spot below = *at; /* the coarse point at the same place, or before it */
        below.coarse++;
        return lower_number(l, e->arg[0], &below);
    }
    spot next = *at;
    next.offset[axis]++;
    if (!coarse_halves(l->program, at->coarse + 1, axis))
        return lower_mean(l, e, at, axis - 1);
    const int low = lower_mean(l, e, at, axis - 1);
    const int sum = lower_op(l, IR_ADD, low, lower_mean(l, e, &next, axis - 1));
    return lower_op(l, IR_MUL, lower_const(l, num_ratio(1, 2)), sum);
}

int lower_transfer(lowering *l, const expr *e, const spot *at)
{
    const bool own = at->coarse == l->draft->stage.coarse;
    spot fine = *at;

    if (e->transfer != TRANSFER_RESTRICT) {
        if (!own)
            lower_fail(l, PAV_ESYNTAX,
                       "restrict and interpolate do not stand within one another");
        return lower_mean(l, e, at, l->code->dim - 1);
    }
    if (!at->coarse || !own)
        lower_fail(l, PAV_ESYNTAX,
                   "restrict gives a coarse value and stands on the grid; use it in the "
                   "equation of a coarse field");
    fine.coarse--;
    for (int axis = 0; axis < MAX_DIM; axis++)
        fine.offset[axis] *= coarse_halves(l->program, at->coarse, axis) ? 2 : 1;
    return lower_sum(l, taps_of(l, e, at->coarse), e->arg[0], at, &fine);
}
