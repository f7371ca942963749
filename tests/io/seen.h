/* SPDX-License-Identifier: BSD-3-Clause */
/* A picture as somebody sees it: the plot, the colour bar and the numbers beside their
 * ticks are found in the pixels, and values are read off them. */
#ifndef SEEN_H
#define SEEN_H

#include "io/io_private.h"

typedef struct seen_box {
    int left, top, width, height; /* within its frame */
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

/* The test ends where no plot is found, or a tick without a number. */
seen seen_look(const canvas *c);
rgb seen_pixel(const canvas *c, int x, int y);
bool seen_same(rgb a, rgb b);
/* The value at a pixel of an axis, by its first and last tick. */
double seen_value(const seen_axis *a, double at);
/* The value that the colour bar has this colour for, or the one most like it; how far off
 * that is. */
double seen_by_legend(const seen *s, rgb colour, int *off);
/* Whether the words are written there, with their middle in the box. */
bool seen_words(const canvas *c, const char *words, bool upwards, seen_box in);

#endif
