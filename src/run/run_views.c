/* SPDX-License-Identifier: BSD-3-Clause */
/* Host views of levels. All host code that reads or writes points of a field must get its
 * view here: on a GPU, the run's own views point to device memory. */
#include "run/run_private.h"

pav_status run_host_box(const pav_run *run, int field, int level, const box *range,
                        const view **v)
{
    return subdomain_host_view(run->part, field, level, HOST_READ, range, v);
}

pav_status run_host_view(const pav_run *run, int field, int level, host_use how,
                         const view **v)
{
    if (how == HOST_CHANGE || how == HOST_FILL)
        run->part->steady = 0;
    return subdomain_host_view(run->part, field, level, how, NULL, v);
}

void run_keep_awake(pav_run *run, bool awake)
{
    if (awake)
        host_team_keep_awake(run->team.all);
    else
        host_team_release(run->team.all);
}
