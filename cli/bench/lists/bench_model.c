/* SPDX-License-Identifier: BSD-3-Clause */
/* bench model: predicted and measured times of schedules. For each program it takes some
 * candidates of `pavior plan`: the first choices of a run, then others evenly from the
 * fastest to the slowest. `bound` is the prediction: 100 % is a perfect prediction. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { USUAL = 12, LIKELIEST = 4, MOST_STEPS = 1 << 30, WINDOWS = 3 };
static const double window = 0.08; /* seconds of a measurement */

static const int64_t on_cpu[4] = {0, 4000000, 4096, 256},
                     on_gpu[4] = {0, 4000000, 4096, 384}, small_of[4] = {0, 400, 40, 16};

/* ---- measuring --------------------------------------------------------------------- */

/* Seconds of a step: the minimum of some windows of sufficient length. */
static pav_status time_steps(const bench *b, pav_run *run, double *least)
{
    int64_t count = 1;
    *least = INFINITY;
    for (int n = 0; n < WINDOWS;) {
        const double begun = seconds_now();
        const pav_status status = pav_run_steps(run, count);
        const double seconds = seconds_now() - begun;
        if (status != PAV_OK)
            return status;
        if (seconds < window && count < MOST_STEPS / 8 && !b->small) {
            count *= 2;
            continue;
        }
        n++;
        if (seconds / (double)count < *least)
            *least = seconds / (double)count;
    }
    return PAV_OK;
}

static pav_status measure(const bench *b, const pav_program *program,
                          const char *schedule, double *seconds)
{
    const pav_run_options how = {.no_files = 1,
                                 .nan_check_every = -1,
                                 .copy_rate = -1,
                                 .steps = MOST_STEPS,
                                 .schedule = schedule,
                                 .threads = b->how.threads,
                                 .bind = b->how.bind};
    pav_run *run;
    pav_status status = pav_run_open(program, b->device, &how, &run);
    if (status == PAV_OK)
        status = time_steps(b, run, seconds);
    pav_run_free(run);
    return status;
}

static int keep(bench *b, const char *word, double points, const pav_candidate *c,
                double seconds)
{
    bench_row row = bench_row_of_time(word, pav_device_name(b->device), seconds, NAN);
    row.gpts = 1e-9 * points / seconds;
    row.bound_gpts = 1e-9 * points / c->seconds;
    row.percent = 100 * row.gpts / row.bound_gpts;
    snprintf(row.schedule, sizeof row.schedule, "%.*s", (int)strcspn(c->schedule, ":"),
             c->schedule);
    snprintf(row.tuned, sizeof row.tuned, "%s", c->schedule);
    return bench_keep(b, &row);
}

/* ---- which ------------------------------------------------------------------------- */

/* Number of the nth candidate to measure out of `count`; -1: no more. */
static int64_t chosen(int64_t count, int64_t wanted, int64_t n)
{
    const int64_t spread = wanted - 1 - LIKELIEST;
    if (n >= wanted || n >= count)
        return -1;
    if (count <= wanted || n < LIKELIEST || spread <= 0)
        return n;
    return LIKELIEST + (n - LIKELIEST) * (count - 1 - LIKELIEST) / spread;
}

/* The best candidate, by the model, among those tried by a run. */
static int64_t first_choice(const pav_plan *plan, int64_t count)
{
    pav_candidate c;
    for (int64_t n = 0; n < count; n++)
        if (pav_plan_candidate(plan, n, &c) == PAV_OK && c.tried)
            return n;
    return 0;
}

/* Renumbers the candidates so the first choice comes first. */
static int64_t moved(int64_t number, int64_t first)
{
    return number == 0 ? first : number <= first ? number - 1 : number;
}

/* A candidate refused by the run is skipped. */
static pav_status try_candidate(bench *b, const char *word, const pav_program *program,
                                const pav_candidate *c, double points, int *code)
{
    double seconds = 0;
    const pav_status status = measure(b, program, c->schedule, &seconds);
    if (status == PAV_EUNSUPPORTED)
        fprintf(stderr, "%s by %s: %s\n", word, c->schedule, pav_message());
    if (status == PAV_OK)
        *code = keep(b, word, points, c, seconds);
    return status == PAV_EUNSUPPORTED ? PAV_OK : status;
}

static pav_status measure_all(bench *b, const char *word, const pav_program *program,
                              const pav_plan *plan, int *code)
{
    const int64_t count = pav_plan_candidates(plan);
    const int64_t first = first_choice(plan, count);
    const int64_t wanted = b->how.repetitions > 0 ? b->how.repetitions : USUAL;
    pav_forecast f;
    pav_status status = pav_plan_forecast(plan, &f);
    for (int64_t n = 0; status == PAV_OK && *code == EXIT_DONE; n++) {
        const int64_t number = chosen(count, wanted, n);
        pav_candidate c;
        if (number < 0)
            break;
        status = pav_plan_candidate(plan, moved(number, first), &c);
        if (status == PAV_OK)
            status = try_candidate(b, word, program, &c, (double)f.points, code);
    }
    return status;
}

static pav_status with_plan(bench *b, const char *word, const pav_program *program,
                            int *code)
{
    const pav_run_options how = {.no_files = 1,
                                 .steps = MOST_STEPS,
                                 .threads = b->how.threads,
                                 .bind = b->how.bind};
    pav_plan *plan = NULL;
    pav_status status = pav_plan_open(program, b->device, &how, -1, &plan);
    if (status == PAV_OK)
        status = measure_all(b, word, program, plan, code);
    pav_plan_free(plan);
    return status;
}

static int on_grid(bench *b, const bench_program *p, int64_t size)
{
    char word[BENCH_WORD];
    pav_program *program = NULL;
    int code = EXIT_DONE;
    snprintf(word, sizeof word, "%s", p->word);
    bench_add_grid(word, p->dim, size, "f32");
    pav_status status = pav_program_load(word, NULL, &program);
    if (status == PAV_OK)
        status = with_plan(b, word, program, &code);
    pav_program_free(program);
    return status == PAV_OK ? code : bench_missed(b, word, status);
}

static int bench_all(bench *b)
{
    const int64_t *usual = b->small ? small_of : bench_on_gpu(b) ? on_gpu : on_cpu;
    int code = EXIT_DONE;
    for (const bench_program *p = bench_programs; p->word; p++)
        for (int n = 0; n < (b->sized ? b->sizes : 1) && code == EXIT_DONE; n++)
            if (bench_wants(b, p->word))
                code = on_grid(b, p, b->sized ? b->size[n] : usual[p->dim]);
    return code;
}

/* ---- how good it is ---------------------------------------------------------------- */

static bool is_choice(const bench_row *r)
{
    return strcmp(r->list, "model") == 0;
}

bool bench_are_choices(const bench_rows *rows)
{
    for (int n = 0; n < rows->count; n++)
        if (!is_choice(&rows->row[n]))
            return false;
    return rows->count > 0;
}

/* Handles the rows of one problem, from `at` on; returns the number of the next row. */
static int find_choice(const bench_rows *rows, int from, bench_choice *c)
{
    const bench_row *first = &rows->row[from];
    int at = from;
    *c = (bench_choice){.problem = first->problem,
                        .gpts = first->gpts,
                        .expected = first->bound_gpts,
                        .rank = 1};
    for (; at < rows->count && strcmp(rows->row[at].problem, c->problem) == 0; at++) {
        const double gpts = rows->row[at].gpts;
        c->best = gpts > c->best ? gpts : c->best;
        c->rank += gpts > c->gpts;
        c->count++;
    }
    return at;
}

int bench_model_choices(const bench_rows *rows, bench_choice *list, int room)
{
    int count = 0;
    for (int n = 0; n < rows->count;) {
        bench_choice c;
        if (!is_choice(&rows->row[n])) {
            n++;
            continue;
        }
        n = find_choice(rows, n, &c);
        if (count < room)
            list[count] = c;
        count++;
    }
    return count;
}

static void report_errors(const bench_rows *rows, double *error)
{
    int errors = 0;
    for (int n = 0; n < rows->count; n++)
        if (is_choice(&rows->row[n]))
            error[errors++] = 100 * fabs(rows->row[n].bound_gpts / rows->row[n].gpts - 1);
    qsort(error, (size_t)errors, sizeof *error, bench_by_value);
    if (errors > 0)
        printf("error of the model: median %.0f %%, nine in ten within %.0f %%, of %d "
               "schedules\n",
               error[errors / 2], error[errors * 9 / 10], errors);
}

void bench_model_report(const bench_rows *rows)
{
    double *error = calloc((size_t)rows->count + 1, sizeof *error);
    bench_choice *list = calloc((size_t)rows->count + 1, sizeof *list);
    const int count = list ? bench_model_choices(rows, list, rows->count) : 0;
    for (int n = 0; n < count; n++)
        printf("%-34s first choice: rank %d of %d, %.0f %% of the best that was "
               "measured\n",
               list[n].problem, list[n].rank, list[n].count,
               100 * list[n].gpts / list[n].best);
    if (error)
        report_errors(rows, error);
    free(list);
    free(error);
}

const bench_kind bench_model = {
    .name = "model",
    .about = "what the model predicts of schedules, beside what they take",
    .run = bench_all,
    .fixed = "it compares schedules of all kinds",
    .no_program = true,
};
