/* SPDX-License-Identifier: BSD-3-Clause */
#include "passed.h"

#include <stdio.h>

#include "test.h"

static pav_status run_blocks(ir *code, const char *last)
{
    for (const ir_pass *pass = pass_table; pass->name; pass++) {
        if (last && !*last)
            break;
        for (int64_t k = 0, stages = code->stages; k < stages; k++)
            pass->run(code, (int)k);
        if (last && strcmp(pass->name, last) == 0)
            break;
    }
    if (!last)
        ir_set_radius(code);
    return PAV_OK;
}

lowered passed_open(const char *source, const char *last)
{
    lowered l = lowered_open(source);
    pav_status status;

    ARENA_GUARD(l.code->arena, status, run_blocks(l.code, last));
    REQUIRE_OK(status);
    return l;
}

static const char *wrap(const char *right)
{
    static char source[100000];

    snprintf(source, sizeof source,
             "grid x 9, y 8, z 7\nfield u = 1; v = 1; w = 1\nparam k = 3\nscalar s = 2\n"
             "u' = %s\nborder = 0 beyond\nsteps 1\n",
             right);
    return source;
}

/* ---- nodes as expressions ---------------------------------------------------------- */

static const char *const_text(arena *a, num value)
{
    text t = {0};

    num_print(&t, value);
    const char *copy = arena_print(a, "%s", t.data);
    text_free(&t);
    return copy;
}

static const char *leaf_text(const lowered *l, const ir_node *n)
{
    arena *a = l->code->arena;
    const char *name = n->op == IR_LOAD ? l->code->field[n->field].name : "";
    const int *o = n->offset;

    switch (n->op) {
    case IR_CONST: return const_text(a, n->value);
    case IR_INDEX: return arena_print(a, "%c", "xyz"[n->axis]);
    case IR_TABLE: return arena_print(a, "T%d[%d]", n->table, o[0]);
    case IR_UNIFORM: name = l->code->uniform[n->uniform].name; return name ? name : "c";
    default:
        if (n->level)
            name = arena_print(a, n->level > 0 ? "%s'" : "prev(%s)", name);
        return o[0] || o[1] || o[2]
                   ? arena_print(a, "%s[%d,%d,%d]", name, o[0], o[1], o[2])
                   : name;
    }
}

/* Operands of commutative operations are printed in alphabetical order, so that tests do
 * not depend on their order in the IR. */
static const char *node_text(const lowered *l, const ir_stage *s, int number)
{
    arena *a = l->code->arena;
    const ir_node *n = &s->node[number];
    const ir_op_info *info = &ir_op_table[n->op];
    const char *arg[3] = {"", "", ""};

    for (int k = 0; k < info->arguments; k++)
        arg[k] = node_text(l, s, n->arg[k]);
    if (ir_commutes(n->op) && strcmp(arg[0], arg[1]) > 0) {
        const char *other = arg[0];
        arg[0] = arg[1];
        arg[1] = other;
    }
    switch (info->arguments) {
    case 0: return leaf_text(l, n);
    case 1: return arena_print(a, "%s(%s)", info->text, arg[0]);
    case 2: return arena_print(a, "(%s %s %s)", arg[0], info->text, arg[1]);
    default: return arena_print(a, "%s(%s, %s, %s)", info->text, arg[0], arg[1], arg[2]);
    }
}

static pav_status put_text(const lowered *l, const ir_stage *s, int64_t output,
                           char *copy, size_t size)
{
    snprintf(copy, size, "%s", node_text(l, s, s->output[output].node));
    return PAV_OK;
}

const char *output_text(const lowered *l, const ir_stage *stage, int64_t output)
{
    static char copy[8][20000];
    static int next;
    pav_status status;

    next = (next + 1) % 8;
    ARENA_GUARD(l->code->arena, status,
                put_text(l, stage, output, copy[next], sizeof copy[next]));
    REQUIRE_OK(status);
    return copy[next];
}

const char *passed_text(const char *right, const char *last)
{
    lowered l = passed_open(wrap(right), last);
    const char *result = output_text(&l, step_stage(&l, 0), 0);

    lowered_free(&l);
    return result;
}

ir_cost program_cost(const char *source, const char *last)
{
    lowered l = passed_open(source, last);
    const ir_cost cost = ir_stage_cost(l.code, step_stage(&l, 0));

    lowered_free(&l);
    return cost;
}

ir_cost passed_cost(const char *right, const char *last)
{
    return program_cost(wrap(right), last);
}
