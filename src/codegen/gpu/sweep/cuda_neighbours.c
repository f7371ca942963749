/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps with shuffles: threads take neighbours along x from each other. The neighbour
 * vector in a thread's own row is in a register of the neighbour thread. Threads at the
 * ends of warps, and of the box, load it themselves. */
#include "codegen/codegen_private.h"

/* The neighbour thread's column with these values; NULL: they are loaded from memory. */
const column *cuda_neighbour(const emit_stage *e, const sweep_plan *s, const column *c)
{
    const bool own_row = c->block != 0 && c->block > -GPU_WARP && c->block < GPU_WARP &&
                         c->y >= 0 && c->y < s->rows;

    if (e->schedule->tile.storage != STORAGE_REGISTERS || !own_row)
        return NULL;
    const column *own = cuda_column_at(s, c->slot, 0, c->y);
    const bool has = own && own->single < 0 && own->first <= c->first &&
                     own->last >= c->last && (own->kept || own->early || !c->early);
    return has ? own : NULL;
}

static void add_name(int block, text *t)
{
    text_add(t, "neighbour_%c%d", block < 0 ? 'm' : 'p', block < 0 ? -block : block);
}

static bool has_neighbour_at(const emit_stage *e, int block)
{
    for (int64_t c = 0; c < e->sweep_plan->columns; c++)
        if (e->sweep_plan->column[c].block == block &&
            cuda_neighbour(e, e->sweep_plan, &e->sweep_plan->column[c]))
            return true;
    return false;
}

void cuda_find_neighbours(const emit_stage *e)
{
    for (int block = -GPU_WARP; block <= GPU_WARP; block++) {
        if (!has_neighbour_at(e, block))
            continue;
        text_add(e->t, "    const bool ");
        add_name(block, e->t);
        text_add(e->t, " = has_neighbour<%d, %d>(i);\n", block, e->sweep_plan->lanes);
    }
}

/* "neighbour_point<-1>(f0_u.v[3], at_f0_u - 1, neighbour_m1)" */
void cuda_neighbour_load(const emit_stage *e, const column *c, int z, const char *plane,
                         text *t)
{
    text_add(t, c->single < 0 ? "neighbour_vector<%d>(" : "neighbour_point<%d>(",
             c->block);
    cuda_column_name(e, cuda_neighbour(e, e->sweep_plan, c), z, t);
    if (c->single >= 0)
        text_add(t, ".v[%d]", c->single);
    text_add(t, ", ");
    cuda_column_address(e, c, plane, t);
    text_add(t, ", ");
    add_name(c->block, t);
    text_add(t, ")");
}
