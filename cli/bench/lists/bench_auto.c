/* SPDX-License-Identifier: BSD-3-Clause */
/* bench auto: the rate of a run without a requested schedule, compared with the best
 * measured rate of the same problem. The best is the fastest of all kinds of schedules of
 * the device, each with enough time for tuning. The run lasts about a second, and its
 * trials count. Both are measured over equally many steps and in turn, because other load
 * on the machine would slow only one of them. Wisdom is off. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { SIZES = 3, MOST_STEPS = 1 << 30 };
/* seconds: of the run; of the best schedule */
static const double lasting = 1, window = 0.15;
enum { WINDOWS = 4, TURNS = 3 };

static const int64_t size_of[4][SIZES] = {
    {0}, {20000, 1000000, 16777216}, {512, 2048, 8192}, {64, 192, 448}};
static const int64_t small_of[4] = {0, 400, 40, 16};

static const char *const on_cpu[] = {"rows", "blocks", "time", NULL};
static const char *const on_gpu[] = {"sweep", "time", "persistent", NULL};

/* Reads the schedule from the run's report. */
static void take_schedule(pav_run *run, char to[JSON_TEXT])
{
    char *text = NULL;
    to[0] = 0;
    const char *at = pav_run_report(run, 0, &text) == PAV_OK ? strstr(text, "\nschedule")
                                                             : NULL;
    if (at) {
        at += strlen("\nschedule");
        at += strspn(at, " ");
        const size_t length = strcspn(at, "\n");
        snprintf(to, JSON_TEXT, "%.*s", length < JSON_TEXT ? (int)length : JSON_TEXT - 1,
                 at);
    }
    pav_text_free(text);
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
    pav_run *run;
    pav_status status = open_run(b, program, schedule, MOST_STEPS, &run);
    if (status == PAV_EUNSUPPORTED)
        return PAV_OK;
    if (status == PAV_OK)
        status = bench_least(run, window, WINDOWS, &seconds);
    if (status == PAV_OK)
        note(best, seconds, schedule, run);
    pav_run_free(run);
    return status;
}

static pav_status find_best(bench *b, const pav_program *program, known *best)
{
    const char *const *kind = bench_on_gpu(b) ? on_gpu : on_cpu;
    for (; *kind; kind++)
        TRY(try_schedule(b, program, *kind, best));
    return try_schedule(b, program, NULL, best);
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
    bench_keep(b, &row);
}

static pav_status take_default(bench *b, const pav_program *program, int64_t steps,
                               known *k)
{
    double seconds;
    pav_run *run;
    pav_status status = open_run(b, program, NULL, steps, &run);
    if (status == PAV_OK)
        status = bench_steps(run, steps, &seconds);
    if (status == PAV_OK)
        note(k, seconds / (double)steps, NULL, run);
    pav_run_free(run);
    return status;
}

/* Timed after the schedule's own trials. */
static pav_status take_best(bench *b, const pav_program *program, const char *schedule,
                            int64_t steps, double *least)
{
    double seconds, tried;
    pav_run *run;
    pav_status status = open_run(b, program, schedule, MOST_STEPS, &run);
    if (status == PAV_OK)
        status = bench_least(run, window, WINDOWS, &tried);
    if (status == PAV_OK)
        status = bench_steps(run, steps, &seconds);
    if (status == PAV_OK)
        *least = fmin(*least, seconds / (double)steps);
    pav_run_free(run);
    return status;
}

static pav_status measure(bench *b, const char *word, const pav_program *program,
                          double points)
{
    known best = {0}, usual = {0};
    TRY(find_best(b, program, &best));
    const double some = lasting / best.seconds;
    const int64_t steps = b->small ? 20 : some < 20 ? 20 : (int64_t)some;
    double least = best.seconds;
    for (int n = 0; n < TURNS; n++) {
        TRY(take_default(b, program, steps, &usual));
        TRY(take_best(b, program, best.schedule, steps, &least));
    }
    best.seconds = least;
    if (usual.seconds < best.seconds)
        best = usual;
    keep(b, word, &usual, points, (double)steps, best.seconds);
    if (strcmp(best.schedule, "auto") != 0)
        keep(b, word, &best, points, NAN, best.seconds);
    return PAV_OK;
}

static void on_grid(bench *b, const bench_program *p, int64_t size)
{
    char word[BENCH_WORD];
    double points = 1;
    bench_trial t = {0};
    if (bench_ended(b))
        return;
    snprintf(word, sizeof word, "%s", p->word);
    bench_add_grid(word, p->dim, size, "f32");
    for (int axis = 0; axis < p->dim; axis++)
        points *= (double)size;
    pav_status status = bench_open(b, word, NULL, &t);
    if (status == PAV_OK)
        status = measure(b, word, t.program, points);
    bench_close(b, word, status, &t);
}

static void bench_all(bench *b)
{
    const int sizes = b->sized ? b->sizes : b->small ? 1 : SIZES;
    for (const bench_program *p = bench_programs; p->word; p++)
        for (int n = 0; n < sizes && bench_wants(b, p->word); n++)
            on_grid(b, p,
                    b->sized   ? b->size[n]
                    : b->small ? small_of[p->dim]
                               : size_of[p->dim][n]);
}

const bench_kind bench_auto = {
    .name = "auto",
    .run = bench_all,
    .fixed = "it compares what is chosen without one",
    .no_program = true,
};
