/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a plan about fused launches: the candidates with their modelled bytes, or
 * the reason for single steps. */
#include "run/plan/needs_private.h"
#include "run/run_private.h"

/* Bytes of a step by the first candidates of each stage; 0: the host computes some
 * stage. */
static double single_bytes(const pav_plan *plan)
{
    double sum = 0;
    for (int64_t k = 0; k < plan->stages; k++) {
        if (plan->stage[k].forecast.tried == 0)
            return 0;
        sum += plan->stage[k].forecast.bytes;
    }
    return sum;
}

/* The reason lies in the program, in this device, or in the observers. */
static pav_status find_reason(const pav_plan *plan, text *why)
{
    static const schedule any = {.kind = SCHEDULE_GPU_TIME};
    const exec_place *on = run_place(plan->run);
    const machine_facts m = place_machine(on, run_threads(plan->run));
    int fewest = 0;
    TRY(emit_legal(plan->run->part->code, &any, m.gpu, why));
    if (why->length > 0)
        return PAV_OK;
    TRY(place_fewest(on, &fewest));
    if (fewest == 0)
        text_add(why, "none of the launches that the model finds faster can be");
    else
        run_list_observers(plan->run, fewest + 1, why);
    return why->failed ? PAV_ENOMEM : PAV_OK;
}

/* Drops candidates too long for this run, but keeps at least `least`: a requested launch
 * stays. */
static void leave_out_slow(pav_plan *plan, int least)
{
    launch_list *list = &plan->launches;
    int kept = 0;
    for (int n = 0; n < list->count; n++)
        if (n < least ||
            trial_any_begins(plan->run->steps, list->launch[n].requested.tile.steps))
            list->launch[kept++] = list->launch[n];
    list->count = kept;
}

/* Without --schedule: the candidates, or the reason for none. */
static pav_status find_candidates(pav_plan *plan)
{
    text why = {0};
    TRY(place_launches(run_place(plan->run), NULL, &plan->launches));
    pav_status status = plan->launches.count == 0 ? find_reason(plan, &why) : PAV_OK;
    leave_out_slow(plan, 0);
    if (status == PAV_OK && why.length > 0)
        status = text_take(&why, &plan->single);
    text_free(&why);
    return status;
}

pav_status plan_launches(pav_plan *plan)
{
    const schedule *requested = &plan->run->schedule;
    if (plan->run->cut.is_cut) /* plan_subdomains_text prints them */
        return PAV_OK;
    if (schedule_fuses_steps(requested)) {
        TRY(place_launches(run_place(plan->run), requested, &plan->launches));
        leave_out_slow(plan, 1);
        return PAV_OK;
    }
    return requested->kind == SCHEDULE_AUTO ? find_candidates(plan) : PAV_OK;
}

static void add_fused(const launch_forecast *f, text *t)
{
    text_add(t, "%-12s ", "");
    schedule_print(&f->schedule, t);
    text_add(t, "\n%-12s   %.4g bytes a point and step with the overlap of tiles", "",
             f->bytes);
    if (f->shorter > 0)
        text_add(t, ", with launches of %d before observations", f->shorter);
    if (f->shared > 0) {
        text_add(t, ", ");
        text_add_bytes_size(t, f->shared);
        text_add(t, " of shared memory");
    }
    text_add(t, "\n");
}

/* Appends the occasion of their trials. */
static void add_occasion(const pav_plan *plan, text *t)
{
    const double single = single_bytes(plan) / (double)plan->run->work.points;
    if (plan->run->schedule.kind != SCHEDULE_AUTO)
        text_add(t, "several steps share a launch");
    else
        text_add(t, "several steps may share a launch, which long runs try");
    if (single > 0)
        text_add(t, "; single steps move %.4g bytes a point", single);
    text_add(t, "\n");
}

void plan_launches_text(const pav_plan *plan, text *t)
{
    if (!plan->single && plan->launches.count == 0)
        return;
    text_add(t, "\n%-12s ", "time blocks");
    if (plan->single)
        text_add(t, "of single steps: %s\n", plan->single);
    else
        add_occasion(plan, t);
    for (int k = 0; k < plan->launches.count; k++)
        add_fused(&plan->launches.launch[k], t);
}

void plan_launches_json(const pav_plan *plan, text *t)
{
    text_add(t, ", \"single_steps_because\": ");
    text_add_json(t, plan->single);
    text_add(t, ", \"time_blocks\": [");
    for (int k = 0; k < plan->launches.count; k++) {
        text_add(t, "%s{\"schedule\": \"", k > 0 ? ", " : "");
        schedule_print(&plan->launches.launch[k].schedule, t);
        text_add(t, "\", \"bytes_by_model\": %.6g, \"shared_bytes\": %lld, ",
                 plan->launches.launch[k].bytes,
                 (long long)plan->launches.launch[k].shared);
        text_add(t, "\"shorter_steps\": %d}", plan->launches.launch[k].shorter);
    }
    text_add(t, "]");
}
