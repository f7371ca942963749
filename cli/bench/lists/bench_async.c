/* SPDX-License-Identifier: BSD-3-Clause */
/* bench async: Figure 21 of Venkatasubramanian and Vuduc. The goal is the error of
 * `fewer` synchronous steps (1000 on 4096^2) against a solution from `many` steps (4096):
 * largest relative error. Asynchronous relaxation runs until it reaches this error.
 * Reported are its time, its number of relaxations, and both relative to synchronous
 * single steps. Time-blocked synchronous steps and multigrid, today's alternatives, are
 * measured, too. On n^2 points both numbers of steps are scaled by n / 4096. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { DESCRIPTION = 512, MOST_CHUNKS = 4096, LEAST_CHUNK = 8, LONGEST = 20 };

/* One grid with the references of all methods. */
typedef struct figure {
    bench *b;
    int64_t n, fewer, many; /* points along an axis; synchronous steps */
    float *there, *now;     /* values after `many` steps; values of the present run */
    double error;           /* after `fewer` steps */
    double single;          /* seconds of a synchronous single step */
} figure;

/* Measurement of one method. */
typedef struct found {
    double steps, each, spread; /* steps to the goal; seconds of a step */
    int count;
    double seconds[MOST_CHUNKS]; /* of a step, chunk by chunk */
} found;

/* ---- runs -------------------------------------------------------------------------- */

static pav_status open_run(const figure *f, const char *method, const char *schedule,
                           pav_run **run)
{
    char text[DESCRIPTION];
    const pav_program_options name = {.name = "async"};
    const pav_run_options how = {.no_files = 1,
                                 .nan_check_every = -1,
                                 .copy_rate = -1,
                                 .threads = f->b->how.threads,
                                 .bind = f->b->how.bind,
                                 .schedule = schedule};
    pav_program *program = NULL;
    snprintf(text, sizeof text,
             "grid x %lld, y %lld\nreal f32\nfield u; f = 1\n"
             "solve -laplace(u) = f by %s to 1e-30\nborder u = 0\n",
             (long long)f->n, (long long)f->n, method);
    pav_status status = pav_program_parse(text, strlen(text), &name, &program);
    if (status == PAV_OK)
        status = pav_run_open(program, f->b->device, &how, run);
    pav_program_free(program);
    return status;
}

static pav_status read(const figure *f, pav_run *run, float *values)
{
    return pav_field_read(run, "u", 0, PAV_F32, values, f->n * f->n);
}

/* Largest relative error of the present values. */
static double error_of(const figure *f)
{
    double most = 0;
    for (int64_t k = 0; k < f->n * f->n; k++)
        if (f->there[k] != 0)
            most = fmax(most, fabs((double)f->now[k] / (double)f->there[k] - 1));
    return most;
}

static pav_status take(pav_run *run, int64_t steps, found *r)
{
    const double begun = seconds_now();
    const pav_status status = pav_run_steps(run, steps);
    if (r->count < MOST_CHUNKS)
        r->seconds[r->count++] = (seconds_now() - begun) / (double)steps;
    return status;
}

/* Median over the second half of the run: schedules are tuned in the first steps. */
static void settle(found *r)
{
    const int first = r->count / 2, count = r->count - first;
    qsort(r->seconds + first, (size_t)count, sizeof *r->seconds, bench_by_value);
    r->each = r->seconds[first + count / 2];
    r->spread = (r->seconds[first + 3 * count / 4] - r->seconds[first + count / 4]) /
                (2 * r->each);
}

/* Steps until the error reaches the goal. The error is measured after chunks of whole
 * periods and interpolated in its logarithm in between. NAN: the error stays larger. */
static pav_status go_on(const figure *f, pav_run *run, int64_t chunk, found *r)
{
    double before = 1;
    pav_status status = PAV_OK;
    r->steps = NAN;
    for (int64_t done = chunk; status == PAV_OK && done < LONGEST * f->fewer;
         done += chunk) {
        status = take(run, chunk, r);
        if (status == PAV_OK && 2 * done >= f->fewer)
            status = read(f, run, f->now);
        const double error = 2 * done >= f->fewer ? error_of(f) : 1;
        if (status == PAV_OK && error <= f->error) {
            const double share = log(before / f->error) / log(before / error);
            r->steps = (double)(done - chunk) + share * (double)chunk;
            settle(r);
            return PAV_OK;
        }
        before = error;
    }
    return status;
}

/* ---- rows -------------------------------------------------------------------------- */

static void report(const figure *f, const bench_row *row)
{
    if (!f->b->json)
        printf("%-34s %.4g ms in all, %.2f times as fast as synchronous single steps, "
               "%.2f times their relaxations\n",
               "", 1e3 * row->steps * row->seconds_median, row->percent / 100,
               row->steps / (double)f->fewer);
}

static int missed(const figure *f, const char *word)
{
    const long long longest = LONGEST * f->fewer;
    fprintf(f->b->json ? stderr : stdout,
            "%-34s not measured: the error is larger after %lld steps\n", word, longest);
    return EXIT_DONE;
}

/* bound_gpts: the rate with the same time to the goal as synchronous single steps. */
static bench_row row_of(const figure *f, const char *word, int halves, const found *r)
{
    const double each = halves * r->each, relaxations = r->steps / halves;
    bench_row row = bench_row_of_time(word, pav_device_name(f->b->device), each,
                                      relaxations);
    row.spread = r->spread;
    row.gpts = 1e-9 * (double)(f->n * f->n) / each;
    row.percent = 100 * f->single * (double)f->fewer / (each * relaxations);
    row.bound_gpts = 100 * row.gpts / row.percent;
    snprintf(row.type, sizeof row.type, "f32");
    return row;
}

/* halves: steps in one relaxation. */
static int keep(const figure *f, const char *what, const char *schedule, int halves,
                const found *r)
{
    char word[BENCH_WORD];
    snprintf(word, sizeof word, "async:%s@%lldx%lld", what, (long long)f->n,
             (long long)f->n);
    if (!isfinite(r->steps))
        return missed(f, word);
    bench_row row = row_of(f, word, halves, r);
    snprintf(row.schedule, sizeof row.schedule, "%s", schedule ? schedule : "");
    const int code = bench_keep(f->b, &row);
    if (code == EXIT_DONE)
        report(f, &row);
    return code;
}

/* ---- what is measured -------------------------------------------------------------- */

static const char *single_step(const figure *f)
{
    if (strcmp(pav_device_name(f->b->device), "interpreter") == 0)
        return NULL;
    return bench_on_gpu(f->b) ? "sweep" : "rows";
}

/* Asynchronous steps also get the fastest schedule. */
static const char *time_blocked(const figure *f)
{
    return single_step(f) ? "time" : NULL;
}

/* Takes the synchronous steps: `fewer` for the goal, `many` for the reference
 * solution. */
static pav_status find_goal(figure *f)
{
    pav_run *run = NULL;
    pav_status status = open_run(f, "jacobi(weight = 1, every = 1000000)",
                                 time_blocked(f), &run);
    if (status == PAV_OK)
        status = pav_run_steps(run, f->fewer);
    if (status == PAV_OK)
        status = read(f, run, f->now);
    if (status == PAV_OK)
        status = pav_run_steps(run, f->many - f->fewer);
    if (status == PAV_OK)
        status = read(f, run, f->there);
    if (status == PAV_OK)
        f->error = error_of(f);
    pav_run_free(run);
    return status;
}

static int one(figure *f, const char *what, const char *method, const char *schedule,
               int64_t period, int halves)
{
    found r = {0};
    pav_run *run = NULL;
    const int64_t chunk = (LEAST_CHUNK + period - 1) / period * period;
    pav_status status = open_run(f, method, schedule, &run);
    if (status == PAV_OK)
        status = go_on(f, run, chunk, &r);
    pav_run_free(run);
    if (status != PAV_OK)
        return bench_missed(f->b, what, status);
    if (f->single <= 0)
        f->single = r.each;
    return keep(f, what, schedule, halves, &r);
}

static int synchronous(figure *f)
{
    static const char method[] = "jacobi(weight = 1, every = 1000000)";
    const int code = one(f, "jacobi", method, single_step(f), 1, 1);
    return code == EXIT_DONE && time_blocked(f)
               ? one(f, "jacobi", method, time_blocked(f), 1, 1)
               : code;
}

/* ages: "fixed", or "chance" (blocks do not wait for each other). */
static int asynchronous(figure *f, int variant, int alpha, const char *ages)
{
    char what[64], method[DESCRIPTION];
    const int halves = variant == 3 ? 2 : 1;
    const bool chance = strcmp(ages, "chance") == 0;
    const char *free = bench_on_gpu(f->b) ? "persistent" : NULL;
    snprintf(what, sizeof what, "async-%d,alpha=%d%s", variant, alpha,
             chance ? ",ages=chance" : "");
    snprintf(method, sizeof method,
             "async-%d(alpha = %d, ages = %s, weight = 1, every = 1000000)", variant,
             alpha, ages);
    return one(f, what, method, chance ? free : time_blocked(f), halves * (alpha + 1),
               halves);
}

/* Solves the equation by multigrid, for comparison: the relaxations stay far from its
 * solution. */
static int multigrid(const figure *f)
{
    char word[BENCH_WORD] = "async:multigrid,to=0.5";
    double seconds = 0;
    for (int round = 0; round < 2; round++) { /* the first round compiles the kernels */
        pav_run *run = NULL;
        pav_status status = open_run(f, "multigrid(cycle = full, every = 1000000)", NULL,
                                     &run);
        seconds = seconds_now();
        if (status == PAV_OK)
            status = pav_run_steps(run, 1);
        seconds = seconds_now() - seconds;
        pav_run_free(run);
        if (status != PAV_OK)
            return bench_missed(f->b, word, status);
    }
    bench_add_grid(word, 2, f->n, "f32");
    const bench_row row = bench_row_of_time(word, pav_device_name(f->b->device), seconds,
                                            1);
    return bench_keep(f->b, &row);
}

static int all_of(figure *f)
{
    static const int alpha[] = {2, 4, 6, 10, 20};
    /* small grids cannot distinguish the values */
    const size_t count = f->n < 128 ? 1 : sizeof alpha / sizeof *alpha;
    int code = synchronous(f);
    for (int variant = 0; variant < 4; variant++) {
        const bool chance = variant % 3 == 0 && single_step(f);
        for (size_t k = 0; k < count && code == EXIT_DONE; k++)
            code = asynchronous(f, variant, alpha[k], "fixed");
        for (size_t k = 0; k < count && code == EXIT_DONE && chance; k++)
            code = asynchronous(f, variant, alpha[k], "chance");
    }
    return code == EXIT_DONE ? multigrid(f) : code;
}

static int with_memory(figure *f)
{
    if (!f->there || !f->now) {
        complain(PAV_ENOMEM, "memory ran out while keeping two grids of %lld points",
                 (long long)f->n * f->n);
        return EXIT_RUN_FAILED;
    }
    const pav_status status = find_goal(f);
    return status == PAV_OK ? all_of(f) : bench_missed(f->b, "async", status);
}

static int on_grid(bench *b, int64_t n)
{
    const int64_t scaled = n * 125 / 512;
    figure f = {.b = b, .n = n, .fewer = scaled > 40 ? scaled : 40};
    f.many = f.fewer * 512 / 125;
    f.there = calloc((size_t)(n * n), sizeof *f.there);
    f.now = calloc((size_t)(n * n), sizeof *f.now);
    const int code = with_memory(&f);
    free(f.there);
    free(f.now);
    return code;
}

static int64_t usual_size(const bench *b)
{
    if (b->small)
        return 256;
    if (!bench_on_gpu(b))
        return 1024;
    return strcmp(pav_device_name(b->device), "emulated") == 0 ? 16 : 4096;
}

static int async(bench *b)
{
    int code = b->sized ? EXIT_DONE : on_grid(b, usual_size(b));
    for (int k = 0; b->sized && k < b->sizes && code == EXIT_DONE; k++)
        code = on_grid(b, b->size[k]);
    if (!b->json && code == EXIT_DONE)
        printf("Figure 21, on a C1060 against its tuned single steps: async-1 never "
               "faster, async-2 up to 1.3 times (alpha 6; 1.7 times the relaxations), "
               "async-3 up to 2.5 times\n");
    return code;
}

const bench_kind bench_async = {
    .name = "async",
    .about = "asynchronous relaxation to the error of synchronous steps",
    .run = async,
    .fixed = "it goes by single steps and by temporal blocking",
    .no_program = true,
};
