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

static bench_trial open_run(const figure *f, const char *method, const char *schedule)
{
    char text[DESCRIPTION];
    const pav_run_options how = bench_run_options(f->b, schedule);
    snprintf(text, sizeof text,
             "grid x %lld, y %lld\nreal f32\nfield u; f = 1\n"
             "solve -laplace(u) = f by %s to 1e-30\nborder u = 0\n",
             (long long)f->n, (long long)f->n, method);
    return bench_open(f->b, "async", text, &how);
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
static pav_status relax(const figure *f, pav_run *run, int64_t chunk, found *r)
{
    double before = 1;
    r->steps = NAN;
    for (int64_t done = chunk; done < LONGEST * f->fewer; done += chunk) {
        double seconds, error = 1;
        TRY(bench_steps(run, chunk, &seconds));
        if (r->count < MOST_CHUNKS)
            r->seconds[r->count++] = seconds / (double)chunk;
        if (2 * done >= f->fewer) {
            TRY(read(f, run, f->now));
            error = error_of(f);
        }
        if (error <= f->error) {
            const double share = log(before / f->error) / log(before / error);
            r->steps = (double)(done - chunk) + share * (double)chunk;
            settle(r);
            break;
        }
        before = error;
    }
    return PAV_OK;
}

/* ---- rows -------------------------------------------------------------------------- */

/* halves: steps in one relaxation. bound_gpts: the rate with the same time to the goal as
 * synchronous single steps. */
static void keep(const figure *f, const char *what, const char *schedule, int halves,
                 const found *r)
{
    char word[BENCH_WORD];
    const double each = halves * r->each, relaxations = r->steps / halves;
    snprintf(word, sizeof word, "async:%s@%lldx%lld", what, (long long)f->n,
             (long long)f->n);
    if (!isfinite(r->steps)) {
        fprintf(f->b->json ? stderr : stdout,
                "%-34s not measured: the error is larger after %lld steps\n", word,
                LONGEST * (long long)f->fewer);
        return;
    }
    const double points = (double)(f->n * f->n);
    const double goal = f->single * (double)f->fewer; /* seconds of synchronous steps */
    bench_row row = bench_row_of_rate(word, pav_device_name(f->b->device), "f32", each,
                                      relaxations, points,
                                      1e-9 * points * relaxations / goal);
    row.spread = r->spread;
    snprintf(row.schedule, sizeof row.schedule, "%s", schedule ? schedule : "");
    bench_keep(f->b, row);
    if (!f->b->json && !bench_ended(f->b))
        printf("%-34s %.4g ms in all, %.2f times as fast as synchronous single steps, "
               "%.2f times their relaxations\n",
               "", 1e3 * row.steps * row.seconds_median, row.percent / 100,
               row.steps / (double)f->fewer);
}

/* ---- measured variants ------------------------------------------------------------- */

static const char *single_step(const figure *f)
{
    return bench_on(f->b, "interpreter") ? NULL : bench_on_gpu(f->b) ? "sweep" : "rows";
}

/* Asynchronous steps also get the fastest schedule. */
static const char *time_blocked(const figure *f)
{
    return single_step(f) ? "time" : NULL;
}

static const char synchronous[] = "jacobi(weight = 1, every = 1000000)";

/* Takes the synchronous steps: `fewer` for the goal, `many` for the reference
 * solution. */
static pav_status find_goal(figure *f, pav_run *run)
{
    TRY(pav_run_steps(run, f->fewer));
    TRY(read(f, run, f->now));
    TRY(pav_run_steps(run, f->many - f->fewer));
    TRY(read(f, run, f->there));
    f->error = error_of(f);
    return PAV_OK;
}

static void one(figure *f, const char *what, const char *method, const char *schedule,
                int64_t period, int halves)
{
    found r = {0};
    bench_trial t = open_run(f, method, schedule);
    if (t.status == PAV_OK)
        t.status = relax(f, t.run, (LEAST_CHUNK + period - 1) / period * period, &r);
    if (!bench_close(f->b, what, &t))
        return;
    if (f->single <= 0)
        f->single = r.each;
    keep(f, what, schedule, halves, &r);
}

/* ages: "fixed", or "chance" (blocks do not wait for each other). */
static void asynchronous(figure *f, int variant, int alpha, const char *ages)
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
    one(f, what, method, chance ? free : time_blocked(f), halves * (alpha + 1), halves);
}

/* Solves the equation by multigrid, for comparison: the relaxations stay far from its
 * solution. */
static void multigrid(const figure *f)
{
    char word[BENCH_WORD];
    double seconds = 0;
    bench_name(word, 2, f->n, f->n, "f32", "async:multigrid,to=0.5");
    for (int round = 0; round < 2; round++) { /* the first round compiles the kernels */
        bench_trial t = open_run(f, "multigrid(cycle = full, every = 1000000)", NULL);
        if (t.status == PAV_OK)
            t.status = bench_steps(t.run, 1, &seconds);
        if (!bench_close(f->b, word, &t))
            return;
    }
    bench_keep(f->b, bench_row_of_time(word, pav_device_name(f->b->device), seconds, 1));
}

static void all_of(figure *f)
{
    static const int alpha[] = {2, 4, 6, 10, 20};
    /* small grids cannot distinguish the values */
    const size_t count = f->n < 128 ? 1 : sizeof alpha / sizeof *alpha;
    bench_trial t = open_run(f, synchronous, time_blocked(f));
    if (t.status == PAV_OK)
        t.status = find_goal(f, t.run);
    if (!bench_close(f->b, "async", &t))
        return;
    one(f, "jacobi", synchronous, single_step(f), 1, 1);
    if (time_blocked(f))
        one(f, "jacobi", synchronous, time_blocked(f), 1, 1);
    for (int variant = 0; variant < 4; variant++) {
        const bool chance = variant % 3 == 0 && single_step(f);
        for (size_t k = 0; k < count; k++)
            asynchronous(f, variant, alpha[k], "fixed");
        for (size_t k = 0; k < count && chance; k++)
            asynchronous(f, variant, alpha[k], "chance");
    }
    multigrid(f);
}

static void on_grid(bench *b, int64_t n)
{
    const int64_t scaled = n * 125 / 512;
    figure f = {.b = b,
                .n = n,
                .fewer = scaled > 40 ? scaled : 40,
                .there = bench_take(b, n * n, sizeof *f.there),
                .now = bench_take(b, n * n, sizeof *f.now)};
    f.many = f.fewer * 512 / 125;
    all_of(&f);
    free(f.there);
    free(f.now);
}

static int64_t usual_size(const bench *b)
{
    return b->small ? 256 : !bench_on_gpu(b) ? 1024 : bench_on(b, "emulated") ? 16 : 4096;
}

static void async(bench *b)
{
    for (int k = 0; k < (b->sized ? b->sizes : 1); k++)
        on_grid(b, b->sized ? b->size[k] : usual_size(b));
    if (!b->json && !bench_ended(b))
        printf("Figure 21, on a C1060 against its tuned single steps: async-1 never "
               "faster, async-2 up to 1.3 times (alpha 6; 1.7 times the relaxations), "
               "async-3 up to 2.5 times\n");
}

const bench_kind bench_async = {
    .name = "async",
    .run = async,
    .fixed = "it goes by single steps and by temporal blocking",
    .no_program = true,
};
