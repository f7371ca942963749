/* SPDX-License-Identifier: BSD-3-Clause */
/* What all parts of a run ask: its fields, its places, and how its executor stands. */
#include "run/run_private.h"

int run_field_of(const pav_run *run, const symbol *field)
{
    for (int64_t f = 0; f < run->code->fields; f++)
        if (run->code->field[f].symbol == field)
            return (int)f;
    return -1;
}

bool places_are_far(const pav_run *run)
{
    for (int n = 0; n < run->places; n++)
        if (!run->place[n].far)
            return false;
    return true;
}

executor *places_far(const pav_run *run)
{
    for (int n = 0; n < run->places; n++)
        if (run->place[n].far)
            return run->place[n].far;
    return NULL;
}

schedule_place places_schedules(const pav_device *device, const char *name)
{
    return (schedule_place){.gpu = device && device->ops->gpu, .name = name};
}

gpu *run_gpu(const pav_run *run)
{
    return places_far(run) ? executor_gpu(places_far(run)) : NULL;
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
    run->seconds += clock_seconds() - begun;
    return status;
}

void run_rewind(pav_run *run, int64_t step)
{
    run->part->step = step;
    run->until_met = run->stopped = false;
    subdomain_set_time(run->part, step);
}
