/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan: an unstarted run, its needs, and a lower bound of its time.
 *
 * The bound assumes: all bytes that a stage reads and writes pass between memory and
 * processors at the copy bandwidth, except those that fit the caches. Data in caches are
 * not bounded.
 *
 * The first part tells about schedules, the second one opens plans. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/plan/needs_private.h"
#include "run/record_private.h"
#include "run/run_private.h"
#include "run/time/time_private.h"

/* ---- schedules --------------------------------------------------------------------- */

/* The part of a plan about schedules: fused steps of processors and GPUs with their
 * modelled bytes, or the reason for single steps; the fastest schedule by the model, its
 * seconds and their parts; for each other kind its best candidate, or the reason against
 * it. */

/* ---- fused launches of GPUs -------------------------------------------------------- */

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
    OWNED_BY(text_free) text why = {0};
    TRY(place_launches(run_place(plan->run), NULL, &plan->launches));
    if (plan->launches.count == 0) {
        /* The reason lies in the program, in this device, or in the observers. */
        static const schedule any = {.kind = SCHEDULE_GPU_TIME};
        const exec_place *on = run_place(plan->run);
        const machine_facts m = place_machine(on, run_threads(plan->run));
        int fewest = 0;
        TRY(emit_legal(plan->run->part->code, &any, m.gpu, &why));
        if (why.length <= 0) {
            TRY(place_fewest(on, &fewest));
            if (fewest == 0)
                text_add(&why, "none of the launches that the model finds faster can be");
            else
                run_list_observers(plan->run, fewest + 1, &why);
            TRY(why.failed ? PAV_ENOMEM : PAV_OK);
        }
    }
    leave_out_slow(plan, 0);
    return why.length > 0 ? text_take(&why, &plan->single) : PAV_OK;
}

static void plan_launches_text(const pav_plan *plan, text *t)
{
    const bool several = !plan->single;
    const double single = single_bytes(plan) / (double)plan->run->work.points;
    const json_fact head[] = {
        json_word("why", plan->single), json_number("bytes", single), {.kind = JSON_END}};
    if (!plan->single && plan->launches.count == 0)
        return;
    text_add(t, "\n");
    SAY(t, head, {"time blocks", !several, "of single steps: {why}"},
        {"time blocks", several, "several steps "},
        {NULL, plan->run->schedule.kind != SCHEDULE_AUTO, "share a launch"},
        {NULL, plan->run->schedule.kind == SCHEDULE_AUTO,
         "may share a launch, which long runs try"},
        {NULL, single > 0, "; single steps move {bytes} bytes a point"});
    for (int k = 0; k < plan->launches.count; k++) {
        const launch_forecast *f = &plan->launches.launch[k];
        char words[SCHEDULE_STRING];
        const json_fact fact[] = {
            json_word("schedule", schedule_string(&f->schedule, words)),
            json_number("bytes", f->bytes),
            json_count("shorter", f->shorter),
            in_unit(&unit_bytes, json_count("shared", f->shared)),
            {.kind = JSON_END}};
        SAY(t, fact, {"", true, "{schedule}"},
            {"", true, "  {bytes} bytes a point and step with the overlap of tiles"},
            {NULL, f->shorter > 0, ", with launches of {shorter} before observations"},
            {NULL, f->shared > 0, ", {shared} of shared memory"});
    }
}

/* ---- time blocks of processors ----------------------------------------------------- */

static pav_status find_single(pav_plan *plan)
{
    OWNED_BY(text_free) text why = {0};
    if (plan->blocks)
        TRY(temporal_refusal(plan->run, &why));
    if (why.length == 0 && run_is_single(plan->run))
        text_add(&why, "wisdom knows no faster one");
    return why.length > 0 ? text_take(&why, &plan->single) : PAV_OK;
}

static pav_status plan_blocks(pav_plan *plan)
{
    const bool launches = run_has_launches(plan->run);
    if (plan->run->stepper->windows) /* plan_outofcore prints the visits */
        return PAV_OK;
    if (launches && run_is_single(plan->run))
        return find_single(plan);
    if (launches) {
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
    if (!plan->run->compiled)
        return PAV_OK;
    TRY(temporal_check(plan->run));
    TRY(mem_take(&plan->blocks, 1, sizeof *plan->blocks));
    TRY(temporal_plan(plan->run, false, plan->blocks));
    TRY(temporal_fit(plan->run, plan->blocks));
    return find_single(plan);
}

/* The reason against trying time blocks. */
static const char *plan_untried(const pav_plan *plan)
{
    if (!trial_any_begins(plan->run->steps, 2))
        return "the run is too short to pay for it";
    return plan_is_cached(plan) ? "a core's cache holds all that a step moves"
                                : "tiles of this grid do not fit into caches";
}

void plan_blocks_text(const pav_plan *plan, text *t)
{
    static const fact_unit three = {1, "%.3g", NULL};
    const time_choice *c = plan->blocks;
    int tried = 0; /* candidates with fused steps */
    OWNED_BY(text_free) text skew = {0};
    if (run_has_launches(plan->run))
        plan_launches_text(plan, t);
    if (!c)
        return;
    for (int axis = 0; axis < plan->run->code->dim; axis++)
        text_add(&skew, "%s%d along %c", axis ? ", " : "", c->state.blocking.skew[axis],
                 "xyz"[axis]);
    for (int k = 0; k < c->count; k++)
        tried += c->trial[k].shape.tile.steps > 1;
    const json_fact head[] = {json_word("why", plan->single),
                              json_word("skew", skew.data),
                              json_word("untried", plan_untried(plan)),
                              {.kind = JSON_END}};
    text_add(t, "\n");
    SAY(t, head, {"time blocks", plan->single != NULL, "of single steps: {why}"},
        {"time blocks", !plan->single,
         "several steps may share one: each is skewed by {skew} against the one before"},
        {NULL, tried && !c->forced, "; tried besides single steps:"},
        {NULL, tried && c->forced && c->count == 1, "; taken as asked for:"},
        {NULL, tried && c->forced && c->count != 1, "; tried as asked for:"},
        {"", !plan->single && !tried, "not tried: {untried}"});
    for (int k = 0; k < c->count && !plan->single; k++) {
        const json_fact fact[] = {
            json_word("schedule", c->trial[k].words),
            in_unit(&three, json_number("bytes", c->trial[k].bytes)),
            {.kind = JSON_END}};
        SAY(t, fact,
            {"", c->trial[k].shape.tile.steps > 1,
             "{schedule}, {bytes} bytes a point and step by the model"});
    }
    t->failed |= skew.failed;
}

/* ---- costs ------------------------------------------------------------------------- */

/* Finds the schedule of wisdom, with its measured seconds. */
static pav_status find_known(pav_plan *plan)
{
    const pav_run *run = plan->run;
    const run_choice *c = run->known.choice;
    if (!c || !c->is_wisdom)
        return PAV_OK;
    const schedule s = c->several.kind == SCHEDULE_AUTO && c->stages > 0 ? c->stage[0]
                                                                         : c->several;
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
static pav_status plan_costs(pav_plan *plan)
{
    pav_run *run = plan->run;
    if (run->solver.within)
        return PAV_OK;
    TRY(mem_take(&plan->costs, 1, sizeof *plan->costs));
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
    return schedule_is_same(asked, &bare)
               ? c->tried && c->kind == asked->kind
               : strcmp(schedule_string(asked, words), c->words) == 0;
}

static const cost_candidate *plan_expected(const pav_plan *plan)
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

/* The best candidate of a kind, or the reason for none. */
static void add_best_of_kind(const pav_plan *plan, const cost_candidate *best,
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
    static const fact_unit milliseconds = {1e3, "%.3g ms", NULL}, any = {1, "%g", NULL};
    const pav_run *run = plan->run;
    const machine_rates *r = &run->client.machine.rate;
    const int64_t expected = solver_expected_steps(run);
    const bool known = c == &plan->known, bounded = run->steps > 0;
    const bool solves = bounded && run->solver.solution.start;
    const json_fact fact[] = {
        in_unit(&milliseconds, json_number("step", c->cost.seconds)),
        in_unit(&unit_time, json_number("all", c->cost.seconds * (double)expected)),
        in_unit(&milliseconds, json_number("modelled", plan->modelled)),
        json_count("expected", expected),
        json_count("steps", run->steps),
        in_unit(&any, json_number("tolerance", run->solver.solution.tolerance)),
        json_number("rate", (double)run->work.points / c->cost.seconds / 1e9),
        json_word("schedule", c->words),
        json_word("date", r->date),
        {.kind = JSON_END}};
    text_add(t, "\n");
    /* a solver ends when the tolerance is met */
    SAY(t, fact, {known ? "wisdom" : "model", true, "{step} a step"},
        {NULL, bounded, ", {all}"}, {NULL, bounded && !solves, " for all"},
        {NULL, solves && expected < run->steps,
         " for some {expected} steps to {tolerance} ({steps} at most)"},
        {NULL, solves && expected >= run->steps,
         " for {expected} steps, should it take them all"},
        {NULL, true, ", {rate} Gpts/s, by {schedule}"},
        {"", known, "  measured, as wisdom has it"},
        {NULL, plan->modelled > 0, "; by the model {modelled}:"});
    if (!known || plan->modelled > 0)
        add_parts(&c->cost, known ? plan->modelled : c->cost.seconds, t);
    SAY(t, fact, {"", r->measured, "  by rates that are measured"},
        {NULL, *r->date, " on {date}"}, {NULL, true, " (`pavior doctor --measure`)"},
        {"", !r->measured,
         "  by rates that are defaults: `pavior doctor --measure` measures them"});
    for (int kind = SCHEDULE_AUTO + 1; kind < SCHEDULE_KINDS; kind++)
        add_best_of_kind(plan, c, (schedule_kind)kind, t);
}

/* ---- as JSON ----------------------------------------------------------------------- */

static const char *const keys[COST_TERMS] = {"memory",      "caches", "arithmetic",
                                             "synchronise", "start",  "idle"};

void plan_costs_json(const pav_plan *plan, text *t)
{
    const cost_candidate *expected = plan_expected(plan);
    if (!expected) {
        JSON_ADD(t, json_word("expected_schedule", NULL),
                 json_word("expected_seconds_per_step", NULL));
        return;
    }
    JSON_ADD(t, json_word("expected_schedule", expected->words),
             json_digits("expected_seconds_per_step", 6, expected->cost.seconds),
             json_count("expected_steps", solver_expected_steps(plan->run)));
    json_open(t, "schedules", '[');
    for (int n = 0; n < plan->costs->count; n++) {
        const cost_candidate *c = &plan->costs->at[n];
        json_open(t, NULL, '{');
        JSON_ADD(t, json_word("schedule", c->words),
                 json_digits("seconds", 6, c->cost.seconds));
        for (int k = 0; k < COST_TERMS; k++)
            JSON_ADD(t, json_digits(keys[k], 6, c->cost.term[k]));
        JSON_ADD(t, json_word("bound", cost_bound(&c->cost)),
                 json_truth("tried", c->tried));
        text_add(t, "}");
    }
    text_add(t, "]");
    json_open(t, "not_listed", '{');
    for (int kind = SCHEDULE_AUTO + 1; kind < SCHEDULE_KINDS; kind++)
        if (plan->costs->reason[kind])
            JSON_ADD(t, json_word(schedule_name((schedule_kind)kind),
                                  plan->costs->reason[kind]));
    text_add(t, "}");
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
    const double beyond = stage->load.points * stage->load.bytes - (double)plan->caches;
    if (plan->copy_rate > 0 && beyond > 0)
        stage->seconds = beyond / plan->copy_rate;
    return PAV_OK;
}

bool plan_is_cached(const pav_plan *plan)
{
    return plan->run->work.step_bytes <= (double)plan->caches;
}

/* ---- whether it fits --------------------------------------------------------------- */

static pav_status judge(const pav_plan *plan)
{
    TRY(needs_fit(plan->run, &plan->needs,
                  place_has_hosts_memory(run_place(plan->run))
                      ? "`pavior run --force` tries it all the same"
                      : "`pavior run` refuses it, too"));
    for (int64_t k = STORE_HOST + 1; k < plan->needs.stores; k++) {
        const need_store *s = &plan->needs.store[k];
        if (s->tier == TIER_DISK && s->available >= 0 && s->sure > s->available) {
            return FAIL(
                PAV_EFULL,
                "%s writes %s where %s is, %s are free there; write less often, crop or "
                "`stride` outputs, or write elsewhere (--out DIR)",
                plan->run->program->name, size_words(NULL, s->sure).s, s->name,
                size_words(NULL, s->available).s);
        }
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
    OWNED_BY(close_team) host_team *team = NULL;
    if (copy_gbytes > 0)
        plan->copy_rate = 1e9 * copy_gbytes;
    if (copy_gbytes <= 0 && copy_gbytes >= 0 && plan->verdict == PAV_OK &&
        !plan_is_cached(plan)) {
        pav_status status = run_open_team(plan->run, run_threads(plan->run), &team);
        if (status == PAV_OK)
            status = run_measure_copy(plan->run, team, &found);
        plan->copy_rate = found.best;
        plan->measured = status == PAV_OK;
        TRY(status == PAV_ENOMEM ? PAV_OK : status);
    }
    const ir *code = plan->run->code;
    TRY(place_choose(run_place(plan->run)));
    TRY(mem_take(&plan->stage, code->step.count + 1, sizeof *plan->stage));
    for (; plan->stages < code->step.count; plan->stages++) {
        TRY(plan_one(plan, &code->stage[code->step.stage[plan->stages]],
                     &plan->stage[plan->stages]));
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

static void cost_list_close(cost_list *l)
{
    for (int kind = 0; kind < SCHEDULE_KINDS; kind++)
        free(l->reason[kind]);
    *l = (cost_list){0};
}

void pav_plan_free(pav_plan *plan)
{
    if (!plan)
        return;
    needs_free(&plan->needs);
    MEM_FREE_ALL(plan->stage, plan->exchange);
    free(plan->why);
    free(plan->wave.why);
    if (plan->blocks)
        ir_blocking_close(&plan->blocks->state.blocking);
    mem_free(plan->blocks);
    free(plan->single);
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
