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
    const pav_status status = bench_steps(run, steps, each);
    *each /= (double)steps;
    return status;
}

/* The first steps tune the kernels. The result is the median of three measurements. */
static pav_status time_steps(const bench *b, pav_run *run, double *seconds)
{
    const double least = b->how.repetitions == 1 ? short_seconds : usual_seconds;
    double each[MEASURED];
    int64_t steps = 1;
    TRY(timed(run, 64, seconds));
    for (;; steps *= 2) {
        TRY(timed(run, steps, seconds));
        if (*seconds * (double)steps >= least)
            break;
    }
    for (int n = 0; n < MEASURED; n++)
        TRY(timed(run, steps, &each[n]));
    qsort(each, MEASURED, sizeof *each, bench_by_value);
    *seconds = each[MEASURED / 2];
    return PAV_OK;
}

/* Seconds of a step in halo exchanges; 0: none. */
static pav_status exchange_of(pav_run *run, double *seconds)
{
    char *report = NULL;
    *seconds = 0;
    TRY(pav_run_report(run, 1, &report));
    const double steps = json_number_of(report, "steps");
    *seconds = steps > 0 ? json_number_of(report, "seconds_exchange") / steps : 0;
    pav_text_free(report);
    return PAV_OK;
}

double bench_measure_at(bench *b, const bench_place *on, const char *grid,
                        double *exchange)
{
    pav_run_options how = bench_run_options(b, on->schedule ? on->schedule
                                                            : b->how.schedule);
    char word[BENCH_WORD];
    double seconds = 1;
    pav_program *program = NULL;
    pav_device *device = NULL;
    pav_run *run = NULL;
    how.steps = INT64_MAX;
    how.subdomains = *on->subdomains ? on->subdomains : NULL;
    how.weights = *on->weights ? on->weights : NULL;
    snprintf(word, sizeof word, "heat3d%s", grid);
    if (!bench_ended(b))
        b->code = load_program(word, b->o->set, &program);
    if (bench_ended(b))
        return seconds;
    pav_status status = pav_device_open(on->device, &device);
    if (status == PAV_OK)
        status = pav_run_open(program, device, &how, &run);
    if (status == PAV_OK)
        status = time_steps(b, run, &seconds);
    if (status == PAV_OK && exchange)
        status = exchange_of(run, exchange);
    pav_run_free(run);
    pav_device_free(device);
    pav_program_free(program);
    if (status != PAV_OK)
        b->code = fail_with(status);
    return seconds;
}

void bench_keep_at(bench *b, const char *word, const bench_place *on, double points,
                   double gpts, double bound)
{
    const bench_row row = bench_row_of_rate(word, on->device, "f32", 1e-9 * points / gpts,
                                            1, points, bound);
    bench_keep(b, &row);
}

/* ---- scaling ----------------------------------------------------------------------- */

/* `count` GPUs, or `count` subdomains of the only device. */
static bool choose_places(const bench *b, int count, bench_place *on)
{
    pav_device *device = NULL;
    *on = (bench_place){.subdomains = ""};
    snprintf(on->device, sizeof on->device, "%s:0-%d", b->base, count - 1);
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

static void keep_model(bench *b, int count, int64_t size, bool weak, double one)
{
    const int64_t depth = weak ? count * size : size;
    char word[BENCH_WORD];
    bench_place on = {.subdomains = ""};
    snprintf(word, sizeof word, "scaling:%s=%d@%lldx%lldx%lld", weak ? "weak" : "strong",
             count, (long long)size, (long long)size, (long long)depth);
    snprintf(on.device, sizeof on.device, "model: links of %.4g GB/s and %.3g us",
             1e-9 * b->link, 1e6 * message_of(b, count));
    bench_keep_at(b, word, &on, (double)size * (double)size * (double)depth,
                  bound_of(b, count, size, weak, one), one * count);
}

static void extend(bench *b, int64_t size, bool weak, double one)
{
    static const int counts[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 10000};
    for (size_t n = 0; n < sizeof counts / sizeof *counts && b->link > 0; n++)
        if (weak || size * size * size / counts[n] >= LEAST_WIDTH * LEAST_WIDTH)
            keep_model(b, counts[n], size, weak, one);
}

static void scale(bench *b, int64_t size, bool weak)
{
    double one = 0;
    for (int count = 1; count <= MOST_PLACES && !bench_ended(b); count *= 2) {
        const int64_t depth = weak ? count * size : size;
        const double points = (double)size * (double)size * (double)depth;
        char grid[BENCH_WORD], word[BENCH_WORD];
        bench_place on;
        if (depth < count * LEAST_WIDTH)
            break;
        snprintf(grid, sizeof grid, "@%lldx%lldx%lld/f32", (long long)size,
                 (long long)size, (long long)depth);
        snprintf(word, sizeof word, "scaling:%s=%d%.200s", weak ? "weak" : "strong",
                 count, grid);
        const bool several = choose_places(b, count, &on);
        const double gpts = 1e-9 * points / bench_measure_at(b, &on, grid, NULL);
        one = count == 1 ? gpts : one;
        bench_keep_at(b, word, &on, points, gpts,
                      several ? bound_of(b, count, size, weak, one) : one);
    }
    extend(b, size, weak, one);
}

static void scaling(bench *b)
{
    for (int n = 0; n < b->sizes; n++) {
        scale(b, b->size[n], false);
        scale(b, b->size[n], true);
    }
}

const bench_kind bench_scaling = {
    .name = "scaling",
    .run = scaling,
};
