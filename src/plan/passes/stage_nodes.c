/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers of passes for the nodes of a stage: liveness, uses and dependences, and
 * rewriting node by node. */
#include "plan/plan_private.h"

unsigned node_depends(const ir *code, const ir_node *n, const unsigned char *depends)
{
    unsigned all = 0;

    switch (n->op) {
    case IR_CONST: return 0;
    case IR_UNIFORM: return ON_UNIFORM;
    case IR_INDEX: return (unsigned)ON_X << n->axis;
    case IR_TABLE: return (unsigned)ON_X << code->table[n->table].axis;
    case IR_LOAD:
    case IR_RANDOM:
    case IR_ROUND: return ON_POINT; /* rounding belongs to the stage that stores */
    default: break;
    }
    for (int k = 0; k < ir_op_table[n->op].arguments; k++)
        all |= depends[n->arg[k]];
    return all;
}

static void append(arena *a, ir_list *list, const ir_list *more)
{
    for (int64_t k = 0; k < more->count; k++) {
        arena_reserve(a, &list->stage, list->count, &list->capacity, sizeof *list->stage);
        list->stage[list->count++] = more->stage[k];
    }
}

ir_list equation_list(const ir *code)
{
    ir_list all = {0};

    append(code->arena, &all, &code->step);
    for (int64_t k = 0; k < code->solves.count; k++)
        append(code->arena, &all, &code->solves.item[k].list);
    return all;
}

/* True for a linear function of an index. Folded functions are short, so deeper nesting
 * is not searched. */
static bool is_line(const ir_stage *s, int node, int depth)
{
    const ir_node *n = &s->node[node];

    switch (n->op) {
    case IR_INDEX:
    case IR_CONST: return true;
    case IR_NEG:
    case IR_FLOOR: return depth > 0 && is_line(s, n->arg[0], depth - 1);
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
        return depth > 0 && is_line(s, n->arg[0], depth - 1) &&
               is_line(s, n->arg[1], depth - 1);
    default: return false;
    }
}

bool is_coordinate(const ir_stage *stage, int a, int b)
{
    enum { DEEPEST = 6 };
    const ir_node *below = &stage->node[b];

    return below->op == IR_CONST && !num_equal(below->value, num_int(1)) &&
           stage->node[a].op != IR_CONST && is_line(stage, a, DEEPEST);
}

unsigned char *stage_depends(const ir *code, const ir_stage *stage, arena *a)
{
    unsigned char *depends = arena_alloc(a, stage->count + 1, 1);

    for (int64_t k = 0; k < stage->count; k++)
        depends[k] = (unsigned char)node_depends(code, &stage->node[k], depends);
    return depends;
}

bool *stage_live(const ir_stage *stage, arena *a)
{
    bool *live = arena_alloc(a, stage->count + 1, sizeof *live);

    for (int64_t k = 0; k < stage->outputs; k++)
        live[stage->output[k].node] = true;
    for (int64_t k = stage->count; k-- > 0;) {
        const ir_node *n = &stage->node[k];
        for (int i = 0; live[k] && i < ir_op_table[n->op].arguments; i++)
            live[n->arg[i]] = true;
    }
    return live;
}

int *stage_uses(const ir_stage *stage, arena *a)
{
    const bool *live = stage_live(stage, a);
    int *uses = arena_alloc(a, stage->count + 1, sizeof *uses);

    for (int64_t k = 0; k < stage->outputs; k++)
        uses[stage->output[k].node]++;
    for (int64_t k = 0; k < stage->count; k++)
        for (int i = 0; live[k] && i < ir_op_table[stage->node[k].op].arguments; i++)
            uses[stage->node[k].arg[i]]++;
    return uses;
}

bool ir_is_uniform(const ir_stage *stage)
{
    for (int64_t k = 0; k < stage->outputs; k++)
        if (stage->output[k].kind != IR_SET)
            return false;
    return stage->outputs > 0;
}

int ir_reductions(const ir_stage *stage)
{
    int count = 0;

    for (int64_t k = 0; k < stage->outputs; k++)
        count += stage->output[k].kind == IR_REDUCE;
    return count;
}

bool ir_list_has(const ir_list *list, int64_t stage)
{
    for (int64_t k = 0; k < list->count; k++)
        if (list->stage[k] == stage)
            return true;
    return false;
}

void stage_redirect(ir_stage *stage, const int *map)
{
    for (int64_t k = 0; k < stage->outputs; k++)
        stage->output[k].node = map[stage->output[k].node];
}

static void rewrite_live(ir *code, int stage, ir_rewrite *rewrite)
{
    ir_stage *s = &code->stage[stage];
    const ir_stage old = *s;
    const bool *live = stage_live(&old, code->arena);
    int *map = arena_alloc(code->arena, old.count + 1, sizeof *map);
    builder b = builder_open(code, s);

    for (int64_t k = 0; k < old.count; k++)
        map[k] = live[k] ? rewrite(&b, &old.node[k], map) : -1;
    stage_redirect(s, map);
}

void stage_sweep(ir *code, int stage)
{
    rewrite_live(code, stage, build_copy);
}

void stage_rewrite(ir *code, int stage, ir_rewrite *rewrite)
{
    rewrite_live(code, stage, rewrite);
    stage_sweep(code, stage);
}
