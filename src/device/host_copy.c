/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate at which threads of the host copy memory that no cache holds, storing past the caches where
 * the processor can: what bounds every kernel that reads a point and writes one. */
#include <pthread.h>
#include <string.h>

#include "device/device_private.h"

enum {
    LINE = 64,
    LEAST = 64 << 20, /* bytes of an array */
    MOST = 512 << 20,
    TIMES = 4, /* an array is so often the largest cache */
};

struct host_copy {
    char *from, *to;
    int64_t bytes; /* of each */
    int threads;
};

typedef struct slice {
    pthread_t thread;
    char *to;
    const char *from;
    int64_t bytes;
    bool first, started; /* first: the memory is touched, not copied */
} slice;

#ifdef __SSE2__
typedef float line_part __attribute__((vector_size(16), may_alias));

static void copy_line(char *to, const char *from)
{
    for (int k = 0; k < LINE; k += (int)sizeof(line_part)) {
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
    memcpy(to, from, LINE);
}

static void finish_copy(void)
{
}
#endif

static void do_slice(const slice *s)
{
    if (s->first) {
        memset(s->to, 1, (size_t)s->bytes);
        memset((char *)(uintptr_t)s->from, 2, (size_t)s->bytes);
        return;
    }
    for (int64_t at = 0; at < s->bytes; at += LINE)
        copy_line(s->to + at, s->from + at);
    finish_copy();
}

static void *begin_slice(void *argument)
{
    host_free_thread();
    do_slice(argument);
    return NULL;
}

/* Slices that get no thread are done here. */
static void do_all(const host_copy *c, bool first)
{
    slice all[HOST_MOST_THREADS];
    const int64_t lines = c->bytes / LINE;

    for (int n = 0; n < c->threads; n++) {
        const int64_t lo = lines * n / c->threads, hi = lines * (n + 1) / c->threads;
        all[n] = (slice){.to = c->to + lo * LINE,
                         .from = c->from + lo * LINE,
                         .bytes = (hi - lo) * LINE,
                         .first = first};
        all[n].started = n > 0 &&
                         pthread_create(&all[n].thread, NULL, begin_slice, &all[n]) == 0;
    }
    for (int n = 0; n < c->threads; n++)
        if (all[n].started)
            (void)pthread_join(all[n].thread, NULL);
        else
            do_slice(&all[n]);
}

pav_status host_copy_open(int threads, host_copy **result)
{
    const int64_t wanted = TIMES * host_cache(0), available = mem_available();
    host_copy *c = mem_new(1, sizeof *c);

    *result = NULL;
    if (!c)
        return PAV_ENOMEM;
    c->threads = threads < 1                   ? 1
                 : threads > HOST_MOST_THREADS ? HOST_MOST_THREADS
                                               : threads;
    c->bytes = wanted < LEAST ? LEAST : wanted > MOST ? MOST : wanted;
    if (available >= 0 && c->bytes > available / 8)
        c->bytes = available / 8 / LINE * LINE;
    c->from = mem_big(c->bytes);
    c->to = c->from ? mem_big(c->bytes) : NULL;
    if (!c->to) {
        host_copy_close(c);
        return PAV_ENOMEM;
    }
    do_all(c, true);
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

double host_copy_pass(host_copy *c)
{
    const double begin = clock_seconds();

    do_all(c, false);
    const double seconds = clock_seconds() - begin;
    return seconds > 0 ? 2.0 * (double)c->bytes / seconds : 0;
}
