/* SPDX-License-Identifier: BSD-3-Clause */
/* From a checked program to its ir: lowering, then every pass over every stage, then
 * halos and margins. */
#include <assert.h>

#include "plan/plan_private.h"

/* For all equations together. */
static ir_cost equations_cost(const ir *code)
{
    const ir_list all = equation_list(code);
    ir_cost sum = {0};

    for (int64_t k = 0; k < all.count; k++) {
        const ir_cost one = cost_or_fail(code, &code->stage[all.stage[k]], code->arena);
        sum.nodes += one.nodes;
        sum.flops += one.flops;
        sum.streamed += one.streamed;
        sum.instructions += one.instructions;
    }
    return sum;
}

static void report(const ir *code, const ir_trace *trace, const char *pass,
                   const char *about, ir_cost *cost)
{
    if (!trace || !trace->after)
        return;
    const ir_cost before = *cost;
    *cost = equations_cost(code);
    trace->after(trace->user, code, pass, about, &before, cost);
}

/* Stages added by a pass are processed only by later passes. */
static void run_pass(ir *code, const ir_pass *pass)
{
    const int64_t stages = code->stages;

    for (int64_t k = 0; k < stages; k++)
        pass->run(code, (int)k);
}

/* ---- invariants of the ir ---------------------------------------------------------- */

static bool node_is_sound(const ir *code, const ir_stage *s, int64_t number)
{
    const ir_node *n = &s->node[number];
    bool sound = n->op >= 0 && n->op < IR_OP_COUNT;

    for (int a = 0; sound && a < ir_op_table[n->op].arguments; a++)
        sound = n->arg[a] >= 0 && n->arg[a] < number;
    if (n->op == IR_LOAD)
        sound = sound && n->field >= 0 && n->field < code->fields && n->level <= 1;
    if (n->op == IR_UNIFORM || n->op == IR_RANDOM)
        sound = sound && n->uniform >= 0 && n->uniform < code->uniforms;
    if (n->op == IR_TABLE)
        sound = sound && n->table >= 0 && n->table < code->tables;
    return sound;
}

static bool output_is_sound(const ir *code, const ir_stage *s, const ir_output *o)
{
    const bool named = o->kind == IR_STORE ? o->field >= 0 && o->field < code->fields
                       : o->kind == IR_SIDE
                           ? true
                           : o->uniform >= 0 && o->uniform < code->uniforms;

    return named && o->node >= 0 && o->node < s->count;
}

static bool stage_is_sound(const ir *code, const ir_stage *s)
{
    bool sound = s->before >= -1 && s->before < code->stages;

    for (int64_t k = 0; k < s->count; k++)
        sound = sound && node_is_sound(code, s, k);
    for (int64_t k = 0; k < s->outputs; k++)
        sound = sound && output_is_sound(code, s, &s->output[k]);
    return sound;
}

/* Checks every index of the ir: codegen, interp and exec use them unchecked. */
static bool is_sound(const ir *code)
{
    bool sound = true;

    for (int64_t k = 0; k < code->stages; k++)
        sound = sound && stage_is_sound(code, &code->stage[k]);
    for (int64_t k = 0; k < code->step.count; k++)
        sound = sound && code->step.stage[k] >= 0 && code->step.stage[k] < code->stages;
    return sound;
}

/* ---- all --------------------------------------------------------------------------- */

static pav_status build(const program *p, const ir_trace *trace, ir *code, text *scratch)
{
    ir_cost cost = {0};

    ir_lower(p, code, scratch);
    report(code, trace, "lower", "the equations as written", &cost);
    for (const ir_pass *pass = pass_table; pass->name; pass++) {
        run_pass(code, pass);
        report(code, trace, pass->name, pass->about, &cost);
    }
    ir_set_radius(code);
    ir_share_buffers(code);
    ir_find_layered(code);
    ir_stack(code);
    assert(is_sound(code));
    return PAV_OK;
}

static pav_status make(arena *a, const program *p, const ir_trace *trace, text *scratch,
                       ir **result)
{
    ir *code = arena_alloc(a, 1, sizeof *code);

    code->arena = a;
    code->program = p;
    code->dim = p->dim;
    TRY(program_refuse_mesh(p));
    TRY(build(p, trace, code, scratch));
    *result = code;
    return PAV_OK;
}

/* Factor for derived programs: a cycle on many grids is written out stage by stage, and
 * full multigrid has thousands. */
enum { LIMIT_OF_DERIVED = 8 };

pav_status ir_build(const program *p, const ir_trace *trace, ir **result)
{
    arena *const a = arena_new();
    text scratch = {0};
    pav_status status;

    *result = NULL;
    if (!a)
        return PAV_ENOMEM;
    if (p->derived)
        a->limit *= LIMIT_OF_DERIVED;
    ARENA_GUARD(a, status, make(a, p, trace, &scratch, result));
    text_free(&scratch);
    if (status != PAV_OK)
        arena_free(a);
    return status;
}

void ir_free(ir *code)
{
    if (code)
        arena_free(code->arena);
}

pav_status pav_program_explain(const pav_program *explained, int json, char **result)
{
    GUARDED;
    text t = {0};

    if (!result)
        return FAIL(PAV_EINVAL, "there is nowhere to put the text: `text` is NULL");
    *result = NULL;
    if (!explained)
        return FAIL(PAV_EINVAL, "there is no program to explain: `program` is NULL");
    pav_status status = ir_explain(&explained->tree, json != 0, &t);
    if (status == PAV_OK)
        status = text_take(&t, result);
    text_free(&t);
    return status;
}
