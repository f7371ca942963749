/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of transform_text for CUDA C++: the threads of a block share the loops. Lines
 * of a buffer lie abreast. Passes store every eighth number and read every eighth angle.
 * The places of these differ in the lowest bits, so they lie in different banks. */
#undef REAL
#undef NAME
#undef FUNCTION
#define FUNCTION static INLINE __attribute__((unused))
enum { TRANSFORM_THREADS = 256 }; /* of a block */
#define SYNC __syncthreads()
#define PLACE(m) ((m) ^ ((m) >> 3 & 3))
#define TURN(n) ((n) ^ ((n) >> 4 & 15))
#define HELD 1
#define UNROLLED _Pragma("unroll")
#define ITEMS(b, count, width)                                                           \
    for (int item = threadIdx.x; item < (count) * (width); item += TRANSFORM_THREADS)    \
        for (int b = item / (width), once = 1; once; once = 0)
#define LINES(l, width) for (int l = item % (width), one = 1; one; one = 0)
