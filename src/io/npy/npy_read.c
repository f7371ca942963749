/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads npy files in their own order, piece by piece, so a file may be larger than
 * memory. */
#include "io/io_private.h"

enum {
    PIECE = LINE_PIECE /* values */
};

typedef struct npy_file {
    const char *path;
    in_file in;
    npy_header header;
    int64_t done;    /* values read so far */
    const box *part; /* the box to read; NULL: everything */
} npy_file;

/* ---- opening ----------------------------------------------------------------------- */

static pav_status read_prefix(npy_file *f, text *bytes)
{
    char prefix[NPY_PREFIX];
    int64_t got, dictionary, data;

    TRY(in_read(&f->in, prefix, sizeof prefix, &got));
    if (npy_prefix(prefix, got, &dictionary, &data) != PAV_OK)
        return FAIL(PAV_EFORMAT, "%s: %s", f->path, pav_message());
    text_add_bytes(bytes, prefix, got);
    while (bytes->length < data && got > 0 && !bytes->failed) {
        char piece[PIECE];
        const int64_t left = data - bytes->length;
        TRY(in_read(&f->in, piece, left < PIECE ? left : PIECE, &got));
        text_add_bytes(bytes, piece, got);
    }
    return bytes->failed
               ? FAIL(PAV_ENOMEM, "%s cannot be read: %s", f->path, pav_message())
               : PAV_OK;
}

/* Checks the size of the file. A compressed file has no size to check; it is found too
 * short at its end. */
static pav_status check_size(const npy_file *f)
{
    const npy_header *h = &f->header;
    const int64_t needed = h->data_offset + h->count * h->item_size;
    int64_t there;

    TRY(in_size(&f->in, &there));
    if (there < 0 || there == needed)
        return PAV_OK;
    if (there < needed)
        return FAIL(PAV_EFORMAT,
                    "%s is cut short: it has %lld bytes, its header needs %lld", f->path,
                    (long long)there, (long long)needed);
    return FAIL(PAV_EFORMAT, "%s has %lld bytes behind the data that its header states",
                f->path, (long long)(there - needed));
}

/* After the last value: a compressed file must end here. Reading its end verifies the
 * checksum. */
static pav_status check_end(npy_file *f)
{
    char more;
    int64_t got;

    if (!f->in.unpacker)
        return PAV_OK;
    TRY(in_read(&f->in, &more, 1, &got));
    return got == 0
               ? PAV_OK
               : FAIL(PAV_EFORMAT, "%s has bytes behind the data that its header states",
                      f->path);
}

static pav_status open_stream(npy_file *f)
{
    text bytes = {0};
    pav_status status = read_prefix(f, &bytes);

    if (status == PAV_OK) {
        status = npy_parse_header(bytes.data, bytes.length, &f->header);
        if (status != PAV_OK)
            status = FAIL(status, "%s: %s", f->path, pav_message());
    }
    text_free(&bytes);
    return status == PAV_OK ? check_size(f) : status;
}

static pav_status open_npy(const char *path, npy_file *f)
{
    *f = (npy_file){.path = path};
    TRY(in_open(&f->in, path));
    const pav_status status = open_stream(f);
    if (status != PAV_OK)
        in_close(&f->in);
    return status;
}

static pav_status close_npy(npy_file *f, pav_status status)
{
    if (status == PAV_OK && f->done == f->header.count)
        status = check_end(f);
    in_close(&f->in);
    return status;
}

pav_status npy_read_header(const char *path, npy_header *header)
{
    npy_file f;

    *header = (npy_header){0};
    TRY(open_npy(path, &f));
    *header = f.header;
    in_close(&f.in);
    return PAV_OK;
}

/* ---- values ------------------------------------------------------------------------ */

/* The next `count` values, PIECE at most. */
static pav_status read_values(npy_file *f, double *values, int64_t count)
{
    char bytes[PIECE * sizeof(double)];
    const int64_t length = count * f->header.item_size;
    int64_t got;

    TRY(in_read(&f->in, bytes, length, &got));
    if (got < length)
        return FAIL(PAV_EFORMAT, "%s is cut short: it has %lld of %lld values", f->path,
                    (long long)(f->done + got / f->header.item_size),
                    (long long)f->header.count);
    for (int64_t n = 0; n < count; n++)
        values[n] = npy_value(&f->header, bytes + n * f->header.item_size);
    f->done += count;
    return PAV_OK;
}

/* ---- views ------------------------------------------------------------------------- */

static pav_status next_values(void *file, double *values, int64_t count)
{
    return read_values(file, values, count);
}

static pav_status next_of_mask(void *file, double *values, int64_t count)
{
    TRY(read_values(file, values, count));
    for (int64_t n = 0; n < count; n++)
        values[n] = values[n] != 0; /* NaN is not 0 */
    return PAV_OK;
}

static pav_status skip(npy_file *f, int64_t count)
{
    TRY(in_skip(&f->in, count * f->header.item_size));
    f->done += count;
    return PAV_OK;
}

/* Reads a line along the axis contiguous in the file, starting at `from`. */
static pav_status read_line(npy_file *f, const view *v, int axis, const int64_t *from,
                            progress_sink *a)
{
    const span_of_line of = span_in_part(v, f->part, axis, from);

    TRY(skip(f, of.lo));
    TRY(line_fill(v, axis, from, &of, v->type == PAV_U8 ? next_of_mask : next_values, f,
                  a));
    return skip(f, v->extent[axis] - of.hi);
}

/* Reads all lines. In C order lines run along x, then y, then z; in Fortran order along
 * the last axis first. */
static pav_status read_lines(npy_file *f, int dimensions, const view *v, progress_sink *a)
{
    const bool fortran = f->header.fortran;
    const int fast = fortran ? dimensions - 1 : 0;
    const int slow = fortran ? 0 : dimensions - 1;
    const int middle = dimensions == 3 ? 1 : 2; /* an axis of extent 1 below 3-D */
    int64_t from[PAV_MAX_DIMENSIONS] = {0};

    for (int64_t k = 0; k < (fast == slow ? 1 : v->extent[slow]); k++)
        for (int64_t j = 0; j < v->extent[middle]; j++) {
            from[slow] = k;
            from[middle] = j;
            TRY(read_line(f, v, fast, from, a));
        }
    return PAV_OK;
}

pav_status npy_read_part(const char *path, int dimensions, const view *v, const box *part,
                         progress_sink *a)
{
    npy_file f;

    TRY(open_npy(path, &f));
    f.part = part;
    const pav_status status = shape_check(path, f.header.dimensions, f.header.extent,
                                          dimensions, v);
    return close_npy(&f, status == PAV_OK ? read_lines(&f, dimensions, v, a) : status);
}

pav_status npy_read_view(const char *path, int dimensions, const view *v,
                         progress_sink *a)
{
    return npy_read_part(path, dimensions, v, NULL, a);
}

/* ---- tables ------------------------------------------------------------------------ */

static pav_status check_table(const npy_file *f, int columns, int64_t row_limit,
                              int64_t *rows)
{
    const npy_header *h = &f->header;
    const bool list = h->dimensions == 1 && columns == 1;

    if (!list && (h->dimensions != 2 || h->extent[1] != columns)) {
        text t = {0};
        text_add_extent(&t, h->dimensions, h->extent);
        const pav_status status = FAIL(
            PAV_EFORMAT, "%s does not fit: its shape is %s, but (n, %d) is needed",
            f->path, t.length > 0 ? t.data : "that of a single value", columns);
        text_free(&t);
        return status;
    }
    if (h->extent[0] > row_limit)
        return FAIL(PAV_ELIMIT, "%s has %lld rows; at most %lld are read", f->path,
                    (long long)h->extent[0], (long long)row_limit);
    *rows = h->extent[0];
    return PAV_OK;
}

/* Reads a table. In Fortran order the file holds one column after another. */
static pav_status read_table(npy_file *f, int columns, int64_t rows, double *table)
{
    const bool fortran = f->header.fortran;
    const int64_t inner = fortran ? rows : columns;
    int64_t slow = 0, fast = 0;
    double values[PIECE] = {0};

    while (f->done < f->header.count) {
        const int64_t left = f->header.count - f->done,
                      count = left < PIECE ? left : PIECE;
        TRY(read_values(f, values, count));
        for (int64_t n = 0; n < count; n++) {
            table[fortran ? fast * columns + slow : slow * columns + fast] = values[n];
            if (++fast == inner) {
                fast = 0;
                slow++;
            }
        }
    }
    return PAV_OK;
}

pav_status npy_read_table(const char *path, int columns, int64_t row_limit,
                          double **values, int64_t *rows)
{
    npy_file f;
    int64_t found = 0;

    *values = NULL;
    *rows = 0;
    TRY(open_npy(path, &f));
    pav_status status = check_table(&f, columns, row_limit, &found);
    double *table = status == PAV_OK ? mem_new(f.header.count, sizeof *table) : NULL;
    if (status == PAV_OK)
        status = table ? read_table(&f, columns, found, table) : PAV_ENOMEM;
    status = close_npy(&f, status);
    if (status == PAV_OK) {
        *values = table;
        *rows = found;
    } else {
        mem_free(table);
    }
    return status;
}
