/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of function_text for CUDA C++ (kernel_gpu). */
#undef NAME
#undef FUNCTION
#undef REAL
#undef INTEGER
#undef MASK
#undef NUMBER
#undef FMA
#undef SQRT
#undef SELECT
#undef ANY
#undef TO_BITS
#undef FROM_BITS
#undef SCALAR
#define FUNCTION INLINE
#define REAL double
#define INTEGER int64_t
#define MASK bool
#define NAME(word) f64_##word
#define NUMBER(x) (x)
#define FMA(a, b, c) fma(a, b, c)
#define SQRT(x) sqrt(x)
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define ANY(mask) (mask)
#define TO_BITS(x) __double_as_longlong(x)
#define FROM_BITS(b) __longlong_as_double(b)
#define SCALAR 1
