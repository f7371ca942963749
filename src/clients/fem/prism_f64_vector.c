/* SPDX-License-Identifier: BSD-3-Clause */
/* Prisms of 4 layers at a time in f64, by AVX2; without AVX2, prism_f64_plain.c is
 * used. */
#include "fem/fem_private.h"

#ifdef __x86_64__
#include <immintrin.h>

typedef double scalar;
typedef __m256d real;
#define LANES 4
#define FUNCTION static inline __attribute__((target("avx2,fma")))
#define SPLAT(x) _mm256_set1_pd((double)(x))
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define FNMA(a, b, c) _mm256_fnmadd_pd(a, b, c)

#include "fem/kernels/prism_columns_private.h"

const prism_kernels prism_f64_vector = {column_action, column_mass, column_matrix, LANES};
#else
const prism_kernels prism_f64_vector = {0};
#endif
