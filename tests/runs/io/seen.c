/* SPDX-License-Identifier: BSD-3-Clause */
#include "seen.h"

#include <stdlib.h>

#include "test.h"

enum { LEAST_FRAME = 20 }; /* pixels: longer than any stroke of a letter */

rgb seen_pixel(const canvas *c, int x, int y)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height)
        return (rgb){255, 255, 255};
    const uint8_t *at = c->pixel + 3 * (y * c->width + x);
    return (rgb){at[0], at[1], at[2]};
}

bool colours_are_equal(rgb a, rgb b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

static bool is_ink(const canvas *c, int x, int y)
{
    return colours_are_equal(seen_pixel(c, x, y), (rgb){38, 38, 42});
}

/* ---- frames ------------------------------------------------------------------------ */

/* The length of a line of ink from (x, y) on, to the right or down. */
static int run_of(const canvas *c, int x, int y, bool down)
{
    int count = 0;
    while (is_ink(c, x + (down ? 0 : count), y + (down ? count : 0)))
        count++;
    return count;
}

/* Finds the first frame with its upper edge in row y, from x on to the right. */
static bool find_frame(const canvas *c, int x, int y, seen_box *found)
{
    for (; x < c->width; x++) {
        const int width = run_of(c, x, y, false);
        if (width >= LEAST_FRAME) {
            *found = (seen_box){x + 1, y + 1, width - 2, run_of(c, x, y, true) - 2};
            return true;
        }
        x += width;
    }
    return false;
}

/* ---- words ------------------------------------------------------------------------- */

/* The pixels of a letter, upright or turned to the left. Each letter is drawn once. */
static const canvas *letter_pixels(char letter, bool upwards)
{
    static canvas drawn[2][128];
    canvas *c = &drawn[upwards][letter & 127];
    if (c->pixel)
        return c;
    REQUIRE(canvas_new(c, upwards ? FONT_DEPTH : FONT_ADVANCE,
                       upwards ? FONT_ADVANCE : FONT_DEPTH, 1));
    if (upwards)
        canvas_text_upwards(c, 0, c->height - 1, (char[]){letter, '\0'}, (rgb){0, 0, 0});
    else
        canvas_text(c, 0, 0, (char[]){letter, '\0'}, (rgb){0, 0, 0});
    return c;
}

/* True if the pixels from (x, y) on show the letter. */
static bool is_letter(const canvas *c, int x, int y, char letter, bool upwards)
{
    const canvas *drawn = letter_pixels(letter, upwards);
    bool same = true;
    for (int n = 0; n < drawn->width * drawn->height && same; n++)
        same = is_ink(c, x + n % drawn->width, y + n / drawn->width) ==
               (drawn->pixel[3 * n] == 0);
    return same;
}

/* True if the words stand at (x, y), the upper left corner of the first letter. Upwards
 * it is the corner of the last letter. */
static bool are_words(const canvas *c, const char *words, bool upwards, int x, int y)
{
    const int count = (int)strlen(words);
    for (int n = 0; n < count; n++) {
        const char letter = words[upwards ? count - 1 - n : n];
        if (!is_letter(c, x + (upwards ? 0 : n * FONT_ADVANCE),
                       y + (upwards ? n * FONT_ADVANCE : 0), letter, upwards))
            return false;
    }
    return true;
}

bool seen_words(const canvas *c, const char *words, bool upwards, seen_box in)
{
    const int length = canvas_text_width(words) / 2;
    const int x = in.left - (upwards ? FONT_HEIGHT / 2 : length);
    const int y = in.top - (upwards ? length : FONT_HEIGHT / 2);
    for (int n = 0; n < in.width * in.height; n++)
        if (are_words(c, words, upwards, x + n % in.width, y + n / in.width))
            return true;
    return false;
}

/* ---- ticks ------------------------------------------------------------------------- */

static bool is_blank(const canvas *c, int x, int y, int width, int height)
{
    for (int n = 0; n < width * height; n++)
        if (is_ink(c, x + n % width, y + n / width))
            return false;
    return true;
}

/* Reads the number at (x, y), with blank pixels to the left of it. Returns the count of
 * its characters; 0 if there is no number. */
static int read_number(const canvas *c, int x, int y, char words[TICK_TEXT])
{
    static const char letters[] = "0123456789.-e";
    int count = 0;
    if (!is_blank(c, x - 8, y, 8, FONT_HEIGHT))
        return 0;
    for (size_t n = 0; n < strlen(letters); n++)
        if (count < TICK_TEXT - 1 &&
            is_letter(c, x + count * FONT_ADVANCE, y, letters[n], false)) {
            words[count++] = letters[n];
            n = (size_t)-1;
        }
    words[count] = '\0';
    return count;
}

/* The first number with its upper left corner in the box; NaN if there is none. */
static double find_number(const canvas *c, seen_box in)
{
    char words[TICK_TEXT], *end;
    for (int n = 0; n < in.width * in.height; n++)
        if (read_number(c, in.left + n % in.width, in.top + n / in.width, words)) {
            const double value = strtod(words, &end);
            REQUIRE(*end == '\0');
            return value;
        }
    return NAN;
}

/* Each pixel of ink on the line is a tick. The box, relative to the tick, contains the
 * upper left corner of the number. */
static void find_ticks(const canvas *c, seen_box line, seen_box number, seen_axis *a)
{
    const bool down = line.height > line.width;
    for (int n = 0; n < line.width * line.height; n++) {
        const int x = line.left + n % line.width, y = line.top + n / line.width;
        if (!is_ink(c, x, y))
            continue;
        REQUIRE(a->count < MAX_TICKS);
        const double value = find_number(
            c, (seen_box){x + number.left, y + number.top, number.width, number.height});
        REQUIRE(!isnan(value));
        a->tick[a->count++] = (seen_tick){down ? y : x, value};
    }
}

seen seen_look(const canvas *c)
{
    seen s = {.canvas = c};
    seen_box *p = &s.plot, *b = &s.bar;
    int y = 0;
    while (y < c->height && !find_frame(c, 0, y, p))
        y++;
    REQUIRE(y < c->height);
    find_ticks(c, (seen_box){p->left, p->top + p->height + 3, p->width, 1},
               (seen_box){-60, 5, 60, 20}, &s.across);
    find_ticks(c, (seen_box){p->left - 4, p->top, 1, p->height},
               (seen_box){-140, -10, 140, 10}, &s.upwards);
    if (find_frame(c, p->left + p->width + 2, y, b))
        find_ticks(c, (seen_box){b->left + b->width + 4, b->top, 1, b->height},
                   (seen_box){5, -10, 20, 10}, &s.legend);
    return s;
}

/* ---- values ------------------------------------------------------------------------ */

double seen_value(const seen_axis *a, double at)
{
    REQUIRE(a->count >= 2);
    const seen_tick *from = &a->tick[0], *to = &a->tick[a->count - 1];
    return from->value +
           (at - from->at) / (to->at - from->at) * (to->value - from->value);
}

double seen_by_legend(const seen *s, rgb colour, int *off)
{
    double sum = 0;
    int count = 0;
    *off = 1000;
    for (int y = s->bar.top; y < s->bar.top + s->bar.height; y++) {
        const rgb here = seen_pixel(s->canvas, s->bar.left + s->bar.width / 2, y);
        const int away = abs(here.r - colour.r) + abs(here.g - colour.g) +
                         abs(here.b - colour.b);
        if (away < *off)
            sum = count = 0;
        *off = away < *off ? away : *off;
        sum += away == *off ? y : 0;
        count += away == *off;
    }
    return seen_value(&s->legend, sum / count);
}
