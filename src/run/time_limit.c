/* SPDX-License-Identifier: BSD-3-Clause */
/* The time limit of a run: it stops early enough for all output at the end and its
 * checkpoint.
 *
 * GPU steps are queued before they run, so the limit is checked by waiting for the GPU
 * now and then. The estimate allows for twice the longest interval between two checks. */
#include <math.h>

#include "run/checkpoint/checkpoint_private.h"

pav_status time_limit_check(const pav_run *run)
{
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
    return PAV_OK;
}

static double seconds_of_ending(const pav_run *run)
{
    const checkpoint_plan *c = &run->checkpoint;
    const double by_size = (double)data_bytes(run) / disk_least_rate;
    const double checkpoint = c->count > 0 ? 2 * c->spent / (double)c->count : by_size;
    return checkpoint + (run->observers.recorders > 0 ? by_size : 0);
}

void time_limit_within(pav_run *run, double seconds)
{
    const double limit = run->options.time_limit;
    const double left = limit - (clock_seconds() - run->seconds.opened);
    if (limit > 0 && seconds + seconds_of_ending(run) >= left)
        run->limit.over = run->progress.stopped = true;
}

pav_status time_limit_observe(pav_run *run)
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
