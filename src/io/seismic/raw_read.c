/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw binary models: values alone, whose type, byte order and order of axes the
 * description says. */
#include <string.h>

#include "io/io_private.h"

enum {
    PIECE = 4096 /* values */
};

static pav_status check_size(const char *path, const in_file *in, const raw_layout *l,
                             int dimensions, const view *v)
{
    int64_t there, needed = (int64_t)pav_type_size(l->type);

    for (int axis = 0; axis < dimensions; axis++)
        needed *= v->extent[axis];
    TRY(in_size(in, &there));
    if (there < 0 || there == needed)
        return PAV_OK;
    return FAIL(PAV_EFORMAT, "%s has %lld bytes, but the grid's points in %s take %lld",
                path, (long long)there, pav_type_name(l->type), (long long)needed);
}

static void turn_bytes(char *bytes, int64_t count, int size)
{
    for (int64_t n = 0; n < count; n++, bytes += size)
        for (int i = 0; i < size / 2; i++) {
            const char kept = bytes[i];
            bytes[i] = bytes[size - 1 - i];
            bytes[size - 1 - i] = kept;
        }
}

/* As many values as the file goes on with, PIECE at most. */
static pav_status read_values(in_file *in, const raw_layout *l, int64_t count,
                              double *values)
{
    const int size = (int)pav_type_size(l->type);
    char bytes[PIECE * sizeof(double)];
    int64_t got;

    TRY(in_read(in, bytes, count * size, &got));
    if (got < count * size)
        return FAIL(PAV_EFORMAT, "%s is cut short", in->path);
    if (l->swapped)
        turn_bytes(bytes, count, size);
    for (int64_t n = 0; n < count; n++)
        values[n] = type_load(l->type, bytes + n * size);
    return PAV_OK;
}

/* Of the axis that is contiguous in the file, from `from` on. */
static pav_status read_line(in_file *in, const raw_layout *l, const view *v,
                            const box *part, const int64_t *from, progress_sink *a)
{
    const int axis = l->axis[0];
    const int64_t size = (int64_t)pav_type_size(l->type);
    const span_of_line of = span_in_part(v, part, axis, from);
    double values[PIECE];

    TRY(in_skip(in, of.lo * size));
    for (int64_t i = of.lo; i < of.hi; i += PIECE) {
        const int64_t left = of.hi - i, count = left < PIECE ? left : PIECE;
        box points;
        for (int n = 0; n < PAV_MAX_DIMENSIONS; n++) {
            points.lo[n] = n == axis ? i : from[n];
            points.hi[n] = points.lo[n] + (n == axis ? count : 1);
        }
        TRY(read_values(in, l, count, values));
        view_write_box(v, &points, PAV_F64, values);
        TRY(progress_add(a, count));
    }
    return in_skip(in, (v->extent[axis] - of.hi) * size);
}

static pav_status read_lines(in_file *in, const raw_layout *l, int dimensions,
                             const view *v, const box *part, progress_sink *a)
{
    const int middle = dimensions > 1 ? l->axis[1] : -1;
    const int slow = dimensions > 2 ? l->axis[2] : -1;
    int64_t from[PAV_MAX_DIMENSIONS] = {0};

    for (int64_t k = 0; k < (slow < 0 ? 1 : v->extent[slow]); k++)
        for (int64_t j = 0; j < (middle < 0 ? 1 : v->extent[middle]); j++) {
            if (middle >= 0)
                from[middle] = j;
            if (slow >= 0)
                from[slow] = k;
            TRY(read_line(in, l, v, part, from, a));
        }
    return PAV_OK;
}

pav_status raw_read_view(const char *path, const raw_layout *l, int dimensions,
                         const view *v, const box *part, progress_sink *a)
{
    in_file in = {0};

    TRY(in_open(&in, path));
    pav_status status = check_size(path, &in, l, dimensions, v);
    if (status == PAV_OK)
        status = read_lines(&in, l, dimensions, v, part, a);
    in_close(&in);
    return status;
}
