/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan: an unstarted run, its needs, and a lower bound of its time.
 *
 * The bound assumes: all bytes that a stage reads and writes pass between memory and
 * processors at the copy bandwidth, except those that fit the caches. Data in caches are
 * not bounded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/plan/needs_private.h"
#include "run/record_private.h"
#include "run/run_private.h"

/* ---- time -------------------------------------------------------------------------- */

static pav_status plan_one(const pav_plan *plan, const ir_stage *s, plan_stage *stage)
{
    stage->stage = s;
    TRY(stage_load_of(plan->run->code, s, &stage->load));
    const ir *code = plan->run->code;
    /* visits cover other boxes than a step */
    const bool visits = plan->run->stepper->windows;
    if (plan->run->compiled && !visits)
        TRY(kernel_candidates(&plan->run->client, code, s, &stage->loop_tuner));
    TRY(place_forecast(run_place(plan->run), s - code->stage, &stage->forecast));
    if (visits && stage->forecast.tried > 1)
        stage->forecast.tried = 1;
    const double moved = stage->load.points * stage->load.bytes;
    const double beyond = moved - (double)plan->caches;
    if (plan->copy_rate > 0 && beyond > 0)
        stage->seconds = beyond / plan->copy_rate;
    return PAV_OK;
}

bool plan_is_cached(const pav_plan *plan)
{
    return plan->run->work.step_bytes <= (double)plan->caches;
}

/* ---- whether it fits --------------------------------------------------------------- */

static pav_status refuse_disk(const pav_plan *plan, const need_store *s)
{
    return FAIL(PAV_EFULL,
                "%s writes %s where %s is, %s are free there; write less often, crop or "
                "`stride` outputs, or write elsewhere (--out DIR)",
                plan->run->program->name, size_words(NULL, s->sure).s, s->name,
                size_words(NULL, s->available).s);
}

static pav_status judge(const pav_plan *plan)
{
    TRY(needs_fit(plan->run, &plan->needs,
                  place_has_hosts_memory(run_place(plan->run))
                      ? "`pavior run --force` tries it all the same"
                      : "`pavior run` refuses it, too"));
    for (int64_t k = STORE_HOST + 1; k < plan->needs.stores; k++) {
        const need_store *s = &plan->needs.store[k];
        if (s->tier == TIER_DISK && s->available >= 0 && s->sure > s->available)
            return refuse_disk(plan, s);
    }
    return names_check_inside(plan->run);
}

pav_status pav_plan_verdict(const pav_plan *plan)
{
    GUARDED;
    if (!plan)
        return FAIL(PAV_EINVAL, "pav_plan_verdict needs a plan");
    return plan->verdict == PAV_OK ? PAV_OK : FAIL(plan->verdict, "%s", plan->why);
}

/* ---- opening ----------------------------------------------------------------------- */

static pav_status make(pav_plan *plan, const pav_program *p, const pav_device *device,
                       const pav_run_options *options, double copy_gbytes)
{
    TRY(run_open_unstarted(&p->tree, device, options, &plan->run));
    if (plan->run->cut.is_cut) {
        plan->exchange = mem_new(plan->run->part->inners * 2 * MAX_DIM,
                                 sizeof *plan->exchange);
        TRY(plan->exchange ? run_exchange_costs(plan->run, plan->exchange) : PAV_ENOMEM);
    }
    TRY(needs_memory(plan->run, &plan->needs));
    TRY(needs_files(plan->run, &plan->needs));
    plan->verdict = judge(plan);
    plan->why = plan->verdict == PAV_OK ? NULL : strdup(pav_message());
    if (plan->verdict != PAV_OK && !plan->why)
        return PAV_ENOMEM;
    TRY(plan->verdict == PAV_OK ? run_check_directory(plan->run) : PAV_OK);
    plan->caches = place_caches(run_place(plan->run), run_threads(plan->run));
    /* Measures copying, unless the run is refused or all data fit in caches. The best
     * pass counts, because on a busy machine the others are no bound. Without memory
     * for copying the rate is unknown. */
    copy_rate found = {0};
    host_team *team = NULL;
    if (copy_gbytes > 0)
        plan->copy_rate = 1e9 * copy_gbytes;
    if (copy_gbytes <= 0 && copy_gbytes >= 0 && plan->verdict == PAV_OK &&
        !plan_is_cached(plan)) {
        pav_status status = run_open_team(plan->run, run_threads(plan->run), &team);
        if (status == PAV_OK) {
            status = run_measure_copy(plan->run, team, &found);
            host_team_close(team);
        }
        plan->copy_rate = found.best;
        plan->measured = status == PAV_OK;
        TRY(status == PAV_ENOMEM ? PAV_OK : status);
    }
    const ir *code = plan->run->code;
    TRY(place_choose(run_place(plan->run)));
    TRY(mem_take(&plan->stage, code->step.count + 1, sizeof *plan->stage));
    for (; plan->stages < code->step.count; plan->stages++) {
        const ir_stage *s = &code->stage[code->step.stage[plan->stages]];
        TRY(plan_one(plan, s, &plan->stage[plan->stages]));
        plan->seconds += plan->stage[plan->stages].seconds;
    }
    TRY(plan->verdict == PAV_OK ? plan_find_wave(plan) : PAV_OK);
    TRY(plan_blocks(plan));
    return plan->verdict == PAV_OK ? plan_costs(plan) : PAV_OK;
}

RELEASES(free_plan, pav_plan, pav_plan_free)

pav_status pav_plan_open(const pav_program *p, pav_device *device,
                         const pav_run_options *options, double copy_gbytes,
                         pav_plan **result)
{
    GUARDED;
    if (result)
        *result = NULL;
    if (!p || !device || !result || isnan(copy_gbytes))
        return FAIL(PAV_EINVAL, "pav_plan_open needs a program, a device, a rate that is "
                                "a number, and a place for the plan");
    NEW_BY(free_plan, pav_plan, plan, 1);
    TRY(make(plan, p, device, options, copy_gbytes));
    *result = mem_hand_over(&plan);
    return PAV_OK;
}

void pav_plan_free(pav_plan *plan)
{
    if (!plan)
        return;
    needs_free(&plan->needs);
    mem_free(plan->stage);
    mem_free(plan->exchange);
    free(plan->why);
    free(plan->wave.why);
    plan_blocks_close(plan);
    if (plan->costs)
        cost_list_close(plan->costs);
    mem_free(plan->costs);
    pav_run_free(plan->run);
    mem_free(plan);
}

/* ---- telling ----------------------------------------------------------------------- */

pav_status pav_plan_forecast(const pav_plan *plan, pav_forecast *result)
{
    GUARDED;
    if (result)
        *result = (pav_forecast){0};
    if (!plan || !result)
        return FAIL(PAV_EINVAL, "pav_plan_forecast needs a plan and a place for the "
                                "forecast");
    const pav_run *run = plan->run;
    const need_store *host = &plan->needs.store[STORE_HOST];
    /* The fullest disk, or NULL. */
    const need_store *disk = NULL;
    for (int64_t k = STORE_HOST + 1; k < plan->needs.stores; k++) {
        const need_store *s = &plan->needs.store[k];
        if (s->tier != TIER_DISK)
            continue;
        if (!disk || s->available - s->sure < disk->available - disk->sure)
            disk = s;
    }
    *result = (pav_forecast){
        .points = run->work.points,
        .steps = run->steps,
        .threads = run_threads(run),
        .memory = host->sure,
        .memory_available = host->available,
        .disk = disk ? disk->sure : 0,
        .disk_available = disk ? disk->available : -1,
        .bytes_per_point = run->work.step_bytes / (double)run->work.points,
        .flops_per_point = run->work.step_flops / (double)run->work.points,
        .copy_gbytes = plan->copy_rate / 1e9,
        .seconds_per_step = plan->seconds,
        .seconds = plan->seconds * (double)run->steps,
    };
    const cost_candidate *expected = plan_expected(plan);
    if (expected)
        result->expected_seconds_per_step = expected->cost.seconds;
    result->expected_seconds = result->expected_seconds_per_step *
                               (double)solver_expected_steps(run);
    return PAV_OK;
}

pav_status pav_plan_report(const pav_plan *plan, int json, char **result)
{
    GUARDED;
    text t = {0};
    if (result)
        *result = NULL;
    if (!plan || !result)
        return FAIL(PAV_EINVAL, "pav_plan_report needs a plan and a place for the text");
    (json ? plan_json : plan_text)(plan, &t);
    return text_take(&t, result);
}
