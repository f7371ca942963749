/* SPDX-License-Identifier: BSD-3-Clause */
/* Absorbing layers. The new value of a damped field is multiplied by g, and a read of an
 * older level -k by g^k. Along each axis g = exp(-(strength*d/n)^2). In the layer, d is n
 * minus the distance from the nearest of its faces; beyond the layer, d is 0. */
#include "plan/plan_private.h"

/* The faces at which a statement damps a field: all except periodic ones. */
static unsigned absorbing_faces(const lowering *l, const statement *absorb, int field)
{
    unsigned faces = absorb->faces;

    for (int axis = 0; axis < l->code->dim; axis++)
        for (int side = 0; side < 2; side++)
            if (border_wraps(l->code->field[field].border[axis][side].kind))
                faces &= ~FACE_BIT(axis, side);
    return faces;
}

/* The distance in points from the nearest face of an axis with the layer. */
static int lower_distance(lowering *l, int axis, unsigned faces, const spot *at)
{
    const int64_t last = points_along(l->code, axis, at->coarse) - 1;
    const int low = lower_index(l, axis, at);
    const int high = lower_op(l, IR_SUB, lower_const(l, num_int(last)), low);

    if (!(faces & FACE_BIT(axis, 1)))
        return low;
    return faces & FACE_BIT(axis, 0) ? lower_op(l, IR_MIN, low, high) : high;
}

static int lower_factor(lowering *l, const statement *s, int axis, unsigned faces,
                        const spot *at)
{
    const int cells = lower_const(l, num_int(s->cell_count));
    const int depth = lower_op(l, IR_SUB, cells, lower_distance(l, axis, faces, at));
    const int d = lower_op(l, IR_MAX, depth, lower_const(l, num_int(0)));
    const int part = lower_op(
        l, IR_DIV, lower_op(l, IR_MUL, lower_const(l, s->strength_value), d), cells);
    const int square = lower_op(l, IR_MUL, part, part);

    return lower_op(l, IR_EXP, lower_op(l, IR_NEG, square, -1), -1);
}

int lower_damping(lowering *l, int field, const spot *at)
{
    int g = -1;

    for (const statement *s = l->program->first; s; s = s->next) {
        if (s->kind != STATEMENT_ABSORB || s->cell_count < 1 || s->matched)
            continue;
        const unsigned faces = absorbing_faces(l, s, field);
        for (int axis = 0; axis < l->code->dim; axis++)
            if (faces & (FACE_BIT(axis, 0) | FACE_BIT(axis, 1))) {
                const int factor = lower_factor(l, s, axis, faces, at);
                g = g < 0 ? factor : lower_op(l, IR_MUL, g, factor);
            }
    }
    return g;
}
