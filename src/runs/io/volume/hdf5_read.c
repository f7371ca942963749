/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads HDF5 files: values of fields from any numeric dataset, piece by piece, and
 * tables. */
#include <assert.h>
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

static pav_status open_input(h5_input *in)
{
    const hdf5 *h = in->h;
    const char *odd = file_oddity(in->file);

    assert(h); /* HDF5 is loaded */
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

/* Extents, slowest first. */
static pav_status find_extents(const h5_input *in, int *count,
                               int64_t extent[MOST_DIMENSIONS])
{
    uint64_t found[MOST_DIMENSIONS] = {0};

    assert(in->h); /* open_input has succeeded */
    *count = in->h->space_dimensions(in->space);
    if (*count < 0 || *count > MOST_DIMENSIONS ||
        in->h->space_extent(in->space, found, NULL) < 0)
        return hdf5_failed(in->path, "read");
    for (int d = 0; d < *count; d++)
        extent[d] = (int64_t)found[d];
    return PAV_OK;
}

static pav_status read_pieces(const h5_input *in, const view *v, progress_sink *a)
{
    const hdf5 *h = in->h;
    OWNED_NEW(double, values, H5_PIECE);
    for (box b = {0}; h5_next_piece(v->extent, &b);) {
        const int64_t count = (b.hi[0] - b.lo[0]) * (b.hi[1] - b.lo[1]);
        const int64_t memory = h5_select_piece(h, in->space, &b);
        const bool good = memory >= 0 && h->data_read(in->data, h->type_f64, memory,
                                                      in->space, 0, values) >= 0;
        h5_close(h->space_close, memory);
        if (!good)
            return hdf5_failed(in->path, "read");
        for (int64_t n = 0; v->type == PAV_U8 && n < count; n++)
            values[n] = values[n] != 0; /* a mask; NaN is not 0 */
        view_write_box(v, &b, PAV_F64, values);
        TRY(progress_add(a, count));
    }
    return PAV_OK;
}

/* Splits the path at its last ":/", and enters the library. */
static pav_status open_library(h5_input *in, const char *path)
{
    const char *colon = NULL;

    *in = (h5_input){.path = path, .id = -1, .data = -1, .space = -1};
    for (const char *at = strstr(path, ":/"); at; at = strstr(at + 1, ":/"))
        colon = at;
    if (!colon || !colon[2])
        return FAIL(
            PAV_EFORMAT,
            "%s: which dataset of the HDF5 file? write its name behind a colon, as "
            "in \"model.h5:/vp\"",
            path);
    in->name = colon + 1;
    TRY(text_copy_bytes(path, colon - path, &in->file));
    return hdf5_enter(path, &in->h);
}

static void close_library(const h5_input *in)
{
    if (in->h) {
        h5_close(in->h->space_close, in->space);
        h5_close(in->h->data_close, in->data);
        h5_close(in->h->file_close, in->id);
        hdf5_leave();
    }
    mem_free(in->file);
}

pav_status h5_read_view(const char *path, int dimensions, const view *v, progress_sink *a)
{
    OWNED_BY(close_library) h5_input in = {0};
    int64_t extent[MOST_DIMENSIONS] = {0};
    int count = 0;

    TRY(open_library(&in, path));
    TRY(open_input(&in));
    TRY(find_extents(&in, &count, extent));
    const int time = count == dimensions + 1 && extent[0] == 1; /* as NetCDF has it */
    TRY(shape_check(in.path, count - time, extent + time, dimensions, v));
    return read_pieces(&in, v, a);
}

/* ---- tables ------------------------------------------------------------------------ */

pav_status h5_read_table(const char *path, int columns, int64_t row_limit,
                         double **values, int64_t *rows)
{
    enum { WHOLE = 0 /* H5S_ALL */ };
    OWNED_BY(close_library) h5_input in = {0};
    int64_t extent[MOST_DIMENSIONS] = {0};
    int count = 0;

    *values = NULL;
    *rows = 0;
    TRY(open_library(&in, path));
    TRY(open_input(&in));
    TRY(find_extents(&in, &count, extent));
    if (count < 1 || count > 2 || (count == 2 ? extent[1] : 1) != columns)
        return FAIL(PAV_EFORMAT,
                    "%s has %d dimensions, the last one of %lld values; rows of %d are "
                    "needed, shape (rows, %d)",
                    path, count, (long long)(count > 0 ? extent[count - 1] : 0), columns,
                    columns);
    if (extent[0] > row_limit)
        return FAIL(PAV_ELIMIT, "%s has %lld rows; at most %lld are read", path,
                    (long long)extent[0], (long long)row_limit);
    *rows = extent[0];
    *values = mem_new(*rows * columns + 1, sizeof **values);
    if (!*values)
        return PAV_ENOMEM;
    return in.h->data_read(in.data, in.h->type_f64, WHOLE, WHOLE, 0, *values) < 0
               ? hdf5_failed(path, "read")
               : PAV_OK;
}
