/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds stages, and rebuilds them for passes. Nodes are appended in topological order
 * and value-numbered, so that a stage never holds the same value twice. Equal here means
 * equal bit for bit; nothing is simplified. Passes ask for liveness and dependences of
 * nodes, and rewrite a stage node by node. */
#include <string.h>

#include "plan/plan_private.h"

enum {
    FIRST_SLOTS = 64, /* of the hash table, a power of two; it grows when half full */
};

const ir_op_info ir_op_table[IR_OP_COUNT] = {
#define X(name, arguments, flops, text) {#name, text, arguments, flops},
#define ONE(name, word, ...) {#name, #word, 1, 1},
#define PAIR(name, word, ...) {#name, #word, 2, 1},
    IR_OP_LIST(X, ONE, PAIR)
#undef X
};

bool ir_is_boolean(ir_op op)
{
    return op >= IR_LT && op <= IR_EVEN;
}

bool ir_is_function(ir_op op)
{
    return op > IR_SQRT && op < IR_LT;
}

bool ir_has_functions(const ir_stage *stage)
{
    for (const ir_node *n = NULL; (n = ir_next_node(stage, n));)
        if (ir_is_function(n->op))
            return true;
    return false;
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
bool node_equals(const ir_node *a, const ir_node *b)
{
    const num *x = &a->value, *y = &b->value;

    return a->op == b->op && memcmp(a->arg, b->arg, sizeof a->arg) == 0 &&
           a->uniform == b->uniform && a->axis == b->axis && a->table == b->table &&
           a->field == b->field && a->level == b->level && a->transfer == b->transfer &&
           a->kept == b->kept && a->type == b->type &&
           memcmp(a->offset, b->offset, sizeof a->offset) == 0 && x->exact == y->exact &&
           (x->exact ? x->p == y->p && x->q == y->q
                     : double_bits(x->v) == double_bits(y->v));
}

bool stage_equals(const ir_stage *a, const ir_stage *b)
{
    if (a->outputs != 1 || b->outputs != 1 || a->coarse != b->coarse ||
        a->real != b->real || memcmp(a->inset, b->inset, sizeof a->inset) != 0)
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
    const int word[] = {(int)n->op,   n->arg[0],        n->arg[1],    n->arg[2],
                        n->field,     n->level,         n->table,     n->uniform,
                        n->axis,      (int)n->transfer, n->offset[0], n->offset[1],
                        n->offset[2], (int)n->type,     (int)n->kept};
    uint64_t at = 0;

    for (size_t k = 0; k < COUNT_OF(word); k++)
        at = hash_word(at, (uint32_t)word[k]);
    at = hash_mix(at ^ double_bits(n->value.v)) & mask;
    while (b->slot[at] && !node_equals(&b->stage->node[b->slot[at] - 1], n))
        at = (at + 1) & mask;
    return &b->slot[at];
}

int build_node(builder *b, const ir_node *n)
{
    ir_stage *s = b->stage;
    arena *a = b->code->arena;
    ir_node wanted = *n;

    if (ir_commutes(n->op) && n->arg[0] > n->arg[1]) {
        wanted.arg[0] = n->arg[1];
        wanted.arg[1] = n->arg[0];
    }
    int *slot = find_slot(b, &wanted);
    if (*slot)
        return *slot - 1;
    if (s->count >= MAX_NODES)
        arena_fail(
            a, PAV_ELIMIT,
            "stage '%s' needs more than %d operations a point; split its equation in two",
            s->name ? s->name : "", MAX_NODES);
    ARENA_ADD(a, s->node, s->count, s->capacity) = wanted;
    *slot = (int)s->count;
    if (2 * s->count > b->slots) {
        b->slots *= 2;
        b->slot = arena_alloc(a, b->slots, sizeof *b->slot);
        for (int k = 0; k < (int)s->count; k++)
            *find_slot(b, &s->node[k]) = k + 1;
    }
    return (int)s->count - 1;
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

int ir_computed(const ir_stage *stage, const ir_node *n)
{
    if (n->op != IR_LOAD || n->level != 1 || (stage->along && !ir_is_here(n)))
        return -1;
    for (int64_t k = 0; k < stage->outputs; k++)
        if (stage->output[k].field == n->field)
            return stage->output[k].node;
    return -1;
}

void build_join(builder *b, const ir_stage *stage)
{
    ir_stage *into = b->stage;
    int *map = arena_alloc(b->code->arena, stage->count + 1, sizeof *map);

    for (int64_t k = 0; k < stage->count; k++) {
        const int known = ir_computed(into, &stage->node[k]);
        map[k] = known >= 0 ? known : build_copy(b, &stage->node[k], map);
    }
    for (int64_t k = 0; k < stage->outputs; k++) {
        ir_output output = stage->output[k];
        output.node = map[output.node];
        stage_add_output(b->code, into, &output);
    }
    into->name = into->name
                     ? arena_print(b->code->arena, "%s, %s", into->name, stage->name)
                     : stage->name;
}

/* ---- arrays of the ir -------------------------------------------------------------- */

int code_add_stage(ir *code, const char *name, pav_type real, int coarse)
{
    ARENA_ADD(code->arena, code->stage, code->stages, code->stage_capacity) = (ir_stage){
        .name = name, .real = real, .coarse = coarse, .before = -1};
    return (int)code->stages - 1;
}

int code_add_uniform(ir *code, ir_uniform_kind kind, const char *name, double value)
{
    ARENA_ADD(code->arena, code->uniform, code->uniforms,
              code->uniform_capacity) = (ir_uniform){
        .kind = kind, .name = name, .value = value};
    return (int)code->uniforms - 1;
}

int code_add_metric(ir *code, const ir_metric *m)
{
    for (int k = 0; k < (int)code->metrics; k++)
        if (memcmp(&code->metric[k], m, sizeof *m) == 0)
            return k;
    ARENA_ADD(code->arena, code->metric, code->metrics, code->metric_capacity) = *m;
    return (int)code->metrics - 1;
}

int code_add_table(ir *code, int axis, int coarse)
{
    ARENA_ADD(code->arena, code->table, code->tables, code->table_capacity) = (ir_table){
        .axis = axis,
        .coarse = coarse,
        .stage = {.name = "table", .real = PAV_F64, .coarse = coarse, .before = -1},
    };
    return (int)code->tables - 1;
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
    ARENA_ADD(code->arena, stage->output, stage->outputs,
              stage->output_capacity) = *output;
}

void list_add(ir *code, ir_list *list, int stage)
{
    ARENA_ADD(code->arena, list->stage, list->count, list->capacity) = stage;
}

/* ---- nodes of a stage, for passes -------------------------------------------------- */

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

ir_list equation_list(const ir *code)
{
    ir_list all = {0};

    for (int64_t k = -1; k < code->solves.count; k++) {
        const ir_list *more = k < 0 ? &code->step : &code->solves.item[k].list;
        for (int64_t i = 0; i < more->count; i++) {
            ARENA_ADD(code->arena, all.stage, all.count, all.capacity) = more->stage[i];
        }
    }
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

static void rewrite_live(ir *code, ir_stage *s, ir_rewrite *rewrite, void *user)
{
    const ir_stage old = *s;
    const bool *live = stage_live(&old, code->arena);
    int *map = arena_alloc(code->arena, old.count + 1, sizeof *map);
    builder b = builder_open(code, s);

    b.user = user;
    s->node = arena_alloc(code->arena, old.count + 1, sizeof *s->node);
    s->capacity = old.count + 1;
    for (int64_t k = 0; k < old.count; k++)
        map[k] = live[k] ? rewrite(&b, &old.node[k], map) : -1;
    for (int64_t k = 0; k < s->outputs; k++)
        s->output[k].node = map[s->output[k].node];
}

void stage_sweep(ir *code, ir_stage *stage)
{
    rewrite_live(code, stage, build_copy, NULL);
}

void stage_rewrite(ir *code, ir_stage *stage, ir_rewrite *rewrite, void *user)
{
    rewrite_live(code, stage, rewrite, user);
    stage_sweep(code, stage);
}
