/* SPDX-License-Identifier: BSD-3-Clause */
/* What cannot be computed out of core, and why. */
#include "run/outofcore/outofcore_private.h"

void outofcore_refusal(const pav_run *run, const outofcore *o, text *why)
{
    char string[SCHEDULE_STRING];
    if (run->solver.count > 0)
        text_add(why, "an equation is solved in each of its steps");
    else if (schedule_fuses_steps(&run->schedule) && !places_far(run))
        text_add(why, "the schedule %s takes several steps at once on the whole grid",
                 schedule_string(&run->schedule, string));
    else if (o->requested.again && !o->state.blocking.refusal &&
             o->state.blocking.periodic[run->code->dim - 1])
        text_add(why, "mm and mmt part no axis that wraps around; auto does");
}

bool outofcore_may_be(const pav_run *run)
{
    outofcore o = {0};
    text why = {0};
    bool may = ir_blocking_open(run->code, NULL, &o.state.blocking) == PAV_OK;
    if (may)
        outofcore_refusal(run, &o, &why);
    may = may && why.length == 0 && !why.failed;
    ir_blocking_close(&o.state.blocking);
    text_free(&why);
    return may;
}
