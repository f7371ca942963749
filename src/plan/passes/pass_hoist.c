/* SPDX-License-Identifier: BSD-3-Clause */
/* hoist: values computed only from constants and uniforms move to a stage evaluated once
 * before this one, in f64, and are read from a slot. Conditions stay (a slot holds a
 * real), but their operands move; a lone negation stays, because it is free. */
#include "plan/plan_private.h"

typedef struct hoisting {
    builder point, before;
    const ir_stage *old;
    const unsigned char *depends;
    int *before_map; /* of moved old nodes */
    bool *root;      /* to be read from a slot */
} hoisting;

static bool is_uniform(const hoisting *h, int n)
{
    return (h->depends[n] & ~(unsigned)ON_UNIFORM) == 0;
}

static bool computes(const ir_stage *s, int n)
{
    const ir_node *node = &s->node[n];

    if (ir_op_table[node->op].arguments == 0)
        return false;
    return node->op != IR_NEG || ir_op_table[s->node[node->arg[0]].op].arguments > 0;
}

/* Roots are read by a node that stays, or by an output. */
static void mark(const hoisting *h, int n)
{
    h->root[n] = is_uniform(h, n) && computes(h->old, n) &&
                 !ir_is_boolean(h->old->node[n].op);
}

static bool stays(const hoisting *h, int n)
{
    return !is_uniform(h, n) || ir_is_boolean(h->old->node[n].op) || !computes(h->old, n);
}

static int find_roots(hoisting *h, arena *a)
{
    const bool *live = stage_live(h->old, a);
    bool *needed = arena_alloc(a, h->old->count + 1, sizeof *needed);
    int roots = 0;

    h->root = arena_alloc(a, h->old->count + 1, sizeof *h->root);
    for (int64_t k = 0; k < h->old->outputs; k++)
        needed[h->old->output[k].node] = true;
    for (int k = (int)h->old->count; k-- > 0;) {
        const ir_node *n = &h->old->node[k];
        if (!live[k] || !needed[k])
            continue;
        mark(h, k);
        roots += h->root[k];
        for (int i = 0; stays(h, k) && i < ir_op_table[n->op].arguments; i++)
            needed[n->arg[i]] = true;
    }
    return roots;
}

/* Moves all nodes needed by roots, in order. */
static void move(ir *code, hoisting *h)
{
    bool *wanted = arena_alloc(code->arena, h->old->count + 1, sizeof *wanted);

    for (int64_t k = h->old->count; k-- > 0;) {
        const ir_node *n = &h->old->node[k];
        wanted[k] = wanted[k] || h->root[k];
        for (int i = 0; wanted[k] && i < ir_op_table[n->op].arguments; i++)
            wanted[n->arg[i]] = true;
    }
    for (int64_t k = 0; k < h->old->count; k++)
        if (wanted[k])
            h->before_map[k] = build_copy(&h->before, &h->old->node[k], h->before_map);
}

static int read_slot(ir *code, hoisting *h, int n)
{
    const int slot = code_add_uniform(code, UNIFORM_COMPUTED, NULL, 0);
    const ir_output output = {.kind = IR_SET, .node = h->before_map[n], .uniform = slot};

    stage_add_output(code, h->before.stage, &output);
    return build_uniform(&h->point, slot);
}

/* The stage before is new: the pass runs once, on stages from lowering without a stage
 * before. */
static builder open_before(ir *code, int stage)
{
    const char *name = arena_print(code->arena, "before %s", code->stage[stage].name);
    const int before = code_add_stage(code, name, PAV_F64, false);

    code->stage[stage].before = before;
    return builder_open(code, &code->stage[before]);
}

void pass_hoist(ir *code, int stage)
{
    const ir_stage old = code->stage[stage];
    arena *a = code->arena;
    hoisting h = {.old = &old, .depends = stage_depends(code, &old, a)};

    if (ir_is_uniform(&old) || find_roots(&h, a) == 0)
        return;
    h.before = open_before(code, stage);
    h.before_map = arena_alloc(a, old.count + 1, sizeof *h.before_map);
    move(code, &h);
    h.point = builder_open(code, &code->stage[stage]);
    int *map = arena_alloc(a, old.count + 1, sizeof *map);
    for (int k = 0; k < (int)old.count; k++)
        map[k] = h.root[k] ? read_slot(code, &h, k)
                           : build_copy(&h.point, &old.node[k], map);
    stage_redirect(&code->stage[stage], map);
    stage_sweep(code, stage);
}
