/* SPDX-License-Identifier: BSD-3-Clause */
/* bench outofcore: out-of-core methods over grid size, for 7 points in 3 dimensions. The
 * bound is the rate of the same steps in core; on a GPU fused launches in core are
 * measured, too. The device's memory is limited to a quarter of the grid's two buffers.
 * The methods are those of Jin, Endo and Matsuoka, "A Multi-level Optimization method for
 * Stencil Computation on the Domain that is bigger than Memory Capacity of GPU", and our
 * own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_list.h"

enum { DESCRIPTION = 256, PART = 4 /* of the grid's buffers */, LEAST = 32 };

/* share: divisor of the number of steps, larger for slow methods. */
static const struct method {
    const char *name, *option; /* option: NULL: in core */
    int share;
    const char *schedule; /* for GPUs only; or NULL */
} methods[] = {
    {"in-core", NULL, 1, NULL},
    {"in-core:time", NULL, 1, "time"},
    {"auto", "auto", 1, NULL},
    {"auto:time", "auto", 1, "time"},
    {"auto:overlap=0", "auto:overlap=0", 1, NULL},
    {"mp-mmtb", "mp-mmtb", 1, NULL},
    {"m-mmtb", "m-mmtb", 1, NULL},
    {"mmtb", "mmtb", 1, NULL},
    {"mmt", "mmt", 2, NULL},
    {"mm", "mm", 2, NULL},
    {"naive", "naive", 25, NULL},
};
enum { METHODS = sizeof methods / sizeof *methods, MP_MMTB = 5, NAIVE = METHODS - 1 };

typedef struct outofcore_figure {
    bench *b;
    int64_t n, steps;
    int times;               /* runs of each method; rates are medians */
    double gpts[METHODS];    /* 0: not measured */
    double predicted, taken; /* seconds of the last run; 0: no prediction */
    int64_t ran;             /* steps of the last run */
    double least, spread;    /* seconds of a step: minimum; spread */
    double kernels, link;    /* busy fractions of the last run */
} outofcore_figure;

/* ---- runs -------------------------------------------------------------------------- */

/* Takes the steps, and reads the model's prediction and the busy fractions from the run's
 * report. In core the first steps tune the kernels. */
static pav_status measure_once(outofcore_figure *f, const struct method *m, pav_run *run,
                               double *seconds)
{
    const int64_t few = m->option ? 0 : f->ran / 2;
    OWNED_BY(close_text) char *report = NULL;
    if (few > 0)
        TRY(pav_run_steps(run, few));
    TRY(bench_steps(run, f->ran - few, seconds));
    *seconds /= (double)(f->ran - few);
    TRY(pav_run_report(run, 1, &report));
    const char *visits = strstr(report, "\"out_of_core\": {");
    visits = visits ? visits : "";
    f->predicted = json_number_of(visits, "predicted_seconds");
    f->kernels = json_number_of(visits, "kernels_busy");
    f->link = json_number_of(visits, "link_busy");
    f->taken = json_number_of(report, "seconds");
    return PAV_OK;
}

/* Median over the runs (--repetitions), usually one; false: not measured. */
static bool measure(outofcore_figure *f, const struct method *m, double *seconds)
{
    double all[BENCH_MOST_REPETITIONS];
    for (int k = 0; k < f->times; k++) {
        const int64_t fewer = f->steps / m->share;
        const int64_t buffers = 2 * f->n * f->n * f->n * (int64_t)sizeof(float);
        const long long n = f->n;
        char text[DESCRIPTION];
        pav_run_options how = bench_run_options(f->b, m->schedule);
        how.steps = f->ran = fewer > 2 ? fewer : 2;
        how.out_of_core = m->option;
        how.device_memory = m->option ? buffers / PART : 0;
        snprintf(text, sizeof text,
                 "grid x %lld, y %lld, z %lld\nreal f32\nfield u = x\n"
                 "u' = u + 0.1*laplace(u)\nborder u = 0\nsteps 1\n",
                 n, n, n);

        bench_trial t = bench_open(f->b, "outofcore", text, &how);
        if (t.status == PAV_OK)
            t.status = measure_once(f, m, t.run, &all[k]);
        if (!bench_close(f->b, m->name, &t))
            return false;
    }
    qsort(all, (size_t)f->times, sizeof *all, bench_by_value);
    *seconds = all[f->times / 2];
    f->least = all[0];
    f->spread = f->times > 1 ? (all[f->times - 1] - all[0]) / *seconds : NAN;
    return true;
}

/* ---- rows -------------------------------------------------------------------------- */

/* The paper's two comparisons: with the mean of the intermediate methods, and with
 * naive. */
static void print_row(const outofcore_figure *f)
{
    const double best = fmax(f->gpts[2], f->gpts[3]), mp_mmtb = f->gpts[MP_MMTB];
    double others = 0;
    for (int k = MP_MMTB + 1; k < NAIVE; k++)
        others += f->gpts[k] / (NAIVE - MP_MMTB - 1);
    if (f->b->json || f->gpts[NAIVE] <= 0 || others <= 0)
        return;
    printf(
        "%-34s mp-mmtb is %.3g times as fast as the methods below it on an average and "
        "%.3g times naive; auto %.3g times\n",
        "", mp_mmtb / others, mp_mmtb / f->gpts[NAIVE], best / f->gpts[NAIVE]);
}

static void on_grid(bench *b, int64_t n, int64_t steps)
{
    const int asked = b->how.repetitions;
    outofcore_figure f = {.b = b, .n = n, .steps = steps, .times = asked > 0 ? asked : 1};
    for (int k = 0; k < METHODS; k++) {
        double seconds;
        if ((methods[k].schedule && !bench_on_gpu(b)) ||
            !measure(&f, &methods[k], &seconds))
            continue;
        char word[BENCH_WORD];
        bench_name(word, 3, f.n, f.n, "f32", "outofcore:%s", methods[k].name);
        const double points = (double)(f.n * f.n * f.n);
        f.gpts[k] = 1e-9 * points / seconds;
        const double in_core = fmax(f.gpts[0], f.gpts[1]);
        bench_row row = bench_row_of_rate(word, pav_device_name(b->device), "f32",
                                          seconds, NAN, points,
                                          in_core > 0 ? in_core : NAN);
        row.seconds_min = f.least;
        row.spread = f.spread;
        if (f.predicted > 0)
            row.predicted_seconds = f.predicted / (double)f.ran;
        bench_keep(b, row);
        if (f.predicted > 0 && f.taken > 0 && !b->json)
            printf("%-34s %.3g s predicted, %.3g s taken (%+.0f %%); kernels were busy "
                   "%.0f %%, the link %.0f %%\n",
                   "", f.predicted, f.taken, 100 * (f.predicted / f.taken - 1),
                   100 * f.kernels / f.taken, 100 * f.link / f.taken);
    }
    if (!bench_ended(b))
        print_row(&f);
}

static void outofcore(bench *b)
{
    const bool real = bench_on_gpu(b) && !bench_on(b, "emulated");
    for (int k = 0; k < b->sizes && !bench_ended(b); k++) {
        on_grid(b, !b->sized && b->size[k] < LEAST ? LEAST : b->size[k], real ? 200 : 40);
    }
    if (!b->json && !bench_ended(b))
        printf(
            "Jin, Endo and Matsuoka, on a M2050: mp-mmtb 1.35 times as fast as the other "
            "methods on an average, and 16.7 times naive on grids larger than its "
            "memory\n");
}

const bench_kind bench_outofcore = {
    .name = "outofcore",
    .run = outofcore,
    .fixed = "each method has its own schedule",
    .no_program = true,
};
