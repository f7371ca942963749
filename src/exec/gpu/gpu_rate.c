/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate at which a GPU copies its own memory, which bounds every kernel that reads a
 * point and writes one. */
#include "exec/gpu/gpu_private.h"

enum { PASSES = 5, FROM_MARK = 2, EXCHANGES = 5 };
static const int64_t usual_bytes = INT64_C(4) << 30, emulated_bytes = INT64_C(1) << 20;

struct gpu_copying {
    gpu *gpu;
    int64_t bytes;
    void *to, *from;
};

/* Beyond the caches, within what is free. */
static int64_t bytes_of(const gpu *g)
{
    const int64_t requested = gpu_facts_of(g)->emulated ? emulated_bytes : usual_bytes;
    const int64_t left = gpu_free_memory(g) / 4;
    return (left < requested ? left : requested) & -(INT64_C(1) << 20);
}

static pav_status take(gpu_copying *c)
{
    TRY(gpu_take(c->gpu, c->bytes, "copying, to measure it,", &c->to));
    TRY(gpu_take(c->gpu, c->bytes, "copying, to measure it,", &c->from));
    TRY(gpu_fill(c->gpu, c->to, 0, c->bytes));
    return gpu_fill(c->gpu, c->from, 0, c->bytes);
}

pav_status gpu_copying_open(gpu *g, gpu_copying **result)
{
    gpu_copying *c = mem_new(1, sizeof *c);
    double first;
    *result = NULL;
    if (!c)
        return PAV_ENOMEM;
    *c = (gpu_copying){.gpu = g, .bytes = bytes_of(g)};
    pav_status status = c->bytes > 0
                            ? take(c)
                            : FAIL(PAV_ENOMEM, "no device memory is left to copy");
    if (status == PAV_OK)
        status = gpu_copying_pass(c, &first); /* slower than those that follow */
    if (status == PAV_OK)
        *result = c;
    else
        gpu_copying_close(c);
    return status;
}

pav_status gpu_copying_pass(gpu_copying *c, double *rate)
{
    double seconds;
    TRY(gpu_mark(c->gpu, FROM_MARK));
    TRY(gpu_copy(c->gpu, c->to, c->from, c->bytes));
    TRY(gpu_mark(c->gpu, FROM_MARK + 1));
    TRY(gpu_seconds(c->gpu, FROM_MARK, FROM_MARK + 1, &seconds));
    *rate = seconds > 0 ? 2 * (double)c->bytes / seconds : 0;
    return PAV_OK;
}

void gpu_copying_close(gpu_copying *c)
{
    if (!c)
        return;
    if (c->from)
        gpu_release(c->gpu, c->from);
    if (c->to)
        gpu_release(c->gpu, c->to);
    mem_free(c);
}

pav_status gpu_copy_rate(gpu *g, copy_rate *result)
{
    double rate[PASSES];
    gpu_copying *c;
    *result = (copy_rate){0};
    TRY(gpu_copying_open(g, &c));
    pav_status status = PAV_OK;
    for (int k = 0; k < PASSES && status == PAV_OK; k++)
        status = gpu_copying_pass(c, &rate[k]);
    gpu_copying_close(c);
    TRY(status);
    result->usual = median(rate, PASSES);
    result->best = rate[PASSES - 1]; /* they are sorted now */
    return PAV_OK;
}

/* ---- a device, before a run -------------------------------------------------------- */

/* Seconds that as many bytes take to the host and back: the median. */
static pav_status time_exchange(gpu *g, int64_t bytes, double *seconds)
{
    double each[EXCHANGES];
    void *there = NULL, *here = mem_new(bytes + 1, 1);
    pav_status status = here ? gpu_take(g, bytes, "an exchange", &there) : PAV_ENOMEM;
    for (int n = 0; n < EXCHANGES && status == PAV_OK; n++) {
        const double begun = clock_seconds();
        status = gpu_upload(g, there, here, bytes);
        if (status == PAV_OK)
            status = gpu_download(g, here, there, bytes);
        each[n] = clock_seconds() - begun;
    }
    if (there)
        gpu_release(g, there);
    mem_free(here);
    if (status == PAV_OK)
        *seconds = median(each, EXCHANGES);
    return status;
}

pav_status far_measure(const pav_device *device, int64_t bytes, double *rate,
                       double *seconds)
{
    copy_rate found = {0};
    gpu *g;
    *rate = *seconds = 0;
    if (!device || !device->ops->gpu)
        return PAV_OK;
    TRY(gpu_open(device, &g));
    pav_status status = gpu_copy_rate(g, &found);
    if (status == PAV_OK)
        status = time_exchange(g, bytes, seconds);
    gpu_close(g);
    *rate = found.usual;
    return status;
}
