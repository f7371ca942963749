/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the rate of copying memory larger than all caches, with non-temporal stores if
 * the processor has them. The rate bounds every kernel reading one point and writing
 * one. */
#include <string.h>

#include "device/device_private.h"

enum {
    LEAST = 64 << 20, /* bytes of an array */
    MOST = 512 << 20,
    TIMES = 4, /* size of an array in sizes of the largest cache */
};

struct host_copy {
    host_team *team;
    char *from, *to;
    int64_t bytes; /* bytes per array */
    int64_t ahead; /* prefetch distance in bytes */
};

#ifdef __SSE2__
typedef float line_part __attribute__((vector_size(16), may_alias));

static void copy_line(char *to, const char *from)
{
    for (int k = 0; k < CPU_LINE; k += (int)sizeof(line_part)) {
        const line_part v = *(const line_part *)(const void *)(from + k);
#ifdef __clang__
        __builtin_nontemporal_store(v, (line_part *)(void *)(to + k));
#else
        __builtin_ia32_movntps((float *)(void *)(to + k), v);
#endif
    }
}

static void finish_copy(void)
{
    __builtin_ia32_sfence();
}
#else
static void copy_line(char *to, const char *from)
{
    memcpy(to, from, CPU_LINE);
}

static void finish_copy(void)
{
}
#endif

/* The slice of thread n, in bytes. */
static int64_t begin_of(const host_copy *c, int64_t n)
{
    return c->bytes / CPU_LINE * n / host_team_threads(c->team) * CPU_LINE;
}

static void touch_slice(void *argument, int64_t n)
{
    const host_copy *c = argument;
    const int64_t lo = begin_of(c, n), hi = begin_of(c, n + 1);

    memset(c->to + lo, 1, (size_t)(hi - lo));
    memset(c->from + lo, 2, (size_t)(hi - lo));
}

static void copy_slice(void *argument, int64_t n)
{
    const host_copy *c = argument;
    const int64_t hi = begin_of(c, n + 1);

    for (int64_t at = begin_of(c, n); at < hi; at += CPU_LINE) {
        __builtin_prefetch(c->from + at + c->ahead, 0, 2);
        copy_line(c->to + at, c->from + at);
    }
    finish_copy();
}

static pav_status take_memory(host_copy *c)
{
    const int64_t requested = TIMES * host_cache(0), available = mem_available();

    c->bytes = requested < LEAST ? LEAST : requested > MOST ? MOST : requested;
    if (available >= 0 && c->bytes > available / 8)
        c->bytes = available / 8 / CPU_LINE * CPU_LINE;
    c->from = mem_big(c->bytes);
    c->to = c->from ? mem_big(c->bytes) : NULL;
    return c->to ? PAV_OK : PAV_ENOMEM;
}

double host_copy_pass(host_copy *c)
{
    host_team_keep_awake(c->team);
    const double begin = clock_seconds();
    host_team_run(c->team, host_team_threads(c->team), copy_slice, c);
    const double seconds = clock_seconds() - begin;
    host_team_release(c->team);
    return seconds > 0 ? 2.0 * (double)c->bytes / seconds : 0;
}

/* Some processors prefetch by themselves; others copy faster with software prefetch. So
 * the best distance is measured. */
static void choose_ahead(host_copy *c)
{
    static const int64_t ahead[] = {0, 1 << 10, 1 << 12, 1 << 14};
    int64_t best = 0;
    double most = 0;

    for (size_t k = 0; k < COUNT_OF(ahead); k++) {
        c->ahead = ahead[k];
        const double rate = host_copy_pass(c);
        best = rate > most ? ahead[k] : best;
        most = rate > most ? rate : most;
    }
    c->ahead = best;
}

pav_status host_copy_open(host_team *team, host_copy **result)
{
    host_copy *c = mem_new(1, sizeof *c);

    *result = NULL;
    if (!c)
        return PAV_ENOMEM;
    c->team = team;
    const pav_status status = take_memory(c);
    if (status != PAV_OK) {
        host_copy_close(c);
        return status;
    }
    host_team_run(team, host_team_threads(team), touch_slice, c);
    choose_ahead(c);
    *result = c;
    return PAV_OK;
}

void host_copy_close(host_copy *c)
{
    if (!c)
        return;
    mem_big_free(c->to, c->bytes);
    mem_big_free(c->from, c->bytes);
    mem_free(c);
}
