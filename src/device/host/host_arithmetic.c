/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the arithmetic rates of the host's threads: additions and multiplications in
 * registers with the longest vectors. These rates bound kernels free of memory traffic.
 * Some processors run additions beside multiply-adds, others instead of them, so two
 * loops are timed: multiply-adds alone, and multiply-adds with an equal number of
 * additions between them. The loops are inline assembly because compilers delete loops
 * without a result. */
#include "device/device_private.h"

enum {
    TURNS = 1 << 16, /* per pass: some tenths of a millisecond */
    EACH = 15,       /* independent instructions per iteration */
    PASSES = 8,
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
    const int threads = host_team_threads(team);
    double least = 0;

    for (int n = 0; n < PASSES; n++) {
        const double begin = clock_seconds();
        host_team_run(team, threads, run_loop, &which);
        const double seconds = clock_seconds() - begin;
        least = n == 0 || seconds < least ? seconds : least;
    }
    return least > 0 ? (double)EACH * TURNS * threads / least : 0;
}

static void keep_best(double *best, double rate)
{
    *best = rate > *best ? rate : *best;
}

void host_arithmetic_pass(host_team *team, host_arithmetic *best)
{
    loop *products, *both;
    const int width = find_loops(&products, &both);

    if (width == 0)
        return;
    host_team_keep_awake(team);
    keep_best(&best->products, width * rate_of(team, products));
    keep_best(&best->both, width * rate_of(team, both));
    host_team_release(team);
}
