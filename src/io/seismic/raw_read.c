/* SPDX-License-Identifier: BSD-3-Clause */
/* Raw binary models: values without a header. The description gives type, byte order and
 * order of axes. */
#include <string.h>

#include "io/io_private.h"

typedef struct raw_file {
    in_file in;
    const raw_layout *layout;
} raw_file;

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

static pav_status read_values(void *file, double *values, int64_t count)
{
    raw_file *f = file;
    in_file *in = &f->in;
    const raw_layout *l = f->layout;
    const int size = (int)pav_type_size(l->type);
    char bytes[LINE_PIECE * sizeof(double)];
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

/* Reads a line along the axis contiguous in the file, starting at `from`. */
static pav_status read_line(raw_file *f, const view *v, const box *part,
                            const int64_t *from, progress_sink *a)
{
    const int axis = f->layout->axis[0];
    const int64_t size = (int64_t)pav_type_size(f->layout->type);
    const span_of_line of = span_in_part(v, part, axis, from);

    TRY(in_skip(&f->in, of.lo * size));
    TRY(line_fill(v, axis, from, &of, read_values, f, a));
    return in_skip(&f->in, (v->extent[axis] - of.hi) * size);
}

static pav_status read_lines(raw_file *f, int dimensions, const view *v, const box *part,
                             progress_sink *a)
{
    const raw_layout *l = f->layout;
    const int middle = dimensions > 1 ? l->axis[1] : -1;
    const int slow = dimensions > 2 ? l->axis[2] : -1;
    int64_t from[PAV_MAX_DIMENSIONS] = {0};

    for (int64_t k = 0; k < (slow < 0 ? 1 : v->extent[slow]); k++)
        for (int64_t j = 0; j < (middle < 0 ? 1 : v->extent[middle]); j++) {
            if (middle >= 0)
                from[middle] = j;
            if (slow >= 0)
                from[slow] = k;
            TRY(read_line(f, v, part, from, a));
        }
    return PAV_OK;
}

pav_status raw_read_view(const char *path, const raw_layout *l, int dimensions,
                         const view *v, const box *part, progress_sink *a)
{
    raw_file f = {.layout = l};

    TRY(in_open(&f.in, path));
    pav_status status = check_size(path, &f.in, l, dimensions, v);
    if (status == PAV_OK)
        status = read_lines(&f, dimensions, v, part, a);
    in_close(&f.in);
    return status;
}
