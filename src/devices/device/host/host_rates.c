/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures this machine's rates for the models of schedules: copying in memory and in
 * the caches, arithmetic, and the cost of starting a piece of work. */
#include <math.h>
#include <string.h>

#include "device/device_private.h"

/* ---- copying ----------------------------------------------------------------------- */

/* Measures the rate of copying memory larger than all caches, with non-temporal stores if
 * the processor has them. The rate bounds every kernel reading one point and writing
 * one. */

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

/* Seconds of one piece of work of a team, all threads. */
static double seconds_of(host_team *team, host_part *part, void *argument)
{
    const double begun = clock_seconds();

    host_team_run(team, host_team_threads(team), part, argument);
    return clock_seconds() - begun;
}

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

double host_copy_pass(host_copy *c)
{
    host_team_keep_awake(c->team);
    const double seconds = seconds_of(c->team, copy_slice, c);
    host_team_release(c->team);
    return seconds > 0 ? 2.0 * (double)c->bytes / seconds : 0;
}

pav_status host_copy_open(host_team *team, host_copy **result)
{
    *result = NULL;
    NEW_BY(close_copy, host_copy, c, 1);
    c->team = team;
    const int64_t requested = TIMES * host_cache(0), available = mem_available();

    c->bytes = requested < LEAST ? LEAST : requested > MOST ? MOST : requested;
    if (available >= 0 && c->bytes > available / 8)
        c->bytes = available / 8 / CPU_LINE * CPU_LINE;
    c->from = mem_big(c->bytes);
    c->to = c->from ? mem_big(c->bytes) : NULL;
    if (!c->to)
        return PAV_ENOMEM;
    host_team_run(team, host_team_threads(team), touch_slice, c);
    /* Some processors prefetch by themselves; others copy faster with software
     * prefetch. So the best distance is measured. */
    static const int64_t ahead[] = {0, 1 << 10, 1 << 12, 1 << 14};
    int64_t best = 0;
    double most = 0;
    for (size_t k = 0; k < COUNT_OF(ahead); k++) {
        c->ahead = ahead[k];
        const double rate = host_copy_pass(c);
        best = rate > most ? ahead[k] : best;
        most = fmax(rate, most);
    }
    c->ahead = best;
    *result = mem_hand_over(&c);
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

/* ---- arithmetic -------------------------------------------------------------------- */

/* Measures the arithmetic rates of the host's threads: additions and multiplications in
 * registers with the longest vectors. These rates bound kernels free of memory traffic.
 * Some processors run additions beside multiply-adds, others instead of them, so two
 * loops are timed: multiply-adds alone, and multiply-adds with an equal number of
 * additions between them. The loops are inline assembly because compilers delete loops
 * without a result. */

enum {
    TURNS = 1 << 16, /* per pass: some tenths of a millisecond */
    EACH = 15,       /* independent instructions per iteration */
    ARITHMETIC_PASSES = 8,
};

typedef void loop(int64_t turns);

#ifdef __x86_64__
/* r: "zmm" or "ymm". Register 15 holds the input of all instructions. */
#define CLEAR(r, n) "vxorps %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n\t"
#define FUSED(r, n) "vfmadd231ps %%" r "15, %%" r "15, %%" r #n "\n\t"
#define SUM(r, n) "vaddps %%" r "15, %%" r #n ", %%" r #n "\n\t"
#define EVEN(op, r)                                                                      \
    op(r, 0) op(r, 2) op(r, 4) op(r, 6) op(r, 8) op(r, 10) op(r, 12) op(r, 14)
#define ODD(op, r) op(r, 1) op(r, 3) op(r, 5) op(r, 7) op(r, 9) op(r, 11) op(r, 13)
#define LOOP(name, r, odd)                                                               \
    static void name(int64_t turns)                                                      \
    {                                                                                    \
        __asm__ volatile(                                                                \
            EVEN(CLEAR, r) ODD(CLEAR, r) CLEAR(r, 15) "1:\n\t" EVEN(FUSED, r)            \
                ODD(odd, r) "dec %0\n\tjnz 1b\n\tvzeroupper"                             \
            : "+r"(turns)                                                                \
            :                                                                            \
            : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",      \
              "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");     \
    }
LOOP(products_64, "zmm", FUSED)
LOOP(both_64, "zmm", SUM)
LOOP(products_32, "ymm", FUSED)
LOOP(both_32, "ymm", SUM)

/* Returns the bytes of a vector; 0 if the processor is not supported. */
static int find_loops(loop **products, loop **both)
{
    const bool wide = __builtin_cpu_supports("avx512f");
    *products = wide ? products_64 : products_32;
    *both = wide ? both_64 : both_32;
    return wide ? 64 : HAS_AVX2 ? 32 : 0;
}
#else
static int find_loops(loop **products, loop **both)
{
    *products = *both = NULL;
    return 0;
}
#endif

static void run_loop(void *argument, int64_t n)
{
    loop *const *const which = argument;
    (void)n;
    (*which)(TURNS);
}

/* The best of some passes, in instructions a second. */
static double rate_of(host_team *team, loop *which)
{
    double least = INFINITY;

    for (int n = 0; n < ARITHMETIC_PASSES; n++)
        least = fmin(seconds_of(team, run_loop, &which), least);
    return least > 0 ? (double)EACH * TURNS * host_team_threads(team) / least : 0;
}

void host_arithmetic_pass(host_team *team, host_arithmetic *best)
{
    loop *products, *both;
    const int width = find_loops(&products, &both);

    if (width == 0)
        return;
    host_team_keep_awake(team);
    best->products = fmax(width * rate_of(team, products), best->products);
    best->both = fmax(width * rate_of(team, both), best->both);
    host_team_release(team);
}

/* ---- rates ------------------------------------------------------------------------- */

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
    const double seconds = seconds_of(team, copy_block, c);
    const int64_t bytes = c->each * c->times * host_team_threads(team);
    return seconds > 0 ? 2.0 * (double)bytes / seconds : 0;
}

/* Measures copies between blocks small enough for a cache. */
static pav_status copy_within(host_team *team, int64_t bytes, double *rate)
{
    const int64_t each = bytes < PIECE ? PIECE : bytes / PIECE * PIECE;
    const int64_t all = each * host_team_threads(team);
    cached_copy c = {.from = mem_big(all),
                     .to = mem_big(all),
                     .each = each,
                     .times = 1 + LEAST_BYTES / each};
    *rate = 0;
    for (int n = 0; c.from && c.to && n < PASSES; n++)
        *rate = fmax(pass(team, &c), *rate);
    const pav_status status = c.from && c.to ? PAV_OK : PAV_ENOMEM;
    mem_big_free(c.from, all);
    mem_big_free(c.to, all);
    return status;
}

static pav_status copy_beyond(host_team *team, double *rate)
{
    OWNED_BY(close_copy) host_copy *copy = NULL;
    TRY(host_copy_open(team, &copy));
    for (int n = 0; n < PASSES; n++)
        *rate = fmax(host_copy_pass(copy), *rate);
    return PAV_OK;
}

static void nothing(void *argument, int64_t n)
{
    (void)argument;
    (void)n;
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
    const int threads = host_team_threads(team);
    double least = threads > 1 ? INFINITY : 0;
    for (int n = 0; n < PASSES && threads > 1; n++) {
        const double begun = clock_seconds();
        for (int k = 0; k < BEGUN; k++)
            host_team_run(team, threads, nothing, NULL);
        least = fmin((clock_seconds() - begun) / BEGUN, least);
    }

    r->launch = least;
    host_team_release(team);
    return PAV_OK;
}
