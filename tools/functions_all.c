/* SPDX-License-Identifier: BSD-3-Clause */
/* functions_all f64 WORD COUNT SEED | f32 WORD | times: proofs and times of Pavior's
 * own functions. tools/functions --all compiles and starts it; it needs libmpfr.
 *
 * f64   random arguments; the largest error in ulp, against MPFR with 140 bits. f32
 * all arguments, by vectors. The result must be the correctly rounded one. The result
 *       in f64 decides, unless 2^-51 more or less of it rounds otherwise: then MPFR does.
 *       For each 1021st argument, long double of C's library checks that the result in
 *       f64 is right to 0.6 ulp. Odd and even functions get arguments
 *       >= 0. With END, only arguments whose bits are below END.
 * times nanoseconds a value, the least of 40 repetitions. */
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
     NULL},
    LIST(ROW){"sinc", -10, 10, 1, sinc_of_double, sinc_of_doubles, sinc_of_floats,
              mpfr_sinc, sincl, NULL, NULL},
#define ROW_OF_TWO(word, low, high)                                                      \
    {#word, low, high, 0, NULL, NULL, NULL, NULL, NULL, word##_of_double, mpfr_##word},
    LIST_OF_TWO(ROW_OF_TWO){"mod", -10, 10, 0, NULL, NULL, NULL, NULL, NULL,
                            mod_of_double, mpfr_mod},
};
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
    if (y == nearest && (y == 0 || isinf(y)))
        return signbit(y) == signbit(nearest) ? 0 : INFINITY;
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

static int prove_f64(const struct function *f, long count, uint64_t seed)
{
    mpfr_t a, b, y, work;
    double worst = 0, at[2] = {0};

    mpfr_inits2(BITS, a, b, y, work, (mpfr_ptr)0);
    for (long i = 0; i < count; i++) {
        const double x[2] = {draw(&seed, f->low, f->high), draw(&seed, -100, 100)};
        double error;
        mpfr_set_d(a, x[0], MPFR_RNDN);
        mpfr_set_d(b, x[1], MPFR_RNDN);
        if (f->of_double) {
            f->reference(y, a, MPFR_RNDN);
            error = ulps(f->of_double(x[0]), y, work);
        } else {
            f->reference_of_two(y, a, b, MPFR_RNDN);
            error = ulps(f->of_two(x[0], x[1]), y, work);
        }
        if (!(error <= worst))
            worst = error, at[0] = x[0], at[1] = x[1];
    }
    printf("f64 %-6s %ld arguments: error %.4f ulp at %a", f->word, count, worst, at[0]);
    if (!f->of_double)
        printf(", %a", at[1]);
    printf("\n");
    return worst < 0.6 ? 0 : 1;
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

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

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
    for (int i = 0; i < COUNT && count > 2; i++) {
        const struct function *f = functions + i;
        if (strcmp(f->word, word[2]) != 0)
            continue;
        if (count == 5 && strcmp(word[1], "f64") == 0)
            return prove_f64(f, atol(word[3]), (uint64_t)atol(word[4]));
        if (f->of_floats && strcmp(word[1], "f32") == 0)
            return prove_f32(f, count > 3 ? strtoull(word[3], NULL, 0)
                                          : (uint64_t)1 << (f->symmetric ? 31 : 32));
    }
    fputs("functions_all f64 WORD COUNT SEED | f32 WORD [END] | times\n", stderr);
    return 2;
}
