/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of one GPU reading the memory of another. */
#include "device/device_private.h"

bool gpu_reads(gpu *g, gpu *other)
{
    return g->ops == other->ops && g->ops->reads && g->ops->reads(g, other);
}

pav_status gpu_launch_reading(gpu *g, gpu *other, const gpu_call *call)
{
    TRY(gpu_check_call(g, call));
    if (call->blocks[0] == 0 || call->blocks[1] == 0 || call->blocks[2] == 0)
        return PAV_OK;
    TRY(rounds_flush(g));
    TRY(rounds_flush(other));
    return g->ops->launch_reading(g, other, call);
}
