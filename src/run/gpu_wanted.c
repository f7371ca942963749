/* SPDX-License-Identifier: BSD-3-Clause */
/* By which schedules the stages of a run may go: the one that was asked for, which is refused where it cannot be; or all
 * that are likely, as far as this GPU has what they need. */
#include <stdio.h>

#include "run/gpu_private.h"

/* Why the GPU cannot go by a schedule, though others can; or nothing. */
typedef struct lack {
    char why[160];
} lack;

static pav_status find_lack(const gpurun *g, const ir_stage *stage,
                            const emit_gpu_schedule *wanted, lack *l)
{
    const int most = gpu_tell(g->gpu)->shared_block;
    emit_gpu_kernel k;
    *l = (lack){""};
    TRY(emit_gpu_kernel_of(g->run->code, stage, wanted, &k));
    const int64_t bytes = k.shared + k.fixed;
    const char *tensor = k.parts > 0 ? gpu_part_refusal(g->gpu) : NULL;
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
static pav_status choose_likely(gpurun *g, int64_t stage)
{
    const ir_stage *s = &g->run->code->stage[stage];
    emit_gpu_schedule likely[EMIT_GPU_LIKELY];
    const int64_t count = emit_gpu_likely(g->run->code, s, likely);
    int taken = 0;
    for (int64_t n = 0; n < count; n++) {
        lack l;
        TRY(find_lack(g, s, &likely[n], &l));
        if (!*l.why)
            g->of_stage[taken++][stage] = likely[n];
    }
    if (taken == 0)
        g->of_stage[taken++][stage] = (emit_gpu_schedule){.form = EMIT_GPU_STREAM};
    for (; taken < EMIT_GPU_LIKELY; taken++)
        g->of_stage[taken][stage].form = EMIT_GPU_NONE;
    return PAV_OK;
}

static void choose_one(gpurun *g, int64_t stage, const emit_gpu_schedule *s)
{
    g->of_stage[0][stage] = *s;
    for (int n = 1; n < EMIT_GPU_LIKELY; n++)
        g->of_stage[n][stage].form = EMIT_GPU_NONE;
}

/* A stage that lacks what the schedule is about goes another way. */
static pav_status choose_wanted(gpurun *g, int64_t stage, const emit_gpu_schedule *wanted)
{
    const ir *code = g->run->code;
    const ir_stage *s = &code->stage[stage];
    const emit_gpu_schedule own = emit_gpu_schedule_of(code, stage, wanted);
    const char *why = emit_gpu_lack(code, s, wanted);
    lack l;
    if (why)
        run_note(g->run, "stage %s goes %s: %s", s->name,
                 wanted->plain ? "point by point" : "by the usual schedule", why);
    if (emit_gpu_is_open(&own))
        return choose_likely(g, stage);
    TRY(find_lack(g, s, &own, &l));
    if (*l.why)
        return FAIL(PAV_EUNSUPPORTED, "the schedule %s cannot be on %s: stage %s: %s",
                    g->run->options.schedule, g->run->device_name, s->name, l.why);
    choose_one(g, stage, &own);
    return PAV_OK;
}

pav_status gpurun_choose(gpurun *g)
{
    const ir *code = g->run->code;
    emit_gpu_schedule wanted;
    TRY(emit_gpu_schedule_for(code, g->run->options.schedule, &wanted));
    for (int n = 0; n < EMIT_GPU_LIKELY; n++) {
        g->of_stage[n] = mem_new(code->stages + 1, sizeof *g->of_stage[n]);
        if (!g->of_stage[n])
            return PAV_ENOMEM;
    }
    for (int64_t k = 0; k < code->stages; k++)
        if (emit_gpu_has_kernel(code, &code->stage[k]))
            TRY(wanted.form == EMIT_GPU_USUAL || emit_gpu_takes_steps(&wanted)
                    ? choose_likely(g, k)
                    : choose_wanted(g, k, &wanted));
    return PAV_OK;
}
