/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of a stage for each point, counted from the nodes and never typed by hand.
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
    switch (node->op) {
    case IR_NEG: *value = num_neg(arg[0]); break;
    case IR_ADD: *value = num_add(arg[0], arg[1]); break;
    case IR_SUB: *value = num_sub(arg[0], arg[1]); break;
    case IR_MUL: *value = num_mul(arg[0], arg[1]); break;
    case IR_DIV: *value = num_div(arg[0], arg[1]); break;
    default:
        if (!num_is_int(arg[1], &power))
            return false;
        *value = num_power(arg[0], power);
    }
    return true;
}

static int node_flops(const ir_stage *stage, const ir_node *n)
{
    num exponent;

    if (n->op == IR_POW && exponent_of(stage, n->arg[1], EXPONENT_DEPTH, &exponent))
        return power_cost(exponent);
    return ir_op_table[n->op].flops;
}

static int slowest_axis(const ir *code)
{
    return code->dim > 0 ? code->dim - 1 : 0;
}

static pav_status add_up(const ir *code, const ir_stage *stage, arena *a, ir_cost *cost)
{
    const bool *live = stage_live(stage, a);
    const unsigned char *depends = stage_depends(code, stage, a);
    const bool once = ir_is_uniform(stage);
    alike k = alike_open(a, 1u << slowest_axis(code));
    alike_update(&k, stage);
    bool *seen = arena_alloc(a, k.kinds + 1, sizeof *seen);

    for (int64_t i = 0; i < stage->count; i++) {
        const ir_node *n = &stage->node[i];
        if (!live[i] || ir_op_table[n->op].arguments == 0)
            continue;
        cost->nodes++;
        if (!once && (depends[i] & ~(unsigned)ON_UNIFORM) == 0)
            continue;
        const int flops = node_flops(stage, n);
        cost->flops += flops;
        if (seen[k.node[i].kind])
            continue;
        seen[k.node[i].kind] = true;
        cost->streamed += flops;
        cost->instructions += n->op == IR_FMA ? 1 : flops;
    }
    return PAV_OK;
}

static pav_status cost_of_stage(const ir *code, const ir_stage *stage, ir_cost *cost)
{
    pav_status status = PAV_ENOMEM;
    arena *const a = arena_new();

    *cost = (ir_cost){0};
    if (a)
        ARENA_GUARD(a, status, add_up(code, stage, a, cost));
    arena_free(a);
    return status;
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
        arena_fail(a, status, "there is no memory to work out what stage '%s' costs",
                   stage->name ? stage->name : "");
    return cost;
}

/* ---- arithmetic alone -------------------------------------------------------------- */

static pav_status count_arithmetic(const ir *code, const ir_stage *stage, arena *a,
                                   ir_arithmetic *result)
{
    const bool *live = stage_live(stage, a);
    const unsigned char *depends = stage_depends(code, stage, a);
    alike k = alike_open(a, code->dim > 1 ? ON_X << 1 : 0);
    alike_update(&k, stage);
    bool *seen = arena_alloc(a, k.kinds + 1, sizeof *seen);

    for (int64_t i = 0; i < stage->count; i++) {
        const ir_op op = stage->node[i].op;
        bool *const before = &seen[k.node[i].kind];
        if (!live[i] || (depends[i] & ON_POINT) == 0 || *before)
            continue;
        *before = true;
        result->sums += op == IR_ADD || op == IR_SUB;
        result->products += op == IR_MUL || op == IR_FMA;
    }
    return PAV_OK;
}

pav_status ir_stage_arithmetic(const ir *code, const ir_stage *stage,
                               ir_arithmetic *result)
{
    pav_status status = PAV_ENOMEM;
    arena *const a = arena_new();

    *result = (ir_arithmetic){0};
    if (a)
        ARENA_GUARD(a, status, count_arithmetic(code, stage, a, result));
    arena_free(a);
    return status;
}
