/* SPDX-License-Identifier: BSD-3-Clause */
/* Polynomials of function_text. Made by tools/functions. */
