/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a run: the bytes of its output on disks, and the memory for reading and
 * writing. */
#include "run/checkpoint/checkpoint_private.h"
#include "run/plan/needs_private.h"

enum { CHECKPOINTS = 3 }; /* the newest, the one before, and an unfinished one */

/* ---- outputs ----------------------------------------------------------------------- */

/* Outputs at steps 0, every, 2*every, ...; without `every` one at the end. */
static int64_t times_of(const pav_run *run, const statement *s, int64_t usual)
{
    const int64_t every = s->every_steps > 0 ? s->every_steps : usual;
    return every > 0 ? run->steps / every + 1 : 1;
}

/* Memory for outputs during writing. */
typedef struct writing {
    int64_t memory, largest, all;
} writing;

static void take_up(writing *w, const frame_need *one, int64_t frame, int64_t times)
{
    int64_t all;
    w->memory = one->memory > w->memory ? one->memory : w->memory;
    w->largest = frame > w->largest ? frame : w->largest;
    if (!mul_fits(frame, times, &all) || !add_fits(w->all, all, &w->all))
        w->all = INT64_MAX;
}

static pav_status add_output(const pav_run *run, const statement *s, needs *n, writing *w)
{
    const io_frame frame = output_frame(run, s);
    need_item what = {.kind = NEED_OUTPUT, .count = times_of(run, s, 0)};
    text path = {0};
    pav_status status = output_path(run, s, &path);
    if (status == PAV_OK)
        status = needs_find_disk(n, path.data, &what.store);
    if (status == PAV_OK) {
        const frame_need one = frame_need_of(path.data, &frame);
        what.surety = one.exact ? NEED_SURE : NEED_AT_MOST;
        if (!mul_fits(one.file, what.count, &what.bytes))
            what.bytes = INT64_MAX;
        take_up(w, &one, frame_bytes(&frame), what.count);
        status = needs_add(n, &what, path.data);
    }
    text_free(&path);
    return status;
}

/* The queue of outputs uses at most the memory left by the sure needs. */
static pav_status add_writing(needs *n, const writing *w)
{
    const need_store *host = &n->store[STORE_HOST];
    const int64_t left = host->available < 0            ? -1
                         : host->available < host->sure ? 0
                                                        : host->available - host->sure;
    const int64_t room = writer_room(left);
    const need_item memory = {
        .kind = NEED_WRITING, .surety = NEED_AT_MOST, .bytes = w->memory};
    const need_item queue = {.kind = NEED_QUEUE,
                             .surety = NEED_SPARE,
                             .bytes = w->all < room ? w->all : room,
                             .count = w->largest};
    if (w->largest == 0)
        return PAV_OK;
    TRY(needs_add(n, &memory, NULL));
    return w->largest <= room ? needs_add(n, &queue, NULL) : PAV_OK;
}

/* ---- tables and positions ---------------------------------------------------------- */

static pav_status add_rows(const pav_run *run, const statement *s, int64_t columns,
                           needs *n)
{
    const int64_t usual = s->kind == STATEMENT_MEASURE ? 0 : 1;
    need_item what = {
        .kind = NEED_ROWS, .surety = NEED_AT_MOST, .count = times_of(run, s, usual)};
    text path = {0};
    pav_status status = rows_path(run, s, &path);
    if (status == PAV_OK && path.data)
        status = needs_find_disk(n, path.data, &what.store);
    if (status == PAV_OK && path.data) {
        /* two rows more, for the names in the head */
        const int64_t row = table_row_bytes(path.data, LEADING + columns);
        if (!mul_fits(row, what.count + 2, &what.bytes))
            what.bytes = INT64_MAX;
        status = needs_add(n, &what, path.data);
    }
    text_free(&path);
    return status;
}

static pav_status add_positions(const pav_run *run, const statement *s, needs *n)
{
    need_item what = {.kind = NEED_POSITIONS, .surety = NEED_AT_MOST};
    TRY(points_measure(run, s, &what.count, &what.bytes));
    TRY(needs_add(n, &what, s->symbol->name));
    if (s->kind == STATEMENT_INJECT || s->gather || run->options.no_files)
        return PAV_OK;
    return add_rows(run, s, what.count * (s->columns > 0 ? s->columns : 1), n);
}

static pav_status add_statement(const pav_run *run, const statement *s, needs *n,
                                writing *w)
{
    if (s->kind == STATEMENT_INJECT || s->kind == STATEMENT_SAMPLE ||
        s->kind == STATEMENT_GATHER)
        return add_positions(run, s, n);
    if (run->options.no_files)
        return PAV_OK;
    if (s->kind == STATEMENT_OUTPUT)
        return add_output(run, s, n, w);
    return s->kind == STATEMENT_MEASURE ? add_rows(run, s, 1, n) : PAV_OK;
}

/* ---- fields on disks --------------------------------------------------------------- */

static pav_status add_disks(const pav_run *run, needs *n)
{
    int64_t bytes;
    for (int k = 0; k < outofcore_disks(run, &bytes); k++) {
        need_item what = {.kind = NEED_DISK, .bytes = bytes};
        text path = {0};
        text_add(&path, "%s/", outofcore_disk(run, k));
        pav_status status = path.failed ? PAV_ENOMEM
                                        : needs_find_disk(n, path.data, &what.store);
        if (status == PAV_OK)
            status = needs_add(n, &what, NULL);
        text_free(&path);
        TRY(status);
    }
    return PAV_OK;
}

/* ---- all of them ------------------------------------------------------------------- */

static bool reads_files(const ir *code)
{
    for (int64_t k = 0; k < code->start.count; k++)
        if (code->start.item[k].kind == START_FILE)
            return true;
    return false;
}

/* One checkpoint is certain; the number of others depends on time. */
static pav_status add_checkpoints(const pav_run *run, needs *n)
{
    need_item what = {.kind = NEED_CHECKPOINT, .count = 1, .bytes = data_bytes(run)};
    const char *path = run->checkpoint.path;
    if (!path || outofcore_is_on_disk(run))
        return PAV_OK;
    TRY(needs_find_disk(n, path, &what.store));
    TRY(needs_add(n, &what, path));
    what.surety = NEED_AT_MOST;
    what.count = CHECKPOINTS - 1;
    if (!mul_fits(what.bytes, CHECKPOINTS - 1, &what.bytes))
        what.bytes = INT64_MAX;
    return needs_add(n, &what, path);
}

pav_status needs_files(const pav_run *run, needs *n)
{
    const need_item reading = {
        .kind = NEED_READING, .surety = NEED_AT_MOST, .bytes = READ_PIECE};
    writing w = {0};
    if (reads_files(run->code) && !run->options.restart)
        TRY(needs_add(n, &reading, NULL));
    for (const statement *s = run->program->first; s; s = s->next)
        TRY(add_statement(run, s, n, &w));
    TRY(add_writing(n, &w));
    TRY(add_disks(run, n));
    return add_checkpoints(run, n);
}
