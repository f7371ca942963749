/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables growing during a run. The file has its final name from the first row on. Rows
 * wait in memory for at most a second or 64 KiB and are then written together. Only
 * whole rows are written, so a killed process leaves a valid table. The header of an npy
 * file is updated after the rows it counts. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io_private.h"

/* ---- comma-separated values -------------------------------------------------------- */

/* Comma-separated values (RFC 4180, but lines end in a newline alone): a line of names,
 * then the rows. Numbers do not depend on the locale. */

void csv_add_name(text *t, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        text_add(t, "%s", name);
        return;
    }
    text_add(t, "\"");
    for (; *name; name++)
        text_add(t, "%s%c", *name == '"' ? "\"" : "", *name);
    text_add(t, "\"");
}

static void csv_add_heads(text *t, const char *const *heads, int64_t columns)
{
    for (int64_t c = 0; c < columns; c++) {
        text_add_bytes(t, ",", c > 0);
        csv_add_name(t, heads[c]);
    }
    text_add_bytes(t, "\n", 1);
}

static void csv_add_row(text *t, const double *values, int64_t columns)
{
    for (int64_t c = 0; c < columns; c++) {
        text_add_bytes(t, ",", c > 0);
        text_add_double(t, values[c]);
    }
    text_add_bytes(t, "\n", 1);
}

pav_status csv_write(const char *path, const char *const *heads, const double *values,
                     int64_t rows, int64_t columns)
{
    OWNED_BY(text_free) text t = {0};

    csv_add_heads(&t, heads, columns);
    for (int64_t r = 0; r < rows; r++)
        csv_add_row(&t, values + r * columns, columns);
    return text_write(path, &t);
}

/* ---- tables ------------------------------------------------------------------------ */

enum {
    FLUSH = 64 << 10, /* bytes */
};
static const double flush_seconds = 1;

struct table_file {
    out_file out;
    text path, head, waiting;
    bool npy;
    int64_t columns, rows; /* rows: number of rows in an npy file */
    hash sum;              /* hash of the bytes of all rows in the file */
    double flushed;        /* time of the last flush */
};

static pav_status check_memory(const table_file *f, const text *t)
{
    if (t->failed)
        return FAIL(PAV_ENOMEM, "%s cannot be written: %s", f->path.data, pav_message());
    return PAV_OK;
}

static pav_status make_head(table_file *f, const char *const *heads)
{
    f->head.length = 0;
    if (f->npy)
        npy_add_table_header(&f->head, f->rows, f->columns);
    else
        csv_add_heads(&f->head, heads, f->columns);
    return check_memory(f, &f->head);
}

static pav_status write_head(table_file *f, const char *const *heads)
{
    TRY(make_head(f, heads));
    return f->out.written > 0 ? out_put(&f->out, f->head.data, f->head.length, 0)
                              : out_write(&f->out, f->head.data, f->head.length);
}

static pav_status start(table_file *f, const char *const *heads)
{
    TRY(out_open(&f->out, f->path.data));
    pav_status status = write_head(f, heads);
    if (status == PAV_OK)
        status = out_publish(&f->out);
    return status == PAV_OK ? PAV_OK : out_close(&f->out, status);
}

/* Makes a table without a file. */
static pav_status make_table(const char *path, int64_t columns, table_file **result)
{
    const io_format *format = io_find(path);

    if (!format)
        return PAV_EUNSUPPORTED;
    table_file *f = *result = mem_new(1, sizeof *f);
    if (!f)
        return PAV_ENOMEM;
    *f = (table_file){
        .npy = format->field, .columns = columns, .flushed = clock_seconds()};
    hash_init(&f->sum);
    text_add(&f->path, "%s", path);
    return check_memory(f, &f->path);
}

/* Hands the table over, or closes it. */
static pav_status finish_open(table_file *f, pav_status status, table_file **result)
{
    *result = status == PAV_OK ? f : NULL;
    if (status != PAV_OK)
        table_close(f);
    return status;
}

pav_status table_open(const char *path, const char *const *heads, int64_t columns,
                      table_file **result)
{
    table_file *f = NULL;
    const pav_status status = make_table(path, columns, &f);

    return finish_open(f, status == PAV_OK ? start(f, heads) : status, result);
}

static int64_t whole_rows(void *user, int64_t bytes)
{
    const table_file *f = user;
    if (f->npy)
        return bytes - bytes % (f->columns * (int64_t)sizeof(double));
    while (bytes > 0 && f->waiting.data[bytes - 1] != '\n')
        bytes--;
    return bytes;
}

/* Writes the waiting rows. On a full disk the rows with room are written, and the header
 * counts them. */
static pav_status flush(table_file *f)
{
    f->flushed = clock_seconds();
    TRY(check_memory(f, &f->waiting));
    if (f->waiting.length == 0)
        return PAV_OK;
    /* Appends waiting rows. Rows without room on the disk stay in memory for the next
     * attempt. */
    const int64_t before = f->out.written;
    const pav_status status = out_append(&f->out, f->waiting.data, f->waiting.length,
                                         whole_rows, f);
    const int64_t done = f->out.written - before;
    hash_add(&f->sum, f->waiting.data, done);
    f->waiting.length -= done;
    memmove(f->waiting.data, f->waiting.data + done, (size_t)f->waiting.length);
    if (f->npy)
        f->rows += done / (f->columns * (int64_t)sizeof(double));
    const pav_status counted = f->npy ? write_head(f, NULL) : PAV_OK;
    TRY(status);
    TRY(counted);
    /* If the file was deleted, its rows are lost; this is a failure. */
    struct stat now;
    if (fstat(fileno(f->out.file), &now) != 0 || now.st_nlink > 0)
        return PAV_OK;
    return FAIL(PAV_EIO, "%s was removed while its rows were written; they are lost",
                f->path.data);
}

pav_status table_flush(table_file *f, bool now)
{
    const bool due = f->waiting.length >= FLUSH ||
                     (f->waiting.length > 0 &&
                      clock_seconds() - f->flushed >= flush_seconds);
    return now || due ? flush(f) : PAV_OK;
}

static void add_row(const table_file *f, const double *row, text *t)
{
    if (f->npy)
        text_add_bytes(t, (const char *)row, f->columns * (int64_t)sizeof *row);
    else
        csv_add_row(t, row, f->columns);
}

pav_status table_add(table_file *f, const double *row)
{
    add_row(f, row, &f->waiting);
    TRY(check_memory(f, &f->waiting));
    return table_flush(f, false);
}

pav_status table_sync(table_file *f, int64_t *bytes, uint64_t *sum)
{
    TRY(flush(f));
    *bytes = f->out.written;
    *sum = hash_end(&f->sum);
    return out_sync(&f->out);
}

static int64_t npy_columns(const char *bytes, int64_t length)
{
    npy_header header;
    return npy_parse_header(bytes, length, &header) == PAV_OK && header.dimensions == 2 &&
                   header.kind == 'f' && header.item_size == 8
               ? header.extent[1]
               : -1;
}

/* Reads bytes of the file; free them with mem_free. If the file is too short: PAV_OK and
 * NULL. */
static pav_status read_at(const table_file *f, int64_t at, int64_t length, char **bytes)
{
    OWNED char *read = NULL;

    *bytes = NULL;
    TRY(mem_take(&read, length + 1, 1));
    if (at >= 0 && pread(fileno(f->out.file), read, (size_t)length, at) == length)
        *bytes = mem_hand_over(&read);
    return PAV_OK;
}

/* Before a restarted run appends: compares the last row counted by the checkpoint with
 * the file. Another row stands there if the table was replaced or edited in between. */
static pav_status check_last(const table_file *f, const table_state *state)
{
    OWNED_BY(text_free) text row = {0};
    OWNED char *there = NULL;
    if (state->rows == 0)
        return PAV_OK;
    add_row(f, state->last, &row);
    TRY(check_memory(f, &row));
    TRY(read_at(f, state->bytes - row.length, row.length, &there));
    if (there && memcmp(there, row.data, (size_t)row.length) == 0)
        return PAV_OK;
    return FAIL(PAV_EFORMAT,
                "row %lld of %s is not the last row of the run before the restart: the "
                "file was changed since, or that run wrote no files; bring it back, or "
                "move it away and a new one is begun",
                (long long)state->rows, f->path.data);
}

/* An earlier row may be another one, too. */
static pav_status check_rows(table_file *f, const table_state *state)
{
    enum { PIECE = 1 << 20 };
    for (int64_t at = f->head.length; at < state->bytes; at += PIECE) {
        const int64_t length = int64_least(PIECE, state->bytes - at);
        OWNED char *there = NULL;
        TRY(read_at(f, at, length, &there));
        if (there)
            hash_add(&f->sum, there, length);
    }
    return hash_end(&f->sum) == state->sum
               ? PAV_OK
               : FAIL(PAV_EFORMAT,
                      "the first %lld rows of %s are not those of the run before the "
                      "restart: the file was changed since; bring it back, or move it "
                      "away and a new one is begun",
                      (long long)state->rows, f->path.data);
}

static pav_status open_again(table_file *f, const char *const *heads,
                             const table_state *state)
{
    f->rows = state->rows;
    TRY(out_resume(&f->out, f->path.data, state->bytes));
    if (!f->out.file)
        return PAV_OK;
    /* Checks that the file begins like this table. The header of an npy file gives its
     * rows, too. */
    OWNED char *there = NULL;
    TRY(make_head(f, heads));
    TRY(read_at(f, 0, f->head.length, &there));
    const bool same = there &&
                      (f->npy ? npy_columns(there, f->head.length) == f->columns
                              : memcmp(there, f->head.data, (size_t)f->head.length) == 0);
    TRY(same ? PAV_OK
             : FAIL(PAV_EFORMAT,
                    "%s is not the table that the run wrote which is gone on with: its "
                    "columns differ; move it away and a new one is begun",
                    f->path.data));
    TRY(check_last(f, state));
    TRY(check_rows(f, state));
    if (f->npy)
        TRY(write_head(f, NULL));
    return out_cut(&f->out);
}

pav_status table_resume(const char *path, const char *const *heads, int64_t columns,
                        const table_state *state, table_file **result)
{
    table_file *f = NULL;
    pav_status status = make_table(path, columns, &f);

    if (status == PAV_OK)
        status = open_again(f, heads, state);
    TRY(finish_open(f, status, result));
    if (!f->out.file) {
        table_close(f);
        *result = NULL;
    }
    return PAV_OK;
}

const char *table_path(const table_file *f)
{
    return f->path.data;
}

void table_close(table_file *f)
{
    if (!f)
        return;
    if (f->out.file)
        (void)out_close(&f->out, flush(f));
    TEXT_FREE_ALL(&f->path, &f->head, &f->waiting);
    mem_free(f);
}
