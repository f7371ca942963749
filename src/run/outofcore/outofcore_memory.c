/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a window of so many planes, and how many planes a limit holds. */
#include "run/outofcore/outofcore_private.h"

field_shape outofcore_shape_of(const pav_run *run, const ir_field *f, int64_t planes)
{
    const int axis = run->outofcore->axis;
    field_shape shape = run_shape_of(run, f);
    shape.count = outofcore_buffers(run, f);
    if (outofcore_is_whole(run->outofcore, f))
        return shape;
    shape.extent[axis] = f->coarse ? 1 : planes; /* of those nothing is visited */
    shape.halo[axis][0] = shape.halo[axis][1] = 0;
    return shape;
}

static bool fields_bytes(const pav_run *run, int64_t planes, int64_t *bytes)
{
    const ir *code = run->code;
    *bytes = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        const field_shape shape = outofcore_shape_of(run, &code->field[f], planes);
        levels_size size;
        if (code->field[f].memory)
            continue;
        if (!levels_measure(&shape, &size) || !add_fits(*bytes, size.bytes, bytes))
            return false;
    }
    return true;
}

bool outofcore_bytes(const pav_run *run, int64_t planes, int64_t *bytes)
{
    const int64_t others = run_on_device(run)
                               ? subdomain_table_bytes(run->code) +
                                     place_reduction_bytes(run_place(run), run->code)
                               : 0;
    return fields_bytes(run, planes, bytes) && add_fits(*bytes, others, bytes);
}

bool outofcore_window_bytes(const pav_run *run, int64_t *planes, int64_t *bytes)
{
    *planes = run->outofcore->planes;
    return fields_bytes(run, *planes, bytes);
}

/* The most planes of a window that the memory holds; 0: none. */
int64_t outofcore_most_planes(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    int64_t lo = 0, hi = 4 * (o->extent + 2 * o->halo + o->unit);
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo + 1) / 2;
        int64_t bytes;
        if (outofcore_bytes(run, middle, &bytes) && bytes <= o->limit)
            lo = middle;
        else
            hi = middle - 1;
    }
    return lo;
}
