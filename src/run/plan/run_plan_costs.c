/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a plan about schedules: the fastest by the model, its seconds and their
 * parts; for each other kind its best candidate, or the reason against it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/plan/needs_private.h"
#include "run/run_private.h"

/* Finds the schedule of wisdom, with its measured seconds. */
static pav_status find_known(pav_plan *plan)
{
    const pav_run *run = plan->run;
    const run_choice *c = run->known.choice;
    if (!c || !c->is_wisdom)
        return PAV_OK;
    const bool single = c->several.kind == SCHEDULE_AUTO;
    const schedule s = single && c->stages > 0 ? c->stage[0] : c->several;
    const cost_question q = {
        .code = run->part->code, .schedule = &s, .machine = &run->client.machine};
    if (s.kind != SCHEDULE_AUTO && s.kind != SCHEDULE_NONE &&
        cost_forecast(&q, &plan->known.cost) == PAV_ENOMEM)
        return PAV_ENOMEM;
    plan->modelled = plan->known.cost.seconds;
    plan->known.kind = s.kind;
    (void)snprintf(plan->known.words, sizeof plan->known.words, "%.*s",
                   (int)strcspn(c->words, ";"), c->words);
    if (s.kind != SCHEDULE_AUTO && s.kind != SCHEDULE_NONE)
        schedule_string(&s, plan->known.words);
    plan->known.cost.seconds = (double)run->work.points / (1e9 * c->gpts);
    return PAV_OK;
}

/* Uses the plan's memory rate, if it was measured or given. */
pav_status plan_costs(pav_plan *plan)
{
    pav_run *run = plan->run;
    if (run->solver.within)
        return PAV_OK;
    plan->costs = mem_new(1, sizeof *plan->costs);
    if (!plan->costs)
        return PAV_ENOMEM;
    if (plan->copy_rate > 0 && !run->client.machine.rate.measured)
        run->client.machine.rate.memory = plan->copy_rate;
    TRY(find_known(plan));
    return cost_list_open(run, plan->costs);
}

/* True if a candidate has the requested settings. */
static bool is_asked(const schedule *asked, const cost_candidate *c)
{
    const schedule bare = {.kind = asked->kind};
    char words[SCHEDULE_STRING];
    if (asked->kind == SCHEDULE_AUTO)
        return c->tried;
    if (schedule_is_same(asked, &bare))
        return c->tried && c->kind == asked->kind;
    return strcmp(schedule_string(asked, words), c->words) == 0;
}

const cost_candidate *plan_expected(const pav_plan *plan)
{
    const cost_list *l = plan->costs;
    if (l && plan->known.cost.seconds > 0)
        return &plan->known;
    for (int n = 0; l && n < l->count; n++)
        if (is_asked(&plan->run->schedule, &l->at[n]))
            return &l->at[n];
    return NULL;
}

/* ---- as text ----------------------------------------------------------------------- */

/* The parts of a step's modelled time; on a GPU they overlap. */
static void add_parts(const step_cost *c, double seconds, text *t)
{
    const char *comma = "";
    text_add(t, "%-12s   ", "");
    for (int n = 0; n < COST_TERMS; n++) {
        if (c->term[n] < 0.005 * seconds)
            continue;
        text_add(t, "%s%s %.0f %%", comma, cost_term_name((cost_term)n),
                 100 * c->term[n] / seconds);
        comma = ", ";
    }
    text_add(t, "\n");
}

/* A solver ends when the tolerance is met. */
static void add_all_steps(const pav_run *run, double seconds, text *t)
{
    const int64_t expected = solver_expected_steps(run);
    text_add(t, ", ");
    text_add_duration(t, seconds * (double)expected);
    if (!run->solver.solution.start)
        text_add(t, " for all");
    else if (expected < run->steps)
        text_add(t, " for some %lld steps to %g (%lld at most)", (long long)expected,
                 run->solver.solution.tolerance, (long long)run->steps);
    else
        text_add(t, " for %lld steps, should it take them all", (long long)expected);
}

static void add_measured(const pav_plan *plan, text *t)
{
    text_add(t, "%-12s   measured, as wisdom has it", "");
    if (!(plan->modelled > 0)) {
        text_add(t, "\n");
        return;
    }
    text_add(t, "; by the model %.3g ms:\n", 1e3 * plan->modelled);
    add_parts(&plan->known.cost, plan->modelled, t);
}

static void add_rates(const machine_rates *r, text *t)
{
    text_add(t, "%-12s   by rates that are ", "");
    if (!r->measured)
        text_add(t, "defaults: `pavior doctor --measure` measures them\n");
    else
        text_add(t, "measured%s%s (`pavior doctor --measure`)\n", *r->date ? " on " : "",
                 r->date);
}

static void add_expected(const pav_plan *plan, const cost_candidate *c, text *t)
{
    const pav_run *run = plan->run;
    text_add(t, "\n%-12s %.3g ms a step", c == &plan->known ? "wisdom" : "model",
             1e3 * c->cost.seconds);
    if (run->steps > 0)
        add_all_steps(run, c->cost.seconds, t);
    text_add(t, ", %.4g Gpts/s, by %s\n",
             (double)run->work.points / c->cost.seconds / 1e9, c->words);
    if (c == &plan->known)
        add_measured(plan, t);
    else
        add_parts(&c->cost, c->cost.seconds, t);
    add_rates(&run->client.machine.rate, t);
}

/* The best candidate of a kind, or the reason for none. */
static void add_other(const pav_plan *plan, const cost_candidate *best,
                      schedule_kind kind, text *t)
{
    const cost_list *l = plan->costs;
    const bool modelled = best == &plan->known && plan->modelled > 0;
    const double seconds = modelled ? plan->modelled : best->cost.seconds;
    if (kind == best->kind)
        return;
    const cost_candidate *c = cost_best(l, kind);
    if (c && c->tried)
        text_add(t, "%-12s   not %s: %.2f times as long by %s\n", "", c->words,
                 c->cost.seconds / seconds, cost_bound(&c->cost));
    else if (c)
        text_add(t, "%-12s   not %s: %s\n", "", schedule_name(kind), plan_untried(plan));
    else if (l->reason[kind])
        text_add(t, "%-12s   not %s: %s\n", "", schedule_name(kind), l->reason[kind]);
}

void plan_costs_text(const pav_plan *plan, text *t)
{
    const cost_candidate *c = plan_expected(plan);
    if (!c)
        return;
    add_expected(plan, c, t);
    for (int kind = SCHEDULE_AUTO + 1; kind < SCHEDULE_KINDS; kind++)
        add_other(plan, c, (schedule_kind)kind, t);
}

/* ---- as JSON ----------------------------------------------------------------------- */

static const char *const keys[COST_TERMS] = {"memory",      "caches", "arithmetic",
                                             "synchronise", "start",  "idle"};

static void add_candidate(const cost_candidate *c, const char *comma, text *t)
{
    text_add(t, "%s{\"schedule\": \"%s\", \"seconds\": %.6g", comma, c->words,
             c->cost.seconds);
    for (int n = 0; n < COST_TERMS; n++)
        text_add(t, ", \"%s\": %.6g", keys[n], c->cost.term[n]);
    text_add(t, ", \"bound\": \"%s\", \"tried\": %s}", cost_bound(&c->cost),
             c->tried ? "true" : "false");
}

static void add_reasons(const cost_list *l, text *t)
{
    const char *comma = "";
    text_add(t, "], \"not_listed\": {");
    for (int kind = SCHEDULE_AUTO + 1; kind < SCHEDULE_KINDS; kind++) {
        if (!l->reason[kind])
            continue;
        text_add(t, "%s\"%s\": ", comma, schedule_name((schedule_kind)kind));
        text_add_json(t, l->reason[kind]);
        comma = ", ";
    }
    text_add(t, "}");
}

void plan_costs_json(const pav_plan *plan, text *t)
{
    const cost_candidate *c = plan_expected(plan);
    if (!c) {
        text_add(t, ", \"expected_schedule\": null, \"expected_seconds_per_step\": null");
        return;
    }
    text_add(t,
             ", \"expected_schedule\": \"%s\", \"expected_seconds_per_step\": %.6g, "
             "\"expected_steps\": %lld",
             c->words, c->cost.seconds, (long long)solver_expected_steps(plan->run));
    text_add(t, ", \"schedules\": [");
    for (int n = 0; n < plan->costs->count; n++)
        add_candidate(&plan->costs->at[n], n ? ", " : "", t);
    add_reasons(plan->costs, t);
}

/* ---- for callers ------------------------------------------------------------------- */

int64_t pav_plan_candidates(const pav_plan *plan)
{
    return plan && plan->costs ? plan->costs->count : 0;
}

pav_status pav_plan_candidate(const pav_plan *plan, int64_t number, pav_candidate *result)
{
    GUARDED;
    if (result)
        *result = (pav_candidate){0};
    if (!plan || !result || number < 0 || number >= pav_plan_candidates(plan))
        return FAIL(PAV_EINVAL, "pav_plan_candidate needs a plan, a number below that of "
                                "pav_plan_candidates, and a place for the result");
    const cost_candidate *c = &plan->costs->at[number];
    const double *term = c->cost.term;
    *result = (pav_candidate){.bound = cost_bound(&c->cost),
                              .seconds = c->cost.seconds,
                              .memory = term[COST_MEMORY],
                              .caches = term[COST_CACHE],
                              .arithmetic = term[COST_ARITHMETIC],
                              .start = term[COST_LAUNCH] + term[COST_SYNCHRONISE],
                              .idle = term[COST_IDLE],
                              .tried = c->tried};
    (void)snprintf(result->schedule, sizeof result->schedule, "%s", c->words);
    return PAV_OK;
}
