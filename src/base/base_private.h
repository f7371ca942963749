/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of base share among themselves (and show to their tests). */
#ifndef BASE_BASE_PRIVATE_H
#define BASE_BASE_PRIVATE_H

#include "base/base.h"

/* mem_available, with the files of the system looked for under `root` ("" for the real
 * ones). */
int64_t mem_available_under(const char *root);

/* Small files of the system (system_file.c): numbers are -1 where there is none, texts
 * are cut to SYSTEM_SIZE. */
enum { SYSTEM_SIZE = 4096 };
int64_t system_to_number(const char *digits);
/* a, b and c one behind the other; what does not fit is cut: no file of the system has
 * such a name. */
const char *system_path(char path[SYSTEM_SIZE], const char *a, const char *b,
                        const char *c);
bool system_line(const char *path, char line[SYSTEM_SIZE]); /* the first */
int64_t system_number(const char *folder, const char *name);
int64_t system_entry(const char *path, const char *key); /* of lines "key number" */

/* The path, or what is nearest above it and there; missing: the next below that, or "".
 * False: there is none, or the path is too long. (directory.c) */
enum { PATH_SIZE = 4096 };
bool path_nearest(const char *path, char there[PATH_SIZE], char missing[PATH_SIZE]);

/* What a version of control groups allows (groups.c): where groups are mounted, which
 * lines of /proc/self/cgroup are of it, and what one group says; -1: nothing. */
enum { GROUP_VERSIONS = 2 };
typedef struct group_version {
    const char *mount, *controller;
    int64_t (*allows)(const char *folder);
} group_version;
int64_t groups_least(const group_version version[GROUP_VERSIONS], const char *root);
int64_t system_least(int64_t a, int64_t b); /* of two numbers, or the one that there is */

/* processors_allowed, with the files of the system looked for under `root`. */
int processors_allowed_under(const char *root);

/* Sizes for sentences about memory that has run out, which must not ask for more of
 * it. */
enum { SIZE_TEXT = 32 };
const char *size_text(int64_t bytes, char out[SIZE_TEXT]);

/* Appends digits * 10^exponent; the digits are without leading zeros ("0" for zero). */
void text_add_decimal(text *t, bool negative, const char *digits, int64_t exponent);

/* p/q to nearest even, rounded once; q > 0, both at most 2^127. */
double ratio_f64(u128 p, u128 q);
float ratio_f32(u128 p, u128 q);

/* For |p|, |q| of a num: its size, and whether a product stays below 2^127. */
u128 magnitude(i128 value);
bool mul_u127(u128 a, u128 b, u128 *product);

/* Rows of different types, of which one is f32 or f64, by vectors of that kind. All give
 * the same bits. */
typedef void type_converter(pav_type to, void *out, pav_type from, const void *in,
                            int64_t count);
type_converter *type_converter_find(bool avx2);

#endif
