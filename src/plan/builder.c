/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds stages. Nodes are appended in topological order and value-numbered, so that a
 * stage never holds the same value twice. Equal here means equal bit for bit; nothing is
 * simplified. */
#include <string.h>

#include "plan/plan_private.h"

enum {
    FIRST_SLOTS = 64, /* of the hash table, a power of two; it grows when half full */
};

const ir_op_info ir_op_table[IR_OP_COUNT] = {
#define X(name, arguments, flops, text) {#name, text, arguments, flops},
    IR_OP_LIST(X)
#undef X
};

bool ir_is_boolean(ir_op op)
{
    return op >= IR_LT && op <= IR_NOT;
}

ir_node node_blank(ir_op op)
{
    ir_node n;

    memset(&n, 0, sizeof n);
    n.op = op;
    for (int k = 0; k < 3; k++)
        n.arg[k] = -1;
    n.value = num_int(0);
    return n;
}

/* ---- equality of nodes ------------------------------------------------------------- */

/* Constants are kept apart when one is exact and the other is not: they may round
 * differently to f32. Doubles are compared by their bits, which distinguish -0 from 0. */
static bool same_num(num a, num b)
{
    if (a.exact != b.exact)
        return false;
    return a.exact ? a.p == b.p && a.q == b.q : double_bits(a.v) == double_bits(b.v);
}

static bool node_equals(const ir_node *a, const ir_node *b)
{
    return a->op == b->op && memcmp(a->arg, b->arg, sizeof a->arg) == 0 &&
           a->uniform == b->uniform && a->axis == b->axis && a->table == b->table &&
           a->field == b->field && a->level == b->level && a->transfer == b->transfer &&
           a->kept == b->kept && a->type == b->type &&
           memcmp(a->offset, b->offset, sizeof a->offset) == 0 &&
           same_num(a->value, b->value);
}

bool stage_equals(const ir_stage *a, const ir_stage *b)
{
    if (a->outputs != 1 || b->outputs != 1 || a->coarse != b->coarse ||
        a->real != b->real)
        return false;
    const ir_output *x = a->output, *y = b->output;
    if (x->kind != y->kind || x->node != y->node || x->reduction != y->reduction ||
        a->count != b->count)
        return false;
    for (int64_t k = 0; k < a->count; k++)
        if (!node_equals(&a->node[k], &b->node[k]))
            return false;
    return true;
}

static uint64_t node_hash(const ir_node *n)
{
    const int word[] = {(int)n->op,   n->arg[0],        n->arg[1],    n->arg[2],
                        n->field,     n->level,         n->table,     n->uniform,
                        n->axis,      (int)n->transfer, n->offset[0], n->offset[1],
                        n->offset[2], (int)n->type,     (int)n->kept};
    uint64_t h = 0;

    for (size_t k = 0; k < COUNT_OF(word); k++)
        h = hash_mix(h ^ (uint32_t)word[k]);
    return hash_mix(h ^ double_bits(n->value.v));
}

bool ir_commutes(ir_op op)
{
    return op == IR_ADD || op == IR_MUL || op == IR_FMA || op == IR_EQ || op == IR_NE ||
           op == IR_AND || op == IR_OR;
}

/* ---- the builder ------------------------------------------------------------------- */

builder builder_open(ir *code, ir_stage *stage)
{
    builder b = {.code = code, .stage = stage, .slots = FIRST_SLOTS};

    b.slot = arena_alloc(code->arena, b.slots, sizeof *b.slot);
    stage->node = NULL;
    stage->count = stage->capacity = 0;
    return b;
}

/* The place of a node, or the free place for it. */
static int *find_slot(const builder *b, const ir_node *n)
{
    const uint64_t mask = (uint64_t)b->slots - 1;
    uint64_t at = node_hash(n) & mask;

    while (b->slot[at] && !node_equals(&b->stage->node[b->slot[at] - 1], n))
        at = (at + 1) & mask;
    return &b->slot[at];
}

static void grow(builder *b)
{
    b->slots *= 2;
    b->slot = arena_alloc(b->code->arena, b->slots, sizeof *b->slot);
    for (int k = 0; k < (int)b->stage->count; k++)
        *find_slot(b, &b->stage->node[k]) = k + 1;
}

static int append(builder *b, const ir_node *n)
{
    ir_stage *s = b->stage;
    arena *a = b->code->arena;

    if (s->count >= MAX_NODES)
        arena_fail(
            a, PAV_ELIMIT,
            "stage '%s' needs more than %d operations a point; split its equation in two",
            s->name ? s->name : "", MAX_NODES);
    arena_reserve(a, &s->node, s->count, &s->capacity, sizeof *s->node);
    s->node[s->count] = *n;
    return (int)s->count++;
}

int build_node(builder *b, const ir_node *n)
{
    ir_node wanted = *n;

    if (ir_commutes(n->op) && n->arg[0] > n->arg[1]) {
        wanted.arg[0] = n->arg[1];
        wanted.arg[1] = n->arg[0];
    }
    int *slot = find_slot(b, &wanted);
    if (*slot)
        return *slot - 1;
    const int number = append(b, &wanted);
    *slot = number + 1;
    if (2 * b->stage->count > b->slots)
        grow(b);
    return number;
}

int build_op(builder *b, ir_op op, int a0, int a1, int a2)
{
    ir_node n = node_blank(op);

    n.arg[0] = a0;
    n.arg[1] = a1;
    n.arg[2] = a2;
    return build_node(b, &n);
}

int build_const(builder *b, num value)
{
    ir_node n = node_blank(IR_CONST);

    n.value = value;
    return build_node(b, &n);
}

int build_uniform(builder *b, int slot)
{
    ir_node n = node_blank(IR_UNIFORM);

    n.uniform = slot;
    return build_node(b, &n);
}

int build_copy(builder *b, const ir_node *old, const int *map)
{
    ir_node n = *old;

    for (int k = 0; k < ir_op_table[n.op].arguments; k++)
        n.arg[k] = map[old->arg[k]];
    return build_node(b, &n);
}

/* ---- arrays of the ir -------------------------------------------------------------- */

int code_add_stage(ir *code, const char *name, pav_type real, int coarse)
{
    arena_reserve(code->arena, &code->stage, code->stages, &code->stage_capacity,
                  sizeof *code->stage);
    code->stage[code->stages] = (ir_stage){
        .name = name, .real = real, .coarse = coarse, .before = -1};
    return (int)code->stages++;
}

int code_add_uniform(ir *code, ir_uniform_kind kind, const char *name, double value)
{
    arena_reserve(code->arena, &code->uniform, code->uniforms, &code->uniform_capacity,
                  sizeof *code->uniform);
    code->uniform[code->uniforms] = (ir_uniform){
        .kind = kind, .name = name, .value = value};
    return (int)code->uniforms++;
}

int code_add_table(ir *code, int axis, int coarse)
{
    arena_reserve(code->arena, &code->table, code->tables, &code->table_capacity,
                  sizeof *code->table);
    code->table[code->tables] = (ir_table){
        .axis = axis,
        .coarse = coarse,
        .stage = {.name = "table", .real = PAV_F64, .coarse = coarse, .before = -1},
    };
    return (int)code->tables++;
}

int code_add_metric(ir *code, const ir_metric *m)
{
    for (int k = 0; k < (int)code->metrics; k++)
        if (memcmp(&code->metric[k], m, sizeof *m) == 0)
            return k;
    arena_reserve(code->arena, &code->metric, code->metrics, &code->metric_capacity,
                  sizeof *code->metric);
    code->metric[code->metrics] = *m;
    return (int)code->metrics++;
}

double ir_metric_value(const ir *code, int metric, int64_t index)
{
    enum { MOST_TAPS = 2 * MAX_OFFSET + 1 };
    const ir_metric *m = &code->metric[metric];
    double weight[MOST_TAPS] = {0};

    switch (m->kind) {
    case METRIC_PLACE: return axis_coordinate(code->program, m->axis, m->coarse, index);
    case METRIC_WIDTH: return axis_width(code->program, m->axis, m->coarse, index);
    default:
        axis_weights(code->program, m->axis, m->coarse, index, m->derivative, m->order,
                     m->half, weight);
        return weight[m->tap];
    }
}

void stage_add_output(ir *code, ir_stage *stage, const ir_output *output)
{
    arena_reserve(code->arena, &stage->output, stage->outputs, &stage->output_capacity,
                  sizeof *stage->output);
    stage->output[stage->outputs++] = *output;
}

void list_add(ir *code, ir_list *list, int stage)
{
    arena_reserve(code->arena, &list->stage, list->count, &list->capacity,
                  sizeof *list->stage);
    list->stage[list->count++] = stage;
}
