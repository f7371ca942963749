/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of function_text for vectors of C (kernel_vector). */
#undef SCALAR
#define SCALAR 0
