/* SPDX-License-Identifier: BSD-3-Clause */
/* bench scaling and bench hybrid: heat3d on several places at once. Scaling: on 1, 2, 4
 * and 8 devices, or, where there is one, in as many subdomains on it; the bound is one
 * device's rate, as often as there are devices, and what its surface takes on a link.
 * Hybrid: a grid shared out to processors and a GPU by several weights; the bound is the
 * model's: the slower of the two, each at its own rate. */
#include <stdio.h>
#include <string.h>

#include "bench_list.h"

enum { MOST_PLACES = 8, MEASURED = 3, LEAST_WIDTH = 4 };
static const double usual_seconds = 0.1; /* of steps that are timed at once */
static const double short_seconds =
    0.01; /* the same, where one repetition is asked for */

/* One run: on which devices, and how the grid is shared out to them. */
typedef struct places {
    char device[64], subdomains[16], weights[32]; /* the last two: "" where not said */
} places;

/* ---- one rate ---------------------------------------------------------------------- */

static pav_status timed(pav_run *run, int64_t steps, double *each)
{
    const double begun = seconds_now();
    const pav_status status = pav_run_steps(run, steps);
    *each = (seconds_now() - begun) / (double)steps;
    return status;
}

static double middle(const double *v)
{
    const double least = v[0] < v[1] ? v[0] : v[1], most = v[0] < v[1] ? v[1] : v[0];
    return v[2] < least ? least : v[2] > most ? most : v[2];
}

/* The first steps find how kernels go best. */
static pav_status time_steps(const bench *b, pav_run *run, double *seconds)
{
    const double least = b->how.repetitions == 1 ? short_seconds : usual_seconds;
    double each[MEASURED];
    int64_t steps = 64;
    pav_status status = timed(run, steps, seconds);
    for (steps = 1; status == PAV_OK; steps *= 2) {
        status = timed(run, steps, seconds);
        if (*seconds * (double)steps >= least)
            break;
    }
    for (int n = 0; n < MEASURED && status == PAV_OK; n++)
        status = timed(run, steps, &each[n]);
    if (status == PAV_OK)
        *seconds = middle(each);
    return status;
}

static pav_status time_run(const bench *b, const pav_program *p, const places *on,
                           double *seconds)
{
    const pav_run_options how = {.no_files = 1,
                                 .nan_check_every = -1,
                                 .steps = INT64_MAX,
                                 .threads = b->how.threads,
                                 .bind = b->how.bind,
                                 .subdomains = *on->subdomains ? on->subdomains : NULL,
                                 .weights = *on->weights ? on->weights : NULL,
                                 .schedule = b->how.schedule};
    pav_device *device = NULL;
    pav_run *run = NULL;
    pav_status status = pav_device_open(on->device, &device);
    if (status == PAV_OK)
        status = pav_run_open(p, device, &how, &run);
    if (status == PAV_OK)
        status = time_steps(b, run, seconds);
    pav_run_free(run);
    pav_device_free(device);
    return status;
}

/* 1e9 points a second of a grid of size x size x depth. */
static int measure(const bench *b, const places *on, const char *grid, double points,
                   double *gpts)
{
    char word[BENCH_WORD];
    pav_program *program = NULL;
    double seconds = 1;
    snprintf(word, sizeof word, "heat3d%s", grid);
    const int code = load_program(word, b->o->set, &program);
    if (code != EXIT_DONE)
        return code;
    const pav_status status = time_run(b, program, on, &seconds);
    pav_program_free(program);
    *gpts = 1e-9 * points / seconds;
    return status == PAV_OK ? EXIT_DONE : fail_with(status);
}

static int keep(bench *b, const char *word, const places *on, double points, double gpts,
                double bound)
{
    bench_row row = bench_row_of_time(word, on->device, 1e-9 * points / gpts, 1);
    row.gpts = gpts;
    row.bound_gpts = bound;
    row.percent = 100 * gpts / bound;
    snprintf(row.type, sizeof row.type, "f32");
    return bench_keep(b, &row);
}

/* ---- scaling ----------------------------------------------------------------------- */

static void base_name(const bench *b, char name[32])
{
    const char *whole = pav_device_name(b->device);
    snprintf(name, 32, "%.*s", (int)strcspn(whole, ":"), whole);
}

/* So many GPUs, or else so many subdomains on the only device. */
static bool choose_places(const bench *b, int count, places *on)
{
    char name[32];
    pav_device *device = NULL;
    base_name(b, name);
    *on = (places){.subdomains = ""};
    snprintf(on->device, sizeof on->device, "%s:0-%d", name, count - 1);
    const bool several = bench_on_gpu(b) && count > 1 &&
                         pav_device_open(on->device, &device) == PAV_OK;
    pav_device_free(device);
    if (several)
        return true;
    snprintf(on->device, sizeof on->device, "%s", pav_device_name(b->device));
    if (count > 1)
        snprintf(on->subdomains, sizeof on->subdomains, "1x1x%d", count);
    return false;
}

/* Bytes that a device receives in a step, at most: of slabs, or of the boxes of so many
 * that have the least surface. */
static double surface_of(int count, int64_t size, bool weak)
{
    const double face = sizeof(float) * (double)size * (double)size;
    double least = (count > 2 ? 2 : count - 1) * face;
    for (int x = 1; x <= count && !weak; x++)
        for (int y = 1; count % x == 0 && y <= count / x; y++) {
            const int part[3] = {x, y, count / x / y};
            double bytes = 0;
            for (int axis = 0; axis < 3; axis++)
                bytes += (part[axis] > 2 ? 2 : part[axis] - 1) * face * part[axis];
            if (count / x % y == 0 && bytes / count < least)
                least = bytes / count;
        }
    return least;
}

/* Each computes its points at the rate of one while halos cross its links: the slower of
 * the two. */
static double bound_of(const bench *b, int count, int64_t size, bool weak, double one)
{
    const double points = (double)size * (double)size * (double)size * (weak ? count : 1);
    const double computing = points / count / (1e9 * one);
    const double crossing = b->link > 0 ? surface_of(count, size, weak) / b->link : 0;
    return 1e-9 * points / (computing > crossing ? computing : crossing);
}

static int keep_model(bench *b, int count, int64_t size, bool weak, double one)
{
    const int64_t depth = weak ? count * size : size;
    char word[BENCH_WORD];
    places on = {.subdomains = ""};
    snprintf(word, sizeof word, "scaling:%s=%d@%lldx%lldx%lld", weak ? "weak" : "strong",
             count, (long long)size, (long long)size, (long long)depth);
    snprintf(on.device, sizeof on.device, "model: links of %.4g GB/s", 1e-9 * b->link);
    return keep(b, word, &on, (double)size * (double)size * (double)depth,
                bound_of(b, count, size, weak, one), one * count);
}

static int extend(bench *b, int64_t size, bool weak, double one)
{
    static const int counts[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 10000};
    int code = EXIT_DONE;
    for (size_t n = 0; n < sizeof counts / sizeof *counts && b->link > 0; n++)
        if (code == EXIT_DONE &&
            (weak || size * size * size / counts[n] >= LEAST_WIDTH * LEAST_WIDTH))
            code = keep_model(b, counts[n], size, weak, one);
    return code;
}

static int scale(bench *b, int64_t size, bool weak)
{
    double one = 0;
    int code = EXIT_DONE;
    for (int count = 1; count <= MOST_PLACES && code == EXIT_DONE; count *= 2) {
        const int64_t depth = weak ? count * size : size;
        const double points = (double)size * (double)size * (double)depth;
        char grid[BENCH_WORD], word[BENCH_WORD];
        places on;
        double gpts = 0;
        if (depth < count * LEAST_WIDTH)
            break;
        snprintf(grid, sizeof grid, "@%lldx%lldx%lld/f32", (long long)size,
                 (long long)size, (long long)depth);
        snprintf(word, sizeof word, "scaling:%s=%d%.200s", weak ? "weak" : "strong",
                 count, grid);
        const int devices = choose_places(b, count, &on) ? count : 1;
        code = measure(b, &on, grid, points, &gpts);
        one = count == 1 ? gpts : one;
        if (code == EXIT_DONE)
            code = keep(b, word, &on, points, gpts,
                        devices > 1 ? bound_of(b, count, size, weak, one) : one);
    }
    return code == EXIT_DONE ? extend(b, size, weak, one) : code;
}

static int scaling(bench *b)
{
    int code = EXIT_DONE;
    for (int n = 0; n < b->sizes && code == EXIT_DONE; n++) {
        code = scale(b, b->size[n], false);
        if (code == EXIT_DONE)
            code = scale(b, b->size[n], true);
    }
    return code;
}

const bench_kind bench_scaling = {
    .name = "scaling",
    .about = "one grid on more and more devices, and grids that grow with them",
    .run = scaling,
};

/* ---- hybrid ------------------------------------------------------------------------ */

enum { SIXTEENTHS = 16 };

static void share_out(const bench *b, int host, places *on)
{
    char name[32];
    base_name(b, name);
    *on = (places){.subdomains = ""};
    if (host == 0 || host == SIXTEENTHS)
        snprintf(on->device, sizeof on->device, "%s", host ? "cpu" : name);
    else {
        snprintf(on->device, sizeof on->device, "cpu+%s", name);
        snprintf(on->weights, sizeof on->weights, "%d,%d", host, SIXTEENTHS - host);
    }
}

/* Each part at the rate of its place alone, at the same time. */
static double model(double host, double gpu, double share)
{
    const double by_host = share / host, by_gpu = (1 - share) / gpu;
    return 1 / (by_host > by_gpu ? by_host : by_gpu);
}

static int one_share(bench *b, const char *grid, double points, int host, double *rate,
                     double bound)
{
    char word[BENCH_WORD];
    places on;
    share_out(b, host, &on);
    snprintf(word, sizeof word, "hybrid:cpu=%d/16%.200s", host, grid);
    const int code = measure(b, &on, grid, points, rate);
    return code == EXIT_DONE
               ? keep(b, word, &on, points, *rate, bound > 0 ? bound : *rate)
               : code;
}

static int share_grid(bench *b, int64_t size)
{
    static const int shares[] = {1, 2, 4, 8};
    const double points = (double)size * (double)size * (double)size;
    char grid[BENCH_WORD] = "";
    double gpu = 1, host = 1, rate;
    bench_add_grid(grid, 3, size, "f32");
    int code = one_share(b, grid, points, 0, &gpu, 0);
    if (code == EXIT_DONE)
        code = one_share(b, grid, points, SIXTEENTHS, &host, 0);
    for (size_t n = 0; n < sizeof shares / sizeof *shares && code == EXIT_DONE; n++)
        if (size * shares[n] >= SIXTEENTHS * LEAST_WIDTH)
            code = one_share(b, grid, points, shares[n], &rate,
                             model(host, gpu, shares[n] / (double)SIXTEENTHS));
    return code;
}

static int hybrid(bench *b)
{
    int code = EXIT_DONE;
    if (!bench_on_gpu(b)) {
        complain(PAV_EUNSUPPORTED, "hybrid shares grids out to processors and a GPU: "
                                   "--device cuda");
        return EXIT_USAGE;
    }
    for (int n = 0; n < b->sizes && code == EXIT_DONE; n++)
        code = share_grid(b, b->size[n]);
    return code;
}

const bench_kind bench_hybrid = {
    .name = "hybrid",
    .about = "a grid shared out to processors and a GPU, beside the model",
    .run = hybrid,
    .fixed = "no schedule is of both processors and GPUs",
};
