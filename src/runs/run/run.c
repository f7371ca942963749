/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens and frees a run: all that is needed before its first step; and the run's view for
 * its executors (exec/exec.h). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"
#include "run/cost/cost_private.h"
#include "run/run_private.h"
#include "run/time/time_private.h"

/* ---- places and executor ----------------------------------------------------------- */

int run_field_of(const pav_run *run, const symbol *field)
{
    for (int64_t f = 0; f < run->code->fields; f++)
        if (run->code->field[f].symbol == field)
            return (int)f;
    return -1;
}

bool places_have_memory(const pav_run *run)
{
    for (int n = 0; n < run->places; n++)
        if (!place_has_memory(&run->place[n]))
            return false;
    return true;
}

const exec_place *run_place(const pav_run *run)
{
    for (int n = 0; n < run->places; n++)
        if (place_has_memory(&run->place[n]))
            return &run->place[n];
    return run->place;
}

bool run_uses_device_memory(const pav_run *run)
{
    return place_has_memory(run_place(run));
}

bool run_has_launches(const pav_run *run)
{
    return run_place(run)->kind == PLACE_GPU;
}

bool run_has_kernels(const pav_run *run)
{
    return run->compiled || run_has_launches(run);
}

static executor_figures figures_of(const pav_run *run, bool tuned)
{
    const executor *e = run->part->executor;
    executor_figures all = e->ops.figures(e);
    all.tuned = tuned;
    if (run->stepper->figures)
        run->stepper->figures(run, &all);
    return all;
}

executor_figures run_executor_figures(const pav_run *run)
{
    return figures_of(run, false);
}

bool run_is_whole(const pav_run *run)
{
    return run->places == 1 && !run->cut.is_cut && !run->stepper->windows;
}

run_phase run_enter_phase(pav_run *run, run_phase phase)
{
    run_times *s = &run->seconds;
    const double now = clock_seconds();
    const run_phase before = s->phase;
    s->spent[before] += now - s->since;
    s->since = now;
    s->phase = phase;
    return before;
}

void phase_scope_end(const phase_scope *s)
{
    (void)run_enter_phase(s->run, s->before);
}

pav_status run_settle(pav_run *run)
{
    IN_PHASE(run, PHASE_STEPS);
    return run->part->executor->ops.wait(run->part->executor);
}

void run_rewind(pav_run *run, int64_t step)
{
    subdomain_set_step(run->part, step);
    run->progress.until_met = run->progress.stopped = false;
}

/* ---- the executors' view ----------------------------------------------------------- */

static client_state client_state_of(const pav_run *run)
{
    return (client_state){.steps = run->steps,
                          .expected = solver_expected_steps(run),
                          .seconds = run->seconds.spent[PHASE_STEPS],
                          .step_bytes = run->work.step_bytes,
                          .inners = run->part->inners,
                          .only_single = run_is_single(run),
                          .wants_single = run->progress.stopped || run->checkpoint.waits};
}

static pav_status one_step(pav_run *run)
{
    return run_one_step(run, 1);
}

static pav_status record_due(pav_run *run)
{
    return run_record(run, false);
}

static void count(pav_run *run, int64_t steps, bool shorter)
{
    run_count_block(run, steps);
    run->blocks.count.shorter += shorter;
}

/* ---- observers --------------------------------------------------------------------- */

static const sampler *sampler_of(const pav_run *run, const statement *s)
{
    const recorder *r = run->observers.recorder;
    while (r->statement != s)
        r++;
    return &r->sampler;
}

static pav_status each_sample(pav_run *run, int64_t step, sample_visit *visit, void *user)
{
    for (recorder *r = NULL; (r = run_next_recorder(run, r));) {
        if (!time_sample_is_due(run, r, step))
            continue;
        r->last_step = step;
        TRY(visit(user, r->statement, &r->sampler));
    }
    return PAV_OK;
}

/* ---- schedules and the host -------------------------------------------------------- */

static const schedule *choice_of_stage(const pav_run *run, int64_t stage)
{
    const run_choice *c = run->known.choice;
    const ir_list *step = &run->code->step;
    if (!c || c->stages == 0)
        return NULL;
    for (int64_t n = 0; n < step->count; n++) {
        const schedule *s = &c->stage[c->stages > 1 ? n : 0];
        if (step->stage[n] == stage && (c->stages == 1 || n < c->stages))
            return s->kind == SCHEDULE_NONE ? NULL : s;
    }
    return NULL;
}

static const schedule *known(const pav_run *run, int64_t stage, bool *is_hint)
{
    *is_hint = run->known.choice && run->known.choice->is_hint;
    return choice_of_stage(run, stage);
}

static pav_status host_team_of(pav_run *run, host_team **team)
{
    run->compiled = true;
    if (!run->team.all)
        TRY(run_open_team(run, run_threads(run), &run->team.all));
    *team = run->team.all;
    return PAV_OK;
}

static void has_kernels(pav_run *run, bool there)
{
    run->compiled = there;
}

static void report(const pav_run *run, bool warning, const char *line)
{
    const pav_run_options *options = &run->options;
    if (options->listener)
        options->listener(options->user, warning ? PAV_EVENT_WARNING : PAV_EVENT_NOTE,
                          NULL, line);
}

/* ---- opening ----------------------------------------------------------------------- */

/* Opens and frees a run: all that is needed before its first step. */

/* If the program has an equation to solve, the run takes the derived program of the
 * solver. */
static pav_status take_solver(pav_run *run)
{
    if (run->solver.outer)
        return PAV_OK;
    run->solver.asked = run->program;
    TRY(solve_derive(run->program, &run->solver.solution));
    if (!run->solver.solution.program)
        return PAV_OK;
    run->program = run->solver.solution.program;
    const int64_t jump = run->solver.solution.jump;
    run->steps = run->options.steps > 0 ? run->options.steps : run->program->steps;
    if (jump && run->options.steps % jump)
        return FAIL(PAV_EINVAL, "--steps %lld is no whole number of jumps of %lld steps",
                    (long long)run->options.steps, (long long)jump);
    if (jump && run->options.steps > 0)
        run->steps /= jump;
    return PAV_OK;
}

/* Conjugate gradients may converge for weights without symmetry, but need not. */
static void warn_of_weights(const pav_run *run, const solution *s)
{
    if (s->program && s->needs_spd && !s->symmetric)
        exec_warn(&run->client,
                  "%s solves for %s, but the weights are not symmetric for all values of "
                  "their coefficients: if it stalls, take bicgstab or gmres",
                  s->method, s->field);
    if (s->program && s->is_wide)
        exec_warn(
            &run->client,
            "line %d: a first derivative of a first derivative along one axis reads "
            "every second point: write dxx(u) for dx(dx(u)), div(k*grad(u)) for "
            "dx(k*dx(u)) + ..., dxx(u.x) + dxy(u.y) for the first part of "
            "grad(div(u)), or `at +1/2` inside and `at -1/2` outside",
            s->line);
}

/* Takes kernels of the installation if it has all kernels of a step. They know no strides
 * and no numbers, so they are some percent slower: a long run compiles its own. */
static pav_status take_installed(pav_run *run, const opening *how)
{
    enum { SHORT = 256 /* steps of the largest grid */ };
    double size = 1;
    ir *lifted = NULL;
    for (int axis = 0; axis < run->program->dim; axis++)
        size *= (double)coarse_extent(run->program, 0, axis);
    if (!how->trials || ir_solves(run->code) || run_serves_sizes(run) ||
        place_kind_of(how->device) != PLACE_PROCESSORS ||
        ((size > MOST_EARLY_POINTS ||
          size * (double)run->steps > (double)MOST_EARLY_POINTS * SHORT) &&
         host_can_compile()))
        return PAV_OK;
    TRY(ir_build(run->program, NULL, &lifted));
    pav_status status = ir_lift_numbers(lifted, true);
    if (status == PAV_OK)
        status = kernels_are_installed(lifted, &run->opened.installed);
    ir_free(run->opened.installed ? run->code : lifted);
    if (run->opened.installed)
        run->code = lifted;
    return status;
}

/* Grids on which a GPU takes groups of stages in one launch: the finest two on request,
 * and each with fields larger than its L2. Subdomains and windows take stage by stage. */
static int grouped_grids(const pav_run *run, const opening *how)
{
    const schedule *s = &run->schedule;
    const bool asked = schedule_groups_stages(s);
    if (!how->device || place_kind_of(how->device) != PLACE_GPU ||
        !run->program->derived || run->options.subdomains || run->part->ranks ||
        how->device->places > 1 || !(asked || (s->kind == SCHEDULE_AUTO && !s->apart)))
        return 0;
    for (int coarse = 0;; coarse++) {
        double bytes = (double)pav_type_size(run->program->real);
        for (int axis = 0; axis < run->program->dim; axis++)
            bytes *= (double)coarse_extent(run->program, coarse, axis);
        if (!emit_gpu_groups_pay(bytes))
            return int_most(asked ? 2 : 0, coarse);
    }
}

/* Leaves out groups without a launch. If one was requested, the executor refuses it. */
static pav_status build_code(pav_run *run, const opening *how)
{
    OWNED_BY(emit_gpu_groups_free) emit_gpu_groups g = {0};
    TRY(ir_build_grouped(run->program, grouped_grids(run, how), &run->code));
    if (run->code->groups == 0)
        return PAV_OK;
    TRY(emit_gpu_groups_open(run->code, &run->schedule, NULL, &g));
    if (g.count == 0 && schedule_groups_stages(&run->schedule))
        return PAV_OK;
    for (int64_t n = 0; n < g.count; n++)
        run->code->group[n] = g.group[n].view.group;
    run->code->groups = g.count;
    return PAV_OK;
}

static void warn_of_growth(const pav_run *run)
{
    const solution *s = &run->solver.solution;
    const double most = run->program->real == PAV_F32 ? (double)FLT_MAX : DBL_MAX,
                 steps = (double)run->steps * (double)s->jump,
                 all = pow(fabs(s->growth), steps);
    static const double little = 1e-6;

    if (all > 1 + little)
        exec_warn(
            &run->client,
            "%s by the factor %.9g in a step, so by %.3g in all %.0f steps%s",
            s->growth < 0 ? "single steps are unstable: a wave changes its sign and "
                            "grows"
                          : "a wave grows",
            s->growth, all, steps, all <= most ? "" : ", beyond the largest number");
}

/* Finds all settings before any memory of the grid's size is allocated. */
static pav_status understand(pav_run *run, opening *how)
{
    TRY(run_take_options(run, how->device));
    TRY(take_solver(run));
    program_settings(run->solver.asked ? run->solver.asked : run->program,
                     &run->origin.settings);
    TRY(origin_note(&run->origin, run->solver.outer ? NULL : how->device,
                    run->options.no_stamp));
    /* fills the executors' view of the run, once all its values are known. */
    static const exec_client_ops ops = {
        .state = client_state_of,
        .one_step = one_step,
        .record = record_due,
        .count = count,
        .until_event = time_until_event,
        .to_observer = run_steps_to_observer,
        .list_observers = run_list_observers,
        .sampler_of = sampler_of,
        .each_sample = each_sample,
        .known = known,
        .threads = run_threads,
        .host_team = host_team_of,
        .has_kernels = has_kernels,
        .report = report,
    };
    run->client = (exec_client){.ops = &ops,
                                .run = run,
                                .program = run->program,
                                .schedule = &run->schedule,
                                .device_name = run->device_name,
                                .rough = run->opened.rough,
                                .waits = run->opened.rough || run->options.early < 0 ||
                                         !host_starts_early() || images_are_recorded()};
    const program *asked = run->solver.asked ? run->solver.asked : run->program;
    if (asked->warnings && !run->opened.rough)
        exec_warn(&run->client, "%s", asked->warnings);
    if (run->solver.solution.jump && !run->opened.rough) {
        exec_note(&run->client, "%s", run->solver.solution.about);
        warn_of_growth(run);
    }
    warn_of_weights(run, &run->solver.solution);
    for (int64_t n = 0; n < run->solver.solution.count; n++)
        warn_of_weights(run, &run->solver.solution.each[n]);
    if (run->options.bundle && how->device && !run->solver.outer)
        TRY(bundle_check(run->options.bundle, how->device));
    TRY(build_code(run, how));
    TRY(take_installed(run, how));
    if ((run_serves_sizes(run) || place_kind_of(how->device) == PLACE_GPU) &&
        !ir_solves(run->code))
        TRY(ir_lift_numbers(run->code, false));
    run->opened.of_size = !run->solver.outer &&
                          (run->options.bundle
                               ? bundle_is_of_size(run->options.bundle, run)
                               : how->of_size);
    if (run->options.bundle && !run->solver.outer && !run->opened.of_size)
        bundle_note_size(run->options.bundle, &run->client);
    run->part->code = run->code;
    TRY(checkpoint_find(run));
    /* Refuses a limit that cannot be kept, and stops a run close to its limit. */
    const double limit = run->options.time_limit;
    if (!(limit >= 0 && limit <= 1e9))
        return FAIL(PAV_EINVAL,
                    "a run cannot be limited to %g seconds: give a number from 0, which "
                    "is no limit, to 1e9",
                    limit);
    if (limit > 0 && !run->checkpoint.path)
        return FAIL(PAV_EINVAL,
                    "a time limit is given, but not where the checkpoint is kept that is "
                    "written in time: --checkpoint FILE says it");
    TRY(run_count_work(run));
    if (how->there.split)
        TRY(ir_split_stages(run->code));
    TRY(run_check_ranks(run, how->device));
    TRY(places_find(run, how));
    TRY(outofcore_find(run, how->visits));
    TRY(run_cut(run, how));
    run->client.machine = cost_machine(run, run_place(run));
    if (place_kind_of(how->device) != PLACE_GPU)
        TRY(run_choose_exchange(run, how));
    return run_find_choice(run, how);
}

pav_status run_fuse_steps(pav_run *run, const schedule *time)
{
    TRY(async_open(run));
    return run->blocks.async ? PAV_OK : run_open_temporal(run, time);
}

/* Chooses what takes the steps of the run, once its fields are filled. Processors may
 * fuse steps of their compiled kernels; runs for checks take single steps, unless opened
 * for fusion. */
static pav_status choose_stepper(pav_run *run, const opening *how)
{
    const executor *e = run->part->executor;
    if (run->stepper->windows)
        return outofcore_open_window(run);
    if (run->options.timeline)
        return FAIL(PAV_EINVAL,
                    "a timeline is of a run out of core, and %s fits: give "
                    "--out-of-core auto, or less --device-memory",
                    run->program->name);
    TRY(launches_make(run));
    if (launches_depth(run) > 1)
        run->stepper = &launch_steps;
    else if (e->ops.advance)
        run->stepper = &device_steps;
    if (e->own_memory || !(run->cut.is_cut ? run->compiled : e->compiled) ||
        (how->set && !how->time) || run->opened.early)
        return PAV_OK;
    return run_fuse_steps(run, how->time);
}

pav_status run_plan_steps(pav_run *run)
{
    return run->stepper->plan ? run->stepper->plan(run) : PAV_OK;
}

static run_opener open_within;

static pav_status plan_steps(pav_run *run, opening *how, pav_device **other)
{
    TRY(understand(run, how));
    TRY(run_open_places(run, how, false, other));
    return run_plan_steps(run);
}

/* Refuses an index outside of its table, if the index is known at the start. */
static pav_status check_indices(pav_run *run)
{
    const symbol_list *indices = &run->program->indices;
    for (int64_t k = 0; k < indices->count; k++) {
        const symbol *s = indices->item[k];
        double value = 0;
        TRY(pav_run_get(run, s->name, &value));
        if (!(value >= -0.5 && value < s->parts - 0.5))
            return FAIL(PAV_EINVAL,
                        "%s:%d: an index of a table is %.12g at some point, and the "
                        "table has the elements 0 to %d",
                        run->program->name, s->at.line, value, s->parts - 1);
    }
    return PAV_OK;
}

static pav_status prepare(pav_run *run, opening *how, pav_device **other)
{
    TRY(understand(run, how));
    TRY(names_check_inside(run));
    TRY(run_open_places(run, how, true, other));
    TRY(run_plan_steps(run));
    TRY(run_check_memory(run));
    if (run->options.force)
        mem_trust(1);
    run->opened.forced = run->options.force != 0;
    TRY(checkpoint_open(run));
    TRY(run_open_executor(run, how));
    TRY(run_allocate(run));
    const ir_event_list *list = &run->code->injections;
    TRY(mem_take(&run->part->injection, list->count + 1, sizeof *run->part->injection));
    TRY(mem_take(&run->observers.expected, run->code->expects.count + 1,
                 sizeof *run->observers.expected));
    for (int64_t k = 0; k < list->count; k++)
        TRY(points_open(run, list->item[k].statement, &run->part->injection[k]));
    TRY(run_open_recorders(run));
    TRY(subdomain_fill_tables(run->part));
    TRY(run->part->executor->ops.fill_tables(run->part->executor));
    TRY(run->options.restart ? checkpoint_restart(run) : run_start(run));
    TRY(check_indices(run));
    run_end_setup(run);
    TRY(step_solvers_open(run, how, open_within));
    TRY(choose_stepper(run, how));
    return run->part->executor->ops.begin(run->part->executor);
}

static pav_run *new_run(const program *p, const opening *how,
                        const pav_run_options *options)
{
    const pav_run_options *asked = options ? options : &(pav_run_options){0};
    const double now = clock_seconds();
    OWNED pav_run *run = mem_new(1, sizeof *run);
    OWNED subdomain *part = mem_new(1, sizeof *part);
    if (!run || !part ||
        exec_interp_open(part, how->runner ? how->runner : interp_stage,
                         &part->executor) != PAV_OK)
        return NULL;
    part->plain = how->there.plain;
    part->ranks = asked->ranks;
    part->timed = how->solution != NULL;
    *run = (pav_run){
        .program = p,
        .part = mem_hand_over(&part),
        .stepper = &single_steps,
        .solver = {.outer = how->within},
        .compiled = how->set || place_kind_of(how->device) == PLACE_PROCESSORS,
        .options = *asked,
        .opened = {.rough = how->rough, .given = how->given, .lender = how->lender},
        .seconds = {.opened = now, .since = now, .report_at = now},
        .steps = asked->steps > 0 ? asked->steps : p->steps,
        .checkpoint = {.saved = -1},
        .observers = {.nan_check_every = asked->nan_check_every}};
    run_name_device(run, how->device ? pav_device_name(how->device) : "check");
    if (how->solution) { /* the outer run still owns it */
        run->solver.solution = *how->solution;
        run->solver.solution.program = NULL;
        run->solver.solution.source = NULL;
    }
    return mem_hand_over(&run);
}

pav_status run_open_unstarted(const program *p, const pav_device *device,
                              const pav_run_options *options, pav_run **result)
{
    opening how = {.device = device};
    OWNED_BY(free_device) pav_device *other = NULL;
    *result = new_run(p, &how, options);
    if (!*result)
        return PAV_ENOMEM;
    const pav_status status = plan_steps(*result, &how, &other);
    if (status == PAV_OK)
        return PAV_OK;
    pav_run_free(*result);
    *result = NULL;
    return status;
}

static pav_status open_once(const program *p, const opening *how,
                            const pav_run_options *options, bool *wise, pav_run **result)
{
    opening chosen = *how;
    OWNED_BY(free_device) pav_device *other = NULL;
    *result = NULL;
    pav_run *run = new_run(p, how, options);
    if (!run)
        return PAV_ENOMEM;
    run_watch_compilers(run);
    const pav_status status = prepare(run, &chosen, &other);
    run_watch_compilers(NULL);
    *wise = run->known.choice && run->known.choice->is_wisdom;
    if (status != PAV_OK) {
        const pav_ranks *r = run->part->ranks;
        if (r &&
            status == PAV_ENOMEM) /* some GPU of the same name may have less memory */
            FAIL(status, "rank %d of %d: %s", ranks_number(r), ranks_count(r),
                 pav_message());
        pav_run_free(run);
        return status;
    }
    (void)run_enter_phase(run, PHASE_CALLER);
    *result = run;
    return PAV_OK;
}

/* A schedule from wisdom may fail here, for example with less memory; then the run goes
 * on without it. */
static pav_status open_run(const program *p, const opening *how,
                           const pav_run_options *options, pav_run **result)
{
    opening again = *how;
    bool by_wisdom = false;
    const pav_status status = open_once(p, how, options, &by_wisdom, result);
    if (status == PAV_OK || status == PAV_EINTERRUPTED || !by_wisdom)
        return status;
    OWNED_BY(text_free) text why = {0};
    text_add(&why, "%s", pav_message());
    again.without_wisdom = true;
    TRY(open_once(p, &again, options, &by_wisdom, result));
    exec_warn(&(*result)->client, "what wisdom knows of this run is not taken: %s",
              why.failed ? "" : why.data);
    return PAV_OK;
}

static pav_status open_within(const opening *how, const pav_run_options *options,
                              pav_run **run)
{
    return open_run(how->solution->program, how, options, run);
}

static pav_status open_for_checks(const program *p, const opening *how, pav_run **run)
{
    TRY(open_run(p, how, &(pav_run_options){.no_files = 1, .nan_check_every = -1}, run));
    (*run)->observers.keeps_rows = true;
    return PAV_OK;
}

pav_status run_open_with(const program *p, stage_runner runner, pav_run **run)
{
    return open_for_checks(p, &(opening){.runner = runner}, run);
}

pav_status run_open_interpreted(const program *p, const pav_run_options *options,
                                pav_run **run)
{
    return open_run(p, &(opening){.runner = interp_stage}, options, run);
}

pav_status run_open_compiled(const program *p, const kernel_set *set, int64_t number,
                             const schedule *loop, pav_run **run)
{
    return open_for_checks(
        p, &(opening){.set = set, .there.number = number, .loop = loop}, run);
}

pav_status run_open_timed(const program *p, const kernel_set *set, int64_t number,
                          const schedule *loop, const schedule *time, pav_run **run,
                          bool *temporal)
{
    TRY(open_for_checks(
        p, &(opening){.set = set, .there.number = number, .loop = loop, .time = time},
        run));
    *temporal = (*run)->blocks.tiles != NULL;
    return PAV_OK;
}

pav_status run_open_split(const program *p, pav_run **run)
{
    return open_for_checks(p, &(opening){.runner = interp_stage, .there.split = true},
                           run);
}

pav_status run_open_there(const program *p, const place_opening *how, pav_run **run)
{
    return open_for_checks(p, &(opening){.there = *how}, run);
}

pav_status run_open_cut(const program *p, const cut_opening *how, pav_run **run)
{
    opening o = {.runner = interp_stage,
                 .set = how->set,
                 .loop = how->loop,
                 .time = how->time,
                 .there = how->there ? *how->there
                                     : (place_opening){.number = how->number},
                 .cut = how->cut,
                 .every = how->every,
                 .visits = how->visits};
    o.there.fuses_steps = o.there.fuses_steps && how->every;
    TRY(open_for_checks(p, &o, run));
    for (int64_t n = 0; how->apart && n < (*run)->part->inners; n++)
        (*run)->part->inner[n].executor->place = &(*run)->part->inner[n];
    return PAV_OK;
}

pav_status pav_run_open(const pav_program *p, pav_device *device,
                        const pav_run_options *options, pav_run **run)
{
    GUARDED;
    if (run)
        *run = NULL;
    if (!p || !device || !run)
        return FAIL(PAV_EINVAL,
                    "pav_run_open needs a program, a device and a place for the run");
    if (options && ranks_are_assumed(options->ranks))
        return FAIL(PAV_EINVAL, "ranks of pav_ranks_assume have plans, and no runs: "
                                "start them by mpirun");
    static const trial_runs trials = {run_open_rough, pav_run_free};
    return open_run(&p->tree, &(opening){.device = device, .trials = &trials}, options,
                    run);
}

pav_status run_open_rough(const program *p, const pav_device *device,
                          const pav_run_options *options, pav_run **run)
{
    return open_run(p, &(opening){.device = device, .rough = true}, options, run);
}

pav_status run_open_given(const program *p, const pav_device *device,
                          const pav_run_options *options, const given_traces *given,
                          const pav_run *lender, pav_run **run)
{
    const opening how = {.device = device, .given = given, .lender = lender};
    TRY(open_run(p, &how, options, run));
    (*run)->observers.keeps_rows = true;
    (*run)->opened.given = NULL;
    return PAV_OK;
}

pav_status run_open_of_size(const program *p, const pav_device *device,
                            const pav_run_options *options, pav_run **run)
{
    return open_run(p, &(opening){.device = device, .of_size = true}, options, run);
}

pav_status run_open_chosen(const program *p, const pav_device *device,
                           const pav_run_options *options, const char *choice, bool rough,
                           pav_run **run)
{
    const opening how = {.device = device, .choice = choice, .rough = rough};
    return open_run(p, &how, options, run);
}

void pav_run_free(pav_run *run)
{
    GUARDED;
    if (!run)
        return;
    for (int64_t n = 0; run->solver.within && n < run->solver.solution.count; n++)
        pav_run_free(run->solver.within[n].run);
    mem_free(run->solver.within);
    if (run->part->ranks)
        io_watch(NULL, NULL);
    if (run->code) {
        if (run->stepper->close)
            run->stepper->close(run);
        launches_close(run);
        run_close_recorders(run);
        for (int64_t k = 0; run->part->injection && k < run->code->injections.count; k++)
            points_close(&run->part->injection[k]);
        subdomain_use(run->part, NULL);
        subdomain_uncut(run->part);
        decomposition_free(&run->cut.boxes);
        run_close_loads(run);
        subdomain_release(run->part);
        MEM_FREE_ALL(run->setup.written, run->setup.lent);
    }
    subdomain_use(run->part, NULL);
    run_close_team(run);
    MEM_FREE_ALL(run->part->injection, run->observers.expected, run->checkpoint.path);
    free(run->checkpoint.why);
    MEM_FREE_ALL(run->place, run->cut.share, run->cut.order, run->cut.hybrid);
    origin_free(&run->origin);
    free(run->progress.why);
    mem_free(run->part);
    run_drop_choice(run);
    mem_free(run->known.problem);
    ir_free(run->code);
    solution_free(&run->solver.solution);
    mem_free(run->solver.residual);
    if (run->opened.forced)
        mem_trust(-1);
    mem_free(run);
}

bool run_is_tuned(const pav_run *run)
{
    const executor *e = run->part->executor;
    return figures_of(run, e->ops.tuned(e)).tuned;
}

const char *run_schedule(const pav_run *run)
{
    const executor *e = run->part->executor;
    const char *fused = run_executor_figures(run).schedule;
    return fused ? fused : e->ops.schedule(e);
}

void run_schedule_string(const pav_run *run, text *t)
{
    const executor *e = run->part->executor;
    const char *fused = run_executor_figures(run).schedule;
    if (fused)
        text_add(t, "%s", fused);
    else
        e->ops.describe(e, t);
}

const block_count *run_blocks(const pav_run *run)
{
    return &run->blocks.count;
}

int64_t run_block_steps(const pav_run *run)
{
    return run_executor_figures(run).depth;
}

pav_status run_limits(const pav_run *run, double *bytes, double *seconds)
{
    TRY(run->part->executor->ops.limits(run->part->executor, bytes, seconds));
    if (*bytes <= 0)
        *bytes = run_executor_figures(run).step_bytes;
    return PAV_OK;
}

void run_load(const pav_run *run, double *updates, double *bytes)
{
    *updates = (double)run->work.points;
    *bytes = run->work.least_bytes;
}

int64_t pav_run_step(const pav_run *run)
{
    return run ? run->part->step : 0;
}

const ir *run_code(const pav_run *run)
{
    return run->code;
}
