/* SPDX-License-Identifier: BSD-3-Clause */
/* Equality of programs for schedules: the same operations on the same points, and the
 * same fields around them. Values of constants and extents do not affect the speed of a
 * schedule. */
#include "wisdom/wisdom.h"

enum { MOST_UNOBSERVED = 16 };

static void add(hash *h, int64_t value)
{
    hash_add(h, &value, sizeof value);
}

static void add_node(hash *h, const ir_node *n)
{
    add(h, n->op);
    for (int k = 0; k < ir_op_table[n->op].arguments; k++)
        add(h, n->arg[k]);
    if (n->op == IR_TABLE || n->op == IR_INDEX)
        add(h, n->axis);
    if (n->op != IR_LOAD)
        return;
    add(h, n->field);
    add(h, n->level);
    add(h, n->transfer);
    add(h, n->kept);
    for (int axis = 0; axis < MAX_DIM; axis++)
        add(h, n->offset[axis]);
}

static void add_stage(hash *h, const ir_stage *s)
{
    add(h, s->real);
    add(h, s->coarse);
    add(h, s->count);
    for (int64_t n = 0; n < s->count; n++)
        add_node(h, &s->node[n]);
    add(h, s->outputs);
    for (int64_t n = 0; n < s->outputs; n++) {
        add(h, s->output[n].kind);
        add(h, s->output[n].node);
        add(h, s->output[n].kind == IR_STORE ? s->output[n].field : 0);
        add(h, s->output[n].kind == IR_STORE ? s->output[n].level : 0);
    }
}

static void add_field(hash *h, const ir_field *f)
{
    add(h, f->storage);
    add(h, f->coarse);
    add(h, f->updated);
    add(h, f->levels);
    add(h, f->masks);
    for (int axis = 0; axis < MAX_DIM; axis++)
        for (int side = 0; side < 2; side++) {
            add(h, f->halo[axis][side]);
            add(h, f->border[axis][side].kind);
        }
}

uint64_t wisdom_program(const ir *code, int64_t unobserved)
{
    const bool seldom = unobserved == 0 || unobserved > MOST_UNOBSERVED;
    hash h;
    hash_init(&h);
    add(&h, code->dim);
    for (int64_t n = 0; n < code->fields; n++)
        add_field(&h, &code->field[n]);
    for (int64_t n = 0; n < code->step.count; n++)
        add_stage(&h, &code->stage[code->step.stage[n]]);
    add(&h, code->injections.count);
    add(&h, seldom ? MOST_UNOBSERVED : unobserved);
    return hash_end(&h);
}
