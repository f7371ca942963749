/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames: the points of a field shown by an output. A stride along every axis describes a
 * crop, a plane or every k-th point without a copy. Coordinates are computed exactly. */
#include <string.h>

#include "io/io_private.h"

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

int64_t frame_bytes(const io_frame *f)
{
    return frame_count(f) * (int64_t)pav_type_size(f->type);
}

double frame_coordinate(const io_frame *f, int axis, int64_t index)
{
    const frame_axis *s = &f->scale[axis];
    const num steps = num_int(s->first + index * s->every);

    if (s->at)
        return s->at[s->first + index * s->every];
    return num_f64(num_add(s->origin, num_div(num_mul(steps, s->span), s->over)));
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

/* Copies `count` elements of `size` bytes, each `stride` elements after the one
 * before. */
static void gather(char *to, const char *from, int64_t count, int64_t stride, size_t size)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * (int64_t)size, from + i * stride * (int64_t)size, size);
}

void frame_read(const io_frame *f, int64_t from, int64_t j, int64_t k, int64_t count,
                pav_type type, void *values)
{
    enum { PIECE = 512 };
    const size_t size = pav_type_size(f->type), wide = pav_type_size(type);
    const int64_t first = from * f->stride[0] + j * f->stride[1] + k * f->stride[2];
    const char *at = (const char *)f->data + first * (int64_t)size;
    double piece[PIECE];

    if (f->stride[0] == 1) {
        type_convert(type, values, f->type, at, count);
        return;
    }
    for (int64_t i = 0; i < count; i += PIECE) {
        const int64_t part = count - i < PIECE ? count - i : PIECE;
        gather((char *)piece, at + i * f->stride[0] * (int64_t)size, part, f->stride[0],
               size);
        type_convert(type, (char *)values + i * (int64_t)wide, f->type, piece, part);
    }
}

/* ---- copies ------------------------------------------------------------------------ */

pav_status frame_copy(const io_frame *f, io_frame *copy)
{
    const int64_t row = f->extent[0] * (int64_t)pav_type_size(f->type);
    char *to = mem_big(frame_bytes(f));

    *copy = *f;
    copy->data = to;
    copy->stride[0] = 1;
    copy->stride[1] = f->extent[0];
    copy->stride[2] = f->extent[0] * f->extent[1];
    if (!to)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < f->extent[2]; k++)
        for (int64_t j = 0; j < f->extent[1]; j++, to += row)
            frame_read(f, 0, j, k, f->extent[0], f->type, to);
    return PAV_OK;
}

void frame_free(io_frame *copy)
{
    if (copy->data)
        mem_big_free((void *)(uintptr_t)copy->data, frame_bytes(copy));
    copy->data = NULL;
}

double frame_origin(const io_frame *f, int axis)
{
    return axis < f->grid_dimensions ? frame_coordinate(f, axis, 0) : 0;
}
