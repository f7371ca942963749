/* SPDX-License-Identifier: BSD-3-Clause */
#define floats_at_bf16(p) floats_of_bf16(AT(halves, p))
#define doubles_at_bf16(p) doubles_of_bf16(AT(few_halves, p))

INLINE floats floats_of_bf16(halves v)
{
    return (floats)(__builtin_convertvector(v, uints) << 16);
}

INLINE halves bf16_of_floats(floats v)
{
    const uints b = (uints)v, even = b + 0x7fffU + (b >> 16 & 1U);
    const uints none = (uints)((ints)(b & 0x7fffffffU) > 0x7f800000);

    return __builtin_convertvector(((even & ~none) | ((b | 0x400000U) & none)) >> 16,
                                   halves);
}

INLINE doubles doubles_of_bf16(few_halves v)
{
    return EACH_DOUBLE((double)f32_of_bf16(v[lane]));
}

INLINE few_halves bf16_of_doubles(doubles v)
{
    return EACH_OF(few_halves, DOUBLES, bf16_of_f64(v[lane]));
}
