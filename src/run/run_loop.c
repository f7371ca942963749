/* SPDX-License-Identifier: BSD-3-Clause */
/* The time loop: steps, what is due after each of them, and how a run ends. */
#include <stdlib.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

enum { FREE_WATCH = 50 }; /* milliseconds in which it may look after every step */
static const double nan_check_share = 0.02;

/* Looking at a grid in memory takes about as long as a step, so where nobody said how
 * often, it takes its share of the time; but nothing broken is written as good, nor is a
 * run that ends broken. The residual of an equation says as much of its solution, and
 * looks between cycles would make a GPU wait. */
static bool is_checked(const pav_run *run, bool last)
{
    if (run->nan_check_every > 0)
        return run->part->step % run->nan_check_every == 0 || last;
    return run->nan_check_every == 0 &&
           (last || run->part->step == 0 || run_output_is_due(run, last) ||
            (!run->solver.start &&
             run->nan_check_seconds <=
                 1e-3 * FREE_WATCH + nan_check_share * run->seconds));
}

/* Whatever a clock or a signal says is agreed on by all ranks: a process by itself does
 * as it wishes. */
static pav_status look_around(pav_run *run, bool last)
{
    const unsigned wishes = (is_checked(run, last) ? WISH_CHECK : 0) |
                            (run->stopped ? WISH_STOP : 0) |
                            (checkpoint_is_requested(run) ? WISH_CHECKPOINT : 0);
    TRY(run_agree(run, wishes));
    run->stopped = run->stopped || (run->agreed & WISH_STOP);
    return PAV_OK;
}

/* A rank that wishes it now says so after the next step. */
static bool is_stopped(const pav_run *run)
{
    return run->part->ranks ? (run->agreed & WISH_STOP) != 0 : run->stopped;
}

/* The NaN check first, so that nothing broken is written as good. */
static pav_status observe(pav_run *run, bool watched, bool last)
{
    if (watched)
        TRY(run_check_nan_now(run));
    TRY(run_record(run, last));
    return outofcore_check_store(run);
}

/* What is due at the present step. Where nothing is that the host sees, an asynchronous
 * executor records samples in the order of its work: the host waits there for room in its
 * queue, and so for steps. */
static pav_status after_step(pav_run *run, bool last)
{
    TRY(look_around(run, last));
    const bool watched = (run->agreed & WISH_CHECK) != 0;
    const bool due = watched || run_is_due(run, last);
    if (due) {
        TRY(run_settle(run));
        TRY(outofcore_settle(run));
    }
    const double begun = clock_seconds();
    const pav_status status = observe(run, watched, last);
    const bool waits = !due && run->part->executor->asynchronous;
    double *seconds = waits ? &run->seconds : &run->output_seconds;
    *seconds += clock_seconds() - begun;
    return status;
}

/* For the report: what the run came to. */
static pav_status ended(pav_run *run, pav_status status)
{
    free(run->why);
    run->why = status == PAV_OK ? NULL : strdup(pav_message());
    run->ended = status;
    return status;
}

static pav_status timed_steps(pav_run *run, int64_t most)
{
    const double begun = clock_seconds();
    const pav_status status = run_some_steps(run, most);
    run->seconds += clock_seconds() - begun;
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

/* A run that is over is not stopped any more. */
static pav_status stop_or_go_on(pav_run *run)
{
    TRY(run_check_until(run, false, &run->until_met));
    TRY(checkpoint_after_step(run));
    run_report_progress(run, false);
    TRY(time_limit_observe(run));
    const bool whole = !run_executor_figures(run).behind;
    const bool over = run->until_met || run->part->step == run->steps;
    return is_stopped(run) && whole && !over ? stopped(run, "") : PAV_OK;
}

static pav_status begin(pav_run *run)
{
    if (run->started)
        return PAV_OK;
    run->report_at = clock_seconds();
    run->report_step = run->part->step; /* those before a checkpoint took no time here */
    run->setup_points = run_start_work(run);
    TRY(run_report_setup(run, "looking for values that are", "not finite", 0));
    pav_status status = after_step(run, false);
    if (status == PAV_OK && run->options.listener && run->part->step == 0 &&
        !run->lender) {
        run_check_positions(run);
        run_check_wavelets(run);
        status = run_check_wave(run);
    }
    if (status == PAV_OK)
        status = solver_begin(run);
    run_end_setup(run);
    run->started = status != PAV_EINTERRUPTED;
    return status;
}

static pav_status go_steps(pav_run *run, int64_t steps)
{
    run->stopped = run->until_holds = run->until_fails = false;
    TRY(begin(run));
    const int64_t most = INT64_MAX - run->part->step;
    const int64_t end = run->part->step + (steps < most ? steps : most);
    while (run->part->step < end && !run->until_met) {
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

pav_status pav_run_steps(pav_run *run, int64_t steps)
{
    GUARDED;
    if (!run || steps < 0)
        return FAIL(PAV_EINVAL,
                    "pav_run_steps needs a run and a number of steps that is not "
                    "negative");
    host_team_keep_awake(run->team);
    const pav_status status = run_take_steps(run, steps);
    host_team_release(run->team);
    return ended(run, status);
}

static pav_status take_the_rest(pav_run *run)
{
    if (run->steps == 0 && run->code->step.count > 0)
        return FAIL(PAV_EINVAL,
                    "%s does not say how many steps to take: add a line such as "
                    "`steps 100`, or --steps 100 on the command line",
                    run->program->name);
    TRY(begin(run));
    if (run->steps > run->part->step)
        TRY(run_take_steps(run, run->steps - run->part->step));
    TRY(checkpoint_at_end(run));
    TRY(after_step(run, true));
    return run_end_until(run);
}

/* What is due at the end is due now, and expectations are for the report alone. The
 * checkpoint comes first: a run that goes on does not end here. */
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

/* Also when the run broke off, which `status` and the message then go on to say: nothing
 * that was computed is lost. */
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

pav_status pav_run_finish(pav_run *run)
{
    GUARDED;
    if (!run)
        return FAIL(PAV_EINVAL, "pav_run_finish needs a run");
    host_team_keep_awake(run->team);
    pav_status status = take_the_rest(run);
    host_team_release(run->team);
    if (status == PAV_EINTERRUPTED && run->started)
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
    run->output_seconds += clock_seconds() - begun;
    run_report_progress(run, true);
    return ended(run, status);
}
