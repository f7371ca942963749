/* SPDX-License-Identifier: BSD-3-Clause */
/* Repetitions of a measurement. The reported rate is the median of all rates. The
 * reported share of the bound is the median of all shares, and each share uses the copy
 * bandwidth of its own repetition. So a machine with a changing copy bandwidth is
 * compared with itself. The bound and the copy bandwidth follow from these two medians,
 * so all reported numbers are consistent. */
#include "bench/bench.h"

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
