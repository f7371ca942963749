/* SPDX-License-Identifier: BSD-3-Clause */
INLINE uint64_t bits_of(double v)
{
    uint64_t b;

    memcpy(&b, &v, sizeof b);
    return b;
}

INLINE double double_of(uint64_t b)
{
    double v;

    memcpy(&v, &b, sizeof v);
    return v;
}

INLINE uint32_t bits_of_float(float v)
{
    uint32_t b;

    memcpy(&b, &v, sizeof b);
    return b;
}

INLINE float float_of(uint32_t b)
{
    float v;

    memcpy(&v, &b, sizeof v);
    return v;
}

/* Rounds |v| to `fraction` bits. Exponents stay at or above that of `least`; the result
 * is infinite from `limit` on. */
INLINE double round_size(double v, int fraction, double least, double limit)
{
    const uint64_t infinite = UINT64_C(0x7ff) << 52, b = bits_of(v) & INT64_MAX;
    const uint64_t finite = -(uint64_t)(b < bits_of(limit));
    const uint64_t special = infinite | (uint64_t)(b > infinite) << 51;
    const double size = double_of(b & finite), base = size > least ? size : least;
    const double large = double_of((bits_of(base) & infinite) +
                                   ((uint64_t)(52 - fraction) << 52));
    const double rounded = (size + large) - large;

    return double_of(bits_of(rounded) | (special & ~finite));
}
