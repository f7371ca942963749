/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns constants of the start into uniforms. Values derived from the grid's size, for
 * example nx/2, would be constants in kernels; with uniforms the same kernels serve grids
 * of all sizes. Steps keep their constants. */
#include "plan/plan_private.h"

/* True if arguments of the operation may be uniforms without a change of bits. */
static bool takes_numbers(ir_op op)
{
    return op == IR_NEG || op == IR_ADD || op == IR_SUB || op == IR_MUL || op == IR_DIV ||
           op == IR_FMA || op == IR_MIN || op == IR_MAX || op == IR_LT || op == IR_LE ||
           op == IR_EQ || op == IR_NE;
}

typedef struct lifting {
    ir *code;
    const ir_stage *from;
    ir_node *node;
    int64_t count;
    int *now; /* new number of each old node */
} lifting;

static int put(lifting *l, ir_node node)
{
    l->node[l->count] = node;
    return (int)l->count++;
}

/* Each use gets a separate uniform: constants equal only at some sizes would otherwise
 * give different kernels. */
static int put_constant(lifting *l, ir_node node, bool is_number)
{
    if (is_number) {
        node.uniform = code_add_uniform(l->code, UNIFORM_COMPUTED, NULL,
                                        num_f64(node.value));
        node.op = IR_UNIFORM;
    }
    return put(l, node);
}

static int argument_of(lifting *l, int from, bool is_number)
{
    const ir_node *node = &l->from->node[from];
    return node->op == IR_CONST ? put_constant(l, *node, is_number) : l->now[from];
}

static void put_node(lifting *l, int64_t n)
{
    ir_node node = l->from->node[n];
    for (int k = 0; k < ir_op_table[node.op].arguments; k++)
        node.arg[k] = argument_of(l, node.arg[k], takes_numbers(node.op));
    l->now[n] = put(l, node);
}

/* Only in f64: there the uniform has exactly the constant's value. */
static void lift_stage(ir *code, int stage)
{
    ir_stage *s = &code->stage[stage];
    const int64_t most = s->count * (1 + (int64_t)COUNT_OF(s->node->arg)) + s->outputs;
    if (s->real != PAV_F64)
        return;
    lifting l = {.code = code,
                 .from = s,
                 .node = arena_alloc(code->arena, most + 1, sizeof *l.node),
                 .now = arena_alloc(code->arena, s->count + 1, sizeof *l.now)};
    for (int64_t n = 0; n < s->count; n++)
        if (s->node[n].op != IR_CONST)
            put_node(&l, n);
    for (int64_t k = 0; k < s->outputs; k++)
        s->output[k].node = argument_of(&l, s->output[k].node, false);
    s->node = l.node;
    s->count = l.count;
    s->capacity = most;
}

static pav_status lift_all(ir *code)
{
    for (int64_t n = 0; n < code->start.count; n++) {
        const ir_start *s = &code->start.item[n];
        if (s->kind == START_STAGE && s->field >= 0 &&
            !ir_list_has(&code->step, s->stage))
            lift_stage(code, s->stage);
    }
    return PAV_OK;
}

pav_status ir_lift_numbers(ir *code)
{
    pav_status status;
    ARENA_GUARD(code->arena, status, lift_all(code));
    return status;
}
