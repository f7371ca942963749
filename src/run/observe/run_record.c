/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorders: one for each output, sample and measure of the description, opened before
 * the first step. The checker has already checked their file names. */
#include "run/run_private.h"

static bool is_recorded(const statement *s)
{
    return s->kind == STATEMENT_OUTPUT || s->kind == STATEMENT_SAMPLE ||
           s->kind == STATEMENT_GATHER || s->kind == STATEMENT_MEASURE;
}

static const ir_event *measure_event(const ir *code, const statement *s)
{
    for (int64_t k = 0; k < code->measures.count; k++)
        if (code->measures.item[k].statement == s)
            return &code->measures.item[k];
    return NULL;
}

static pav_status open_one(pav_run *run, const statement *s, recorder *r)
{
    *r = (recorder){.statement = s, .last_step = -1, .end_step = -1};
    if (s->kind == STATEMENT_MEASURE) {
        r->event = measure_event(run->code, s);
        r->columns = LEADING + 1;
    } else if (s->kind == STATEMENT_SAMPLE || s->kind == STATEMENT_GATHER) {
        TRY(points_open(run, s, &r->points));
        r->columns = LEADING + r->points.count * (s->columns > 0 ? s->columns : 1);
    } else if (!run->options.no_files && run_is_first(run)) {
        TRY(output_open(run, r));
    }
    r->row = mem_new(r->columns + 1, sizeof *r->row);
    r->forms = mem_new(r->points.count * s->forms + 1, sizeof *r->forms);
    if (!r->forms)
        return PAV_ENOMEM;
    if (r->row && s->kind == STATEMENT_SAMPLE)
        r->sampler = rows_sampler(run, r);
    return r->row ? PAV_OK : PAV_ENOMEM;
}

static bool records(const pav_run *run)
{
    for (const statement *s = run->program->first; s; s = s->next)
        if (is_recorded(s))
            return true;
    return false;
}

pav_status run_check_directory(const pav_run *run)
{
    const pav_run_options *o = &run->options;
    return o->directory && !o->no_files && (run->checkpoint.path || records(run))
               ? directory_check(o->directory)
               : PAV_OK;
}

static pav_status prepare_directory(const pav_run *run)
{
    const char *directory = run->options.directory;
    if (directory)
        TRY(directory_make(directory));
    return io_remove_leftovers(directory ? directory : ".");
}

pav_status run_open_recorders(pav_run *run)
{
    int64_t count = 0;
    for (const statement *s = run->program->first; s; s = s->next)
        count += is_recorded(s);
    run->observers.recorder = mem_new(count + 1, sizeof *run->observers.recorder);
    if (!run->observers.recorder)
        return PAV_ENOMEM;
    for (const statement *s = run->program->first; s; s = s->next)
        if (is_recorded(s))
            TRY(open_one(run, s, &run->observers.recorder[run->observers.recorders++]));
    return count > 0 && !run->options.no_files && run_is_first(run)
               ? prepare_directory(run)
               : PAV_OK;
}

void run_close_recorders(pav_run *run)
{
    writer_close(run->observers.writer);
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        recorder *r = &run->observers.recorder[k];
        (void)rows_flush(run, r); /* rows of a failed run may not be in a file yet */
        if (r->sampler.points)
            run->part->executor->ops.close_sample(run->part->executor, &r->sampler);
        series_close(r->series);
        points_close(&r->points);
        mem_free(r->row);
        text_free(&r->kept);
        gather_forget(r);
        table_close(r->table);
    }
    mem_free(run->observers.recorder);
}
