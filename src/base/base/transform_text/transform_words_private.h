/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of transform_text for processors: a thread transforms HELD lines at once. */
#undef REAL
#undef NAME
#undef FUNCTION
#define FUNCTION INLINE
#define SYNC (void)0
#define ITEMS(b, count, width) for (int b = 0; b < (count); b++)
#define KNOWN(condition) (void)0
#define IN_PLACE 0
#define ROUNDS(b, slot, count, numbers, width)                                           \
    for (int b = 0, slot = 0; b < (count); b++, (void)slot)
#define KEPT (void)0
#define KEEP(slot, radix) REAL r[8], m[8]
#define LINES(l, width) INDEPENDENT for (int l = 0; l < (width); l++)
#define PLACE(m) (m)
#define HELD 8
#define UNROLLED _Pragma("GCC unroll 8")
