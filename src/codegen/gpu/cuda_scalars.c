/* SPDX-License-Identifier: BSD-3-Clause */
/* Scalars resident on a GPU: if only the step itself reads its reductions and the
 * uniforms computed from them, the host never waits for them. A kernel of one thread,
 * before the stage, evaluates its uniforms in f64 like the host, and writes the structure
 * that the stage's threads read (cuda_uniforms.c). */
#include "codegen/codegen_private.h"

/* ---- live uniforms ----------------------------------------------------------------- */

static const ir_stage *before_of(const ir *code, const ir_stage *stage)
{
    return stage->before >= 0 ? &code->stage[stage->before] : NULL;
}

static bool reads_any(const ir_stage *stage, const bool *live)
{
    for (int64_t k = 0; stage && k < stage->count; k++) {
        const ir_node *n = &stage->node[k];
        if ((n->op == IR_UNIFORM || n->op == IR_RANDOM) && live[n->uniform])
            return true;
    }
    return false;
}

/* If one input of a stage of uniforms comes from the GPU, all its outputs do. */
static bool spread(const ir_stage *before, bool *live)
{
    bool more = false;

    if (!reads_any(before, live))
        return false;
    for (int64_t k = 0; k < before->outputs; k++)
        if (!live[before->output[k].uniform])
            more = live[before->output[k].uniform] = true;
    return more;
}

static void find_live(const ir *code, bool *live)
{
    bool more = true;

    for (int64_t n = 0; n < code->step.count; n++) {
        const ir_stage *s = &code->stage[code->step.stage[n]];
        for (int64_t k = 0; k < s->outputs; k++)
            if (s->output[k].kind == IR_REDUCE)
                live[s->output[k].uniform] = true;
    }
    while (more) {
        more = false;
        for (int64_t n = 0; n < code->step.count; n++)
            more |= spread(before_of(code, &code->stage[code->step.stage[n]]), live);
    }
}

/* Stages outside the step read uniforms on the host. */
static bool stays_within(const ir *code, const bool *live)
{
    for (int64_t s = 0; s < code->stages; s++) {
        const ir_stage *stage = &code->stage[s];
        if (ir_is_in_step(code, s)
                ? emit_gpu_differs(stage) && reads_any(stage, live) &&
                      stage->outputs > 0 && stage->output[0].kind == IR_SET
                : reads_any(stage, live))
            return false;
    }
    for (int64_t u = 0; u < code->uniforms; u++)
        if (live[u] && code->uniform[u].kind != UNIFORM_REDUCTION &&
            code->uniform[u].kind != UNIFORM_COMPUTED)
            return false;
    return true;
}

bool emit_gpu_live_scalars(const ir *code, bool *live)
{
    bool any = false;

    for (int64_t u = 0; u < code->uniforms; u++)
        live[u] = false;
    find_live(code, live);
    const bool stays = stays_within(code, live);
    for (int64_t u = 0; u < code->uniforms; u++) {
        live[u] = live[u] && stays;
        any |= live[u];
    }
    return any;
}

bool emit_gpu_reads_live(const ir *code, const ir_stage *stage, const bool *live)
{
    return cuda_is_called(code, stage) &&
           (reads_any(stage, live) || reads_any(before_of(code, stage), live));
}

bool cuda_reads_live(const ir *code, const ir_stage *stage)
{
    bool *live = mem_new(code->uniforms + 1, sizeof *live);
    const bool found = live && emit_gpu_live_scalars(code, live) &&
                       emit_gpu_reads_live(code, stage, live);

    mem_free(live);
    return found;
}

/* ---- the kernel -------------------------------------------------------------------- */

/* "p->uniform[3] = a.host[3];" for uniforms known to the host. */
static void add_given(const emit_stage *e, const ir_stage *before, const bool *live)
{
    for (int64_t u = 0; u < e->code->uniforms; u++) {
        bool used = e->uniform[u];
        for (int64_t k = 0; before && k < before->count; k++)
            used |= before->node[k].op == IR_UNIFORM && before->node[k].uniform == u;
        if (used && !live[u])
            text_add(e->t, "    p->uniform[%lld] = a.host[%lld];\n", (long long)u,
                     (long long)u);
    }
}

static void add_numbers(const emit_stage *e)
{
    for (int64_t u = 0; u < e->code->uniforms; u++) {
        if (!e->uniform[u])
            continue;
        text_add(e->t, "    a.to->");
        emit_uniform_name(e, (int)u, e->t);
        text_add(e->t,
                 emit_is_seed(e, u)   ? " = bits_of(p->uniform[%lld]);\n"
                 : e->real == PAV_F32 ? " = (float)p->uniform[%lld];\n"
                                      : " = p->uniform[%lld];\n",
                 (long long)u);
    }
}

static void add_kernel(const emit_stage *e)
{
    const long long which = e->program, number = e->number;

    text_add(e->t, "\nstruct alignas(8) live_%lld_%lld {\n", which, number);
    cuda_uniform_members(e);
    text_add(
        e->t,
        "};\n\nstruct scalars_%lld_%lld {\n    double *uniform;    /* on the GPU */\n"
        "    const double *host; /* those that the host knows */\n"
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
static pav_status add_before(const emit_stage *e, const ir_stage *before,
                             const bool *live)
{
    add_given(e, before, live);
    if (!reads_any(before, live))
        return PAV_OK;
    text_add(e->t, "    {\n");
    TRY(emit_number_lines(e->code, before, false, e->t));
    text_add(e->t, "    }\n");
    return PAV_OK;
}

static pav_status add_scalars(const ir *code, int64_t which, int64_t number,
                              const bool *live, text *t)
{
    emit_stage e;

    TRY(emit_survey(code, &code->stage[number], &e));
    e.program = which;
    e.number = number;
    e.t = t;
    add_kernel(&e);
    const pav_status status = add_before(&e, before_of(code, e.stage), live);
    add_numbers(&e);
    text_add(t, "}\n");
    emit_survey_close(&e);
    return status;
}

pav_status cuda_scalars_text(const ir *code, int64_t which, int64_t number, text *t)
{
    const ir_stage *stage = &code->stage[number];
    bool *live = mem_new(code->uniforms + 1, sizeof *live);
    pav_status status = live ? PAV_OK : PAV_ENOMEM;

    if (live && emit_gpu_live_scalars(code, live) &&
        emit_gpu_reads_live(code, stage, live))
        status = add_scalars(code, which, number, live, t);
    mem_free(live);
    return status;
}
