/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of transform_text for CUDA C++: the threads of a block share the loops. Lines
 * along x are loaded line by line, others abreast. */
#undef REAL
#undef NAME
#undef FUNCTION
#define FUNCTION static INLINE __attribute__((unused))
#define SYNC __syncthreads()
#define EACH_ITEM(b, l, count, width, first, last)                                       \
    for (int item = threadIdx.x; item < (count) * (width); item += blockDim.x)           \
        for (int b = first, l = last, once = 1; once; once = 0)
#define EACH(b, l, count, width)                                                         \
    EACH_ITEM(b, l, count, width, item / (width), item % (width))
#define EACH_LOADED(b, l, count, width)                                                  \
    EACH_ITEM(b, l, count, width, x->along == 1 ? item % (count) : item / (width),       \
              x->along == 1 ? item / (count) : item % (width))
