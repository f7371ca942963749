/* SPDX-License-Identifier: BSD-3-Clause */
/* sums: every sum and product of a stage is collected and rebuilt in the cheapest order
 * (terms.c, gather.c, settle.c, summation.c, planes.c). Uniform stages are unchanged. */
#include "plan/plan_private.h"

/* A node with built arguments, other than a sum or product. */
static term copy_node(terms *l, const ir_node *n, const term *value)
{
    ir_node made = *n;

    for (int k = 0; k < ir_op_table[n->op].arguments; k++)
        made.arg[k] = term_build(l, value[n->arg[k]]);
    return term_value(l, build_node(&l->build, &made));
}

static term take_quotient(terms *l, const ir_stage *old, const ir_node *n,
                          const term *value)
{
    return is_coordinate(old, n->arg[0], n->arg[1])
               ? copy_node(l, n, value)
               : term_divide(l, value[n->arg[0]], value[n->arg[1]]);
}

static term take_node(terms *l, const ir_stage *old, const ir_node *n, const term *value)
{
    switch (n->op) {
    case IR_CONST: return term_number(n->value);
    case IR_NEG: return term_negate(value[n->arg[0]]);
    case IR_ADD: return term_add(l, value[n->arg[0]], value[n->arg[1]]);
    case IR_SUB: return term_add(l, value[n->arg[0]], term_negate(value[n->arg[1]]));
    case IR_MUL: return term_multiply(l, value[n->arg[0]], value[n->arg[1]]);
    case IR_DIV: return take_quotient(l, old, n, value);
    default: return copy_node(l, n, value);
    }
}

static bool rebuild(ir *code, int stage, bool seen_through)
{
    arena *a = code->arena;
    ir_stage *s = &code->stage[stage];
    const ir_stage old = *s;
    const bool *live = stage_live(&old, a);
    const int *uses = stage_uses(&old, a);
    term *value = arena_alloc(a, old.count + 1, sizeof *value);
    terms l = terms_open(code, s, seen_through);

    for (int64_t k = 0; k < old.count; k++) {
        if (live[k])
            value[k] = take_node(&l, &old, &old.node[k], value);
        if (uses[k] > 1)
            value[k] = term_share(&l, value[k]);
    }
    for (int64_t k = 0; k < old.outputs; k++)
        s->output[k].node = term_build(&l, value[s->output[k].node]);
    stage_sweep(code, stage);
    return l.shared;
}

/* A stage and the nodes of its outputs. */
typedef struct version {
    ir_stage stage;
    int *node;
    int64_t cost;
} version;

static version keep(ir *code, int stage)
{
    version v = {.stage = code->stage[stage]};

    v.node = arena_alloc(code->arena, v.stage.outputs + 1, sizeof *v.node);
    for (int64_t k = 0; k < v.stage.outputs; k++)
        v.node[k] = v.stage.output[k].node;
    v.cost = cost_or_fail(code, &v.stage, code->arena).streamed;
    return v;
}

static void restore(ir *code, int stage, const version *v)
{
    code->stage[stage] = v->stage;
    for (int64_t k = 0; k < v->stage.outputs; k++)
        v->stage.output[k].node = v->node[k];
}

/* If two sums read 2*u, each weighs u anew: there it may merge, and costs nothing in an
 * fma. If the total cost is lower, 2*u stays a shared node. */
void pass_sums(ir *code, int stage)
{
    if (ir_is_uniform(&code->stage[stage]))
        return;
    const version old = keep(code, stage);
    const bool shared = rebuild(code, stage, true);
    version best = keep(code, stage);
    if (shared) {
        restore(code, stage, &old);
        rebuild(code, stage, false);
        const version other = keep(code, stage);
        best = other.cost < best.cost ? other : best;
    }
    restore(code, stage, best.cost <= old.cost ? &best : &old);
}
