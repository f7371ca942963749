/* SPDX-License-Identifier: BSD-3-Clause */
/* bench hybrid: a grid divided between processors and a GPU with several weights, after
 * Figures 14 and 15 of Christen (thesis, 2011); and between two GPUs (Figure 16).
 * Measured are the time of both together, of each part alone and of the halo exchange.
 * The model: the time of the slower part at its rate alone, and the exchange. */
#include <stdio.h>

#include "bench_list.h"

enum { SIXTEENTHS = 16 };

/* Seconds of a step: the whole grid on each device alone in single steps; a halo
 * exchange. */
typedef struct measured {
    double host, gpu, exchange;
    /* least time of both together; its prediction by the model */
    double best, best_model;
    int best_share, model_share;
} measured;

/* Keeps a row for `share` sixteenths of the grid on the processor; seconds of a step. */
static void keep(bench *b, const char *what, int share, int64_t size, const char *device,
                 double seconds, double bound)
{
    const double points = (double)size * (double)size * (double)size;
    char word[BENCH_WORD];
    bench_name(word, 3, size, size, "f32", BENCH_HYBRID "%s:cpu=%d/16", what, share);
    bench_keep(b, bench_row_of_rate(word, device, "f32", seconds, 1, points,
                                    1e-9 * points / bound));
}

/* ---- alone ------------------------------------------------------------------------- */

/* Seconds of a step on a part of the grid, `depth` planes, on one device. */
static double time_alone(bench *b, const char *device, const char *schedule, int64_t size,
                         int64_t depth)
{
    return bench_seconds_at(b, device, bench_run_options(b, schedule), size, depth, NULL);
}

/* ---- together ---------------------------------------------------------------------- */

static double model(const measured *m, int share)
{
    const double part = share / (double)SIXTEENTHS;
    const double host = part * m->host, gpu = (1 - part) * m->gpu;
    return (host > gpu ? host : gpu) + m->exchange;
}

static void one_share(bench *b, int64_t size, int share, measured *m)
{
    char device[64], weights[32];
    pav_run_options how = bench_run_options(b, NULL);
    const int64_t depth = size * share / SIXTEENTHS;
    double exchange;
    snprintf(device, sizeof device, "cpu+%s", b->base);
    snprintf(weights, sizeof weights, "%d,%d", share, SIXTEENTHS - share);
    how.weights = weights;
    const double seconds = bench_seconds_at(b, device, how, size, size, &exchange);
    if (bench_ended(b))
        return;
    m->exchange = m->exchange > 0 ? m->exchange : exchange; /* of the first share */
    const double expected = model(m, share);
    if (m->best == 0 || seconds < m->best) {
        m->best = seconds;
        m->best_share = share;
    }
    if (m->best_model == 0 || expected < m->best_model) {
        m->best_model = expected;
        m->model_share = share;
    }
    keep(b, "", share, size, device, seconds, expected);
    if (exchange > 0)
        keep(b, "-exchange", share, size, device, exchange, exchange);
    keep(b, "-model", share, size, device, expected, expected);
    const double host = time_alone(b, "cpu", "rows", size, depth);
    keep(b, "-cpu", share, size, "cpu", host, host);
    const double gpu = time_alone(b, b->base, "sweep", size, size - depth);
    keep(b, "-gpu", share, size, b->base, gpu, gpu);
}

/* ---- two GPUs ---------------------------------------------------------------------- */

/* Two equal GPUs with unequal weights; bound: the larger part at the rate of one GPU. */
static void two_gpus(bench *b, int64_t size, double one)
{
    static const int weight[] = {8, 4};
    const double points = (double)size * (double)size * (double)size;
    char word[BENCH_WORD], device[64], weights[32];
    pav_run_options how = bench_run_options(b, NULL);
    OWNED_BY(close_device) pav_device *both = NULL;
    snprintf(device, sizeof device, "%s:0-1", b->base);
    if (bench_ended(b) || pav_device_open(device, &both) != PAV_OK)
        return; /* no second GPU */
    how.weights = weights;
    for (size_t n = 0; n < sizeof weight / sizeof *weight; n++) {
        const double larger = (SIXTEENTHS - weight[n]) / (double)SIXTEENTHS;
        snprintf(weights, sizeof weights, "%d,%d", weight[n], SIXTEENTHS - weight[n]);
        bench_name(word, 3, size, size, "f32", BENCH_HYBRID "-gpus:first=%d/16",
                   weight[n]);
        const double seconds = bench_seconds_at(b, device, how, size, size, NULL);
        bench_keep(b, bench_row_of_rate(word, device, "f32", seconds, 1, points,
                                        1e-9 * points / (larger * one)));
    }
}

/* ---- all --------------------------------------------------------------------------- */

static void hybrid(bench *b)
{
    static const int shares[] = {1, 2, 4, 8};
    for (int k = 0; k < b->sizes; k++) {
        const int64_t size = b->size[k];
        const double gpu = time_alone(b, b->base, NULL, size, size);
        keep(b, "", 0, size, b->base, gpu, gpu);
        const double host = time_alone(b, "cpu", NULL, size, size);
        keep(b, "", SIXTEENTHS, size, "cpu", host, host);
        measured m = {.host = time_alone(b, "cpu", "rows", size, size),
                      .gpu = time_alone(b, b->base, "sweep", size, size)};
        for (size_t n = 0; n < sizeof shares / sizeof *shares; n++)
            if (size * shares[n] >= SIXTEENTHS * BENCH_LEAST_WIDTH)
                one_share(b, size, shares[n], &m);
        if (!b->json && m.best > 0 && !bench_ended(b))
            printf(
                "%lld^3: of these shares of the processor %d/16 takes least, %.4g ms a "
                "step; by the model %d/16, %.4g ms, of which the exchange %.4g ms\n",
                (long long)size, m.best_share, 1e3 * m.best, m.model_share,
                1e3 * m.best_model, 1e3 * m.exchange);
        two_gpus(b, size, m.gpu);
    }
}

const bench_kind bench_hybrid = {
    .name = "hybrid",
    .run = hybrid,
    .of_gpus = "shares grids out to processors and a GPU",
    .fixed = "no schedule is of both processors and GPUs",
};
