/* SPDX-License-Identifier: BSD-3-Clause */
/* Tuned schedules of the stages of a step on a GPU: their schedule strings, which request
 * the same again, and their bytes and arithmetic. */
#include "exec/gpu/gpu_private.h"

/* Stage n of the step; NULL: the host runs it. */
static const gpu_stage *stage_of(const gpurun *g, int64_t n)
{
    const gpu_stage *s = &g->stage[g->base.part->code->step.stage[n]];

    return s->variants > 0 ? s : NULL;
}

static schedule candidate_of(const gpurun *g, const gpu_stage *s)
{
    const gpu_candidate *candidate = &s->tuner.candidate[s->tuner.fastest];
    schedule found = s->variant[candidate->kernel].what.schedule;

    if (found.kind == SCHEDULE_SWEEP)
        found.planes = (int)candidate->planes;
    emit_gpu_leave_defaults(g->base.part->code, &g->base.part->code->stage[s - g->stage],
                            &found);
    return found;
}

static bool is_same(const gpurun *g, const gpu_stage *a, const gpu_stage *b)
{
    if (!a || !b)
        return a == b;
    const schedule one = candidate_of(g, a), other = candidate_of(g, b);
    return schedule_is_same(&one, &other);
}

/* ---- schedule strings -------------------------------------------------------------- */

/* True if no earlier stage of the step has the same schedule. */
static bool is_first(const gpurun *g, int64_t stage)
{
    for (int64_t n = 0; n < stage; n++)
        if (is_same(g, stage_of(g, n), stage_of(g, stage)))
            return false;
    return true;
}

static void add_candidate(const gpurun *g, const gpu_stage *s, text *t)
{
    if (s) {
        const schedule candidate = candidate_of(g, s);
        schedule_print(&candidate, t);
    } else {
        text_add(t, "the host");
    }
}

/* " (u, v)" */
static void add_names(const gpurun *g, int64_t first, text *t)
{
    const ir *code = g->base.part->code;

    for (int64_t n = first; n < code->step.count; n++)
        if (is_same(g, stage_of(g, first), stage_of(g, n)))
            text_add(t, "%s%s", n == first ? " (" : ", ",
                     code->stage[code->step.stage[n]].name);
    text_add(t, ")");
}

void gpu_tuned_string(const gpurun *g, text *t)
{
    const int64_t count = g->base.part->code->step.count;
    int64_t candidates = 0;

    for (int64_t n = 0; n < count; n++)
        candidates += is_first(g, n);
    for (int64_t n = 0; n < count; n++) {
        if (!is_first(g, n))
            continue;
        text_add(t, "%s", n > 0 ? "; " : "");
        add_candidate(g, stage_of(g, n), t);
        if (candidates > 1)
            add_names(g, n, t);
    }
}

bool gpu_tuned_stage(const executor *self, int64_t n, schedule *s)
{
    const gpurun *g = (const gpurun *)self;
    const gpu_stage *stage = stage_of(g, n);
    if (stage)
        *s = candidate_of(g, stage);
    return stage != NULL;
}

/* ---- in numbers -------------------------------------------------------------------- */

pav_status gpu_forecast_stage(const gpurun *g, int64_t stage, stage_forecast *f)
{
    const ir *code = g->base.part->code;

    *f = (stage_forecast){0};
    if (!emit_gpu_has_kernel(code, &code->stage[stage]))
        return PAV_OK;
    while (f->tried < EMIT_GPU_CANDIDATES &&
           g->of_stage[f->tried][stage].kind != SCHEDULE_NONE)
        f->tried++;
    return cost_stage_bytes(code, &code->stage[stage], &g->of_stage[0][stage],
                            &f->schedule, &f->bytes);
}

pav_status gpu_tuned_bytes(const gpurun *g, double *bytes)
{
    const ir *code = g->base.part->code;
    double sum = 0;

    *bytes = 0;
    for (int64_t n = 0; n < code->step.count; n++) {
        schedule settled;
        double one;
        if (!stage_of(g, n))
            return PAV_OK;
        const schedule candidate = candidate_of(g, stage_of(g, n));
        TRY(cost_stage_bytes(code, &code->stage[code->step.stage[n]], &candidate,
                             &settled, &one));
        sum += one;
    }
    *bytes = sum;
    return PAV_OK;
}

pav_status gpu_tuned_arithmetic(const gpurun *g, double *seconds)
{
    const ir *code = g->base.part->code;
    const gpu_facts *f = gpu_facts_of(g->gpu);
    double sum = 0;

    *seconds = 0;
    for (int64_t n = 0; n < code->step.count; n++) {
        const ir_stage *stage = &code->stage[code->step.stage[n]];
        const double rate = stage->real == PAV_F64 ? f->f64_rate : f->f32_rate;
        stage_load load;
        if (!stage_of(g, n) || rate <= 0)
            return PAV_OK;
        TRY(stage_load_of(code, stage, &load));
        sum += load.points * load.instructions / rate;
    }
    *seconds = sum;
    return PAV_OK;
}
