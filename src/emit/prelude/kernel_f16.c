/* SPDX-License-Identifier: BSD-3-Clause */
INLINE float f32_of_f16(uint16_t half)
{
    const uint32_t size = half & 0x7fffU;
    const uint32_t b = bits_of_float(float_of(size << 13) * 0x1p112F);
    const uint32_t special = size >= 0x7c00U ? 0x7f800000U : 0;

    return float_of(b | special | (uint32_t)(half & 0x8000U) << 16);
}

INLINE uint16_t f16_of_f64(double v)
{
    const float size = (float)round_size(v, 10, 0x1p-14, 65520.0) * 0x1p-112F;

    return (uint16_t)((bits_of_float(size) >> 13 & 0x7fffU) |
                      (bits_of(v) >> 48 & 0x8000U));
}
