/* SPDX-License-Identifier: BSD-3-Clause */
/* A canvas of pixels: rectangles, lines, letters. */
#include <math.h>
#include <string.h>

#include "io/io_private.h"

bool canvas_new(canvas *c, int width, int height)
{
    const int64_t bytes = (int64_t)width * height * 3;

    *c = (canvas){width, height, mem_new(bytes, 1)};
    if (c->pixel)
        memset(c->pixel, 255, (size_t)bytes);
    return c->pixel != NULL;
}

void canvas_free(canvas *c)
{
    mem_free(c->pixel);
    *c = (canvas){0};
}

static uint8_t *pixel_at(const canvas *c, int x, int y)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height)
        return NULL;
    return c->pixel + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
}

static void set(const canvas *c, int x, int y, rgb colour)
{
    uint8_t *pixel = pixel_at(c, x, y);

    if (pixel)
        memcpy(pixel, &colour, 3);
}

static void mix(const canvas *c, int x, int y, rgb colour, double share)
{
    const uint8_t *pixel = pixel_at(c, x, y);

    if (!pixel || !(share > 0))
        return;
    const double s = share < 1 ? share : 1;
    const rgb mixed = {(uint8_t)(pixel[0] + s * (colour.r - pixel[0]) + 0.5),
                       (uint8_t)(pixel[1] + s * (colour.g - pixel[1]) + 0.5),
                       (uint8_t)(pixel[2] + s * (colour.b - pixel[2]) + 0.5)};
    set(c, x, y, mixed);
}

void canvas_fill(const canvas *c, int x, int y, int width, int height, rgb colour)
{
    for (int j = y; j < y + height; j++)
        for (int i = x; i < x + width; i++)
            set(c, i, j, colour);
}

void canvas_frame(const canvas *c, int x, int y, int width, int height, rgb colour)
{
    canvas_fill(c, x, y, width, 1, colour);
    canvas_fill(c, x, y + height - 1, width, 1, colour);
    canvas_fill(c, x, y, 1, height, colour);
    canvas_fill(c, x + width - 1, y, 1, height, colour);
}

/* ---- lines ------------------------------------------------------------------------- */

/* Distance of the middle of pixel (x, y) from the line. */
static double distance(const double from[2], const double to[2], int x, int y)
{
    const double dx = to[0] - from[0], dy = to[1] - from[1];
    const double px = x + 0.5 - from[0], py = y + 0.5 - from[1];
    const double square = dx * dx + dy * dy;
    const double along = square > 0 ? fmin(fmax((px * dx + py * dy) / square, 0), 1) : 0;

    return hypot(px - along * dx, py - along * dy);
}

static int clamp(double value, int most)
{
    return !(value > 0) ? 0 : value < most ? (int)value : most;
}

void canvas_line(const canvas *c, const double from[2], const double to[2],
                 double thickness, rgb colour)
{
    const double reach = thickness / 2 + 1;
    const int left = clamp(fmin(from[0], to[0]) - reach, c->width - 1);
    const int right = clamp(fmax(from[0], to[0]) + reach, c->width - 1);
    const int top = clamp(fmin(from[1], to[1]) - reach, c->height - 1);
    const int bottom = clamp(fmax(from[1], to[1]) + reach, c->height - 1);

    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++)
            mix(c, x, y, colour, thickness / 2 + 0.5 - distance(from, to, x, y));
}

/* ---- letters ----------------------------------------------------------------------- */

static bool bit_at(const uint8_t *glyph, int column, int row)
{
    if (column < 0 || column >= GLYPH_COLUMNS || row < 0 || row >= GLYPH_ROWS)
        return false;
    return glyph[row] >> (GLYPH_COLUMNS - 1 - column) & 1;
}

/* One quarter of a dot of a glyph at double size. If two adjacent neighbours of a corner
 * agree and differ from the opposite ones, the corner takes their colour. This smooths
 * the steps of slanted strokes. */
static bool quarter(const uint8_t *glyph, int x, int y)
{
    const int column = x / 2, row = y / 2;
    const int side = x % 2 ? 1 : -1, up = y % 2 ? 1 : -1;
    const bool neighbour = bit_at(glyph, column + side, row);
    const bool above = bit_at(glyph, column, row + up);
    const bool other_side = bit_at(glyph, column - side, row);
    const bool below = bit_at(glyph, column, row - up);

    if (neighbour == above && neighbour != other_side && neighbour != below)
        return neighbour;
    return bit_at(glyph, column, row);
}

/* Draws a letter, upright or turned to the left. */
static void draw_letter(const canvas *c, int left, int top, char letter, bool upwards,
                        rgb colour)
{
    const uint8_t *glyph = font_glyph((unsigned char)letter);

    for (int y = 0; y < GLYPH_ROWS * FONT_SCALE; y++)
        for (int x = 0; x < GLYPH_COLUMNS * FONT_SCALE; x++)
            if (quarter(glyph, x, y))
                set(c, left + (upwards ? y : x), top + (upwards ? -x : y), colour);
}

static void draw_small(const canvas *c, int left, int top, char letter, rgb colour)
{
    const uint8_t *glyph = font_glyph((unsigned char)letter);

    for (int y = 0; y < GLYPH_ROWS; y++)
        for (int x = 0; x < GLYPH_COLUMNS; x++)
            if (bit_at(glyph, x, y))
                set(c, left + x, top + y, colour);
}

void canvas_text(const canvas *c, int x, int y, const char *words, rgb colour)
{
    for (; *words; words++, x += FONT_ADVANCE)
        draw_letter(c, x, y, *words, false, colour);
}

void canvas_text_upwards(const canvas *c, int x, int y, const char *words, rgb colour)
{
    for (; *words; words++, y -= FONT_ADVANCE)
        draw_letter(c, x, y, *words, true, colour);
}

int canvas_text_width(const char *words)
{
    const int64_t count = (int64_t)strnlen(words, 10000);

    return count > 0 ? (int)count * FONT_ADVANCE - FONT_SCALE : 0;
}

int canvas_label_width(const char *words, int room)
{
    const int width = canvas_text_width(words);

    return width > room ? width / FONT_SCALE : width;
}

void canvas_label(const canvas *c, int x, int y, const char *words, int room, rgb colour)
{
    if (canvas_text_width(words) <= room) {
        canvas_text(c, x, y - FONT_HEIGHT / 2, words, colour);
        return;
    }
    for (; *words; words++, x += FONT_ADVANCE / FONT_SCALE)
        draw_small(c, x, y - FONT_HEIGHT / FONT_SCALE / 2, *words, colour);
}
