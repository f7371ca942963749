/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing SEG-Y files, revision 1: a text header, a binary one, and traces of IEEE
 * floats. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/seismic/segy_private.h"

enum { LINE = 80, LINES = 40, MOST_SAMPLES = 65535, MOST_INTERVAL = 65535 };

static void put(char *at, int bytes, int64_t value)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (char)(uint64_t)(value >> 8 * (bytes - 1 - i));
}

/* ---- the text, in EBCDIC ----------------------------------------------------------- */

static uint8_t ebcdic(char c)
{
    static const char signs[] = " .<(+&!$*);-/,%_>?:#@'=\"";
    static const uint8_t codes[] = {0x40, 0x4b, 0x4c, 0x4d, 0x4e, 0x50, 0x5a, 0x5b,
                                    0x5c, 0x5d, 0x5e, 0x60, 0x61, 0x6b, 0x6c, 0x6d,
                                    0x6e, 0x6f, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f};
    const char *sign = c ? strchr(signs, c) : NULL;

    if (c >= '0' && c <= '9')
        return (uint8_t)(0xf0 + (c - '0'));
    if (c >= 'a' && c <= 'z')
        c = (char)(c - 'a' + 'A');
    if (c >= 'A' && c <= 'I')
        return (uint8_t)(0xc1 + (c - 'A'));
    if (c >= 'J' && c <= 'R')
        return (uint8_t)(0xd1 + (c - 'J'));
    if (c >= 'S' && c <= 'Z')
        return (uint8_t)(0xe2 + (c - 'S'));
    return sign ? codes[sign - signs] : 0x40;
}

static void put_line(char *head, int line, const char *words)
{
    char card[LINE + 1];

    (void)snprintf(card, sizeof card, "C%2d %s", line + 1, words);
    for (size_t i = 0; i < strlen(card); i++)
        head[line * LINE + (int)i] = (char)ebcdic(card[i]);
}

static void put_text(const gather_info *g, int64_t rows, char *head)
{
    char words[LINE];

    memset(head, 0x40, SEGY_TEXT);
    for (int line = 0; line < LINES; line++)
        put_line(head, line, "");
    (void)snprintf(words, sizeof words, "SAMPLE %.60s", g->title);
    put_line(head, 0, words);
    (void)snprintf(words, sizeof words, "%lld TRACES OF %lld SAMPLES, EVERY %.9g S",
                   (long long)g->columns, (long long)rows, g->interval);
    put_line(head, 1, words);
    put_line(head, 2,
             "WRITTEN BY PAVIOR: GROUP AND SOURCE COORDINATES, ELEVATION -DEPTH");
    put_line(head, LINES - 2, "SEG Y REV1");
    put_line(head, LINES - 1, "END TEXTUAL HEADER");
}

/* ---- binary headers ---------------------------------------------------------------- */

static int64_t microseconds(const gather_info *g)
{
    return llround(g->interval * 1e6);
}

static void put_binary(const gather_info *g, int64_t rows, char *b)
{
    memset(b, 0, SEGY_BINARY);
    put(b, 4, 1);     /* job */
    put(b + 4, 4, 1); /* line */
    put(b + 8, 4, 1); /* reel */
    put(b + 12, 2, g->columns < INT16_MAX ? g->columns : 0);
    put(b + 16, 2, microseconds(g));
    put(b + 20, 2, rows);
    put(b + 24, 2, SEGY_IEEE);
    put(b + 28, 2, 1);      /* not sorted */
    put(b + 54, 2, 1);      /* metres */
    put(b + 300, 2, 0x100); /* revision 1 */
    put(b + 302, 2, 1);     /* all traces of one length */
}

/* The divisor of stored coordinates: 1000, or a smaller power of ten if the largest
 * coordinate would not fit into 32 bits. */
static int divisor_of(const gather_info *g)
{
    double largest = 0;
    int divisor = 1000;

    for (int64_t k = 0; k < g->columns * g->dimensions; k++)
        largest = fmax(largest, fabs(g->position[k]));
    for (int axis = 0; g->source && axis < g->dimensions; axis++)
        largest = fmax(largest, fabs(g->source[axis]));
    while (divisor > 1 && largest * divisor > INT32_MAX)
        divisor /= 10;
    return divisor;
}

static int64_t place_of(const gather_info *g, const double *at, char letter, int divisor)
{
    for (int axis = 0; at && axis < g->dimensions; axis++)
        if (g->letters[axis] == letter)
            return llround(fmax(fmin(at[axis] * divisor, INT32_MAX), INT32_MIN));
    return 0;
}

static void put_trace_head(const gather_info *g, int64_t rows, int64_t number, char *t)
{
    const double *at = g->position + number * g->dimensions;
    const int divisor = divisor_of(g), scalar = divisor > 1 ? -divisor : 1;

    memset(t, 0, SEGY_TRACE);
    put(t, 4, number + 1);
    put(t + 4, 4, number + 1);
    put(t + 8, 4, 1); /* shot */
    put(t + 12, 4, number + 1);
    put(t + 28, 2, 1); /* seismic data */
    put(t + 36, 4, place_of(g, at, 'x', 1) - place_of(g, g->source, 'x', 1));
    put(t + 40, 4, -place_of(g, at, 'z', divisor));
    put(t + 48, 4, place_of(g, g->source, 'z', divisor));
    put(t + 68, 2, scalar);
    put(t + 70, 2, scalar);
    put(t + 72, 4, place_of(g, g->source, 'x', divisor));
    put(t + 76, 4, place_of(g, g->source, 'y', divisor));
    put(t + 80, 4, place_of(g, at, 'x', divisor));
    put(t + 84, 4, place_of(g, at, 'y', divisor));
    put(t + 88, 2, 1); /* lengths */
    put(t + 114, 2, rows);
    put(t + 116, 2, microseconds(g));
}

/* ---- the file ---------------------------------------------------------------------- */

pav_status segy_check(const char *path, const gather_info *g, int64_t rows)
{
    if (microseconds(g) < 1 || microseconds(g) > MOST_INTERVAL)
        return FAIL(PAV_EUNSUPPORTED,
                    "%s: SEG-Y keeps 1 to 65535 microseconds from sample to sample, and "
                    "here are %.9g seconds; `every` or a dt in seconds changes them, a "
                    ".npy file takes any",
                    path, g->interval);
    if (rows > MOST_SAMPLES)
        return FAIL(
            PAV_ELIMIT,
            "%s: SEG-Y keeps 65535 samples a trace, and here are %lld; take fewer "
            "by `every`, or write a .npy file",
            path, (long long)rows);
    return PAV_OK;
}

static pav_status write_traces(out_file *o, const gather_info *g, const float *value,
                               int64_t rows, char *bytes)
{
    for (int64_t k = 0; k < g->columns; k++) {
        put_trace_head(g, rows, k, bytes);
        for (int64_t n = 0; n < rows; n++) {
            uint32_t bits;
            memcpy(&bits, &value[n * g->columns + k], sizeof bits);
            put(bytes + SEGY_TRACE + 4 * n, 4, bits);
        }
        TRY(out_write(o, bytes, SEGY_TRACE + 4 * rows));
    }
    return PAV_OK;
}

pav_status segy_write(const char *path, const gather_info *g, const float *value,
                      int64_t rows)
{
    char head[SEGY_HEAD];
    out_file o;

    TRY(segy_check(path, g, rows));
    char *bytes = mem_new(SEGY_TRACE + 4 * rows, 1);
    if (!bytes)
        return PAV_ENOMEM;
    pav_status status = out_open(&o, path);
    if (status == PAV_OK) {
        put_text(g, rows, head);
        put_binary(g, rows, head + SEGY_TEXT);
        status = out_write(&o, head, sizeof head);
        if (status == PAV_OK)
            status = write_traces(&o, g, value, rows, bytes);
        status = out_close(&o, status);
    }
    mem_free(bytes);
    return status;
}
