/* SPDX-License-Identifier: BSD-3-Clause */
/* As many points as a register of this processor holds, evaluated at once. */
#if defined __AVX512F__
enum { VECTOR = 64 }; /* bytes */
#elif defined __AVX__
enum { VECTOR = 32 };
#else
enum { VECTOR = 16 };
#endif
typedef float floats __attribute__((vector_size(VECTOR), may_alias));
typedef double doubles __attribute__((vector_size(VECTOR), may_alias));
typedef float near_floats __attribute__((vector_size(VECTOR), may_alias, aligned(4)));
typedef double near_doubles __attribute__((vector_size(VECTOR), may_alias, aligned(8)));

#define floats_at(p) ((floats)(*(const near_floats *)(p)))
#define doubles_at(p) ((doubles)(*(const near_doubles *)(p)))
typedef double wide_doubles
    __attribute__((vector_size(2 * VECTOR), may_alias, aligned(8)));
#define floats_in(p)                                                                     \
    __builtin_convertvector(*(const wide_doubles *)(p), floats) /* of a table */
#define doubles_in(p) doubles_at(p)
#define put_floats(p, v) ((void)(*(floats *)(p) = (v)))
#define put_doubles(p, v) ((void)(*(doubles *)(p) = (v)))

/* The same number at all points; what is subtracted leaves -0 what it is. */
INLINE floats floats_of(float v)
{
    return v - (floats){0};
}

INLINE doubles doubles_of(double v)
{
    return v - (doubles){0};
}

/* Points some places on. A load across two lines is two loads, so they are taken out of the two, which neighbours
 * need too; by an instruction of its own, because gcc moves what becomes ints and floats again through memory. */
#ifdef __AVX512F__
#define FROM_LINES(size, type, low, high, n)                                             \
    __extension__({                                                                      \
        type from_;                                                                      \
        __asm__("valign" #size " %3, %2, %1, %0"                                         \
                : "=v"(from_)                                                            \
                : "v"(high), "vm"(low), "i"(n));                                         \
        from_;                                                                           \
    })
#define floats_beside(p, n)                                                              \
    FROM_LINES(d, floats, floats_at((p) + ((n) & -16)),                                  \
               floats_at((p) + ((n) & -16) + 16), (n)&15)
#define doubles_beside(p, n)                                                             \
    FROM_LINES(q, doubles, doubles_at((p) + ((n) & -8)),                                 \
               doubles_at((p) + ((n) & -8) + 8), (n)&7)
#else
#define floats_beside(p, n) floats_at((p) + (n))
#define doubles_beside(p, n) doubles_at((p) + (n))
#endif

/* a*b + c, rounded once. */
INLINE floats floats_fma(floats a, floats b, floats c)
{
#if defined __AVX512F__
    return (floats)__builtin_ia32_vfmaddps512_mask(a, b, c, (unsigned short)-1, 4);
#elif defined __AVX__ && defined __FMA__
    return (floats)__builtin_ia32_vfmaddps256(a, b, c);
#else
    floats r;
    for (unsigned n = 0; n < VECTOR / sizeof(float); n++)
        r[n] = __builtin_fmaf(a[n], b[n], c[n]);
    return r;
#endif
}

INLINE doubles doubles_fma(doubles a, doubles b, doubles c)
{
#if defined __AVX512F__
    return (doubles)__builtin_ia32_vfmaddpd512_mask(a, b, c, (unsigned char)-1, 4);
#elif defined __AVX__ && defined __FMA__
    return (doubles)__builtin_ia32_vfmaddpd256(a, b, c);
#else
    doubles r;
    for (unsigned n = 0; n < VECTOR / sizeof(double); n++)
        r[n] = __builtin_fma(a[n], b[n], c[n]);
    return r;
#endif
}
