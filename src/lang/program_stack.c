/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks: programs that differ in where their sources and receivers lie alone, computed
 * as one, each on its own copy of the grid. The copies lie along an axis beyond the last,
 * across which nothing is read; so each point has the value, and the bits, that it has
 * alone. */
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
