/* SPDX-License-Identifier: BSD-3-Clause */
/* What all parts of a run ask: its fields, and how its executor stands. */
#include "run/run_private.h"

int run_field_of(const pav_run *run, const symbol *field)
{
    for (int64_t f = 0; f < run->code->fields; f++)
        if (run->code->field[f].symbol == field)
            return (int)f;
    return -1;
}

executor_figures run_executor_figures(const pav_run *run)
{
    return run->part->executor->ops.figures(run->part->executor);
}

pav_status run_settle(pav_run *run)
{
    const double begun = clock_seconds();
    const pav_status status = run->part->executor->ops.wait(run->part->executor);
    run->seconds += clock_seconds() - begun;
    return status;
}

void run_rewind(pav_run *run, int64_t step)
{
    run->part->step = step;
    run->until_met = run->stopped = false;
    subdomain_set_time(run->part, step);
}
