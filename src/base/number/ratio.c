/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts a ratio of integers to the nearest float or double, ties to even, rounded
 * once.
 *
 * p/q = n * 2^e, with as many bits in n as the format has, found by long division; the
 * remainder decides the rounding. Below the format's smallest normal number e stays
 * constant and n has fewer bits. */
#include <math.h>

#include "base/base_private.h"

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

    if (high)
        return 128 - __builtin_clzll(high);
    return low ? 64 - __builtin_clzll(low) : 0;
}

/* The exponent of the ratio's first bit: 2^k <= p/q < 2^(k+1). */
static int first_bit(u128 p, u128 q)
{
    const int k = bit_length(p) - bit_length(q);
    const bool reached = k >= 0 ? p >= q << k : p << -k >= q;

    return reached ? k : k - 1;
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

double ratio_f64(u128 p, u128 q)
{
    return rounded(p, q, 53, -1074);
}

float ratio_f32(u128 p, u128 q)
{
    return (float)rounded(p, q, 24, -149);
}
