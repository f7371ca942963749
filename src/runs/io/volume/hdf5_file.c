/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes HDF5 files. A frame is a dataset in C order with the name of its field;
 * positions and time are attributes. The file has a temporary name until the library has
 * closed it. If several ranks write one file, the library writes everything except the
 * values. The values are contiguous in the file, so each rank writes its own part
 * directly. */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/io_private.h"

/* ---- the library ------------------------------------------------------------------- */

/* Opens the HDF5 library at first use: version 1.10 or later, with 64-bit identifiers.
 * The library may be built without thread support, so all calls stand between hdf5_enter
 * and hdf5_leave; these admit one thread at a time. The library's own error output is
 * suppressed. */

static hdf5 api;
static const char *missing; /* NULL: the library is present */
static bool has_scales;     /* the library for dimension scales, too */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *printer, *printer_data; /* error handler to restore when the thread leaves */

static const library_call calls[] = {
#define CALL(symbol, result, member, arguments) {#symbol, offsetof(hdf5, member)},
    HDF5_CALLS(CALL)
#undef CALL
};
static const library_call scale_calls[] = {
#define CALL(symbol, result, member, arguments) {#symbol, offsetof(hdf5, member)},
    HDF5_SCALE_CALLS(CALL)
#undef CALL
};
static const library_call numbers[] = {
    {"H5T_NATIVE_FLOAT_g", offsetof(hdf5, type_f32)},
    {"H5T_NATIVE_DOUBLE_g", offsetof(hdf5, type_f64)},
    {"H5T_NATIVE_UCHAR_g", offsetof(hdf5, type_u8)},
    {"H5T_C_S1_g", offsetof(hdf5, type_string)},
    {"H5P_CLS_DATASET_CREATE_ID_g", offsetof(hdf5, class_data_create)},
};

/* ---- opening ----------------------------------------------------------------------- */

/* Known once the library has started. */
static bool find_numbers(void *library)
{
    for (size_t n = 0; n < COUNT_OF(numbers); n++) {
        const void *symbol = dlsym(library, numbers[n].name);
        if (!symbol)
            return false;
        memcpy((char *)&api + numbers[n].at, symbol, sizeof(int64_t));
    }
    return true;
}

static bool is_recent(void)
{
    unsigned major = 0, minor = 0, release = 0;

    return api.version(&major, &minor, &release) >= 0 &&
           (major > 1 || (major == 1 && minor >= 10));
}

static void find(void)
{
    const char *file = NULL;
    void *library = library_open("HDF5", &file);

    if (!library)
        missing = "HDF5 files need the HDF5 library, which is not there; install it "
                  "(Debian, Ubuntu: apt install libhdf5-dev; Fedora: dnf install hdf5; "
                  "conda install hdf5), or use a .npy or .vti file";
    else if (!library_find(library, calls, COUNT_OF(calls), &api) || api.start() < 0 ||
             !find_numbers(library) || !is_recent())
        missing =
            "HDF5 files need the HDF5 library of version 1.10 or later, and the one "
            "that was found is another; install it, or use a .npy or .vti file";
    void *scales = library_open("HDF5 scales", &file);
    int (*start)(void) = NULL; /* it may belong to another HDF5 library */
    has_scales = scales && !missing &&
                 library_find(scales, scale_calls, COUNT_OF(scale_calls), &api) &&
                 library_find(scales, &(library_call){"H5open", 0}, 1, &start) &&
                 start == api.start;
}

static const char *scales_missing(void)
{
    return hdf5_missing() ? missing
           : has_scales   ? NULL
                          : "NetCDF files need the library for HDF5's dimension scales, "
                            "libhdf5_hl, which is not there; install it (Debian, Ubuntu: "
                            "apt install libhdf5-dev), or use a .h5 file";
}

const char *hdf5_missing(void)
{
    (void)pthread_once(&once, find);
    return missing;
}

/* ---- one thread at a time ---------------------------------------------------------- */

/* hdf5_enter and hdf5_leave: between these calls no other thread is in the library.
 * PAV_EUNSUPPORTED if there is none. */
static pav_status hdf5_enter(const char *path, const hdf5 **result)
{
    *result = NULL;
    if (hdf5_missing())
        return FAIL(PAV_EUNSUPPORTED, "%s: %s", path, missing);
    (void)pthread_mutex_lock(&lock);
    (void)api.printer_get(0, &printer, &printer_data);
    (void)api.printer_set(0, NULL, NULL);
    *result = &api;
    return PAV_OK;
}

static void hdf5_leave(void)
{
    (void)api.printer_set(0, printer, printer_data);
    (void)pthread_mutex_unlock(&lock);
}

/* ---- failures ---------------------------------------------------------------------- */

enum { SENTENCE = 200 };

/* Keeps the first error of the library's stack. If it quotes a system error, keeps only
 * the quote. */
static int keep_first(unsigned n, const hdf5_error *e, void *user)
{
    static const char quote[] = "error message = '";
    char *sentence = user;

    if (n > 0 || !e->description)
        return 0;
    const char *at = strstr(e->description, quote);
    const char *from = at ? at + sizeof quote - 1 : e->description;
    const size_t length = at ? strcspn(from, "'") : strlen(from);
    (void)snprintf(sentence, SENTENCE, "%.*s", length < SENTENCE ? (int)length : SENTENCE,
                   from);
    return 0;
}

/* Fails with "heat.h5 cannot be written: ..." and the library's own reason. */
static pav_status hdf5_failed(const char *path, const char *what)
{
    char why[SENTENCE + 1] = "";

    (void)api.errors_visit(0, 0, keep_first, why);
    return FAIL(PAV_EIO, "%s cannot be %s: %s", path, what,
                *why ? why : "the HDF5 library does not say why");
}

/* ---- files ------------------------------------------------------------------------- */

enum {
    TRUNCATE = 2,    /* H5F_ACC_TRUNC */
    ALLOC_EARLY = 1, /* H5D_ALLOC_TIME_EARLY */
    FILL_NEVER = 1   /* H5D_FILL_TIME_NEVER */
};

static int64_t type_of(const hdf5 *h, const io_frame *f)
{
    const pav_type type = frame_kept_type(f);

    return type == PAV_F64 ? h->type_f64 : type == PAV_U8 ? h->type_u8 : h->type_f32;
}

/* Closes an object of HDF5; id < 0: it was not opened. */
static void h5_close(int (*close)(int64_t id), int64_t id)
{
    if (id >= 0)
        (void)close(id);
}

/* ---- pieces ------------------------------------------------------------------------ */

/* Iterates over pieces of at most H5_PIECE values: parts of rows, or some rows of a
 * plane. Moves b to the next piece; false if there are no more. */
enum { H5_PIECE = READ_PIECE / (int)sizeof(double) };
static bool h5_next_piece(const int64_t *extent, box *b)
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

enum { RANK = PAV_MAX_DIMENSIONS + 1 }; /* the axes and the time */

/* Converts a box to the file's order of axes, slowest first: perhaps the time, with one
 * point, before the others. */
static void turn_round(int rank, const box *b, uint64_t *from, uint64_t *count)
{
    for (int d = 0; d < rank; d++) {
        const int axis = rank - 1 - d;
        from[d] = axis < PAV_MAX_DIMENSIONS ? (uint64_t)b->lo[axis] : 0;
        count[d] = axis < PAV_MAX_DIMENSIONS ? (uint64_t)(b->hi[axis] - b->lo[axis]) : 1;
    }
}

/* Selects the piece in a dataset. Returns the space of its values in memory, or a
 * negative number. A frame and shape_check allow no more than RANK dimensions. */
static int64_t h5_select_piece(const hdf5 *h, int64_t space, const box *b)
{
    const int rank = h->space_dimensions(space);
    uint64_t from[RANK], count[RANK];

    turn_round(rank, b, from, count);
    return h->space_select(space, 0, from, NULL, count, NULL) < 0
               ? -1
               : h->space_create(rank, count, NULL);
}

/* ---- writing ----------------------------------------------------------------------- */

static void read_piece(const io_frame *f, const box *b, char *values)
{
    const pav_type type = frame_kept_type(f);
    const int64_t count = b->hi[0] - b->lo[0];

    for (int64_t j = b->lo[1]; j < b->hi[1]; j++) {
        frame_read(f, b->lo[0], j, b->lo[2], count, type, values);
        values += count * (int64_t)pav_type_size(type);
    }
}

/* count 0: one value, without an axis. */
static bool add_note(const hdf5 *h, int64_t data, const char *name, int64_t type,
                     uint64_t count, const void *values)
{
    const int64_t space = h->space_create(count > 0, &count, NULL);
    const int64_t note = h->note_create(data, name, type, space, 0, 0);
    const bool good = note >= 0 && h->note_write(note, type, values) >= 0;

    h5_close(h->note_close, note);
    h5_close(h->space_close, space);
    return good;
}

/* Adds a text to the file itself. */
static bool add_fact(const hdf5 *h, int64_t file, const io_fact *fact)
{
    const int64_t type = h->type_copy(h->type_string);
    const bool good = h->type_set_size(type, strlen(fact->value) + 1) >= 0 &&
                      add_note(h, file, fact->name, type, 0, fact->value);

    h5_close(h->type_close, type);
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
    return add_note(h, data, "origin", h->type_f64, count, origin) &&
           add_note(h, data, "spacing", h->type_f64, count, spacing) &&
           add_note(h, data, "time", h->type_f64, 1, &f->time) &&
           add_note(h, data, "step", h->type_f64, 1, &step);
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
    h5_close(h->list_close, list);
    return data;
}

/* The name of dimension k of a frame; the last one is the time. */
static const char *line_name(const io_frame *f, int k)
{
    static const char *const names[] = {"x", "y", "z", "time"};

    if (k == f->dimensions)
        return names[PAV_MAX_DIMENSIONS];
    const char letter = f->scale[f->axis[k]].letter;
    return names[letter ? letter - 'x' : f->axis[k]];
}

/* Adds the coordinates of a dimension: a dataset with its name. */
static bool add_line(const hdf5 *h, int64_t file, const io_frame *f, int k)
{
    const bool time = k == f->dimensions;
    const char *name = line_name(f, k);
    const uint64_t count = time ? 1 : (uint64_t)f->extent[k];
    OWNED double *at = mem_new((int64_t)count, sizeof *at);

    for (int64_t i = 0; at && i < (int64_t)count; i++)
        at[i] = time ? f->time : frame_coordinate(f, f->axis[k], i);
    const int64_t space = at ? h->space_create(1, &count, NULL) : -1;
    const int64_t data = space < 0 ? -1 : create_named(h, file, space, name, h->type_f64);
    const bool good = data >= 0 &&
                      h->data_write(data, h->type_f64, space, space, 0, at) >= 0;
    h5_close(h->data_close, data);
    h5_close(h->space_close, space);
    return good;
}

/* Makes a NetCDF-4 file of it, with the conventions CF-1.8: each dimension is a scale
 * with coordinates, and each field is attached to its scales. Units are unknown, so 1. */
static bool add_scales(const hdf5 *h, int64_t file, const io_frame *f)
{
    bool good = h->note_text(file, "/", "Conventions", "CF-1.8") >= 0;

    for (int d = 0; d <= f->dimensions && good; d++) {
        const char *name = line_name(f, f->dimensions - d);
        const char axis[] = {(char)(name[0] - 'a' + 'A'), '\0'};
        const int64_t scale = h->data_open(file, name, 0);
        good = scale >= 0 && h->scale_set(scale, name) >= 0 &&
               h->note_int(file, name, "_Netcdf4Dimid", &d, 1) >= 0 &&
               h->note_text(file, name, "axis", axis) >= 0 &&
               h->note_text(file, name, "units", "1") >= 0;
        for (const io_frame *m = f; m && good; m = m->more) {
            const int64_t data = h->data_open(file, m->name, 0);
            good = data >= 0 && h->scale_attach(data, scale, (unsigned)d) >= 0 &&
                   h->note_text(file, m->name, "units", "1") >= 0;
            h5_close(h->data_close, data);
        }
        h5_close(h->data_close, scale);
    }
    return good;
}

/* Adds a field. first: receives the offset of the values if other processes write them;
 * NULL: write them here. */
static pav_status fill_data(const hdf5 *h, const char *path, int64_t data, int64_t space,
                            const io_frame *f, int64_t *first)
{
    if (data < 0)
        return hdf5_failed(path, "written");
    if (first)
        *first = (int64_t)h->data_offset(data);
    else {
        OWNED char *values = NULL;
        TRY(mem_take(&values, H5_PIECE, sizeof(double)));
        for (box b = {0}; h5_next_piece(f->extent, &b);) {
            read_piece(f, &b, values);
            /* Writes one piece. The reason of a failure is read at once, because the
             * next call of the library clears it. */
            const int64_t memory = h5_select_piece(h, space, &b);
            const bool good = memory >= 0 && h->data_write(data, type_of(h, f), memory,
                                                           space, 0, values) >= 0;
            const pav_status status = good ? PAV_OK : hdf5_failed(path, "written");

            h5_close(h->space_close, memory);
            TRY(status);
        }
    }
    return (first && *first < 0) || !add_notes(h, data, f) ? hdf5_failed(path, "written")
                                                           : PAV_OK;
}

/* Adds all fields, then the coordinates, which they share. */
static pav_status fill_fields(const hdf5 *h, const char *path, int64_t file,
                              int64_t space, const io_frame *f, bool netcdf,
                              int64_t *first)
{
    pav_status status = PAV_OK;
    for (const io_frame *m = f; m && status == PAV_OK; m = m->more) {
        const int64_t data = space < 0
                                 ? -1
                                 : create_named(h, file, space, m->name, type_of(h, m));
        status = fill_data(h, path, data, space, m, first);
        h5_close(h->data_close, data);
    }
    TRY(status);
    for (int k = 0; k < f->dimensions + netcdf; k++)
        if ((netcdf || f->scale[f->axis[k]].at) && !add_line(h, file, f, k))
            return hdf5_failed(path, "written");
    for (const io_fact *m = f->made; m && m->name; m++)
        if (!add_fact(h, file, m))
            return hdf5_failed(path, "written");
    return (netcdf && !add_scales(h, file, f)) || h->file_flush(file, 0) < 0
               ? hdf5_failed(path, "written")
               : PAV_OK;
}

/* While HDF5 opens files: occupies the closed standard streams, so that no file of the
 * library gets their descriptors. leave_streams closes them again. */
typedef struct closed_streams {
    bool taken[3];
} closed_streams;

static void take_streams(closed_streams *s)
{
    int file;

    *s = (closed_streams){{false}};
    while ((file = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && file <= STDERR_FILENO)
        s->taken[file] = true;
    if (file >= 0)
        (void)close(file);
}

static void leave_streams(const closed_streams *s)
{
    for (int k = 0; k <= STDERR_FILENO; k++)
        if (s->taken[k])
            (void)close(k);
}

/* Writes the file. Space is reserved first, because the library crashes on a full
 * disk. */
static pav_status write_all(const hdf5 *h, out_file *o, const io_frame *f, bool netcdf,
                            int64_t *first)
{
    enum { AROUND = 16 << 10 /* bytes besides the values of a dataset, at most */ };
    int64_t places = netcdf ? AROUND : 0;

    for (int k = 0; k < f->dimensions; k++)
        if (netcdf || f->scale[f->axis[k]].at)
            places += f->extent[k] * (int64_t)sizeof(double) + (netcdf ? AROUND : 0);
    for (const io_frame *m = f; m; m = m->more) {
        places += frame_count(m) * (int64_t)pav_type_size(frame_kept_type(m)) + AROUND;
        if (netcdf && strcmp(m->name, line_name(f, f->dimensions)) == 0)
            return FAIL(PAV_EINVAL,
                        "%s: a field called time cannot stand beside the dimension time; "
                        "give it another name",
                        o->shown);
    }
    TRY(out_reserve(o, places));
    closed_streams closed;
    assert(h); /* series_open has found the library */
    take_streams(&closed);
    const int64_t file = h->file_create(o->temporary, TRUNCATE, 0, 0);
    leave_streams(&closed);
    if (file < 0)
        return hdf5_failed(o->shown, "written");
    uint64_t from[RANK], extent[RANK];
    const box all = {{0}, {f->extent[0], f->extent[1], f->extent[2]}};

    turn_round(f->dimensions + netcdf, &all, from, extent);
    const int64_t space = h->space_create(f->dimensions + netcdf, extent, NULL);
    const pav_status status = fill_fields(h, o->shown, file, space, f, netcdf, first);
    if (status != PAV_OK) {
        /* After a failed write the library cannot close the file and tries again at
         * the end of the process. Redirects the rest to memory. */
        void *handle = NULL;
        OWNED_BY(handle_close) const int memory = memfd_create("pavior", MFD_CLOEXEC);

        if (memory >= 0 && h->file_handle(file, 0, &handle) >= 0 && handle)
            (void)dup2(memory, *(const int *)handle);
    }
    h5_close(h->space_close, space);
    return h->file_close(file) < 0 && status == PAV_OK ? hdf5_failed(o->shown, "written")
                                                       : status;
}

/* Writes everything, or (`first`) everything except the values. */
static pav_status write_locked(out_file *o, const io_frame *f, bool netcdf,
                               int64_t *first)
{
    const hdf5 *h;

    TRY(hdf5_enter(o->shown, &h));
    const pav_status status = write_all(h, o, f, netcdf, first);
    hdf5_leave();
    return status;
}

static pav_status fill_h5(out_file *o, const io_frame *f)
{
    return write_locked(o, f, false, NULL);
}

static pav_status h5_begin(out_file *o, const io_frame *f, pav_type *type, int64_t *first)
{
    *type = frame_kept_type(f);
    return write_locked(o, f, false, first);
}

static pav_status fill_nc(out_file *o, const io_frame *f)
{
    return write_locked(o, f, true, NULL);
}

static pav_status nc_begin(out_file *o, const io_frame *f, pav_type *type, int64_t *first)
{
    *type = frame_kept_type(f);
    return write_locked(o, f, true, first);
}

const io_format h5_format = {
    .ending = ".h5",
    .about = "HDF5",
    .field = true,
    .fill = fill_h5,
    .begin = h5_begin,
    .missing = hdf5_missing,
};

const io_format nc_format = {
    .ending = ".nc",
    .about = "NetCDF-4 with the conventions CF",
    .field = true,
    .fill = fill_nc,
    .begin = nc_begin,
    .missing = scales_missing,
};

/* ---- XDMF -------------------------------------------------------------------------- */

/* XDMF: an index of a run's HDF5 files with their times and positions, for ParaView and
 * VisIt. Everything is three-dimensional, z first; missing axes have one point. */

#define MARKER "      <Grid Name=\"step "

static void add_extent(text *t, const io_frame *f)
{
    text_add(t, "%lld %lld %lld\"", (long long)frame_extent(f, 2),
             (long long)frame_extent(f, 1), (long long)frame_extent(f, 0));
}

static void add_doubles(text *t, const io_frame *f,
                        double (*value)(const io_frame *f, int axis))
{
    text_add(t, "          <DataItem Dimensions=\"3\" NumberType=\"Float\" "
                "Precision=\"8\" Format=\"XML\">");
    for (int axis = PAV_MAX_DIMENSIONS - 1; axis >= 0; axis--) {
        text_add_double(t, value(f, axis));
        text_add(t, "%s", axis > 0 ? " " : "</DataItem>\n");
    }
}

static void add_entry(text *t, const io_frame *f, const char *name)
{
    text_add(t,
             MARKER "%lld\" GridType=\"Uniform\">\n"
                    "        <Time Value=\"",
             (long long)f->step);
    text_add_double(t, f->time);
    text_add(t, "\"/>\n");
    const bool image = !frame_stretched(f);

    text_add(t, "        <Topology TopologyType=\"3D%sMesh\" Dimensions=\"",
             image ? "CoRect" : "Rect");
    add_extent(t, f);
    text_add(t, "/>\n        <Geometry GeometryType=\"%s\">\n",
             image ? "ORIGIN_DXDYDZ" : "VXVYVZ");
    if (image) {
        add_doubles(t, f, frame_origin);
        add_doubles(t, f, frame_spacing);
    } else {
        /* Coordinates along x, y and z. */
        for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
            text_add(t,
                     "          <DataItem Dimensions=\"%lld\" NumberType=\"Float\" "
                     "Precision=\"8\" Format=\"XML\">",
                     (long long)frame_extent(f, axis));
            frame_add_coordinates(t, f, axis);
            text_add(t, "</DataItem>\n");
        }
    }
    text_add(t, "        </Geometry>\n");
    for (; f; f = f->more) {
        text_add(t,
                 "        <Attribute Name=\"%s\" "
                 "AttributeType=\"Scalar\" Center=\"Node\">\n          <DataItem "
                 "Dimensions=\"",
                 f->name);
        add_extent(t, f);
        text_add(t, " NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">",
                 f->type == PAV_U8 ? "UChar" : "Float",
                 (int)pav_type_size(frame_kept_type(f)));
        text_add_xml(t, name);
        text_add(t, ":/%s</DataItem>\n        </Attribute>\n", f->name);
    }
    text_add(t, "      </Grid>\n");
}

static void add_head(text *t, const io_frame *f)
{
    text_add(t,
             "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n"
             "    <Grid Name=\"%s\" GridType=\"Collection\" "
             "CollectionType=\"Temporal\">\n",
             f->name);
}

static const index_kind xdmf = {
    .marker = MARKER,
    .end = "    </Grid>\n  </Domain>\n</Xdmf>\n",
    .head = add_head,
    .entry = add_entry,
    .fill = fill_h5,
};

const io_format xdmf_format = {
    .ending = ".xdmf",
    .about = "XDMF time series of .h5 files, for ParaView",
    .field = true,
    .film = true,
    .piece = ".h5",
    .index = &xdmf,
    .write = index_write,
    .begin = h5_begin,
    .resume = index_resume,
    .missing = hdf5_missing,
};

/* ---- reading ----------------------------------------------------------------------- */

/* Reads HDF5 files: values of fields from any numeric dataset, piece by piece, and
 * tables. */

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
    TRY(mem_take(values, *rows * columns + 1, sizeof **values));
    return in.h->data_read(in.data, in.h->type_f64, WHOLE, WHOLE, 0, *values) < 0
               ? hdf5_failed(path, "read")
               : PAV_OK;
}
