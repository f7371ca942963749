/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of transform_text for processors: vectors of LEVEL_BYTES bytes have the
 * numbers of lines abreast. */
#undef REAL
#undef NAME
#undef FUNCTION
#ifndef LEVEL_BYTES /* of programs */
#if defined __AVX512F__
#define LEVEL_BYTES 64
#elif defined __AVX__
#define LEVEL_BYTES 32
#else
#define LEVEL_BYTES 16
#endif
#define LEVEL_TARGET
#endif
#undef CALLED
#define FUNCTION INLINE LEVEL_TARGET
#define CALLED static __attribute__((noinline, unused)) LEVEL_TARGET
#define ABREAST                                                                          \
    __attribute__((vector_size(LEVEL_BYTES), aligned(sizeof(REAL)), may_alias))
#define FIRST(value) ((value)[0])
#define SIZE_double 8
#define SIZE_float 4
#define SIZE_OF(real) SIZE_##real
#define LANES_OF(real) (LEVEL_BYTES / SIZE_OF(real))
#undef HAS_MERGED
#undef MERGED
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define HAS_MERGED 1
#define MERGED(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef MERGED /* gcc 11 and older */
#define HAS_MERGED 0
#define MERGED(a, b, ...) (a)
#endif
#define SYNC (void)0
#define ITEMS(b, count, width) for (int b = 0; b < (count); b++)
#define KNOWN(condition) (void)0
#define IN_PLACE 0
#define ROUNDS(b, slot, count, numbers, width)                                           \
    for (int b = 0, slot = 0; b < (count); b++, (void)slot)
#define KEPT (void)0
#define KEEP(slot, radix) VALUE r[8], m[8]
#define LINES(l, width) for (int l = 0; l < (width); l++)
#define PLACE(m) (m)
#define UNROLLED _Pragma("GCC unroll 16")
