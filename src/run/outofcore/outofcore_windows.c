/* SPDX-License-Identifier: BSD-3-Clause */
/* The windows of a run out of core: one on each GPU, or the requested number. They differ
 * only in their blocks. */
#include "run/outofcore/outofcore_private.h"

outofcore *outofcore_of(const pav_run *run, int window)
{
    outofcore *o = run->outofcore;
    return window == 0 ? o : &o->other[window - 1];
}

/* Some blocks cannot overlap: they begin with planes from the end of the last block, or
 * need the store in its old state. */
int outofcore_at_once(const outofcore *o)
{
    const bool alone = o->requested.single || o->requested.again || o->why_stages[0] ||
                       o->state.blocking.periodic[o->axis];
    return alone ? 1 : o->windows;
}

static executor *executor_of(const pav_run *run, const subdomain *window)
{
    return run->place[window->place].executor;
}

/* A further window copies the first, with its own state between blocks. */
static void open_other(pav_run *run, outofcore *other, int n)
{
    const outofcore *o = run->outofcore;
    *other = *o;
    other->state = (time_state){.blocking = o->state.blocking,
                                .stream = o->state.stream,
                                .column = o->state.column};
    other->other = NULL;
    other->span = NULL;
    other->newest = NULL;
    other->passage = (disk_passage){0};
    other->fused = NULL;
    other->window = &run->part->inner[n];
    other->executor = executor_of(run, other->window);
}

pav_status outofcore_open_windows(pav_run *run)
{
    outofcore *o = run->outofcore;
    o->window = run->part->inner;
    o->executor = executor_of(run, o->window);
    if (o->windows == 1)
        return PAV_OK;
    o->other = mem_new(o->windows - 1, sizeof *o->other);
    if (!o->other)
        return PAV_ENOMEM;
    for (int n = 1; n < o->windows; n++)
        open_other(run, &o->other[n - 1], n);
    return PAV_OK;
}

void outofcore_close_windows(pav_run *run)
{
    outofcore *o = run->outofcore;
    if (o->drains) /* after a failed run */
        (void)o->window->executor->ops.exchanged(o->window->executor);
    for (int n = 1; o->other && n < o->windows; n++) {
        outofcore *other = &o->other[n - 1];
        other->state.blocking = (ir_blocking){0};
        time_state_close(run->part->code, &other->state);
        place_launch_free(other->fused);
    }
    mem_free(o->other);
    o->other = NULL;
}
