/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA definitions of the macros required by prism_cell_private.h; `real` is double or
 * float. */
#define SPLAT(x) ((real)(x))
#define FNMA(a, b, c) FMA(-(a), b, c)
#define CELL __device__ __forceinline__
#define UNROLL _Pragma("unroll")
