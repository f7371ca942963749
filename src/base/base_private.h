/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files of src/base and their tests. */
#ifndef BASE_BASE_PRIVATE_H
#define BASE_BASE_PRIVATE_H

#include "base/base.h"

/* mem_available with the system's files below `root` ("" for the real ones). */
int64_t mem_available_under(const char *root);

/* Small files of the system (system_file.c). Missing numbers are -1; texts are cut to
 * SYSTEM_SIZE. */
enum { SYSTEM_SIZE = 4096 };
int64_t system_to_number(const char *digits);
/* Joins a, b and c and cuts the result to fit; no file of the system has a longer
 * name. */
const char *system_path(char path[SYSTEM_SIZE], const char *a, const char *b,
                        const char *c);
bool system_line(const char *path, char line[SYSTEM_SIZE]); /* reads the first line */
int64_t system_number(const char *folder, const char *name);
int64_t system_entry(const char *path, const char *key); /* finds a line "key number" */

/* Finds the path or the nearest existing directory above it. missing: the first missing
 * path below it, or "". False if nothing exists or the path is too long. (directory.c) */
enum { PATH_SIZE = 4096 };
bool path_nearest(const char *path, char there[PATH_SIZE], char missing[PATH_SIZE]);

/* A version of control groups (groups.c): its mount point, the name of its controller in
 * /proc/self/cgroup, and a function for the limit of one group; -1: no limit. */
enum { GROUP_VERSIONS = 2 };
typedef struct group_version {
    const char *mount, *controller;
    int64_t (*allows)(const char *folder);
} group_version;
int64_t groups_least(const group_version version[GROUP_VERSIONS], const char *root);
int64_t system_least(int64_t a, int64_t b); /* the smaller number; -1 counts as missing */

/* processors_allowed with the system's files below `root`. */
int processors_allowed_under(const char *root);

/* Formats sizes for messages about memory running out, without allocating memory. */
enum { SIZE_TEXT = 32 };
const char *size_text(int64_t bytes, char out[SIZE_TEXT]);

/* Appends digits * 10^exponent; the digits have no leading zeros ("0" for zero). */
void text_add_decimal(text *t, bool negative, const char *digits, int64_t exponent);

/* p/q to nearest even, rounded once; q > 0, both at most 2^127. */
double ratio_f64(u128 p, u128 q);
float ratio_f32(u128 p, u128 q);

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
