/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a run to its listener: notes, warnings, progress. */
#include <stdio.h>

#include "run/run_private.h"

static bool is_time(const pav_run *run, double now)
{
    const double least = run->options.report_seconds > 0 ? run->options.report_seconds
                                                         : 0.5;
    return run->options.listener && now - run->seconds.report_at >= least;
}

static pav_status report_setup(pav_run *run, const pav_progress *progress,
                               const char *line)
{
    if (run->options.listener(run->options.user, PAV_EVENT_SETUP, progress, line) &&
        !run->part->ranks) /* ranks stop together, after a step */
        return FAIL(PAV_EINTERRUPTED, "stopped before the first step: %s", line);
    return PAV_OK;
}

static pav_status setup_goes_on(void *user, int64_t more)
{
    pav_run *run = user;
    const double now = clock_seconds();
    char line[160];
    run->setup.done += more;
    ranks_alive(run->part->ranks);
    if (!is_time(run, now))
        return PAV_OK;
    const double share = run_rate((double)run->setup.done, (double)run->setup.points);
    const pav_progress progress = {
        .steps = run->steps, .seconds_left = -1, .points = run->work.points};
    run->seconds.report_at = now;
    snprintf(line, sizeof line, "%s %.64s, %.0f %% done", run->setup.what, run->setup.of,
             100 * share);
    return report_setup(run, &progress, line);
}

pav_status run_report_setup(pav_run *run, const char *what, const char *of, int64_t done)
{
    run->setup.sink = (progress_sink){.ask = setup_goes_on, .user = run};
    run->part->setup = &run->setup.sink;
    run->setup.what = what;
    run->setup.of = of;
    run->setup.done = done;
    return setup_goes_on(run, 0);
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
    if (!is_time(run, clock_seconds()))
        return PAV_OK;
    const pav_progress progress = {
        .steps = run->steps, .seconds_left = -1, .points = run->work.points};
    snprintf(line, sizeof line,
             "compiling kernels for %s, %.0f s; they are kept for later runs",
             run->device_name, seconds);
    run->seconds.report_at = clock_seconds();
    return report_setup(run, &progress, line);
}

void run_watch_compilers(pav_run *run)
{
    host_watch(run ? compiling : NULL, run);
}

static pav_progress progress_of(const pav_run *run, double steps, double seconds)
{
    const double left = solver_steps_left(run);
    const int64_t done = run->part->step - run->first_step;

    return (pav_progress){
        .step = run->part->step,
        .steps = run->steps,
        .seconds = run->seconds.steps,
        .gpts = run_rate(steps * (double)run->work.points, seconds) / 1e9,
        .gbytes = run_rate(steps * run->work.step_bytes, seconds) / 1e9,
        .seconds_left = done > 0 && run->steps > 0 && left >= 0
                            ? run->seconds.steps / (double)done * left
                            : -1,
        .points = run->work.points,
    };
}

void run_report_progress(pav_run *run, bool force)
{
    const double now = clock_seconds();
    if (!run->options.listener || (!force && !is_time(run, now)))
        return;
    (void)run_settle(run); /* the next step reports a failure, too */
    const pav_progress progress = progress_of(
        run, (double)(run->part->step - run->seconds.report_step),
        run->seconds.steps - run->seconds.report_steps);
    run->seconds.report_at = now;
    run->seconds.report_steps = run->seconds.steps;
    run->seconds.report_step = run->part->step;
    if (run->options.listener(run->options.user, PAV_EVENT_PROGRESS, &progress, NULL))
        run->progress.stopped = true;
}

/* Called within fused steps, with the rates of the whole run. */
void run_ask_whether_to_stop(pav_run *run)
{
    const double now = clock_seconds();
    if (!run->options.listener || run->progress.stopped || !is_time(run, now))
        return;
    const pav_progress progress = progress_of(
        run, (double)(run->part->step - run->first_step), run->seconds.steps);
    run->seconds.report_at = now;
    if (run->options.listener(run->options.user, PAV_EVENT_PROGRESS, &progress, NULL))
        run->progress.stopped = true;
}
