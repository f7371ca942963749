/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing npy files, version 1.0, in C order: x is the last axis of the shape. */
#include "io/io_private.h"

enum {
    PIECE = 4096,   /* values */
    ALIGNMENT = 64, /* alignment of the data in the file, like NumPy */
    BEFORE = 10,    /* bytes before the dictionary */
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
    double values[PIECE];

    for (int64_t i = 0; i < f->extent[0]; i += PIECE) {
        const int64_t left = f->extent[0] - i, count = left < PIECE ? left : PIECE;
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

    return (frame_need){PIECE * (int64_t)sizeof(double),
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
