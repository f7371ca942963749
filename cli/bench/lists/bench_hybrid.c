/* SPDX-License-Identifier: BSD-3-Clause */
/* bench hybrid: a grid divided between processors and a GPU with several weights, after
 * Figures 14 and 15 of Christen (thesis, 2011); and between two GPUs (Figure 16).
 * Measured are the time of both together, of each part alone and of the halo exchange.
 * The model: the time of the slower part at its rate alone, and the exchange. */
#include <stdio.h>
#include <string.h>

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

static void grid_of(char word[BENCH_WORD], int64_t size, int64_t depth)
{
    snprintf(word, BENCH_WORD, "@%lldx%lldx%lld/f32", (long long)size, (long long)size,
             (long long)depth);
}

/* Keeps a row for `share` sixteenths of the grid on the processor; seconds of a step. */
static int keep(bench *b, const char *what, int share, int64_t size, const char *device,
                double seconds, double bound)
{
    const double points = (double)size * (double)size * (double)size;
    char word[BENCH_WORD], grid[BENCH_WORD];
    bench_place on = {.subdomains = ""};
    grid_of(grid, size, size);
    snprintf(word, sizeof word, BENCH_HYBRID "%s:cpu=%d/16%.200s", what, share, grid);
    snprintf(on.device, sizeof on.device, "%s", device);
    return bench_keep_at(b, word, &on, points, 1e-9 * points / seconds,
                         1e-9 * points / bound);
}

/* ---- alone ------------------------------------------------------------------------- */

/* Times a part of the grid, `depth` planes, on one device. */
static int time_alone(const bench *b, bool on_host, const char *schedule, int64_t size,
                      int64_t depth, double *seconds)
{
    char grid[BENCH_WORD], name[32];
    bench_place on = {.subdomains = "", .schedule = schedule};
    double exchange;
    bench_base_name(b, name);
    snprintf(on.device, sizeof on.device, "%s", on_host ? "cpu" : name);
    grid_of(grid, size, depth);
    return bench_measure_at(b, &on, grid, seconds, &exchange);
}

static int alone(bench *b, int64_t size, measured *m)
{
    double seconds = 1;
    char name[32];
    bench_base_name(b, name);
    int code = time_alone(b, false, NULL, size, size, &seconds);
    if (code == EXIT_DONE)
        code = keep(b, "", 0, size, name, seconds, seconds);
    if (code == EXIT_DONE)
        code = time_alone(b, true, NULL, size, size, &seconds);
    if (code == EXIT_DONE)
        code = keep(b, "", SIXTEENTHS, size, "cpu", seconds, seconds);
    if (code == EXIT_DONE)
        code = time_alone(b, true, "rows", size, size, &m->host);
    return code == EXIT_DONE ? time_alone(b, false, "sweep", size, size, &m->gpu) : code;
}

/* ---- together ---------------------------------------------------------------------- */

static double model(const measured *m, int share)
{
    const double part = share / (double)SIXTEENTHS;
    const double host = part * m->host, gpu = (1 - part) * m->gpu;
    return (host > gpu ? host : gpu) + m->exchange;
}

static int parts_alone(bench *b, int64_t size, int share)
{
    const int64_t depth = size * share / SIXTEENTHS;
    double seconds = 1;
    char name[32];
    bench_base_name(b, name);
    int code = time_alone(b, true, "rows", size, depth, &seconds);
    if (code == EXIT_DONE)
        code = keep(b, "-cpu", share, size, "cpu", seconds, seconds);
    if (code == EXIT_DONE)
        code = time_alone(b, false, "sweep", size, size - depth, &seconds);
    return code == EXIT_DONE ? keep(b, "-gpu", share, size, name, seconds, seconds)
                             : code;
}

static void note_best(measured *m, int share, double seconds)
{
    if (m->best == 0 || seconds < m->best) {
        m->best = seconds;
        m->best_share = share;
    }
    if (m->best_model == 0 || model(m, share) < m->best_model) {
        m->best_model = model(m, share);
        m->model_share = share;
    }
}

static int one_share(bench *b, int64_t size, int share, measured *m)
{
    char name[32], grid[BENCH_WORD];
    bench_place on = {.subdomains = ""};
    double seconds = 1, exchange = 0;
    bench_base_name(b, name);
    snprintf(on.device, sizeof on.device, "cpu+%s", name);
    snprintf(on.weights, sizeof on.weights, "%d,%d", share, SIXTEENTHS - share);
    grid_of(grid, size, size);
    int code = bench_measure_at(b, &on, grid, &seconds, &exchange);
    if (code != EXIT_DONE)
        return code;
    m->exchange = m->exchange > 0 ? m->exchange : exchange; /* of the first share */
    note_best(m, share, seconds);
    code = keep(b, "", share, size, on.device, seconds, model(m, share));
    if (code == EXIT_DONE && exchange > 0)
        code = keep(b, "-exchange", share, size, on.device, exchange, exchange);
    if (code == EXIT_DONE)
        code = keep(b, "-model", share, size, on.device, model(m, share),
                    model(m, share));
    return code == EXIT_DONE ? parts_alone(b, size, share) : code;
}

static void report(const bench *b, int64_t size, const measured *m)
{
    if (!b->json && m->best > 0)
        printf("%lld^3: of these shares of the processor %d/16 takes least, %.4g ms a "
               "step; by the model %d/16, %.4g ms, of which the exchange %.4g ms\n",
               (long long)size, m->best_share, 1e3 * m->best, m->model_share,
               1e3 * m->best_model, 1e3 * m->exchange);
}

/* ---- two GPUs ---------------------------------------------------------------------- */

/* Two equal GPUs with unequal weights; bound: the larger part at the rate of one GPU. */
static int two_gpus(bench *b, int64_t size, double one)
{
    static const int weight[] = {8, 4};
    const double points = (double)size * (double)size * (double)size;
    char name[32], grid[BENCH_WORD], word[BENCH_WORD];
    bench_place on = {.subdomains = ""};
    pav_device *device = NULL;
    int code = EXIT_DONE;
    bench_base_name(b, name);
    snprintf(on.device, sizeof on.device, "%s:0-1", name);
    if (pav_device_open(on.device, &device) != PAV_OK)
        return EXIT_DONE; /* no second GPU */
    pav_device_free(device);
    grid_of(grid, size, size);
    for (size_t n = 0; n < sizeof weight / sizeof *weight && code == EXIT_DONE; n++) {
        double seconds = 1, exchange;
        const double larger = (SIXTEENTHS - weight[n]) / (double)SIXTEENTHS;
        snprintf(on.weights, sizeof on.weights, "%d,%d", weight[n],
                 SIXTEENTHS - weight[n]);
        snprintf(word, sizeof word, BENCH_HYBRID "-gpus:first=%d/16%.200s", weight[n],
                 grid);
        code = bench_measure_at(b, &on, grid, &seconds, &exchange);
        if (code == EXIT_DONE)
            code = bench_keep_at(b, word, &on, points, 1e-9 * points / seconds,
                                 1e-9 * points / (larger * one));
    }
    return code;
}

/* ---- all --------------------------------------------------------------------------- */

static int share_grid(bench *b, int64_t size)
{
    static const int shares[] = {1, 2, 4, 8};
    measured m = {0};
    int code = alone(b, size, &m);
    for (size_t n = 0; n < sizeof shares / sizeof *shares && code == EXIT_DONE; n++)
        if (size * shares[n] >= SIXTEENTHS * BENCH_LEAST_WIDTH)
            code = one_share(b, size, shares[n], &m);
    if (code == EXIT_DONE)
        report(b, size, &m);
    return code == EXIT_DONE ? two_gpus(b, size, m.gpu) : code;
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
