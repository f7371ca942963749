/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads HDF5 files: values of fields from any numeric dataset, piece by piece, and
 * tables. */
#include <string.h>

#include "io/io_private.h"

enum {
    CLASS_INTEGER = 0,
    CLASS_FLOAT = 1,
    MOST_DIMENSIONS = 32 /* of a dataset */
};

bool path_is_h5(const char *path)
{
    const char *ending = path_ending(path);
    const bool npy = strcmp(ending, ".npy") == 0 || strcmp(ending, ".npy.zst") == 0;

    return strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0 ||
           (strstr(path, ":/") && !npy);
}

typedef struct h5_input {
    const hdf5 *h;
    const char *path;        /* "model.h5:/vp" */
    char *file;              /* "model.h5" ... */
    const char *name;        /* ... and "/vp" */
    int64_t id, data, space; /* less than 0: not open */
} h5_input;

/* Splits the path at its last ":/". */
static pav_status split(h5_input *in)
{
    const char *colon = NULL;
    text file = {0};

    for (const char *at = strstr(in->path, ":/"); at; at = strstr(at + 1, ":/"))
        colon = at;
    if (!colon || !colon[2])
        return FAIL(
            PAV_EFORMAT,
            "%s: which dataset of the HDF5 file? write its name behind a colon, as "
            "in \"model.h5:/vp\"",
            in->path);
    text_add_bytes(&file, in->path, colon - in->path);
    in->name = colon + 1;
    return text_take(&file, &in->file);
}

static pav_status open_input(h5_input *in)
{
    const hdf5 *h = in->h;
    const char *odd = file_oddity(in->file);

    if (odd)
        return FAIL(PAV_EIO, "%s cannot be read: %s", in->file, odd);
    in->id = h->file_open(in->file, 0, 0);
    if (in->id < 0)
        return hdf5_failed(in->file, "opened as an HDF5 file");
    in->data = h->data_open(in->id, in->name, 0);
    if (in->data < 0)
        return FAIL(PAV_EFORMAT, "%s has no dataset %s", in->file, in->name);
    const int64_t type = h->data_type(in->data);
    const int kind = h->type_class(type);
    (void)h->type_close(type);
    if (kind != CLASS_INTEGER && kind != CLASS_FLOAT)
        return FAIL(PAV_EFORMAT, "%s holds no numbers; whole and real ones can be read",
                    in->path);
    in->space = h->data_space(in->data);
    return in->space < 0 ? hdf5_failed(in->path, "read") : PAV_OK;
}

static void close_input(const h5_input *in)
{
    if (in->space >= 0)
        (void)in->h->space_close(in->space);
    if (in->data >= 0)
        (void)in->h->data_close(in->data);
    if (in->id >= 0)
        (void)in->h->file_close(in->id);
}

/* Extents, slowest first. */
static pav_status find_extents(const h5_input *in, int *count,
                               int64_t extent[MOST_DIMENSIONS])
{
    uint64_t found[MOST_DIMENSIONS] = {0};

    *count = in->h->space_dimensions(in->space);
    if (*count < 0 || *count > MOST_DIMENSIONS ||
        in->h->space_extent(in->space, found, NULL) < 0)
        return hdf5_failed(in->path, "read");
    for (int d = 0; d < *count; d++)
        extent[d] = (int64_t)found[d];
    return PAV_OK;
}

static pav_status check_shape(const h5_input *in, int dimensions, const view *v)
{
    int64_t extent[MOST_DIMENSIONS] = {0};
    int count = 0;

    TRY(find_extents(in, &count, extent));
    return shape_check(in->path, count, extent, dimensions, v);
}

static void write_piece(const view *v, const box *b, double *values)
{
    const int64_t count = (b->hi[0] - b->lo[0]) * (b->hi[1] - b->lo[1]);

    for (int64_t n = 0; v->type == PAV_U8 && n < count; n++)
        values[n] = values[n] != 0; /* a mask; NaN is not 0 */
    view_write_box(v, b, PAV_F64, values);
}

static pav_status read_pieces(const h5_input *in, int dimensions, const view *v,
                              double *values, progress_sink *a)
{
    const hdf5 *h = in->h;

    for (box b = {0}; h5_next_piece(v->extent, &b);) {
        const int64_t memory = h5_select_piece(h, in->space, dimensions, &b);
        const bool good = memory >= 0 && h->data_read(in->data, h->type_f64, memory,
                                                      in->space, 0, values) >= 0;
        if (memory >= 0)
            (void)h->space_close(memory);
        if (!good)
            return hdf5_failed(in->path, "read");
        write_piece(v, &b, values);
        TRY(progress_add(a, (b.hi[0] - b.lo[0]) * (b.hi[1] - b.lo[1])));
    }
    return PAV_OK;
}

static pav_status read_all(h5_input *in, int dimensions, const view *v, progress_sink *a)
{
    TRY(open_input(in));
    TRY(check_shape(in, dimensions, v));
    double *values = mem_new(H5_PIECE, sizeof *values);
    const pav_status status = values ? read_pieces(in, dimensions, v, values, a)
                                     : PAV_ENOMEM;
    mem_free(values);
    return status;
}

static pav_status open_library(h5_input *in, const char *path)
{
    *in = (h5_input){.path = path, .id = -1, .data = -1, .space = -1};
    TRY(split(in));
    const pav_status status = hdf5_enter(path, &in->h);
    if (status != PAV_OK)
        mem_free(in->file);
    return status;
}

static void close_library(const h5_input *in)
{
    close_input(in);
    hdf5_leave();
    mem_free(in->file);
}

pav_status h5_read_view(const char *path, int dimensions, const view *v, progress_sink *a)
{
    h5_input in;

    TRY(open_library(&in, path));
    const pav_status status = read_all(&in, dimensions, v, a);
    close_library(&in);
    return status;
}

/* ---- tables ------------------------------------------------------------------------ */

static pav_status read_table(h5_input *in, int columns, int64_t row_limit,
                             double **values, int64_t *rows)
{
    enum { WHOLE = 0 /* H5S_ALL */ };
    int64_t extent[MOST_DIMENSIONS] = {0};
    int count = 0;

    TRY(open_input(in));
    TRY(find_extents(in, &count, extent));
    if (count < 1 || count > 2 || (count == 2 ? extent[1] : 1) != columns)
        return FAIL(PAV_EFORMAT,
                    "%s has %d dimensions, the last one of %lld values; rows of %d are "
                    "needed, shape (rows, %d)",
                    in->path, count, (long long)(count > 0 ? extent[count - 1] : 0),
                    columns, columns);
    if (extent[0] > row_limit)
        return FAIL(PAV_ELIMIT, "%s has %lld rows; at most %lld are read", in->path,
                    (long long)extent[0], (long long)row_limit);
    *rows = extent[0];
    *values = mem_new(*rows * columns + 1, sizeof **values);
    if (!*values)
        return PAV_ENOMEM;
    return in->h->data_read(in->data, in->h->type_f64, WHOLE, WHOLE, 0, *values) < 0
               ? hdf5_failed(in->path, "read")
               : PAV_OK;
}

pav_status h5_read_table(const char *path, int columns, int64_t row_limit,
                         double **values, int64_t *rows)
{
    h5_input in;

    *values = NULL;
    *rows = 0;
    TRY(open_library(&in, path));
    const pav_status status = read_table(&in, columns, row_limit, values, rows);
    close_library(&in);
    return status;
}
