/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of a report: rates of this run's steps, and the copy bandwidth of the host,
 * their bound. */
#include "run/run_private.h"

static const double long_enough =
    20; /* seconds of a run; in longer runs the measurement costs nothing in comparison */

double run_rate(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds : 0;
}

int run_threads(const pav_run *run)
{
    const int requested = run->options.threads > 0 ? run->options.threads
                                                   : host_threads();
    return run->compiled ? loop_tuner_threads(run->work.points, requested) : 1;
}

static double all_seconds(const pav_run *run)
{
    return run->seconds.steps + run->seconds.setup + run->seconds.output +
           run->checkpoint.spent;
}

static bool is_requested(const pav_run *run)
{
    if (run->options.copy_rate != 0)
        return run->options.copy_rate > 0;
    return all_seconds(run) >= long_enough;
}

/* Summed over all places. */
pav_status run_measure_copy(const pav_run *run, host_team *team, copy_rate *result)
{
    *result = (copy_rate){0};
    for (int n = 0; n < run->places; n++) {
        copy_rate one;
        TRY(place_copy_rate(&run->place[n], team, &one));
        result->usual += one.usual;
        result->best += one.best;
    }
    return PAV_OK;
}

/* Measures copying once. The peak of memory is noted first, because copying needs some.
 * Without memory for it, the rate stays unknown. */
static void measure_copy(pav_run *run)
{
    if (run->work.copy_rate > 0 || !is_requested(run))
        return;
    run->work.peak = mem_peak();
    run->work.process_peak = mem_process_peak();
    copy_rate found;
    (void)run_measure_copy(run, run->team.all, &found);
    run->work.copy_rate = found.usual;
}

figures run_figures(pav_run *run)
{
    const double steps = (double)(run->part->step - run->first_step);
    const double updates = steps * (double)run->work.points;
    measure_copy(run);
    figures f = {
        .gpts = run_rate(updates, run->seconds.steps) / 1e9,
        .gpts_all = run_rate(updates, all_seconds(run)) / 1e9,
        .gbytes = run_rate(steps * run->work.step_bytes, run->seconds.steps) / 1e9,
        .gflops = run_rate(steps * run->work.step_flops, run->seconds.steps) / 1e9,
        .bytes_per_point = run->work.step_bytes / (double)run->work.points,
        .flops_per_point = run->work.step_flops / (double)run->work.points,
        .copy_gbytes = run->work.copy_rate / 1e9,
        .memory = run->work.copy_rate > 0 ? run->work.peak : mem_peak(),
        .process = run->work.copy_rate > 0 ? run->work.process_peak : mem_process_peak(),
        .device_memory = run->outofcore ? outofcore_device_bytes(run)
                                        : run_executor_figures(run).bytes,
        .threads = host_team_threads(run->team.all),
    };
    f.percent = f.copy_gbytes > 0 ? 100 * f.gbytes / f.copy_gbytes : 0;
    return f;
}
