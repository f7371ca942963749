/* SPDX-License-Identifier: BSD-3-Clause */
/* bench gradient and bench rtm: a shot with a velocity field, f32, order 8. First come
 * the steps of the wave with its source and 101 receivers, alone and in a matched layer
 * (percent: of the rate without the layer). Then comes the cost of the gradient for the
 * velocity, or of the image, relative to the forward run: with the whole history, with
 * every eighth step of it, and with eight snapshots and recomputation between them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_list.h"

enum { DESCRIPTION = 1024, ROUNDS = 3, RECEIVERS = 101, STATES = 8 };

typedef struct shots {
    bench *b;
    bool image;
    int dim;
    int64_t n, points, steps;
    double alone, forward; /* seconds of all steps: of the wave alone, and of the shot */
} shots;

static void describe(const shots *s, bool shot, const char *layer, char *text)
{
    const long long n = s->n;
    const char *half = s->dim == 3 ? ", (nx - 1)/2" : "";

    int at = snprintf(text, DESCRIPTION, "grid x %lld, y %lld", n, n);
    if (s->dim == 3)
        at += snprintf(text + at, DESCRIPTION - (size_t)at, ", z %lld", n);
    at += snprintf(text + at, DESCRIPTION - (size_t)at,
                   "\nreal f32\nparam dt = 0.4\nfield u; c = 0.8 + 0.2*x/nx\n"
                   "u' = 2*u - prev(u) + (c*dt)^2*laplace(u, order 8)\n%s\n",
                   layer);
    if (shot)
        snprintf(text + at, DESCRIPTION - (size_t)at,
                 "inject (c*dt)^2*ricker(0.03, t) into u at (nx/2, ny/3%s)\n"
                 "sample u along (nx/5, ny/4%s) to (4*nx/5, ny/4%s) count %d into "
                 "\"d.npy\"\nsteps %lld\n",
                 half, half, half, RECEIVERS, (long long)s->steps);
}

static pav_status parse(const char *text, pav_program **program)
{
    const pav_program_options name = {.name = "shot"};

    return pav_program_parse(text, strlen(text), &name, program);
}

/* Seconds of all steps, the best of some rounds; a tenth of the steps before them is for
 * tuning. */
static pav_status time_steps(const shots *s, pav_run *run, double *best)
{
    pav_status status = pav_run_steps(run, s->steps / 10 + 1);

    *best = 1e300;
    for (int k = 0; k < ROUNDS && status == PAV_OK; k++) {
        const double begun = seconds_now();
        status = pav_run_steps(run, s->steps);
        const double seconds = seconds_now() - begun;
        *best = seconds < *best ? seconds : *best;
    }
    return status;
}

static pav_status go_forward(const shots *s, const char *text, double *seconds)
{
    const pav_run_options how = {.no_files = 1,
                                 .nan_check_every = -1,
                                 .copy_rate = -1,
                                 .threads = s->b->how.threads,
                                 .bind = s->b->how.bind};
    pav_program *program = NULL;
    pav_run *run = NULL;

    pav_status status = parse(text, &program);
    if (status == PAV_OK)
        status = pav_run_open(program, s->b->device, &how, &run);
    if (status == PAV_OK)
        status = time_steps(s, run, seconds);
    pav_run_free(run);
    pav_program_free(program);
    return status;
}

static void name_row(const shots *s, const char *what, char word[BENCH_WORD])
{
    snprintf(word, BENCH_WORD, "%s:%s", s->image ? "rtm" : "gradient", what);
    bench_add_grid(word, s->dim, s->n, "f32");
}

static int forward(shots *s, const char *what, bool shot, const char *layer,
                   double *seconds)
{
    char text[DESCRIPTION], word[BENCH_WORD];

    describe(s, shot, layer, text);
    name_row(s, what, word);
    const pav_status status = go_forward(s, text, seconds);
    if (status != PAV_OK)
        return bench_missed(s->b, word, status);
    bench_row row = bench_row_of_time(word, pav_device_name(s->b->device),
                                      *seconds / (double)s->steps, (double)s->steps);
    row.gpts = 1e-9 * (double)(s->points * s->steps) / *seconds;
    row.bound_gpts = 1e-9 * (double)(s->points * s->steps) / s->alone;
    row.percent = 100 * s->alone / *seconds;
    snprintf(row.type, sizeof row.type, "f32");
    return bench_keep(s->b, &row);
}

/* Seconds of both directions, the best of two rounds: the first round compiles the
 * kernels. */
static pav_status go_back(const shots *s, const pav_program *program,
                          const pav_adjoint_options *how, double *best)
{
    pav_adjoint_result r;
    pav_status status = PAV_OK;

    *best = 1e300;
    for (int k = 0; k < 2 && status == PAV_OK; k++) {
        status = s->image ? pav_migrate(program, s->b->device, how, &r)
                          : pav_gradient(program, s->b->device, how, &r);
        const double seconds = r.forward_seconds + r.backward_seconds;
        *best = status == PAV_OK && seconds < *best ? seconds : *best;
    }
    return status;
}

static int backward(shots *s, const char *what, const pav_adjoint_options *how)
{
    char text[DESCRIPTION], word[BENCH_WORD];
    pav_program *program = NULL;
    double seconds = 0;

    describe(s, true, "absorb 10 cells", text);
    name_row(s, what, word);
    pav_status status = parse(text, &program);
    if (status == PAV_OK)
        status = go_back(s, program, how, &seconds);
    pav_program_free(program);
    if (status != PAV_OK)
        return bench_missed(s->b, word, status);
    bench_row row = bench_row_of_time(word, pav_device_name(s->b->device), seconds,
                                      (double)s->steps);
    row.factor = seconds / s->forward;
    snprintf(row.type, sizeof row.type, "f32");
    return bench_keep(s->b, &row);
}

static int back_all_ways(shots *s, const char *data)
{
    static const char *const of[] = {"c", NULL};
    const pav_adjoint_options usual = {.no_files = 1,
                                       .threads = s->b->how.threads,
                                       .coefficients = s->image ? NULL : of,
                                       .data = data,
                                       .keep = "all"};
    pav_adjoint_options eighth = usual, few = usual;

    eighth.every = 8;
    few.keep = "snapshots";
    few.history = STATES * 2 * s->points * (int64_t)sizeof(float);
    int code = backward(s, "all", &usual);
    if (code == EXIT_DONE)
        code = backward(s, "every=8", &eighth);
    return code == EXIT_DONE ? backward(s, "states=8", &few) : code;
}

/* Records the data for an image. */
static pav_status record(const shots *s, const char *directory)
{
    const pav_run_options how = {.directory = directory};
    char text[DESCRIPTION];
    pav_program *program = NULL;
    pav_run *run = NULL;

    describe(s, true, "absorb 10 cells", text);
    pav_status status = parse(text, &program);
    if (status == PAV_OK)
        status = pav_run_open(program, s->b->device, &how, &run);
    if (status == PAV_OK)
        status = pav_run_finish(run);
    pav_run_free(run);
    pav_program_free(program);
    return status;
}

static int image_all_ways(shots *s)
{
    const char *top = getenv("TMPDIR");
    char folder[BENCH_WORD], data[BENCH_WORD + 16];

    snprintf(folder, sizeof folder, "%s/pavior-bench-XXXXXX", top && *top ? top : "/tmp");
    if (!mkdtemp(folder)) {
        complain(PAV_EIO, "no directory %s can be made: set $TMPDIR", folder);
        return EXIT_RUN_FAILED;
    }
    snprintf(data, sizeof data, "%s/d.npy", folder);
    const pav_status status = record(s, folder);
    const int code = status == PAV_OK ? back_all_ways(s, data)
                                      : bench_missed(s->b, "rtm", status);
    unlink(data);
    rmdir(folder);
    return code;
}

static int all_of(shots *s)
{
    double layer = 0;

    int code = forward(s, "wave", false, "absorb 10 cells", &s->alone);
    if (code == EXIT_DONE)
        code = forward(s, "shot", true, "absorb 10 cells", &s->forward);
    if (code == EXIT_DONE)
        code = forward(s, "pml", true, "absorb 10 cells by pml", &layer);
    if (code != EXIT_DONE)
        return code;
    return s->image ? image_all_ways(s) : back_all_ways(s, NULL);
}

static bool is_fast(const bench *b)
{
    const char *name = pav_device_name(b->device);

    return strcmp(name, "interpreter") != 0 && strcmp(name, "emulated") != 0;
}

static int on_grid(bench *b, bool image, int dim, int64_t n)
{
    shots s = {.b = b,
               .image = image,
               .dim = dim,
               .n = n,
               .points = dim == 3 ? n * n * n : n * n,
               .steps = !is_fast(b) ? 20
                        : dim == 3  ? 200
                                    : 1000};

    return all_of(&s);
}

static int measure(bench *b, bool image)
{
    const int64_t square = !is_fast(b) ? 48 : b->small ? 256 : 512;
    int code = EXIT_DONE;

    for (int k = 0; b->sized && k < b->sizes && code == EXIT_DONE; k++)
        code = on_grid(b, image, 2, b->size[k]);
    if (b->sized)
        return code;
    code = on_grid(b, image, 2, square);
    return code == EXIT_DONE && is_fast(b)
               ? on_grid(b, image, 3, bench_on_gpu(b) ? 256 : 96)
               : code;
}

static int gradient(bench *b)
{
    return measure(b, false);
}

const bench_kind bench_gradient = {
    .name = "gradient",
    .about = "a shot and its gradient",
    .run = gradient,
    .fixed = "each of its parts is tuned by itself",
    .no_program = true,
};

static int image(bench *b)
{
    return measure(b, true);
}

const bench_kind bench_rtm = {
    .name = "rtm",
    .about = "a shot and its image",
    .run = image,
    .fixed = "each of its parts is tuned by itself",
    .no_program = true,
};
