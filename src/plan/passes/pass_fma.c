/* SPDX-License-Identifier: BSD-3-Clause */
/* fma: a product with one reader, a sum or difference, is contracted into it: one
 * rounding and one instruction less. Of two products the one with the later kind is
 * chosen. Nodes equal up to a shift along the slowest axis are treated equally; if a
 * schedule could keep a product for another plane, this counts as another reader. Two
 * products equal up to any shift stay products, so that the difference of two fluxes
 * keeps its mirror symmetry. Negation is free: a - x*y is fma(-x, y, a). */
#include "plan/plan_private.h"

typedef struct contraction {
    builder build;
    const ir_node *old;
    alike alike, images; /* up to shifts along the slowest axis; along all */
    int *uses;           /* readers of a kind: nodes of different kinds, and outputs */
} contraction;

static void count_uses(contraction *c, const ir_stage *s)
{
    arena *a = c->build.code->arena;
    bool *seen = arena_alloc(a, c->alike.kinds + 1, sizeof *seen);

    c->uses = arena_alloc(a, c->alike.kinds + 1, sizeof *c->uses);
    for (int64_t k = 0; k < s->outputs; k++)
        c->uses[c->alike.node[s->output[k].node].kind]++;
    for (int64_t k = 0; k < s->count; k++) {
        const ir_node *n = &s->node[k];
        if (seen[c->alike.node[k].kind])
            continue;
        seen[c->alike.node[k].kind] = true;
        for (int i = 0; i < ir_op_table[n->op].arguments; i++)
            c->uses[c->alike.node[n->arg[i]].kind]++;
    }
}

static bool is_product(const contraction *c, int n)
{
    return c->old[n].op == IR_MUL && c->uses[c->alike.node[n].kind] == 1;
}

/* The argument of a sum to contract: 0, 1, or -1 for none. */
static int choose(const contraction *c, const ir_node *n)
{
    const int left = n->arg[0], right = n->arg[1];

    if (!is_product(c, left) || !is_product(c, right))
        return is_product(c, right) ? 1 : is_product(c, left) ? 0 : -1;
    if (c->images.node[left].kind == c->images.node[right].kind)
        return -1;
    return n->op == IR_SUB || c->alike.node[right].kind > c->alike.node[left].kind ? 1
                                                                                   : 0;
}

static int negate(builder *b, int n)
{
    const ir_node *node = &b->stage->node[n];

    if (node->op == IR_CONST)
        return build_const(b, num_neg(node->value));
    return node->op == IR_NEG ? node->arg[0] : build_op(b, IR_NEG, n, -1, -1);
}

/* The factor of a product that takes a sign: a constant, else the factor with the smaller
 * kind or place. */
static int choose_factor(const contraction *c, const ir_node *product)
{
    const alike_place *a = &c->alike.node[product->arg[0]];
    const alike_place *b = &c->alike.node[product->arg[1]];

    for (int k = 0; k < 2; k++)
        if (c->old[product->arg[k]].op == IR_CONST)
            return k;
    if (a->kind != b->kind)
        return a->kind < b->kind ? 0 : 1;
    for (int axis = 0; axis < MAX_DIM; axis++)
        if (a->at[axis] != b->at[axis])
            return a->at[axis] < b->at[axis] ? 0 : 1;
    return 0;
}

static int contract(contraction *c, const ir_node *n, int which, const int *map)
{
    builder *b = &c->build;
    const ir_node *product = &c->old[n->arg[which]];
    const int first = choose_factor(c, product);
    int x = map[product->arg[first]], z = map[n->arg[1 - which]];

    if (n->op == IR_SUB && which == 0)
        z = negate(b, z);
    else if (n->op == IR_SUB)
        x = negate(b, x);
    return build_op(b, IR_FMA, x, map[product->arg[1 - first]], z);
}

void pass_fma(ir *code, int stage)
{
    ir_stage *s = &code->stage[stage];
    const ir_stage old = *s;
    int *map = arena_alloc(code->arena, old.count + 1, sizeof *map);
    contraction c = {.build = builder_open(code, s), .old = old.node};

    c.alike = alike_open(code->arena, 1u << (code->dim > 0 ? code->dim - 1 : 0));
    alike_update(&c.alike, &old);
    c.images = alike_open(code->arena, ON_AXES);
    alike_update(&c.images, &old);
    count_uses(&c, &old);
    for (int64_t k = 0; k < old.count; k++) {
        const ir_node *n = &old.node[k];
        const int which = n->op == IR_ADD || n->op == IR_SUB ? choose(&c, n) : -1;
        map[k] = which < 0 ? build_copy(&c.build, n, map) : contract(&c, n, which, map);
    }
    stage_redirect(s, map);
    stage_sweep(code, stage);
}
