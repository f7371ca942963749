/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of variants of kernels: stencils, coefficients, split stages. */
#include <stdio.h>
#include <string.h>

#include "bench_list.h"

/* ---- stencils ---------------------------------------------------------------------- */

/* bench stencils: one step of common operators, in f32 and f64. On a GPU over several
 * sizes; on a processor with arrays far larger than its caches or, with --small, within
 * them. bench orders: operators of growing radius, alone and in the right side of a wave
 * equation. */

static const struct {
    const char *large, *small;
} measured_on_host[] = {
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
enum { ON_HOST = sizeof measured_on_host / sizeof *measured_on_host };

static void measure_words(bench *b, const char *const *word, int words, int dim,
                          const int64_t *size, int sizes)
{
    for (int k = 0; k < words; k++)
        for (int type = 0; type < 2; type++)
            for (int n = 0; n < sizes; n++) {
                char whole[BENCH_WORD];
                bench_name(whole, dim, size[n], size[n], bench_types[type], "%s",
                           word[k]);
                bench_item(b, whole, NULL);
            }
}

/* Two-dimensional grids have default sizes of their own; --sizes replaces them. */
static void stencils(bench *b)
{
    static const char *const words[] = {
        "star3d:r=1",       "sym27", "box3d:r=1",       "grayscott3d",
        "elastic3d",        "lbm3d", "lbm3d:walls=all", "lbm3d:stored=f16",
        "lbm3d:stored=bf16"};
    static const char *const flat[] = {"star2d:r=1"};
    static const int64_t squares[] = {8192, 32768};
    const bool usual = !b->sized && pav_device_name(b->device)[0] == 'c';
    if (!bench_on_gpu(b) && !b->sized) {
        for (int k = 0; k < ON_HOST; k++)
            for (int type = 0; type < 2; type++) {
                char word[BENCH_WORD];
                snprintf(word, sizeof word, "%s/%s",
                         b->small ? measured_on_host[k].small : measured_on_host[k].large,
                         bench_types[type]);
                bench_item(b, word, NULL);
            }
        return;
    }
    measure_words(b, words, sizeof words / sizeof *words, 3, b->size, b->sizes);
    measure_words(b, flat, 1, 2, usual ? squares : b->size, usual ? 2 : b->sizes);
}

const bench_kind bench_stencils = {
    .name = "stencils",
    .run = stencils,
};

static void orders(bench *b)
{
    static const char *const words[] = {
        "star3d:r=1",      "star3d:r=2",      "star3d:r=3",      "star3d:r=4",
        "star3d:r=5",      "star3d:r=6",      "star3d:r=7",      "star3d:r=8",
        "wave3d:order=2",  "wave3d:order=4",  "wave3d:order=6",  "wave3d:order=8",
        "wave3d:order=10", "wave3d:order=12", "wave3d:order=14", "wave3d:order=16"};
    static const int64_t usual[] = {512};
    const bool many = !b->sized && b->size[b->sizes - 1] > 512;
    measure_words(b, words, sizeof words / sizeof *words, 3, many ? usual : b->size,
                  many ? 1 : b->sizes);
}

const bench_kind bench_orders = {
    .name = "orders",
    .run = orders,
};

/* ---- coefficients ------------------------------------------------------------------ */

/* bench coefficients: the cost of storing an operator's coefficients, one for each of its
 * 7 or 25 points. They are literals of the kernel; or scalars, variable between steps, in
 * each possible memory of a GPU; or fields, and then their bytes are part of the
 * bound. */

/* place: value of `coefficients=`, or NULL; few: only for the smaller operator. */
static const struct source {
    const char *name, *word, *place;
    int fields; /* maximum number of coefficients in fields */
    bool few, on_host;
} sources[] = {
    {"literals", "param", NULL, 0, false, true},
    {"argument", "scalar", "argument", 0, false, true},
    {"constant", "scalar", "constant", 0, false, false},
    {"global", "scalar", "global", 0, false, false},
    {"shared", "scalar", "shared", 0, false, false},
    {"field", "param", NULL, 1, false, true},
    {"fields", "param", NULL, 7, true, true},
};
enum { SOURCES = sizeof sources / sizeof *sources, DESCRIPTION = 4096 };

/* The schedule is that of --schedule for all sources, with a different place of the
 * coefficients. */
static void one_source(bench *b, const struct source *s, int points, const char *type)
{
    char word[BENCH_WORD], way[BENCH_WORD], description[DESCRIPTION];
    const char *const asked = b->how.schedule, *const wanted = asked ? asked : "sweep";
    const int64_t size = bench_one_size(b, 512);
    if ((!bench_on_gpu(b) && !s->on_host) || (s->few && points > s->fields))
        return;
    bench_name(word, 3, size, size, type, "coefficients:%s,points=%d", s->name, points);
    const long long n = size;
    const int middle = points / 2;
    sprintf(description, "grid x %lld, y %lld, z %lld\nreal %s\nfield u = random(1)\n", n,
            n, n, type);
    for (int k = 0; k < points; k++) {
        char *end = description + strlen(description);
        if (k < s->fields)
            sprintf(end, "field c%d = (0.5 + random(%d))/%d\n", k, k + 2, points);
        else
            sprintf(end, "%s c%d = %.6g\n", s->word, k,
                    (1 + 0.01 * (k - middle)) / points);
    }
    strcat(description, "u' =");
    for (int k = 0; k < points; k++) {
        /* points of the star, such as "u[0,-3,0]"; point 0 is the centre */
        int offset[3] = {0, 0, 0};
        if (k > 0)
            offset[(k - 1) % 6 / 2] = (k % 2 ? 1 : -1) * ((k - 1) / 6 + 1);
        sprintf(description + strlen(description), "%s c%d*u[%d,%d,%d]",
                k > 0 ? " +" : "", k, offset[0], offset[1], offset[2]);
    }
    strcat(description, "\nborder u = 0\n");
    snprintf(way, sizeof way, "%s%s%s%s", wanted,
             !s->place             ? ""
             : strchr(wanted, ':') ? ","
                                   : ":",
             s->place ? "coefficients=" : "", s->place ? s->place : "");
    b->how.schedule = bench_on_gpu(b) ? way : asked;
    bench_item(b, word, description);
    b->how.schedule = asked;
}

static void coefficients(bench *b)
{
    static const int points[] = {7, 25};
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < SOURCES; k++)
            for (int type = 0; type < 2; type++)
                one_source(b, &sources[k], points[n], bench_types[type]);
}

const bench_kind bench_coefficients = {
    .name = "coefficients",
    .run = coefficients,
    .one_size = true,
};

/* ---- split stages ------------------------------------------------------------------ */

/* bench passes: single-pass steps against split stages (first the neighbours in a plane,
 * then those across planes). The operators are symmetric, with the radii of finite
 * differences. */

static const char *const words[] = {"star3d:r=1,c=symmetric", "star3d:r=2,c=symmetric",
                                    "star3d:r=4,c=symmetric", "wave3d:order=8", "sym27"};
/* The best candidate of each method, and each method with planes in shared memory. */
static const char *const schedules[] = {"auto", "sweep:shared", "two-pass",
                                        "two-pass:shared"};
enum {
    WORDS = sizeof words / sizeof *words,
    SCHEDULES = sizeof schedules / sizeof *schedules
};

static void passes(bench *b)
{
    for (int k = 0; k < WORDS; k++)
        for (int type = 0; type < 2; type++) {
            char word[BENCH_WORD];
            const int64_t size = bench_one_size(b, 512);
            bench_name(word, 3, size, size, bench_types[type], "%s", words[k]);
            for (int by = 0; by < SCHEDULES; by++)
                bench_by(b, word, schedules[by]);
        }
}

const bench_kind bench_passes = {
    .name = "passes",
    .run = passes,
    .of_gpus = "compares schedules of GPUs",
    .fixed = "it goes by one schedule after the other",
    .one_size = true,
};

/* ---- variants ---------------------------------------------------------------------- */

/* bench variants: the effect of each technique, from one thread a point on: the schedules
 * of the table, in order. For an illegal schedule the reason is printed. */

static const char *const on_gpu[] = {
    "point:plain", /* naive: rows not aligned */
    "point",       /* rows aligned to lines */
    "sweep:plain",
    "sweep:shared,plain",
    "sweep:vector=1",
    "sweep:shared,vector=1",
    "sweep:vector=2",
    "sweep",
    "sweep:ahead=1",
    "sweep:shared,ahead=4",
    "sweep:shuffle",
    "sweep:shuffle,ahead=1",
    "sweep:shared",
    "sweep:shared,ahead=1",
    "sweep:shared,copy=remap",
    "sweep:shared,copy=tma",
    "sweep:shared,copy=split",
    "sweep:rows=2",
    "sweep:shuffle,rows=2",
    "sweep:shared,rows=2",
    "sweep:shared,copy=tma,rows=2",
    "sweep:rows=4",
    "sweep:rows=2,prefetch=3",
    "sweep:shared,rows=2,prefetch=1",
    "sweep:rows=2,unroll=3",
    "sweep:shared,input",
};
static const char *const schedules_of_host[] = {"rows", "blocks"};

static void variants(bench *b)
{
    const bool gpu = bench_on_gpu(b);
    const int count = (int)(gpu ? sizeof on_gpu / sizeof *on_gpu
                                : sizeof schedules_of_host / sizeof *schedules_of_host);
    for (int type = 0; type < 2; type++)
        for (int dim = 2; dim <= 3; dim++) {
            const int64_t largest = b->size[b->sizes - 1];
            const int64_t usual = largest < 512 ? largest
                                  : dim == 2    ? 8192
                                                : 512,
                          size = b->sized ? largest : usual;
            char word[BENCH_WORD];
            bench_name(word, dim, size, size, bench_types[type], "star%dd:r=1", dim);
            for (int k = 0; k < count; k++)
                bench_by(b, word, gpu ? on_gpu[k] : schedules_of_host[k]);
        }
}

const bench_kind bench_variants = {
    .name = "variants",
    .run = variants,
    .fixed = "it goes by one schedule after the other",
    .one_size = true,
};
