/* SPDX-License-Identifier: BSD-3-Clause */
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
