/* SPDX-License-Identifier: BSD-3-Clause */
/* By which schedules the stages of a run may go: the one that was asked for, which is refused where it cannot be; or all
 * that are likely, as far as this GPU has what they need. */
#include <stdio.h>

#include "run/gpu/gpu_private.h"

/* Why the GPU cannot go by a schedule, though others can; or nothing. */
typedef struct lack {
    char why[160];
} lack;

static pav_status find_lack(const gpurun *g, const ir_stage *stage,
                            const schedule *requested, lack *l)
{
    const int most = gpu_facts_of(g->gpu)->shared_block;
    emit_gpu_kernel k;
    *l = (lack){""};
    TRY(emit_gpu_kernel_of(g->run->part->code, stage, requested, &k));
    const int64_t bytes = k.shared + k.fixed;
    const char *tensor = k.parts > 0 ? gpu_tensor_refusal(g->gpu) : NULL;
    if (tensor)
        (void)snprintf(l->why, sizeof l->why, "%s", tensor);
    else if (bytes > most)
        (void)snprintf(l->why, sizeof l->why,
                       "a block takes %lld bytes of shared memory, and has %d",
                       (long long)bytes, most);
    emit_gpu_kernel_free(&k);
    return PAV_OK;
}

/* One that goes without what a GPU may lack is always there. */
static pav_status choose_candidates(gpurun *g, int64_t stage)
{
    const ir_stage *s = &g->run->part->code->stage[stage];
    schedule candidate[EMIT_GPU_CANDIDATES];
    const int64_t count = emit_gpu_candidates(g->run->part->code, s, candidate);
    int taken = 0;
    for (int64_t n = 0; n < count; n++) {
        lack l;
        TRY(find_lack(g, s, &candidate[n], &l));
        if (!*l.why)
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
    const ir *code = g->run->part->code;
    const ir_stage *s = &code->stage[stage];
    const schedule own = emit_gpu_schedule_of(code, stage, requested);
    const char *why = emit_gpu_lack(code, s, requested);
    char string[SCHEDULE_STRING];
    lack l;
    if (why)
        run_note(g->run, "stage %s goes %s: %s", s->name,
                 requested->plain ? "point by point" : "by the usual schedule", why);
    if (emit_gpu_is_open(&own))
        return choose_candidates(g, stage);
    TRY(find_lack(g, s, &own, &l));
    if (*l.why)
        return FAIL(PAV_EUNSUPPORTED, "the schedule %s cannot be on %s: stage %s: %s",
                    schedule_string(requested, string), g->run->device_name, s->name,
                    l.why);
    choose_one(g, stage, &own);
    return PAV_OK;
}

pav_status gpurun_choose(gpurun *g)
{
    const ir *code = g->run->part->code;
    const schedule *requested = &g->run->schedule;
    TRY(emit_gpu_check(code, requested));
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
