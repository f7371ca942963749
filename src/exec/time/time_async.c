/* SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous relaxation: blocks of planes (rows, in two dimensions) take several steps
 * without waiting for each other, and read the values their neighbours have at that
 * moment (`chaotic n by m`).
 * A thread goes through its planes block by block, and takes all steps of a block one
 * after another. The planes at the ends of its range are touched by two threads, so they
 * are loaded and stored with relaxed atomic accesses. After the steps all threads have
 * the same level, and see the newest values of others. */
#include <stdatomic.h>

#include "exec/time/tile_private.h"

typedef struct blocks {
    time_block block;
    int axis;               /* the slowest */
    int64_t read_by_others; /* planes at the ends of a thread's range, and planes in a
                             * vector with them */
    _Atomic int failed;     /* a status */
} blocks;

/* ---- one block --------------------------------------------------------------------- */

/* The planes of a thread, or of one of its blocks. */
static span planes_of(const blocks *b, int64_t first, int64_t end)
{
    const time_axis *a = &b->block.axis[b->axis];
    const int64_t hi = end * a->width;
    return (span){first * a->width, hi < a->extent ? hi : a->extent};
}

static pav_status go_through(const blocks *b, const time_instance *m, span own,
                             span planes)
{
    const int axis = b->axis;
    box part = m->box;
    part.lo[axis] = planes.lo > part.lo[axis] ? planes.lo : part.lo[axis];
    const int64_t end = planes.hi < part.hi[axis] ? planes.hi : part.hi[axis];
    const int64_t ends = b->block.threads > 1 ? b->read_by_others : 0;
    const int64_t until[] = {own.lo + ends, own.hi - ends, end};
    for (int n = 0; n < 3; n++) {
        part.hi[axis] = until[n] < end ? until[n] : end;
        if (part.hi[axis] <= part.lo[axis])
            continue;
        if (n == 1)
            TRY(ready_call(&m->stage, &part));
        else
            ready_call_relaxed(&m->stage, &part);
        part.lo[axis] = part.hi[axis];
    }
    return PAV_OK;
}

static pav_status all_steps(const blocks *b, span own, int64_t block)
{
    time_tile t = {.end = b->block.instances};
    t.at[b->axis] = block;
    for (int64_t n = 0; n < b->block.instances; n++) {
        const time_instance *m = &b->block.instance[n];
        if (m->operation->kind != OPERATION_STAGE)
            continue;
        TRY(go_through(b, m, own, planes_of(b, block, block + 1)));
        TRY(time_fill_borders(&b->block, m, &t));
    }
    return PAV_OK;
}

static void take_planes(void *argument, int64_t thread)
{
    blocks *b = argument;
    const int64_t count = b->block.axis[b->axis].tiles;
    const int64_t first = thread * count / b->block.threads;
    const int64_t end = (thread + 1) * count / b->block.threads;
    pav_status status = PAV_OK;
    for (int64_t k = first; k < end && status == PAV_OK; k++)
        status = all_steps(b, planes_of(b, first, end), k);
    if (status != PAV_OK)
        atomic_store(&b->failed, (int)status);
}

/* ---- a block of steps -------------------------------------------------------------- */

/* Every thread gets at least one block; a block is no wider than an even share of the
 * planes. */
static void cut_axes(blocks *b, int64_t requested)
{
    const ir *code = b->block.whole->code;
    const int threads = b->block.team ? host_team_threads(b->block.team) : 1;
    for (int axis = 0; axis < MAX_DIM; axis++) {
        time_axis *a = &b->block.axis[axis];
        const int64_t n = axis < code->dim ? points_along(code, axis, false) : 1;
        *a = (time_axis){.extent = n, .width = n, .tiles = 1};
        if (axis != b->axis)
            continue;
        const int64_t share = (n + threads - 1) / threads;
        a->width = requested < share ? requested : share;
        a->tiles = (n + a->width - 1) / a->width;
        b->block.threads = a->tiles < threads ? (int)a->tiles : threads;
    }
}

pav_status time_block_take_async(const time_block *like, int64_t width,
                                 int64_t read_by_others)
{
    blocks b = {.block = *like,
                .axis = like->whole->code->dim - 1,
                .read_by_others = read_by_others};
    cut_axes(&b, width);
    pav_status status = time_instances_open(&b.block);
    for (int64_t n = 0; status == PAV_OK && n < b.block.instances; n++)
        for (int axis = 0; axis < MAX_DIM; axis++)
            b.block.instance[n].shift[axis] = 0;
    if (status == PAV_OK)
        host_team_run(b.block.team, b.block.threads, take_planes, &b);
    time_instances_close(&b.block);
    TRY(status);
    status = (pav_status)atomic_load(&b.failed);
    if (status != PAV_OK)
        return FAIL(status, "a block of several steps could not be computed");
    time_end_steps(like->whole, like->steps);
    return PAV_OK;
}
