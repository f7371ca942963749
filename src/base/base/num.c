/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact numbers: ratios of 127-bit integers in lowest terms.
 *
 * Sums and products divide common factors out before multiplying (Knuth, The Art of
 * Computer Programming 2, 4.5.1), so they overflow late. After an overflow the result is
 * a double, and so are all results made from it. Multiplication is on unsigned integers:
 * clang has no checked signed multiplication of 128 bits without its own run-time
 * library. */
#include <assert.h>
#include <math.h>

#include "base/base_private.h"

/* ---- rounding a ratio -------------------------------------------------------------- */

/* Converts a ratio of integers to the nearest float or double, ties to even, rounded
 * once.
 *
 * p/q = n * 2^e, with as many bits in n as the format has, found by long division; the
 * remainder decides the rounding. Below the format's smallest normal number e stays
 * constant and n has fewer bits. */

enum { I127 = 127 };

u128 magnitude(i128 value)
{
    return value < 0 ? -(u128)value : (u128)value;
}

bool mul_u127(u128 a, u128 b, u128 *product)
{
    const u128 most = ((u128)1 << I127) - 1;

    if (a > 0 && b > most / a)
        return false;
    *product = a * b;
    return true;
}

static int bit_length(u128 value)
{
    const uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;

    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* The exponent of the ratio's first bit: 2^k <= p/q < 2^(k+1). */
static int first_bit(u128 p, u128 q)
{
    const int k = bit_length(p) - bit_length(q);
    return (k >= 0 ? p >= q << k : p << -k >= q) ? k : k - 1;
}

static double rounded(u128 p, u128 q, int bits, int lowest)
{
    if (p == 0 || q == 0) /* q never is */
        return 0;
    const int wanted = first_bit(p, q) - bits + 1;
    const int e = wanted > lowest ? wanted : lowest;
    const u128 divisor = e > 0 ? q << e : q;
    u128 n = p / divisor, rest = p % divisor;
    for (int i = e; i < 0; i++) {
        rest <<= 1;
        n <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            n |= 1;
        }
    }
    const u128 twice = rest << 1; /* rest < divisor <= 2^127 */
    if (twice > divisor || (twice == divisor && (n & 1)))
        n++;
    return ldexp((double)(uint64_t)n, e);
}

/* ---- numbers ----------------------------------------------------------------------- */

#define MOST (((u128)1 << 127) - 1)

static num inexact(double value)
{
    return (num){.v = value};
}

/* p/q, already in lowest terms. */
static num lowest(bool negative, u128 p, u128 q)
{
    const double size = rounded(p, q, 53, -1074); /* an f64 */
    const double value = negative && p ? -size : size;

    return p > MOST || q > MOST
               ? inexact(value)
               : (num){negative ? -(i128)p : (i128)p, (i128)q, value, true};
}

num num_int(int64_t value)
{
    return lowest(value < 0, magnitude(value), 1);
}

num num_ratio(i128 p, i128 q)
{
    const u128 above = magnitude(p), below = magnitude(q);

    if (q == 0)
        return inexact(p == 0  ? (double)NAN
                       : p > 0 ? (double)INFINITY
                               : -(double)INFINITY);
    const u128 divisor = int_common(above, below);
    return lowest((p < 0) != (q < 0), above / divisor, below / divisor);
}

num num_double(double value)
{
    const double largest = 0x1p53;

    return value >= -largest && value <= largest && !(value < rint(value)) &&
                   !(value > rint(value))
               ? num_int((int64_t)value)
               : inexact(value);
}

num num_neg(num a)
{
    a.p = -a.p;
    a.v = a.exact && a.p == 0 ? 0 : -a.v;
    return a;
}

/* Computes a.p * scale with the sign; false beyond 127 bits. */
static bool scaled(i128 p, u128 scale, i128 *product)
{
    u128 size;

    if (!mul_u127(magnitude(p), scale, &size))
        return false;
    *product = p < 0 ? -(i128)size : (i128)size;
    return true;
}

/* a.p/a.q + b.p/b.q over the least common denominator. */
static bool add_exact(num a, num b, num *sum)
{
    const u128 shared = int_common((u128)a.q, (u128)b.q);
    const u128 a_rest = (u128)a.q / shared, b_rest = (u128)b.q / shared;
    i128 left, right, p;
    u128 q;

    if (!scaled(a.p, b_rest, &left) || !scaled(b.p, a_rest, &right) ||
        __builtin_add_overflow(left, right, &p))
        return false;
    const u128 factor = int_common(magnitude(p),
                                   shared); /* no other common factor exists */
    if (!mul_u127(a_rest, (u128)b.q / factor, &q))
        return false;
    *sum = lowest(p < 0, magnitude(p) / factor, q);
    return sum->exact;
}

num num_add(num a, num b)
{
    num sum;

    return a.exact && b.exact && add_exact(a, b, &sum) ? sum : inexact(a.v + b.v);
}

num num_sub(num a, num b)
{
    return num_add(a, num_neg(b));
}

static bool multiply_exact(num a, num b, num *product)
{
    const u128 left = magnitude(a.p), right = magnitude(b.p);
    const u128 first = int_common(left, (u128)b.q), second = int_common(right, (u128)a.q);
    u128 p, q;

    assert(first > 0 && second > 0); /* denominators are positive */
    if (!mul_u127(left / first, right / second, &p) ||
        !mul_u127((u128)a.q / second, (u128)b.q / first, &q))
        return false;
    *product = lowest((a.p < 0) != (b.p < 0), p, q);
    return true;
}

num num_mul(num a, num b)
{
    num product;

    return a.exact && b.exact && multiply_exact(a, b, &product) ? product
                                                                : inexact(a.v * b.v);
}

num num_div(num a, num b)
{
    if (!(b.v > 0 || b.v < 0 || isnan(b.v))) {
        /* without a division by zero for sanitizers to report */
        if (isnan(a.v) || !(a.v > 0 || a.v < 0))
            return inexact((double)NAN);
        const bool negative = (a.v < 0) != (signbit(b.v) != 0);
        return inexact(negative ? -(double)INFINITY : (double)INFINITY);
    }
    if (b.exact) {
        const num inverse = lowest(b.p < 0, (u128)b.q, magnitude(b.p));
        num quotient;
        if (a.exact && multiply_exact(a, inverse, &quotient))
            return quotient;
    }
    return inexact(a.v / b.v);
}

/* a^n for n >= 0, by squaring; false when it does not fit. */
static bool power_exact(num a, uint64_t n, num *power)
{
    num square = a;

    *power = num_int(1);
    for (; a.exact && power->exact; square = num_mul(square, square)) {
        if (n & 1)
            *power = square.exact ? num_mul(*power, square) : square;
        n >>= 1;
        if (n == 0)
            return power->exact;
    }
    return false;
}

num num_power(num a, int64_t n)
{
    const uint64_t size = n < 0 ? -(uint64_t)n : (uint64_t)n;
    num power;

    if (power_exact(a, size, &power))
        return n < 0 ? num_div(num_int(1), power) : power;
    const double value = pow(fabs(a.v), (double)n);
    return inexact(signbit(a.v) && (size & 1) ? -value : value);
}

/* The sign of a.p/a.q - b.p/b.q for sizes, without products: by continued fractions. */
static int compare_sizes(u128 ap, u128 aq, u128 bp, u128 bq)
{
    for (int sign = 1;; sign = -sign) {
        const u128 a = ap / aq, b = bp / bq;
        if (a != b)
            return a < b ? -sign : sign;
        const u128 a_rest = ap % aq, b_rest = bp % bq;
        if (a_rest == 0 || b_rest == 0)
            return a_rest == b_rest ? 0 : a_rest == 0 ? -sign : sign;
        ap = aq;
        aq = a_rest;
        bp = bq;
        bq = b_rest;
    }
}

int num_compare(num a, num b)
{
    if (a.exact && b.exact && (a.p < 0) != (b.p < 0))
        return a.p < 0 ? -1 : 1;
    if (a.exact && b.exact) {
        const int sizes = compare_sizes(magnitude(a.p), (u128)a.q, magnitude(b.p),
                                        (u128)b.q);
        return a.p < 0 ? -sizes : sizes;
    }
    if (isnan(a.v) || isnan(b.v))
        return (isnan(a.v) ? 1 : 0) - (isnan(b.v) ? 1 : 0);
    return (a.v > b.v) - (a.v < b.v);
}

bool num_equal(num a, num b)
{
    return num_compare(a, b) == 0;
}

bool num_is_zero(num a)
{
    return num_equal(a, num_int(0));
}

bool num_is_int(num a, int64_t *value)
{
    if (!a.exact || a.q != 1 || a.p < INT64_MIN || a.p > INT64_MAX)
        return false;
    *value = (int64_t)a.p;
    return true;
}

float num_f32(num a)
{
    if (!a.exact)
        return (float)a.v;
    const float size = (float)rounded(magnitude(a.p), (u128)a.q, 24, -149);
    return a.p < 0 ? -size : size;
}

double num_f64(num a)
{
    return a.v;
}

/* ---- functions of values, in extended precision ------------------------------------ */

/* Near a pole there is no bound. */
long double tangent_slope(long double v, long double e)
{
    const long double slope = 1 + tanl(v) * tanl(v);

    return e == 0 ? slope : slope * e < 0.01L ? 2 * slope : (long double)INFINITY;
}

long double arc_slope(long double v, long double e)
{
    const long double farthest = fabsl(v) + e;

    return farthest < 1 ? 1 / sqrtl(1 - farthest * farthest) : (long double)INFINITY;
}

long double root_slope(long double v, long double e)
{
    const long double least = fabsl(v) - e;

    return least > 0 ? cbrtl(least) / (3 * least) : (long double)INFINITY;
}

long double sincl(long double v)
{
    const long double angle = 3.14159265358979323846264338L * v;

    return v == 0 ? 1 : v == rintl(v) ? 0 : sinl(angle) / angle;
}

long double signl(long double v)
{
    return v > 0 ? 1 : v < 0 ? -1 : v;
}

long double modl(long double a, long double b)
{
    return a - b * floorl(a / b);
}
