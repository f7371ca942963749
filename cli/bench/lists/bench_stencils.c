/* SPDX-License-Identifier: BSD-3-Clause */
/* bench stencils: one step of common operators, in f32 and f64. On a GPU over several
 * sizes; on a processor with arrays far larger than its caches or, with --small, within
 * them. bench orders: operators of growing radius, alone and in the right side of a wave
 * equation. */
#include <stdio.h>

#include "bench_list.h"

static const struct {
    const char *large, *small;
} on_host[] = {
    {"star3d:r=1@512x512x512", "star3d:r=1@64x64x64"},
    {"heat3d@512x512x512", "heat3d@128x128x128"},
    {"star2d:r=1@8192x8192", "star2d:r=1@1000x1000"},
    {"sym27@512x512x512", "sym27@64x64x64"},
    {"box3d:r=1@512x512x512", "box3d:r=1@64x64x64"},
    {"wave3d:order=8@512x512x512", "wave3d:order=8@64x64x64"},
    {"star3d:r=2@512x512x512", "star3d:r=2@64x64x64"},
    {"star3d:r=3@512x512x512", "star3d:r=3@64x64x64"},
    {"star3d:r=4@512x512x512", "star3d:r=4@64x64x64"},
    {"star3d:r=6@512x512x512", "star3d:r=6@64x64x64"},
    {"grayscott3d@384x384x384", "grayscott3d@64x64x64"},
    {"elastic3d@256x256x256", "elastic3d@48x48x48"},
    {"lbm3d@192x192x192", "lbm3d@32x32x32"},
};
enum { ON_HOST = sizeof on_host / sizeof *on_host };

static int list_of_host(bench *b)
{
    static const char *const types[] = {"f32", "f64"};
    int code = EXIT_DONE;
    for (int k = 0; k < ON_HOST; k++)
        for (int type = 0; type < 2 && code == EXIT_DONE; type++) {
            char word[BENCH_WORD];
            snprintf(word, sizeof word, "%s/%s",
                     b->small ? on_host[k].small : on_host[k].large, types[type]);
            code = bench_item(b, word, NULL);
        }
    return code;
}

/* Two-dimensional grids have default sizes of their own; --sizes replaces them. */
static int plane_stencils(bench *b)
{
    static const char *const words[] = {"star2d:r=1"};
    bench plane = *b;
    if (!b->sized && pav_device_name(b->device)[0] == 'c') {
        plane.size[0] = 8192;
        plane.size[1] = 32768;
        plane.sizes = 2;
    }
    const int code = bench_words(&plane, words, 1, 2);
    b->rows = plane.rows;
    return code;
}

static int stencils(bench *b)
{
    static const char *const words[] = {
        "star3d:r=1",       "sym27", "box3d:r=1",       "grayscott3d",
        "elastic3d",        "lbm3d", "lbm3d:walls=all", "lbm3d:stored=f16",
        "lbm3d:stored=bf16"};
    if (!bench_on_gpu(b) && !b->sized)
        return list_of_host(b);
    const int code = bench_words(b, words, sizeof words / sizeof *words, 3);
    return code == EXIT_DONE ? plane_stencils(b) : code;
}

const bench_kind bench_stencils = {
    .name = "stencils",
    .about = "the usual operators; on GPUs over a range of sizes",
    .run = stencils,
};

static int orders(bench *b)
{
    static const char *const words[] = {
        "star3d:r=1",      "star3d:r=2",      "star3d:r=3",      "star3d:r=4",
        "star3d:r=5",      "star3d:r=6",      "star3d:r=7",      "star3d:r=8",
        "wave3d:order=2",  "wave3d:order=4",  "wave3d:order=6",  "wave3d:order=8",
        "wave3d:order=10", "wave3d:order=12", "wave3d:order=14", "wave3d:order=16"};
    bench one = *b;
    if (!b->sized && b->size[b->sizes - 1] > 512) {
        one.size[0] = 512;
        one.sizes = 1;
    }
    const int code = bench_words(&one, words, sizeof words / sizeof *words, 3);
    b->rows = one.rows;
    return code;
}

const bench_kind bench_orders = {
    .name = "orders",
    .about = "stars of radius 1 to 8, and wave steps of order 2 to 16",
    .run = orders,
};
