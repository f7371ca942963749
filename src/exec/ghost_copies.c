/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts that are copies, on processors. Threads divide a face in the same way as the
 * points, so most copied points are still in the cache of the thread that stored them. */
#include "exec/exec_private.h"
#include "machine/machine.h"

enum {
    ALONE = 16
}; /* contiguous points with the cost of one point at the end of a row */

typedef struct face {
    const view *v;
    int axis;
    ghost_sides sides;
    box range;
    int cut, parts;
} face;

static void fill_part(void *argument, int64_t n)
{
    const face *f = argument;
    box part;

    if (partition_box(&f->range, f->cut, f->parts, n, &part))
        ghost_fill(f->v, f->axis, f->sides, &part);
}

void ghosts_copy(host_team *team, const view *v, int axis, ghost_sides sides,
                 const box *range)
{
    face f = {.v = v, .axis = axis, .sides = sides, .range = *range};

    f.range.lo[axis] = 0;
    f.range.hi[axis] = 1;
    const int64_t work = box_points(&f.range) * (axis == 0 ? ALONE : 1);
    f.parts = work >= CPU_PARALLEL_POINTS ? host_team_threads(team) : 1;
    f.cut = partition_axis(&f.range, f.parts);
    if (f.parts == 1 || f.cut == axis)
        ghost_fill(v, axis, sides, range);
    else
        host_team_run(team, f.parts, fill_part, &f);
}
