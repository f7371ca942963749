/* SPDX-License-Identifier: BSD-3-Clause */
/* bench auto: the rate of a run without a requested schedule, compared with the best
 * measured rate of the same problem. The best is the fastest of all kinds of schedules of
 * the device, each with enough time for tuning. The run lasts about a second, and its
 * trials count. Both are measured over equally many steps and in turn, because other load
 * on the machine would slow only one of them. Wisdom is off. With --cold another run, of
 * three seconds, starts with an empty cache. Its steps include all waits for kernels. */
#define _XOPEN_SOURCE 700 /* nftw */
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { MOST_STEPS = 1 << 30 };
/* seconds: of the run; of the best schedule */
static const double lasting = 1, window = 0.15;
enum { WINDOWS = 4, TURNS = 3, COLD = 3 };

static const bench_usual large = {
    3, {{0}, {20000, 1000000, 16777216}, {512, 2048, 8192}, {64, 192, 448}}};
static const bench_usual small = {1, {{0}, {400}, {40}, {16}}};

static const char *const on_cpu[] = {"rows", "blocks", "time", NULL};
static const char *const on_gpu[] = {"sweep", "time", "persistent", NULL};

/* Reads the schedule from the run's report. */
static void take_schedule(pav_run *run, char to[JSON_TEXT])
{
    OWNED_BY(close_text) char *text = NULL;
    const char *at = pav_run_report(run, 0, &text) == PAV_OK ? strstr(text, "\nschedule")
                                                             : NULL;
    at = at ? at + strlen("\nschedule") : "";
    at += strspn(at, " ");
    snprintf(to, JSON_TEXT, "%.*s", (int)strcspn(at, "\n"), at);
}

static pav_status open_run(const bench *b, const pav_program *program,
                           const char *schedule, int64_t steps, pav_run **run)
{
    pav_run_options how = bench_run_options(b, schedule);
    how.wisdom = -1;
    how.steps = steps;
    return pav_run_open(program, b->device, &how, run);
}

typedef struct known {
    double seconds; /* of a step; 0: none */
    char schedule[JSON_TEXT], tuned[JSON_TEXT];
} known;

/* Keeps the seconds of a step if they are the least so far. */
static void note(known *k, double seconds, const char *schedule, pav_run *run)
{
    if (k->seconds > 0 && seconds >= k->seconds)
        return;
    k->seconds = seconds;
    snprintf(k->schedule, sizeof k->schedule, "%s", schedule ? schedule : "auto");
    take_schedule(run, k->tuned);
}

/* Illegal schedules are skipped. */
static pav_status try_schedule(bench *b, const pav_program *program, const char *schedule,
                               known *best)
{
    double seconds;
    OWNED_BY(close_run) pav_run *run = NULL;
    const pav_status status = open_run(b, program, schedule, MOST_STEPS, &run);
    if (status == PAV_EUNSUPPORTED)
        return PAV_OK;
    TRY(status);
    TRY(bench_least(run, window, WINDOWS, &seconds));
    note(best, seconds, schedule, run);
    return PAV_OK;
}

static void keep(bench *b, const char *word, const known *k, double points, double steps,
                 double bound)
{
    bench_row row = bench_row_of_rate(word, pav_device_name(b->device), "", k->seconds,
                                      steps, points, 1e-9 * points / bound);
    if (b->small) /* it has few steps, and most of them are trials */
        row.percent = NAN;
    snprintf(row.schedule, sizeof row.schedule, "%s", k->schedule);
    snprintf(row.tuned, sizeof row.tuned, "%s", k->tuned);
    bench_keep(b, row);
}

/* Timed after the schedule's own trials. */
static pav_status take_best(bench *b, const pav_program *program, const char *schedule,
                            int64_t steps, double *least)
{
    double seconds, tried;
    OWNED_BY(close_run) pav_run *run = NULL;
    TRY(open_run(b, program, schedule, MOST_STEPS, &run));
    TRY(bench_least(run, window, WINDOWS, &tried));
    TRY(bench_steps(run, steps, &seconds));
    *least = fmin(*least, seconds / (double)steps);
    return PAV_OK;
}

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s, (void)kind, (void)at;
    return remove(path);
}

static pav_status take_usual(bench *b, const pav_program *program, int64_t steps,
                             const char *name, known *k)
{
    double seconds;
    OWNED_BY(close_run) pav_run *run = NULL;
    TRY(open_run(b, program, NULL, steps, &run));
    TRY(bench_steps(run, steps, &seconds));
    note(k, seconds / (double)steps, name, run);
    return PAV_OK;
}

/* The cache is a folder of its own. */
static pav_status take_cold(bench *b, const pav_program *program, int64_t steps,
                            known *cold)
{
    const char *of = getenv("TMPDIR"), *cache = getenv("PAV_CACHE");
    char folder[PATH_MAX], before[PATH_MAX];
    snprintf(before, sizeof before, "%s", cache ? cache : "");
    snprintf(folder, sizeof folder, "%s/pavior-XXXXXX", of && *of ? of : "/tmp");
    if (!mkdtemp(folder)) {
        b->code = complain(
            PAV_EIO, "no folder %s can be made for an empty cache: set TMPDIR", folder);
        return PAV_OK;
    }
    setenv("PAV_CACHE", folder, 1);
    const pav_status status = take_usual(b, program, steps, "cold", cold);
    setenv("PAV_CACHE", before, 1); /* an empty one is none */
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return status;
}

static pav_status measure(bench *b, const char *word, const pav_program *program,
                          double points)
{
    known best = {0}, usual = {0}, cold = {0};
    const char *const *kind = bench_on_gpu(b) ? on_gpu : on_cpu;
    for (; *kind; kind++)
        TRY(try_schedule(b, program, *kind, &best));
    TRY(try_schedule(b, program, NULL, &best));
    const double some = lasting / best.seconds;
    const int64_t steps = b->small ? 20 : some < 20 ? 20 : (int64_t)some;
    double least = best.seconds;
    if (b->cold)
        TRY(take_cold(b, program, COLD * steps, &cold));
    for (int n = 0; n < TURNS; n++) {
        TRY(take_usual(b, program, steps, NULL, &usual));
        TRY(take_best(b, program, best.schedule, steps, &least));
    }
    best.seconds = least;
    if (usual.seconds < best.seconds)
        best = usual;
    if (cold.seconds > 0) {
        char name[BENCH_WORD];
        snprintf(name, sizeof name, "%s cold", word);
        keep(b, name, &cold, points, (double)(COLD * steps), best.seconds);
    }
    keep(b, word, &usual, points, (double)steps, best.seconds);
    if (strcmp(best.schedule, "auto") != 0)
        keep(b, word, &best, points, NAN, best.seconds);
    return PAV_OK;
}

static void bench_all(bench *b)
{
    bench_catalogue(b, b->small ? &small : &large, measure);
}

const bench_kind bench_auto = {
    .name = "auto",
    .run = bench_all,
    .fixed = "it compares what is chosen without one",
    .no_program = true,
};
