/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates: running error analysis. Every operation propagates the errors of its
 * arguments and adds one rounding of its magnitude. So the bound holds for every order of
 * sums and every expansion of products. If no bound exists, the error is infinite. */
#include <float.h>
#include <math.h>

#include "check/check_private.h"

rounding rounding_of(pav_type real)
{
    if (real == PAV_F32)
        return (rounding){.unit = 4 * 0x1p-24L,
                          .tiny = 0x1p-149L,
                          .largest = FLT_MAX,
                          .exact = 0x1p12L,
                          .grain = 0x1p-10L};
    return (rounding){.unit = 4 * 0x1p-53L,
                      .tiny = 0x1p-1074L,
                      .largest = DBL_MAX,
                      .exact = 0x1p28L,
                      .grain = 0x1p-20L};
}

static bool is_short(const rounding *r, long double v, long double m)
{
    const long double grains = v / r->grain;
    return m <= r->exact && grains == floorl(grains);
}

/* The result of an operation; e is the propagated error of its arguments. */
static estimate rounded(const rounding *r, long double v, long double m, long double e)
{
    if (!isfinite(v) || !isfinite(m) || isnan(e))
        return (estimate){v, m, INFINITY};
    if (e == 0 && is_short(r, v, m))
        return (estimate){v, m, 0};
    if (m > 0)
        e += r->unit * m + r->tiny;
    if (m + e > r->largest)
        e = INFINITY;
    return (estimate){v, m, e};
}

estimate estimate_exact(long double v)
{
    return (estimate){v, fabsl(v), 0};
}

estimate estimate_of(const rounding *r, long double v)
{
    return rounded(r, v, fabsl(v), 0);
}

long double extended(num n)
{
    const i128 most = INT64_MAX;
    if (!n.exact)
        return (long double)n.v;
    if (n.p >= -most && n.p <= most && n.q <= most) /* the common case, and much faster */
        return (long double)(int64_t)n.p / (long double)(int64_t)n.q;
    return (long double)n.p / (long double)n.q;
}

estimate estimate_num(const rounding *r, num n)
{
    return estimate_of(r, extended(n));
}

/* ---- operators --------------------------------------------------------------------- */

estimate estimate_neg(estimate a)
{
    return (estimate){-a.v, a.m, a.e};
}

static estimate product(const rounding *r, estimate a, estimate b)
{
    return rounded(r, a.v * b.v, a.m * b.m,
                   fabsl(a.v) * b.e + fabsl(b.v) * a.e + a.e * b.e);
}

static bool is_power_of_two(long double v)
{
    int exponent;
    return fabsl(frexpl(v, &exponent)) == 0.5L;
}

/* Quotient. A run may multiply by the reciprocal, and the reciprocal is rounded even if
 * the quotient is exact. */
static estimate quotient(const rounding *r, estimate a, estimate b)
{
    const long double least = fabsl(b.v) - b.e, v = a.v / b.v;
    if (!(least > 0))
        return (estimate){v, fabsl(v), INFINITY};
    const long double e = (a.e + fabsl(v) * b.e) / least;
    return rounded(r, v, a.m / least, is_power_of_two(b.v) ? e : e + r->unit * fabsl(v));
}

/* x^n by repeated squaring; runs may use it, too. */
static estimate whole_power(const rounding *r, estimate a, int n)
{
    estimate result = estimate_exact(1);
    for (int left = n < 0 ? -n : n; left > 0; left /= 2) {
        if (left % 2)
            result = product(r, result, a);
        a = product(r, a, a);
    }
    return n < 0 ? quotient(r, estimate_exact(1), result) : result;
}

static estimate real_power(const rounding *r, estimate a, estimate b)
{
    const long double v = powl(a.v, b.v), size = fabsl(v);
    const long double spread = fabsl(b.v * logl(fabsl(a.v)));
    if (a.e == 0 && b.e == 0)
        return rounded(r, v, size * (1 + (isfinite(spread) ? spread : 0)), 0);
    if (fabsl(a.v) <= a.e || a.v < 0)
        return (estimate){v, size, INFINITY};
    const long double relative = fabsl(b.v) * a.e / (fabsl(a.v) - a.e) +
                                 fabsl(logl(fabsl(a.v))) * b.e;
    return rounded(r, v, size * (1 + spread),
                   relative < 0.1L ? 2 * size * relative : INFINITY);
}

static estimate power(const rounding *r, estimate a, estimate b)
{
    return b.e == 0 && b.v == floorl(b.v) && fabsl(b.v) <= 64
               ? whole_power(r, a, (int)b.v)
               : real_power(r, a, b);
}

estimate estimate_op(const rounding *r, op_kind op, estimate a, estimate b)
{
    switch (op) {
    case OP_ADD: return rounded(r, a.v + b.v, a.m + b.m, a.e + b.e);
    case OP_SUB: return rounded(r, a.v - b.v, a.m + b.m, a.e + b.e);
    case OP_MUL: return product(r, a, b);
    case OP_DIV: return quotient(r, a, b);
    default: return power(r, a, b);
    }
}

/* ---- functions --------------------------------------------------------------------- */

/* The value v of a function. `slope` bounds its slope within the argument's error. */
static estimate sloped(const rounding *r, long double v, long double slope, estimate a)
{
    return rounded(r, v, fabsl(v), a.e == 0 ? 0 : slope * a.e);
}

static estimate root(const rounding *r, estimate a)
{
    const long double v = sqrtl(a.v);
    return a.v - a.e < 0 ? (estimate){v, v, INFINITY}
                         : rounded(r, v, v, v - sqrtl(a.v - a.e));
}

static estimate stepped(long double (*f)(long double), estimate a)
{
    const long double v = f(a.v), least = f(a.v - a.e), most = f(a.v + a.e);
    return (estimate){v, fabsl(v), isfinite(a.e) ? most - least : INFINITY};
}

/* Near the negative axis the angle jumps by 2*pi. */
static estimate angle(const rounding *r, estimate y, estimate x)
{
    const long double v = atan2l(y.v, x.v), e = y.e + x.e;
    const long double least = hypotl(y.v, x.v) - e;
    return rounded(r, v, fabsl(v),
                   e == 0                             ? 0
                   : (x.v < x.e && fabsl(y.v) <= y.e) ? INFINITY
                                                      : 2 * e / least);
}

/* Near whole quotients the remainder may jump by b. */
static estimate remainder_of(const rounding *r, estimate a, estimate b)
{
    const long double q = a.v / b.v, least = fabsl(b.v) - b.e;
    const long double e = a.e + fabsl(q) * b.e, near = e / least + r->unit * fabsl(q);
    return rounded(r, modl(a.v, b.v), a.m + fabsl(q) * b.m,
                   (!(least > 0) || floorl(q - near) != floorl(q + near))
                       ? e + fabsl(b.v) + b.e
                       : e);
}

/* Bits of numbers known exactly; otherwise anything. The bits are those of integers. */
static estimate bits(const rounding *r, function_kind f, estimate a, estimate b)
{
    const bool known = a.e == 0 && b.e == 0 && a.v >= 0 && b.v >= 0 && a.v < 0x1p53L &&
                       b.v < 0x1p53L && a.v == floorl(a.v) && b.v == floorl(b.v);
    const int64_t m = known ? (int64_t)a.v : 0, n = known ? (int64_t)b.v : 0;
    long double v = (long double)(f == FUNCTION_BITAND  ? m & n
                                  : f == FUNCTION_BITOR ? m | n
                                                        : m ^ n);

    if (f == FUNCTION_SHL || f == FUNCTION_SHR)
        v = floorl(ldexpl(a.v, (int)(f == FUNCTION_SHL ? n : -n)));
    return !known || v >= 0x1p53L ? (estimate){NAN, 0, INFINITY} : rounded(r, v, v, 0);
}

static estimate extreme(estimate a, estimate b, bool least)
{
    const estimate *one = (least ? a.v < b.v : a.v > b.v) ? &a : &b;
    if (isnan(a.v) || isnan(b.v))
        return (estimate){NAN, 0, INFINITY};
    return (estimate){one->v, fmaxl(a.m, b.m), fmaxl(a.e, b.e)};
}

/* The wavelet of peak frequency f, delayed by 1.2/f. */
static estimate ricker(const rounding *r, estimate f, estimate t)
{
    const estimate pi = estimate_of(r, 3.14159265358979323846264338L);
    const estimate late = estimate_op(r, OP_SUB, t, quotient(r, estimate_of(r, 1.2L), f));
    const estimate phase = product(r, product(r, pi, f), late);
    const estimate a = product(r, phase, phase);
    const estimate hat = estimate_op(r, OP_SUB, estimate_exact(1),
                                     product(r, estimate_exact(2), a));
    const estimate minus = estimate_neg(a);
    return product(r, hat, estimate_call(r, FUNCTION_EXP, &minus));
}

estimate estimate_call(const rounding *r, function_kind f, const estimate *arg)
{
    const estimate a = arg[0];
    const long double v = a.v, e = a.e;
    switch (f) {
    case FUNCTION_MIN: return extreme(a, arg[1], true);
    case FUNCTION_MAX: return extreme(a, arg[1], false);
    case FUNCTION_ABS: return (estimate){fabsl(a.v), a.m, a.e};
    case FUNCTION_SQRT: return root(r, a);
#define SMOOTH(NAME, word, most, slope, about)                                           \
    case FUNCTION_##NAME:                                                                \
        return sloped(r, word##l(v), slope, a);
#define STEPWISE(NAME, word, about)                                                      \
    case FUNCTION_##NAME: return stepped(word##l, a);
        SMOOTH_FUNCTION_LIST(SMOOTH)
        STEPWISE_FUNCTION_LIST(STEPWISE)
    case FUNCTION_ATAN2: return angle(r, a, arg[1]);
    case FUNCTION_HYPOT: {
        const long double length = hypotl(v, arg[1].v);
        return rounded(r, length, length, e + arg[1].e);
    }
    case FUNCTION_MOD: return remainder_of(r, a, arg[1]);
    case FUNCTION_RICKER: return ricker(r, a, arg[1]);
#define BITS(NAME, ...) case FUNCTION_##NAME:
        BIT_FUNCTION_LIST(BITS)
        return bits(r, f, a, arg[1]);
    default: return power(r, a, arg[1]);
    }
}

/* ---- conditions -------------------------------------------------------------------- */

static bool holds(op_kind op, long double a, long double b)
{
    switch (op) {
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_GT: return a > b;
    case OP_GE: return a >= b;
    case OP_EQ: return a == b;
    default: return a != b;
    }
}

/* Compares. The verdict is doubtful if the sides differ by less than their errors. */
verdict estimate_compare(op_kind op, estimate a, estimate b)
{
    const long double e = a.e + b.e;
    const bool near = e > 0 && !(fabsl(a.v - b.v) > e);
    return (verdict){holds(op, a.v, b.v), near};
}

verdict verdict_not(verdict a)
{
    return (verdict){!a.holds, a.doubtful};
}

verdict verdict_both(op_kind op, verdict a, verdict b)
{
    const bool decides = op == OP_OR; /* one side with this value is enough */
    const bool known = (!a.doubtful && a.holds == decides) ||
                       (!b.doubtful && b.holds == decides);
    const bool both = op == OP_OR ? a.holds || b.holds : a.holds && b.holds;
    return known ? (verdict){decides, false} : (verdict){both, a.doubtful || b.doubtful};
}

estimate estimate_truth(verdict c)
{
    return (estimate){c.holds, c.holds, c.doubtful};
}

estimate estimate_choose(verdict c, estimate yes, estimate no)
{
    estimate one = c.holds ? yes : no;
    if (!c.doubtful)
        return one;
    one.e = fmaxl(yes.e, no.e) + fabsl(yes.v - no.v);
    one.m = fmaxl(yes.m, no.m);
    if (isnan(yes.v) || isnan(no.v) || isnan(one.e))
        one.e = INFINITY;
    return one;
}

/* ---- storage ----------------------------------------------------------------------- */

static long double stored(pav_type storage, long double v)
{
    char bytes[8];
    type_store(storage, bytes, (double)v);
    return (long double)type_load(storage, bytes);
}

/* Rounding is monotone, so a run's stored value lies between the rounded ends. */
static estimate narrowed(pav_type storage, estimate a)
{
    const long double v = stored(storage, a.v);
    const long double least = stored(storage, a.v - a.e),
                      most = stored(storage, a.v + a.e);
    const long double e = fmaxl(most - v, v - least);
    return (estimate){v, fabsl(v), isfinite(a.e) && isfinite(e) ? e : INFINITY};
}

estimate estimate_store(const rounding *r, pav_type storage, estimate a)
{
    if (!isfinite(a.v))
        return (estimate){a.v, 0, INFINITY};
    if (storage == PAV_BF16 || storage == PAV_F16)
        return narrowed(storage, a);
    return storage == PAV_F32 && r->unit < 0x1p-40L ? narrowed(storage, a)
                                                    : (estimate){a.v, fabsl(a.v), a.e};
}
