/* SPDX-License-Identifier: BSD-3-Clause */
/* npy: what stands in npy files, as bytes in memory. Files are read and written by io. */
#ifndef NPY_NPY_H
#define NPY_NPY_H

#include "base/base.h"

/* What stands at the beginning of an npy file (versions 1 to 3): a dense array of f2 f4
 * f8, i1 to i8, u1 to u8 or b1 in either byte order, in C or Fortran order. Everything
 * else is refused. */
typedef struct npy_header {
    char kind;     /* 'f', 'i', 'u', 'b' */
    int item_size; /* bytes */
    bool swapped;  /* not in this machine's byte order */
    bool fortran;
    int dimensions;
    int64_t extent[8]; /* as in the file: slowest first in C order */
    int64_t data_offset, count;
} npy_header;
/* The header at the beginning of `length` bytes. Safe on any bytes. */
pav_status npy_parse_header(const char *bytes, int64_t length, npy_header *header);

/* From the first NPY_PREFIX bytes: where the dictionary begins and where the data
 * does. */
enum { NPY_PREFIX = 12 };
pav_status npy_prefix(const char *bytes, int64_t length, int64_t *dictionary,
                      int64_t *data);
double npy_value(const npy_header *h, const char *at); /* rounded once, if at all */
/* All values of a file of one dimension that lies in memory; *values is freed with
 * mem_free. */
pav_status npy_column(const char *bytes, int64_t length, double **values, int64_t *count);

#endif
