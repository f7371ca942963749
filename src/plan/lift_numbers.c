/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of the start as uniforms: what follows from the size of the grid, as nx/2 does,
 * stands in kernels as a constant, and as a uniform it does not, so that kernels serve
 * grids of all sizes. Steps keep their constants. */
#include "plan/plan_private.h"

/* Its arguments may be uniforms, which changes no bit. */
static bool takes_numbers(ir_op op)
{
    return op == IR_NEG || op == IR_ADD || op == IR_SUB || op == IR_MUL || op == IR_DIV ||
           op == IR_FMA || op == IR_MIN || op == IR_MAX || op == IR_LT || op == IR_LE ||
           op == IR_EQ || op == IR_NE;
}

static bool is_used_as_number(const ir_stage *s, int64_t node)
{
    bool any = false;
    for (int64_t n = 0; n < s->count; n++)
        for (int k = 0; k < ir_op_table[s->node[n].op].arguments; k++)
            if (s->node[n].arg[k] == node) {
                any = true;
                if (!takes_numbers(s->node[n].op))
                    return false;
            }
    return any;
}

/* In f64, where a uniform is what the constant was. */
static void lift_stage(ir *code, int stage)
{
    ir_stage *s = &code->stage[stage];
    for (int64_t n = 0; n < s->count && s->real == PAV_F64; n++) {
        ir_node *node = &s->node[n];
        if (node->op != IR_CONST || !is_used_as_number(s, n))
            continue;
        node->uniform = code_add_uniform(code, UNIFORM_COMPUTED, NULL,
                                         num_f64(node->value));
        node->op = IR_UNIFORM;
    }
}

void ir_lift_numbers(ir *code)
{
    for (int64_t n = 0; n < code->start.count; n++) {
        const ir_start *s = &code->start.item[n];
        if (s->kind == START_STAGE && s->field >= 0 &&
            !ir_list_has(&code->step, s->stage))
            lift_stage(code, s->stage);
    }
}
