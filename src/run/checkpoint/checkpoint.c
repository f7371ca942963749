/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes checkpoints, and restarts runs from them. Rows of tables reach the disk before
 * the checkpoint counts them, so tables end the same as in an unbroken run. */
#include <stdlib.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

/* ---- writing ----------------------------------------------------------------------- */

static pav_status sync_tables(pav_run *run)
{
    for (int64_t k = 0; k < run->observers.recorders; k++) {
        recorder *r = &run->observers.recorder[k];
        TRY(rows_flush(run, r));
        if (r->table)
            TRY(table_sync(r->table, &r->bytes, &r->sum));
        else if (r->series)
            r->bytes = series_bytes(r->series);
    }
    return PAV_OK;
}

/* store: the section about the store's files; NULL: the data follow. */
static pav_status write_head(const pav_run *run, stream *s, const text *head,
                             const text *store)
{
    s->whole = prefix_bytes(head) + (store ? store->length : data_bytes(run)) +
               (int64_t)sizeof(uint64_t);
    TRY(prefix_put(s, head, store != NULL));
    return store ? stream_put(s, store->data, store->length) : PAV_OK;
}

static bool is_own(const pav_run *run, const char *path)
{
    return run->checkpoint.path && strcmp(run->checkpoint.path, path) == 0;
}

/* Called on the first rank. */
static pav_status begin_file(const pav_run *run, const char *path, bool in_files,
                             stream *s)
{
    text bytes = {0}, store = {0};
    pav_status status = head_write(run, &bytes);
    if (status == PAV_OK && in_files)
        status = outofcore_store_write(run, &store);
    if (status == PAV_OK)
        status = stream_create(s, path);
    if (status == PAV_OK)
        status = write_head(run, s, &bytes, in_files ? &store : NULL);
    text_free(&store);
    text_free(&bytes);
    return status;
}

/* Each rank writes its own points. */
static pav_status write_parts(const pav_run *run, stream *s, bool keep)
{
    uint64_t others = 0;
    pav_status status = data_write(run, s, true);
    if (status == PAV_OK)
        status = stream_flush(s);
    TRY(checkpoint_gather(run, s, status, &others));
    return run_is_first(run) ? stream_finish(s, others, keep) : PAV_OK;
}

static pav_status write_gathered(const pav_run *run, stream *s, bool keep)
{
    TRY(data_write(run, s, false));
    return run_is_first(run) ? stream_finish(s, 0, keep) : PAV_OK;
}

static pav_status write_shared(pav_run *run, const char *path, pav_status begun,
                               stream *s, bool keep)
{
    bool seen = false;
    TRY(checkpoint_join(run, path, s, begun, &seen));
    if (seen)
        return write_parts(run, s, keep);
    if (!run->observers.ranks_gather)
        exec_note(&run->client, "not all ranks see the directory of checkpoints: the "
                                "first one gathers and writes them");
    run->observers.ranks_gather = true;
    return write_gathered(run, s, keep);
}

static pav_status write_alone(const pav_run *run, stream *s, bool in_files, bool keep)
{
    if (!in_files)
        TRY(data_write(run, s, true));
    TRY(stream_finish(s, 0, keep && !in_files));
    if (in_files)
        outofcore_store_written(run);
    return PAV_OK;
}

static pav_status write_file(pav_run *run, const char *path, bool keep)
{
    stream s = {.path = path, .file = -1};
    const bool in_files = outofcore_is_on_disk(run) && is_own(run, path);
    pav_status status = PAV_OK;
    if (run_is_first(run))
        status = begin_file(run, path, in_files, &s);
    if (run->part->ranks)
        status = write_shared(run, path, status, &s, keep);
    else if (status == PAV_OK)
        status = write_alone(run, &s, in_files, keep);
    stream_close(&s);
    return status;
}

pav_status checkpoint_write(pav_run *run, const char *path)
{
    checkpoint_plan *c = &run->checkpoint;
    TRY(run_settle(run));
    const double begun = clock_seconds();
    TRY(sync_tables(run));
    const pav_status status = write_file(run, path, !is_own(run, path) || c->keep);
    c->saved_at = clock_seconds();
    c->spent += c->saved_at - begun;
    TRY(status);
    c->count++;
    if (is_own(run, path)) {
        c->keep = true;
        c->saved = run->part->step;
        c->missed = -1;
    }
    return PAV_OK;
}

/* ---- reading ----------------------------------------------------------------------- */

static pav_status read_store(pav_run *run, stream *s)
{
    TRY(outofcore_store_read(run, s));
    if (stream_left(s) != 0)
        return FAIL(PAV_EFORMAT,
                    "the checkpoint %s is damaged: it is longer than it says", s->path);
    return stream_check(s, s->sum);
}

static pav_status read_data(pav_run *run, stream *s)
{
    const int64_t needed = data_bytes(run), left = stream_left(s);
    if (left != needed)
        return FAIL(PAV_EFORMAT,
                    "the checkpoint %s is damaged: %lld bytes of fields are there, %lld "
                    "are needed",
                    s->path, (long long)left, (long long)needed);
    uint64_t all;
    TRY(data_read(run, s));
    TRY(checkpoint_sum(run, s, &all));
    return stream_check(s, all);
}

static pav_status read_file(pav_run *run, stream *s, checkpoint_head *h)
{
    char *bytes = NULL;
    int64_t length = 0;
    bool is_store = false;
    pav_status status = prefix_get(s, &bytes, &length, &is_store);
    if (status == PAV_OK)
        status = head_check(run, bytes, length, h);
    if (status == PAV_OK)
        status = is_store ? read_store(run, s) : read_data(run, s);
    if (status == PAV_OK)
        head_take(run, bytes, length);
    mem_free(bytes);
    return status;
}

static pav_status restart_from(pav_run *run, const char *path)
{
    stream s;
    checkpoint_head h = {.path = path};
    TRY(stream_open(&s, path));
    s.uncounted = !run_is_first(run); /* only the first rank counts the head */
    const pav_status status = read_file(run, &s, &h);
    stream_close(&s);
    return status;
}

/* The newest checkpoint is damaged, or a kill left no file of this name; `why` is the
 * message about it. */
static pav_status restart_from_old(pav_run *run, const char *path, pav_status first,
                                   const char *why)
{
    text old = {0};
    text_add(&old, "%s.old", path);
    pav_status status = old.failed ? PAV_ENOMEM : restart_from(run, old.data);
    if (status == PAV_OK)
        exec_warn(&run->client, "%s; going on from the one before, %s, of step %lld", why,
                  old.data, (long long)run->part->step);
    else if (status == PAV_EFORMAT)
        FAIL(status, "%s; and %s", why, pav_message());
    else if (status == PAV_EIO)
        status = FAIL(first,
                      "%s; nor is there one before it, %s; give --restart a file that "
                      "--checkpoint kept",
                      why, old.data);
    text_free(&old);
    return status;
}

static pav_status restore(pav_run *run, const char *path)
{
    const pav_status status = restart_from(run, path);
    if (status != PAV_EFORMAT && status != PAV_EIO)
        return status;
    char *why = strdup(pav_message());
    const pav_status older = why ? restart_from_old(run, path, status, why) : PAV_ENOMEM;
    free(why);
    if (older == PAV_OK && is_own(run, path))
        run->checkpoint.keep = false;
    return older;
}

static pav_status check_steps(const pav_run *run)
{
    if (run->steps == 0 || run->part->step <= run->steps)
        return PAV_OK;
    return FAIL(
        PAV_EINVAL,
        "the checkpoint %s is of step %lld, past the %lld steps that are asked for; "
        "give `steps` or --steps a larger number",
        run->options.restart, (long long)run->part->step, (long long)run->steps);
}

pav_status checkpoint_restart(pav_run *run)
{
    TRY(run_report_setup(run, "reading", run->options.restart, run->setup.done));
    TRY(restore(run, run->options.restart));
    TRY(check_steps(run));
    TRY(data_fill_borders(run, run->part->step));
    subdomain_set_time(run->part, run->part->step);
    run->observers.nan_checked = run->part->step;
    if (is_own(run, run->options.restart) && run->checkpoint.keep)
        run->checkpoint.saved = run->part->step;
    TRY(rows_resume(run));
    TRY(outputs_resume(run));
    return run->part->step > 0 ? run_check_until(run, false, &run->progress.until_met)
                               : PAV_OK;
}
