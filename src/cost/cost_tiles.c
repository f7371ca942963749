/* SPDX-License-Identifier: BSD-3-Clause */
/* What a time block of several steps moves on processors.
 *
 * A tile's operations touch, along y, as many rows as a time block is skewed by and a few
 * more; all levels of what steps store and of what they read. As long as that stays in a
 * core's cache, memory sees each level read once and written once in a time block,
 * whatever its depth, and again the strips by which columns overlap by their skew. */
#include "cost/cost.h"

static void see(const ir *code, int field, bool *seen, cost_traffic *t)
{
    const ir_field *f = &code->field[field];
    const double size = (double)pav_type_size(f->storage);
    if (seen[field])
        return;
    seen[field] = true;
    t->held += f->updated ? f->levels * size : size;
    t->moved += f->updated ? 2 * f->levels * size : size;
}

static void see_stage(const ir *code, const ir_stage *s, bool *seen, cost_traffic *t)
{
    for (int64_t n = 0; n < s->count; n++)
        if (s->node[n].op == IR_LOAD)
            see(code, s->node[n].field, seen, t);
    for (int64_t n = 0; n < s->outputs; n++)
        if (s->output[n].kind == IR_STORE)
            see(code, s->output[n].field, seen, t);
}

pav_status cost_traffic_of(const ir *code, const ir_blocking *b, cost_traffic *t)
{
    bool *seen = mem_new(code->fields + 1, sizeof *seen);
    *t = (cost_traffic){0};
    if (!seen)
        return PAV_ENOMEM;
    for (int64_t k = 0; k < b->operations; k++)
        if (b->operation[k].kind == OPERATION_STAGE)
            see_stage(code, &code->stage[b->operation[k].stage], seen, t);
    mem_free(seen);
    return PAV_OK;
}

int64_t cost_skew(const ir_blocking *b, int axis, int depth)
{
    int most = b->skew[axis];
    for (int64_t k = 0; k < b->operations; k++)
        most = int_most(most, b->operation[k].skew[axis]);
    return (int64_t)(depth - 1) * b->skew[axis] + 2 * most;
}

double cost_tile_bytes(const cost_traffic *t, const ir_blocking *b, int column, int width,
                       int depth, double steps)
{
    const double again = column >= 0 && width > 0
                             ? (double)cost_skew(b, column, depth) / width
                             : 0;
    return t->moved * (1 + again) / steps;
}
