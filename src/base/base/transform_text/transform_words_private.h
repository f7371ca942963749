/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of transform_text for processors: a thread transforms HELD lines at once. */
#undef REAL
#undef NAME
#undef FUNCTION
#define FUNCTION INLINE
#define SYNC (void)0
#define ITEMS(b, count, width) for (int b = 0; b < (count); b++)
#define LINES(l, width) INDEPENDENT for (int l = 0; l < (width); l++)
#define PLACE(m) (m)
#define TURN(n) (n)
#define HELD 8
#define UNROLLED _Pragma("GCC unroll 8")
