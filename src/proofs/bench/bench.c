/* SPDX-License-Identifier: BSD-3-Clause */
/* pav_bench_program: steps of a program, measured in alternation with copies of memory.
 * A repetition is one pass of copying and one pass of steps. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

/* ---- repetitions ------------------------------------------------------------------- */

/* Repetitions of a measurement. The reported rate is the median of all rates. The
 * reported share of the bound is the median of all shares, and each share uses the copy
 * bandwidth of its own repetition. So a machine with a changing copy bandwidth is
 * compared with itself. The bound and the copy bandwidth follow from these two medians,
 * so all reported numbers are consistent. */

enum { TURNS = 9 /* default number of repetitions */ };

int bench_repetitions_of(const pav_bench_options *o)
{
    const int wanted = o && o->repetitions > 0 ? o->repetitions : TURNS;

    return wanted < BENCH_MOST_REPETITIONS ? wanted : BENCH_MOST_REPETITIONS;
}

void bench_repetition(bench_repetitions *t, double seconds, double bytes, double rate)
{
    t->step[t->count] = seconds;
    t->share[t->count] = bytes / seconds / rate;
    t->count++;
}

double bench_spread(const double *sorted, int count, double middle)
{
    return middle > 0 ? (sorted[count - 1 - count / 4] - sorted[count / 4]) / 2 / middle
                      : 0;
}

void bench_summarise(bench_repetitions *t, double updates, double bytes,
                     pav_bench_result *r)
{
    r->seconds_median = median(t->step, t->count);
    r->seconds_min = t->step[0];
    r->spread = bench_spread(t->step, t->count, r->seconds_median);
    r->share = median(t->share, t->count);
    r->gpts = updates / r->seconds_median / 1e9;
    r->bytes_per_point = bytes / updates;
    r->bound_gpts = r->gpts / r->share;
    r->copy_bytes_per_second = bytes / r->seconds_median / r->share;
}

/* ---- programs ---------------------------------------------------------------------- */

enum { WARM = 256 /* largest number of measurements for autotuning */ };

typedef struct bench {
    pav_run *run;
    host_team *team; /* copying threads if the fields are in the host's memory */
    place_copying *copying;
    double pass_seconds;  /* least duration of a pass */
    int64_t steps;        /* steps per pass */
    double points, bytes; /* per step */
    bench_repetitions repetitions;
    host_arithmetic arithmetic;
    memory_reads *reads; /* NULL: reads are not counted */
    double read_bytes;   /* sum over all repetitions */
} bench;

static int threads_of(const pav_bench_options *o)
{
    return o && o->threads > 0 ? o->threads : host_threads();
}

pav_status bench_open_team(const pav_bench_options *o, host_team **team)
{
    host_binding binding;

    TRY(host_binding_find(o ? o->bind : NULL, &binding));
    return host_team_open(threads_of(o), binding, team);
}

/* ---- passes ------------------------------------------------------------------------ */

/* Repeats a measurement if kernels were compiled during it. Autotuning compiles in the
 * middle of a run, and this time does not belong to the steps. */
static pav_status timed(bench *b, int64_t steps, double *seconds)
{
    for (;;) {
        const double begin = clock_seconds();
        const int64_t from = pav_run_step(b->run), loads = pav_kernel_loads();
        TRY(pav_run_steps(b->run, steps));
        *seconds = (clock_seconds() - begin) / (double)steps;
        if (pav_run_step(b->run) - from != steps)
            return FAIL(PAV_EINVAL,
                        "the program ended by itself after step %lld, and a measurement "
                        "needs more steps: leave out its `until`",
                        (long long)pav_run_step(b->run));
        if (pav_kernel_loads() == loads)
            return PAV_OK;
    }
}

/* Takes steps until the kernels are tuned, then chooses the number of steps per pass. If
 * a launch takes several steps, the last step before an observation is a single, slower
 * one. Single steps are rare in a long run. Therefore such passes are longer, with only
 * one single step. */
static pav_status warm_up(bench *b)
{
    enum { LONGER = 4 };
    double seconds;

    for (int n = 0; n < WARM && !run_is_tuned(b->run); n++)
        TRY(timed(b, run_block_steps(b->run), &seconds));
    for (b->steps = run_block_steps(b->run);; b->steps *= 2) {
        TRY(timed(b, b->steps, &seconds));
        if (seconds * (double)b->steps >= b->pass_seconds / 2)
            break;
    }
    const int64_t pass = run_block_steps(b->run);
    const bool alone = run_has_launches(b->run) && pass > 1;
    const double wanted = (alone ? LONGER : 1) * b->pass_seconds;
    b->steps = ((int64_t)(wanted / seconds) / (pass - alone) + 1) * (pass - alone) +
               alone;
    return PAV_OK;
}

/* ---- programs ---------------------------------------------------------------------- */

void bench_name_device(const pav_device *device, const char *machine, pav_bench_result *r)
{
    const char *name = device ? pav_device_name(device) : "";

    (void)snprintf(r->device, sizeof r->device, machine ? "%s (%s)" : "%s", name,
                   machine ? machine : "");
}

/* Reports the tuned schedule, its depth, and the bounds by its memory traffic and
 * arithmetic. On a processor the measured rates bound arithmetic: those of products
 * alone, or of all operations, the slower of the two. */
static pav_status report_limits(const bench *b, pav_bench_result *r)
{
    const host_arithmetic *rate = &b->arithmetic;
    OWNED_BY(text_free) text words = {0};
    double bytes, seconds, products, sums;

    r->depth = run_depth(b->run);
    TRY(run_limits(b->run, &bytes, &seconds));
    r->footprint_bytes = bytes / b->points;
    if (run_has_launches(b->run)) {
        run_schedule_string(b->run, &words);
    } else {
        TRY(run_arithmetic(b->run, &products, &sums));
        seconds = products + sums > 0 && rate->products > 0
                      ? fmax(products / rate->products, (products + sums) / rate->both)
                      : 0;
    }
    (void)snprintf(r->tuned, sizeof r->tuned, "%s", words.data ? words.data : "");
    r->arithmetic_gpts = seconds > 0 ? b->points / seconds / 1e9 : 0;
    return PAV_OK;
}

static pav_status measure(bench *b, const pav_program *p, const pav_device *device,
                          const pav_bench_options *o, pav_bench_result *r)
{
    const pav_run_options how = {.no_files = 1,
                                 .early = -1,
                                 .nan_check_every = -1,
                                 .threads = threads_of(o),
                                 .bind = o ? o->bind : NULL,
                                 .schedule = o ? o->schedule : NULL,
                                 .steps = INT64_MAX};
    const char *why;
    double seconds, rate;

    TRY(bench_open_team(o, &b->team));
    TRY(run_open_rough(&p->tree, device, &how, &b->run));
    run_load(b->run, &b->points, &b->bytes);
    if (b->bytes <= 0)
        return FAIL(PAV_EUNSUPPORTED, "borders give all points of this grid, so a step "
                                      "of it moves nothing: take a larger one");
    const machine_facts m = place_machine(run_place(b->run), threads_of(o));
    b->pass_seconds = machine_turn_seconds(&m);
    TRY(warm_up(b));
    TRY(place_copying_open(run_place(b->run), b->team, &b->copying));
    /* All threads must exist before the counters. They do not see reads by a device. */
    b->reads = run_uses_device_memory(b->run) ? NULL : memory_reads_open(&why);
    for (int n = bench_repetitions_of(o); n > 0; n--) {
        TRY(place_copying_pass(b->copying, &rate));
        b->read_bytes -= b->reads ? memory_reads_bytes(b->reads) : 0;
        TRY(timed(b, b->steps, &seconds));
        b->read_bytes += b->reads ? memory_reads_bytes(b->reads) : 0;
        bench_repetition(&b->repetitions, seconds, b->bytes, rate);
        if (!run_has_launches(b->run))
            host_arithmetic_pass(b->team, &b->arithmetic);
    }
    bench_summarise(&b->repetitions, b->points, b->bytes, r);
    r->read_bytes = b->read_bytes / (b->points * (double)b->steps * b->repetitions.count);
    r->threads = host_team_threads(b->team);
    r->type = p->tree.real;
    bench_name_device(device, run_machine_name(b->run), r);
    /* the requested schedule; that of the run without a request, and for time tiles */
    const bool tiles = !run_has_launches(b->run) && run_depth(b->run) > 1;
    const bool asked = how.schedule && !tiles && strcmp(how.schedule, "auto") != 0;
    (void)snprintf(r->schedule, sizeof r->schedule, "%s",
                   asked ? how.schedule : run_schedule(b->run));
    return report_limits(b, r);
}

static void close_bench(bench *b)
{
    memory_reads_close(b->reads);
    place_copying_close(b->copying);
    host_team_close(b->team);
    pav_run_free(b->run);
}

pav_status pav_bench_program(const pav_program *p, pav_device *device,
                             const pav_bench_options *options, pav_bench_result *result)
{
    GUARDED;
    OWNED_BY(close_bench) bench b = {.team = NULL};
    if (!p || !device || !result)
        return FAIL(PAV_EINVAL, "pav_bench_program needs a program, a device and a place "
                                "for the result");
    TRY(device_check_single(device, "a measurement"));
    *result = (pav_bench_result){0};
    return measure(&b, p, device, options, result);
}
