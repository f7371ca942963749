/* SPDX-License-Identifier: BSD-3-Clause */
/* The argument of a kernel, and the locals for its tables and uniforms. The uniforms are
 * a structure of their own; a kernel of one thread can fill it on the GPU. */
#include <stdio.h>
#include <string.h>

#include "codegen/codegen_private.h"

/* ---- uniforms ---------------------------------------------------------------------- */
/* The uniforms of a stage, unless they are literals of its kernel: a structure and its
 * memory. Seeds of random numbers come first, by their bits. Other uniforms already have
 * the stage's type, so a kernel can use them as operands directly from constant
 * memory. */

bool cuda_uniforms_change(const ir *code, const ir_stage *stage)
{
    for (const ir_node *n = NULL; (n = ir_next_node(stage, n));)
        if ((n->op == IR_UNIFORM || n->op == IR_RANDOM) &&
            code->uniform[n->uniform].changes)
            return true;
    return false;
}

int64_t cuda_count_uniforms(const ir_stage *stage)
{
    int64_t count = 0;

    for (int64_t k = 0; k < stage->count; k++) {
        const ir_node *n = &stage->node[k], *earlier = stage->node;
        if (n->op != IR_UNIFORM && n->op != IR_RANDOM)
            continue;
        while (earlier < n && ((earlier->op != IR_UNIFORM && earlier->op != IR_RANDOM) ||
                               earlier->uniform != n->uniform))
            earlier++;
        count += earlier == n;
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

static const char *name_of(const emit_stage *e, const char *what)
{
    return arena_print(e->arena, "%s_%lld_%lld", what, (long long)e->program,
                       (long long)e->number);
}

/* Seeds first. */
static void uniform_members(const emit_stage *e)
{
    int64_t seeds;
    int *order = arena_alloc(e->arena, e->code->uniforms + 1, sizeof *order);
    const int64_t count = cuda_order_uniforms(e, order, &seeds);

    for (int64_t n = 0; n < count; n++)
        text_add(e->t, "    %s %s;\n", emit_uniform_type(e, order[n]),
                 emit_uniform_name(e, order[n]));
}

/* ---- memory of the structure ------------------------------------------------------- */

void emit_gpu_constant_name(char name[EMIT_NAME], int64_t which, int64_t stage)
{
    (void)snprintf(name, EMIT_NAME, "constant_%lld_%lld", (long long)which,
                   (long long)stage);
}

void cuda_uniforms(const emit_stage *e)
{
    const char *type = name_of(e, "numbers");

    if (!has_uniforms(e))
        return;
    text_add(e->t, "\nstruct alignas(8) %s {\n", type);
    uniform_members(e);
    text_add(e->t, "};\n");
    if (e->schedule->coefficients == UNIFORMS_CONSTANT)
        text_add(e->t, "__constant__ %s %s;\n", type, name_of(e, "constant"));
    if (e->schedule->coefficients == UNIFORMS_SHARED)
        text_add(e->t, "__shared__ %s %s;\n", type, name_of(e, "staged"));
}

const char *cuda_uniform(const emit_stage *e, int uniform)
{
    const char *name = emit_uniform_name(e, uniform);

    switch (e->schedule->coefficients) {
    case UNIFORMS_CONSTANT:
        return arena_print(e->arena, "%s.%s", name_of(e, "constant"), name);
    case UNIFORMS_SHARED:
        return arena_print(e->arena, "%s.%s", name_of(e, "staged"), name);
    case UNIFORMS_GLOBAL: return arena_print(e->arena, "__ldg(&a.n->%s)", name);
    default: return arena_print(e->arena, "a.n.%s", name);
    }
}

void cuda_stage_uniforms(const emit_stage *e)
{
    if (e->schedule->coefficients == UNIFORMS_SHARED && has_uniforms(e))
        text_add(e->t, "    stage_numbers(%s, a.n);\n", name_of(e, "staged"));
}

/* ---- scalars on the GPU ------------------------------------------------------------ */
/* Scalars that stay on the GPU. If only the step itself reads its reductions and the
 * uniforms computed from them, the host never needs to wait for them. Then a kernel of
 * one thread runs before the stage: it evaluates the uniforms in f64 like the host, and
 * writes the structure read by the stage's threads. */

static const ir_stage *before_of(const ir *code, const ir_stage *stage)
{
    return stage->before >= 0 ? &code->stage[stage->before] : NULL;
}

static bool reads_live(const ir *code, const ir_stage *stage)
{
    for (const ir_node *n = NULL; stage && (n = ir_next_node(stage, n));)
        if ((n->op == IR_UNIFORM || n->op == IR_RANDOM) && code->uniform[n->uniform].live)
            return true;
    return false;
}

bool emit_gpu_reads_live(const ir *code, const ir_stage *stage)
{
    return cuda_is_called(code, stage) &&
           (reads_live(code, stage) || reads_live(code, before_of(code, stage)));
}

/* ---- the kernel -------------------------------------------------------------------- */

static void add_kernel(const emit_stage *e)
{
    const long long which = e->program, number = e->number;

    text_add(e->t, "\nstruct alignas(8) live_%lld_%lld {\n", which, number);
    uniform_members(e);
    text_add(e->t,
             "};\n\nstruct scalars_%lld_%lld {\n    double *uniform;    /* all uniforms, "
             "on the GPU */\n"
             "    const double *host; /* all uniforms, from the host */\n"
             "    live_%lld_%lld *to;\n};\n",
             which, number, which, number);
    text_add(e->t,
             "\nextern \"C\" __global__ void __launch_bounds__(32)\n"
             "    pav_%lld_%lld_scalars(const __grid_constant__ scalars_%lld_%lld a)\n{\n"
             "    const scalars_%lld_%lld *const p = &a;\n\n"
             "    if (threadIdx.x > 0)\n        return;\n",
             which, number, which, number, which, number);
}

/* Prints the stage of uniforms before the stage; or copies its results, if the host
 * evaluated it. */
static void add_before(const emit_stage *e, const ir_stage *before)
{
    /* "p->uniform[3] = a.host[3];" for uniforms known to the host. */
    for (int u = 0; u < (int)e->code->uniforms; u++) {
        bool used = e->uniform[u];
        for (int64_t k = 0; before && k < before->count; k++)
            used |= before->node[k].op == IR_UNIFORM && before->node[k].uniform == u;
        if (used && !e->code->uniform[u].live)
            text_add(e->t, "    p->uniform[%d] = a.host[%d];\n", u, u);
    }

    if (!reads_live(e->code, before))
        return;
    text_add(e->t, "    {\n");
    (void)emit_numbers(e->arena, e->code, before, false, e->t);
    text_add(e->t, "    }\n");
}

pav_status cuda_scalars_text(arena *a, const ir *code, int64_t which, int64_t number,
                             text *t)
{
    const ir_stage *stage = &code->stage[number];

    if (!emit_gpu_reads_live(code, stage))
        return PAV_OK;
    emit_stage e = emit_survey((emit_stage){.code = code,
                                            .stage = stage,
                                            .arena = a,
                                            .program = which,
                                            .number = number,
                                            .t = t});
    add_kernel(&e);
    add_before(&e, before_of(code, stage));
    for (int u = 0; u < (int)code->uniforms; u++)
        if (e.uniform[u])
            text_add(t,
                     emit_is_seed(&e, u) ? "    a.to->%s = bits_of(p->uniform[%d]);\n"
                     : e.real == PAV_F32 ? "    a.to->%s = (float)p->uniform[%d];\n"
                                         : "    a.to->%s = p->uniform[%d];\n",
                     emit_uniform_name(&e, u), u);
    text_add(t, "}\n");
    return PAV_OK;
}

/* ---- the argument ------------------------------------------------------------------ */

/* The comment behind a member. */
static const char *level_comment(const emit_stage *e, int slot)
{
    return e->nameless ? ""
                       : arena_print(e->arena, " /* %s */",
                                     emit_level(e->arena, e->code, e->slot[slot].field,
                                                e->slot[slot].level));
}

void cuda_argument(const emit_stage *e)
{
    cuda_uniforms(e);
    text_add(e->t, "\nstruct argument_%lld_%lld {\n    work w;\n", (long long)e->program,
             (long long)e->number);
    for (int k = 0; k < e->slots; k++)
        text_add(e->t, "    grid g%d;%s\n", k, level_comment(e, k));
    for (int n = 0; n < (int)e->code->tables; n++)
        if (e->table[n])
            text_add(e->t, "    const double *table%d; /* from index 0 */\n",
                     emit_table_number(e, n));
    const schedule_uniforms where = e->schedule->coefficients;
    if (has_uniforms(e) && where != UNIFORMS_CONSTANT)
        text_add(e->t, where == UNIFORMS_ARGUMENT ? "    %s n;\n" : "    const %s *n;\n",
                 name_of(e, "numbers"));
    for (int k = 0, count = 0; e->schedule->tile.copy == COPY_TMA && k < e->slots; k++)
        if (cuda_may_use_shared(e, k))
            text_add(e->t, "    tensor m%d;%s\n", count++, level_comment(e, k));
    text_add(e->t, "};\n");
}

int cuda_weight(const emit_stage *e)
{
    for (int u = 0; u < (int)e->code->uniforms; u++)
        if (e->uniform[u] && e->code->uniform[u].kind == UNIFORM_WEIGHT)
            return u;
    return -1;
}

void cuda_leaves(const emit_stage *e, const char *weight)
{
    for (int n = 0; n < (int)e->code->tables; n++)
        if (e->table[n])
            text_add(e->t, "    const double *const table%d = a.table%d;\n",
                     emit_table_number(e, n), emit_table_number(e, n));
    for (int u = 0; u < (int)e->code->uniforms; u++) {
        const bool weighs = weight && u == cuda_weight(e);

        if (e->uniform[u])
            text_add(e->t,
                     !weighs              ? "    const %s %s = %s;\n"
                     : emit_is_seed(e, u) ? "    const %s %s = bits_of(%s);\n"
                     : e->real == PAV_F32 ? "    const %s %s = (float)%s;\n"
                                          : "    const %s %s = %s;\n",
                     emit_uniform_type(e, u), emit_uniform_name(e, u),
                     weighs ? weight : cuda_uniform(e, u));
    }
}
