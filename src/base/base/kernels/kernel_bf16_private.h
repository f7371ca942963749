/* SPDX-License-Identifier: BSD-3-Clause */
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
