/* SPDX-License-Identifier: BSD-3-Clause */
/* A second stream of the highest priority. Its kernels get the next free multiprocessor
 * even while a long kernel of the first stream still has blocks to start. */
#include "device/cuda/cuda_private.h"

static cu_result open_concurrent(cuda *c)
{
    const cuda_driver *d = c->driver;
    int least = 0, most = 0;
    cu_result code = CU_DONE;

    if (c->concurrent)
        return CU_DONE;
    code = d->priorities(&least, &most);
    if (code == CU_DONE)
        code = d->event_new(&c->parted, CU_NO_TIME);
    if (code == CU_DONE)
        code = d->event_new(&c->joined, CU_NO_TIME);
    return code == CU_DONE ? d->stream_urgent(&c->concurrent, CU_OWN_STREAM, most) : code;
}

pav_status cuda_concurrent(gpu *g, gpu_concurrent_step step)
{
    cuda *c = cuda_of(g);
    const cuda_driver *d = c->driver;

    if (step == GPU_CONCURRENT_END) {
        c->stream = c->first;
        c->is_concurrent = false;
        return PAV_OK;
    }
    TRY(cuda_enter(c));
    cu_result code = open_concurrent(c);
    if (code == CU_DONE && step == GPU_CONCURRENT_BEGIN)
        code = d->event_record(c->parted, c->first);
    if (code == CU_DONE && step == GPU_CONCURRENT_BEGIN)
        code = d->stream_follow(c->concurrent, c->parted, 0);
    c->is_concurrent = code == CU_DONE;
    c->stream = c->is_concurrent ? c->concurrent : c->first;
    return cuda_leave(c, code, "turning to concurrent work");
}

pav_status cuda_join(gpu *g, gpu *other)
{
    cuda *c = cuda_of(g), *source = cuda_of(other);
    const cuda_driver *d = c->driver;

    if (!source->concurrent)
        return PAV_OK;
    TRY(cuda_enter(source));
    TRY(cuda_leave(source, d->event_record(source->joined, source->concurrent),
                   "marking the end of concurrent work"));
    TRY(cuda_enter(c));
    return cuda_leave(c, d->stream_follow(c->first, source->joined, 0),
                      "waiting for concurrent work");
}

pav_status cuda_lend(gpu *g, void *memory, void **stream)
{
    (void)memory;
    *stream = cuda_of(g)->stream;
    return cuda_enter(cuda_of(g));
}

void cuda_take_back(gpu *g)
{
    (void)cuda_leave(cuda_of(g), CU_DONE, "");
}

void cuda_concurrent_close(cuda *c)
{
    const cuda_driver *d = c->driver;

    if (c->concurrent)
        (void)d->stream_free(c->concurrent);
    if (c->parted)
        (void)d->event_free(c->parted);
    if (c->joined)
        (void)d->event_free(c->joined);
    c->concurrent = NULL;
    c->parted = c->joined = NULL;
}
