/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the checkpoint of a run, when due or requested, and restarts runs from
 * checkpoints. Outputs and rows of tables reach the disk before the checkpoint counts
 * them, so that a restarted run ends with the same files.
 *
 * A run with ranks has one file, and each rank writes its own points. The first rank
 * creates the file, and renames it once all have written. If some rank does not see the
 * directory, the first rank gathers the fields and writes them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/checkpoint/checkpoint_private.h"
#include "run/run_private.h"

/* ---- path and interval ------------------------------------------------------------- */

static const double usual_seconds = 600;

/* "dir/heat3d.pav" gives "heat3d.checkpoint". */
static void add_usual_name(const char *path, text *t)
{
    const char *stem = path_name(path);
    const char *dot = strrchr(stem, '.');
    const int64_t length = dot > stem ? dot - stem : (int64_t)strlen(stem);
    for (int64_t k = 0; k < length; k++) {
        const unsigned char c = (unsigned char)stem[k];
        const bool plain = c > ' ' && c != ':' && c != '=' && c != '@' && c != ',';
        text_add_bytes(t, plain ? (const char *)&stem[k] : "-", 1);
    }
    text_add(t, "%s.checkpoint", length > 0 ? "" : "run");
}

/* A file of this name must be a checkpoint, or its beginning if the disk was full. */
static bool is_foreign(const char *path, bool partial)
{
    if (file_oddity(path))
        return true;
    char begins[CHECKPOINT_MAGIC] = {0};
    OWNED_BY(stdio_close) FILE *const file = fopen(path, "rb");
    const size_t length = file ? fread(begins, 1, sizeof begins, file) : 0;
    return !checkpoint_begins(begins, length, partial);
}

/* The same for FILE.old and FILE.part, because a checkpoint replaces these, too. */
static pav_status check_name(const char *path, const char *ending)
{
    OWNED_BY(text_free) text name = {0};
    TRY(text_print(&name, "%s%s", path, ending));
    return is_foreign(name.data, strcmp(ending, ".part") == 0)
               ? FAIL(PAV_EINVAL,
                      "the checkpoint %s cannot be written: a file of the name %s is "
                      "there and no checkpoint; give another name, or remove it",
                      path, name.data)
               : PAV_OK;
}

/* The checkpoint of the restart may be damaged, and is still accepted. */
static pav_status check_names(const pav_run *run)
{
    const char *path = run->checkpoint.path, *restart = run->options.restart;
    if (file_oddity(path))
        return PAV_OK; /* trying to write it will report the error */
    if (!restart || strcmp(restart, path) != 0)
        TRY(check_name(path, ""));
    TRY(names_check(run, path, false, "checkpoint"));
    TRY(check_name(path, ".old"));
    return check_name(path, ".part");
}

pav_status checkpoint_find(pav_run *run)
{
    checkpoint_plan *c = &run->checkpoint;
    const statement *s = run->program->first;
    while (s && s->kind != STATEMENT_CHECKPOINT)
        s = s->next;
    *c = (checkpoint_plan){
        .keep = true,
        .saved = -1,
        .missed = -1,
        .saved_at = clock_seconds(),
        .every = run->options.checkpoint_every > 0     ? run->options.checkpoint_every
                 : run->options.checkpoint_seconds > 0 ? 0
                 : s                                   ? s->every_steps
                                                       : 0,
        .seconds = run->options.checkpoint_seconds > 0 ? run->options.checkpoint_seconds
                                                       : usual_seconds};
    if (run->options.checkpoint) {
        text t = {0};
        text_add(&t, "%s", run->options.checkpoint);
        TRY(text_take(&t, &c->path));
    } else if (!s && (c->every > 0 || run->options.checkpoint_seconds > 0))
        return FAIL(PAV_EINVAL,
                    "how often a checkpoint is wanted is said, but not where it is kept: "
                    "--checkpoint FILE says it");
    else if (s && !run->options.no_files) {
        OWNED_BY(text_free) text name = {0}, whole = {0};
        if (s->file)
            text_add(&name, "%s", s->file);
        else
            add_usual_name(run->program->name, &name);
        TRY(name.failed ? PAV_ENOMEM : run_path(run, name.data, &whole));
        TRY(text_take(&whole, &c->path));
    }
    return PAV_OK;
}

pav_status checkpoint_open(pav_run *run)
{
    if (run->checkpoint.path && !run->options.no_files && run->options.directory)
        TRY(directory_make(run->options.directory));
    if (run->options.restart)
        TRY(names_check(run, run->options.restart, false, "file of --restart"));
    if (!run->checkpoint.path || !run_is_first(run))
        return PAV_OK;
    TRY(check_names(run));
    /* an error now is better than after an hour of steps */
    OWNED_BY(stream_close) stream s = {.file = -1};
    return stream_create(&s, run->checkpoint.path);
}

/* ---- one file of all ranks --------------------------------------------------------- */

/* The file, sent by the first rank; no name: it could not be created. */
typedef struct data_place {
    char name[PATH_MAX];
    int64_t at; /* beginning of the data in the file */
} data_place;

/* The result of one rank. */
typedef struct part_done {
    int status;
    uint64_t sum;
} part_done;

static pav_status report_failed(const pav_run *run, int rank, pav_status own)
{
    char why[512] = "";
    if (ranks_number(run->part->ranks) == rank)
        (void)snprintf(why, sizeof why, "%s", pav_message());
    TRY(ranks_share(run->part->ranks, rank, why, (int64_t)sizeof why));
    return FAIL(own != PAV_OK ? own : PAV_EIO, "rank %d: %s", rank, why);
}

/* Combines the errors of all ranks, and the sums of the others. */
static pav_status checkpoint_gather(const pav_run *run, const stream *s, pav_status own,
                                    uint64_t *others)
{
    const int count = ranks_count(run->part->ranks);
    const part_done mine = {(int)own, s->sum};
    int failed = -1;
    OWNED_NEW(part_done, all, count);
    TRY(ranks_gather(run->part->ranks, &mine, sizeof mine, all));
    *others = -s->sum;
    for (int n = count - 1; n >= 0; n--) {
        failed = all[n].status != PAV_OK ? n : failed;
        *others += all[n].sum;
    }
    return failed < 0 ? PAV_OK : report_failed(run, failed, own);
}

/* ---- writing ----------------------------------------------------------------------- */

static bool is_own(const pav_run *run, const char *path)
{
    return run->checkpoint.path && strcmp(run->checkpoint.path, path) == 0;
}

/* Called on the first rank. */
static pav_status begin_file(const pav_run *run, const char *path, bool in_files,
                             stream *s)
{
    OWNED_BY(text_free) text head = {0};
    OWNED_BY(text_free) text store = {0};
    TRY(head_write(run, &head));
    if (in_files)
        TRY(outofcore_store_write(run, &store));
    TRY(stream_create(s, path));
    /* after the head: the section about the store's files, or the data */
    s->whole = prefix_bytes(&head) + (in_files ? store.length : data_bytes(run)) +
               (int64_t)sizeof(uint64_t);
    TRY(prefix_put(s, &head, in_files));
    return in_files ? stream_put(s, store.data, store.length) : PAV_OK;
}

static pav_status write_file(pav_run *run, const char *path, bool keep)
{
    OWNED_BY(stream_close) stream s = {.path = path, .file = -1};
    const bool in_files = run->checkpoint.in_files && is_own(run, path);
    const pav_status begun = run_is_first(run) ? begin_file(run, path, in_files, &s)
                                               : PAV_OK;
    if (run->part->ranks) {
        /* Each rank writes its own points, or the first rank gathers and writes all. */
        bool seen = false;
        uint64_t others = 0;
        /* The first rank has created the file, or failed with `begun`; *seen: all
         * ranks can open it. */
        pav_ranks *ranks = run->part->ranks;
        data_place begun_at = {.at = s.at + s.used};
        uint64_t word = 0;
        if (run_is_first(run) && begun == PAV_OK)
            (void)snprintf(begun_at.name, sizeof begun_at.name, "%s", s.part);
        TRY(ranks_share(ranks, 0, &begun_at, (int64_t)sizeof begun_at));
        if (!run_is_first(run)) {
            const pav_status joined = begun_at.name[0]
                                          ? stream_join(&s, path, begun_at.name)
                                          : PAV_OK;
            if (joined == PAV_OK && begun_at.name[0])
                TRY(stream_seek(&s, begun_at.at));
            word = joined != PAV_OK;
        }
        TRY(ranks_or(ranks, &word, 1));
        seen = word == 0 && begun_at.name[0];
        TRY(begun);
        if (seen) {
            pav_status status = data_write(run, &s, true);
            if (status == PAV_OK)
                status = stream_flush(&s);
            TRY(checkpoint_gather(run, &s, status, &others));
        } else {
            if (!run->observers.ranks_gather)
                exec_note(&run->client,
                          "not all ranks see the directory of checkpoints: the "
                          "first one gathers and writes them");
            run->observers.ranks_gather = true;
            TRY(data_write(run, &s, false));
        }
        return run_is_first(run) ? stream_finish(&s, others, keep) : PAV_OK;
    }
    TRY(begun);
    if (!in_files)
        TRY(data_write(run, &s, true));
    TRY(stream_finish(&s, 0, keep && !in_files));
    if (in_files)
        outofcore_store_written(run);
    return PAV_OK;
}

static pav_status checkpoint_write(pav_run *run, const char *path)
{
    checkpoint_plan *c = &run->checkpoint;
    IN_PHASE(run, PHASE_CHECKPOINT);
    TRY(run_settle(run));
    for (recorder *r = NULL; (r = run_next_recorder(run, r));) {
        TRY(rows_flush(run, r));
        if (r->table)
            TRY(table_sync(r->table, &r->bytes, &r->sum));
        else if (r->series)
            r->bytes = series_bytes(r->series);
    }
    const pav_status status = write_file(run, path, !is_own(run, path) || c->keep);
    c->saved_at = clock_seconds();
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

static pav_status read_rest(pav_run *run, stream *s, bool is_store)
{
    if (is_store) {
        TRY(outofcore_store_read(run, s));
        if (stream_left(s) != 0)
            return FAIL(PAV_EFORMAT,
                        "the checkpoint %s is damaged: it is longer than it says",
                        s->path);
        return stream_check(s, s->sum);
    }
    const int64_t needed = data_bytes(run), left = stream_left(s);
    if (left != needed)
        return FAIL(PAV_EFORMAT,
                    "the checkpoint %s is damaged: %lld bytes of fields are there, %lld "
                    "are needed",
                    s->path, (long long)left, (long long)needed);
    uint64_t others;
    TRY(data_read(run, s));
    TRY(checkpoint_gather(run, s, PAV_OK, &others));
    return stream_check(s, s->sum + others);
}

static pav_status restart_from(pav_run *run, const char *path)
{
    OWNED_BY(stream_close) stream s = {.file = -1};
    checkpoint_head h = {.path = path};
    TRY(stream_open(&s, path));
    s.uncounted = !run_is_first(run); /* only the first rank counts the head */
    OWNED char *bytes = NULL;
    int64_t length = 0;
    bool is_store = false;
    TRY(prefix_get(&s, &bytes, &length, &is_store));
    TRY(head_check(run, bytes, length, &h));
    if (is_store && run->checkpoint.apart)
        return FAIL(PAV_EUNSUPPORTED,
                    "the checkpoint %s is a store of an older version, with levels that "
                    "this version does not keep; go on with that version",
                    path);
    TRY(read_rest(run, &s, is_store));
    head_take(run, bytes, length);
    run->checkpoint.apart = false;
    return PAV_OK;
}

/* The newest checkpoint is damaged, or a kill left no file of this name; `why` is the
 * message about it. */
static pav_status restart_from_old(pav_run *run, const char *path, pav_status first,
                                   const char *why)
{
    OWNED_BY(text_free) text old = {0};
    text_add(&old, "%s.old", path);
    pav_status status = old.failed ? PAV_ENOMEM : restart_from(run, old.data);
    if (status == PAV_OK)
        exec_warn(&run->client, "%s; going on from the one before, %s, of step %lld", why,
                  old.data, (long long)run->part->step);
    else if (status == PAV_EFORMAT)
        FAIL(status, "%s; and %s", why, pav_message());
    else if (status == PAV_EIO)
        status = FAIL(first,
                      "%s; the previous one, %s, is missing, too; give --restart a file "
                      "written by --checkpoint",
                      why, old.data);
    return status;
}

static pav_status restore(pav_run *run, const char *path)
{
    const pav_status status = restart_from(run, path);
    if (status != PAV_EFORMAT && status != PAV_EIO)
        return status;
    OWNED char *why = strdup(pav_message());
    const pav_status older = why ? restart_from_old(run, path, status, why) : PAV_ENOMEM;
    if (older == PAV_OK && is_own(run, path))
        run->checkpoint.keep = false;
    return older;
}

static pav_status resume(pav_run *run, recorder *r)
{
    box shown;
    OWNED_NEW(io_frame, all, output_fields(r->statement));
    output_frames(run, r->statement, &shown, all);
    series_past past = {.frame = all[0],
                        .step = run->part->step + !run_recorder_is_due(run, r, false),
                        .frames = r->rows,
                        .bytes = r->bytes,
                        .step_time = run->code->time ? 0
                                                     : subdomain_step_time(run->part)};
    OWNED_BY(text_free) text said = {0};

    TRY(series_resume(r->series, &past, &said));
    if (said.length > 0)
        exec_warn(&run->client, "%s", said.data);
    run->checkpoint.outdated |= r->rows > past.frames;
    r->rows = past.frames;
    return PAV_OK;
}

static pav_status resume_outputs(pav_run *run)
{
    for (int64_t k = 0; k < run->observers.recorders; k++)
        if (run->observers.recorder[k].series)
            TRY(resume(run, &run->observers.recorder[k]));
    return PAV_OK;
}

pav_status checkpoint_restart(pav_run *run)
{
    TRY(run_report_setup(run, "reading", run->options.restart, run->setup.done));
    TRY(restore(run, run->options.restart));
    if (run->steps > 0 && run->part->step > run->steps)
        return FAIL(PAV_EINVAL,
                    "the checkpoint %s is of step %lld, past the %lld requested steps; "
                    "give `steps` or --steps a larger number",
                    run->options.restart, (long long)run->part->step,
                    (long long)run->steps);
    TRY(data_fill_borders(run, run->part->step));
    subdomain_set_time(run->part, run->part->step);
    run->observers.nan_checked = run->part->step;
    if (is_own(run, run->options.restart) && run->checkpoint.keep)
        run->checkpoint.saved = run->part->step;
    TRY(rows_resume(run));
    TRY(resume_outputs(run));
    return run->part->step > 0 ? run_check_until(run, false, &run->progress.until_met)
                               : PAV_OK;
}

/* ---- when it is due ---------------------------------------------------------------- */

/* Brings all outputs counted by the checkpoint to the disk. */
static pav_status settle_outputs(pav_run *run)
{
    IN_PHASE(run, PHASE_CHECKPOINT);
    pav_status status = run->observers.writer ? output_wait(run) : PAV_OK;
    for (int64_t k = 0; status == PAV_OK && k < run->observers.recorders; k++)
        if (run->observers.recorder[k].series)
            status = series_sync(run->observers.recorder[k].series);
    return status;
}

/* A run goes on after a failed checkpoint, because the old one still exists. But a failed
 * output ends it. */
static pav_status keep(pav_run *run)
{
    run->checkpoint.outdated = false;
    if (run->observers.nan_check_every == 0 &&
        run->observers.nan_checked != run->part->step && !run->checkpoint.in_files)
        TRY(run_check_nan_now(run));
    TRY(settle_outputs(run));
    const pav_status status = checkpoint_write(run, run->checkpoint.path);
    if (status != PAV_OK && run->checkpoint.in_files)
        return status; /* later blocks would overwrite the old checkpoint */
    if (status != PAV_OK) {
        checkpoint_plan *c = &run->checkpoint;
        OWNED_BY(text_free) text still = {0};
        free(c->why);
        c->why = strdup(pav_message());
        c->missed = run->part->step;
        if (pav_run_checkpointed(run, NULL))
            text_add(&still, "; that of step %lld is still there", (long long)c->saved);
        exec_warn(&run->client, "step %lld goes without a checkpoint: %s%s",
                  (long long)run->part->step, c->why ? c->why : "",
                  still.data ? still.data : "");
    }
    return PAV_OK;
}

/* Fused launches skip levels; the next single step makes them. */
static bool lacks_levels(const pav_run *run)
{
    return run_executor_figures(run).behind && !run->checkpoint.in_files;
}

bool checkpoint_is_requested(const pav_run *run)
{
    const checkpoint_plan *c = &run->checkpoint;
    return c->outdated || (c->every == 0 && clock_seconds() - c->saved_at >= c->seconds);
}

pav_status checkpoint_after_step(pav_run *run)
{
    checkpoint_plan *c = &run->checkpoint;
    const bool wished = run->part->ranks ? (run->progress.agreed & WISH_CHECKPOINT) != 0
                                         : checkpoint_is_requested(run);
    const bool due = wished || c->in_files ||
                     (c->every > 0 && run->part->step % c->every == 0);
    const bool requested = c->path && (due || c->waits);
    c->waits = requested && lacks_levels(run);
    return requested && !c->waits ? keep(run) : PAV_OK;
}

pav_status checkpoint_of_start(pav_run *run)
{
    const checkpoint_plan *c = &run->checkpoint;
    return c->path && c->saved < 0 ? keep(run) : PAV_OK;
}

pav_status checkpoint_at_end(pav_run *run)
{
    const checkpoint_plan *c = &run->checkpoint;
    const bool tried = c->saved == run->part->step || c->missed == run->part->step;
    return c->path && !tried ? keep(run) : PAV_OK;
}

/* ---- for callers ------------------------------------------------------------------- */

pav_status pav_run_checkpoint(pav_run *run, const char *path)
{
    GUARDED;
    if (!run)
        return FAIL(PAV_EINVAL, "pav_run_checkpoint needs a run");
    if (!path && !run->checkpoint.path)
        return FAIL(PAV_EINVAL,
                    "pav_run_checkpoint needs a path: neither the options nor the "
                    "description say where the run's checkpoint is kept");
    TRY(run_check_whole(run));
    if (lacks_levels(run))
        return FAIL(PAV_EINVAL,
                    "step %lld is the last of a fused launch, which lacks the "
                    "oldest levels that a checkpoint holds: ask once pav_run_steps has "
                    "returned",
                    (long long)run->part->step);
    TRY(run_see_loans(run));
    TRY(settle_outputs(run));
    return checkpoint_write(run, path ? path : run->checkpoint.path);
}

const char *pav_run_checkpointed(const pav_run *run, int64_t *step)
{
    const bool there = run && run->checkpoint.path && run->checkpoint.saved >= 0 &&
                       access(run->checkpoint.path, F_OK) == 0;
    if (step)
        *step = there ? run->checkpoint.saved : -1;
    return there ? run->checkpoint.path : NULL;
}
