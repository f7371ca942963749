/* SPDX-License-Identifier: BSD-3-Clause */
/* Single steps with matched layers: their terms are computed next to the faces alone
 * (plan/layered.c proves bitwise identity). Before that, one whole step for each buffer
 * of a field makes sure that every buffer is 0 at points never stored again. */
#include <assert.h>

#include "exec/exec_private.h"

/* On a GPU, launches for the boxes next to the faces take longer than one launch over all
 * points if the inside has too few points to fill the GPU. */
static bool is_worth(const executor *e, const box *inside)
{
    return box_points(inside) >= e->full;
}

bool subdomain_is_layered(const subdomain *part, int stage)
{
    const ir_stage *s = &part->code->stage[stage];

    return s->layered && part->executor->compiled && part->inners == 0 &&
           part->singles >= subdomain_most_buffers(part) &&
           is_worth(part->executor, &s->inside);
}

static bool may_rest(const subdomain *part, const ir_stage *s)
{
    bool may = s->gated && part->executor->compiled && part->inners == 0 &&
               part->uniform[s->gate] == 0;

    for (int64_t k = 0; may && k < s->outputs; k++)
        may = part->field[s->output[k].field].count == 2;
    return may;
}

/* The two levels of each output are swapped here, and again at the end of the step, so
 * both stay in place. */
bool subdomain_rests(subdomain *part, int stage)
{
    const ir_stage *s = &part->code->stage[stage];

    if (!may_rest(part, s))
        return false;
    for (int64_t k = 0; k < s->outputs; k++)
        levels_rotate(&part->field[s->output[k].field]);
    subdomain_refresh_views(part);
    return true;
}

static pav_status take_adjacent(subdomain *part, const ir_stage *s, box *left, int axis,
                                int side)
{
    const box *inside = &s->inside;
    box strip = *left;

    if (side)
        strip.lo[axis] = left->hi[axis] = inside->hi[axis];
    else
        strip.hi[axis] = left->lo[axis] = inside->lo[axis];
    return box_is_empty(&strip) ? PAV_OK : subdomain_stage(part, s->strip[axis], &strip);
}

static pav_status take_layered(subdomain *part, const ir_stage *s)
{
    box left = ir_stage_box(part->code, s);

    /* guaranteed by the plan: the layers surround the inside */
    assert(box_is_inside(&s->inside, &left));
    for (int axis = part->code->dim - 1; axis >= 0; axis--)
        for (int side = 0; side < 2; side++)
            TRY(take_adjacent(part, s, &left, axis, side));
    return s->bare >= 0 ? subdomain_stage(part, s->bare, &left) : PAV_OK;
}

pav_status subdomain_step_stage(subdomain *part, int stage)
{
    const ir_stage *s = &part->code->stage[stage];

    return subdomain_is_layered(part, stage) ? take_layered(part, s)
                                             : subdomain_stage(part, stage, NULL);
}
