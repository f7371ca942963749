/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the schedules of the stages of a run: the requested one, refused if it is
 * impossible; or all candidates supported by this GPU. */
#include "exec/gpu/gpu_private.h"

/* True if the GPU and the stage support everything in the schedule. */
static pav_status can_go(const gpurun *g, int64_t stage, const schedule *s, bool *can)
{
    const ir *code = g->base.part->code;
    text why = {0};
    const pav_status status = emit_gpu_machine_lack(code, &code->stage[stage], s,
                                                    gpu_facts_of(g->gpu), &why);
    *can = status == PAV_OK && why.length == 0;
    text_free(&why);
    return status;
}

/* A schedule that was fast at another size comes first, with its number of planes
 * reset. */
static int take_hint(gpurun *g, int64_t stage)
{
    const ir *code = g->base.part->code;
    bool is_hint, can = false;
    const schedule *known = g->client->ops->known(g->client, stage, &is_hint);
    if (!known || !is_hint || !schedule_is_of_gpus(known->kind) ||
        known->kind == SCHEDULE_TWO_PASS ||
        emit_gpu_refusal(code, &code->stage[stage], known) ||
        can_go(g, stage, known, &can) != PAV_OK || !can)
        return 0;
    g->of_stage[0][stage] = *known;
    g->of_stage[0][stage].planes = 0;
    return 1;
}

static bool is_there(const gpurun *g, int64_t stage, int taken, const schedule *s)
{
    for (int n = 0; n < taken; n++)
        if (schedule_is_same(&g->of_stage[n][stage], s))
            return true;
    return false;
}

/* True for a stage that hardly ever runs. Either other stages replace it, or it never
 * replaces another one. The same box decides both (exec/layered_step.c). */
static bool is_rare(const gpurun *g, int64_t stage)
{
    const ir *code = g->base.part->code;
    const int64_t full = gpu_full_points(gpu_facts_of(g->gpu));
    const ir_stage *s = &code->stage[stage];
    if (s->layered)
        return box_points(&s->inside) >= full;
    for (int64_t n = 0; s->stands_in && n < code->step.count; n++) {
        const ir_stage *whole = &code->stage[code->step.stage[n]];
        bool own = whole->layered && whole->bare == stage;
        for (int axis = 0; axis < code->dim; axis++)
            own = own || (whole->layered && whole->strip[axis] == stage);
        if (own)
            return box_points(&whole->inside) < full;
    }
    return false;
}

/* Stacks of shots read nothing across the sweep axis, and their runs are short. */
static bool is_of_stack(const gpurun *g)
{
    return g->base.part->code->program->shots > 0;
}

/* At least one schedule works on every GPU. */
static pav_status choose_candidates(gpurun *g, int64_t stage)
{
    const ir_stage *s = &g->base.part->code->stage[stage];
    enum { FEW = 3 };
    schedule candidate[EMIT_GPU_CANDIDATES];
    const int64_t all = emit_gpu_candidates(g->base.part->code, s, candidate);
    const int64_t count = is_rare(g, stage) ? 1 : is_of_stack(g) && all > FEW ? FEW : all;
    int taken = take_hint(g, stage);
    for (int64_t n = 0; n < count && taken < EMIT_GPU_CANDIDATES; n++) {
        bool can;
        TRY(can_go(g, stage, &candidate[n], &can));
        if (can && !is_there(g, stage, taken, &candidate[n]))
            g->of_stage[taken++][stage] = candidate[n];
    }
    if (taken == 0)
        g->of_stage[taken++][stage] = (schedule){.kind = SCHEDULE_SWEEP};
    for (; taken < EMIT_GPU_CANDIDATES; taken++)
        g->of_stage[taken][stage].kind = SCHEDULE_NONE;
    return PAV_OK;
}

static void choose_one(gpurun *g, int64_t stage, const schedule *s)
{
    g->of_stage[0][stage] = *s;
    for (int n = 1; n < EMIT_GPU_CANDIDATES; n++)
        g->of_stage[n][stage].kind = SCHEDULE_NONE;
}

/* A stage that does not support the schedule runs by another one, with a note. */
static pav_status choose_requested(gpurun *g, int64_t stage, const schedule *requested)
{
    const ir *code = g->base.part->code;
    const ir_stage *s = &code->stage[stage];
    const schedule own = emit_gpu_schedule_of(code, stage, requested);
    const char *why = emit_gpu_lack(code, s, requested);
    if (why)
        exec_note(g->client, "stage %s goes %s: %s", s->name,
                  requested->plain ? "point by point" : "by the default schedule", why);
    if (emit_gpu_is_open(&own))
        return choose_candidates(g, stage);
    choose_one(g, stage, &own);
    return PAV_OK;
}

/* Checks a request against the program, then against this GPU. */
static pav_status check(const gpurun *g, const schedule *requested)
{
    const ir *code = g->base.part->code;
    char string[SCHEDULE_STRING];
    text why = {0};
    if (schedule_fuses_steps(requested))
        return PAV_OK; /* gpu_fused_requested checks it */
    TRY(emit_check(code, requested));
    pav_status status = emit_legal(code, requested, gpu_facts_of(g->gpu), &why);
    if (status == PAV_OK && why.length > 0)
        status = FAIL(PAV_EUNSUPPORTED, "the schedule %s cannot be on %s: %s",
                      schedule_string(requested, string), g->client->device_name,
                      why.data);
    text_free(&why);
    return status;
}

/* Takes a schedule known to be fast, if this GPU supports it. It applies to this stage
 * alone: other stages may not support it. */
static pav_status choose_known(gpurun *g, int64_t stage, const schedule *known)
{
    const ir *code = g->base.part->code;
    const ir_stage *s = &code->stage[stage];
    const char *why = emit_gpu_refusal(code, s, known);
    char string[SCHEDULE_STRING];
    bool can = false;
    if (!why)
        TRY(can_go(g, stage, known, &can));
    choose_one(g, stage, known);
    return can ? PAV_OK
               : FAIL(PAV_EUNSUPPORTED, "stage %s cannot go by %s: %s", s->name,
                      schedule_string(known, string),
                      why ? why : "this GPU lacks what it needs");
}

static pav_status choose_stage(gpurun *g, int64_t stage)
{
    const schedule *requested = g->client->schedule;
    bool is_hint;
    const schedule *known = g->client->ops->known(g->client, stage, &is_hint);
    if (known && !is_hint && schedule_is_of_gpus(known->kind))
        return choose_known(g, stage, known);
    return requested->kind == SCHEDULE_AUTO || schedule_fuses_steps(requested)
               ? choose_candidates(g, stage)
               : choose_requested(g, stage, requested);
}

pav_status gpurun_choose(gpurun *g)
{
    const ir *code = g->base.part->code;
    const schedule *requested = g->client->schedule;
    TRY(check(g, requested));
    for (int n = 0; n < EMIT_GPU_CANDIDATES; n++) {
        mem_free(g->of_stage[n]); /* plans call this more than once */
        g->of_stage[n] = mem_new(code->stages + 1, sizeof *g->of_stage[n]);
        if (!g->of_stage[n])
            return PAV_ENOMEM;
    }
    for (int64_t k = 0; k < code->stages; k++)
        if (emit_gpu_has_kernel(code, &code->stage[k]))
            TRY(choose_stage(g, k));
    return PAV_OK;
}

const schedule *gpurun_candidate(const gpurun *g, int64_t stage, int n)
{
    const schedule *s = &g->of_stage[n][stage];
    return s->kind == SCHEDULE_NONE ? NULL : s;
}
