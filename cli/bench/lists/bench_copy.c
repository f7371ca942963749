/* SPDX-License-Identifier: BSD-3-Clause */
/* bench copy: copy bandwidth of a device. On a GPU also the bandwidth of kernels on
 * grids of several sizes, with and without the halo read by a stencil's tile, and the
 * mean over the sizes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_list.h"

/* ---- single words ------------------------------------------------------------------ */

/* bench access: bandwidth of GPUs over the access pattern of a warp. Words of 4, 8 and 16
 * bytes are copied in two series: rows with every alignment in a line of 128 bytes, and
 * words with gaps. The driver's copy of the same memory is the reference. */

enum { LINE = 128 /* bytes */ };

/* Measures a copy, unless the list has ended; false: there is no result. */
static bool measure_copy(bench *b, const char *word, const pav_bench_options *how,
                         pav_bench_result *r)
{
    if (bench_ended(b))
        return false;
    const pav_status status = pav_bench_copy(b->device, how, r);
    if (status != PAV_OK)
        bench_missed(b, word, status);
    return status == PAV_OK;
}

static void one_access(bench *b, const char *what, int number)
{
    pav_bench_result r;
    char word[BENCH_WORD];
    snprintf(word, sizeof word, "access:%s=%d", what, number);
    if (!measure_copy(b, word, &b->how, &r))
        return;
    bench_row row = bench_row_of(word, &r);
    snprintf(row.type, sizeof row.type, "%d bytes", b->how.word);
    bench_keep(b, row);
}

static void access_memory(bench *b)
{
    static const int strides[] = {1, 2, 4, 8, 16, 32};
    const pav_bench_options how = b->how;
    b->how.copy = PAV_COPY_WORDS;
    for (int axis = 0; axis < 3; axis++)
        b->how.extent[axis] = bench_one_size(b, 512);
    for (b->how.word = 4; b->how.word <= 16; b->how.word *= 2) {
        b->how.stride = 1;
        for (b->how.begin = 0; b->how.begin < LINE / b->how.word; b->how.begin++)
            one_access(b, "begin", b->how.begin);
        b->how.begin = 0;
        for (size_t n = 0; n < sizeof strides / sizeof *strides; n++) {
            b->how.stride = strides[n];
            one_access(b, "stride", strides[n]);
        }
    }
    b->how = how;
}

const bench_kind bench_access = {
    .name = "access",
    .run = access_memory,
    .of_gpus = "is of GPUs, whose threads copy words",
    .fixed = "it has kernels of its own",
    .one_size = true,
    .no_program = true,
};

/* ---- copies ------------------------------------------------------------------------ */

typedef struct mean {
    double gpts, percent;
    int count;
} mean;

static void copy_grid(bench *b, const char *name, int64_t size, mean *m)
{
    pav_bench_options how = b->how;
    pav_bench_result r;
    char word[BENCH_WORD];
    bench_name(word, 3, size, size, pav_type_name(how.type), "copy:%s", name);
    for (int axis = 0; axis < 3; axis++)
        how.extent[axis] = size;
    if (!measure_copy(b, word, &how, &r))
        return;
    const bench_row row = bench_row_of(word, &r);
    m->gpts += row.gpts;
    m->percent += row.percent;
    m->count++;
    bench_keep(b, row);
}

static void copy_grids(bench *b, const char *name)
{
    mean m = {0};
    for (int n = 0; n < b->sizes; n++)
        copy_grid(b, name, b->size[n], &m);
    if (m.count > 1 && !b->json)
        printf("copy:%s %s, mean of %d sizes: %.3f Gpts/s, %.1f%%\n", name,
               pav_type_name(b->how.type), m.count, m.gpts / m.count,
               m.percent / m.count);
}

static bench_row row_of_copy(const pav_bench_result *r)
{
    bench_row row = bench_row_of_time("copy", r->device, NAN, NAN);
    row.threads = r->threads;
    row.spread = r->spread;
    row.copy_gbytes = r->copy_bytes_per_second / 1e9;
    return row;
}

static void copy(bench *b)
{
    static const struct {
        const char *name;
        pav_copy copy;
    } kinds[] = {
        {"kernel", PAV_COPY_KERNEL}, {"halo", PAV_COPY_HALO}, {"remap", PAV_COPY_REMAP}};
    const pav_bench_options how = b->how;
    pav_bench_result r = {0};
    if (!bench_on_gpu(b) && (b->sized || b->small)) {
        b->code = usage_error(&bench_command,
                              "on the host copy takes arrays beyond its caches, and no "
                              "grids: leave out --%s",
                              b->sized ? "sizes" : "small");
        return;
    }
    bench_check(b, pav_bench_copy(b->device, &b->how, &r));
    bench_keep(b, row_of_copy(&r));
    for (int k = 0; k < 3 && bench_on_gpu(b); k++)
        for (int type = PAV_F32; type <= PAV_F64; type++) {
            b->how.copy = kinds[k].copy;
            b->how.type = (pav_type)type;
            copy_grids(b, kinds[k].name);
        }
    b->how = how;
}

const bench_kind bench_copy = {
    .name = "copy",
    .run = copy,
    .fixed = "it has kernels of its own",
    .no_program = true,
};
