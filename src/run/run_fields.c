/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocates the fields of a run one by one, so that a long set-up can report its
 * progress. */
#include "run/run_private.h"

static int64_t levels_work(const ir_field *f)
{
    return f->levels * f->extent[0] * f->extent[1] * f->extent[2];
}

static pav_status take_levels(pav_run *run, int64_t f)
{
    const field_shape shape = run_shape_of(run, &run->part->code->field[f]);
    executor *e = run->part->executor;
    if (outofcore_is_on_disk(run))
        return outofcore_take_field(run, f);
    return e->ops.take_field(e, f, &shape, &run->setup.sink);
}

static pav_status allocate_levels(pav_run *run)
{
    const ir *code = run->part->code;
    TRY(subdomain_open_fields(run->part));
    run->setup.written = mem_new(code->fields + 1, sizeof *run->setup.written);
    if (!run->setup.written)
        return PAV_ENOMEM;
    int64_t done = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        TRY(run_report_setup(run, "taking memory for", code->field[f].name, done));
        TRY(take_levels(run, f));
        done += levels_work(&code->field[f]);
    }
    run->setup.done = done;
    return PAV_OK;
}

pav_status run_fill_tables(pav_run *run)
{
    TRY(subdomain_fill_tables(run->part));
    return run->part->executor->ops.fill_tables(run->part->executor);
}

pav_status run_allocate(pav_run *run)
{
    for (int64_t f = 0; f < run->part->code->fields; f++)
        run->setup.points += levels_work(&run->part->code->field[f]);
    run->setup.points += run->options.restart ? run->setup.points : run_start_work(run);
    TRY(allocate_levels(run));
    TRY(subdomain_open_values(run->part));
    return run->part->executor->ops.place_views(run->part->executor);
}

void run_release(pav_run *run)
{
    subdomain_release(run->part);
    mem_free(run->setup.written);
}
