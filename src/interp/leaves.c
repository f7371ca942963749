/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaves of a stage: constants, seeds, indices, views. Both interpreters share this
 * file. */
#include <string.h>

#include "interp/interp_private.h"

bool leaves_are_uniform(const ir_stage *stage)
{
    return stage->outputs > 0 && stage->output[0].kind == IR_SET;
}

pav_type stage_real(const ir_stage *stage)
{
    return leaves_are_uniform(stage) ? PAV_F64 : stage->real;
}

double const_value(pav_type real, num value)
{
    return real == PAV_F32 ? (double)num_f32(value) : num_f64(value);
}

int64_t load_index(ir_transfer transfer, int64_t i, int offset)
{
    switch (transfer) {
    case IR_TO_FINE: return 2 * i + offset;
    case IR_TO_COARSE: return (i + offset) >> 1; /* rounds down, negative indices too */
    default: return i + offset;
    }
}

int64_t node_index(const ir_node *n, int axis, int64_t i)
{
    return load_index(ir_transfer_along(n->transfer, n->kept, axis), i, n->offset[axis]);
}

const view *view_of(const interp_args *args, int field, int level)
{
    const view *const *levels = args->view ? args->view[field] : NULL;

    return levels ? levels[1 - level] : NULL;
}
