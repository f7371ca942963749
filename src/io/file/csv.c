/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma-separated values (RFC 4180, but lines end in a newline alone): a line of names,
 * then the rows. Numbers do not depend on the locale. */
#include <string.h>

#include "io/io_private.h"

enum {
    FLUSH = 64 << 10 /* bytes collected before they are written */
};

static void add_name(text *t, const char *name)
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

void csv_add_heads(text *t, const char *const *heads, int64_t columns)
{
    for (int64_t c = 0; c < columns; c++) {
        text_add_bytes(t, ",", c > 0);
        add_name(t, heads[c]);
    }
    text_add_bytes(t, "\n", 1);
}

void csv_add_row(text *t, const double *values, int64_t columns)
{
    for (int64_t c = 0; c < columns; c++) {
        text_add_bytes(t, ",", c > 0);
        text_add_double(t, values[c]);
    }
    text_add_bytes(t, "\n", 1);
}

static pav_status flush(out_file *o, text *t)
{
    if (t->failed)
        return FAIL(PAV_ENOMEM, "%s cannot be written: %s", o->shown, pav_message());
    TRY(out_write(o, t->data, t->length));
    t->length = 0;
    return PAV_OK;
}

static pav_status write_rows(out_file *o, text *t, const double *values, int64_t rows,
                             int64_t columns)
{
    for (int64_t r = 0; r < rows; r++) {
        csv_add_row(t, values + r * columns, columns);
        if (t->length >= FLUSH)
            TRY(flush(o, t));
    }
    return flush(o, t);
}

pav_status csv_write(const char *path, const char *const *heads, const double *values,
                     int64_t rows, int64_t columns)
{
    out_file o;
    text t = {0};

    TRY(out_open(&o, path));
    csv_add_heads(&t, heads, columns);
    const pav_status status = write_rows(&o, &t, values, rows, columns);
    text_free(&t);
    return out_close(&o, status);
}
