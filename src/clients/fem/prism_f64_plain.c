/* SPDX-License-Identifier: BSD-3-Clause */
/* Prisms one after another in f64, on any processor. */
#include <math.h>
#include <string.h>

#include "fem/fem_private.h"

typedef double scalar;
typedef double real;
#define LANES 1
#define FUNCTION static inline
#define SPLAT(x) ((double)(x))
#define FMA(a, b, c) fma(a, b, c)
#define FNMA(a, b, c) fma(-(a), b, c)

#include "fem/kernels/prism_columns_private.h"

const prism_kernels prism_f64_plain = {column_action, column_mass, column_matrix, LANES};
