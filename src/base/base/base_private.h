/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files of src/base/base and their tests. */
#ifndef BASE_BASE_PRIVATE_H
#define BASE_BASE_PRIVATE_H

#include "base/base.h"

/* mem_available with the system's files below `root` ("" for the real ones). */
int64_t mem_available_under(const char *root);

/* Small files of the system (limits.c). Missing numbers are -1; texts are cut to
 * SYSTEM_SIZE. */
enum { SYSTEM_SIZE = 4096 };
int64_t system_to_number(const char *digits);
/* Joins a, b and c and cuts the result to fit; no file of the system has a longer
 * name. */
const char *system_path(char path[SYSTEM_SIZE], const char *a, const char *b,
                        const char *c);
int64_t system_entry(const char *path, const char *key); /* finds a line "key number" */

/* Formats sizes for messages about memory running out, without allocating memory. */
enum { SIZE_TEXT = 32 };
const char *size_text(int64_t bytes, char out[SIZE_TEXT]);

/* Appends digits * 10^exponent (decimal_text.c). */
void text_add_decimal(text *t, bool negative, const char *digits, int64_t exponent);

/* For |p|, |q| of a num: the absolute value; the product, false if it is not below
 * 2^127. */
u128 magnitude(i128 value);
bool mul_u127(u128 a, u128 b, u128 *product);

/* Converters of rows between different types, one of them f32 or f64, vectorised for the
 * processor. All give the same bits. */
typedef void type_converter(pav_type to, void *out, pav_type from, const void *in,
                            int64_t count);
type_converter *type_converter_find(bool avx2);

#endif
