/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a plan about temporal blocking: the skew of each step and the candidates
 * for the first steps, or the reason for single steps. */
#include <stdlib.h>

#include "run/plan/needs_private.h"
#include "run/time/time_private.h"

static pav_status find_single(pav_plan *plan)
{
    text why = {0};
    pav_status status = plan->blocks ? temporal_refusal(plan->run, &why) : PAV_OK;
    if (why.length == 0 && run_is_single(plan->run))
        text_add(&why, "wisdom knows of none that are faster");
    if (status == PAV_OK && why.length > 0)
        status = text_take(&why, &plan->single);
    text_free(&why);
    return status;
}

pav_status plan_blocks(pav_plan *plan)
{
    const bool launches = run_has_launches(plan->run);
    if (plan->run->outofcore) /* plan_outofcore_text prints the visits */
        return PAV_OK;
    if (launches && run_is_single(plan->run))
        return find_single(plan);
    if (launches)
        return plan_launches(plan);
    if (!plan->run->compiled)
        return PAV_OK;
    TRY(temporal_check(plan->run));
    plan->blocks = mem_new(1, sizeof *plan->blocks);
    if (!plan->blocks)
        return PAV_ENOMEM;
    TRY(temporal_plan(plan->run, plan->blocks));
    TRY(temporal_fit(plan->run, plan->blocks));
    return find_single(plan);
}

void plan_blocks_close(pav_plan *plan)
{
    if (plan->blocks)
        ir_blocking_close(&plan->blocks->state.blocking);
    mem_free(plan->blocks);
    free(plan->single);
}

static void add_skews(const pav_plan *plan, text *t)
{
    const int dim = plan->run->code->dim;
    text_add(t, "each is skewed by ");
    for (int axis = 0; axis < dim; axis++)
        text_add(t, "%s%d along %c", axis ? ", " : "",
                 plan->blocks->state.blocking.skew[axis], "xyz"[axis]);
    text_add(t, " against the one before");
}

/* Candidates with fused steps. */
static int tried_of(const time_choice *c)
{
    int count = 0;
    for (int k = 0; k < c->count; k++)
        count += c->trial[k].shape.tile.steps > 1;
    return count;
}

static void add_shapes(const pav_plan *plan, text *t)
{
    const time_choice *c = plan->blocks;
    text_add(t, "; %s:\n",
             !c->forced      ? "tried besides single steps"
             : c->count == 1 ? "taken as asked for"
                             : "tried as asked for");
    for (int k = 0; k < c->count; k++) {
        if (c->trial[k].shape.tile.steps < 2)
            continue;
        text_add(t, "%-12s %s, %.3g bytes a point and step by the model\n", "",
                 c->trial[k].words, c->trial[k].bytes);
    }
}

const char *plan_untried(const pav_plan *plan)
{
    if (!trial_any_begins(plan->run->steps, 2))
        return "the run is too short to pay for it";
    return plan_is_cached(plan) ? "a core's cache holds all that a step moves"
                                : "tiles of this grid do not fit into caches";
}

void plan_blocks_text(const pav_plan *plan, text *t)
{
    const time_choice *c = plan->blocks;
    if (run_has_launches(plan->run))
        plan_launches_text(plan, t);
    if (!c)
        return;
    text_add(t, "\n%-12s ", "time blocks");
    if (plan->single) {
        text_add(t, "of single steps: %s\n", plan->single);
        return;
    }
    text_add(t, "several steps may share one: ");
    add_skews(plan, t);
    if (tried_of(c) > 0)
        add_shapes(plan, t);
    else
        text_add(t, "\n%-12s not tried: %s\n", "", plan_untried(plan));
}

void plan_blocks_json(const pav_plan *plan, text *t)
{
    const time_choice *c = plan->blocks;
    const char *comma = "";
    if (run_has_launches(plan->run))
        plan_launches_json(plan, t);
    if (!c)
        return;
    text_add(t, ", \"single_steps_because\": ");
    text_add_json(t, plan->single);
    text_add(t, ", \"time_blocks\": [");
    for (int k = 0; k < c->count; k++) {
        if (c->trial[k].shape.tile.steps < 2)
            continue;
        text_add(t, "%s{\"schedule\": \"%s\", \"bytes_by_model\": %.6g}", comma,
                 c->trial[k].words, c->trial[k].bytes);
        comma = ", ";
    }
    text_add(t, "]");
}
