/* SPDX-License-Identifier: BSD-3-Clause */
/* bench scaling: heat3d on 1, 2, 4 and 8 devices, or in equally many subdomains of a
 * single device. The bound is the rate of one device times the number of devices, limited
 * by the link's time for the halos. This file also has the timing of runs on several
 * devices for other lists. */
#include <math.h>
#include <stdio.h>

#include "bench_list.h"

enum { MOST_PLACES = 8, MEASURED = 3, LEAST_WIDTH = BENCH_LEAST_WIDTH };
static const double usual_seconds = 0.1;  /* seconds of steps in one measurement */
static const double short_seconds = 0.01; /* the same for --repetitions 1 */

/* ---- one rate ---------------------------------------------------------------------- */

/* Seconds of a step, and of its halo exchange; 0: none. */
static pav_status measure(const bench *b, const char *name, const pav_program *program,
                          const pav_run_options *how, double *seconds, double *exchange)
{
    OWNED_BY(close_device) pav_device *device = NULL;
    OWNED_BY(close_run) pav_run *run = NULL;
    OWNED_BY(close_text) char *report = NULL;
    TRY(pav_device_open(name, &device));
    TRY(pav_run_open(program, device, how, &run));
    TRY(bench_least(run, b->how.repetitions == 1 ? short_seconds : usual_seconds,
                    MEASURED, seconds));
    TRY(pav_run_report(run, 1, &report));
    if (exchange)
        *exchange = json_number_of(report, "seconds_exchange") /
                    fmax(json_number_of(report, "steps"), 1);
    return PAV_OK;
}

double bench_seconds_at(bench *b, const char *device, pav_run_options how, int64_t size,
                        int64_t depth, double *exchange)
{
    char word[BENCH_WORD];
    double seconds = 1;
    how.steps = INT64_MAX;
    bench_name(word, 3, size, depth, "f32", "heat3d");
    bench_trial t = bench_open(b, word, NULL, NULL);
    if (t.status == PAV_OK)
        t.status = measure(b, device, t.program, &how, &seconds, exchange);
    bench_close(b, NULL, &t);
    return seconds;
}

/* ---- scaling ----------------------------------------------------------------------- */

/* The first `count` GPUs, as "cuda:0-3"; false: there are fewer. */
static bool has_places(const bench *b, int count, char name[64])
{
    OWNED_BY(close_device) pav_device *device = NULL;
    snprintf(name, 64, "%s:0-%d", b->base, count - 1);
    return bench_on_gpu(b) && count > 1 && pav_device_open(name, &device) == PAV_OK;
}

/* Latency of a message in seconds: from --model, or from the machine's table. */
static double message_of(const bench *b, int count)
{
    return b->message >= 0 ? b->message : pav_message_seconds(b->device, count);
}

/* Maximum seconds for a device to receive the halos of a step: from both neighbours along
 * each divided axis, one after the other. For slabs, or for the boxes with the least
 * time. */
static double crossing_of(const bench *b, int count, int64_t size, bool weak)
{
    const double face = sizeof(float) * (double)size * (double)size;
    double least = (count > 2 ? 2 : count - 1) * (face / b->link + message_of(b, count));
    for (int x = 1; x <= count && !weak; x++)
        for (int y = 1; count % x == 0 && y <= count / x; y++) {
            const int part[3] = {x, y, count / x / y};
            double bytes = 0;
            int messages = 0;
            for (int axis = 0; axis < 3; axis++) {
                const int neighbours = part[axis] > 2 ? 2 : part[axis] - 1;
                bytes += neighbours * face * part[axis] / count;
                messages += neighbours;
            }

            const double seconds = bytes / b->link + messages * message_of(b, count);
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

/* Rates by the model on more devices. */
static void extend(bench *b, int64_t size, bool weak, double one)
{
    static const int counts[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 10000};
    for (size_t n = 0; n < sizeof counts / sizeof *counts && b->link > 0; n++) {
        const int count = counts[n];
        const int64_t depth = weak ? count * size : size;
        const double points = (double)size * (double)size * (double)depth;
        char word[BENCH_WORD], device[64];
        if (!weak && size * size * size / count < LEAST_WIDTH * LEAST_WIDTH)
            continue;
        bench_name(word, 3, size, depth, "f32", "scaling:%s=%d", weak ? "weak" : "strong",
                   count);
        snprintf(device, sizeof device, "model: links of %.4g GB/s and %.3g us",
                 1e-9 * b->link, 1e6 * message_of(b, count));
        const double gpts = bound_of(b, count, size, weak, one);
        bench_keep(b, bench_row_of_rate(word, device, "f32", 1e-9 * points / gpts, 1,
                                        points, one * count));
    }
}

/* On `count` GPUs, or in `count` subdomains of the only device. */
static void scale(bench *b, int64_t size, bool weak)
{
    double one = 0;
    for (int count = 1; count <= MOST_PLACES && !bench_ended(b); count *= 2) {
        const int64_t depth = weak ? count * size : size;
        const double points = (double)size * (double)size * (double)depth;
        char word[BENCH_WORD], places[64], slabs[16];
        pav_run_options how = bench_run_options(b, b->how.schedule);
        if (depth < count * LEAST_WIDTH)
            break;
        bench_name(word, 3, size, depth, "f32", "scaling:%s=%d", weak ? "weak" : "strong",
                   count);
        snprintf(slabs, sizeof slabs, "1x1x%d", count);
        const bool several = has_places(b, count, places);
        const char *device = several ? places : pav_device_name(b->device);
        how.subdomains = several || count == 1 ? NULL : slabs;
        const double seconds = bench_seconds_at(b, device, how, size, depth, NULL);
        one = count == 1 ? 1e-9 * points / seconds : one;
        bench_keep(
            b, bench_row_of_rate(word, device, "f32", seconds, 1, points,
                                 several ? bound_of(b, count, size, weak, one) : one));
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
