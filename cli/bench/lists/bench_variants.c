/* SPDX-License-Identifier: BSD-3-Clause */
/* bench variants: the effect of each technique, from one thread a point on: the schedules
 * of the table, in order. For an illegal schedule the reason is printed. */
#include <stdio.h>

#include "bench_list.h"

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
static const char *const on_host[] = {"rows", "blocks"};

int bench_by(bench *b, const char *word, const char *schedule)
{
    char what[2 * BENCH_WORD];
    pav_bench_result r;
    pav_program *program = NULL;
    int code = load_program(word, b->o->set, &program);
    if (code != EXIT_DONE)
        return code;
    b->how.schedule = schedule;
    const pav_status status = pav_bench_program(program, b->device, &b->how, &r);
    pav_program_free(program);
    b->how.schedule = NULL;
    if (status == PAV_OK) {
        const bench_row row = bench_row_of(word, &r);
        return bench_keep(b, &row);
    }
    snprintf(what, sizeof what, "%s by %s", word, schedule ? schedule : "auto");
    return bench_missed(b, what, status == PAV_EINVAL ? PAV_EUNSUPPORTED : status);
}

static int variants_of(bench *b, const char *word)
{
    const bool gpu = bench_on_gpu(b);
    const int count = (int)(gpu ? sizeof on_gpu / sizeof *on_gpu
                                : sizeof on_host / sizeof *on_host);
    int code = EXIT_DONE;
    for (int k = 0; k < count && code == EXIT_DONE; k++)
        code = bench_by(b, word, gpu ? on_gpu[k] : on_host[k]);
    return code;
}

static int variants(bench *b)
{
    static const char *const types[] = {"f32", "f64"};
    const int64_t largest = b->size[b->sizes - 1];
    int code = EXIT_DONE;
    for (int type = 0; type < 2; type++)
        for (int dim = 2; dim <= 3 && code == EXIT_DONE; dim++) {
            char word[BENCH_WORD];
            snprintf(word, sizeof word, "star%dd:r=1", dim);
            const int64_t usual = largest < 512 ? largest : dim == 2 ? 8192 : 512;
            bench_add_grid(word, dim, b->sized ? largest : usual, types[type]);
            code = variants_of(b, word);
        }
    return code;
}

const bench_kind bench_variants = {
    .name = "variants",
    .about = "what each technique adds: schedules of 5 and 7 points, one by one",
    .run = variants,
    .fixed = "it goes by one schedule after the other",
    .one_size = true,
};
