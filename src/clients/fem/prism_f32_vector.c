/* SPDX-License-Identifier: BSD-3-Clause */
/* Prisms of 8 layers at a time in f32, by AVX2; without AVX2, prism_f32_plain.c is
 * used. */
#include "fem/fem_private.h"

#ifdef __x86_64__
#include <immintrin.h>

typedef float scalar;
typedef __m256 real;
#define LANES 8
#define FUNCTION static inline __attribute__((target("avx2,fma")))
#define SPLAT(x) _mm256_set1_ps((float)(x))
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define FNMA(a, b, c) _mm256_fnmadd_ps(a, b, c)

#include "fem/kernels/prism_columns_private.h"

const prism_kernels prism_f32_vector = {column_action, column_mass, column_matrix, LANES};
#else
const prism_kernels prism_f32_vector = {0};
#endif
