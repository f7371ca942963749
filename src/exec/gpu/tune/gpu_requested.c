/* SPDX-License-Identifier: BSD-3-Clause */
/* By which schedules the stages of a run may go: the one that was asked for, which is
 * refused where it cannot be; or all candidates, as far as this GPU has what they
 * need. */
#include "exec/gpu/gpu_private.h"

/* Whether the GPU and the stage have all that it is about. */
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

/* What was fast on another size, but for the planes, comes first. */
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

/* A stage that is hardly ever taken, since others are in its place, or that never is in
 * another one's: the box that decides on that is the same (exec/layered_step.c). */
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

/* Nothing is read across the axis that a stack sweeps along, and its runs are short. */
static bool is_of_stack(const gpurun *g)
{
    return g->base.part->code->program->shots > 0;
}

/* One that goes without what a GPU may lack is always there. */
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

/* A stage that lacks what the schedule is about goes another way. */
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

/* By the program, then by this GPU. */
static pav_status check(const gpurun *g, const schedule *requested)
{
    const ir *code = g->base.part->code;
    char string[SCHEDULE_STRING];
    text why = {0};
    if (schedule_fuses_steps(requested))
        return PAV_OK; /* gpu_fused_requested does */
    TRY(emit_check(code, requested));
    pav_status status = emit_legal(code, requested, gpu_facts_of(g->gpu), &why);
    if (status == PAV_OK && why.length > 0)
        status = FAIL(PAV_EUNSUPPORTED, "the schedule %s cannot be on %s: %s",
                      schedule_string(requested, string), g->client->device_name,
                      why.data);
    text_free(&why);
    return status;
}

/* What is known to be fast, where this GPU has what it needs. It is of this stage alone:
 * others need not be able to go by it. */
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
        mem_free(g->of_stage[n]); /* plans choose more than once */
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
