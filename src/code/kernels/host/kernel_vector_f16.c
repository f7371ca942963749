/* SPDX-License-Identifier: BSD-3-Clause */
#define floats_at_f16(p) floats_of_f16(AT(halves, p))
#define doubles_at_f16(p) doubles_of_f16(AT(few_halves, p))

/* Conversions by the processor's own instructions, with the same bits as f32_of_f16 and
 * f16_of_f32. */
INLINE floats floats_of_f16(halves v)
{
#if defined __AVX512F__
    typedef short shorts __attribute__((vector_size(32)));
    return (floats)__builtin_ia32_vcvtph2ps512_mask((shorts)v, (floats){0},
                                                    (unsigned short)-1, 4);
#elif defined __AVX__ && defined __F16C__
    typedef short shorts __attribute__((vector_size(16)));
    return (floats)__builtin_ia32_vcvtph2ps256((shorts)v);
#else
    return EACH_FLOAT(f32_of_f16(v[lane]));
#endif
}

INLINE halves f16_of_floats(floats v)
{
#if defined __AVX512F__
    typedef short shorts __attribute__((vector_size(32)));
    return (halves)__builtin_ia32_vcvtps2ph512_mask(v, 0, (shorts){0},
                                                    (unsigned short)-1);
#elif defined __AVX__ && defined __F16C__
    return (halves)__builtin_ia32_vcvtps2ph256(v, 0);
#else
    return EACH_OF(halves, FLOATS, f16_of_f32(v[lane]));
#endif
}

INLINE doubles doubles_of_f16(few_halves v)
{
    return EACH_DOUBLE((double)f32_of_f16(v[lane]));
}

INLINE few_halves f16_of_doubles(doubles v)
{
    return EACH_OF(few_halves, DOUBLES, f16_of_f64(v[lane]));
}
