/* SPDX-License-Identifier: BSD-3-Clause */
/* Pavior's own elementary functions. They give the same bits on every device.
 *
 * The functions are one text (text/function_text_private.h with polynomials of
 * text/function_series_private.h). It is compiled three times: as scalar C, as C with
 * GNU vectors and as CUDA C++. A short text before it says what its words mean. Texts
 * for printed kernels (their names end in _private), in this order:
 *
 *     scalar C   function_scalar, function_series, function_text
 *     vectors    these three, function_vector (after kernel_vector), function_series,
 *                function_text, function_floats
 *     CUDA C++   function_cuda, function_series, function_text
 *
 * Names of the functions, for the word `sin`:
 *
 *     double f64_sin(double)         float f32_sin(float)         C, CUDA
 *     doubles doubles_sin(doubles)   floats floats_sin(floats)    vectors of C
 *
 * This header gives the scalar functions to the library. They are inlined, and so use
 * the instruction fma in functions compiled for it. Without the instruction they call
 * fma of C's library: the bits are equal, the call is slow. */
#ifndef PAV_FUNCTIONS_H
#define PAV_FUNCTIONS_H
#include <math.h>
#include <stdint.h>

/* X(word). Functions of one number, then of two. */
#define OWN_FUNCTION_LIST(X)                                                             \
    X(sin)                                                                               \
    X(cos)                                                                               \
    X(tan)                                                                               \
    X(asin)                                                                              \
    X(acos)                                                                              \
    X(atan)                                                                              \
    X(sinh)                                                                              \
    X(cosh)                                                                              \
    X(tanh)                                                                              \
    X(exp)                                                                               \
    X(log)                                                                               \
    X(log10)                                                                             \
    X(cbrt)                                                                              \
    X(erf)                                                                               \
    X(sinc)                                                                              \
    X(sign)                                                                              \
    X(round)                                                                             \
    X(ceil)                                                                              \
    X(floor)
#define OWN_FUNCTION_OF_TWO_LIST(X)                                                      \
    X(pow)                                                                               \
    X(atan2)                                                                             \
    X(hypot)                                                                             \
    X(mod)                                                                               \
    X(bitand)                                                                            \
    X(bitor)                                                                             \
    X(bitxor)                                                                            \
    X(shl)                                                                               \
    X(shr)

#include "base/function_text/function_scalar_private.h"
#include "base/function_text/function_series_private.h"
#include "base/function_text/function_text_private.h"
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

/* The texts, for printed code. */
extern const char function_scalar_private[], function_vector_private[],
    function_cuda_private[], function_series_private[], function_text_private[],
    function_floats_private[];
#endif
