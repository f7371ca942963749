/* SPDX-License-Identifier: BSD-3-Clause */
/* Work concurrent with that of the first queue: halos on their way. */
#include "device/device_private.h"

pav_status gpu_aside(gpu *g, gpu_aside_step step)
{
    if (!g->ops->aside)
        return PAV_OK;
    TRY(rounds_flush(g));
    return g->ops->aside(g, step);
}

pav_status gpu_join(gpu *g, gpu *other)
{
    if (!g->ops->join || g->ops != other->ops)
        return PAV_OK;
    TRY(rounds_flush(g));
    return g->ops->join(g, other);
}
