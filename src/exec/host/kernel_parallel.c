/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls a kernel by the threads of a team: each takes a box cut from the whole. */
#include <assert.h>

#include "exec/host/host.h"

_Static_assert((int)PARTITION_PIECE == EMIT_PIECE, "no piece is parted");

/* The whole box, and its cut. */
typedef struct shared {
    emit_kernel *kernel;
    const emit_work *whole;
    box box;
    int axis, parts;
} shared;

/* Offset of a part's reductions in the whole's. */
static int64_t reduction_offset(const emit_work *whole, const box *part)
{
    return reduction_piece(part->lo[0]) - reduction_piece(whole->lo[0]) +
           (part->lo[1] - whole->lo[1]) * whole->folds[0] +
           (part->lo[2] - whole->lo[2]) * whole->folds[1];
}

static void call_part(void *argument, int64_t n)
{
    const shared *s = argument;
    emit_work w = *s->whole;
    box part;

    if (!partition_box(&s->box, s->axis, s->parts, n, &part))
        return;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        w.lo[axis] = part.lo[axis];
        w.hi[axis] = part.hi[axis];
    }
    if (w.fold) {
        const int64_t offset = reduction_offset(s->whole, &part);
        assert(offset >= 0 && offset < s->whole->folds[2]); /* room for all pieces */
        w.fold += offset;
    }
    /* Threads store whole lines: two threads share a line only at the ends of rows. */
    assert(s->axis > 0 || part.lo[0] == s->box.lo[0] || part.lo[0] % CPU_LINE == 0);
    s->kernel(&w);
}

void kernel_call(host_team *team, emit_kernel *kernel, const emit_work *w,
                 const schedule *m)
{
    const int threads = schedule_threads(m);
    shared s = {.kernel = kernel, .whole = w, .axis = schedule_axis(m), .parts = threads};

    if (threads == 1) {
        kernel(w);
        return;
    }
    for (int axis = 0; axis < MAX_DIM; axis++) {
        s.box.lo[axis] = w->lo[axis];
        s.box.hi[axis] = w->hi[axis];
    }
    host_team_run(team, threads, call_part, &s);
}
