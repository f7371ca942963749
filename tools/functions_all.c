/* SPDX-License-Identifier: BSD-3-Clause */
/* functions_all f64 FILE COUNT SEED SECONDS [WORD ...] | f32 WORD | times: proofs and
 * times of Pavior's own functions. tools/functions --all compiles and starts it; it needs
 * libmpfr and libquadmath.
 *
 * f64   COUNT random arguments of each function, by a process on each processor. The
 *       result is the largest error in ulp. __float128 of libquadmath computes each
 *       error. From 0.5 ulp on, and for each 1021st argument, MPFR with 140 bits computes
 *       it, too, and its answer counts. Vectors must give the bits of scalars. FILE gets a
 *       line for each million arguments; another call with this FILE and SEED continues.
 *       No million begins after SECONDS.
 * f32   all arguments, by vectors. The result must be the correctly rounded one. The result
 *       in f64 decides, unless 2^-51 more or less of it rounds otherwise: then MPFR does.
 *       For each 1021st argument, long double of C's library checks that the result in
 *       f64 is right to 0.6 ulp. Odd and even functions get arguments
 *       >= 0. With END, only arguments whose bits are below END.
 * times nanoseconds a value, the least of 40 repetitions. */
#include <fcntl.h>
#include <math.h>
#include <mpfr.h>
#include <quadmath.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INLINE static inline __attribute__((always_inline, unused))
#define doubles_pow doubles_pow_of_library
#define floats_pow floats_pow_of_library
#include "code/kernels/host/kernel_vector.c"
#undef doubles_pow
#undef floats_pow

/* The order matters. */
/* clang-format off */
#include "base/base/function_text/function_scalar_private.h"
#include "base/base/function_text/function_series_private.h"
#include "base/base/function_text/function_text_private.h"
#include "base/base/function_text/function_vector_private.h"
#include "base/base/function_text/function_series_private.h"
#include "base/base/function_text/function_text_private.h"
#include "base/base/function_text/function_floats_private.h"
/* clang-format on */

typedef int mpfr_function(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int mpfr_function_of_two(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static int mpfr_sinc(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding)
{
    mpfr_t pi;
    int result;

    if (mpfr_zero_p(x))
        return mpfr_set_si(y, 1, rounding);
    if (mpfr_inf_p(x) || (mpfr_integer_p(x) && mpfr_number_p(x)))
        return mpfr_set_si(y, 0, rounding);
    mpfr_init2(pi, 1400);
    mpfr_const_pi(pi, rounding);
    mpfr_mul(pi, pi, x, rounding);
    mpfr_sin(y, pi, rounding);
    result = mpfr_div(y, y, pi, rounding);
    mpfr_clear(pi);
    return result;
}

/* x less its nearest integer is exact. */
static long double sincl(long double x)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    const long double near = roundl(x), y = sinl(pi * (x - near)) / (pi * x);

    return x == 0 ? 1 : isinf(x) ? 0 : fmodl(near, 2) == 0 ? y : -y;
}

static __float128 sincq(__float128 x)
{
    const __float128 near = roundq(x), y = sinq(M_PIq * (x - near)) / (M_PIq * x);

    return x == 0 ? 1 : isinfq(x) ? 0 : fmodq(near, 2) == 0 ? y : -y;
}

static __float128 modq(__float128 x, __float128 y)
{
    const __float128 r = fmodq(x, y);

    return r == 0 ? copysignq(r, y) : !signbitq(r) != !signbitq(y) ? r + y : r;
}

/* x - y floor(x / y). */
static int mpfr_mod(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rounding)
{
    mpfr_fmod(r, x, y, rounding);
    if (mpfr_zero_p(r))
        mpfr_setsign(r, r, mpfr_signbit(y), rounding);
    if (mpfr_regular_p(r) && mpfr_sgn(r) != mpfr_sgn(y))
        mpfr_add(r, r, y, rounding);
    return 0;
}

/* Words of one number: name, where its values change, 1 for odd and even functions, its
 * name in libmvec. */
#define LIST(X)                                                                          \
    X(sin, -10, 10, 1)                                                                   \
    X(cos, -10, 10, 1)                                                                   \
    X(tan, -10, 10, 1)                                                                   \
    X(asin, -1, 1, 1)                                                                    \
    X(acos, -1, 1, 0)                                                                    \
    X(atan, -10, 10, 1)                                                                  \
    X(sinh, -712, 712, 1)                                                                \
    X(cosh, -712, 712, 1)                                                                \
    X(tanh, -4, 4, 1)                                                                    \
    X(exp, -750, 720, 0)                                                                 \
    X(log, 0, 10, 0)                                                                     \
    X(log10, 0, 10, 0)                                                                   \
    X(cbrt, -10, 10, 1)                                                                  \
    X(erf, -6, 6, 1)
#define LIST_OF_TWO(X)                                                                   \
    X(pow, 0, 10)                                                                        \
    X(atan2, -10, 10)                                                                    \
    X(hypot, -10, 10)
#define VECTORS(word, ...)                                                               \
    static void word##_of_floats(floats *y, const floats *x)                             \
    {                                                                                    \
        *y = floats_##word(*x);                                                          \
    }                                                                                    \
    static void word##_of_doubles(doubles *y, const doubles *x)                          \
    {                                                                                    \
        *y = doubles_##word(*x);                                                         \
    }
LIST(VECTORS)
VECTORS(sinc)
#define SCALARS(word, ...)                                                               \
    static double word##_of_double(double x)                                             \
    {                                                                                    \
        return f64_##word(x);                                                            \
    }
LIST(SCALARS)
SCALARS(sinc)
#define SCALARS_OF_TWO(word, ...)                                                        \
    static double word##_of_double(double x, double y)                                   \
    {                                                                                    \
        return f64_##word(x, y);                                                         \
    }                                                                                    \
    static void word##_of_two_doubles(doubles *z, const doubles *x, const doubles *y)    \
    {                                                                                    \
        *z = doubles_##word(*x, *y);                                                     \
    }
LIST_OF_TWO(SCALARS_OF_TWO)
SCALARS_OF_TWO(mod)

static const struct function {
    const char *word;
    double low, high;
    int symmetric;
    double (*of_double)(double);
    void (*of_doubles)(doubles *, const doubles *);
    void (*of_floats)(floats *, const floats *);
    mpfr_function *reference;
    long double (*longer)(long double);
    double (*of_two)(double, double);
    mpfr_function_of_two *reference_of_two;
    __float128 (*quad)(__float128);
    void (*of_two_doubles)(doubles *, const doubles *, const doubles *);
    __float128 (*quad_of_two)(__float128, __float128);
} functions[] = {
#define ROW(word, low, high, symmetric)                                                  \
    {#word,                                                                              \
     low,                                                                                \
     high,                                                                               \
     symmetric,                                                                          \
     word##_of_double,                                                                   \
     word##_of_doubles,                                                                  \
     word##_of_floats,                                                                   \
     mpfr_##word,                                                                        \
     word##l,                                                                            \
     NULL,                                                                               \
     NULL,                                                                               \
     word##q,                                                                            \
     NULL,                                                                               \
     NULL},
    LIST(ROW) ROW(sinc, -10, 10, 1)
#define ROW_OF_TWO(name, least, most)                                                    \
    {.word = #name,                                                                      \
     .low = least,                                                                       \
     .high = most,                                                                       \
     .of_two = name##_of_double,                                                         \
     .reference_of_two = mpfr_##name,                                                    \
     .of_two_doubles = name##_of_two_doubles,                                            \
     .quad_of_two = name##q},
        LIST_OF_TWO(ROW_OF_TWO) ROW_OF_TWO(mod, -10, 10)};
enum { BITS = 140, COUNT = sizeof functions / sizeof *functions };

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A quarter each: any exponent, exponents around 0, low .. high, -2 .. 2. */
static double draw(uint64_t *state, double low, double high)
{
    const uint64_t kind = next(state) % 4;
    double x = (double)(next(state) >> 11) * 0x1p-53;

    if (kind == 0) {
        do
            x = f64_from_bits(next(state));
        while (!isfinite(x));
        return low >= 0 ? fabs(x) : x;
    }
    if (kind == 1)
        return ldexp(low < 0 && next(state) & 1 ? -1 - x : 1 + x,
                     (int)(next(state) % 40) - 30);
    if (kind == 2)
        return low + x * (high - low);
    return (low < 0 && next(state) & 1 ? -2 : 2) * x;
}

/* |y - exact| in units of the last place. */
static double ulps(double y, mpfr_t exact, mpfr_t work)
{
    const double nearest = mpfr_get_d(exact, MPFR_RNDN);
    int e;

    if (isnan(nearest) || isnan(y))
        return isnan(nearest) && isnan(y) ? 0 : INFINITY;
    if (y == nearest && (y == 0 || isinf(y))) {
        if (!signbit(y) != !signbit(nearest))
            return INFINITY;
        if (isinf(y) || mpfr_zero_p(exact))
            return 0;
    }
    if (isinf(y) || isinf(nearest)) { /* 2^1024 in place of infinity */
        if (isinf(y) && isinf(nearest))
            return INFINITY;
        mpfr_set_d(work, copysign(0x1p1023, y), MPFR_RNDN);
        mpfr_mul_2si(work, work, 1, MPFR_RNDN);
        if (isinf(y))
            mpfr_sub(work, work, exact, MPFR_RNDN);
        else
            mpfr_sub_d(work, exact, y, MPFR_RNDN);
        return fabs(mpfr_get_d(work, MPFR_RNDN)) / 0x1p971;
    }
    frexp(nearest, &e);
    if (!mpfr_zero_p(exact) && mpfr_get_exp(exact) < e)
        e = (int)mpfr_get_exp(exact);
    mpfr_sub_d(work, exact, y, MPFR_RNDN);
    mpfr_mul_2si(work, work, 53 - (e < -1021 ? -1021 : e), MPFR_RNDN);
    return fabs(mpfr_get_d(work, MPFR_RNDN));
}

/* The same by __float128, or infinity if it does not know. */
static double quad_ulps(double y, __float128 exact)
{
    int e;

    if (isnanq(exact) || isnan(y))
        return isnanq(exact) && isnan(y) ? 0 : INFINITY;
    if (!signbitq(exact) != !signbit(y))
        return INFINITY;
    if (isinf(y))
        return fabsq(exact) >= 0x1p1024Q ? 0 : INFINITY;
    if (exact == 0 || isinfq(exact))
        return y == 0 && exact == 0 ? 0 : INFINITY;
    frexpq(exact, &e);
    return (double)ldexpq(fabsq(exact - y), 53 - (e < -1021 ? -1021 : e));
}

enum { MILLION = 1000000, MOST = 100000 };

/* What a million arguments showed. */
typedef struct part {
    double worst, at[2], differ; /* differ: most between both references, in ulp */
    long asked, vectors;         /* vectors: results that are not those of scalars */
} part;

static part prove_part(const struct function *f, int64_t index, uint64_t seed)
{
    static mpfr_t a, b, y, work;
    static bool ready;
    uint64_t mixed = seed * 0x9e3779b97f4a7c15u +
                     (uint64_t)(f - functions) * 0x100000000u + (uint64_t)index;
    uint64_t state = next(&mixed);
    part p = {.worst = -1};

    if (!ready)
        mpfr_inits2(BITS, a, b, y, work, (mpfr_ptr)0);
    ready = true;
    for (int i = 0; i < MILLION; i += DOUBLES) {
        doubles x[2], z;
        for (int lane = 0; lane < DOUBLES; lane++) {
            x[0][lane] = draw(&state, f->low, f->high);
            x[1][lane] = draw(&state, -100, 100);
        }
        if (f->of_two)
            f->of_two_doubles(&z, &x[0], &x[1]);
        else
            f->of_doubles(&z, &x[0]);
        for (int lane = 0; lane < DOUBLES; lane++) {
            const double u = x[0][lane], v = x[1][lane];
            const double got = f->of_two ? f->of_two(u, v) : f->of_double(u);
            const double in_vector = z[lane];
            double error = quad_ulps(got, f->of_two ? f->quad_of_two(u, v) : f->quad(u));
            if (memcmp(&got, &in_vector, sizeof got) != 0 &&
                !(got != got && in_vector != in_vector))
                p.vectors++;
            if (!(error < 0.5) || (i + lane) % 1021 == 0) {
                const double by_quad = error;
                mpfr_set_d(a, u, MPFR_RNDN);
                mpfr_set_d(b, v, MPFR_RNDN);
                if (f->of_two)
                    f->reference_of_two(y, a, b, MPFR_RNDN);
                else
                    f->reference(y, a, MPFR_RNDN);
                error = ulps(got, y, work);
                if (isfinite(by_quad) && !(fabs(by_quad - error) <= p.differ))
                    p.differ = fabs(by_quad - error);
                p.asked++;
            }
            if (!(error <= p.worst))
                p.worst = error, p.at[0] = u, p.at[1] = f->of_two ? v : 0;
        }
    }
    return p;
}

/* The lines of a file: which parts are done, and what they showed together. */
static int read_parts(const char *path, uint64_t seed, bool (*done)[MOST], part *total,
                      long *count)
{
    FILE *const file = fopen(path, "r");
    char line[400], word[16];
    unsigned long long of;
    int index;
    part p;

    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%15s %llu %d %lf %la %la %ld %lg %ld\n", word, &of, &index,
                   &p.worst, &p.at[0], &p.at[1], &p.asked, &p.differ, &p.vectors) != 9 ||
            of != seed || index < 0 || index >= MOST)
            continue;
        for (int i = 0; i < COUNT; i++) {
            if (strcmp(word, functions[i].word) != 0 || done[i][index])
                continue;
            done[i][index] = true;
            count[i]++;
            if (!(p.worst <= total[i].worst)) {
                total[i].worst = p.worst;
                memcpy(total[i].at, p.at, sizeof p.at);
            }
            total[i].asked += p.asked;
            total[i].vectors += p.vectors;
            total[i].differ = fmax(total[i].differ, p.differ);
        }
    }
    return file ? fclose(file) : 0;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Takes parts in turn: part 0 of all functions, part 1 of all functions. */
static void work_through(const char *path, int64_t parts, uint64_t seed, double end,
                         bool (*done)[MOST], const bool *asked, int64_t *taken)
{
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);

    while (now() < end) {
        const int64_t k = __atomic_fetch_add(taken, 1, __ATOMIC_RELAXED);
        const struct function *const f = functions + k % COUNT;
        char line[400];
        if (k >= parts * COUNT)
            break;
        if (!asked[k % COUNT] || done[k % COUNT][k / COUNT])
            continue;
        const part p = prove_part(f, k / COUNT, seed);
        const int size = snprintf(
            line, sizeof line, "%s %llu %lld %.6f %a %a %ld %.2g %ld\n", f->word,
            (unsigned long long)seed, (long long)(k / COUNT), p.worst, p.at[0], p.at[1],
            p.asked, p.differ, p.vectors);
        if (file < 0 || write(file, line, (size_t)size) != size) {
            perror(path);
            break;
        }
    }
}

static int prove_f64(int words, char **word)
{
    static bool done[COUNT][MOST];
    const char *const path = word[0];
    const int64_t parts = (atoll(word[1]) + MILLION - 1) / MILLION;
    const uint64_t seed = strtoull(word[2], NULL, 0);
    const double end = now() + atof(word[3]);
    int64_t *const taken = mmap(NULL, sizeof *taken, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    part total[COUNT] = {{0}};
    long count[COUNT] = {0}, faults = 0;
    bool asked[COUNT];

    if (taken == MAP_FAILED || parts > MOST)
        return 2;
    for (int i = 0; i < COUNT; i++) {
        asked[i] = words == 4;
        for (int k = 4; k < words; k++)
            asked[i] |= strcmp(word[k], functions[i].word) == 0;
    }
    read_parts(path, seed, done, total, count);
    for (long p = sysconf(_SC_NPROCESSORS_ONLN); p > 0; p--)
        if (fork() == 0) {
            work_through(path, parts, seed, end, done, asked, taken);
            _exit(0);
        }
    while (wait(NULL) > 0)
        continue;
    read_parts(path, seed, done, total, count);
    printf("| function | arguments, 10^6 | largest error, ulp | at | by MPFR, too | "
           "references differ, ulp |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < COUNT; i++) {
        const part *const p = &total[i];
        char second[40] = "";
        if (!asked[i])
            continue;
        if (functions[i].of_two)
            snprintf(second, sizeof second, ", %a", p->at[1]);
        printf("| %s | %ld | %.4f | %a%s | %ld | %.1g |\n", functions[i].word, count[i],
               p->worst, p->at[0], second, p->asked, p->differ);
        faults += !(p->worst < 0.6) + !(p->differ < 0x1p-40) + p->vectors;
        if (p->vectors)
            printf("%s: vectors give other bits for %ld arguments\n", functions[i].word,
                   p->vectors);
    }
    return faults ? 1 : 0;
}

typedef struct counts {
    long faults, asked, checked;
} counts;

/* One argument with care: got in f32, wide in f64. */
static void prove_argument(const struct function *f, float x, float got, double wide,
                           bool check, counts *c)
{
    static mpfr_t a, y, work;
    float want = (float)wide;

    if (c->asked + c->checked == 0)
        mpfr_inits2(BITS, a, y, work, (mpfr_ptr)0);
    if (check && f->longer) {
        const long double longer = f->longer((long double)x);
        int e;
        frexp(wide, &e);
        c->checked++;
        if (isnan(longer) != isnan(wide) ||
            (isfinite(wide) &&
             fabsl(longer - wide) > ldexpl(0.6L, (e < -1021 ? -1021 : e) - 53))) {
            if (c->faults++ < 20)
                printf("%s(%a) is %a in f64\n", f->word, (double)x, wide);
        }
    }
    if ((float)(wide * (1 + 0x1p-51)) != (float)(wide * (1 - 0x1p-51))) {
        c->asked++;
        mpfr_set_flt(a, x, MPFR_RNDN);
        f->reference(y, a, MPFR_RNDN);
        want = mpfr_get_flt(y, MPFR_RNDN);
    }
    if (isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want))
        return;
    if (c->faults++ < 20)
        printf("f32 %s(%a) is %a, not %a\n", f->word, (double)x, (double)got,
               (double)want);
}

static int prove_f32(const struct function *f, uint64_t end)
{
    counts c = {0};

    for (uint64_t bits = 0; bits < end; bits += FLOATS) {
        const uints all = (uint32_t)bits + (uints){ALL_LANES};
        const floats x = (floats)all;
        const two_doubles a = floats_widen(x);
        two_doubles wide, above, below;
        floats got, want, more, less;
        ints right;
        f->of_floats(&got, &x);
        for (int half = 0; half < 2; half++) {
            f->of_doubles(&wide.half[half], &a.half[half]);
            above.half[half] = wide.half[half] * (1 + 0x1p-51);
            below.half[half] = wide.half[half] * (1 - 0x1p-51);
        }
        want = floats_narrow(wide);
        more = floats_narrow(above);
        less = floats_narrow(below);
        right = ((got == want) & (more == less)) | ((got != got) & (want != want));
        for (int lane = 0; lane < FLOATS; lane++)
            if (!right[lane] || (bits + (uint64_t)lane) % 1021 == 0)
                prove_argument(f, x[lane], got[lane],
                               wide.half[lane / DOUBLES][lane % DOUBLES],
                               (bits + (uint64_t)lane) % 1021 == 0, &c);
    }
    printf("f32 %-6s %llu arguments: %ld faults; MPFR asked %ld times, long double %ld\n",
           f->word, (unsigned long long)end, c.faults, c.asked, c.checked);
    return c.faults ? 1 : 0;
}

/* ---- times ----------------------------------------------------------------------- */

enum { VALUES = 4096, REPETITIONS = 40 };
static double in[VALUES] __attribute__((aligned(64))),
    second[VALUES] __attribute__((aligned(64))), out[VALUES] __attribute__((aligned(64)));
static float in_f32[VALUES] __attribute__((aligned(64))),
    second_f32[VALUES] __attribute__((aligned(64))),
    out_f32[VALUES] __attribute__((aligned(64)));

#define LEAST(step, call)                                                                \
    __extension__({                                                                      \
        double least = INFINITY;                                                         \
        for (int r = 0; r < REPETITIONS; r++) {                                          \
            const double start = now();                                                  \
            for (int i = 0; i < VALUES; i += (step))                                     \
                call;                                                                    \
            least = fmin(least, now() - start);                                          \
        }                                                                                \
        least * 1e9 / VALUES;                                                            \
    })
#define D(a) (*(doubles *)((a) + i))
#define F(a) (*(floats *)((a) + i))
#if defined __AVX512F__ && defined LIBMVEC
#define DECLARE(word, ...)                                                               \
    doubles _ZGVeN8v_##word(doubles);                                                    \
    floats _ZGVeN16v_##word##f(floats);
#define DECLARE_OF_TWO(word, ...)                                                        \
    doubles _ZGVeN8vv_##word(doubles, doubles);                                          \
    floats _ZGVeN16vv_##word##f(floats, floats);
#define VECTOR_F64(v, word, ...) LEAST(DOUBLES, D(out) = _ZGVeN8##v##_##word(__VA_ARGS__))
#define VECTOR_F32(v, word, ...)                                                         \
    LEAST(FLOATS, F(out_f32) = _ZGVeN16##v##_##word##f(__VA_ARGS__))
LIST(DECLARE)
LIST_OF_TWO(DECLARE_OF_TWO)
#else
#define VECTOR_F64(...) NAN
#define VECTOR_F32(...) NAN
#endif

static void print_times(void)
{
    uint64_t state = 1;

    printf("| function | libm | own | own, vector | libmvec | f32: libm | own, vector | "
           "libmvec |\n|---|---|---|---|---|---|---|---|\n");
#define TIMES_OF(v, word, low, high, one, one_f32, all, all_f32)                         \
    for (int i = 0; i < VALUES; i++) {                                                   \
        in[i] = fmax(low, -10) + (double)(next(&state) >> 11) * 0x1p-53 *                \
                                     (fmin(high, 10) - fmax(low, -10));                  \
        second[i] = (double)(next(&state) >> 11) * 0x1p-53 * 20 - 10;                    \
        in_f32[i] = (float)in[i];                                                        \
        second_f32[i] = (float)second[i];                                                \
    }                                                                                    \
    printf("| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", #word,           \
           LEAST(1, out[i] = word one), LEAST(1, out[i] = word##_of_double one),         \
           LEAST(DOUBLES, D(out) = doubles_##word all), VECTOR_F64(v, word, STRIP all),  \
           LEAST(1, out_f32[i] = word##f one_f32),                                       \
           LEAST(FLOATS, F(out_f32) = floats_##word all_f32),                            \
           VECTOR_F32(v, word, STRIP all_f32));
#define STRIP(...) __VA_ARGS__
#define TIMES(word, low, high, symmetric)                                                \
    TIMES_OF(v, word, low, high, (in[i]), (in_f32[i]), (D(in)), (F(in_f32)))
#define TIMES_OF_TWO(word, low, high)                                                    \
    TIMES_OF(vv, word, low, high, (in[i], second[i]), (in_f32[i], second_f32[i]),        \
             (D(in), D(second)), (F(in_f32), F(second_f32)))
    LIST(TIMES)
    LIST_OF_TWO(TIMES_OF_TWO)
}

int main(int count, char **word)
{
    if (count == 2 && strcmp(word[1], "times") == 0) {
        print_times();
        return 0;
    }
    if (count > 5 && strcmp(word[1], "f64") == 0)
        return prove_f64(count - 2, word + 2);
    for (int i = 0; i < COUNT && count > 2; i++) {
        const struct function *f = functions + i;
        if (strcmp(f->word, word[2]) != 0)
            continue;
        if (f->of_floats && strcmp(word[1], "f32") == 0)
            return prove_f32(f, count > 3 ? strtoull(word[3], NULL, 0)
                                          : (uint64_t)1 << (f->symmetric ? 31 : 32));
    }
    fputs(
        "functions_all f64 FILE COUNT SEED SECONDS [WORD ...] | f32 WORD [END] | times\n",
        stderr);
    return 2;
}
