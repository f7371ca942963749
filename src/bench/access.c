/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures copies by single words: the cost of rows not aligned to memory lines, and the
 * cost of a stride between words. */
#include <stdio.h>

#include "bench/bench.h"

enum { MOST_BEGIN = 1024, MOST_STRIDE = 1024, THREADS = 256 };

static pav_status check(const pav_bench_options *o)
{
    if (o->word != 4 && o->word != 8 && o->word != 16)
        return FAIL(PAV_EINVAL, "words of 4, 8 or 16 bytes are copied, not of %d",
                    o->word);
    if (o->begin < 0 || o->begin > MOST_BEGIN || o->stride < 1 || o->stride > MOST_STRIDE)
        return FAIL(PAV_EINVAL,
                    "rows begin 0 to %d words beyond a line and words lie 1 to %d words "
                    "apart, not %d and %d",
                    MOST_BEGIN, MOST_STRIDE, o->begin, o->stride);
    if (o->extent[0] * o->extent[1] * o->extent[2] < o->stride)
        return FAIL(PAV_EINVAL,
                    "a grid of %lld x %lld x %lld has too few words for a stride of %d",
                    (long long)o->extent[0], (long long)o->extent[1],
                    (long long)o->extent[2], o->stride);
    return PAV_OK;
}

/* A larger stride makes rows longer and their number smaller, so all strides use the same
 * amount of memory. */
static void lay_out(const pav_bench_options *o, bench_access *a)
{
    emit_gpu_accesses *g = &a->argument;
    const int64_t size = (int64_t)pav_type_size(o->type), *n = o->extent;

    g->words = int64_most(n[0] * size / o->word, 1);
    g->rows = int64_most(n[1] * n[2] / o->stride, 1);
    g->begin = (int64_t)o->begin * o->word;
    g->apart = (int64_t)o->stride * o->word;
    g->pitch = int_rounded(g->begin + g->words * g->apart, GPU_LINE);
    a->memory = g->rows * g->pitch;
    a->points = (double)g->words * (double)g->rows;
    a->bytes = 2 * a->points * o->word;
}

pav_status bench_access_set(const pav_bench_options *o, bench_access *a)
{
    TRY(check(o));
    lay_out(o, a);
    (void)snprintf(a->kernel, sizeof a->kernel, "copy_words_%d", o->word);
    a->threads = THREADS;
    a->blocks[0] = (a->argument.words + THREADS - 1) / THREADS;
    a->blocks[1] = a->argument.rows < GPU_GRID_YZ ? a->argument.rows : GPU_GRID_YZ;
    return PAV_OK;
}
