/* SPDX-License-Identifier: BSD-3-Clause */
INLINE uint8_t u8_of_f64(double v)
{
    const double most = v < 255 ? v : 255, within = v > 0 ? most : 0;

    return (uint8_t)(int32_t)((within + 0x1p52) - 0x1p52);
}
