/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels of fields as the host sees them. Whoever reads or writes points of a field on the host asks here: in a run
 * on a GPU the views of the run are not for the host. */
#include "run/run_private.h"

static pav_status host_view(const subdomain *part, int field, int level, host_use how,
                            const box *range, const view **v)
{
    *v = part->view[field][1 - level];
    return *v ? part->executor->ops.host_view(part->executor, field, *v, how, range, v)
              : PAV_OK;
}

pav_status run_host_box(const pav_run *run, int field, int level, const box *range,
                        const view **v)
{
    return host_view(run->part, field, level, HOST_READ, range, v);
}

pav_status run_host_view(const pav_run *run, int field, int level, host_use how,
                         const view **v)
{
    return host_view(run->part, field, level, how, NULL, v);
}
