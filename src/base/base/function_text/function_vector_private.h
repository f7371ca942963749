/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of function_text for vectors of C (kernel_vector). */
#undef NAME
#undef FUNCTION
#undef OWN_NOT_INLINE
#undef OWN_TABLE
#undef REAL
#undef WORD
#undef MASK
#undef NUMBER
#undef FMA
#undef SQRT
#undef SELECT
#undef LOOKUP
#undef ANY
#undef TO_BITS
#undef FROM_BITS
#undef SCALAR
#define NAME(word) doubles_##word
#ifdef __OPTIMIZE__
#define FUNCTION static inline __attribute__((always_inline, unused))
#else
#define FUNCTION static inline __attribute__((unused))
#endif
#define OWN_NOT_INLINE static __attribute__((noinline, unused))
#define OWN_TABLE static const
#define REAL doubles
#define WORD words
#define MASK longs
#define NUMBER(x) doubles_of(x)
#define FMA(a, b, c) doubles_fma(a, b, c)
#define SQRT(x) EACH_DOUBLE(__builtin_sqrt((x)[lane]))
#define SELECT(mask, a, b) doubles_where(mask, a, b)
#define LOOKUP(table, j) doubles_lookup(table, j)
#define ANY(mask) longs_any(mask)
#define TO_BITS(x) ((words)(x))
#define FROM_BITS(b) ((doubles)(b))
#define SCALAR 0

VECTOR_OF(unsigned long long, words, near_words, VECTOR);

FUNCTION int longs_any(longs mask)
{
#if defined __AVX512F__ && defined __clang__
    return __builtin_reduce_or(mask) != 0;
#elif defined __AVX512F__
    return __builtin_ia32_ptestmq512(mask, mask, (unsigned char)-1) != 0;
#elif defined __AVX__
    return !__builtin_ia32_ptestz256(mask, mask);
#else
    long long any = 0;
    for (int lane = 0; lane < DOUBLES; lane++)
        any |= mask[lane];
    return any != 0;
#endif
}

/* A permutation of two registers in AVX-512. Elsewhere, loads of each number: gathers
 * of AVX2 may take two times as long, if other stores are under way. */
FUNCTION doubles doubles_lookup(const double *table, words j)
{
#if defined __AVX512F__ && defined __clang__
    return (doubles)__builtin_ia32_vpermi2varpd512(doubles_at(table), (longs)j,
                                                   doubles_at(table + 8));
#elif defined __AVX512F__
    return __builtin_shuffle(doubles_at(table), doubles_at(table + 8), (longs)j);
#else
    return EACH_DOUBLE(table[j[lane] & 15]);
#endif
}

typedef union two_doubles {
    wide_doubles whole;
    doubles half[2];
} two_doubles;

FUNCTION two_doubles floats_widen(floats v)
{
    two_doubles a;

    a.whole = f64_of_floats(v);
    return a;
}

FUNCTION floats floats_narrow(two_doubles a)
{
    return floats_of_f64(a.whole);
}
