/* SPDX-License-Identifier: BSD-3-Clause */
/* bench passes: single-pass steps against split stages (first the neighbours in a plane,
 * then those across planes). The operators are symmetric, with the radii of finite
 * differences. */
#include <stdio.h>

#include "bench_list.h"

static const char *const words[] = {"star3d:r=1,c=symmetric", "star3d:r=2,c=symmetric",
                                    "star3d:r=4,c=symmetric", "wave3d:order=8", "sym27"};
/* The best candidate of each method, and each method with planes in shared memory. */
static const char *const schedules[] = {"auto", "sweep:shared", "two-pass",
                                        "two-pass:shared"};
enum {
    WORDS = sizeof words / sizeof *words,
    SCHEDULES = sizeof schedules / sizeof *schedules,
    USUAL = 512
};

static int by_all(bench *b, const char *word)
{
    int code = EXIT_DONE;
    for (int k = 0; k < SCHEDULES && code == EXIT_DONE; k++)
        code = bench_by(b, word, schedules[k]);
    return code;
}

static int passes(bench *b)
{
    static const char *const types[] = {"f32", "f64"};
    const int64_t largest = b->size[b->sizes - 1];
    int code = EXIT_DONE;
    if (!bench_on_gpu(b))
        return usage_error(&bench_command, "passes compares schedules of GPUs: --device "
                                           "cuda");
    for (int k = 0; k < WORDS; k++)
        for (int type = 0; type < 2 && code == EXIT_DONE; type++) {
            char word[BENCH_WORD];
            snprintf(word, sizeof word, "%s", words[k]);
            bench_add_grid(word, 3, b->sized || largest < USUAL ? largest : USUAL,
                           types[type]);
            code = by_all(b, word);
        }
    return code;
}

const bench_kind bench_passes = {
    .name = "passes",
    .about = "steps in one pass and in two, on GPUs",
    .run = passes,
    .fixed = "it goes by one schedule after the other",
    .one_size = true,
};
