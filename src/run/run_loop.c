/* SPDX-License-Identifier: BSD-3-Clause */
/* The time loop: steps, all work due after each step, and the end of a run. */
#include <stdlib.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

enum { FREE_CHECKS = 50 }; /* milliseconds of NaN checks before their share counts */
static const double nan_check_share = 0.02;

/* Default interval of the NaN check. A check costs about a step, so it gets a fixed share
 * of the time. But it always runs before an output and at the end, so that no broken
 * values are written. For an equation the residual shows the same, and a check between
 * cycles would make a GPU wait. */
static bool is_checked(const pav_run *run, bool last)
{
    if (run->observers.nan_check_every > 0)
        return run->part->step % run->observers.nan_check_every == 0 || last;
    return run->observers.nan_check_every == 0 &&
           (last || run->part->step == 0 || run_output_is_due(run, last) ||
            (!run->solver.solution.start &&
             run->observers.nan_check_seconds <=
                 1e-3 * FREE_CHECKS + nan_check_share * run->seconds.steps));
}

/* Ranks agree on wishes that depend on a clock or a signal, so that all do the same. */
static pav_status agree_on_wishes(pav_run *run, bool last)
{
    const unsigned wishes = (is_checked(run, last) ? WISH_CHECK : 0) |
                            (run->progress.stopped ? WISH_STOP : 0) |
                            (checkpoint_is_requested(run) ? WISH_CHECKPOINT : 0);
    TRY(run_agree(run, wishes));
    run->progress.stopped = run->progress.stopped || (run->progress.agreed & WISH_STOP);
    return PAV_OK;
}

/* With ranks, a wish takes effect after the next step, when all have agreed. */
static bool is_stopped(const pav_run *run)
{
    return run->part->ranks ? (run->progress.agreed & WISH_STOP) != 0
                            : run->progress.stopped;
}

/* The NaN check comes first, since no broken values may be written. */
static pav_status observe(pav_run *run, bool checked, bool last)
{
    if (checked)
        TRY(run_check_nan_now(run));
    TRY(run_record(run, last));
    return outofcore_check_store(run);
}

/* Does all that is due at the present step. If the host has nothing to look at, an
 * asynchronous executor records samples in the order of its work. The host then waits for
 * room in its queue; these seconds count as steps. */
static pav_status after_step(pav_run *run, bool last)
{
    TRY(agree_on_wishes(run, last));
    const bool checked = (run->progress.agreed & WISH_CHECK) != 0;
    const bool due = checked || run_is_due(run, last);
    if (due) {
        TRY(run_settle(run));
        TRY(outofcore_settle(run));
    }
    const double begun = clock_seconds();
    const pav_status status = observe(run, checked, last);
    const bool waits = !due && run->part->executor->asynchronous;
    double *seconds = waits ? &run->seconds.steps : &run->seconds.output;
    *seconds += clock_seconds() - begun;
    return status;
}

/* Keeps the result of the run, for the report. */
static pav_status ended(pav_run *run, pav_status status)
{
    free(run->progress.why);
    run->progress.why = status == PAV_OK ? NULL : strdup(pav_message());
    run->progress.ended = status;
    return status;
}

static pav_status timed_steps(pav_run *run, int64_t most)
{
    const double begun = clock_seconds();
    const pav_status status = run_some_steps(run, most);
    run->seconds.steps += clock_seconds() - begun;
    return status;
}

static const char *cause(const pav_run *run)
{
    return run->limit.over ? "the time limit is near: " : "";
}

static pav_status stopped(const pav_run *run, const char *then)
{
    return FAIL(PAV_EINTERRUPTED, "%sstopped after step %lld of %lld%s", cause(run),
                (long long)run->part->step, (long long)run->steps, then);
}

/* A finished run ignores a wish to stop. */
static pav_status stop_or_go_on(pav_run *run)
{
    TRY(run_check_until(run, false, &run->progress.until_met));
    TRY(checkpoint_after_step(run));
    run_report_progress(run, false);
    run_doubt_choice(run);
    TRY(time_limit_observe(run));
    const bool whole = !run_executor_figures(run).behind;
    const bool over = run->progress.until_met || run->part->step == run->steps;
    return is_stopped(run) && whole && !over ? stopped(run, "") : PAV_OK;
}

static pav_status begin(pav_run *run)
{
    if (run->progress.started)
        return PAV_OK;
    run->seconds.report_at = clock_seconds();
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

static pav_status go_steps(pav_run *run, int64_t steps)
{
    run->progress.stopped = run->observers.until_holds = run->observers
                                                             .until_fails = false;
    TRY(begin(run));
    const int64_t most = INT64_MAX - run->part->step;
    const int64_t end = run->part->step + (steps < most ? steps : most);
    while (run->part->step < end && !run->progress.until_met) {
        TRY(timed_steps(run, end - run->part->step));
        TRY(after_step(run, false));
        TRY(stop_or_go_on(run));
    }
    return PAV_OK;
}

pav_status run_take_steps(pav_run *run, int64_t steps)
{
    TRY(go_steps(run, steps));
    return run_settle(run);
}

pav_status run_go_steps(pav_run *run, int64_t steps)
{
    return ended(run, go_steps(run, steps));
}

/* Within a step the run is in nobody's hands. */
static pav_status enter(pav_run *run, const char *call)
{
    if (run->progress.entered)
        return FAIL(PAV_EINVAL,
                    "%s was called by the listener of a run that takes steps: let it "
                    "return, non-zero to stop the run",
                    call);
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

static pav_status take_the_rest(pav_run *run)
{
    if (run->steps == 0 && run->code->step.count > 0)
        return FAIL(PAV_EINVAL,
                    "%s does not say how many steps to take: add a line such as "
                    "`steps 100`, or --steps 100 on the command line",
                    run->program->name);
    TRY(outofcore_check_whole(run));
    TRY(begin(run));
    if (run->steps > run->part->step)
        TRY(run_take_steps(run, run->steps - run->part->step));
    TRY(checkpoint_at_end(run));
    TRY(after_step(run, true));
    return run_end_until(run);
}

/* The end of an interrupted run. The checkpoint comes first, because a restarted run does
 * not end at this step. Then all that is due at the end is done; failed expectations are
 * only reported. */
static pav_status end_early(pav_run *run)
{
    TRY(checkpoint_at_end(run));
    TRY(after_step(run, true));
    const pav_status status = run_check_expects(run);
    if (status != PAV_OK && status != PAV_EEXPECT)
        return status;
    if (run->checkpoint.path && run->checkpoint.saved == run->part->step)
        return FAIL(
            PAV_EINTERRUPTED,
            "%sstopped after step %lld of %lld; what was due at the end is of that "
            "step, and so is the checkpoint %s",
            cause(run), (long long)run->part->step, (long long)run->steps,
            run->checkpoint.path);
    TRY(checkpoint_check_last(run));
    return stopped(run, "; what was due at the end is of that step");
}

/* Writes rows even if the run failed, so that no result is lost. The first error keeps
 * its status and message. */
static pav_status write_rows(pav_run *run, pav_status status)
{
    char *why = status == PAV_OK ? NULL : strdup(pav_message());
    const pav_status written = run_write_rows(run);
    if (status == PAV_OK)
        status = written;
    else if (written != PAV_OK)
        FAIL(status, "%s", why ? why : "the run broke off");
    free(why);
    return status;
}

static pav_status finish(pav_run *run)
{
    host_team_keep_awake(run->team.all);
    pav_status status = take_the_rest(run);
    host_team_release(run->team.all);
    if (status == PAV_EINTERRUPTED && run->progress.started)
        status = end_early(run);
    const double begun = clock_seconds();
    status = write_rows(run, status);
    if (status == PAV_OK)
        status = run_check_expects(run);
    if (status == PAV_OK)
        status = checkpoint_check_last(run);
    if (status == PAV_OK)
        status = outofcore_write_timeline(run);
    if (status == PAV_OK)
        run_learn(run);
    run->seconds.output += clock_seconds() - begun;
    run_report_progress(run, true);
    return status;
}

pav_status pav_run_finish(pav_run *run)
{
    GUARDED;
    if (!run)
        return FAIL(PAV_EINVAL, "pav_run_finish needs a run");
    TRY(enter(run, "pav_run_finish"));
    return leave(run, finish(run));
}
