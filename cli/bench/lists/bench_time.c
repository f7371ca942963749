/* SPDX-License-Identifier: BSD-3-Clause */
/* bench time: temporal blocking. It measures single steps, then time tiles of growing
 * depth with the model's tile sizes, then the choice of a run. Temporal blocking can
 * exceed 100 % of the bound: the bound counts the bytes of every step, but memory moves
 * most of them once in a time block. */
#include <stdio.h>
#include <string.h>

#include "bench_list.h"

/* First single steps, last the choice of a run. */
static const char *const solid_on_host[] = {
    "rows",
    "time:depth=2",
    "time:depth=4",
    "time:depth=4,tile=16x4",
    "time:depth=4,tile=32x4",
    "time:depth=8",
    "time:depth=8,tile=8x4",
    "time:depth=8,tile=12x4",
    "time:depth=8,tile=16x4",
    "time:depth=8,tile=32x4",
    "time:depth=12",
    "time:depth=12,tile=12x4",
    "time:depth=12,tile=28x4",
    "time:depth=16",
    "time:depth=24",
    "time:diamond,depth=8",
    "time:diamond,depth=16",
    "time:diamond,depth=24",
    "time:diamond,depth=24,tile=16x4",
    "time:diamond,depth=32",
    "auto",
    NULL,
};
static const char *const flat_on_host[] = {
    "rows",
    "time:depth=2",
    "time:depth=4",
    "time:depth=8",
    "time:depth=8,tile=2048x4",
    "time:depth=12",
    "time:depth=16",
    "time:depth=16,tile=1024x4",
    "time:depth=16,tile=2048x4",
    "time:depth=16,tile=2048x8",
    "time:depth=24",
    "time:diamond,depth=24",
    "time:diamond,depth=32",
    "time:diamond,depth=64",
    "auto",
    NULL,
};
static const char *const solid[] = {"auto",
                                    "time:depth=2",
                                    "time:depth=3",
                                    "time:depth=4",
                                    "time:depth=4,threads=32x8,rows=5",
                                    "time:depth=4,threads=32x16,rows=2",
                                    "time:depth=6",
                                    "time",
                                    NULL};
static const char *const flat[] = {"auto",          "time:depth=4",  "time:depth=8",
                                   "time:depth=10", "time:depth=12", "time:depth=16",
                                   "time:depth=24", "time",          NULL};

static const char *const *schedules_of(const bench *b, int dim)
{
    if (bench_on_gpu(b))
        return dim == 2 ? flat : solid;
    return dim == 2 ? flat_on_host : solid_on_host;
}

/* If the model finds no tile for a depth, there is none for deeper blocks; report it
 * once. */
static void rows_of(bench *b, const char *word, int dim)
{
    bool can = true;
    for (const char *const *by = schedules_of(b, dim); *by; by++) {
        const int before = b->rows.count;
        const bool named = strchr(*by, ',') || !by[1];
        if (can || named)
            bench_by(b, word, *by);
        can = can && (named || b->rows.count > before);
    }
}

static void passes(bench *b)
{
    static const struct {
        const char *word, *type;
        int dim, size;
    } list[] = {
        {"star3d:r=1", "f32", 3, 512},     {"star3d:r=1", "f64", 3, 512},
        {"star2d:r=1", "f32", 2, 8192},    {"star2d:r=1", "f64", 2, 8192},
        {"wave3d:order=8", "f32", 3, 512}, {"sym27", "f32", 3, 512},
    };
    const bool given = b->sized || b->small;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int n = 0; n < (given ? b->sizes : 1); n++) {
            char word[BENCH_WORD];
            const int64_t size = given ? b->size[n] : list[k].size;
            bench_name(word, list[k].dim, size, size, list[k].type, "%s", list[k].word);
            rows_of(b, word, list[k].dim);
        }
    if (!b->json && !bench_ended(b))
        printf("a share above 100 %% is no mistake: bytes count for every step, and "
               "memory sees "
               "most of them once in a time block\n");
}

const bench_kind bench_time = {
    .name = "time",
    .run = passes,
    .fixed = "it goes by one schedule after the other",
};
