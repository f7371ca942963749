/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of function_text for CUDA C++ (kernel_gpu). */
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
#define FUNCTION static INLINE __attribute__((unused))
#define OWN_NOT_INLINE static __device__ __noinline__
#define OWN_TABLE static __device__ const
#define REAL double
#define WORD uint64_t
#define MASK bool
#define NUMBER(x) (x)
#define FMA(a, b, c) fma(a, b, c)
#define SQRT(x) sqrt(x)
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define LOOKUP(table, j) ((table)[(j)&15])
#define ANY(mask) (mask)
#define TO_BITS(x) ((uint64_t)__double_as_longlong(x))
#define FROM_BITS(b) __longlong_as_double((int64_t)(b))
#define SCALAR 1
