/* SPDX-License-Identifier: BSD-3-Clause */
/* By which schedules the stages of a run may go: the one that was asked for, which is refused where it cannot be; or all
 * that are likely, as far as this GPU has what they need. */
#include "run/gpu/gpu_private.h"

/* One that goes without what a GPU may lack is always there. */
static pav_status choose_candidates(gpurun *g, int64_t stage)
{
    const ir_stage *s = &g->base.part->code->stage[stage];
    schedule candidate[EMIT_GPU_CANDIDATES];
    const int64_t count = emit_gpu_candidates(g->base.part->code, s, candidate);
    int taken = 0;
    for (int64_t n = 0; n < count; n++) {
        text why = {0};
        const pav_status status = emit_gpu_machine_lack(
            g->base.part->code, s, &candidate[n], gpu_facts_of(g->gpu), &why);
        if (status == PAV_OK && why.length == 0)
            g->of_stage[taken++][stage] = candidate[n];
        text_free(&why);
        TRY(status);
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
        run_note(g->run, "stage %s goes %s: %s", s->name,
                 requested->plain ? "point by point" : "by the usual schedule", why);
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
                      schedule_string(requested, string), g->run->device_name, why.data);
    text_free(&why);
    return status;
}

pav_status gpurun_choose(gpurun *g)
{
    const ir *code = g->base.part->code;
    const schedule *requested = &g->run->schedule;
    TRY(check(g, requested));
    for (int n = 0; n < EMIT_GPU_CANDIDATES; n++) {
        g->of_stage[n] = mem_new(code->stages + 1, sizeof *g->of_stage[n]);
        if (!g->of_stage[n])
            return PAV_ENOMEM;
    }
    for (int64_t k = 0; k < code->stages; k++)
        if (emit_gpu_has_kernel(code, &code->stage[k]))
            TRY(requested->kind == SCHEDULE_AUTO || schedule_fuses_steps(requested)
                    ? choose_candidates(g, k)
                    : choose_requested(g, k, requested));
    return PAV_OK;
}
