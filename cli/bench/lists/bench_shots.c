/* SPDX-License-Identifier: BSD-3-Clause */
/* bench gradient and bench rtm: a shot with a velocity field, f32, order 8. First come
 * the steps of the wave with its source and 101 receivers, alone and in a matched layer
 * (percent: of the rate without the layer). Then comes the cost of the gradient for the
 * velocity, or of the image, relative to the forward run: with the whole history, with
 * every eighth step of it, and with eight snapshots and recomputation between them. */
#include <math.h>
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

/* Seconds of all steps, the best of some rounds; a tenth of the steps before them is for
 * tuning. */
static pav_status time_steps(const shots *s, pav_run *run, double *best)
{
    *best = 1e300;
    TRY(pav_run_steps(run, s->steps / 10 + 1));
    for (int k = 0; k < ROUNDS; k++) {
        double seconds;
        TRY(bench_steps(run, s->steps, &seconds));
        *best = seconds < *best ? seconds : *best;
    }
    return PAV_OK;
}

static void name_row(const shots *s, const char *what, char word[BENCH_WORD])
{
    bench_name(word, s->dim, s->n, s->n, "f32", "%s:%s", s->image ? "rtm" : "gradient",
               what);
}

static void forward(shots *s, const char *what, bool shot, const char *layer,
                    double *seconds)
{
    const pav_run_options how = bench_run_options(s->b, NULL);
    char text[DESCRIPTION], word[BENCH_WORD];

    describe(s, shot, layer, text);
    name_row(s, what, word);
    bench_trial t = bench_open(s->b, "shot", text, &how);
    if (t.status == PAV_OK)
        t.status = time_steps(s, t.run, seconds);
    if (!bench_close(s->b, word, &t))
        return;
    const double steps = (double)s->steps, points = (double)s->points;
    bench_keep(s->b, bench_row_of_rate(word, pav_device_name(s->b->device), "f32",
                                       *seconds / steps, steps, points,
                                       1e-9 * points * steps / s->alone));
}

/* Seconds of both directions, the best of two rounds: the first round compiles the
 * kernels. */
static pav_status go_back(const shots *s, const pav_program *program,
                          const pav_adjoint_options *how, double *best)
{
    pav_adjoint_result r;

    *best = 1e300;
    for (int k = 0; k < 2; k++) {
        TRY(s->image ? pav_migrate(program, s->b->device, how, &r)
                     : pav_gradient(program, s->b->device, how, &r));
        *best = fmin(*best, r.forward_seconds + r.backward_seconds);
    }
    return PAV_OK;
}

static void backward(shots *s, const char *what, const pav_adjoint_options *how)
{
    char text[DESCRIPTION], word[BENCH_WORD];
    double seconds = 0;

    describe(s, true, "absorb 10 cells", text);
    name_row(s, what, word);
    bench_trial t = bench_open(s->b, "shot", text, NULL);
    if (t.status == PAV_OK)
        t.status = go_back(s, t.program, how, &seconds);
    if (!bench_close(s->b, word, &t))
        return;
    bench_row row = bench_row_of_time(word, pav_device_name(s->b->device), seconds,
                                      (double)s->steps);
    row.factor = seconds / s->forward;
    snprintf(row.type, sizeof row.type, "f32");
    bench_keep(s->b, row);
}

static void back_all_ways(shots *s, const char *data)
{
    static const char *const of[] = {"c", NULL};
    pav_adjoint_options how = {.no_files = 1,
                               .threads = s->b->how.threads,
                               .coefficients = s->image ? NULL : of,
                               .data = data,
                               .keep = "all"};

    backward(s, "all", &how);
    how.every = 8;
    backward(s, "every=8", &how);
    how.every = 0;
    how.keep = "snapshots";
    how.history = STATES * 2 * s->points * (int64_t)sizeof(float);
    backward(s, "states=8", &how);
}

/* Records the data for an image in a directory of its own. */
static void image_all_ways(shots *s)
{
    const char *top = getenv("TMPDIR");
    char folder[BENCH_WORD], data[BENCH_WORD + 16], text[DESCRIPTION];
    const pav_run_options how = {.directory = folder};

    snprintf(folder, sizeof folder, "%s/pavior-bench-XXXXXX", top && *top ? top : "/tmp");
    if (!mkdtemp(folder)) {
        complain(PAV_EIO, "no directory %s can be made: set $TMPDIR", folder);
        s->b->code = EXIT_RUN_FAILED;
        return;
    }
    snprintf(data, sizeof data, "%s/d.npy", folder);
    describe(s, true, "absorb 10 cells", text);
    bench_trial t = bench_open(s->b, "shot", text, &how);
    if (t.status == PAV_OK)
        t.status = pav_run_finish(t.run);
    if (bench_close(s->b, "rtm", &t))
        back_all_ways(s, data);
    unlink(data);
    rmdir(folder);
}

static void on_grid(bench *b, bool image, int dim, int64_t n, int64_t steps)
{
    shots s = {.b = b,
               .image = image,
               .dim = dim,
               .n = n,
               .points = dim == 3 ? n * n * n : n * n,
               .steps = steps};
    double layer = 0;

    forward(&s, "wave", false, "absorb 10 cells", &s.alone);
    forward(&s, "shot", true, "absorb 10 cells", &s.forward);
    forward(&s, "pml", true, "absorb 10 cells by pml", &layer);
    if (image && !bench_ended(b))
        image_all_ways(&s);
    else
        back_all_ways(&s, NULL);
}

static void measure(bench *b)
{
    const bool image = strcmp(b->list, "rtm") == 0;
    const bool fast = !bench_on(b, "interpreter") && !bench_on(b, "emulated");
    const int64_t square[] = {!fast ? 48 : b->small ? 256 : 512};

    for (int k = 0; k < (b->sized ? b->sizes : 1); k++)
        on_grid(b, image, 2, (b->sized ? b->size : square)[k], fast ? 1000 : 20);
    if (!b->sized && fast)
        on_grid(b, image, 3, bench_on_gpu(b) ? 256 : 96, 200);
}

const bench_kind bench_gradient = {
    .name = "gradient",
    .run = measure,
    .fixed = "each of its parts is tuned by itself",
    .no_program = true,
};

const bench_kind bench_rtm = {
    .name = "rtm",
    .run = measure,
    .fixed = "each of its parts is tuned by itself",
    .no_program = true,
};
