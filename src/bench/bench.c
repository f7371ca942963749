/* SPDX-License-Identifier: BSD-3-Clause */
/* A pass of copying, a pass of steps, and so on in turns; what is told are medians, and the share of the
 * bound is the median over the turns of each turn's own share. */
#include <stdlib.h>

#include "bench/bench.h"
#include "device/device.h"
#include "run/run.h"

enum {
    TURNS = 9,        /* without options */
    MOST_TURNS = 999, /* as many as anybody waits for */
    WARM = 64,        /* steps at most in which kernels find their manner */
};
static const double pass_seconds = 0.1; /* a pass takes at least */

typedef struct turns {
    int count;
    double step[MOST_TURNS], copy[MOST_TURNS], share[MOST_TURNS];
} turns;

typedef struct bench {
    pav_run *run;
    host_team *team; /* that copies */
    host_copy *copy;
    gpu_copying *on_gpu;  /* in place of both, for a run on a GPU */
    int64_t steps;        /* of a pass */
    double points, bytes; /* of a step */
    turns turns;
} bench;

static int turns_of(const pav_bench_options *o)
{
    const int wanted = o && o->turns > 0 ? o->turns : TURNS;

    return wanted < MOST_TURNS ? wanted : MOST_TURNS;
}

static int threads_of(const pav_bench_options *o)
{
    return o && o->threads > 0 ? o->threads : host_threads();
}

static pav_status open_team(const pav_bench_options *o, host_team **team)
{
    host_binding binding;

    TRY(host_binding_find(o ? o->bind : NULL, &binding));
    return host_team_open(threads_of(o), binding, team);
}

/* ---- passes ------------------------------------------------------------------------------- */

static pav_status timed(bench *b, int64_t steps, double *seconds)
{
    const double begin = clock_seconds();

    const int64_t from = pav_run_step(b->run);

    TRY(pav_run_steps(b->run, steps));
    *seconds = (clock_seconds() - begin) / (double)steps;
    if (pav_run_step(b->run) - from == steps)
        return PAV_OK;
    return FAIL(PAV_EINVAL,
                "the program ended by itself after step %lld: what is measured "
                "must go on, so leave out its `until`",
                (long long)pav_run_step(b->run));
}

/* Until kernels have found their manner; then the steps of a pass are chosen. */
static pav_status warm_up(bench *b)
{
    double seconds;

    for (int n = 0; n < WARM && !run_is_settled(b->run); n++)
        TRY(timed(b, 1, &seconds));
    for (b->steps = 1;; b->steps *= 2) {
        TRY(timed(b, b->steps, &seconds));
        if (seconds * (double)b->steps >= pass_seconds / 2)
            break;
    }
    b->steps = (int64_t)(pass_seconds / seconds) + 1;
    return PAV_OK;
}

static pav_status copy_pass(bench *b, double *rate)
{
    if (b->on_gpu)
        return gpu_copying_pass(b->on_gpu, rate);
    *rate = host_copy_pass(b->copy);
    return PAV_OK;
}

static pav_status open_copy(bench *b)
{
    return run_gpu(b->run) ? gpu_copying_open(run_gpu(b->run), &b->on_gpu)
                           : host_copy_open(b->team, &b->copy);
}

static pav_status take_turn(bench *b)
{
    turns *t = &b->turns;
    double seconds, copy;

    TRY(copy_pass(b, &copy));
    TRY(timed(b, b->steps, &seconds));
    t->copy[t->count] = copy;
    t->step[t->count] = seconds;
    t->share[t->count] = b->bytes / seconds / copy;
    t->count++;
    return PAV_OK;
}

/* ---- results ------------------------------------------------------------------------------ */

/* Half the width of the middle half of sorted values, as a share of their median. */
static double spread(const double *sorted, int count, double middle)
{
    return middle > 0 ? (sorted[count - 1 - count / 4] - sorted[count / 4]) / 2 / middle
                      : 0;
}

static void tell(bench *b, pav_bench_result *r)
{
    turns *t = &b->turns;

    r->seconds_median = median(t->step, t->count);
    r->seconds_min = t->step[0];
    r->spread = spread(t->step, t->count, r->seconds_median);
    r->copy_bytes_per_second = median(t->copy, t->count);
    r->share = median(t->share, t->count);
    r->gpts = b->points / r->seconds_median / 1e9;
    r->bytes_per_point = b->bytes / b->points;
    r->schedule = run_schedule(b->run);
    r->bound_gpts = r->copy_bytes_per_second / r->bytes_per_point / 1e9;
}

static pav_status measure(bench *b, const pav_program *p, pav_device *device,
                          const pav_bench_options *o, pav_bench_result *r)
{
    const pav_run_options how = {.no_files = 1,
                                 .watch_every = -1,
                                 .threads = threads_of(o),
                                 .bind = o ? o->bind : NULL,
                                 .steps = INT64_MAX};

    TRY(open_team(o, &b->team));
    r->threads = host_team_threads(b->team);
    r->type = p->tree.real;
    TRY(pav_run_open(p, device, &how, &b->run));
    run_load(b->run, &b->points, &b->bytes);
    TRY(warm_up(b));
    TRY(open_copy(b));
    for (int n = turns_of(o); n > 0; n--)
        TRY(take_turn(b));
    tell(b, r);
    return PAV_OK;
}

static void close_bench(bench *b)
{
    gpu_copying_close(b->on_gpu);
    host_copy_close(b->copy);
    host_team_close(b->team);
    pav_run_free(b->run);
    mem_free(b);
}

pav_status pav_bench_program(const pav_program *p, pav_device *device,
                             const pav_bench_options *options, pav_bench_result *result)
{
    if (!p || !device || !result)
        return FAIL(PAV_EINVAL, "pav_bench_program needs a program, a device and a place "
                                "for the result");
    bench *b = mem_new(1, sizeof *b);
    *result = (pav_bench_result){0};
    if (!b)
        return PAV_ENOMEM;
    const pav_status status = measure(b, p, device, options, result);
    close_bench(b);
    return status;
}

static pav_status measure_copy(bench *b, const pav_bench_options *o, pav_bench_result *r)
{
    const int count = turns_of(o);
    double *const rate = b->turns.copy;

    TRY(open_team(o, &b->team));
    TRY(host_copy_open(b->team, &b->copy));
    for (int n = 0; n < count; n++)
        rate[n] = host_copy_pass(b->copy);
    r->threads = host_team_threads(b->team);
    r->copy_bytes_per_second = median(rate, count);
    r->spread = spread(rate, count, r->copy_bytes_per_second);
    r->share = 1;
    return PAV_OK;
}

pav_status pav_bench_copy(const pav_bench_options *options, pav_bench_result *result)
{
    if (!result)
        return FAIL(PAV_EINVAL, "pav_bench_copy needs a place for the result");
    bench *b = mem_new(1, sizeof *b);
    *result = (pav_bench_result){0};
    if (!b)
        return PAV_ENOMEM;
    const pav_status status = measure_copy(b, options, result);
    close_bench(b);
    return status;
}
