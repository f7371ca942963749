/* SPDX-License-Identifier: BSD-3-Clause */
/* The uniforms of a stage, unless they are literals of its kernel: a structure and its
 * memory. Seeds of random numbers come first, by their bits. Other uniforms already have
 * the stage's type, so a kernel can use them as operands directly from constant
 * memory. */
#include <stdio.h>
#include <string.h>

#include "codegen/codegen_private.h"

/* ---- changing uniforms ------------------------------------------------------------- */

static bool reads_changing(const ir_stage *stage, const bool *changes)
{
    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if ((n->op == IR_UNIFORM || n->op == IR_RANDOM) && changes[n->uniform])
            return true;
    }
    return false;
}

/* If a stage reads a changing uniform, all uniforms it sets change, too. */
static bool spread(const ir_stage *stage, bool *changes)
{
    bool any = false;

    for (int64_t k = 0; k < stage->outputs; k++) {
        const ir_output *o = &stage->output[k];
        if (o->kind == IR_SET && !changes[o->uniform] && reads_changing(stage, changes))
            any = changes[o->uniform] = true;
    }
    return any;
}

static void find_changing(const ir *code, bool *changes)
{
    bool again = true;

    for (int64_t u = 0; u < code->uniforms; u++) {
        const ir_uniform_kind kind = code->uniform[u].kind;
        changes[u] = kind == UNIFORM_T || kind == UNIFORM_STEP ||
                     kind == UNIFORM_REDUCTION;
    }
    while (again) {
        again = false;
        for (int64_t s = 0; s < code->stages; s++)
            again = spread(&code->stage[s], changes) || again;
    }
}

bool cuda_uniforms_change(const ir *code, const ir_stage *stage)
{
    bool *changes = mem_new(code->uniforms + 1, sizeof *changes);

    if (changes)
        find_changing(code, changes);
    const bool found = changes && reads_changing(stage, changes);
    mem_free(changes);
    return found;
}

int64_t cuda_count_uniforms(const ir *code, const ir_stage *stage)
{
    int64_t count = 0;

    for (int64_t u = 0; u < code->uniforms; u++) {
        bool found = false;
        for (int64_t k = 0; k < stage->count && !found; k++) {
            const ir_node *n = &stage->node[k];
            found = (n->op == IR_UNIFORM || n->op == IR_RANDOM) && n->uniform == u;
        }
        count += found;
    }
    return count;
}

/* ---- the structure ----------------------------------------------------------------- */

int64_t cuda_order_uniforms(const emit_stage *e, int *uniform, int64_t *seeds)
{
    int64_t count = 0;

    for (int others = 0; others < 2; others++) {
        for (int64_t u = 0; u < e->code->uniforms; u++)
            if (e->uniform[u] && emit_is_seed(e, u) == (others == 0))
                uniform[count++] = (int)u;
        if (others == 0)
            *seeds = count;
    }
    return count;
}

static bool has_uniforms(const emit_stage *e)
{
    for (int64_t u = 0; u < e->code->uniforms; u++)
        if (e->uniform[u])
            return true;
    return false;
}

void emit_gpu_pack_uniforms(const emit_gpu_kernel *k, const double *uniform, char *to)
{
    memset(to, 0, (size_t)k->number_bytes);
    for (int64_t n = 0; n < k->uniforms; n++) {
        const double value = uniform[k->uniform[n]];
        const float single = (float)value;
        const bool whole = n < k->seeds || k->real == PAV_F64;
        const size_t bytes = whole ? sizeof value : sizeof single;
        memcpy(to, whole ? (const void *)&value : &single, bytes);
        to += bytes;
    }
}

/* "numbers_0_3" */
static void add_name(const emit_stage *e, const char *what, text *t)
{
    text_add(t, "%s_%lld_%lld", what, (long long)e->program, (long long)e->number);
}

static void add_member(const emit_stage *e, int uniform)
{
    text_add(e->t, "    %s ",
             emit_is_seed(e, uniform) ? "uint64_t" : emit_c_type(e->real));
    emit_uniform_name(e, uniform, e->t);
    text_add(e->t, ";\n");
}

void cuda_uniform_members(const emit_stage *e)
{
    for (int seed = 1; seed >= 0; seed--)
        for (int64_t u = 0; u < e->code->uniforms; u++)
            if (e->uniform[u] && emit_is_seed(e, u) == (seed == 1))
                add_member(e, (int)u);
}

static void add_struct(const emit_stage *e)
{
    text_add(e->t, "\nstruct alignas(8) ");
    add_name(e, "numbers", e->t);
    text_add(e->t, " {\n");
    cuda_uniform_members(e);
    text_add(e->t, "};\n");
}

/* ---- memory of the structure ------------------------------------------------------- */

void emit_gpu_constant_name(char name[EMIT_NAME], int64_t which, int64_t stage)
{
    (void)snprintf(name, EMIT_NAME, "constant_%lld_%lld", (long long)which,
                   (long long)stage);
}

static void add_variable(const emit_stage *e, const char *words, const char *name)
{
    text_add(e->t, "%s ", words);
    add_name(e, "numbers", e->t);
    text_add(e->t, " ");
    add_name(e, name, e->t);
    text_add(e->t, ";\n");
}

void cuda_uniforms(const emit_stage *e)
{
    if (!has_uniforms(e))
        return;
    add_struct(e);
    if (e->schedule->coefficients == UNIFORMS_CONSTANT)
        add_variable(e, "__constant__", "constant");
    if (e->schedule->coefficients == UNIFORMS_SHARED)
        add_variable(e, "__shared__", "staged");
}

void cuda_uniform_member(const emit_stage *e)
{
    const schedule_uniforms where = e->schedule->coefficients;

    if (!has_uniforms(e) || where == UNIFORMS_CONSTANT)
        return;
    text_add(e->t, where == UNIFORMS_ARGUMENT ? "    " : "    const ");
    add_name(e, "numbers", e->t);
    text_add(e->t, where == UNIFORMS_ARGUMENT ? " n;\n" : " *n;\n");
}

void cuda_uniform(const emit_stage *e, int uniform, text *t)
{
    const schedule_uniforms where = e->schedule->coefficients;

    if (where == UNIFORMS_CONSTANT || where == UNIFORMS_SHARED) {
        add_name(e, where == UNIFORMS_CONSTANT ? "constant" : "staged", t);
        text_add(t, ".");
    } else {
        text_add(t, where == UNIFORMS_GLOBAL ? "__ldg(&a.n->" : "a.n.");
    }
    emit_uniform_name(e, uniform, t);
    text_add(t, where == UNIFORMS_GLOBAL ? ")" : "");
}

void cuda_stage_uniforms(const emit_stage *e)
{
    if (e->schedule->coefficients != UNIFORMS_SHARED || !has_uniforms(e))
        return;
    text_add(e->t, "    stage_numbers(");
    add_name(e, "staged", e->t);
    text_add(e->t, ", a.n);\n");
}
