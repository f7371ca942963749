/* SPDX-License-Identifier: BSD-3-Clause */
/* io: files. Each format is one file here and one line in the table of io.c. Everything is written to
 * a temporary name beside the target and renamed, so that no reader ever sees half a file. */
#ifndef IO_IO_H
#define IO_IO_H

#include "base/base.h"
#include "device/device.h"
#include "grid/grid.h"

/* What stands at the beginning of an npy file (versions 1 to 3): a dense array of f2 f4 f8, i1 to i8,
 * u1 to u8 or b1 in either byte order, in C or Fortran order. Everything else is refused. */
typedef struct npy_header {
    char kind;     /* 'f', 'i', 'u', 'b' */
    int item_size; /* bytes */
    bool swapped;  /* not in this machine's byte order */
    bool fortran;
    int dimensions;
    int64_t extent[8]; /* as in the file: slowest first in C order */
    int64_t data_offset, count;
} npy_header;
/* Checks the size of the file too, where it has one: a file cut short or too long is refused. */
pav_status npy_read_header(const char *path, npy_header *header);
/* Reads into a view, whose extents must be the file's; indices are (z, y, x), whichever of them the file
 * keeps contiguous. A piece at a time: nothing of the file's size is allocated. A mask
 * (u8) takes any dtype, non-zero being 1. */
pav_status npy_read_view(const char *path, int dimensions, const view *v, asker *a);
/* Reads a (rows, columns) array of doubles in either order, e.g. positions; one column may be (rows).
 * *values, row by row, is freed with mem_free. */
pav_status npy_read_table(const char *path, int columns, int64_t row_limit,
                          double **values, int64_t *rows);
/* The header at the beginning of `length` bytes. Safe on any bytes. */
pav_status npy_parse_header(const char *bytes, int64_t length, npy_header *header);

/* C order; bf16 becomes f4, u8 becomes u1. */
pav_status npy_write_view(const char *path, int dimensions, const view *v);
/* (rows, columns) of doubles. */
pav_status npy_write_table(const char *path, const double *values, int64_t rows,
                           int64_t columns);

/* A slice as a picture: colour map, colour bar with its range, axes with ticks and labels. One row of
 * values is drawn as a curve. Values beyond the range have the colours of its ends, those that are
 * not finite a colour of their own. Colour maps with a neutral middle have it at 0. */
enum {
    PICTURE_TITLE = 80 /* characters of a title; longer ones are cut */
};
typedef struct picture {
    const char *title; /* "u, step 1000" */
    int title_room; /* characters of the longest of a series, whose pictures have one size */
    const char *axis_name[2];        /* horizontal, vertical */
    double axis_from[2], axis_to[2]; /* coordinates of the first and last point */
    int64_t width, height;           /* points */
    const double *value;             /* row by row, vertical axis upwards from row 0 */
    double from, to;                 /* range of the colours */
    const char *colours; /* NULL: "viridis", or "seismic" where both signs count */
} picture;
pav_status png_write(const char *path, const picture *p);
bool colours_known(const char *name);
const char *colours_list(void); /* "viridis, seismic, grey, ..." */

/* What can be written where, by ending; NULL and a message that lists the known ones otherwise. */
typedef struct io_format {
    const char *ending; /* ".npy" */
    const char *about;
    bool field;   /* takes whole fields of any dimension */
    bool picture; /* takes a slice */
    bool table;   /* takes rows and columns: samples and measures */
} io_format;
extern const io_format *const io_table[]; /* NULL-terminated */
const io_format *io_find(const char *path);
/* Commas between, text in quotes where it needs them, numbers so that they read back the same. */
pav_status csv_write(const char *path, const char *const *heads, const double *values,
                     int64_t rows, int64_t columns);

/* Tables, .csv or .npy (which has no heads), that grow row by row (table_file.c): rows are in the file
 * after a second or 64 KiB of them, when somebody asks, so call table_flush now and then; all are after
 * table_flush of `now`. table_close writes what waits, without telling of failures. */
typedef struct table_file table_file;
pav_status table_open(const char *path, const char *const *heads, int64_t columns,
                      table_file **result);
pav_status table_add(table_file *f, const double *row);
pav_status table_flush(table_file *f, bool now);
const char *table_path(const table_file *f);
void table_close(table_file *f);

#endif
