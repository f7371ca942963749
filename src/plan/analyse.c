/* SPDX-License-Identifier: BSD-3-Clause */
/* The reads and writes of a stage, and the shapes of its neighbourhoods. */
#include "plan/plan_private.h"

static bool same_source(const ir_access *access, const ir_node *n)
{
    return access->field == n->field && access->level == n->level &&
           access->transfer == n->transfer && access->kept == n->kept;
}

static ir_access *access_of(arena *a, ir_analysis *r, int64_t *capacity, const ir_node *n)
{
    for (int64_t k = 0; k < r->accesses; k++)
        if (same_source(&r->access[k], n))
            return &r->access[k];
    arena_reserve(a, &r->access, r->accesses, capacity, sizeof *r->access);
    ir_access *access = &r->access[r->accesses++];
    *access = (ir_access){
        .field = n->field, .level = n->level, .transfer = n->transfer, .kept = n->kept};
    return access;
}

static void reach_out(ir_access *access, const ir_node *n)
{
    access->taps++;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        const int o = n->offset[axis];
        if (-o > access->reach[axis][0])
            access->reach[axis][0] = -o;
        if (o > access->reach[axis][1])
            access->reach[axis][1] = o;
    }
}

/* ---- shapes ------------------------------------------------------------------------ */

static bool is_on_axis(const int *offset)
{
    int off = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        off += offset[axis] != 0;
    return off <= 1;
}

static bool fills_box(const ir_access *access)
{
    int64_t product = 1;

    for (int axis = 0; axis < MAX_DIM; axis++)
        product *= access->reach[axis][0] + access->reach[axis][1] + 1;
    return product == access->taps;
}

static uint64_t offset_hash(const int *offset, int sign)
{
    uint64_t h = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        h = hash_mix(h ^ (uint32_t)(sign * offset[axis] + MAX_NODES));
    return h;
}

/* Compares sums of hashes: no tap occurs twice, so taps and mirror images are the same
 * set if their hashes have the same sum. */
static bool is_symmetric(const ir_stage *s, const bool *live, const ir_access *access)
{
    uint64_t taps = 0, images = 0;

    for (int64_t k = 0; k < s->count; k++) {
        const ir_node *n = &s->node[k];
        if (!live[k] || n->op != IR_LOAD || !same_source(access, n))
            continue;
        taps += offset_hash(n->offset, 1);
        images += offset_hash(n->offset, -1);
    }
    return taps == images;
}

static ir_shape shape_of(const ir_stage *s, const bool *live, const ir_access *access)
{
    bool star = true, point = true;

    for (int64_t k = 0; k < s->count; k++) {
        const ir_node *n = &s->node[k];
        if (!live[k] || n->op != IR_LOAD || !same_source(access, n))
            continue;
        star = star && is_on_axis(n->offset);
        point = point && !n->offset[0] && !n->offset[1] && !n->offset[2];
    }
    if (point)
        return SHAPE_POINT;
    if (star)
        return SHAPE_STAR;
    return fills_box(access) ? SHAPE_BOX : SHAPE_GENERAL;
}

/* ---- counts ------------------------------------------------------------------------ */

static bool is_special(ir_op op)
{
    switch (op) {
    case IR_DIV:
    case IR_SQRT:
    case IR_EXP:
    case IR_LOG:
    case IR_SIN:
    case IR_COS:
    case IR_TAN:
    case IR_TANH:
    case IR_POW: return true;
    default: return false;
    }
}

/* Axes with half or twice as many points on the grid of the load. */
static int halved_axes(const ir *code, const ir_access *access)
{
    int axes = 0;

    for (int axis = 0; axis < code->dim; axis++)
        axes += ir_transfer_along(access->transfer, access->kept, axis) != IR_SAME;
    return axes;
}

/* Bytes times 8 of a load for each point: a coarse field has one point for two, four or
 * eight of the grid. */
static int64_t eighths(const ir *code, const ir_stage *s, const ir_access *access)
{
    const int64_t size = 8 * (int64_t)pav_type_size(code->field[access->field].storage);

    if (access->transfer == IR_TO_FINE && s->coarse)
        return size << halved_axes(code, access);
    return access->transfer == IR_TO_COARSE && !s->coarse
               ? size >> halved_axes(code, access)
               : size;
}

static int64_t count_points(const ir *code, const ir_stage *stage)
{
    const box b = ir_stage_box(code, stage);
    int64_t product = 1;

    if (ir_is_uniform(stage))
        return 1;
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (!mul_fits(product, b.hi[axis] - b.lo[axis], &product))
            return INT64_MAX;
    return product;
}

void ir_analyse(const ir *code, const ir_stage *stage, arena *a, ir_analysis *result)
{
    const bool *live = stage_live(stage, a);
    int64_t capacity = 0, read = 0;

    *result = (ir_analysis){.cost = cost_or_fail(code, stage, a),
                            .points = count_points(code, stage)};
    for (int64_t k = 0; k < stage->count; k++) {
        if (live[k] && stage->node[k].op == IR_LOAD)
            reach_out(access_of(a, result, &capacity, &stage->node[k]), &stage->node[k]);
        result->special += live[k] && is_special(stage->node[k].op);
    }
    for (int64_t k = 0; k < result->accesses; k++) {
        result->access[k].shape = shape_of(stage, live, &result->access[k]);
        result->access[k].symmetric = is_symmetric(stage, live, &result->access[k]);
        read += eighths(code, stage, &result->access[k]);
    }
    result->bytes_read = (read + 7) / 8;
    for (int64_t k = 0; k < stage->outputs; k++)
        if (stage->output[k].kind == IR_STORE)
            result->bytes_written += (int64_t)pav_type_size(
                code->field[stage->output[k].field].storage);
}
