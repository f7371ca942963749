/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of io share among themselves. */
#ifndef IO_IO_PRIVATE_H
#define IO_IO_PRIVATE_H

#include <stdio.h>

#include "io/io.h"

/* ---- files being written (out_file.c) ----------------------------------------------------- */

typedef struct out_file {
    const char *shown; /* the path as the caller wrote it, for messages */
    char *path, *temporary;
    FILE *file;
    int64_t written; /* bytes */
} out_file;
pav_status out_open(out_file *o, const char *path);
pav_status out_write(out_file *o, const void *bytes, int64_t length);
/* Renames the file to its real name when `status`, that of writing it, is PAV_OK, and removes it
 * otherwise. Gives back the status of it all: return out_close(&o, write_all(&o)). */
pav_status out_close(out_file *o, pav_status status);
/* Files that grow have their name from the beginning: after out_publish, out_append writes a piece
 * whole or not at all, out_rewrite puts other bytes in the place of the first. */
pav_status out_publish(out_file *o);
pav_status out_append(out_file *o, const void *bytes, int64_t length);
pav_status out_rewrite(out_file *o, const void *bytes, int64_t length);

/* ---- npy (npy_header.c) ------------------------------------------------------------------- */

/* From the first NPY_PREFIX bytes: where the dictionary begins and where the data does. */
enum { NPY_PREFIX = 12 };
pav_status npy_prefix(const char *bytes, int64_t length, int64_t *dictionary,
                      int64_t *data);
/* The first bytes of a file of (rows, columns) doubles: as many, however large the numbers. */
void npy_add_table_header(text *t, int64_t rows, int64_t columns);

/* ---- csv (csv.c) -------------------------------------------------------------------------- */

void csv_add_heads(text *t, const char *const *heads, int64_t columns);
void csv_add_row(text *t, const double *values, int64_t columns);

/* ---- pictures ----------------------------------------------------------------------------- */

typedef struct rgb {
    uint8_t r, g, b;
} rgb;

/* A colour map, by name; NULL when there is none. */
typedef struct colour_map colour_map;
const colour_map *colours_find(const char *name);
/* Colour of `value` in from..to, from < to. */
rgb colours_at(const colour_map *map, double value, double from, double to);
rgb colours_not_finite(const colour_map *map);

/* Pixels; row 0 is at the top. Whatever lies outside is not drawn. */
typedef struct canvas {
    int width, height;
    uint8_t *pixel; /* r, g, b */
} canvas;
bool canvas_new(canvas *c, int width, int height); /* white */
void canvas_free(canvas *c);
void canvas_set(const canvas *c, int x, int y, rgb colour);
/* Mixes the colour into what is there; share is 0 to 1. */
void canvas_mix(const canvas *c, int x, int y, rgb colour, double share);
void canvas_fill(const canvas *c, int x, int y, int width, int height, rgb colour);
void canvas_frame(const canvas *c, int x, int y, int width, int height, rgb colour);
/* A straight line with round ends, `thickness` pixels wide. */
void canvas_line(const canvas *c, const double from[2], const double to[2],
                 double thickness, rgb colour);

/* Text. (x, y) is the upper left corner; upwards: the lower left one, and the text is read with
 * the head tilted left. Only ASCII is drawn; other characters become a box. */
enum {
    FONT_SCALE = 2,
    FONT_ADVANCE = 6 * FONT_SCALE, /* pixels from one character to the next */
    FONT_HEIGHT = 7 * FONT_SCALE,  /* of capitals and digits */
    FONT_DEPTH = 9 * FONT_SCALE,   /* with what hangs below the line */
};
void canvas_text(const canvas *c, int x, int y, const char *words, rgb colour);
void canvas_text_upwards(const canvas *c, int x, int y, const char *words, rgb colour);
int canvas_text_width(const char *words);
/* Letters of half the size where the text would be wider than `room`; y is its middle. */
void canvas_label(const canvas *c, int x, int y, const char *words, int room, rgb colour);
int canvas_label_width(const char *words, int room);
/* Rows of a character from the top, nine of five bits each, leftmost highest. */
enum { GLYPH_ROWS = 9, GLYPH_COLUMNS = 5 };
const uint8_t *font_glyph(unsigned character); /* ASCII, or the box */

/* Round numbers in from..to, steps of 1, 2 or 5 times a power of ten. */
enum { MAX_TICKS = 32, TICK_TEXT = 48 };
typedef struct ticks {
    int count;
    double value[MAX_TICKS];
    char text[MAX_TICKS][TICK_TEXT];
} ticks;
void ticks_choose(double from, double to, int most, ticks *t);

/* A picture being laid out: the plot is what lies within the axes. */
typedef struct plot {
    const picture *picture;
    const colour_map *map;
    double from, to;              /* of the colours, or of a curve's values; from < to */
    int left, top, width, height; /* of the plot, in pixels */
    int64_t block[2];             /* points that share a pixel, along each axis */
    int zoom[2];                  /* pixels of such a block */
    ticks ticks[2], bar;
    bool curve;
    bool not_finite; /* some value is not: the legend says so */
    canvas canvas;
} plot;
/* The range, colours and pixels of a plot whose picture is set (scales.c). */
pav_status plot_scale(plot *p);
/* Draws the picture; the canvas is freed by the caller (picture.c). */
pav_status picture_draw(const picture *what, canvas *result);
/* What lies within the axes (cells.c, curve.c). */
void cells_draw(const plot *p);
void curve_draw(const plot *p);
/* The mean of a block of points, NaN when one is not finite; column and row count blocks. */
double block_mean(const plot *p, int64_t column, int64_t row);
/* Pixels from the lower left corner of the plot to a coordinate along an axis. */
double plot_position(const plot *p, int axis, double coordinate);

/* A zlib stream of a picture's bytes, `row` of them a row; to be freed with mem_free, NULL when memory
 * runs out (deflate.c). */
uint8_t *deflate_rows(const uint8_t *bytes, int64_t length, int64_t row, int64_t *size);

/* ---- the formats -------------------------------------------------------------------------- */

extern const io_format npy_format, png_format, csv_format;

#endif
