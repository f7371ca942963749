/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of this processor's register size: `floats` and `doubles`. Comparisons of them
 * give 0 or -1 in `ints` and `longs`. */
#if defined __ARM_FEATURE_SVE_BITS &&                                                    \
    (__ARM_FEATURE_SVE_BITS == 256 || __ARM_FEATURE_SVE_BITS == 512)
#include <arm_sve.h>
#define SVE_BITS __ARM_FEATURE_SVE_BITS /* known at compile time */
typedef svfloat32_t sve_floats __attribute__((arm_sve_vector_bits(SVE_BITS)));
typedef svfloat64_t sve_doubles __attribute__((arm_sve_vector_bits(SVE_BITS)));
#else
#define SVE_BITS 0
#endif
#if defined __AVX512F__ || SVE_BITS == 512
enum { VECTOR = 64 }; /* bytes */
#define HALF_OF_LANES 0, 1, 2, 3, 4, 5, 6, 7
#define ALL_LANES HALF_OF_LANES, 8, 9, 10, 11, 12, 13, 14, 15
#elif defined __AVX__ || SVE_BITS == 256
enum { VECTOR = 32 };
#define HALF_OF_LANES 0, 1, 2, 3
#define ALL_LANES HALF_OF_LANES, 4, 5, 6, 7
#else
enum { VECTOR = 16 };
#define HALF_OF_LANES 0, 1
#define ALL_LANES HALF_OF_LANES, 2, 3
#endif
enum { FLOATS = VECTOR / 4, DOUBLES = VECTOR / 8 };

#define VECTOR_OF(element, name, near_name, bytes)                                       \
    typedef element name __attribute__((vector_size(bytes), may_alias));                 \
    typedef element near_name                                                            \
        __attribute__((vector_size(bytes), may_alias, aligned(sizeof(element))))
VECTOR_OF(float, floats, near_floats, VECTOR);
VECTOR_OF(double, doubles, near_doubles, VECTOR);
VECTOR_OF(int32_t, ints, near_ints, VECTOR);
VECTOR_OF(long long, longs, near_longs, VECTOR);
VECTOR_OF(uint32_t, uints, near_uints, VECTOR);
/* Vectors with the element count of `floats`, then of `doubles`. */
VECTOR_OF(double, wide_doubles, near_wide_doubles, 2 * VECTOR);
VECTOR_OF(uint16_t, halves, near_halves, VECTOR / 2);
VECTOR_OF(uint8_t, bytes, near_bytes, VECTOR / 4);
VECTOR_OF(float, few_floats, near_few_floats, VECTOR / 2);
VECTOR_OF(int32_t, few_ints, near_few_ints, VECTOR / 2);
VECTOR_OF(uint16_t, few_halves, near_few_halves, VECTOR / 4);
VECTOR_OF(uint8_t, few_bytes, near_few_bytes, VECTOR / 8);

#define AT(type, p) ((type)(*(const near_##type *)(p)))
#define floats_at(p) AT(floats, p)
#define doubles_at(p) AT(doubles, p)
#define floats_at_f64(p) __builtin_convertvector(AT(wide_doubles, p), floats)
#define doubles_at_f64(p) doubles_at(p)
#define doubles_at_f32(p) __builtin_convertvector(AT(few_floats, p), doubles)
#define f64_of_floats(v) __builtin_convertvector(v, wide_doubles)
#define f64_of_doubles(v) (v)
#define f32_of_doubles(v) __builtin_convertvector(v, few_floats)
#define floats_of_f64(v) __builtin_convertvector(v, floats)
#define doubles_of_f32(v) __builtin_convertvector(v, doubles)

/* Computes an expression of `lane` point by point. */
#define EACH_OF(type, count, expression)                                                 \
    __extension__({                                                                      \
        type each_ = {0};                                                                \
        for (int lane = 0; lane < (count); lane++)                                       \
            each_[lane] = (expression);                                                  \
        each_;                                                                           \
    })
#define EACH_FLOAT(expression) EACH_OF(floats, FLOATS, expression)
#define EACH_DOUBLE(expression) EACH_OF(doubles, DOUBLES, expression)

/* A vector with the same number at all points. Subtracting 0 keeps -0. */
INLINE floats floats_of(float v)
{
    return v - (floats){0};
}

INLINE doubles doubles_of(double v)
{
    return v - (doubles){0};
}

/* The indices of the points from i on, and masks of the points lo .. hi - 1. */
INLINE doubles doubles_index(int64_t i)
{
    return (double)i + (doubles){HALF_OF_LANES};
}

INLINE floats floats_index(int64_t i)
{
    return floats_of_f64((double)i + (wide_doubles){ALL_LANES});
}

INLINE ints ints_within(int64_t lo, int64_t hi)
{
    const ints lane = {ALL_LANES};

    return (lane >= (int32_t)(lo > 0 ? lo : 0)) &
           (lane < (int32_t)(hi < FLOATS ? hi : FLOATS));
}

INLINE longs longs_within(int64_t lo, int64_t hi)
{
    const longs lane = {HALF_OF_LANES};

    return (lane >= lo) & (lane < hi);
}

/* Masks of even whole numbers: of `sum` and the numbers behind it; of `sum` alone; of a
 * vector. */
INLINE ints floats_even_from(int64_t sum)
{
    return (((int32_t)sum + (ints){ALL_LANES}) & 1) - 1;
}

INLINE longs doubles_even_from(int64_t sum)
{
    return ((sum + (longs){HALF_OF_LANES}) & 1) - 1;
}

INLINE ints floats_even_all(int64_t sum)
{
    return (ints){0} + (int32_t)((sum & 1) - 1);
}

INLINE longs doubles_even_all(int64_t sum)
{
    return (longs){0} + ((sum & 1) - 1);
}

INLINE ints floats_even(floats v)
{
    return (__builtin_convertvector(v, ints) & 1) - 1;
}

INLINE longs doubles_even(doubles v)
{
    return (__builtin_convertvector(v, longs) & 1) - 1;
}

/* Takes `a` at points with a set mask, else `b`. No carries: of both terms, one is 0.
 * With `+`, gcc finds a blend of AVX-512; with `|` it takes two instructions. */
INLINE floats floats_where(ints mask, floats a, floats b)
{
    return (floats)(((ints)a & mask) + ((ints)b & ~mask));
}

INLINE doubles doubles_where(longs mask, doubles a, doubles b)
{
    return (doubles)(((longs)a & mask) + ((longs)b & ~mask));
}

#define floats_of_mask(m) floats_where(m, floats_of(1), floats_of(0))
#define doubles_of_mask(m) doubles_where(m, doubles_of(1), doubles_of(0))
#define floats_min(a, b) floats_where((a) < (b), a, b)
#define floats_max(a, b) floats_where((a) > (b), a, b)
#define doubles_min(a, b) doubles_where((a) < (b), a, b)
#define doubles_max(a, b) doubles_where((a) > (b), a, b)
#define floats_fabs(v) ((floats)((ints)(v)&INT32_MAX))
#define doubles_fabs(v) ((doubles)((longs)(v)&INT64_MAX))

INLINE floats floats_sqrt(floats v)
{
    return EACH_FLOAT(__builtin_sqrtf(v[lane]));
}

INLINE doubles doubles_sqrt(doubles v)
{
    return EACH_DOUBLE(__builtin_sqrt(v[lane]));
}

/* Every second point from p on; then every point twice. If `second` is set, the first
 * point is taken only once. */
#ifdef __clang__
#define floats_second(p) EACH_FLOAT((p)[2 * lane])
#define doubles_second(p) EACH_DOUBLE((p)[2 * lane])
#define floats_twice(p, second) EACH_FLOAT((p)[(lane + (second)) / 2])
#define doubles_twice(p, second) EACH_DOUBLE((p)[(lane + (second)) / 2])
#else
#define floats_second(p)                                                                 \
    __builtin_shuffle(floats_at(p), floats_at((p) + FLOATS), 2 * (ints){ALL_LANES})
#define doubles_second(p)                                                                \
    __builtin_shuffle(doubles_at(p), doubles_at((p) + DOUBLES),                          \
                      2 * (longs){HALF_OF_LANES})
#define floats_twice(p, second)                                                          \
    __builtin_shuffle(floats_at(p), ((ints){ALL_LANES} + (second)) / 2)
#define doubles_twice(p, second)                                                         \
    __builtin_shuffle(doubles_at(p), ((longs){HALF_OF_LANES} + (second)) / 2)
#endif

/* a*b + c, rounded once. */
INLINE floats floats_fma(floats a, floats b, floats c)
{
#if defined __AVX512F__
    return (floats)__builtin_ia32_vfmaddps512_mask(a, b, c, (unsigned short)-1, 4);
#elif defined __AVX__ && defined __FMA__
    return (floats)__builtin_ia32_vfmaddps256(a, b, c);
#elif SVE_BITS
    const sve_floats sum = svmla_f32_x(svptrue_b32(), (sve_floats)c, (sve_floats)a,
                                       (sve_floats)b);
    return (floats)sum;
#else
    return EACH_FLOAT(__builtin_fmaf(a[lane], b[lane], c[lane]));
#endif
}

INLINE doubles doubles_fma(doubles a, doubles b, doubles c)
{
#if defined __AVX512F__
    return (doubles)__builtin_ia32_vfmaddpd512_mask(a, b, c, (unsigned char)-1, 4);
#elif defined __AVX__ && defined __FMA__
    return (doubles)__builtin_ia32_vfmaddpd256(a, b, c);
#elif SVE_BITS
    const sve_doubles sum = svmla_f64_x(svptrue_b64(), (sve_doubles)c, (sve_doubles)a,
                                        (sve_doubles)b);
    return (doubles)sum;
#else
    return EACH_DOUBLE(__builtin_fma(a[lane], b[lane], c[lane]));
#endif
}
