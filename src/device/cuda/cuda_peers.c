/* SPDX-License-Identifier: BSD-3-Clause */
/* Peer access: kernels of one GPU read the memory of another over NVLink or the bus.
 * Streams wait for each other by events; the host does not wait. */
#include "device/cuda/cuda_private.h"

/* Lets kernels of c read the memory of `other` for the lifetime of the process. */
static bool open_peer(const cuda *c, const cuda *other)
{
    const cuda_driver *d = c->driver;
    int can = 0;

    if (d->can_access(&can, c->device, other->device) != CU_DONE || !can)
        return false;
    if (cuda_enter(c) != PAV_OK)
        return false;
    const cu_result code = d->enable_access(other->context, 0);
    (void)cuda_leave(c, CU_DONE, "");
    return code == CU_DONE || code == CU_ACCESS_ENABLED;
}

bool cuda_reads(gpu *g, gpu *base)
{
    cuda *c = cuda_of(g);
    const cuda *other = cuda_of(base);

    if (c->device == other->device)
        return true;
    if (other->device >= CUDA_PEERS)
        return false;
    if (!c->peer[other->device])
        c->peer[other->device] = open_peer(c, other) ? CUDA_PEER_READS : CUDA_PEER_CANNOT;
    return c->peer[other->device] == CUDA_PEER_READS;
}

/* Later work in the present stream of c waits for all earlier work in the first stream of
 * `other`. */
static pav_status follow(const cuda *c, cuda *other)
{
    const cuda_driver *d = c->driver;
    cu_result code = CU_DONE;

    TRY(cuda_enter(other));
    if (!other->turn)
        code = d->event_new(&other->turn, CU_NO_TIME);
    if (code == CU_DONE)
        code = d->event_record(other->turn, other->first);
    TRY(cuda_leave(other, code, "marking the end of its work"));
    TRY(cuda_enter(c));
    return cuda_leave(c, d->stream_follow(c->stream, other->turn, 0),
                      "waiting for another GPU");
}

pav_status cuda_launch_reading(gpu *g, gpu *other, const gpu_call *call)
{
    TRY(follow(cuda_of(g), cuda_of(other)));
    TRY(cuda_launch(g, call));
    return cuda_of(g)->is_concurrent ? PAV_OK /* gpu_join does so */
                                     : follow(cuda_of(other), cuda_of(g));
}
