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
    const pav_run_options how = {.no_files = 1,
                                 .nan_check_every = -1,
                                 .copy_rate = -1,
                                 .wisdom = -1,
                                 .steps = steps,
                                 .schedule = schedule,
                                 .threads = b->how.threads,
                                 .bind = b->how.bind};
    return pav_run_open(program, b->device, &how, run);
}

static pav_status time_steps(pav_run *run, int64_t steps, double *seconds)
{
    const double begun = seconds_now();
    const pav_status status = pav_run_steps(run, steps);
    *seconds = seconds_now() - begun;
    return status;
}

/* Seconds of a step: the minimum of some windows. The first window is long enough for the
 * trials. */
static pav_status best_of(pav_run *run, double *least)
{
    int64_t count = 1;
    double seconds = 0;
    *least = INFINITY;
    for (int n = 0; n < WINDOWS; n++) {
        pav_status status = PAV_OK;
        while ((status = time_steps(run, count, &seconds)) == PAV_OK &&
               seconds < window && count < MOST_STEPS / 4)
            count *= 2;
        if (status != PAV_OK)
            return status;
        if (seconds / (double)count < *least)
            *least = seconds / (double)count;
    }
    return PAV_OK;
}

typedef struct known {
    double seconds; /* of a step; 0: none */
    char schedule[JSON_TEXT], tuned[JSON_TEXT];
} known;

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
        status = best_of(run, &seconds);
    if (status == PAV_OK && (best->seconds <= 0 || seconds < best->seconds)) {
        best->seconds = seconds;
        snprintf(best->schedule, sizeof best->schedule, "%s",
                 schedule ? schedule : "auto");
        take_schedule(run, best->tuned);
    }
    pav_run_free(run);
    return status;
}

static pav_status find_best(bench *b, const pav_program *program, known *best)
{
    const char *const *kind = bench_on_gpu(b) ? on_gpu : on_cpu;
    pav_status status = PAV_OK;
    for (; *kind && status == PAV_OK; kind++)
        status = try_schedule(b, program, *kind, best);
    return status == PAV_OK ? try_schedule(b, program, NULL, best) : status;
}

static int keep(bench *b, const char *word, const known *k, double points, double steps,
                double bound)
{
    bench_row row = bench_row_of_time(word, pav_device_name(b->device), k->seconds,
                                      steps);
    row.gpts = 1e-9 * points / k->seconds;
    row.bound_gpts = 1e-9 * points / bound;
    /* A small run has few steps, and most of them are trials. */
    row.percent = b->small ? NAN : 100 * row.gpts / row.bound_gpts;
    snprintf(row.schedule, sizeof row.schedule, "%s", k->schedule);
    snprintf(row.tuned, sizeof row.tuned, "%s", k->tuned);
    return bench_keep(b, &row);
}

static pav_status take_default(bench *b, const pav_program *program, int64_t steps,
                               known *k)
{
    double seconds;
    pav_run *run;
    pav_status status = open_run(b, program, NULL, steps, &run);
    if (status == PAV_OK)
        status = time_steps(run, steps, &seconds);
    if (status == PAV_OK && (k->seconds <= 0 || seconds / (double)steps < k->seconds)) {
        k->seconds = seconds / (double)steps;
        snprintf(k->schedule, sizeof k->schedule, "auto");
        take_schedule(run, k->tuned);
    }
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
        status = best_of(run, &tried);
    if (status == PAV_OK)
        status = time_steps(run, steps, &seconds);
    if (status == PAV_OK && seconds / (double)steps < *least)
        *least = seconds / (double)steps;
    pav_run_free(run);
    return status;
}

static pav_status in_turns(bench *b, const pav_program *program, int64_t steps,
                           known *usual, known *best)
{
    double least = best->seconds;
    pav_status status = PAV_OK;
    for (int n = 0; n < TURNS && status == PAV_OK; n++) {
        status = take_default(b, program, steps, usual);
        if (status == PAV_OK)
            status = take_best(b, program, best->schedule, steps, &least);
    }
    best->seconds = least;
    return status;
}

static pav_status measure(bench *b, const char *word, const pav_program *program,
                          double points, int *code)
{
    known best = {0}, usual = {0};
    pav_status status = find_best(b, program, &best);
    if (status != PAV_OK)
        return status;
    const double some = lasting / best.seconds;
    const int64_t steps = b->small ? 20 : some < 20 ? 20 : (int64_t)some;
    status = in_turns(b, program, steps, &usual, &best);
    if (status != PAV_OK)
        return status;
    if (usual.seconds < best.seconds)
        best = usual;
    *code = keep(b, word, &usual, points, (double)steps, best.seconds);
    if (*code == EXIT_DONE && strcmp(best.schedule, "auto") != 0)
        *code = keep(b, word, &best, points, NAN, best.seconds);
    return PAV_OK;
}

static int on_grid(bench *b, const bench_program *p, int64_t size)
{
    char word[BENCH_WORD];
    double points = 1;
    pav_program *program = NULL;
    int code = EXIT_DONE;
    snprintf(word, sizeof word, "%s", p->word);
    bench_add_grid(word, p->dim, size, "f32");
    for (int axis = 0; axis < p->dim; axis++)
        points *= (double)size;
    pav_status status = pav_program_load(word, NULL, &program);
    if (status == PAV_OK)
        status = measure(b, word, program, points, &code);
    pav_program_free(program);
    return status == PAV_OK ? code : bench_missed(b, word, status);
}

static int bench_all(bench *b)
{
    int code = EXIT_DONE;
    for (const bench_program *p = bench_programs; p->word; p++) {
        const int sizes = b->sized ? b->sizes : b->small ? 1 : SIZES;
        for (int n = 0; n < sizes && bench_wants(b, p->word) && code == EXIT_DONE; n++)
            code = on_grid(b, p,
                           b->sized   ? b->size[n]
                           : b->small ? small_of[p->dim]
                                      : size_of[p->dim][n]);
    }
    return code;
}

const bench_kind bench_auto = {
    .name = "auto",
    .about = "runs without --schedule; bound: the best that was measured of any",
    .run = bench_all,
    .fixed = "it compares what is chosen without one",
    .no_program = true,
};
