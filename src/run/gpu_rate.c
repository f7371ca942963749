/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate at which a GPU copies its own memory, which bounds every kernel that reads a point and writes one. */
#include "run/gpu_private.h"

enum { PASSES = 6, FROM_MARK = 2 };

/* Beyond the caches, within what is free. */
static int64_t bytes_of(const gpu *g)
{
    const int64_t wanted = INT64_C(1) << 30, left = gpu_free_memory(g) / 4;
    const int64_t small = gpu_tell(g)->emulated ? INT64_C(32) << 20 : wanted;
    return (left < small ? left : small) & -(INT64_C(1) << 20);
}

static pav_status pass(gpu *g, void *to, const void *from, int64_t bytes, double *rate)
{
    double seconds;
    TRY(gpu_mark(g, FROM_MARK));
    TRY(gpu_copy(g, to, from, bytes));
    TRY(gpu_mark(g, FROM_MARK + 1));
    TRY(gpu_seconds(g, FROM_MARK, FROM_MARK + 1, &seconds));
    *rate = seconds > 0 ? 2 * (double)bytes / seconds : 0;
    return PAV_OK;
}

static pav_status passes(gpu *g, void *to, void *from, int64_t bytes, copy_rate *result)
{
    double rate[PASSES];
    TRY(gpu_fill(g, from, 0, bytes));
    TRY(gpu_fill(g, to, 0, bytes));
    for (int k = 0; k < PASSES; k++)
        TRY(pass(g, to, from, bytes, &rate[k]));
    result->usual = median(rate, PASSES);
    result->best = rate[PASSES - 1]; /* they are sorted now */
    return PAV_OK;
}

pav_status gpu_copy_rate(gpu *g, copy_rate *result)
{
    const int64_t bytes = bytes_of(g);
    void *to = NULL, *from = NULL;
    *result = (copy_rate){0};
    if (bytes <= 0)
        return PAV_OK;
    pav_status status = gpu_take(g, bytes, "copying, to measure it", &to);
    if (status == PAV_OK)
        status = gpu_take(g, bytes, "copying, to measure it", &from);
    if (status == PAV_OK)
        status = passes(g, to, from, bytes, result);
    if (from)
        gpu_give(g, from);
    if (to)
        gpu_give(g, to);
    return status;
}
