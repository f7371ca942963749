/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes HDF5 files. A frame is a dataset in C order with the name of its field;
 * positions and time are attributes. The file has a temporary name until the library has
 * closed it. If several ranks write one file, the library writes everything except the
 * values. The values are contiguous in the file, so each rank writes its own part
 * directly. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/io_private.h"

enum {
    TRUNCATE = 2,    /* H5F_ACC_TRUNC */
    ALLOC_EARLY = 1, /* H5D_ALLOC_TIME_EARLY */
    FILL_NEVER = 1   /* H5D_FILL_TIME_NEVER */
};

static pav_type kept_as(pav_type type)
{
    return type == PAV_F64 || type == PAV_U8 ? type : PAV_F32;
}

static int64_t type_of(const hdf5 *h, pav_type type)
{
    return type == PAV_F64 ? h->type_f64 : type == PAV_U8 ? h->type_u8 : h->type_f32;
}

/* ---- pieces ------------------------------------------------------------------------ */

bool h5_next_piece(const int64_t *extent, box *b)
{
    const int64_t rows = extent[0] < H5_PIECE ? H5_PIECE / extent[0] : 1;
    const bool first = b->hi[0] == 0;

    b->lo[0] = first || b->hi[0] == extent[0] ? 0 : b->hi[0];
    if (!first && b->lo[0] == 0) {
        b->lo[1] = b->hi[1] == extent[1] ? 0 : b->hi[1];
        b->lo[2] += b->lo[1] == 0;
    }
    b->hi[0] = int64_least(b->lo[0] + H5_PIECE, extent[0]);
    b->hi[1] = int64_least(b->lo[1] + rows, extent[1]);
    b->hi[2] = b->lo[2] + 1;
    return b->lo[2] < extent[2];
}

/* Converts a box to the file's order of axes, slowest first. */
static void turn_round(int dimensions, const box *b, uint64_t *from, uint64_t *count)
{
    for (int d = 0; d < dimensions; d++) {
        const int axis = dimensions - 1 - d;
        from[d] = (uint64_t)b->lo[axis];
        count[d] = (uint64_t)(b->hi[axis] - b->lo[axis]);
    }
}

int64_t h5_select_piece(const hdf5 *h, int64_t space, int dimensions, const box *b)
{
    uint64_t from[PAV_MAX_DIMENSIONS], count[PAV_MAX_DIMENSIONS];

    turn_round(dimensions, b, from, count);
    if (h->space_select(space, 0, from, NULL, count, NULL) < 0)
        return -1;
    return h->space_create(dimensions, count, NULL);
}

/* ---- writing ----------------------------------------------------------------------- */

static void read_piece(const io_frame *f, const box *b, char *values)
{
    const pav_type type = kept_as(f->type);
    const int64_t count = b->hi[0] - b->lo[0];

    for (int64_t j = b->lo[1]; j < b->hi[1]; j++) {
        frame_read(f, b->lo[0], j, b->lo[2], count, type, values);
        values += count * (int64_t)pav_type_size(type);
    }
}

/* Writes one piece. The reason of a failure is read at once, because the next call of the
 * library clears it. */
static pav_status write_piece_of(const hdf5 *h, const char *path, int64_t data,
                                 int64_t space, const io_frame *f, const box *b,
                                 const char *values)
{
    const int64_t memory = h5_select_piece(h, space, f->dimensions, b);

    if (memory < 0)
        return hdf5_failed(path, "written");
    const pav_status status = h->data_write(data, type_of(h, kept_as(f->type)), memory,
                                            space, 0, values) < 0
                                  ? hdf5_failed(path, "written")
                                  : PAV_OK;
    (void)h->space_close(memory);
    return status;
}

static pav_status write_values(const hdf5 *h, const char *path, int64_t data,
                               int64_t space, const io_frame *f)
{
    char *values = mem_new(H5_PIECE, sizeof(double));
    pav_status status = values ? PAV_OK : PAV_ENOMEM;

    for (box b = {0}; status == PAV_OK && h5_next_piece(f->extent, &b);) {
        read_piece(f, &b, values);
        status = write_piece_of(h, path, data, space, f, &b, values);
    }
    mem_free(values);
    return status;
}

static bool add_note(const hdf5 *h, int64_t data, const char *name, uint64_t count,
                     const double *values)
{
    const int64_t space = h->space_create(1, &count, NULL);
    const int64_t note = h->note_create(data, name, h->type_f64, space, 0, 0);
    const bool good = note >= 0 && h->note_write(note, h->type_f64, values) >= 0;

    if (note >= 0)
        (void)h->note_close(note);
    if (space >= 0)
        (void)h->space_close(space);
    return good;
}

/* Adds origin, spacing, time and step, for the axes of the grid. */
static bool add_notes(const hdf5 *h, int64_t data, const io_frame *f)
{
    double origin[PAV_MAX_DIMENSIONS], spacing[PAV_MAX_DIMENSIONS];
    const double step = (double)f->step;
    const uint64_t count = (uint64_t)f->grid_dimensions;

    for (int axis = 0; axis < f->grid_dimensions; axis++) {
        origin[axis] = frame_coordinate(f, axis, 0);
        spacing[axis] = frame_spacing(f, axis);
    }
    return add_note(h, data, "origin", count, origin) &&
           add_note(h, data, "spacing", count, spacing) &&
           add_note(h, data, "time", 1, &f->time) && add_note(h, data, "step", 1, &step);
}

/* Creates the dataset without a time stamp, so the same values make the same file. Space
 * for the values is allocated at once, because ranks write into it directly. */
static int64_t create_named(const hdf5 *h, int64_t file, int64_t space, const char *name,
                            int64_t type)
{
    const int64_t list = h->list_create(h->class_data_create);

    if (list >= 0)
        (void)(h->list_track_times(list, 0), h->list_alloc_time(list, ALLOC_EARLY),
               h->list_fill_time(list, FILL_NEVER));
    const int64_t data = h->data_create(file, name, type, space, 0, list < 0 ? 0 : list,
                                        0);
    if (list >= 0)
        (void)h->list_close(list);
    return data;
}

static int64_t create_data(const hdf5 *h, int64_t file, int64_t space, const io_frame *f)
{
    return create_named(h, file, space, f->name, type_of(h, kept_as(f->type)));
}

/* Adds the coordinates of a stretched axis: a dataset with the name of the axis. */
static bool add_line(const hdf5 *h, int64_t file, const io_frame *f, int k)
{
    const char name[] = {"xyz"[f->axis[k]], '\0'};
    const uint64_t count = (uint64_t)f->extent[k];
    double *at = mem_new(f->extent[k], sizeof *at);

    for (int64_t i = 0; at && i < f->extent[k]; i++)
        at[i] = frame_coordinate(f, f->axis[k], i);
    const int64_t space = at ? h->space_create(1, &count, NULL) : -1;
    const int64_t data = space < 0 ? -1 : create_named(h, file, space, name, h->type_f64);
    const bool good = data >= 0 &&
                      h->data_write(data, h->type_f64, space, space, 0, at) >= 0;
    if (data >= 0)
        (void)h->data_close(data);
    if (space >= 0)
        (void)h->space_close(space);
    mem_free(at);
    return good;
}

static bool add_places(const hdf5 *h, int64_t file, const io_frame *f)
{
    for (int k = 0; k < f->dimensions; k++)
        if (f->scale[f->axis[k]].at && !add_line(h, file, f, k))
            return false;
    return true;
}

/* After a failed write the library cannot close the file and tries again at the end of
 * the process. Redirects the rest to memory. */
static void drop_file(const hdf5 *h, int64_t file)
{
    void *handle = NULL;
    const int memory = memfd_create("pavior", MFD_CLOEXEC);

    if (memory >= 0 && h->file_handle(file, 0, &handle) >= 0 && handle)
        (void)dup2(memory, *(const int *)handle);
    if (memory >= 0)
        (void)close(memory);
}

/* first: receives the offset of the values if other processes write them; NULL: write
 * them here. */
static pav_status fill_data(const hdf5 *h, const char *path, int64_t file, int64_t data,
                            int64_t space, const io_frame *f, int64_t *first)
{
    if (data < 0)
        return hdf5_failed(path, "written");
    if (first)
        *first = (int64_t)h->data_offset(data);
    else
        TRY(write_values(h, path, data, space, f));
    if (first && *first < 0)
        return hdf5_failed(path, "written");
    if (!add_notes(h, data, f) || !add_places(h, file, f) || h->file_flush(file, 0) < 0)
        return hdf5_failed(path, "written");
    return PAV_OK;
}

static pav_status write_data(const hdf5 *h, const char *path, int64_t file,
                             const io_frame *f, int64_t *first)
{
    uint64_t from[PAV_MAX_DIMENSIONS], extent[PAV_MAX_DIMENSIONS];
    const box all = {{0}, {f->extent[0], f->extent[1], f->extent[2]}};

    turn_round(f->dimensions, &all, from, extent);
    const int64_t space = h->space_create(f->dimensions, extent, NULL);
    const int64_t data = space < 0 ? -1 : create_data(h, file, space, f);
    const pav_status status = fill_data(h, path, file, data, space, f, first);
    if (status != PAV_OK)
        drop_file(h, file);
    if (data >= 0)
        (void)h->data_close(data);
    if (space >= 0)
        (void)h->space_close(space);
    return status;
}

/* Writes the file. Space is reserved first, because the library crashes on a full
 * disk. */
static pav_status write_all(const hdf5 *h, out_file *o, const io_frame *f, int64_t *first)
{
    enum { AROUND = 16 << 10 /* bytes besides the values, at most */ };
    const int64_t size = (int64_t)pav_type_size(kept_as(f->type));

    int64_t places = 0;

    for (int k = 0; k < f->dimensions; k++)
        places += f->scale[f->axis[k]].at ? f->extent[k] * (int64_t)sizeof(double) : 0;
    TRY(out_reserve(o, frame_count(f) * size + places + AROUND));
    closed_streams closed;
    streams_take(&closed);
    const int64_t file = h->file_create(o->temporary, TRUNCATE, 0, 0);
    streams_leave(&closed);
    if (file < 0)
        return hdf5_failed(o->shown, "written");
    const pav_status status = write_data(h, o->shown, file, f, first);
    if (h->file_close(file) < 0 && status == PAV_OK)
        return hdf5_failed(o->shown, "written");
    return status;
}

pav_status h5_write(const char *path, const io_frame *f)
{
    const hdf5 *h;
    out_file o;

    TRY(hdf5_enter(path, &h));
    pav_status status = out_open(&o, path);
    if (status == PAV_OK)
        status = out_close(&o, write_all(h, &o, f, NULL));
    hdf5_leave();
    return status;
}

pav_status h5_begin(out_file *o, const io_frame *f, pav_type *type, int64_t *first)
{
    const hdf5 *h;
    *type = kept_as(f->type);
    TRY(hdf5_enter(o->shown, &h));
    const pav_status status = write_all(h, o, f, first);
    hdf5_leave();
    return status;
}

static pav_status write_h5(series *s, const char *path, const io_frame *f)
{
    (void)s;
    return h5_write(path, f);
}

const io_format h5_format = {
    .ending = ".h5",
    .about = "HDF5",
    .field = true,
    .write = write_h5,
    .begin = h5_begin,
    .missing = hdf5_missing,
};
