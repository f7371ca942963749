/* SPDX-License-Identifier: BSD-3-Clause */
/* Faces of a grid in persistent blocks: do the values there change from step to step? */
#include "codegen/gpu/time/fused_private.h"

/* True if the value is the same in all steps, until a user sets a scalar. */
static bool is_constant(const ir *code, const ir_node *n)
{
    if (n->op == IR_UNIFORM || n->op == IR_RANDOM)
        return code->uniform[n->uniform].kind == UNIFORM_PARAM;
    return n->op != IR_LOAD;
}

static bool gives_one_value(const ir *code, const ir_stage *stage)
{
    bool one = true;

    for (int64_t k = 0; k < stage->count; k++)
        one = one && is_constant(code, &stage->node[k]);
    return one;
}

bool persistent_updates_faces(const fused_plan *p, int field)
{
    bool gives = false;

    for (int axis = 0; axis < p->code->dim; axis++)
        for (int side = 0; side < 2; side++) {
            const ir_border *b = &p->code->field[field].border[axis][side];
            if (border_wraps(b->kind))
                gives |= !persistent_is_split(p, axis);
            else if (border_is(b->kind))
                gives |= border_rules[b->kind].values
                             ? b->stage >= 0 &&
                                   !gives_one_value(p->code, &p->code->stage[b->stage])
                             : true;
        }
    return gives;
}

/* A bit for each point of a vector along x: some vector has this point on a face or
 * beyond. */
static int points_cut(const fused_plan *p, int field)
{
    const int pack = p->schedule.thread.size[0],
              nx = (int)points_along(p->code, 0, false);
    const int *inset = fused_stage_of(p, &p->operation[0])->inset[0],
              *halo = p->code->field[field].halo[0];
    int cut = 0;

    if (p->periodic[0] && persistent_is_split(p, 0))
        return 0;
    for (int n = inset[0] - 1; n >= -halo[0]; n--)
        cut |= 1 << (n + pack * halo[0]) % pack;
    for (int n = nx - inset[1]; n < nx + halo[1]; n++)
        cut |= 1 << n % pack;
    return cut;
}

/* For all fields stored by the first stage. */
int persistent_face_mask(const fused_plan *p)
{
    const ir_stage *s = fused_stage_of(p, &p->operation[0]);
    int cut = 0;

    for (int64_t n = 0; n < s->outputs; n++) {
        const int field = s->output[n].field;
        if (!persistent_keeps_in_registers(p, field) ||
            persistent_updates_faces(p, field))
            return -1;
        cut |= points_cut(p, field);
    }
    return cut;
}
