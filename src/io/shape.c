/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the shape of a file with that of a field. Indices are (z, y, x), slowest
 * first, whatever order the file uses. */
#include "io/io_private.h"

static bool is_same(int count, const int64_t *extent, int dimensions, const view *v)
{
    bool same = count == dimensions;

    for (int axis = 0; same && axis < dimensions; axis++)
        same = extent[dimensions - 1 - axis] == v->extent[axis];
    return same;
}

static bool is_reversed(int count, const int64_t *extent, int dimensions, const view *v)
{
    bool same = count == dimensions && dimensions > 1;

    for (int axis = 0; same && axis < dimensions; axis++)
        same = extent[axis] == v->extent[axis];
    return same;
}

/* True if the file looks like a colour picture: red, green and blue next to each
 * other. */
static bool is_picture(int count, const int64_t *extent, int dimensions, const view *v)
{
    return count == dimensions + 1 && is_same(dimensions, extent, dimensions, v);
}

/* Compares the shapes. The message reads: the file holds 64x64x32 (z, y, x), the grid is
 * x 32, y 64, z 60. */
pav_status shape_check(const char *path, int file_dimensions, const int64_t *file_extent,
                       int dimensions, const view *v)
{
    static const char *const orders[3] = {"x", "y, x", "z, y, x"};
    text t = {0};

    if (is_same(file_dimensions, file_extent, dimensions, v))
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
    if (is_reversed(file_dimensions, file_extent, dimensions, v))
        text_add(
            &t,
            "; x is the last index: save the transpose, a.T, so that the indices are %s",
            orders[dimensions - 1]);
    if (is_picture(file_dimensions, file_extent, dimensions, v))
        text_add(&t,
                 "; of its %lld values a point, as of a picture's colours, save one: "
                 "a[..., 0]",
                 (long long)file_extent[dimensions]);
    const pav_status status = t.failed ? PAV_ENOMEM : FAIL(PAV_EFORMAT, "%s", t.data);
    text_free(&t);
    return status;
}

span_of_line span_in_part(const view *v, const box *part, int axis, const int64_t *from)
{
    for (int n = 0; part && n < PAV_MAX_DIMENSIONS; n++)
        if (n != axis && (from[n] < part->lo[n] || from[n] >= part->hi[n]))
            return (span_of_line){0, 0};
    return part ? (span_of_line){part->lo[axis], part->hi[axis]}
                : (span_of_line){0, v->extent[axis]};
}

pav_status line_fill(const view *v, int axis, const int64_t *from, const span_of_line *of,
                     line_values *next, void *file, progress_sink *a)
{
    double values[LINE_PIECE];

    for (int64_t i = of->lo; i < of->hi; i += LINE_PIECE) {
        const int64_t left = of->hi - i, count = left < LINE_PIECE ? left : LINE_PIECE;
        box part;
        for (int n = 0; n < PAV_MAX_DIMENSIONS; n++) {
            part.lo[n] = n == axis ? i : from[n];
            part.hi[n] = part.lo[n] + (n == axis ? count : 1);
        }
        TRY(next(file, values, count));
        view_write_box(v, &part, PAV_F64, values);
        TRY(progress_add(a, count));
    }
    return PAV_OK;
}
