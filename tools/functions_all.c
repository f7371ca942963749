/* SPDX-License-Identifier: BSD-3-Clause */
/* functions_all f32 WORD | f64 WORD COUNT SEED | times: proofs and times of Pavior's
 * own functions. tools/functions --all compiles and starts it; it needs libmpfr.
 *
 * f32: every argument. The result must be the correctly rounded one. Long double of
 * C's library decides, if 2^-59 more or less of its result round alike; else MPFR
 * decides. f64: random arguments. Prints the largest error in ulp, against MPFR with
 * 140 bits. */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/functions/functions.h"

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

static int mpfr_rounded(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding)
{
    return mpfr_rint_round(y, x, rounding);
}

static int mpfr_ceiling(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding)
{
    return mpfr_rint_ceil(y, x, rounding);
}

static int mpfr_floored(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding)
{
    return mpfr_rint_floor(y, x, rounding);
}

/* x - y floor(x / y), or the sign of y where it is 0. */
static int mpfr_mod(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rounding)
{
    mpfr_fmod(r, x, y, rounding);
    if (mpfr_zero_p(r))
        mpfr_setsign(r, r, mpfr_signbit(y), rounding);
    if (mpfr_regular_p(r) && mpfr_sgn(r) != mpfr_sgn(y))
        mpfr_add(r, r, y, rounding);
    return 0;
}

static long double sincl(long double x)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    const long double reduced = x - 2 * rintl(x / 2);

    return x == 0 ? 1 : isinf(x) ? 0 : reduced == rintl(reduced) ? 0 : NAN;
    (void)pi;
}

#define ONE(word, low, high)                                                             \
    {                                                                                    \
#word, low, high, f64_##word, f32_##word, mpfr_##word, word##l, NULL, NULL, NULL \
    }
#define EXACT(word, reference)                                                           \
    {                                                                                    \
#word, -10, 10, f64_##word, f32_##word, reference, word##l, NULL, NULL, NULL     \
    }
#define TWO(word, low, high)                                                             \
    {                                                                                    \
#word, low, high, NULL, NULL, NULL, NULL, f64_##word, f32_##word, mpfr_##word    \
    }
static const struct function {
    const char *word;
    double low, high; /* where its values change */
    double (*of_f64)(double);
    float (*of_f32)(float);
    mpfr_function *reference;
    long double (*longer)(long double);
    double (*of_two_f64)(double, double);
    float (*of_two_f32)(float, float);
    mpfr_function_of_two *reference_of_two;
} functions[] = {
    ONE(sin, -10, 10),         ONE(cos, -10, 10),
    ONE(tan, -10, 10),         ONE(exp, -750, 720),
    ONE(exp2, -1080, 1030),    ONE(log, 0, 10),
    ONE(log2, 0, 10),          ONE(log10, 0, 10),
    ONE(sinh, -712, 712),      ONE(cosh, -712, 712),
    ONE(tanh, -4, 4),          ONE(sinc, -10, 10),
    ONE(asin, -1, 1),          ONE(acos, -1, 1),
    ONE(atan, -10, 10),        ONE(cbrt, -10, 10),
    ONE(erf, -6, 6),           EXACT(round, mpfr_rounded),
    EXACT(ceil, mpfr_ceiling), EXACT(floor, mpfr_floored),
    TWO(pow, 0, 10),           TWO(atan2, -10, 10),
    TWO(hypot, -10, 10),       TWO(mod, -10, 10),
};
enum { BITS = 140 };

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double draw(uint64_t *state, double low, double high)
{
    const uint64_t kind = next(state) % 4;
    double x = (double)(next(state) >> 11) * 0x1p-53;

    if (kind == 0) { /* any exponent */
        do
            x = f64_from_bits(next(state));
        while (!isfinite(x));
        return low >= 0 ? fabs(x) : x;
    }
    if (kind == 1) /* exponents around 0 */
        return ldexp(low < 0 && next(state) & 1 ? -1 - x : 1 + x,
                     (int)(next(state) % 40) - 30);
    if (kind == 2)
        return low + x * (high - low);
    return (low < 0 && next(state) & 1 ? -2 : 2) * x;
}

/* |y - exact| in units of the last place. */
static double ulps(double y, mpfr_t exact, mpfr_t work)
{
    double nearest = mpfr_get_d(exact, MPFR_RNDN);
    int e;

    if (isnan(nearest) || isnan(y))
        return isnan(nearest) && isnan(y) ? 0 : INFINITY;
    if (y == nearest && (y == 0 || isinf(y)))
        return signbit(y) == signbit(nearest) ? 0 : INFINITY;
    if (isinf(y) || isinf(nearest)) { /* the next f64 after the largest, if it were one */
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
        if (f->of_f64) {
            f->reference(y, a, MPFR_RNDN);
            error = ulps(f->of_f64(x[0]), y, work);
        } else {
            f->reference_of_two(y, a, b, MPFR_RNDN);
            error = ulps(f->of_two_f64(x[0], x[1]), y, work);
        }
        if (!(error <= worst))
            worst = error, at[0] = x[0], at[1] = x[1];
    }
    printf("f64 %-6s %ld arguments: error %.4f ulp at %a", f->word, count, worst, at[0]);
    if (!f->of_f64)
        printf(", %a", at[1]);
    printf("\n");
    return worst < 0.6 ? 0 : 1;
}

static int prove_f32(const struct function *f)
{
    mpfr_t a, y;
    long faults = 0, asked = 0;

    mpfr_inits2(BITS, a, y, (mpfr_ptr)0);
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits++) {
        const uint32_t low = (uint32_t)bits;
        float x, got, want;
        long double longer;
        memcpy(&x, &low, sizeof x);
        got = f->of_f32(x);
        longer = f->longer(x);
        want = (float)(longer * (1 + 0x1p-59L));
        if (want != (float)(longer * (1 - 0x1p-59L)) || isnan(longer)) {
            asked++;
            mpfr_set_flt(a, x, MPFR_RNDN);
            f->reference(y, a, MPFR_RNDN);
            want = mpfr_get_flt(y, MPFR_RNDN);
        }
        if (isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want))
            continue;
        if (faults++ < 20)
            printf("f32 %s(%a) is %a, not %a\n", f->word, (double)x, (double)got,
                   (double)want);
    }
    printf("f32 %-6s 2^32 arguments: %ld not rounded correctly; MPFR asked %ld times\n",
           f->word, faults, asked);
    return faults ? 1 : 0;
}

int main(int count, char **word)
{
    if (count < 3)
        return 2;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct function *f = functions + i;
        if (strcmp(f->word, word[2]) != 0)
            continue;
        return strcmp(word[1], "f32") == 0
                   ? prove_f32(f)
                   : prove_f64(f, atol(word[3]), (uint64_t)atol(word[4]));
    }
    return 2;
}
