/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples and measures: each keeps its last row and appends rows to its table, if it has
 * one. A row begins with step and t. The .npy file of a sample has the values alone,
 * (times, positions). */
#include <string.h>

#include "run/run_private.h"

/* The default name: "u-samples.csv", "u-samples-2.csv", ... */
static void add_usual_name(const pav_run *run, const statement *own, text *t)
{
    int64_t number = 1;
    for (const statement *s = run->program->first; s != own; s = s->next)
        number += sample_is_whole(s) && !s->file && s->symbol == own->symbol;
    text_add(t, "%s-samples", own->symbol->name);
    if (number > 1)
        text_add(t, "-%lld", (long long)number);
    text_add(t, ".csv");
}

pav_status rows_path(const pav_run *run, const statement *s, text *path)
{
    text usual = {0};
    pav_status status = PAV_OK;
    if (!s->file && sample_is_whole(s))
        add_usual_name(run, s, &usual);
    const char *file = s->file ? s->file : usual.data;
    if (usual.failed)
        status = PAV_ENOMEM;
    else if (file)
        status = run_path(run, file, path);
    text_free(&usual);
    return status;
}

/* The names of all columns, each ending in NUL: "u(303 497)" for a receiver of u. */
static void add_names(const pav_run *run, const recorder *r, text *t)
{
    const int dim = run->code->dim;
    text_add_bytes(t, "step\0t", 7);
    for (int64_t k = 0; k + LEADING < r->columns; k++) {
        const int64_t point = r->event ? 0 : k % r->points.count;
        gather_name(run, r->statement, r->event ? 0 : (int)(k / r->points.count), t);
        for (int axis = 0; !r->event && axis < dim; axis++) {
            text_add(t, axis ? " " : "(");
            text_add_double(t, r->points.position[point * dim + axis]);
        }
        text_add_bytes(t, ")", !r->event);
        text_add_bytes(t, "", 1);
    }
}

/* If the table is gone, a new one begins with the next row. So a run refused for another
 * file leaves no empty table. */
static pav_status resume_table(pav_run *run, recorder *r, const char *path,
                               const char *const *heads)
{
    const table_state there = {r->rows, r->bytes, r->sum, r->row + r->skipped};
    TRY(table_resume(path, heads, r->columns - r->skipped, &there, &r->table));
    if (r->table)
        return PAV_OK;
    exec_warn(&run->client,
              "%s is gone, and %lld row%s with it: it begins anew at step %lld", path,
              (long long)r->rows, r->rows == 1 ? "" : "s", (long long)run->part->step);
    r->rows = r->bytes = 0;
    run->checkpoint.outdated = true;
    return PAV_OK;
}

static pav_status open_table(pav_run *run, recorder *r, const char *path,
                             const char *const *heads)
{
    return r->bytes > 0 ? resume_table(run, r, path, heads)
                        : table_open(path, heads, r->columns - r->skipped, &r->table);
}

static pav_status open_csv(pav_run *run, recorder *r, const char *path)
{
    text names = {0};
    const char **heads = mem_new(r->columns, sizeof *heads);
    add_names(run, r, &names);
    pav_status status = heads && !names.failed ? PAV_OK : PAV_ENOMEM;
    const char *at = names.data;
    for (int64_t k = 0; status == PAV_OK && k < r->columns; k++) {
        heads[k] = at;
        at += strlen(at) + 1;
    }
    if (status == PAV_OK)
        status = open_table(run, r, path, heads);
    text_free(&names);
    mem_free(heads);
    return status;
}

static pav_status find_table(pav_run *run, recorder *r)
{
    text path = {0};
    if (r->table || r->series || r->gather || r->statement->gather ||
        run->options.no_files || !run_is_first(run))
        return PAV_OK;
    pav_status status = rows_path(run, r->statement, &path);
    const io_format *format = status == PAV_OK && path.data ? io_find(path.data) : NULL;
    if (format && format->field) {
        r->skipped = r->event ? 0 : LEADING;
        status = open_table(run, r, path.data, NULL);
    } else if (format) {
        status = open_csv(run, r, path.data);
    }
    text_free(&path);
    return status;
}

static pav_status keep_for_checks(const pav_run *run, recorder *r)
{
    if (run->observers.keeps_rows)
        text_add_bytes(&r->kept, (const char *)r->row,
                       r->columns * (int64_t)sizeof *r->row);
    return r->kept.failed ? PAV_ENOMEM : PAV_OK;
}

pav_status rows_keep(pav_run *run, recorder *r, int64_t step, double time)
{
    r->taken = true;
    r->row[0] = (double)step;
    r->row[1] = time;
    TRY(keep_for_checks(run, r));
    if (r->statement->gather)
        return gather_part(run, r);
    TRY(gather_find(run, r));
    if (r->gather)
        return gather_add(r->gather, r->row + LEADING, time);
    TRY(find_table(run, r));
    r->rows += r->table != NULL;
    return r->table ? table_add(r->table, r->row + r->skipped) : PAV_OK;
}

static pav_status keep(pav_run *run, recorder *r)
{
    return rows_keep(run, r, run->part->step, run->part->uniform[run->code->uniform_t]);
}

bool rows_measured(const recorder *r, double *value, int64_t *step)
{
    const bool at_end = r->end_step >= 0 && r->end_step >= r->last_step;

    if (!r->event || (!at_end && !r->taken))
        return false;
    *value = at_end ? r->end : r->row[LEADING];
    *step = at_end ? r->end_step : (int64_t)r->row[0];
    return true;
}

pav_status rows_measure_end(pav_run *run, recorder *r)
{
    TRY(run_event_value(run, r->event, &r->end));
    r->end_step = run->part->step;
    return PAV_OK;
}

pav_status rows_measure(pav_run *run, recorder *r)
{
    TRY(run_event_value(run, r->event, &r->row[LEADING]));
    TRY(keep(run, r));
    if (r->statement->every)
        exec_note(&run->client, "step %lld: %s = %.9g", (long long)run->part->step,
                  r->statement->symbol->name, r->row[LEADING]);
    return PAV_OK;
}

pav_status rows_sample(pav_run *run, recorder *r)
{
    executor *e = run->part->executor;
    return e->ops.take_sample(e, &r->sampler);
}

static pav_status keep_sample(void *user, int64_t step, double time, const double *values)
{
    recorder *r = user;
    memmove(r->row + LEADING, values, (size_t)r->points.count * sizeof *values);
    return rows_keep(r->run, r, step, time);
}

sampler rows_sampler(pav_run *run, recorder *r)
{
    r->run = run;
    return (sampler){.field = run_field_of(run, r->statement->symbol),
                     .points = &r->points,
                     .row = r->row + LEADING,
                     .keep = keep_sample,
                     .user = r};
}

pav_status rows_flush(pav_run *run, recorder *r)
{
    executor *e = run->part->executor;
    return r->sampler.points ? e->ops.flush_sample(e, &r->sampler) : PAV_OK;
}

pav_status rows_resume(pav_run *run)
{
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (run->observers.recorder[k].bytes > 0)
            TRY(find_table(run, &run->observers.recorder[k]));
    return PAV_OK;
}

static pav_status write_gather(pav_run *run, const recorder *r)
{
    TRY(gather_write(r->gather));
    exec_note(&run->client, "wrote %s", gather_path(r->gather));
    return PAV_OK;
}

/* Writes all outputs and rows to their files, and returns the first error. */
pav_status run_write_rows(pav_run *run)
{
    const pav_status outputs = output_wait(run);
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        recorder *r = &run->observers.recorder[k];
        TRY(rows_flush(run, r));
        if (r->gather)
            TRY(write_gather(run, r));
        if (!r->table)
            continue;
        TRY(table_flush(r->table, true));
        exec_note(&run->client, "wrote %s: %lld row%s", table_path(r->table),
                  (long long)r->rows, r->rows == 1 ? "" : "s");
    }
    return outputs;
}

/* ---- for checks -------------------------------------------------------------------- */

int64_t run_recorders(const pav_run *run)
{
    return run->observers.recorders;
}

static pav_status kept_of(pav_run *run, recorder *r, kept_rows *rows)
{
    TRY(rows_flush(run, r));
    TRY(gather_flush_parts(run, r));
    *rows = (kept_rows){.line = r->statement->at.line, .columns = r->columns};
    rows->row = (const double *)(const void *)r->kept.data;
    if (r->columns > 0)
        rows->count = r->kept.length / (r->columns * (int64_t)sizeof *r->row);
    return PAV_OK;
}

pav_status run_kept_rows(pav_run *run, int64_t number, kept_rows *rows)
{
    return kept_of(run, &run->observers.recorder[number], rows);
}

void run_keep_no_rows(pav_run *run)
{
    run->observers.keeps_rows = false;
    for (int64_t k = 0; k < run->observers.recorders; k++)
        text_free(&run->observers.recorder[k].kept);
}

/* ---- for callers ------------------------------------------------------------------- */

const recorder *run_sample(const pav_run *run, int64_t index)
{
    for (int64_t k = 0; k < run->observers.recorders && index >= 0; k++)
        if (sample_is_whole(run->observers.recorder[k].statement) && index-- == 0)
            return &run->observers.recorder[k];
    return NULL;
}

int64_t run_samples(const pav_run *run)
{
    int64_t count = 0;
    while (run_sample(run, count))
        count++;
    return count;
}

/* NULL, with a message, if there is none. */
static recorder *find_sample(pav_run *run, int64_t sample)
{
    recorder *r = run ? (recorder *)(uintptr_t)run_sample(run, sample) : NULL;
    const int64_t count = run ? run_samples(run) : 0;
    if (!run)
        FAIL(PAV_EINVAL, "a run is needed");
    else if (!r)
        FAIL(PAV_EINVAL, "this program has %lld sample%s (0 is the first), no %lld",
             (long long)count, count == 1 ? "" : "s", (long long)sample);
    return r;
}

static pav_status check_room(const double *values, int64_t count, int64_t needed)
{
    if (values && count == needed)
        return PAV_OK;
    return FAIL(PAV_EINVAL, "the sample has %lld values, but there is room for %lld",
                (long long)needed, values ? (long long)count : 0);
}

pav_status run_kept_sample(pav_run *run, int64_t sample, kept_rows *rows)
{
    recorder *r = find_sample(run, sample);
    return r ? kept_of(run, r, rows) : PAV_EINVAL;
}

pav_status pav_sample_read(pav_run *run, int64_t sample, int64_t *step, double *values,
                           int64_t count)
{
    GUARDED;
    recorder *r = find_sample(run, sample);
    if (step)
        *step = -1;
    if (!r)
        return PAV_EINVAL;
    TRY(rows_flush(run, r));
    TRY(gather_flush_parts(run, r));
    TRY(check_room(values, count, r->columns - LEADING));
    if (!r->taken)
        return FAIL(PAV_EINVAL, "nothing is sampled before the first pav_run_steps; that "
                                "of 0 steps samples the start");
    if (step)
        *step = (int64_t)r->row[0];
    memcpy(values, r->row + LEADING, (size_t)count * sizeof *values);
    return PAV_OK;
}

pav_status pav_sample_positions(pav_run *run, int64_t sample, double *values,
                                int64_t count)
{
    GUARDED;
    const recorder *r = find_sample(run, sample);
    if (!r)
        return PAV_EINVAL;
    TRY(check_room(values, count, r->points.count * run->code->dim));
    memcpy(values, r->points.position, (size_t)count * sizeof *values);
    return PAV_OK;
}
