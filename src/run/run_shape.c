/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of fields in memory, and the strides known to kernels. */
#include <string.h>

#include "run/run_private.h"

/* Fields of one size get the same strides, because GPU kernels may assume this. */
static void make_room(const pav_run *run, const ir_field *f, field_shape *shape)
{
    for (int64_t n = 0; n < run->part->code->fields; n++) {
        const ir_field *other = &run->part->code->field[n];
        if (memcmp(other->extent, f->extent, sizeof f->extent) != 0 ||
            pav_type_size(other->storage) != pav_type_size(f->storage))
            continue;
        for (int axis = 0; axis < 2; axis++) {
            const int64_t room = other->halo[axis][0] + other->halo[axis][1];
            shape->room[axis] = room > shape->room[axis] ? room : shape->room[axis];
        }
    }
}

field_shape run_shape_of(const pav_run *run, const ir_field *f)
{
    field_shape shape = {.type = f->storage,
                         .dimensions = run->part->code->dim,
                         .count = field_buffers(f, run->part->fuses_steps),
                         .line = subdomain_line(run->part, f->storage)};
    for (int axis = 0; axis < MAX_DIM; axis++) {
        shape.extent[axis] = f->extent[axis];
        shape.halo[axis][0] = f->halo[axis][0];
        shape.halo[axis][1] = f->halo[axis][1];
    }
    make_room(run, f, &shape);
    return shape;
}

/* ---- strides that kernels count on ------------------------------------------------- */

static void forget(ir_field *f)
{
    for (int axis = 0; axis < MAX_DIM; axis++)
        f->stride[axis] = 0;
}

static bool is_same(const int64_t a[MAX_DIM], const int64_t b[MAX_DIM])
{
    return a[1] == b[1] && a[2] == b[2];
}

/* Keeps strides equal in all subdomains. */
static void find_common(const pav_run *run, int64_t field)
{
    ir_field *f = &run->code->field[field];
    const field_shape whole = run_shape_of(run, f);
    for (int64_t n = 0; n < run->part->inners; n++) {
        int64_t own[MAX_DIM];
        const field_shape shape = subdomain_shape(&run->part->inner[n], field, &whole);
        levels_strides(&shape, n > 0 ? own : f->stride);
        if (n > 0 && !is_same(own, f->stride)) {
            forget(f);
            return;
        }
    }
}

/* Kernels of a bundle do not know the grid's size, except those compiled for it. */
bool run_serves_sizes(const pav_run *run)
{
    return run->options.bundle || images_are_recorded();
}

void run_fix_strides(pav_run *run)
{
    for (int64_t k = 0; k < run->code->fields; k++)
        forget(&run->code->field[k]);
    if (run_uses_device_memory(run) ||
        (run_serves_sizes(run) && (!run->opened.of_size || run->cut.is_cut)))
        return;
    if (!run->cut.is_cut)
        kernel_strides_of_whole(run->code);
    for (int64_t k = 0; run->cut.is_cut && k < run->code->fields; k++)
        find_common(run, k);
}

int64_t run_most_planes(const pav_run *run, planes_bytes *of, int64_t most, int64_t limit)
{
    int64_t low = 0, high = most, bytes;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (of(run, middle, &bytes) && bytes <= limit)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

bool run_fields_bytes(const pav_run *run, planes_shape *of, int64_t planes,
                      int64_t *bytes)
{
    const ir *code = run->code;
    *bytes = 0;
    for (int64_t f = 0; f < code->fields; f++) {
        const field_shape shape = of(run, &code->field[f], planes);
        levels_size size;
        if (code->field[f].memory)
            continue;
        if (!levels_measure(&shape, &size) || !add_fits(*bytes, size.bytes, bytes))
            return false;
    }
    return true;
}
