/* SPDX-License-Identifier: BSD-3-Clause */
/* Strides compiled into kernels. Constant strides let all loads of a level share one
 * pointer. If subdomains of a field differ, its kernels take strides at run time. */
#include "exec/host/host.h"

void kernel_strides_of_whole(ir *code)
{
    for (int64_t k = 0; k < code->fields; k++) {
        ir_field *f = &code->field[k];
        field_shape shape = {.type = f->storage, .dimensions = code->dim, .count = 1};
        for (int axis = 0; axis < MAX_DIM; axis++) {
            shape.extent[axis] = f->extent[axis];
            for (int side = 0; side < 2; side++)
                shape.halo[axis][side] = f->halo[axis][side];
        }
        levels_strides(&shape, f->stride);
    }
}

/* Rows of a GPU's schedule `plain` have no padding, and neither have their host
 * mirrors. */
bool kernel_rows_begin_lines(const ir *code, const emit_slot *slot, int64_t slots,
                             const emit_grid *grid)
{
    for (int64_t k = 0; k < slots; k++) {
        const int64_t size = (int64_t)pav_type_size(code->field[slot[k].field].storage);
        if (slot[k].stored &&
            ((intptr_t)grid[k].data % CPU_LINE != 0 || grid[k].y * size % CPU_LINE != 0 ||
             grid[k].z * size % CPU_LINE != 0))
            return false;
    }
    return true;
}

pav_status kernel_strides_check(const ir *code, const emit_slot *slot, int64_t slots,
                                const emit_grid *grid)
{
    for (int64_t k = 0; k < slots; k++) {
        const ir_field *f = &code->field[slot[k].field];
        const int64_t y = f->stride[1], z = f->stride[2];
        if (y > 0 &&
            ((code->dim > 1 && grid[k].y != y) || (code->dim > 2 && grid[k].z != z)))
            return FAIL(PAV_EINTERNAL,
                        "a kernel made for strides of %lld and %lld points of %s was "
                        "called for %lld and %lld",
                        (long long)y, (long long)z, f->name, (long long)grid[k].y,
                        (long long)grid[k].z);
    }
    return PAV_OK;
}
