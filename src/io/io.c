/* SPDX-License-Identifier: BSD-3-Clause */
/* The formats, found by the ending of a path. */
#include <string.h>

#include "io/io_private.h"

const io_format *const io_table[] = {
    &npy_format, &npy_zst_format, &png_format, &csv_format,  &vti_format,
    &vtr_format, &pvd_format,     &h5_format,  &xdmf_format, &apng_format,
    &sgy_format, &segy_format,    NULL,
};

enum {
    MOST_FORMATS = 32 /* named in a search for the nearest */
};

static const char *nearest(const char *ending)
{
    const char *known[MOST_FORMATS];
    int64_t count = 0;

    for (; count < MOST_FORMATS && io_table[count]; count++)
        known[count] = io_table[count]->ending;
    return text_nearest(ending, known, count);
}

static void unknown(const char *path, const char *ending)
{
    const char *near = nearest(ending);
    text t = {0};

    text_add(&t, "%s: ", path);
    if (*ending)
        text_add(&t, "'%s' is no format that can be written", ending);
    else
        text_add(&t, "the name has no ending that says which format to write");
    if (near)
        text_add(&t, "; did you mean '%s'?", near);
    text_add(&t, "%s known are", near ? "" : ";");
    for (int n = 0; io_table[n]; n++)
        text_add(&t, "%s %s (%s)", n > 0 ? "," : "", io_table[n]->ending,
                 io_table[n]->about);
    if (!t.failed)
        fail(PAV_EINVAL, "%s", t.data);
    text_free(&t);
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
    const bool kept = f->type == PAV_F64 || f->type == PAV_U8;
    const int64_t size = (int64_t)pav_type_size(kept ? f->type : PAV_F32);

    return (frame_need){PIECE, frame_count(f) * size + AROUND, true};
}

frame_need frame_need_of(const char *path, const io_frame *f)
{
    const io_format *format = find(path);

    if (!format)
        return (frame_need){0};
    return format->need ? format->need(f) : need_of_values(f);
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

pav_status field_read_part(const char *path, int dimensions, const view *v,
                           const box *part, progress_sink *a)
{
    return npy_read_part(path, dimensions, v, part, a);
}

pav_status field_read(const char *path, int dimensions, const view *v, progress_sink *a)
{
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
