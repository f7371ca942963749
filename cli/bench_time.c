/* SPDX-License-Identifier: BSD-3-Clause */
/* bench time: several steps in one pass over memory: single steps, then passes of growing depth whose tiles the model
 * chooses, then what a run finds by itself. A share of the bound above 100 % is what passes are for: bytes count for
 * every step, though memory sees most of them once in a pass. */
#include <stdio.h>

#include "bench_list.h"

static const char *const by[] = {
    "rows",          "time:depth=2",  "time:depth=4",  "time:depth=8",
    "time:depth=12", "time:depth=16", "time:depth=24", NULL};
enum { WAYS = sizeof by / sizeof *by };

static int rows_of(bench *b, const char *word)
{
    int code = EXIT_DONE;
    for (int k = 0; k < WAYS && code == EXIT_DONE; k++)
        code = bench_by(b, word, by[k]);
    return code;
}

static int passes(bench *b)
{
    static const struct {
        const char *word, *type;
        int dim, size;
    } list[] = {
        {"star3d:r=1", "f32", 3, 512},     {"star3d:r=1", "f64", 3, 512},
        {"star2d:r=1", "f32", 2, 8192},    {"star2d:r=1", "f64", 2, 8192},
        {"wave3d:order=8", "f32", 3, 512}, {"sym27", "f32", 3, 512},
    };
    int code = EXIT_DONE;
    for (size_t k = 0; k < sizeof list / sizeof *list && code == EXIT_DONE; k++) {
        char word[BENCH_WORD];
        snprintf(word, sizeof word, "%s", list[k].word);
        bench_add_grid(word, list[k].dim, b->sized ? b->size[b->sizes - 1] : list[k].size,
                       list[k].type);
        code = rows_of(b, word);
    }
    return code;
}

const bench_kind bench_time = {
    "time", "several steps in one pass over memory, by their number", passes};
