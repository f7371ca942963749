/* SPDX-License-Identifier: BSD-3-Clause */
/* Work on the second queue, concurrent with the first: halo exchange. */
#include "device/device_private.h"

pav_status gpu_concurrent(gpu *g, gpu_concurrent_step step)
{
    if (!g->ops->concurrent)
        return PAV_OK;
    TRY(rounds_flush(g));
    return g->ops->concurrent(g, step);
}

pav_status gpu_join(gpu *g, gpu *other)
{
    if (!g->ops->join || g->ops != other->ops)
        return PAV_OK;
    TRY(rounds_flush(g));
    return g->ops->join(g, other);
}
