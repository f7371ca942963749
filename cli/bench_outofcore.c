/* SPDX-License-Identifier: BSD-3-Clause */
/* bench outofcore: methods out of core over the size of the grid, of 7 points in 3 dimensions, beside the same steps in
 * core, whose rate is the bound. The device's memory is limited to a quarter of the grid's two buffers. Jin, Endo and
 * Matsuoka, "A Multi-level Optimization method for Stencil Computation on the Domain that is bigger than Memory
 * Capacity of GPU", have such a figure on a M2050. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { DESCRIPTION = 256, PART = 4 /* of the grid's buffers */, LEAST = 32 };

/* share: of the steps of the others, since it is so much slower. */
static const struct method {
    const char *name, *option; /* option: NULL: in core */
    int share;
} methods[] = {
    {"in-core", NULL, 1},
    {"auto", "auto", 1},
    {"auto:overlap=0", "auto:overlap=0", 1},
    {"auto:steps=8", "auto:steps=8", 2},
    {"mm", "mm", 2},
    {"naive", "naive", 25},
};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct outofcore_figure {
    bench *b;
    int64_t n, steps;
    double gpts[METHODS]; /* 0: not measured */
} outofcore_figure;

/* ---- runs ---------------------------------------------------------------------------------- */

static pav_status open_program(const outofcore_figure *f, pav_program **program)
{
    char text[DESCRIPTION];
    const pav_program_options name = {.name = "outofcore"};
    const long long n = f->n;
    snprintf(text, sizeof text,
             "grid x %lld, y %lld, z %lld\nreal f32\nfield u = x\n"
             "u' = u + 0.1*laplace(u)\nborder u = 0\nsteps 1\n",
             n, n, n);
    return pav_program_parse(text, strlen(text), &name, program);
}

static pav_status open_run(const outofcore_figure *f, const struct method *m,
                           int64_t steps, const pav_program *program, pav_run **run)
{
    const int64_t buffers = 2 * f->n * f->n * f->n * (int64_t)sizeof(float);
    const pav_run_options how = {.no_files = 1,
                                 .nan_check_every = -1,
                                 .copy_rate = -1,
                                 .steps = steps,
                                 .threads = f->b->how.threads,
                                 .bind = f->b->how.bind,
                                 .out_of_core = m->option,
                                 .device_memory = m->option ? buffers / PART : 0};
    return pav_run_open(program, f->b->device, &how, run);
}

/* In core the first steps find how kernels go best. */
static pav_status time_run(pav_run *run, bool in_core, int64_t steps, double *seconds)
{
    const int64_t few = in_core ? steps / 2 : 0;
    pav_status status = few > 0 ? pav_run_steps(run, few) : PAV_OK;
    const double begun = seconds_now();
    if (status == PAV_OK)
        status = pav_run_steps(run, steps - few);
    *seconds = (seconds_now() - begun) / (double)(steps - few);
    return status;
}

static pav_status measure(const outofcore_figure *f, const struct method *m,
                          double *seconds)
{
    const int64_t fewer = f->steps / m->share, steps = fewer > 2 ? fewer : 2;
    pav_program *program = NULL;
    pav_run *run = NULL;
    pav_status status = open_program(f, &program);
    if (status == PAV_OK)
        status = open_run(f, m, steps, program, &run);
    if (status == PAV_OK)
        status = time_run(run, !m->option, steps, seconds);
    pav_run_free(run);
    pav_program_free(program);
    return status;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static int keep(outofcore_figure *f, int number, double seconds)
{
    char word[BENCH_WORD];
    snprintf(word, sizeof word, "outofcore:%s", methods[number].name);
    bench_add_grid(word, 3, f->n, "f32");
    bench_row row = bench_row_of_time(word, pav_device_name(f->b->device), seconds, NAN);
    f->gpts[number] = row.gpts = 1e-9 * (double)(f->n * f->n * f->n) / seconds;
    if (f->gpts[0] > 0) {
        row.bound_gpts = f->gpts[0];
        row.percent = 100 * row.gpts / row.bound_gpts;
    }
    snprintf(row.type, sizeof row.type, "f32");
    return bench_keep(f->b, &row);
}

static void tell(const outofcore_figure *f)
{
    const double best = f->gpts[1], naive = f->gpts[METHODS - 1];
    if (!f->b->json && best > 0 && naive > 0)
        printf(
            "%-34s auto is %.3g times as fast as naive, and %.3g times auto:overlap=0\n",
            "", best / naive, best / f->gpts[2]);
}

static int on_grid(bench *b, int64_t n, int64_t steps)
{
    outofcore_figure f = {.b = b, .n = n, .steps = steps};
    int code = EXIT_DONE;
    for (int k = 0; k < METHODS && code == EXIT_DONE; k++) {
        double seconds;
        const pav_status status = measure(&f, &methods[k], &seconds);
        code = status == PAV_OK ? keep(&f, k, seconds)
                                : bench_missed(b, methods[k].name, status);
    }
    if (code == EXIT_DONE)
        tell(&f);
    return code;
}

static int outofcore(bench *b)
{
    const bool real = bench_on_gpu(b) &&
                      strcmp(pav_device_name(b->device), "emulated") != 0;
    int code = EXIT_DONE;
    for (int k = 0; k < b->sizes && code == EXIT_DONE; k++) {
        const int64_t n = !b->sized && b->size[k] < LEAST ? LEAST : b->size[k];
        code = on_grid(b, n, real ? 200 : 40);
    }
    if (!b->json && code == EXIT_DONE)
        printf(
            "Jin, Endo and Matsuoka, on a M2050: the best method 16.7 times as fast as "
            "naive on grids larger than its memory\n");
    return code;
}

const bench_kind bench_outofcore = {
    .name = "outofcore",
    .about = "methods out of core, the device's memory limited to a quarter of the grid",
    .run = outofcore,
    .fixed = "out of core it goes by single steps",
    .no_program = true,
};
