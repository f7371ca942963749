/* SPDX-License-Identifier: BSD-3-Clause */
/* bench scaling: heat3d on 1, 2, 4 and 8 devices, or in equally many subdomains of a
 * single device. The bound is the rate of one device times the number of devices, limited
 * by the link's time for the halos. This file also has the timing of runs on several
 * devices for other lists. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { MOST_PLACES = 8, MEASURED = 3, LEAST_WIDTH = BENCH_LEAST_WIDTH };
static const double usual_seconds = 0.1;  /* seconds of steps in one measurement */
static const double short_seconds = 0.01; /* the same for --repetitions 1 */

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

/* The first steps tune the kernels. */
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

/* Reads a number from a report; 0: missing. */
static double number_in(const char *report, const char *name)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", name);
    const char *at = strstr(report, quoted);
    return at ? strtod(at + strlen(quoted), NULL) : 0;
}

/* Seconds of a step in halo exchanges; 0: none. */
static pav_status exchange_of(pav_run *run, double *seconds)
{
    char *report = NULL;
    const pav_status status = pav_run_report(run, 1, &report);
    *seconds = 0;
    if (status != PAV_OK)
        return status;
    const double steps = number_in(report, "steps");
    *seconds = steps > 0 ? number_in(report, "seconds_exchange") / steps : 0;
    free(report);
    return PAV_OK;
}

static pav_status time_run(const bench *b, const pav_program *p, const bench_place *on,
                           double *seconds, double *exchange)
{
    const pav_run_options how = {.no_files = 1,
                                 .nan_check_every = -1,
                                 .steps = INT64_MAX,
                                 .threads = b->how.threads,
                                 .bind = b->how.bind,
                                 .subdomains = *on->subdomains ? on->subdomains : NULL,
                                 .weights = *on->weights ? on->weights : NULL,
                                 .schedule = on->schedule ? on->schedule
                                                          : b->how.schedule};
    pav_device *device = NULL;
    pav_run *run = NULL;
    pav_status status = pav_device_open(on->device, &device);
    if (status == PAV_OK)
        status = pav_run_open(p, device, &how, &run);
    if (status == PAV_OK)
        status = time_steps(b, run, seconds);
    if (status == PAV_OK)
        status = exchange_of(run, exchange);
    pav_run_free(run);
    pav_device_free(device);
    return status;
}

int bench_measure_at(const bench *b, const bench_place *on, const char *grid,
                     double *seconds, double *exchange)
{
    char word[BENCH_WORD];
    pav_program *program = NULL;
    snprintf(word, sizeof word, "heat3d%s", grid);
    const int code = load_program(word, b->o->set, &program);
    if (code != EXIT_DONE)
        return code;
    const pav_status status = time_run(b, program, on, seconds, exchange);
    pav_program_free(program);
    return status == PAV_OK ? EXIT_DONE : fail_with(status);
}

/* 1e9 points per second on a grid with `points` points. */
static int measure(const bench *b, const bench_place *on, const char *grid, double points,
                   double *gpts)
{
    double seconds = 1, exchange;
    const int code = bench_measure_at(b, on, grid, &seconds, &exchange);
    *gpts = 1e-9 * points / seconds;
    return code;
}

int bench_keep_at(bench *b, const char *word, const bench_place *on, double points,
                  double gpts, double bound)
{
    bench_row row = bench_row_of_time(word, on->device, 1e-9 * points / gpts, 1);
    row.gpts = gpts;
    row.bound_gpts = bound;
    row.percent = 100 * gpts / bound;
    snprintf(row.type, sizeof row.type, "f32");
    return bench_keep(b, &row);
}

/* ---- scaling ----------------------------------------------------------------------- */

void bench_base_name(const bench *b, char name[32])
{
    const char *whole = pav_device_name(b->device);
    snprintf(name, 32, "%.*s", (int)strcspn(whole, ":"), whole);
}

/* `count` GPUs, or `count` subdomains of the only device. */
static bool choose_places(const bench *b, int count, bench_place *on)
{
    char name[32];
    pav_device *device = NULL;
    bench_base_name(b, name);
    *on = (bench_place){.subdomains = ""};
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

/* Latency of a message in seconds: from --model, or from the machine's table. */
static double message_of(const bench *b, int count)
{
    return b->message >= 0 ? b->message : pav_message_seconds(b->device, count);
}

/* Maximum seconds for a device to receive the halos of a step: from both neighbours along
 * each divided axis, one after the other. */
static double crossing_by(const bench *b, const int *part, int64_t size, int count)
{
    const double face = sizeof(float) * (double)size * (double)size;
    double bytes = 0;
    int messages = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int neighbours = part[axis] > 2 ? 2 : part[axis] - 1;
        bytes += neighbours * face * part[axis] / count;
        messages += neighbours;
    }
    return bytes / b->link + messages * message_of(b, count);
}

/* The same for slabs, or for the division into boxes with the least time. */
static double crossing_of(const bench *b, int count, int64_t size, bool weak)
{
    const double face = sizeof(float) * (double)size * (double)size;
    const int neighbours = count > 2 ? 2 : count - 1;
    double least = neighbours * (face / b->link + message_of(b, count));
    for (int x = 1; x <= count && !weak; x++)
        for (int y = 1; count % x == 0 && y <= count / x; y++) {
            const int part[3] = {x, y, count / x / y};
            const double seconds = crossing_by(b, part, size, count);
            if (count / x % y == 0 && seconds < least)
                least = seconds;
        }
    return least;
}

/* A device computes at the rate of one while halos cross its links: the slower of the two
 * bounds the step. */
static double bound_of(const bench *b, int count, int64_t size, bool weak, double one)
{
    const double points = (double)size * (double)size * (double)size * (weak ? count : 1);
    const double computing = points / count / (1e9 * one);
    const double crossing = b->link > 0 ? crossing_of(b, count, size, weak) : 0;
    return 1e-9 * points / (computing > crossing ? computing : crossing);
}

static int keep_model(bench *b, int count, int64_t size, bool weak, double one)
{
    const int64_t depth = weak ? count * size : size;
    char word[BENCH_WORD];
    bench_place on = {.subdomains = ""};
    snprintf(word, sizeof word, "scaling:%s=%d@%lldx%lldx%lld", weak ? "weak" : "strong",
             count, (long long)size, (long long)size, (long long)depth);
    snprintf(on.device, sizeof on.device, "model: links of %.4g GB/s and %.3g us",
             1e-9 * b->link, 1e6 * message_of(b, count));
    return bench_keep_at(b, word, &on, (double)size * (double)size * (double)depth,
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
        bench_place on;
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
            code = bench_keep_at(b, word, &on, points, gpts,
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
