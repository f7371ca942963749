/* SPDX-License-Identifier: BSD-3-Clause */
/* The formats of files, found by the ending of a path; frames, and the shapes of files.
 */
#include <string.h>

#include "io/io_private.h"

/* ---- how files were made ----------------------------------------------------------- */

pav_status origin_note(io_origin *o, const pav_device *d, bool no_stamp)
{
    if (d)
        TRY(device_identity(d, &o->machine, &o->compiler));
    date_put(o->date, sizeof o->date);
    const io_fact made[] = {{"version", "Pavior " PAV_VERSION},
                            {"machine", o->machine.data ? o->machine.data : ""},
                            {"compiler", o->compiler.data ? o->compiler.data : ""},
                            {"date", o->date},
                            {"settings", o->settings.data},
                            {NULL, NULL}};
    memcpy(o->made, made, sizeof made);
    o->stamp = no_stamp ? NULL : o->made;
    return o->settings.failed ? PAV_ENOMEM : PAV_OK;
}

void origin_free(io_origin *o)
{
    TEXT_FREE_ALL(&o->machine, &o->compiler, &o->settings);
}

/* ---- shapes ------------------------------------------------------------------------ */

/* Compares the shape of a file with that of a field. Indices are (z, y, x), slowest
 * first, whatever order the file uses. */

static bool is_same(int count, const int64_t *extent, int dimensions, const view *v,
                    bool reversed)
{
    bool same = count == dimensions;

    for (int axis = 0; same && axis < dimensions; axis++)
        same = extent[reversed ? axis : dimensions - 1 - axis] == v->extent[axis];
    return same;
}

/* Compares the shapes. The message reads: the file holds 64x64x32 (z, y, x), the grid is
 * x 32, y 64, z 60. */
pav_status shape_check(const char *path, int file_dimensions, const int64_t *file_extent,
                       int dimensions, const view *v)
{
    static const char *const orders[3] = {"x", "y, x", "z, y, x"};
    OWNED_BY(text_free) text t = {0};

    if (is_same(file_dimensions, file_extent, dimensions, v, false))
        return PAV_OK;
    text_add(&t, "%s does not fit: the file holds ", path);
    if (file_dimensions == 0)
        text_add(&t, "a single value");
    text_add_extent(&t, file_dimensions, file_extent);
    if (file_dimensions == dimensions && dimensions >= 1)
        text_add(&t, " (%s)", orders[dimensions - 1]);
    text_add(&t, ", the grid is");
    for (int axis = 0; axis < dimensions; axis++)
        text_add(&t, "%s %c %lld", axis > 0 ? "," : "", "xyz"[axis],
                 (long long)v -> extent[axis]);
    if (dimensions > 1 && is_same(file_dimensions, file_extent, dimensions, v, true))
        text_add(
            &t,
            "; x is the last index: save the transpose, a.T, so that the indices are %s",
            orders[dimensions - 1]);
    /* perhaps a colour picture: red, green and blue next to each other */
    if (file_dimensions == dimensions + 1 &&
        is_same(dimensions, file_extent, dimensions, v, false))
        text_add(&t,
                 "; of its %lld values a point, as of a picture's colours, save one: "
                 "a[..., 0]",
                 (long long)file_extent[dimensions]);
    return t.failed ? PAV_ENOMEM : FAIL(PAV_EFORMAT, "%s", t.data);
}

/* ---- lines ------------------------------------------------------------------------- */

/* The range of points inside a part, on a line along an axis through `from`; 0 to 0 if
 * none. */

/* Reads the line along an axis through `from`: the points of the part get the next
 * values, the others are skipped. */
static pav_status line_read(const view *v, const box *part, int axis, const int64_t *from,
                            line_values *next, void *file, progress_sink *a)
{
    double values[LINE_PIECE];
    int64_t lo, hi;

    lo = part ? part->lo[axis] : 0;
    hi = part ? part->hi[axis] : v->extent[axis];
    for (int n = 0; part && n < PAV_MAX_DIMENSIONS; n++)
        if (n != axis && (from[n] < part->lo[n] || from[n] >= part->hi[n]))
            lo = hi = 0;
    TRY(next(file, NULL, lo));
    for (int64_t i = lo; i < hi; i += LINE_PIECE) {
        const int64_t count = int64_least(hi - i, LINE_PIECE);
        box piece;
        for (int n = 0; n < PAV_MAX_DIMENSIONS; n++) {
            piece.lo[n] = n == axis ? i : from[n];
            piece.hi[n] = piece.lo[n] + (n == axis ? count : 1);
        }
        TRY(next(file, values, count));
        view_write_box(v, &piece, PAV_F64, values);
        TRY(progress_add(a, count));
    }
    return next(file, NULL, v->extent[axis] - hi);
}

pav_status lines_read(const view *v, const box *part, const int axis[PAV_MAX_DIMENSIONS],
                      line_values *next, void *file, progress_sink *a)
{
    int64_t from[PAV_MAX_DIMENSIONS] = {0};

    for (int64_t k = 0; k < v->extent[axis[2]]; k++)
        for (int64_t j = 0; j < v->extent[axis[1]]; j++) {
            from[axis[2]] = k;
            from[axis[1]] = j;
            TRY(line_read(v, part, axis[0], from, next, file, a));
        }
    return PAV_OK;
}

/* ---- frames ------------------------------------------------------------------------ */

/* Frames: the points of a field shown by an output. A stride along every axis describes a
 * crop, a plane or every k-th point without a copy. Coordinates are computed exactly. */

io_frame frame_of_view(const view *v, int dimensions)
{
    io_frame f = {.name = "",
                  .grid_dimensions = dimensions,
                  .dimensions = dimensions,
                  .type = v->type,
                  .data = v->data};

    for (int a = 0; a < PAV_MAX_DIMENSIONS; a++) {
        f.axis[a] = a;
        f.extent[a] = v->extent[a];
        f.stride[a] = a > 0 ? v->stride[a] : 1;
        f.scale[a] = (frame_axis){
            .origin = num_int(0), .span = num_int(1), .over = num_int(1), .every = 1};
    }
    return f;
}

int64_t frame_count(const io_frame *f)
{
    return f->extent[0] * f->extent[1] * f->extent[2];
}

static int64_t own_bytes(const io_frame *f)
{
    return frame_count(f) * (int64_t)pav_type_size(f->type);
}

int64_t frame_bytes(const io_frame *f)
{
    int64_t bytes = 0;

    for (; f; f = f->more)
        bytes += own_bytes(f);
    return bytes;
}

double frame_coordinate(const io_frame *f, int axis, int64_t index)
{
    const frame_axis *s = &f->scale[axis];
    const num steps = num_int(s->first + index * s->every);

    return s->at ? s->at[s->first + index * s->every]
                 : num_f64(num_add(s->origin, num_div(num_mul(steps, s->span), s->over)));
}

int64_t frame_extent(const io_frame *f, int axis)
{
    for (int a = 0; a < f->dimensions; a++)
        if (f->axis[a] == axis)
            return f->extent[a];
    return 1;
}

pav_type frame_kept_type(const io_frame *f)
{
    return f->type == PAV_F64 || f->type == PAV_U8 ? f->type : PAV_F32;
}

void frame_add_coordinates(text *t, const io_frame *f, int axis)
{
    for (int64_t i = 0; i < frame_extent(f, axis); i++) {
        text_add(t, i > 0 ? " " : "");
        text_add_double(t, axis < f->grid_dimensions ? frame_coordinate(f, axis, i) : 0);
    }
}

bool frame_stretched(const io_frame *f)
{
    for (int axis = 0; axis < f->grid_dimensions; axis++)
        if (f->scale[axis].at)
            return true;
    return false;
}

double frame_spacing(const io_frame *f, int axis)
{
    const frame_axis *s = &f->scale[axis];

    if (axis >= f->grid_dimensions)
        return 1;
    const double d = num_f64(num_div(num_mul(num_int(s->every), s->span), s->over));
    return d > 0 ? d : 1;
}

/* ---- values ------------------------------------------------------------------------ */

void frame_read(const io_frame *f, int64_t from, int64_t j, int64_t k, int64_t count,
                pav_type type, void *values)
{
    enum { PIECE = 512 };
    const size_t size = pav_type_size(f->type), wide = pav_type_size(type);
    const char *at = (const char *)f->data +
                     (from * f->stride[0] + j * f->stride[1] + k * f->stride[2]) *
                         (int64_t)size;
    double piece[PIECE];

    if (f->stride[0] == 1) {
        type_convert(type, values, f->type, at, count);
        return;
    }
    for (int64_t i = 0; i < count; i += PIECE) {
        const int64_t part = int64_least(count - i, PIECE);
        for (int64_t n = 0; n < part; n++)
            memcpy((char *)piece + n * (int64_t)size,
                   at + (i + n) * f->stride[0] * (int64_t)size, size);
        type_convert(type, (char *)values + i * (int64_t)wide, f->type, piece, part);
    }
}

/* ---- copies ------------------------------------------------------------------------ */

pav_status frame_copy(const io_frame *f, io_frame *copy)
{
    const int64_t row = f->extent[0] * (int64_t)pav_type_size(f->type);
    char *to = mem_big(own_bytes(f));

    *copy = *f;
    copy->data = to;
    copy->more = NULL;
    copy->stride[0] = 1;
    copy->stride[1] = f->extent[0];
    copy->stride[2] = f->extent[0] * f->extent[1];
    if (!to)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < f->extent[2]; k++)
        for (int64_t j = 0; j < f->extent[1]; j++, to += row)
            frame_read(f, 0, j, k, f->extent[0], f->type, to);
    if (!f->more)
        return PAV_OK;
    io_frame *more = mem_new(1, sizeof *more);
    copy->more = more;
    return more ? frame_copy(f->more, more) : PAV_ENOMEM;
}

void frame_free(io_frame *copy)
{
    io_frame *more = (io_frame *)(uintptr_t)copy->more;

    if (copy->data)
        mem_big_free((void *)(uintptr_t)copy->data, own_bytes(copy));
    copy->data = NULL;
    if (more)
        frame_free(more);
    mem_free(more);
    copy->more = NULL;
}

double frame_origin(const io_frame *f, int axis)
{
    return axis < f->grid_dimensions ? frame_coordinate(f, axis, 0) : 0;
}

/* ---- formats ----------------------------------------------------------------------- */

const io_format *const io_table[] = {
    &npy_format,  &npy_zst_format, &png_format,  &csv_format, &vti_format,
    &vtr_format,  &pvd_format,     &h5_format,   &nc_format,  &xdmf_format,
    &apng_format, &sgy_format,     &segy_format, NULL,
};

enum {
    MOST_FORMATS = 32 /* named in a search for the nearest */
};

static void unknown(const char *path, const char *ending)
{
    const char *known[MOST_FORMATS];
    int64_t count = 0;
    OWNED_BY(text_free) text t = {0};

    for (; count < MOST_FORMATS && io_table[count]; count++)
        known[count] = io_table[count]->ending;
    const char *near = text_nearest(ending, known, count);
    text_add(&t, "%s: ", path);
    if (*ending)
        text_add(&t, "'%s' is no format that can be written", ending);
    else
        text_add(&t, "the ending of the name is no known format");
    if (near)
        text_add(&t, "; did you mean '%s'?", near);
    text_add(&t, "%s known are", near ? "" : ";");
    for (int n = 0; io_table[n]; n++)
        text_add(&t, "%s %s (%s)", n > 0 ? "," : "", io_table[n]->ending,
                 io_table[n]->about);
    if (!t.failed)
        fail(PAV_EINVAL, "%s", t.data);
}

/* ---- memory and disk needs --------------------------------------------------------- */

static const io_format *find(const char *path)
{
    const char *ending = path_ending(path);

    for (int n = 0; io_table[n]; n++)
        if (strcmp(ending, io_table[n]->ending) == 0)
            return io_table[n];
    return NULL;
}

static frame_need need_of_values(const io_frame *f)
{
    enum { AROUND = 16 << 10, PIECE = 1 << 20 };
    frame_need need = {PIECE, 0, true};

    for (; f; f = f->more)
        need.file += frame_count(f) * (int64_t)pav_type_size(frame_kept_type(f)) + AROUND;
    return need;
}

frame_need frame_need_of(const char *path, const io_frame *f)
{
    const io_format *format = find(path);

    return !format ? (frame_need){0} : format->need ? format->need(f) : need_of_values(f);
}

int64_t table_row_bytes(const char *path, int64_t columns)
{
    const io_format *format = find(path);

    return columns * (format && format->field ? (int64_t)sizeof(double) : MOST_DIGITS);
}

/* ------------------------------------------------------------------------------------ */

bool field_has_parts(const char *path)
{
    return strcmp(path_ending(path), ".npy") == 0;
}

static bool path_is_png(const char *path)
{
    return strcmp(path_ending(path), ".png") == 0;
}

int64_t field_read_bytes(const char *path, int64_t points)
{
    enum { PIXEL = 8 /* bytes, at most; as many in the file */ };

    return path_is_png(path) ? 2 * PIXEL * points + READ_PIECE : READ_PIECE;
}

pav_status field_read(const char *path, int dimensions, bool down, const view *v,
                      progress_sink *a)
{
    if (path_is_png(path))
        return png_read_view(path, dimensions, down, v, a);
    if (path_is_segy(path))
        return segy_read_view(path, dimensions, v, a);
    return path_is_h5(path) ? h5_read_view(path, dimensions, v, a)
                            : npy_read_view(path, dimensions, v, a);
}

const io_format *io_find(const char *path)
{
    const io_format *format = find(path);

    if (!format)
        unknown(path, path_ending(path));
    return format;
}
