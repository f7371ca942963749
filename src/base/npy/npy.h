/* SPDX-License-Identifier: BSD-3-Clause */
/* The npy format, on bytes in memory. src/runs/io reads and writes the files. */
#ifndef NPY_NPY_H
#define NPY_NPY_H

#include "base/base.h"

/* The header of an npy file (versions 1 to 3): a dense array of f2 f4 f8, i1 to i8, u1 to
 * u8 or b1 in either byte order, in C or Fortran order. Everything else is rejected. */
typedef struct npy_header {
    char kind;     /* 'f', 'i', 'u', 'b' */
    int item_size; /* bytes */
    bool swapped;  /* true if the byte order is not this machine's */
    bool fortran;
    int dimensions;
    int64_t extent[8]; /* in the file's order: slowest first in C order */
    int64_t data_offset, count;
} npy_header;
/* Parses the header at the beginning of `length` bytes. Any bytes are safe. */
pav_status npy_parse_header(const char *bytes, int64_t length, npy_header *header);

/* Finds the offsets of the dictionary and of the data in the first NPY_PREFIX bytes. */
enum { NPY_PREFIX = 12 };
pav_status npy_prefix(const char *bytes, int64_t length, int64_t *dictionary,
                      int64_t *data);
/* one value, rounded at most once */
double npy_value(const npy_header *h, const char *at);
/* Reads all values of a one-dimensional file in memory. Free *values with mem_free. */
pav_status npy_column(const char *bytes, int64_t length, double **values, int64_t *count);

#endif
