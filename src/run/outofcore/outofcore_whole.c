/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that all levels of a grid out of core belong to one step. They do not while a
 * block is under way, or after a visit has failed. */
#include "run/outofcore/outofcore_private.h"

pav_status outofcore_check_whole(const pav_run *run)
{
    const outofcore *o = run->outofcore;
    int64_t step;
    if (o && o->under_way)
        return FAIL(PAV_EINVAL,
                    "visits of a block of steps are under way, so that the fields of %s "
                    "are of no step: ask when the block is over, or once pav_run_steps "
                    "has returned",
                    run->program->name);
    if (!o || o->broken == PAV_OK)
        return PAV_OK;
    const char *kept = pav_run_checkpointed(run, &step);
    if (kept)
        return FAIL(o->broken,
                    "visits of a block of steps failed, so that the fields of %s are of "
                    "no step: go on from the checkpoint %s of step %lld; the failure was "
                    "this: %s",
                    run->program->name, kept, (long long)step,
                    o->why_broken ? o->why_broken : "memory ran out");
    return FAIL(o->broken,
                "visits of a block of steps failed, so that the fields of %s are of no "
                "step: open the run again; the failure was this: %s",
                run->program->name, o->why_broken ? o->why_broken : "memory ran out");
}
