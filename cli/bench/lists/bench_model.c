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

static const bench_usual on_cpu = {1, {{0}, {4000000}, {4096}, {256}}},
                         on_gpu = {1, {{0}, {4000000}, {4096}, {384}}},
                         small = {1, {{0}, {400}, {40}, {16}}};

/* ---- which ------------------------------------------------------------------------- */

/* Number of the nth candidate to measure out of `count`; -1: no more. */
static int64_t chosen(int64_t count, int64_t wanted, int64_t n)
{
    const int64_t spread = wanted - 1 - LIKELIEST;
    if (n >= wanted || n >= count)
        return -1;
    return count <= wanted || n < LIKELIEST || spread <= 0
               ? n
               : LIKELIEST + (n - LIKELIEST) * (count - 1 - LIKELIEST) / spread;
}

/* A candidate refused by the run is skipped. */
static pav_status try_candidate(bench *b, const char *word, const pav_program *program,
                                const pav_candidate *c, double points)
{
    pav_run_options how = bench_run_options(b, c->schedule);
    OWNED_BY(close_run) pav_run *run = NULL;
    double seconds;
    how.steps = MOST_STEPS;
    const pav_status opened = pav_run_open(program, b->device, &how, &run);
    if (opened == PAV_EUNSUPPORTED) {
        fprintf(stderr, "%s by %s: %s\n", word, c->schedule, pav_message());
        return PAV_OK;
    }
    TRY(opened);
    TRY(bench_least(run, b->small ? 0 : window, WINDOWS, &seconds));
    bench_row row = bench_row_of_rate(word, pav_device_name(b->device), "", seconds, NAN,
                                      points, 1e-9 * points / c->seconds);
    snprintf(row.schedule, sizeof row.schedule, "%.*s", (int)strcspn(c->schedule, ":"),
             c->schedule);
    snprintf(row.tuned, sizeof row.tuned, "%s", c->schedule);
    bench_keep(b, row);
    return PAV_OK;
}

static pav_status measure_program(bench *b, const char *word, const pav_program *program,
                                  double points)
{
    const pav_run_options how = {.no_files = 1,
                                 .steps = MOST_STEPS,
                                 .threads = b->how.threads,
                                 .bind = b->how.bind};
    OWNED_BY(close_plan) pav_plan *plan = NULL;
    TRY(pav_plan_open(program, b->device, &how, -1, &plan));
    (void)points; /* the plan counts those that a step updates */
    const int64_t count = pav_plan_candidates(plan);
    const int64_t wanted = b->how.repetitions > 0 ? b->how.repetitions : USUAL;
    int64_t first = 0; /* the best, by the model, among those tried by a run */
    pav_forecast f;
    pav_candidate c;
    while (first < count && !(pav_plan_candidate(plan, first, &c) == PAV_OK && c.tried))
        first++;
    first = first < count ? first : 0;
    TRY(pav_plan_forecast(plan, &f));
    for (int64_t n = 0; !bench_ended(b); n++) {
        const int64_t number = chosen(count, wanted, n);
        if (number < 0)
            break;
        /* the first choice comes first */
        TRY(pav_plan_candidate(plan,
                               number == 0       ? first
                               : number <= first ? number - 1
                                                 : number,
                               &c));
        TRY(try_candidate(b, word, program, &c, (double)f.points));
    }
    return PAV_OK;
}

static void bench_all(bench *b)
{
    bench_catalogue(b,
                    b->small          ? &small
                    : bench_on_gpu(b) ? &on_gpu
                                      : &on_cpu,
                    measure_program);
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

/* Rows of one problem follow each other, the first choice first. */
int bench_model_choices(const bench_rows *rows, bench_choice *list, int room)
{
    int count = 0;
    bench_choice c = {.problem = ""};
    for (int n = 0; n < rows->count; n++) {
        const bench_row *r = &rows->row[n];
        if (!is_choice(r))
            continue;
        if (strcmp(r->problem, c.problem) != 0) {
            c = (bench_choice){.problem = r->problem,
                               .gpts = r->gpts,
                               .expected = r->bound_gpts,
                               .rank = 1};
            count++;
        }
        c.best = fmax(c.best, r->gpts);
        c.rank += r->gpts > c.gpts;
        c.count++;
        if (count <= room)
            list[count - 1] = c;
    }
    return count;
}

void bench_model_report(const bench_rows *rows)
{
    OWNED_BY(close_numbers)
    double *error = calloc((size_t)rows->count + 1, sizeof *error);
    OWNED_BY(close_choices)
    bench_choice *list = calloc((size_t)rows->count + 1, sizeof *list);
    const int count = list ? bench_model_choices(rows, list, rows->count) : 0;
    int errors = 0;
    for (int n = 0; n < count; n++)
        printf("%-34s first choice: rank %d of %d, %.0f %% of the best that was "
               "measured\n",
               list[n].problem, list[n].rank, list[n].count,
               100 * list[n].gpts / list[n].best);
    for (int n = 0; error && n < rows->count; n++)
        if (is_choice(&rows->row[n]))
            error[errors++] = 100 * fabs(rows->row[n].bound_gpts / rows->row[n].gpts - 1);
    if (errors > 0) {
        qsort(error, (size_t)errors, sizeof *error, bench_by_value);
        printf("error of the model: median %.0f %%, nine in ten within %.0f %%, of %d "
               "schedules\n",
               error[errors / 2], error[errors * 9 / 10], errors);
    }
}

const bench_kind bench_model = {
    .name = "model",
    .run = bench_all,
    .fixed = "it compares schedules of all kinds",
    .no_program = true,
};
