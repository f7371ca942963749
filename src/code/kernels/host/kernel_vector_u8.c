/* SPDX-License-Identifier: BSD-3-Clause */
#define floats_at_u8(p) floats_of_u8(AT(bytes, p))
#define doubles_at_u8(p) doubles_of_u8(AT(few_bytes, p))

INLINE floats floats_of_u8(bytes v)
{
    return __builtin_convertvector(__builtin_convertvector(v, ints), floats);
}

INLINE bytes u8_of_floats(floats v)
{
    const floats most = floats_where(v < 255.0f, v, floats_of(255));
    const floats within = floats_where(v > 0.0f, most, floats_of(0));

    return __builtin_convertvector(
        __builtin_convertvector((within + 0x1p23f) - 0x1p23f, ints), bytes);
}

INLINE doubles doubles_of_u8(few_bytes v)
{
    return __builtin_convertvector(__builtin_convertvector(v, few_ints), doubles);
}

INLINE few_bytes u8_of_doubles(doubles v)
{
    return EACH_OF(few_bytes, DOUBLES, u8_of_f64(v[lane]));
}
