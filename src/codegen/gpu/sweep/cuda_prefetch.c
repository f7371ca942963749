/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps with prefetch: threads request planes some time before the loads, so that the
 * loads hit L2. A thread requests only its own points: other threads request the points
 * around them. Unlike loads ahead of time, this costs no registers. */
#include "codegen/codegen_private.h"

enum { NONE = -MAX_OFFSET };

/* The farthest plane already loaded. */
static int lead_of(const emit_stage *e, int slot)
{
    const sweep_plan *s = e->sweep_plan;
    int lead = NONE;

    for (int64_t n = 0; n < s->columns; n++)
        if (s->column[n].slot == slot && cuda_lead(s, &s->column[n]) > lead)
            lead = cuda_lead(s, &s->column[n]);
    return cuda_ring_of(s, slot) ? lead + e->schedule->tile.ahead : lead;
}

/* "kernel_prefetch(at_f0_u + 3 * a.g0.z + a.g0.y);" */
static void add_request(const emit_stage *e, int slot, int plane, int row)
{
    text_add(e->t, "            kernel_prefetch(at_");
    emit_slot_name(e, slot, e->t);
    cuda_add_stride(plane, cuda_plane_stride(e->sweep_plan), slot, e->t);
    cuda_add_stride(row, 'y', slot, e->t);
    text_add(e->t, ");\n");
}

static void add_slot(const emit_stage *e, int slot)
{
    const int lead = lead_of(e, slot), plane = lead + e->schedule->prefetch;
    const cuda_planes read = cuda_planes_read(e, slot);
    const char *index = cuda_plane_index(e->sweep_plan);

    if (lead == NONE)
        return;
    text_add(e->t, "        if (");
    if (plane - e->sweep_plan->warm < read.first)
        text_add(e->t, "%s + %d >= from + (%d) && ", index, plane, read.first);
    text_add(e->t, "%s + %d < to + %d) {\n", index, plane, read.last);
    for (int row = 0; row < e->sweep_plan->rows; row++)
        add_request(e, slot, plane, row);
    text_add(e->t, "        }\n");
}

void cuda_prefetch(const emit_stage *e)
{
    for (int slot = 0; slot < e->slots && e->schedule->prefetch > 0; slot++)
        add_slot(e, slot);
}
