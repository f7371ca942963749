/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader of pictures. It finds the plot, the colour bar and the numbers at the ticks in
 * the pixels, and reads values by them. */
#ifndef SEEN_H
#define SEEN_H

#include "io/io_private.h"

typedef struct seen_box {
    int left, top, width, height; /* inside the frame */
} seen_box;
typedef struct seen_tick {
    int at; /* pixels from the left or from the top */
    double value;
} seen_tick;
typedef struct seen_axis {
    int count;
    seen_tick tick[MAX_TICKS];
} seen_axis;
typedef struct seen {
    const canvas *canvas;
    seen_box plot, bar; /* a curve has no bar */
    seen_axis across, upwards, legend;
} seen;

/* Finds all parts of a picture. The test ends if the plot or the number of a tick is
 * missing. */
seen seen_look(const canvas *c);
rgb seen_pixel(const canvas *c, int x, int y);
bool colours_are_equal(rgb a, rgb b);
/* The value at a pixel of an axis, by the first and the last tick. */
double seen_value(const seen_axis *a, double at);
/* The value of a colour by the colour bar, or of the bar's most similar colour. *off is
 * the difference between both colours, summed over red, green and blue. */
double seen_by_legend(const seen *s, rgb colour, int *off);
/* True if the words are written with their middle in the box. */
bool seen_words(const canvas *c, const char *words, bool upwards, seen_box in);

#endif
