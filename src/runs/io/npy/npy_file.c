/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes npy files. */
#include "io/io_private.h"

/* ---- reading ----------------------------------------------------------------------- */

/* Reads npy files in their own order, piece by piece, so a file may be larger than
 * memory. */

enum {
    PIECE = LINE_PIECE /* values */
};

typedef struct npy_file {
    const char *path;
    in_file in;
    npy_header header;
    int64_t done; /* values read so far */
} npy_file;

/* ---- opening ----------------------------------------------------------------------- */

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

static pav_status open_stream(npy_file *f)
{
    OWNED_BY(text_free) text bytes = {0};

    char prefix[NPY_PREFIX];
    int64_t got, dictionary, data;

    TRY(in_read(&f->in, prefix, sizeof prefix, &got));
    if (npy_prefix(prefix, got, &dictionary, &data) != PAV_OK)
        return FAIL(PAV_EFORMAT, "%s: %s", f->path, pav_message());
    text_add_bytes(&bytes, prefix, got);
    while (bytes.length < data && got > 0 && !bytes.failed) {
        char piece[PIECE];
        const int64_t left = data - bytes.length;
        TRY(in_read(&f->in, piece, left < PIECE ? left : PIECE, &got));
        text_add_bytes(&bytes, piece, got);
    }
    TRY(bytes.failed ? FAIL(PAV_ENOMEM, "%s cannot be read: %s", f->path, pav_message())
                     : PAV_OK);
    const pav_status status = npy_parse_header(bytes.data, bytes.length, &f->header);
    return status == PAV_OK ? check_size(f)
                            : FAIL(status, "%s: %s", f->path, pav_message());
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

/* After the last value a compressed file must end. Reading its end verifies the
 * checksum. */
static pav_status close_npy(npy_file *f, pav_status status)
{
    int64_t got = 0;
    char more;

    if (status == PAV_OK && f->done == f->header.count && f->in.unpacker)
        status = in_read(&f->in, &more, 1, &got);
    if (status == PAV_OK && got > 0)
        status = FAIL(PAV_EFORMAT, "%s has bytes behind the data that its header states",
                      f->path);
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
    npy_file *f = file;

    if (values)
        return read_values(f, values, count);
    f->done += count;
    return in_skip(&f->in, count * f->header.item_size);
}

static pav_status next_of_mask(void *file, double *values, int64_t count)
{
    TRY(next_values(file, values, count));
    for (int64_t n = 0; values && n < count; n++)
        values[n] = values[n] != 0; /* NaN is not 0 */
    return PAV_OK;
}

/* In C order lines run along x, then y, then z; in Fortran order along the last axis
 * first. */
pav_status field_read_part(const char *path, int dimensions, const view *v,
                           const box *part, progress_sink *a)
{
    int axis[PAV_MAX_DIMENSIONS] = {0, 1, 2};
    npy_file f;

    TRY(open_npy(path, &f));
    for (int k = 0; k < dimensions && f.header.fortran; k++)
        axis[k] = dimensions - 1 - k;
    pav_status status = shape_check(path, f.header.dimensions, f.header.extent,
                                    dimensions, v);
    if (status == PAV_OK)
        status = lines_read(v, part, axis, v->type == PAV_U8 ? next_of_mask : next_values,
                            &f, a);
    return close_npy(&f, status);
}

pav_status npy_read_view(const char *path, int dimensions, const view *v,
                         progress_sink *a)
{
    return field_read_part(path, dimensions, v, NULL, a);
}

/* ---- tables ------------------------------------------------------------------------ */

static pav_status check_table(const npy_file *f, int columns, int64_t row_limit)
{
    const npy_header *h = &f->header;
    const bool list = h->dimensions == 1 && columns == 1;
    OWNED_BY(text_free) text t = {0};

    if (!list && (h->dimensions != 2 || h->extent[1] != columns)) {
        text_add_extent(&t, h->dimensions, h->extent);
        return FAIL(PAV_EFORMAT,
                    "%s does not fit: its shape is %s, but (n, %d) is needed", f->path,
                    t.length > 0 ? t.data : "that of a single value", columns);
    }
    if (h->extent[0] > row_limit)
        return FAIL(PAV_ELIMIT, "%s has %lld rows; at most %lld are read", f->path,
                    (long long)h->extent[0], (long long)row_limit);
    return PAV_OK;
}

/* Reads a table. In Fortran order the file holds one column after another. */
static pav_status read_table(npy_file *f, int columns, int64_t rows, double *table)
{
    const bool fortran = f->header.fortran;
    double values[PIECE] = {0};

    while (f->done < f->header.count) {
        const int64_t first = f->done,
                      count = int64_least(f->header.count - first, PIECE);
        TRY(read_values(f, values, count));
        for (int64_t n = 0; n < count; n++) {
            const int64_t at = first + n;
            table[fortran ? at % rows * columns + at / rows : at] = values[n];
        }
    }
    return PAV_OK;
}

pav_status npy_read_table(const char *path, int columns, int64_t row_limit,
                          double **values, int64_t *rows)
{
    OWNED double *table = NULL;
    npy_file f;

    *values = NULL;
    *rows = 0;
    TRY(open_npy(path, &f));
    const int64_t found = f.header.extent[0];
    pav_status status = check_table(&f, columns, row_limit);
    if (status == PAV_OK) {
        table = mem_new(f.header.count, sizeof *table);
        status = table ? read_table(&f, columns, found, table) : PAV_ENOMEM;
    }
    TRY(close_npy(&f, status));
    *values = mem_hand_over(&table);
    *rows = found;
    return PAV_OK;
}

/* ---- writing ----------------------------------------------------------------------- */

/* Writing npy files, version 1.0, in C order: x is the last axis of the shape. */

enum {
    WRITE_PIECE = 4096, /* values */
    ALIGNMENT = 64,     /* alignment of the data in the file, like NumPy */
};

/* f16 is kept, unlike in other formats. */
static pav_type type_of(const io_frame *f)
{
    return f->type == PAV_F16 ? PAV_F16 : frame_kept_type(f);
}

static void add_header(text *whole, pav_type type, int dimensions, const int64_t *extent)
{
    const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    const int size = (int)pav_type_size(type);
    char name[16], header[NPY_HEADER];

    (void)snprintf(name, sizeof name, "%c%c%d", size == 1 ? '|' : order,
                   size == 1 ? 'u' : 'f', size);
    text_add_bytes(whole, header, npy_header_text(header, name, dimensions, extent));
}

/* The header has a constant length: with two extents of any 64-bit values its end lies
 * between the first and the second multiple of the alignment. */
void npy_add_table_header(text *t, int64_t rows, int64_t columns)
{
    add_header(t, PAV_F64, 2, (const int64_t[]){rows, columns});
}

/* Writes the header of a frame. Returns the size of the whole file. */
static pav_status write_header(out_file *o, const io_frame *f, int64_t *whole)
{
    int64_t extent[PAV_MAX_DIMENSIONS] = {0};
    OWNED_BY(text_free) text t = {0};

    for (int d = 0; d < f->dimensions; d++)
        extent[d] = f->extent[f->dimensions - 1 - d];
    add_header(&t, type_of(f), f->dimensions, extent);
    *whole = t.length + frame_count(f) * (int64_t)pav_type_size(type_of(f));
    return out_write_text(o, &t);
}

static pav_status begin_npy(out_file *o, const io_frame *f, pav_type *type,
                            int64_t *first)
{
    int64_t whole;

    *type = type_of(f);
    TRY(write_header(o, f, &whole));
    *first = o->written;
    return out_reserve(o, whole);
}

static pav_status fill_npy(out_file *o, const io_frame *f)
{
    int64_t whole;

    TRY(write_header(o, f, &whole));
    if (!o->packer)
        TRY(out_reserve(o, whole));
    return out_write_values(o, f, type_of(f));
}

pav_status npy_write_view(const char *path, int dimensions, const view *v)
{
    const io_frame f = frame_of_view(v, dimensions);

    return frame_write(path, fill_npy, &f);
}

static pav_status write_table(out_file *o, const double *values, int64_t rows,
                              int64_t columns)
{
    OWNED_BY(text_free) text t = {0};
    int64_t bytes;

    if (!mul_fits(rows, columns, &bytes) ||
        !mul_fits(bytes, (int64_t)sizeof *values, &bytes))
        return FAIL(PAV_ELIMIT, "%s: a table of %lld rows of %lld is beyond 64 bits",
                    o->shown, (long long)rows, (long long)columns);
    npy_add_table_header(&t, rows, columns);
    TRY(out_write_text(o, &t));
    return out_write(o, values, bytes);
}

pav_status npy_write_table(const char *path, const double *values, int64_t rows,
                           int64_t columns)
{
    out_file o;

    TRY(out_open(&o, path));
    return out_close(&o, write_table(&o, values, rows, columns));
}

static frame_need need_npy(const io_frame *f)
{
    const int64_t size = (int64_t)pav_type_size(type_of(f));

    return (frame_need){WRITE_PIECE * (int64_t)sizeof(double),
                        frame_count(f) * size + 2 * ALIGNMENT, true};
}

const io_format npy_format = {
    .ending = ".npy",
    .about = "NumPy array",
    .field = true,
    .table = true,
    .fill = fill_npy,
    .begin = begin_npy,
    .need = need_npy,
};

static pav_status fill_npy_zst(out_file *o, const io_frame *f)
{
    TRY(out_pack(o));
    return fill_npy(o, f);
}

static frame_need need_npy_zst(const io_frame *f)
{
    return packed_need(need_npy(f));
}

const io_format npy_zst_format = {
    .ending = ".npy.zst",
    .about = "the same, packed by zstd",
    .field = true,
    .fill = fill_npy_zst,
    .need = need_npy_zst,
    .missing = zstd_missing,
};
