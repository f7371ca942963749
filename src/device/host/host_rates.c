/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures this machine's rates for the models of schedules: copying in memory and in the
 * caches, arithmetic, and the cost of starting a piece of work. */
#include <string.h>

#include "device/device_private.h"

enum {
    PASSES = 4,
    /* bytes per memcpy: so small that the library does not bypass the caches */
    PIECE = 4096,
    LEAST_BYTES = 1 << 26, /* bytes copied per pass */
    BEGUN = 200,           /* pieces of work per pass */
    MOST_SHARE = 32 << 20, /* bytes of a thread's share of the last cache, at most */
};

/* Each thread copies between two blocks of its own. */
typedef struct cached_copy {
    char *from, *to;
    int64_t each, times;
} cached_copy;

static void copy_block(void *argument, int64_t n)
{
    const cached_copy *c = argument;
    for (int64_t k = 0; k < c->times; k++)
        for (int64_t at = n * c->each; at < (n + 1) * c->each; at += PIECE) {
            memcpy(c->to + at, c->from + at, PIECE);
            __asm__ volatile("" ::: "memory");
        }
}

static double pass(host_team *team, cached_copy *c)
{
    const int threads = host_team_threads(team);
    const double begun = clock_seconds();
    host_team_run(team, threads, copy_block, c);
    const double seconds = clock_seconds() - begun;
    return seconds > 0 ? 2.0 * (double)(c->each * c->times * threads) / seconds : 0;
}

/* Measures copies between blocks small enough for a cache. */
static pav_status copy_within(host_team *team, int64_t bytes, double *rate)
{
    const int64_t each = bytes < PIECE ? PIECE : bytes / PIECE * PIECE;
    const int64_t all = each * host_team_threads(team);
    cached_copy c = {.from = mem_big(all), .to = mem_big(all), .each = each};
    c.times = 1 + LEAST_BYTES / each;
    *rate = 0;
    for (int n = 0; c.from && c.to && n < PASSES; n++) {
        const double found = pass(team, &c);
        *rate = found > *rate ? found : *rate;
    }
    const pav_status status = c.from && c.to ? PAV_OK : PAV_ENOMEM;
    mem_big_free(c.from, all);
    mem_big_free(c.to, all);
    return status;
}

static pav_status copy_beyond(host_team *team, double *rate)
{
    host_copy *copy;
    TRY(host_copy_open(team, &copy));
    for (int n = 0; n < PASSES; n++) {
        const double found = host_copy_pass(copy);
        *rate = found > *rate ? found : *rate;
    }
    host_copy_close(copy);
    return PAV_OK;
}

static void nothing(void *argument, int64_t n)
{
    (void)argument;
    (void)n;
}

static double begin_work(host_team *team)
{
    const int threads = host_team_threads(team);
    double least = 0;
    for (int n = 0; n < PASSES && threads > 1; n++) {
        const double begun = clock_seconds();
        for (int k = 0; k < BEGUN; k++)
            host_team_run(team, threads, nothing, NULL);
        const double each = (clock_seconds() - begun) / BEGUN;
        least = n == 0 || each < least ? each : least;
    }
    return least;
}

/* Bytes per thread for measuring the last cache: a quarter of the thread's share, but at
 * least four times L2, so the core's own caches cannot hold them. */
static int64_t share_of_last(const host_team *team)
{
    const int64_t own = 4 * host_cache(2);
    const int64_t share = host_cache(0) / (4 * host_team_threads(team));
    const int64_t some = share > MOST_SHARE ? MOST_SHARE : share;
    return some > own ? some : own;
}

pav_status host_rates_measure(host_team *team, machine_rates *r)
{
    host_arithmetic arithmetic = {0};
    *r = (machine_rates){.measured = true};
    TRY(copy_beyond(team, &r->memory));
    TRY(copy_within(team, share_of_last(team), &r->last_cache));
    TRY(copy_within(team, host_cache(2) / 4, &r->core_cache));
    for (int n = 0; n < PASSES; n++)
        host_arithmetic_pass(team, &arithmetic);
    r->f32 = arithmetic.both / 4;
    r->f64 = arithmetic.both / 8;
    host_team_keep_awake(team);
    r->launch = begin_work(team);
    host_team_release(team);
    return PAV_OK;
}
