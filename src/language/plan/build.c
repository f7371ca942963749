/* SPDX-License-Identifier: BSD-3-Clause */
/* From a checked program to its ir: lowering, then every pass over every stage, then
 * halos and margins. */
#include <assert.h>

#include "plan/plan_private.h"

/* The passes in their order. The order is part of the arithmetic: changing it changes
 * bits. */
const ir_pass pass_table[] = {
    {"fold", "constants computed exactly, identities removed, divisors inverted",
     pass_fold},
    {"powers", "integer powers by multiplication, halves by roots", pass_powers},
    {"sums", "equal weights factored, mirror images paired, planes shared", pass_sums},
    {"tabulate", "what depends on one coordinate alone read from tables", pass_tabulate},
    {"hoist", "what is the same at all points computed once a step", pass_hoist},
    {"fma", "products contracted into the sums they stand in", pass_fma},
    {NULL, NULL, NULL},
};

/* The cost is that of all equations together. */
static void report(const ir *code, const ir_trace *trace, const char *pass,
                   const char *about, ir_cost *cost)
{
    if (!trace || !trace->after)
        return;
    const ir_cost before = *cost;
    const ir_list all = equation_list(code);
    *cost = (ir_cost){0};
    for (int64_t k = 0; k < all.count; k++) {
        const ir_cost one = cost_or_fail(code, &code->stage[all.stage[k]], code->arena);
        cost->nodes += one.nodes;
        cost->flops += one.flops;
        cost->streamed += one.streamed;
        cost->instructions += one.instructions;
    }
    trace->after(trace->user, code, pass, about, &before, cost);
}

/* ---- invariants of the ir ---------------------------------------------------------- */

static bool node_is_sound(const ir *code, const ir_stage *s, int64_t number)
{
    const ir_node *n = &s->node[number];
    if (n->op < 0 || n->op >= IR_OP_COUNT)
        return false;
    for (int a = 0; a < ir_op_table[n->op].arguments; a++)
        if (n->arg[a] < 0 || n->arg[a] >= number)
            return false;
    if (n->op == IR_LOAD)
        return n->field >= 0 && n->field < code->fields && n->level <= 1;
    return n->op == IR_UNIFORM || n->op == IR_RANDOM
               ? n->uniform >= 0 && n->uniform < code->uniforms
               : n->op != IR_TABLE || (n->table >= 0 && n->table < code->tables);
}

/* Checks every index of the ir: codegen, interp and exec use them unchecked. */
static bool is_sound(const ir *code)
{
    for (int64_t n = 0; n < code->stages; n++) {
        const ir_stage *s = &code->stage[n];
        if (s->before < -1 || s->before >= code->stages)
            return false;
        for (int64_t k = 0; k < s->count; k++)
            if (!node_is_sound(code, s, k))
                return false;
        for (const ir_output *o = NULL; (o = ir_next_output(s, o));) {
            const bool named = o->kind == IR_STORE
                                   ? o->field >= 0 && o->field < code->fields
                               : o->kind == IR_SIDE
                                   ? true
                                   : o->uniform >= 0 && o->uniform < code->uniforms;
            if (!named || o->node < 0 || o->node >= s->count)
                return false;
        }
    }
    for (int64_t k = 0; k < code->step.count; k++)
        if (code->step.stage[k] < 0 || code->step.stage[k] >= code->stages)
            return false;
    return true;
}

/* ---- all --------------------------------------------------------------------------- */

/* The last axis of a stack (lang/program.c). It is added after all passes, so that
 * the stages equal those of one of its programs. Reductions at the start cover only the
 * first copy. */
static void add_stack(ir *code)
{
    const program *p = code->program;

    code->dim = program_axes(p);
    for (int64_t n = 0; n < code->start.count && p->shots > 0; n++) {
        const int stage = code->start.item[n].stage;
        if (stage >= 0 && ir_reductions(&code->stage[stage]) > 0)
            code->stage[stage].inset[p->dim][1] = (int)p->shots - 1;
    }
}

static int renamed(const ir_class *c, int field)
{
    int k = 0;

    while (c->from[k] != field)
        k++;
    return c->to[k];
}

/* Copies the nodes of the first stage, as the passes changed them. */
static void ir_copy_first(ir *code, const ir_class *c, int stage)
{
    const ir_stage *first = &code->stage[c->first];
    ir_stage *s = &code->stage[stage];

    if (s->capacity < first->count) {
        s->node = arena_alloc(code->arena, first->count, sizeof *s->node);
        s->capacity = first->count;
    }
    s->count = first->count;
    for (int64_t k = 0; k < s->count; k++) {
        s->node[k] = first->node[k];
        if (s->node[k].op == IR_LOAD)
            s->node[k].field = renamed(c, s->node[k].field);
    }
    for (int64_t k = 0; k < s->outputs; k++)
        s->output[k].node = first->output[k].node;
}

static pav_status build(arena *a, const program *p, const ir_trace *trace, int grouped,
                        text *scratch, ir **result)
{
    ir *code = arena_alloc(a, 1, sizeof *code);
    ir_cost cost = {0};

    *code = (ir){.arena = a, .program = p, .dim = p->dim, .grouped = grouped};
    TRY(program_refuse_mesh(p));
    ir_lower(p, code, scratch);
    report(code, trace, "lower", "the equations as written", &cost);
    const ir_class *of = ir_find_classes(code);
    const int64_t lowered = code->stages;
    for (const ir_pass *pass = pass_table; pass->name; pass++) {
        const int64_t stages = code->stages; /* those of a pass: for later passes only */
        for (int n = 0; n < stages; n++) {
            const int first = n < lowered ? of[n].first : n;
            if (first < n && code->stage[first].before < 0)
                ir_copy_first(code, &of[n], n);
            else /* with a stage before it, each needs its own */
                pass->run(code, n);
        }
        report(code, trace, pass->name, pass->about, &cost);
    }
    ir_tabulate_lines(code);
    ir_set_radius(code);
    ir_add_cosines(code);
    ir_place_reductions(code);
    ir_share_buffers(code);
    ir_find_layered(code);
    add_stack(code);
    assert(is_sound(code));
    ir_know_stages(code);
    *result = code;
    return PAV_OK;
}

/* Factor for derived programs: a cycle on many grids is written out stage by stage, and
 * full multigrid has thousands. */
enum { LIMIT_OF_DERIVED = 8 };

static pav_status build_in_arena(const program *p, const ir_trace *trace, int grouped,
                                 ir **result)
{
    arena *const a = arena_new();
    OWNED_BY(text_free) text scratch = {0};
    pav_status status;

    *result = NULL;
    if (a && p->derived)
        a->limit *= LIMIT_OF_DERIVED;
    ARENA_GUARD(a, status, build(a, p, trace, grouped, &scratch, result));
    if (status != PAV_OK)
        arena_free(a);
    return status;
}

pav_status ir_build(const program *p, const ir_trace *trace, ir **result)
{
    return build_in_arena(p, trace, 0, result);
}

void ir_free(ir *code)
{
    if (code)
        arena_free(code->arena);
}

bool ir_solves(const ir *code)
{
    return code->program->derived || code->solves.count > 0;
}

/* ---- constants as arguments -------------------------------------------------------- */

/* Turns constants into uniforms. Values derived from the grid's size, for example nx/2 or
 * 1/h^2, would be constants in kernels; with uniforms the same kernels serve grids of all
 * sizes. */

/* True if arguments of the operation may be uniforms without a change of bits. */
static bool takes_numbers(ir_op op)
{
    return op == IR_NEG || op == IR_ADD || op == IR_SUB || op == IR_MUL || op == IR_DIV ||
           op == IR_FMA || op == IR_MIN || op == IR_MAX || op == IR_LT || op == IR_LE ||
           op == IR_EQ || op == IR_NE;
}

/* A constant in all uses of one kind (alike.c). */
typedef struct lifted {
    int constant, kind, uniform;
} lifted;

typedef struct lifting {
    ir *code;
    const ir_stage *from;
    ir_node *node;
    int64_t count, uses;
    int *now; /* new number of each old node */
    alike kinds;
    lifted *use;
} lifting;

static int put_node(lifting *l, ir_node node)
{
    l->node[l->count] = node;
    return (int)l->count++;
}

/* Uses of one kind share a uniform, so nodes stay equal up to a shift. Other uses have
 * uniforms of their own: constants that are equal only at some sizes would otherwise give
 * different kernels. The uniform has exactly the constant's value in the type of the
 * stage. */
static int uniform_for(lifting *l, int constant, int user)
{
    const num value = l->from->node[constant].value;
    const lifted wanted = {constant, l->kinds.node[user].kind, 0};

    for (int64_t k = 0; k < l->uses; k++)
        if (l->use[k].constant == wanted.constant && l->use[k].kind == wanted.kind)
            return l->use[k].uniform;
    l->use[l->uses] = wanted;
    return l->use[l->uses++].uniform = code_add_uniform(
               l->code, UNIFORM_COMPUTED, NULL,
               l->from->real == PAV_F32 ? (double)num_f32(value) : num_f64(value));
}

/* Returns the new number of node `from`. A constant becomes a uniform if the operation
 * `user` takes uniforms. user -1: the node keeps its constant. */
static int renumber(lifting *l, int from, int user)
{
    ir_node node = l->from->node[from];

    if (node.op != IR_CONST)
        return l->now[from];
    if (user >= 0 && takes_numbers(l->from->node[user].op)) {
        node.uniform = uniform_for(l, from, user);
        node.op = IR_UNIFORM;
    }
    return put_node(l, node);
}

/* A uniform is the second operand where the order does not matter: constants stand in the
 * order of their numbers, and it depends on their values. */
static void order_operands(const lifting *l, ir_node *node)
{
    const int first = node->arg[0];

    if (!ir_commutes(node->op) || l->node[first].op != IR_UNIFORM)
        return;
    node->arg[0] = node->arg[1];
    node->arg[1] = first;
}

static void lift_stage(ir *code, int stage)
{
    ir_stage *s = &code->stage[stage];
    const int64_t most = s->count * (1 + (int64_t)COUNT_OF(s->node->arg)) + s->outputs;
    lifting l = {.code = code,
                 .from = s,
                 .node = arena_alloc(code->arena, most + 1, sizeof *l.node),
                 .now = arena_alloc(code->arena, s->count + 1, sizeof *l.now),
                 .kinds = alike_open(code->arena, (1u << MAX_DIM) - 1),
                 .use = arena_alloc(code->arena, most + 1, sizeof *l.use)};
    alike_update(&l.kinds, s);
    for (int64_t n = 0; n < s->count; n++) {
        ir_node node = s->node[n];
        if (node.op == IR_CONST)
            continue;
        for (int k = 0; k < ir_op_table[node.op].arguments; k++)
            node.arg[k] = renumber(&l, node.arg[k], (int)n);
        order_operands(&l, &node);
        l.now[n] = put_node(&l, node);
    }
    for (int64_t k = 0; k < s->outputs; k++)
        s->output[k].node = renumber(&l, s->output[k].node, -1);
    s->node = l.node;
    s->count = l.count;
    s->capacity = most;
}

/* Stages of uniforms have no kernels. */
static pav_status lift(ir *code, bool all)
{
    for (int n = 0; n < code->stages && all; n++)
        if (!ir_is_uniform(&code->stage[n]))
            lift_stage(code, n);
    for (int64_t n = 0; n < code->start.count && !all; n++) {
        const ir_start *s = &code->start.item[n];
        if (s->kind == START_STAGE && s->field >= 0 &&
            !ir_list_has(&code->step, s->stage))
            lift_stage(code, s->stage);
    }
    return PAV_OK;
}

pav_status ir_lift_numbers(ir *code, bool all)
{
    RETURN_GUARDED(code->arena, lift(code, all));
}

static pav_status build_kernels(const program *p, int grouped, ir **result)
{
    TRY(build_in_arena(p, NULL, grouped, result));
    const bool solves = *result && ir_solves(*result);
    const pav_status status = solves ? ir_lift_numbers(*result, true) : PAV_OK;
    if (status == PAV_OK)
        return PAV_OK;
    ir_free(*result);
    *result = NULL;
    return status;
}

pav_status ir_build_kernels(const program *p, ir **result)
{
    return build_kernels(p, 0, result);
}

pav_status ir_build_grouped(const program *p, int grids, ir **result)
{
    return build_kernels(p, grids, result);
}
