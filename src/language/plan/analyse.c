/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of a stage for each point, its reads and writes, and the shapes of its
 * neighbourhoods. All are counted from the nodes and never typed by hand.
 *
 * Values constant over all points cost nothing, wherever they stand. A power by a
 * constant integer counts like its expansion into multiplications, so that writing them
 * out is no loss. */
#include <stdlib.h>

#include "plan/plan_private.h"

enum {
    EXPONENT_DEPTH = 4,
};

int power_cost(num exponent)
{
    int64_t n = 0;
    int cost = 0;

    if (!num_is_int(exponent, &n) || n == 0 || n > MAX_POWER || n < -MAX_POWER)
        return 1;
    if (n < 0)
        cost = 1;
    for (n = llabs(n); n > 1; n /= 2)
        cost += n % 2 ? 2 : 1;
    return cost > 0 ? cost : 1;
}

/* The value of an exponent, for example -2 or 1/2 or 2*3; false if it is nested
 * deeper. */
static bool exponent_of(const ir_stage *s, int n, int depth, num *value)
{
    const ir_node *node = &s->node[n];
    num arg[2] = {num_int(0), num_int(0)};
    int64_t power = 0;

    *value = node->value;
    if (node->op == IR_CONST)
        return true;
    if (depth == 0 || (node->op != IR_POW && (node->op < IR_NEG || node->op > IR_DIV)))
        return false;
    for (int k = 0; k < ir_op_table[node->op].arguments; k++)
        if (!exponent_of(s, node->arg[k], depth - 1, &arg[k]))
            return false;
    *value = num_operate(node->op, arg[0], arg[1]);
    return node->op != IR_POW || num_is_int(arg[1], &power);
}

/* The operations of a stage. Nodes equal up to a shift along some axes are one kind. */
typedef struct tally {
    const bool *live;
    const unsigned char *depends;
    alike alike;
    bool *seen; /* of each kind */
} tally;

static tally tally_open(const ir *code, const ir_stage *stage, arena *a, unsigned axes)
{
    tally t = {stage_live(stage, a), stage_depends(code, stage, a), alike_open(a, axes),
               NULL};

    alike_update(&t.alike, stage);
    t.seen = arena_alloc(a, t.alike.kinds + 1, sizeof *t.seen);
    return t;
}

/* True for the first node of its kind. */
static bool is_first(tally *t, int64_t node)
{
    bool *seen = &t->seen[t->alike.node[node].kind];
    const bool first = !*seen;

    *seen = true;
    return first;
}

static pav_status count_cost(const ir *code, const ir_stage *stage, arena *a,
                             ir_cost *cost)
{
    tally t = tally_open(code, stage, a, 1u << (code->dim > 0 ? code->dim - 1 : 0));
    const bool once = ir_is_uniform(stage);

    for (int64_t i = 0; i < stage->count; i++) {
        const ir_node *n = &stage->node[i];
        if (!t.live[i] || ir_op_table[n->op].arguments == 0)
            continue;
        cost->nodes++;
        if (!once && (t.depends[i] & ~(unsigned)ON_UNIFORM) == 0)
            continue;
        num exponent;
        const bool power = n->op == IR_POW &&
                           exponent_of(stage, n->arg[1], EXPONENT_DEPTH, &exponent);
        const int flops = power ? power_cost(exponent) : ir_op_table[n->op].flops;
        cost->flops += flops;
        if (!is_first(&t, i))
            continue;
        cost->streamed += flops;
        cost->instructions += n->op == IR_FMA ? 1 : flops;
    }
    return PAV_OK;
}

static pav_status cost_of_stage(const ir *code, const ir_stage *stage, ir_cost *cost)
{
    *cost = (ir_cost){0};
    RETURN_IN_ARENA(a, count_cost(code, stage, a, cost));
}

ir_cost ir_stage_cost(const ir *code, const ir_stage *stage)
{
    ir_cost cost;

    return cost_of_stage(code, stage, &cost) == PAV_OK ? cost : (ir_cost){0};
}

ir_cost cost_or_fail(const ir *code, const ir_stage *stage, arena *a)
{
    ir_cost cost;
    const pav_status status = cost_of_stage(code, stage, &cost);

    if (status != PAV_OK)
        arena_fail(a, status, "memory ran out while the cost of stage '%s' was counted",
                   stage->name ? stage->name : "");
    return cost;
}

/* ---- arithmetic alone -------------------------------------------------------------- */

static pav_status count_arithmetic(const ir *code, const ir_stage *stage, arena *a,
                                   ir_arithmetic *result)
{
    tally t = tally_open(code, stage, a, code->dim > 1 ? ON_X << 1 : 0);

    for (int64_t i = 0; i < stage->count; i++) {
        const ir_op op = stage->node[i].op;
        if (!t.live[i] || (t.depends[i] & ON_POINT) == 0 || !is_first(&t, i))
            continue;
        result->sums += op == IR_ADD || op == IR_SUB;
        result->products += op == IR_MUL || op == IR_FMA;
    }
    return PAV_OK;
}

pav_status ir_stage_arithmetic(const ir *code, const ir_stage *stage,
                               ir_arithmetic *result)
{
    *result = (ir_arithmetic){0};
    RETURN_IN_ARENA(a, count_arithmetic(code, stage, a, result));
}

/* ---- reads and writes -------------------------------------------------------------- */

static bool same_source(const ir_access *access, const ir_node *n)
{
    return access->field == n->field && access->level == n->level &&
           access->transfer == n->transfer && access->kept == n->kept;
}

static uint64_t offset_hash(const int *offset, int sign)
{
    uint64_t h = 0;

    for (int axis = 0; axis < MAX_DIM; axis++)
        h = hash_mix(h ^ (uint32_t)(sign * offset[axis] + MAX_NODES));
    return h;
}

/* Finds the shape of an access, and its symmetry. For the symmetry sums of hashes are
 * compared: no tap occurs twice, so taps and mirror images are the same set if their
 * hashes have the same sum. */
static void find_shape(const ir_stage *s, const bool *live, ir_access *access)
{
    bool star = true, point = true;
    uint64_t taps = 0, images = 0;
    int64_t box_points = 1;

    for (int64_t k = 0; k < s->count; k++) {
        const ir_node *n = &s->node[k];
        const int *o = n->offset;
        if (!live[k] || n->op != IR_LOAD || !same_source(access, n))
            continue;
        star = star && (o[0] != 0) + (o[1] != 0) + (o[2] != 0) <= 1;
        point = point && !o[0] && !o[1] && !o[2];
        taps += offset_hash(o, 1);
        images += offset_hash(o, -1);
    }
    for (int axis = 0; axis < MAX_DIM; axis++)
        box_points *= access->reach[axis][0] + access->reach[axis][1] + 1;
    access->symmetric = taps == images;
    access->shape = point                        ? SHAPE_POINT
                    : star                       ? SHAPE_STAR
                    : box_points == access->taps ? SHAPE_BOX
                                                 : SHAPE_GENERAL;
}

/* Bytes times 8 of a load for each point: a coarse field has one point for two, four or
 * eight of the grid. */
static int64_t eighths(const ir *code, const ir_stage *s, const ir_access *access)
{
    const int64_t size = 8 * (int64_t)pav_type_size(code->field[access->field].storage);
    int axes = 0; /* with half or twice as many points on the grid of the load */

    for (int axis = 0; axis < code->dim; axis++)
        axes += ir_transfer_along(access->transfer, access->kept, axis) != IR_SAME;
    return access->transfer == IR_TO_FINE && s->coarse      ? size << axes
           : access->transfer == IR_TO_COARSE && !s->coarse ? size >> axes
                                                            : size;
}

static void add_access(arena *a, ir_analysis *r, int64_t *capacity, const ir_node *n)
{
    int64_t k = 0;

    while (k < r->accesses && !same_source(&r->access[k], n))
        k++;
    if (k == r->accesses) {
        ARENA_ADD(a, r->access, r->accesses,
                  *capacity) = (ir_access){.field = n->field,
                                           .level = n->level,
                                           .transfer = n->transfer,
                                           .kept = n->kept};
    }
    r->access[k].taps++;
    ir_widen_reach(r->access[k].reach, n->offset);
}

/* Each field counts once. */
static int64_t bytes_again(const ir *code, const ir_stage *s)
{
    int64_t bytes = 0;

    for (int64_t k = 0; k < s->count; k++) {
        const ir_node *n = &s->node[k];
        bool counts = n->op == IR_LOAD && !code->field[n->field].updated;
        for (int64_t i = 0; i < k && counts; i++)
            counts = s->node[i].op != IR_LOAD || s->node[i].field != n->field;
        if (counts)
            bytes += (int64_t)pav_type_size(code->field[n->field].storage);
    }
    return bytes;
}

void ir_analyse(const ir *code, const ir_stage *stage, arena *a, ir_analysis *result)
{
    const bool *live = stage_live(stage, a);
    const box b = ir_stage_box(code, stage);
    int64_t capacity = 0, read = 0;

    *result = (ir_analysis){.cost = cost_or_fail(code, stage, a), .points = 1};
    for (int axis = 0; !ir_is_uniform(stage) && axis < MAX_DIM; axis++)
        if (!mul_fits(result->points, b.hi[axis] - b.lo[axis], &result->points)) {
            result->points = INT64_MAX;
            break;
        }
    for (int64_t k = 0; k < stage->count; k++) {
        if (live[k] && stage->node[k].op == IR_LOAD)
            add_access(a, result, &capacity, &stage->node[k]);
        const ir_op op = stage->node[k].op;
        result->loads += op == IR_LOAD;
        result->special += live[k] &&
                           (op == IR_DIV || op == IR_SQRT || ir_is_function(op));
    }
    for (int64_t k = 0; k < result->accesses; k++) {
        find_shape(stage, live, &result->access[k]);
        read += eighths(code, stage, &result->access[k]);
    }
    result->bytes_read = (read + 7) / 8;
    result->bytes_again = bytes_again(code, stage);
    for (int64_t k = 0; k < stage->outputs; k++)
        if (stage->output[k].kind == IR_STORE)
            result->bytes_written += (int64_t)pav_type_size(
                code->field[stage->output[k].field].storage);
}
