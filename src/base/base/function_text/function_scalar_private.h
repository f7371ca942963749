/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of function_text for scalar C. The text before it includes <stdint.h>. */
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
#define NAME(word) f64_##word
#ifdef __OPTIMIZE__
#define FUNCTION static inline __attribute__((always_inline, unused))
#else
#define FUNCTION static inline __attribute__((unused))
#endif
#define OWN_NOT_INLINE static __attribute__((noinline, unused))
#define OWN_TABLE static const
#define REAL double
#define WORD uint64_t
#define MASK int
#define NUMBER(x) (x)
#define FMA(a, b, c) __builtin_fma(a, b, c)
#define SQRT(x) __builtin_sqrt(x)
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define LOOKUP(table, j) ((table)[(j)&15])
#define ANY(mask) (mask)
#define TO_BITS(x) f64_to_bits(x)
#define FROM_BITS(b) f64_from_bits(b)
#define SCALAR 1

FUNCTION uint64_t f64_to_bits(double x)
{
    uint64_t bits;

    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

FUNCTION double f64_from_bits(uint64_t bits)
{
    double x;

    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
