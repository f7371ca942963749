/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends a few bytes to a GPU in the order of work without waiting. The bytes lie in
 * pinned memory until the GPU has read them. This memory has two halves. While one half
 * is filled, the GPU reads the other; a mark after its last copy tells when the half is
 * free again. */
#include <string.h>

#include "device/cuda/cuda_private.h"

enum { APART = 64 };

void cuda_outbox_close(cuda *c)
{
    cuda_outbox *o = &c->outbox;

    for (int k = 0; k < CUDA_STAGES; k++)
        if (o->read[k])
            (void)c->driver->event_free(o->read[k]);
    if (o->memory)
        (void)c->driver->give_host(o->memory);
    *o = (cuda_outbox){0};
}

static cu_result open_outbox(cuda *c)
{
    cuda_outbox *o = &c->outbox;
    cu_result code = CU_DONE;
    void *memory = NULL;

    for (int k = 0; k < CUDA_STAGES && code == CU_DONE; k++)
        if (!o->read[k])
            code = c->driver->event_new(&o->read[k], 0);
    if (code == CU_DONE && !o->memory)
        code = c->driver->take_host(&memory, (size_t)CUDA_STAGES * GPU_SEND, 0);
    if (memory)
        o->memory = memory;
    return code;
}

/* Switches to the other half. */
static cu_result turn(cuda *c)
{
    cuda_outbox *o = &c->outbox;
    cu_result code = c->driver->event_record(o->read[o->half], c->stream);

    o->half ^= 1;
    o->at = 0;
    if (code == CU_DONE)
        code = c->driver->event_wait(o->read[o->half]);
    return code;
}

static cu_result send(cuda *c, cu_pointer to, const void *from, int64_t bytes)
{
    cuda_outbox *o = &c->outbox;
    cu_result code = open_outbox(c);

    if (code == CU_DONE && o->at + bytes > GPU_SEND)
        code = turn(c);
    if (code != CU_DONE)
        return code;
    char *at = o->memory + (ptrdiff_t)o->half * GPU_SEND + o->at;
    memcpy(at, from, (size_t)bytes);
    o->at += (bytes + APART - 1) / APART * APART;
    return c->driver->upload(to, at, (size_t)bytes, c->stream);
}

pav_status cuda_send(gpu *g, void *to, const void *from, int64_t bytes)
{
    cuda *c = cuda_of(g);

    TRY(cuda_enter(c));
    return cuda_leave(c, send(c, cuda_address(to), from, bytes), "sending numbers");
}
