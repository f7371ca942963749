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

/* ---- writing ----------------------------------------------------------------------- */

/* Writing npy files, version 1.0, in C order: x is the last axis of the shape. */

enum {
    WRITE_PIECE = 4096, /* values */
    ALIGNMENT = 64,     /* alignment of the data in the file, like NumPy */
    BEFORE = 10,        /* bytes before the dictionary */
};

/* The stored type of values and its name in the file. */
struct npy_type {
    pav_type type;
    const char *name;
};
static const struct npy_type types[] = {
    [PAV_F32] = {PAV_F32, "f4"},  [PAV_F64] = {PAV_F64, "f8"},
    [PAV_BF16] = {PAV_F32, "f4"}, [PAV_F16] = {PAV_F16, "f2"},
    [PAV_U8] = {PAV_U8, "u1"},
};

static char byte_order(pav_type type)
{
    if (pav_type_size(type) == 1)
        return '|';
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
}

/* Writes the header. The extents are in the file's order, slowest first. */
static void add_header(text *whole, const struct npy_type *type, int dimensions,
                       const int64_t *extent)
{
    text t = {0};

    text_add(&t, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
             byte_order(type->type), type->name);
    for (int d = 0; d < dimensions; d++)
        text_add(&t, "%s%lld", d > 0 ? ", " : "", (long long)extent[d]);
    text_add(&t, "%s), }", dimensions == 1 ? "," : "");
    while ((BEFORE + t.length + 1) % ALIGNMENT != 0 && !t.failed)
        text_add(&t, " ");
    text_add(&t, "\n");
    const char prefix[BEFORE] = {'\x93',
                                 'N',
                                 'U',
                                 'M',
                                 'P',
                                 'Y',
                                 1,
                                 0,
                                 (char)(t.length % 256),
                                 (char)(t.length / 256)};
    text_add_bytes(whole, prefix, sizeof prefix);
    text_add_bytes(whole, t.data, t.failed ? 0 : t.length);
    whole->failed |= t.failed;
    text_free(&t);
}

/* The header has a constant length: with two extents of any 64-bit values its end lies
 * between the first and the second multiple of the alignment. */
void npy_add_table_header(text *t, int64_t rows, int64_t columns)
{
    add_header(t, &types[PAV_F64], 2, (const int64_t[]){rows, columns});
}

static pav_status write_header(out_file *o, const struct npy_type *type, int dimensions,
                               const int64_t *extent)
{
    text t = {0};

    add_header(&t, type, dimensions, extent);
    const pav_status status = t.failed ? PAV_ENOMEM : out_write(o, t.data, t.length);
    text_free(&t);
    return status;
}

static void shape_of(const io_frame *f, int64_t extent[PAV_MAX_DIMENSIONS])
{
    for (int d = 0; d < f->dimensions; d++)
        extent[d] = f->extent[f->dimensions - 1 - d];
}

static pav_status begin_npy(out_file *o, const io_frame *f, pav_type *type,
                            int64_t *first)
{
    int64_t extent[PAV_MAX_DIMENSIONS] = {0};
    shape_of(f, extent);
    *type = types[f->type].type;
    TRY(write_header(o, &types[f->type], f->dimensions, extent));
    *first = o->written;
    return out_reserve(o, *first + frame_count(f) * (int64_t)pav_type_size(*type));
}

static pav_status write_row(out_file *o, const io_frame *f, pav_type type, int64_t j,
                            int64_t k)
{
    double values[WRITE_PIECE];

    for (int64_t i = 0; i < f->extent[0]; i += WRITE_PIECE) {
        const int64_t left = f->extent[0] - i,
                      count = left < WRITE_PIECE ? left : WRITE_PIECE;
        frame_read(f, i, j, k, count, type, values);
        TRY(out_write(o, values, count * (int64_t)pav_type_size(type)));
    }
    return PAV_OK;
}

static pav_status write_frame(out_file *o, const io_frame *f)
{
    const struct npy_type *type = &types[f->type];
    int64_t extent[PAV_MAX_DIMENSIONS] = {0};

    shape_of(f, extent);
    TRY(write_header(o, type, f->dimensions, extent));
    if (!o->packer)
        TRY(out_reserve(o, o->written +
                               frame_count(f) * (int64_t)pav_type_size(type->type)));
    for (int64_t k = 0; k < f->extent[2]; k++)
        for (int64_t j = 0; j < f->extent[1]; j++)
            TRY(write_row(o, f, type->type, j, k));
    return PAV_OK;
}

static pav_status write_file(const char *path, const io_frame *f)
{
    out_file o;

    TRY(out_open(&o, path));
    return out_close(&o, write_frame(&o, f));
}

pav_status npy_write_view(const char *path, int dimensions, const view *v)
{
    const io_frame f = frame_of_view(v, dimensions);

    return write_file(path, &f);
}

static pav_status write_table(out_file *o, const double *values, int64_t rows,
                              int64_t columns)
{
    const int64_t extent[] = {rows, columns};
    int64_t bytes;

    if (!mul_fits(rows, columns, &bytes) ||
        !mul_fits(bytes, (int64_t)sizeof *values, &bytes))
        return FAIL(PAV_ELIMIT, "%s: a table of %lld rows of %lld is beyond 64 bits",
                    o->shown, (long long)rows, (long long)columns);
    TRY(write_header(o, &types[PAV_F64], 2, extent));
    return out_write(o, values, bytes);
}

pav_status npy_write_table(const char *path, const double *values, int64_t rows,
                           int64_t columns)
{
    out_file o;

    TRY(out_open(&o, path));
    return out_close(&o, write_table(&o, values, rows, columns));
}

static pav_status write_npy(series *s, const char *path, const io_frame *f)
{
    (void)s;
    return write_file(path, f);
}

static frame_need need_npy(const io_frame *f)
{
    const int64_t size = (int64_t)pav_type_size(types[f->type].type);

    return (frame_need){WRITE_PIECE * (int64_t)sizeof(double),
                        frame_count(f) * size + 2 * ALIGNMENT, true};
}

const io_format npy_format = {
    .ending = ".npy",
    .about = "NumPy array",
    .field = true,
    .table = true,
    .write = write_npy,
    .begin = begin_npy,
    .need = need_npy,
};

static pav_status write_npy_zst(series *s, const char *path, const io_frame *f)
{
    out_file o;

    (void)s;
    TRY(out_open(&o, path));
    const pav_status status = out_pack(&o);
    return out_close(&o, status == PAV_OK ? write_frame(&o, f) : status);
}

static frame_need need_npy_zst(const io_frame *f)
{
    return packed_need(need_npy(f));
}

const io_format npy_zst_format = {
    .ending = ".npy.zst",
    .about = "the same, packed by zstd",
    .field = true,
    .write = write_npy_zst,
    .need = need_npy_zst,
    .missing = zstd_missing,
};
