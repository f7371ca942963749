/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks that ask for planes some time before they read them, so that they come from the second-level cache then. A
 * thread asks for its own points only: what is around them others ask for. It costs no registers, as reading
 * ahead does. */
#include "emit/emit_private.h"

typedef struct asked {
    int lead,
        last; /* the farthest planes that are read already, and that are ever read */
} asked;

static asked planes_asked(const emit_stage *e, int slot)
{
    const stream *s = e->stream;
    asked a = {-MAX_OFFSET, -MAX_OFFSET};

    for (int64_t n = 0; n < s->columns; n++) {
        const column *c = &s->column[n];
        if (c->slot != slot)
            continue;
        a.lead = cuda_lead(s, c) > a.lead ? cuda_lead(s, c) : a.lead;
        a.last = c->last > a.last ? c->last : a.last;
    }
    if (cuda_ring_of(s, slot))
        a.lead = a.last + e->schedule->ahead;
    return a;
}

/* "kernel_prefetch(at_f0_u + 3 * a.g0.z + a.g0.y);" */
static void add_request(const emit_stage *e, int slot, int plane, int row)
{
    text_add(e->t, "            kernel_prefetch(at_");
    emit_slot_name(e, slot, e->t);
    cuda_add_stride(plane, cuda_plane_stride(e->stream), slot, e->t);
    cuda_add_stride(row, 'y', slot, e->t);
    text_add(e->t, ");\n");
}

static void add_slot(const emit_stage *e, int slot)
{
    const asked a = planes_asked(e, slot);
    const int plane = a.lead + e->schedule->prefetch;

    if (a.lead == -MAX_OFFSET)
        return;
    text_add(e->t, "        if (%s + %d < to + %d) {\n", cuda_plane_index(e->stream),
             plane, a.last);
    for (int row = 0; row < e->stream->rows; row++)
        add_request(e, slot, plane, row);
    text_add(e->t, "        }\n");
}

void cuda_prefetch(const emit_stage *e)
{
    for (int slot = 0; slot < e->slots && e->schedule->prefetch > 0; slot++)
        add_slot(e, slot);
}
