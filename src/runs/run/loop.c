/* SPDX-License-Identifier: BSD-3-Clause */
/* The time loop. One step has the order of struct ir: stages, borders of their results,
 * injections, rotation. After each step all that is due is recorded and checked, and the
 * listener hears of it. A run stops early enough for its time limit. */
#include <assert.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/checkpoint/checkpoint_private.h"
#include "run/run_private.h"

/* ---- one step ---------------------------------------------------------------------- */

static pav_status fill_stored(pav_run *run, const ir_stage *s)
{
    executor *e = run->part->executor;
    for (const ir_output *o = NULL; (o = ir_next_store(s, o));)
        if (!e->ops.fills_borders || !e->ops.fills_borders(e, s))
            TRY(subdomain_keep_border(run->part, o->field, o->level,
                                      run->part->step + o->level));
    TRY(e->ops.end_borders(e));
    subdomain_set_time(run->part, run->part->step);
    return PAV_OK;
}

/* The axes across that slabs of a stage may be cut, as bits. It may be an operation along
 * an axis, or one at each point. It reads no borders of new values: these are filled
 * behind the last stage. */
static unsigned axes_of_slabs(const pav_run *run, int stage)
{
    const subdomain *part = run->part;
    const ir_stage *s = &part->code->stage[stage];
    unsigned axes = (1U << part->code->dim) - 1;

    if (s->along)
        axes &= ~(1U << (abs(s->along) - 1));
    if (s->before >= 0 || !stage_may_be_cut(s) || !part->executor->compiled ||
        part->executor->own_memory || part->inners > 0 || run->stepper->stage ||
        run->solver.before_stage || s->rests || s->gated || s->layered ||
        (!s->along && subdomain_is_masked(part, s)))
        return 0;
    for (const ir_node *n = NULL; (n = ir_next_load(s, n));) {
        if (n->transfer != IR_SAME || (!s->along && !ir_is_here(n)) ||
            (n->level > 0 && !ir_is_here(n) && n->field != s->output[0].field))
            return 0;
        for (int axis = 0; axis < MAX_DIM; axis++)
            axes &= ~((n->offset[axis] != 0 ? 1U : 0U) << axis);
    }
    return axes;
}

/* True if the thinnest slabs fit in the second cache, twice at most. */
static bool slabs_are_thin(const ir *code, const ir_stage *s, unsigned axes)
{
    int64_t bytes = (int64_t)pav_type_size(s->real) * (axes & 1 ? CPU_LINE : 1);

    for (int axis = 0; axis < MAX_DIM; axis++)
        bytes *= axes >> axis & 1 ? 1 : points_along(code, axis, s->coarse);
    return bytes <= 2 * host_cache(2);
}

/* Takes consecutive stages slab by slab: lines stay in the caches. *end gets the index
 * behind the last one; or `from`. */
static pav_status run_slabs(pav_run *run, const ir_list *list, int64_t from, int64_t *end)
{
    const ir_stage *all = run->part->code->stage, *first = &all[list->stage[from]], *s;
    int64_t behind = from, lines = 0;

    *end = from;
    for (unsigned axes = ~0U; behind < list->count; behind++) {
        s = &all[list->stage[behind]];
        axes &= axes_of_slabs(run, list->stage[behind]);
        if (axes == 0 || s->coarse != first->coarse ||
            memcmp(s->inset, first->inset, sizeof s->inset) != 0 ||
            !slabs_are_thin(run->part->code, s, axes))
            break;
        lines += s->along != 0;
    }
    if (lines == 0 || behind < from + 2)
        return PAV_OK;
    TRY(subdomain_lines(run->part, list->stage + from, behind - from));
    for (*end = from; *end < behind; ++*end)
        TRY(fill_stored(run, &all[list->stage[*end]]));
    return PAV_OK;
}

pav_status run_list(pav_run *run, const ir_list *list)
{
    for (int64_t k = 0, end; k < list->count; k++) {
        TRY(run_slabs(run, list, k, &end));
        k = end;
        if (k == list->count)
            break;
        if (subdomain_skips_stage(run->part, list->stage[k]))
            continue;
        if (run->solver.before_stage)
            TRY(run->solver.before_stage(run, list->stage[k]));
        const int stage = list->stage[k];
        if (run->stepper->stage && list == &run->part->code->step)
            TRY(run->stepper->stage(run, stage));
        else if (subdomain_is_layered(run->part, stage))
            TRY(subdomain_layered_stage(run->part, stage));
        else
            TRY(subdomain_stage(run->part, stage, NULL));
        TRY(fill_stored(run, &run->part->code->stage[list->stage[k]]));
    }
    return PAV_OK;
}

/* The last stage of the event adds at one point. The stages before it compute its
 * reductions, once. */
static pav_status run_inject(pav_run *run, int64_t index)
{
    const ir_event *event = &run->code->injections.item[index];
    subdomain_set_time(run->part, run->part->step);
    for (int64_t n = 0; n + 1 < event->list.count; n++)
        TRY(subdomain_stage(run->part, event->list.stage[n], NULL));
    executor *e = run->part->executor;
    return e->ops.inject(e, index);
}

pav_status run_one_step(pav_run *run, int64_t most)
{
    executor *e = run->part->executor;
    const double dt = subdomain_step_time(run->part),
                 now = run->part->uniform[run->code->time];
    assert(most > 0); /* the loop asks for a step */
    if (run->code->time && !(now + dt > now && dt < (double)INFINITY))
        return FAIL(PAV_ENOTFINITE,
                    "after step %lld, at t = %g, the scalar dt is %g, and the next step "
                    "needs a positive, finite length that changes t: bound it, as in "
                    "max(%g, ...)",
                    (long long)run->part->step, now, isnan(dt) ? NAN : dt, 1e-6);
    TRY(e->ops.begin_step(e));
    subdomain_set_time(run->part, run->part->step);
    if (run->part->steady == 0)
        TRY(run_list(run, &run->part->code->first));
    TRY(run_list(run, &run->part->code->step));
    const ir_event_list *sources = &run->part->code->injections;
    for (int64_t k = 0; k < sources->count; k++)
        TRY(run_inject(run, k));
    for (int64_t k = 0; k < sources->count; k++)
        TRY(subdomain_keep_border(run->part, sources->item[k].field, 1,
                                  run->part->step + 1));
    TRY(e->ops.end_borders(e));
    run->part->set = false;
    subdomain_rotate(run->part);
    subdomain_set_step(run->part, run->part->step + 1);
    run->part->singles++;
    run->part->steady++;
    return e->ops.end_step(e);
}

const stepper single_steps = {.steps = run_one_step};

/* The executor fuses steps by itself. */
static pav_status advance(pav_run *run, int64_t most)
{
    return run->part->executor->ops.advance(run->part->executor, most);
}

const stepper device_steps = {.steps = advance};

pav_status run_check_whole(const pav_run *run)
{
    return run->stepper->check ? run->stepper->check(run) : PAV_OK;
}

/* ---- messages to the listener ------------------------------------------------------ */

/* Messages of a run to its listener: notes, warnings, progress. */

/* True if the listener has not heard of the run for a while; it hears of it now. */
static bool is_time(pav_run *run)
{
    const double least = run->options.report_seconds > 0 ? run->options.report_seconds
                                                         : 0.5,
                 now = clock_seconds();
    if (!run->options.listener || now - run->seconds.report_at < least)
        return false;
    run->seconds.report_at = now;
    return true;
}

static pav_status report_setup(pav_run *run, const char *line)
{
    const pav_progress progress = {
        .steps = run->steps, .seconds_left = -1, .points = run->work.points};
    if (run->options.listener(run->options.user, PAV_EVENT_SETUP, &progress, line) &&
        !run->part->ranks) /* ranks stop together, after a step */
        return FAIL(PAV_EINTERRUPTED, "stopped before the first step: %s", line);
    return PAV_OK;
}

static pav_status report_setup_progress(void *user, int64_t more)
{
    pav_run *run = user;
    char line[160];
    run->setup.done += more;
    ranks_alive(run->part->ranks);
    if (!is_time(run))
        return PAV_OK;
    const double share = run_rate((double)run->setup.done, (double)run->setup.points);
    snprintf(line, sizeof line, "%s %.64s, %.0f %% done", run->setup.what, run->setup.of,
             100 * share);
    return report_setup(run, line);
}

pav_status run_report_setup(pav_run *run, const char *what, const char *of, int64_t done)
{
    run->setup.sink = (progress_sink){.ask = report_setup_progress, .user = run};
    run->part->setup = &run->setup.sink;
    run->setup.what = what;
    run->setup.of = of;
    run->setup.done = done;
    return report_setup_progress(run, 0);
}

void run_end_setup(pav_run *run)
{
    run->setup.sink = (progress_sink){0};
}

static pav_status compiling(void *user, double seconds)
{
    pav_run *run = user;
    char line[160];
    ranks_alive(run->part->ranks);
    if (!is_time(run))
        return PAV_OK;
    snprintf(line, sizeof line,
             "compiling kernels for %s, %.0f s; they are kept for later runs",
             run->device_name, seconds);
    return report_setup(run, line);
}

void run_watch_compilers(pav_run *run)
{
    host_watch(run ? compiling : NULL, run);
}

/* Tells the listener the rates of some steps; it may stop or hold the run. */
static void report_steps(pav_run *run, pav_event event, int64_t steps, double seconds)
{
    static const char *const names[PHASE_CALLER + 1] = {
        [PHASE_SETUP] = "set-up",
        [PHASE_OUTPUT] = "output and checks",
        [PHASE_CHECKPOINT] = "checkpoints"};
    const double left = solver_steps_left(run);
    const int64_t done = run->part->step - run->first_step;
    const pav_progress progress = {
        .step = run->part->step,
        .steps = run->steps == 0 && run->progress.until_met ? run->part->step
                                                            : run->steps,
        .seconds = run->seconds.spent[PHASE_STEPS],
        .gpts = run_rate((double)steps * (double)run->work.points, seconds) / 1e9,
        .gbytes = run_rate((double)steps * run->work.step_bytes, seconds) / 1e9,
        .seconds_left = done > 0 && left >= 0
                            ? run->seconds.spent[PHASE_STEPS] / (double)done * left
                            : -1,
        .points = run->work.points,
        /* the residual of an equation says how many steps are left, and so does t */
        .bounded = run->code->untils.count > run->program->ends &&
                   !run->solver.solution.start,
        .longest = names[run_longest_phase(run)],
    };
    const int answer = run->options.listener(run->options.user, event, &progress, NULL);
    if (answer == PAV_GO_ON) /* a step or a hold that was asked for earlier remains */
        return;
    run->progress.stopped = true; /* fused steps end early for a hold, too */
    run->progress.answer = run->part->ranks ? PAV_STOP : answer;
}

static void run_report_progress(pav_run *run, bool force)
{
    if (!is_time(run) && !(force && run->options.listener))
        return;
    (void)run_settle(run); /* the next step reports a failure, too */
    const int64_t steps = run->part->step - run->seconds.report_step;
    const double seconds = run->seconds.spent[PHASE_STEPS] - run->seconds.report_steps;
    run->seconds.report_steps = run->seconds.spent[PHASE_STEPS];
    run->seconds.report_step = run->part->step;
    report_steps(run, PAV_EVENT_PROGRESS, steps, seconds);
}

/* Called within fused steps, with the rates of the whole run. */
void run_ask_whether_to_stop(pav_run *run)
{
    if (!run->progress.stopped && is_time(run))
        report_steps(run, PAV_EVENT_PROGRESS, run->part->step - run->first_step,
                     run->seconds.spent[PHASE_STEPS]);
}

/* ---- time limit -------------------------------------------------------------------- */

/* The time limit of a run: it stops early enough for all output at the end and its
 * checkpoint.
 *
 * GPU steps are queued before they run, so the limit is checked by waiting for the GPU
 * now and then. The estimate allows for twice the longest interval between two checks. */

static double seconds_of_ending(const pav_run *run)
{
    const checkpoint_plan *c = &run->checkpoint;
    const double by_size = (double)data_bytes(run) / disk_least_rate,
                 checkpoint = c->count > 0 ? 2 * run->seconds.spent[PHASE_CHECKPOINT] /
                                                 (double)c->count
                                           : by_size;
    return checkpoint + (run->observers.recorders > 0 ? by_size : 0);
}

void time_limit_within(pav_run *run, double seconds)
{
    const double limit = run->options.time_limit,
                 left = limit - (clock_seconds() - run->seconds.opened);
    if (limit > 0 && seconds + seconds_of_ending(run) >= left)
        run->limit.over = run->progress.stopped = true;
}

static pav_status time_limit_observe(pav_run *run)
{
    const double limit = run->options.time_limit;
    time_limit *l = &run->limit;
    if (limit <= 0 || clock_seconds() - l->checked_at < fmin(1, limit / 100))
        return PAV_OK;
    TRY(run_settle(run));
    const double now = clock_seconds(), gap = now - l->checked_at;
    l->longest = l->checked_at > 0 && gap > l->longest ? gap : l->longest;
    l->checked_at = now;
    l->over = l->over ||
              now - run->seconds.opened + seconds_of_ending(run) + 2 * l->longest >=
                  limit;
    run->progress.stopped = run->progress.stopped || l->over;
    return PAV_OK;
}

/* ---- the loop ---------------------------------------------------------------------- */

enum { FREE_CHECKS = 50 }; /* milliseconds of NaN checks before their share counts */
static const double nan_check_share = 0.02;

static bool output_is_due(const pav_run *run, bool last)
{
    for (int64_t k = 0; k < run->observers.recorders && !run->options.no_files; k++)
        if (run->observers.recorder[k].statement->kind == STATEMENT_OUTPUT &&
            run_recorder_is_due(run, &run->observers.recorder[k], last))
            return true;
    return false;
}

/* Default interval of the NaN check. A check costs about a step, so it gets a fixed share
 * of the time. But it always runs before an output and at the end, so that no broken
 * values are written. For an equation the residual shows the same, and a check between
 * cycles would make a GPU wait. */
static bool is_checked(const pav_run *run, bool last)
{
    if (run->observers.nan_check_every > 0)
        return run->part->step % run->observers.nan_check_every == 0 || last;
    return run->observers.nan_check_every == 0 &&
           (last || run->part->step == 0 || output_is_due(run, last) ||
            (!run->solver.solution.start &&
             run->observers.nan_check_seconds <=
                 1e-3 * FREE_CHECKS + nan_check_share * run->seconds.spent[PHASE_STEPS]));
}

/* A wish of one rank after a step becomes a wish of all. */
static pav_status agree(pav_run *run, unsigned wishes)
{
    uint64_t word = wishes;
    TRY(ranks_or(run->part->ranks, &word, 1));
    run->progress.agreed = (unsigned)word;
    return PAV_OK;
}

/* Does all that is due at the present step. If the host has nothing to look at, an
 * asynchronous executor records samples in the order of its work. The host then waits for
 * room in its queue; these seconds count as steps. */
static pav_status after_step(pav_run *run, bool last)
{
    /* ranks agree on wishes that depend on a clock or a signal, so that all do the
     * same */
    TRY(agree(run, (is_checked(run, last) ? WISH_CHECK : 0) |
                       (run->progress.stopped ? WISH_STOP : 0) |
                       (checkpoint_is_requested(run) ? WISH_CHECKPOINT : 0)));
    run->progress.stopped = run->progress.stopped || (run->progress.agreed & WISH_STOP);
    const bool checked = (run->progress.agreed & WISH_CHECK) != 0,
               due = checked || run_is_due(run, last);
    if (due) {
        TRY(run_settle(run));
        if (run->stepper->settle)
            TRY(run->stepper->settle(run));
    }
    IN_PHASE(run, !due && run->part->executor->asynchronous ? PHASE_STEPS : PHASE_OUTPUT);
    /* the NaN check comes first, since no broken values may be written */
    pav_status status = checked ? run_check_nan_now(run) : PAV_OK;
    if (status == PAV_OK)
        status = run_record(run, last);
    return status == PAV_OK ? run_check_whole(run) : status;
}

/* Keeps the result of the run, for the report. */
static pav_status ended(pav_run *run, pav_status status)
{
    free(run->progress.why);
    run->progress.why = status == PAV_OK ? NULL : strdup(pav_message());
    run->progress.ended = status;
    return status;
}

static const char *cause(const pav_run *run)
{
    return run->limit.over ? "the time limit is near: " : "";
}

/* " of 100", or "" if the number of steps is unknown. */
typedef struct out_of {
    char words[32];
} out_of;

static out_of all_steps(const pav_run *run)
{
    out_of all = {""};
    if (run->steps > 0)
        (void)snprintf(all.words, sizeof all.words, " of %lld", (long long)run->steps);
    return all;
}

static pav_status stopped(const pav_run *run, const char *then)
{
    return FAIL(PAV_EINTERRUPTED, "%sstopped after step %lld%s%s", cause(run),
                (long long)run->part->step, all_steps(run).words, then);
}

/* The norms of a solution count for its steps. */
static pav_status check_until(pav_run *run)
{
    IN_PHASE(run, run->solver.solution.start ? PHASE_STEPS : PHASE_OUTPUT);
    return run_check_until(run, false, &run->progress.until_met);
}

static pav_status begin(pav_run *run)
{
    if (run->progress.started)
        return PAV_OK;
    IN_PHASE(run, PHASE_SETUP);
    run->seconds.report_at = clock_seconds();
    if (run->known.problem) /* the run may add to wisdom */
        run->seconds.begun = host_usage_now();
    /* steps before the checkpoint took no time in this run */
    run->seconds.report_step = run->part->step;
    run->setup.points = run_start_work(run);
    TRY(run_report_setup(run, "looking for values that are", "not finite", 0));
    pav_status status = after_step(run, false);
    if (status == PAV_OK && run->options.listener && run->part->step == 0 &&
        !run->opened.lender) {
        run_check_positions(run);
        run_check_wavelets(run);
        status = run_check_wave(run);
    }
    if (status == PAV_OK)
        status = solver_begin(run);
    run_end_setup(run);
    run->progress.started = status != PAV_EINTERRUPTED;
    return status;
}

static bool is_held(const pav_run *run)
{
    return run->progress.stopped && !run->limit.over &&
           (run->progress.answer == PAV_HOLD || run->progress.answer == PAV_STEP);
}

/* Asks the listener again and again at a step with all levels, until it lets the run go
 * on, take one step, or stop. */
static pav_status hold(pav_run *run)
{
    TRY(run_settle(run));
    IN_PHASE(run, PHASE_CALLER);
    do {
        run->progress.stopped = false;
        report_steps(run, PAV_EVENT_HELD, 0, 0);
        TRY(time_limit_observe(run));
    } while (is_held(run) && run->progress.answer == PAV_HOLD);
    return PAV_OK;
}

/* If the kernels cannot be compiled and no device was named, the interpreter stands in
 * for it until the end of the run. */
static pav_status take_kernels(pav_run *run)
{
    executor *e = run->part->executor;
    const int64_t taken = run->part->step - run->first_step, exact = run->options.early;
    if (!run->opened.early || taken < exact)
        return PAV_OK;
    IN_PHASE(run, PHASE_SETUP);
    const pav_status status = kernels_take(e, exact > 0);
    run->opened.interpreted = taken;
    if (kernels_are_awaited(e))
        return PAV_OK;
    run->opened.early = false;
    if (status == PAV_OK)
        return run_fuse_steps(run, NULL);
    if (status == PAV_ENOMEM || !run->opened.automatic)
        return status;
    exec_warn(&run->client, "the interpreter runs this program, slowly: %s",
              pav_message());
    run->compiled = e->compiled = false;
    run_name_device(run, "interpreter");
    return PAV_OK;
}

/* A dt that is no scalar is the same in all steps. (run_one_step checks a scalar.) */
static pav_status check_clock(const pav_run *run, bool endless)
{
    const double dt = subdomain_step_time(run->part);
    if (run->code->time || dt > 0)
        return PAV_OK;
    const ir_event *until = endless ? ir_waits_for_time(run->code) : NULL;
    const statement *s = run->program->first;
    while (s && !(s->interval.v > 0))
        s = s->next;
    if (!until && !s)
        return PAV_OK;
    char every[50] = "";
    if (!until)
        (void)snprintf(every, sizeof every, "every %.12g time", s->interval.v);
    return FAIL(PAV_EINVAL,
                "dt is %g, so t never grows, and `%s%s` waits for ever: give dt a "
                "positive value, or count steps (`steps 100`, --steps 100, `every 10`)",
                isnan(dt) ? NAN : dt, until ? "until " : every, until ? until->text : "");
}

static pav_status take_all_steps(pav_run *run, int64_t steps)
{
    IN_PHASE(run, PHASE_OUTPUT);
    run->progress.stopped = run->observers.until_holds = run->observers
                                                             .until_fails = false;
    TRY(begin(run));
    TRY(check_clock(run, steps == INT64_MAX));
    const int64_t most = INT64_MAX - run->part->step,
                  end = run->part->step + (steps < most ? steps : most);
    while (run->part->step < end && !run->progress.until_met) {
        TRY(take_kernels(run));
        (void)run_enter_phase(run, PHASE_STEPS);
        const int64_t before = run->part->step;
        (void)feclearexcept(FE_UNDERFLOW);
        const pav_status status = run->stepper->steps(
            run, is_held(run) ? 1 : end - run->part->step);
        run->work.tiny_steps += fetestexcept(FE_UNDERFLOW) ? run->part->step - before : 0;
        (void)run_enter_phase(run, PHASE_OUTPUT);
        TRY(status);
        TRY(after_step(run, false));
        /* A finished run ignores a wish to stop. */
        TRY(check_until(run));
        TRY(checkpoint_after_step(run));
        run_report_progress(run, false);
        run_doubt_choice(run);
        TRY(time_limit_observe(run));
        const bool whole = !run_executor_figures(run).behind,
                   over = run->progress.until_met || run->part->step == run->steps;
        if (is_held(run) && whole && !over)
            TRY(hold(run));
        /* with ranks, a wish takes effect after the next step, when all have agreed */
        const bool wished = run->part->ranks ? (run->progress.agreed & WISH_STOP) != 0
                                             : run->progress.stopped && !is_held(run);
        TRY(wished && whole && !over ? stopped(run, "") : PAV_OK);
    }
    return PAV_OK;
}

pav_status run_take_steps(pav_run *run, int64_t steps)
{
    TRY(take_all_steps(run, steps));
    return run_settle(run);
}

pav_status run_advance(pav_run *run, int64_t steps)
{
    return ended(run, take_all_steps(run, steps));
}

/* Within a step the run is in nobody's hands. */
static pav_status enter(pav_run *run, const char *call)
{
    if (run->progress.entered)
        return FAIL(PAV_EINVAL,
                    "%s was called by the listener of a run that takes steps: let it "
                    "return, non-zero to stop the run",
                    call);
    /* Other code may not change the lent levels from now on. */
    TRY(run_see_loans(run));
    mem_free(run->setup.lent);
    run->setup.lent = NULL;
    run->progress.entered = true;
    return PAV_OK;
}

static pav_status leave(pav_run *run, pav_status status)
{
    run->progress.entered = false;
    return ended(run, status);
}

pav_status pav_run_steps(pav_run *run, int64_t steps)
{
    GUARDED;
    if (!run || steps < 0)
        return FAIL(PAV_EINVAL,
                    "pav_run_steps needs a run and a number of steps that is not "
                    "negative");
    TRY(enter(run, "pav_run_steps"));
    host_team_keep_awake(run->team.all);
    const pav_status status = run_take_steps(run, steps);
    host_team_release(run->team.all);
    return leave(run, status);
}

/* The number of steps, if it follows from initial values. */
static pav_status find_steps(pav_run *run)
{
    double steps = 0;
    if (run->steps > 0 || !run->program->steps_param)
        return PAV_OK;
    TRY(pav_run_get(run, run->program->steps_param->name, &steps));
    if (!(steps >= 1 && steps < 1e15 && steps == floor(steps)))
        return FAIL(PAV_EINVAL,
                    "the steps of %s are %.17g at the start, and a whole number of at "
                    "least 1 is needed, such as floor(...)",
                    run->program->name, steps);
    run->steps = (int64_t)steps;
    return PAV_OK;
}

static pav_status take_the_rest(pav_run *run)
{
    TRY(find_steps(run));
    const bool endless = run->steps == 0 && run->code->untils.count > 0;
    if (run->steps == 0 && run->code->step.count > 0 && !endless)
        return FAIL(PAV_EINVAL,
                    "%s does not say how many steps to take: add a line such as "
                    "`steps 100` or `until t >= 1`, or --steps 100 on the command line",
                    run->program->name);
    TRY(run_check_whole(run));
    TRY(begin(run));
    if (endless || run->steps > run->part->step) {
        TRY(take_all_steps(run, endless ? INT64_MAX : run->steps - run->part->step));
        TRY(run_settle(run));
    }
    TRY(checkpoint_at_end(run));
    TRY(after_step(run, true));
    /* After the last step: warns if no `until` holds. */
    const int64_t count = run->code->untils.count;
    if (count == 0 || run->progress.until_met || run->part->step < run->steps)
        return PAV_OK;
    TRY(run_check_until(run, true, &run->observers.until_holds));
    run->observers.until_fails = !run->observers.until_holds;
    TRY(solver_end(run));
    if (run->observers.until_fails)
        exec_warn(&run->client,
                  "all %lld steps are taken, and `until %s`%s does not hold: take "
                  "more (`steps`, --steps) or ask for less",
                  (long long)run->steps, run->code->untils.item[0].text,
                  count > 1 ? " or any other" : "");
    return PAV_OK;
}

/* At the end of a run: PAV_EIO if the checkpoint of the last step could not be written. A
 * note has reported the failure already. */
static pav_status check_last_checkpoint(const pav_run *run)
{
    const checkpoint_plan *c = &run->checkpoint;
    if (!c->path || c->missed != run->part->step)
        return PAV_OK;
    return FAIL(PAV_EIO, "step %lld, the last, goes without a checkpoint: %s",
                (long long)run->part->step, c->why ? c->why : "memory ran out");
}

static pav_status broken(const pav_run *run, const ir_event *event, const expectation *e)
{
    OWNED_BY(text_free) text sides = {0};
    text_add(&sides, event->left >= 0 ? ", but the sides are " : ", which does not hold");
    if (event->left >= 0)
        text_add_sides(&sides, e->left, " and ", e->right);
    return FAIL(PAV_EEXPECT, "%s:%d: expected %s%s", run->program->name,
                event->statement->at.line, event->text, sides.data ? sides.data : "");
}

/* Checks all expectations. The first failed one gives the message. */
static pav_status check_expects(pav_run *run)
{
    pav_status status = PAV_OK;
    for (int64_t k = 0; k < run->code->expects.count; k++) {
        const ir_event *event = &run->code->expects.item[k];
        expectation *e = &run->observers.expected[k];
        TRY(run_event_value(run, event, &e->value));
        e->left = event->left >= 0 ? run->part->uniform[event->left] : NAN;
        e->right = event->right >= 0 ? run->part->uniform[event->right] : NAN;
        if (e->value == 0 && status == PAV_OK)
            status = broken(run, event, e);
    }
    run->observers.checked = true;
    return status;
}

/* The end of an interrupted run. The checkpoint comes first, because a restarted run does
 * not end at this step. Then all that is due at the end is done; failed expectations are
 * only reported. */
static pav_status end_early(pav_run *run)
{
    TRY(checkpoint_at_end(run));
    TRY(after_step(run, true));
    const pav_status status = check_expects(run);
    if (status != PAV_OK && status != PAV_EEXPECT)
        return status;
    if (run->checkpoint.path && run->checkpoint.saved == run->part->step)
        return FAIL(PAV_EINTERRUPTED,
                    "%sstopped after step %lld%s; the final files and the checkpoint %s "
                    "hold that step",
                    cause(run), (long long)run->part->step, all_steps(run).words,
                    run->checkpoint.path);
    TRY(check_last_checkpoint(run));
    return stopped(run, "; the final files hold that step");
}

/* Writes rows even if the run failed, so that no result is lost. The first error keeps
 * its status and message. */
static pav_status write_rows(pav_run *run, pav_status status)
{
    if (status == PAV_OK)
        return run_write_rows(run);
    OWNED_BY(text_free) text why = {0};
    text_add(&why, "%s", pav_message());
    return run_write_rows(run) == PAV_OK
               ? status
               : FAIL(status, "%s", why.failed ? "the run broke off" : why.data);
}

static pav_status write_and_check(pav_run *run, pav_status status)
{
    TRY(write_rows(run, status));
    TRY(check_expects(run));
    TRY(check_last_checkpoint(run));
    if (run->stepper->finish)
        TRY(run->stepper->finish(run));
    run_learn(run);
    return PAV_OK;
}

/* A short run ends before its kernels are compiled. The second such run waits for them
 * when all is written, so later runs have kernels. On a GPU a run waits for its first
 * fused launch, and gives up the others. */
static void wait_for_kernels(pav_run *run)
{
    IN_PHASE(run, PHASE_SETUP);
    const double begun = clock_seconds();
    while ((run->opened.early ? kernels_are_late(run->part->executor)
                              : place_is_late(run_place(run))) &&
           compiling(run, clock_seconds() - begun) == PAV_OK) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        run->opened.late = true;
    }
}

pav_status pav_run_finish(pav_run *run)
{
    GUARDED;
    if (!run)
        return FAIL(PAV_EINVAL, "pav_run_finish needs a run");
    TRY(enter(run, "pav_run_finish"));
    IN_PHASE(run, PHASE_OUTPUT);
    host_team_keep_awake(run->team.all);
    pav_status status = take_the_rest(run);
    host_team_release(run->team.all);
    if (status == PAV_EINTERRUPTED && run->progress.started)
        status = end_early(run);
    status = write_and_check(run, status);
    run_report_progress(run, true);
    if (status == PAV_OK && run->options.time_limit == 0)
        wait_for_kernels(run);
    return leave(run, status);
}

/* ---- measuring a step -------------------------------------------------------------- */

enum { LEAST_ROWS = 3 };
static const double warm_share = 2; /* multiple of the seconds allowed for autotuning */

static pav_status take_row(pav_run *run, int64_t steps, double *seconds, bool *whole)
{
    const int64_t loads = pav_kernel_loads(), from = run->part->step;
    const double begun = clock_seconds();
    TRY(pav_run_steps(run, steps));
    *seconds = clock_seconds() - begun;
    *whole = run->part->step - from == steps && pav_kernel_loads() == loads;
    return run->part->step > from
               ? PAV_OK
               : FAIL(PAV_EINVAL,
                      "the program ends by itself after step %lld, before it can be "
                      "measured: leave out its `until`",
                      (long long)from);
}

static pav_status time_rows(pav_run *run, double seconds, double *least)
{
    const double begun = clock_seconds();
    int64_t steps = run_block_steps(run);
    for (int rows = 0; rows < LEAST_ROWS || clock_seconds() - begun < seconds;) {
        double taken;
        bool whole;
        TRY(take_row(run, steps, &taken, &whole));
        if (taken < seconds / (LEAST_ROWS + 1) / 2) {
            steps *= 2;
            continue;
        }
        rows++;
        const double each = taken / (double)steps;
        if (whole && (*least <= 0 || each < *least))
            *least = each;
    }
    return PAV_OK;
}

pav_status run_time_steps(pav_run *run, double seconds, double *least)
{
    const double end = clock_seconds() + warm_share * seconds;
    double each;
    bool whole;
    do
        TRY(take_row(run, run_block_steps(run), &each, &whole));
    while (!run_is_tuned(run) && clock_seconds() < end);
    return time_rows(run, seconds, least);
}
