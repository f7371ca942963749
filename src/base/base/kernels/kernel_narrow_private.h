/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions of narrow types, for the interpreter and for kernels of processors. The
 * build makes a text of each part (cmake/embed.cmake). */

/* ==== kernel_bits_private ==== */
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

/* ==== kernel_bf16_private ==== */
INLINE float f32_of_bf16(uint16_t half)
{
    return float_of((uint32_t)half << 16);
}

INLINE uint16_t bf16_of_f64(double v)
{
    const float size = (float)round_size(v, 7, 0x1p-126, 0x1.FFp127);

    return (uint16_t)(bits_of_float(size) >> 16 | (bits_of(v) >> 48 & 0x8000U));
}

INLINE uint16_t bf16_of_f32(float v)
{
    const uint32_t b = bits_of_float(v);
    const uint32_t kept = b + 0x7fffU + (b >> 16 & 1U);

    return (uint16_t)(((b & 0x7fffffffU) > 0x7f800000U ? b | 0x400000U : kept) >> 16);
}

/* ==== kernel_f16_private ==== */
INLINE float f32_of_f16(uint16_t half)
{
    const uint32_t b = ((uint32_t)(int16_t)half << 13) & 0x8fffe000U;
    const uint32_t special = (b & 0x0f800000U) == 0x0f800000U ? 0x7f800000U : 0;

    return float_of(bits_of_float(float_of(b) * 0x1p112F) | special);
}

/* Below 2^-14 the addition of 0.5 rounds off the surplus bits. From 2^-14 on the bits
 * themselves can be rounded; a carry into the exponent gives the correct result. All NaN
 * give the same NaN. */
INLINE uint16_t f16_of_f32(float v)
{
    const uint32_t b = bits_of_float(v) & 0x7fffffffU;
    const uint32_t small = bits_of_float(float_of(b) + 0.5F) - bits_of_float(0.5F);
    const uint32_t large = (b + 0xfffU + (b >> 13 & 1U) - (112U << 23)) >> 13;
    const uint32_t special = b > 0x7f800000U ? 0x7e00U : 0x7c00U;
    const uint32_t finite = b < 0x38800000U ? small : large;

    return (uint16_t)((b < 0x47800000U ? finite : special) |
                      (bits_of_float(v) >> 16 & 0x8000U));
}

/* Rounds via f32. The last bit of the f32 is set if any bit was dropped, so the second
 * rounding cannot see a false tie. */
INLINE uint16_t f16_of_f64(double v)
{
    const uint64_t b = bits_of(v), dropped = UINT64_C(0x1fffffff);

    return f16_of_f32((float)double_of((b | ((b & dropped) + dropped)) & ~dropped));
}

/* ==== kernel_u8_private ==== */
INLINE uint8_t u8_of_f64(double v)
{
    const double most = v < 255 ? v : 255, within = v > 0 ? most : 0;

    return (uint8_t)(int32_t)((within + 0x1p52) - 0x1p52);
}
