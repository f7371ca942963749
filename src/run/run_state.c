/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a run for all its parts: its fields, its places, and its executor. */
#include "run/run_private.h"

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
    const place_kind *kind = run_place(run)->kind;
    return kind && kind->launches;
}

bool run_has_kernels(const pav_run *run)
{
    return run->compiled || run_has_launches(run);
}

const char *run_machine_name(const pav_run *run)
{
    return run_executor_figures(run).name;
}

subdomain *places_first(const pav_run *run, int number)
{
    for (int64_t n = 0; n < run->part->inners; n++)
        if (run->part->inner[n].place == number &&
            run->part->inner[n].rank == ranks_number(run->part->ranks))
            return &run->part->inner[n];
    return run->part;
}

executor_figures run_executor_figures(const pav_run *run)
{
    executor_figures all = run->part->executor->ops.figures(run->part->executor);
    all.behind = all.behind || outofcore_is_behind(run);
    return all;
}

pav_status run_settle(pav_run *run)
{
    const double begun = clock_seconds();
    const pav_status status = run->part->executor->ops.wait(run->part->executor);
    run->seconds.steps += clock_seconds() - begun;
    return status;
}

void run_rewind(pav_run *run, int64_t step)
{
    subdomain_set_step(run->part, step);
    run->progress.until_met = run->progress.stopped = false;
}
