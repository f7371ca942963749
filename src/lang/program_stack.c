/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks: programs that differ only in the positions of sources and receivers, computed
 * together. Each has its own copy of the grid. The copies lie along an extra axis without
 * any reads across it, so each point is bitwise identical to a separate run. */
#include "lang/lang_private.h"

void program_stack(program *p, const program *const *shot, int64_t count)
{
    p->shot = shot;
    p->shots = count;
    p->axis[p->dim] = (axis_grid){.points = count,
                                  .origin = num_int(0),
                                  .step = num_int(1),
                                  .span = num_int(1),
                                  .over = num_int(1)};
}

int program_axes(const program *p)
{
    return p->dim + (p->shots > 0);
}

int64_t program_all_points(const program *p)
{
    int64_t count = 1;

    for (int axis = 0; axis < program_axes(p); axis++)
        count *= p->axis[axis].points;
    return count;
}

bool sample_is_whole(const statement *s)
{
    return (s->kind == STATEMENT_SAMPLE && !s->gather) || s->kind == STATEMENT_GATHER;
}

const statement *statement_of_shot(const program *p, const statement *s, int64_t k)
{
    if (p->shots == 0)
        return s;
    const statement *own = p->shot[k]->first;
    for (const statement *n = p->first; n != s; n = n->next)
        own = own->next;
    return own;
}
