/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the seconds of a step. First the run finishes its autotuning. Then it takes
 * rows of steps of growing length, and the fastest row counts. Rows with compiling do not
 * count. */
#include "run/run_private.h"

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

static pav_status warm(pav_run *run, double seconds)
{
    const double end = clock_seconds() + warm_share * seconds;
    double each;
    bool whole;
    do
        TRY(take_row(run, run_block_steps(run), &each, &whole));
    while (!temporal_is_tuned(run) && clock_seconds() < end);
    return PAV_OK;
}

static pav_status time_rows(pav_run *run, double seconds, double *least)
{
    const double begun = clock_seconds();
    const int64_t block = run_block_steps(run);
    int64_t steps = block;
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
    TRY(warm(run, seconds));
    return time_rows(run, seconds, least);
}
