/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers: all rows of a sample, collected in f32 and written when complete, either a
 * picture with time downwards or the traces of a SEG-Y file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/io_private.h"

/* ---- SEG-Y ------------------------------------------------------------------------- */

/* Writing SEG-Y files, revision 1: a text header, a binary one, and traces of IEEE
 * floats. */

enum { LINE = 80, LINES = 40, MOST_SAMPLES = 65535, MOST_INTERVAL = 65535 };

/* A number of a header: its place, its bytes, and the value. */
typedef struct head_number {
    int at, bytes;
    int64_t value;
} head_number;

static void put(char *at, int bytes, int64_t value)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (char)(uint64_t)(value >> 8 * (bytes - 1 - i));
}

static void put_all(char *head, int size, const head_number *all, size_t count)
{
    memset(head, 0, (size_t)size);
    for (size_t n = 0; n < count; n++)
        put(head + all[n].at, all[n].bytes, all[n].value);
}

/* ---- the text, in EBCDIC ----------------------------------------------------------- */

static uint8_t ebcdic(char c)
{
    static const char signs[] = " .<(+&!$*);-/,%_>?:#@'=\"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const uint8_t codes[] = {
        0x40, 0x4b, 0x4c, 0x4d, 0x4e, 0x50, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x60, 0x61,
        0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f, 0xc1, 0xc2,
        0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6,
        0xd7, 0xd8, 0xd9, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9};
    const char capital = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    const char *sign = c ? strchr(signs, capital) : NULL;

    return char_is_digit(c) ? (uint8_t)(0xf0 + (c - '0'))
           : sign           ? codes[sign - signs]
                            : 0x40;
}

static void put_line(char *head, int line, const char *words)
{
    char card[LINE + 1];

    (void)snprintf(card, sizeof card, "C%2d %s", line + 1, words);
    for (size_t i = 0; i < strlen(card); i++)
        head[line * LINE + (int)i] = (char)ebcdic(card[i]);
}

/* ---- binary headers ---------------------------------------------------------------- */

static int64_t microseconds(const gather_info *g)
{
    return llround(g->interval * 1e6);
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

/* ---- the file ---------------------------------------------------------------------- */

static pav_status segy_check(const char *path, const gather_info *g, int64_t rows)
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
        const double *at = g->position + k * g->dimensions;
        const int divisor = divisor_of(g), scalar = divisor > 1 ? -divisor : 1;
        const head_number all[] = {
            {0, 4, k + 1},
            {4, 4, k + 1},
            {8, 4, 1}, /* shot */
            {12, 4, k + 1},
            {28, 2, 1}, /* seismic data */
            {36, 4, place_of(g, at, 'x', 1) - place_of(g, g->source, 'x', 1)},
            {40, 4, -place_of(g, at, 'z', divisor)},
            {48, 4, place_of(g, g->source, 'z', divisor)},
            {68, 2, scalar},
            {70, 2, scalar},
            {72, 4, place_of(g, g->source, 'x', divisor)},
            {76, 4, place_of(g, g->source, 'y', divisor)},
            {80, 4, place_of(g, at, 'x', divisor)},
            {84, 4, place_of(g, at, 'y', divisor)},
            {88, 2, 1}, /* lengths */
            {114, 2, rows},
            {116, 2, microseconds(g)},
        };

        put_all(bytes, SEGY_TRACE, all, COUNT_OF(all));
        for (int64_t n = 0; n < rows; n++) {
            uint32_t bits;
            memcpy(&bits, &value[n * g->columns + k], sizeof bits);
            put(bytes + SEGY_TRACE + 4 * n, 4, bits);
        }
        TRY(out_write(o, bytes, SEGY_TRACE + 4 * rows));
    }
    return PAV_OK;
}

static pav_status segy_write(const char *path, const gather_info *g, const float *value,
                             int64_t rows)
{
    char head[SEGY_HEAD];
    out_file o;

    TRY(segy_check(path, g, rows));
    OWNED char *bytes = NULL;
    TRY(mem_take(&bytes, SEGY_TRACE + 4 * rows, 1));
    TRY(out_open(&o, path));
    char words[LINE];
    int line = 3;

    memset(head, 0x40, SEGY_TEXT);
    for (int n = 0; n < LINES; n++)
        put_line(head, n, "");
    (void)snprintf(words, sizeof words, "SAMPLE %.60s", g->title);
    put_line(head, 0, words);
    (void)snprintf(words, sizeof words, "%lld TRACES OF %lld SAMPLES, EVERY %.9g S",
                   (long long)g->columns, (long long)rows, g->interval);
    put_line(head, 1, words);
    put_line(head, 2,
             "WRITTEN BY PAVIOR: GROUP AND SOURCE COORDINATES, ELEVATION -DEPTH");
    for (const io_fact *m = g->made; m && m->name; m++) {
        put_line(head, line++, m->name);
        for (const char *at = m->value; *at && line < LINES - 2;
             at += strnlen(at, LINE - 4))
            put_line(head, line++, at);
    }
    put_line(head, LINES - 2, "SEG Y REV1");
    put_line(head, LINES - 1, "END TEXTUAL HEADER");
    const head_number all[] = {
        {0, 4, 1}, /* job */
        {4, 4, 1}, /* line */
        {8, 4, 1}, /* reel */
        {12, 2, g->columns < INT16_MAX ? g->columns : 0},
        {16, 2, microseconds(g)},
        {20, 2, rows},
        {24, 2, SEGY_IEEE},
        {28, 2, 1},      /* not sorted */
        {54, 2, 1},      /* metres */
        {300, 2, 0x100}, /* revision 1 */
        {302, 2, 1},     /* all traces of one length */
    };

    put_all(head + SEGY_TEXT, SEGY_BINARY, all, COUNT_OF(all));
    pav_status status = out_write(&o, head, sizeof head);
    if (status == PAV_OK)
        status = write_traces(&o, g, value, rows, bytes);
    return out_close(&o, status);
}

/* ---- gathers ----------------------------------------------------------------------- */

enum { SHOWN = 1 << 18 }; /* number of values used to find the colour range */

struct trace_gather {
    gather_info info;
    text path, rows; /* rows: floats */
    int64_t count;
    double first, last; /* times */
};

bool gather_is(const char *path)
{
    return path_is_segy(path) || strcmp(path_ending(path), ".png") == 0;
}

pav_status gather_open(const char *path, const gather_info *info, int64_t rows,
                       trace_gather **result)
{
    *result = NULL;
    if (path_is_segy(path))
        TRY(segy_check(path, info, rows));
    TRY(out_try(path));
    trace_gather *g = NULL;
    TRY(mem_take(&g, 1, sizeof *g));
    g->info = *info;
    text_add(&g->path, "%s", path);
    if (g->path.failed) {
        gather_close(g);
        return PAV_ENOMEM;
    }
    *result = g;
    return PAV_OK;
}

pav_status gather_add(trace_gather *g, const double *row, double time)
{
    for (int64_t k = 0; k < g->info.columns; k++) {
        const float value = (float)row[k];
        text_add_bytes(&g->rows, (const char *)&value, sizeof value);
    }
    if (g->rows.failed)
        return FAIL(PAV_ENOMEM, "the rows of %s have no room in memory: %s", g->path.data,
                    pav_message());
    g->first = g->count == 0 ? time : g->first;
    g->last = time;
    g->count++;
    return PAV_OK;
}

/* ---- pictures ---------------------------------------------------------------------- */

/* The bound not exceeded by 99 % of the values. */
static int by_size(const void *a, const void *b)
{
    const float one = *(const float *)a, other = *(const float *)b;

    return (one > other) - (one < other);
}

/* The bound not exceeded by 99 % of the values. */
static double clip_of(const float *value, int64_t count)
{
    const int64_t stride = count / SHOWN + 1;
    OWNED float *size = mem_new(count / stride + 1, sizeof *size);
    int64_t n = 0;

    for (int64_t k = 0; size && k < count; k += stride)
        if (isfinite(value[k]))
            size[n++] = fabsf(value[k]);
    if (n == 0)
        return 1;
    qsort(size, (size_t)n, sizeof *size, by_size);
    const float clip = size[n - 1 - n / 100] > 0 ? size[n - 1 - n / 100] : size[n - 1];
    return clip > 0 ? clip : 1;
}

/* The only axis with different positions; -1 if there are several, or if a position has
 * several traces. */
static int line_axis(const gather_info *g)
{
    int found = -1;

    for (int axis = 0; axis < g->dimensions; axis++)
        for (int64_t k = 1; k < g->columns; k++)
            if (g->position[k * g->dimensions + axis] != g->position[axis]) {
                if (found >= 0 && found != axis)
                    return -1;
                found = axis;
            }
    return g->parts > 1 ? -1 : found;
}

/* Picture points per trace: a few traces are widened to make them visible. */
static int64_t width_of(const trace_gather *g)
{
    enum { WIDE = 800 };
    const int64_t wide = g->count < WIDE ? g->count : WIDE;

    return g->info.columns < wide ? wide / g->info.columns : 1;
}

static pav_status write_picture(const trace_gather *g, const float *rows)
{
    const gather_info *i = &g->info;
    const int axis = line_axis(i);
    const int64_t columns = i->columns, wide = width_of(g);
    const double clip = clip_of(rows, columns * g->count);
    OWNED_NEW(double, value, (columns * wide * g->count));
    double *to = value;
    const char letter[2] = {axis >= 0 ? i->letters[axis] : '\0', '\0'};
    picture p = {.title = i->title,
                 .width = columns * wide,
                 .height = g->count,
                 .value = value,
                 .from = i->ranged ? i->range[0] : -clip,
                 .to = i->ranged ? i->range[1] : clip,
                 .axis_name = {axis >= 0 ? letter : "receiver", "t"},
                 .axis_from = {1, g->last},
                 .axis_to = {(double)columns, g->first},
                 .style.colours = i->colours ? i->colours : "grey"};

    for (int64_t n = g->count - 1; n >= 0; n--)
        for (int64_t k = 0; k < columns * wide; k++)
            *to++ = rows[n * columns + k / wide];
    if (axis >= 0) {
        p.axis_from[0] = i->position[axis];
        p.axis_to[0] = i->position[(columns - 1) * i->dimensions + axis];
    }
    return png_write(g->path.data, &p, i->made);
}

/* ---- files ------------------------------------------------------------------------- */

pav_status gather_write(const trace_gather *g)
{
    const float *rows = (const float *)(const void *)g->rows.data;

    return g->count == 0 ? PAV_OK
           : path_is_segy(g->path.data)
               ? segy_write(g->path.data, &g->info, rows, g->count)
               : write_picture(g, rows);
}

const char *gather_path(const trace_gather *g)
{
    return g->path.data;
}

void gather_close(trace_gather *g)
{
    if (!g)
        return;
    TEXT_FREE_ALL(&g->path, &g->rows);
    mem_free(g);
}

/* ---- formats ----------------------------------------------------------------------- */

static pav_status refuse_field(series *s, const char *path, const io_frame *f)
{
    (void)s;
    return FAIL(PAV_EUNSUPPORTED,
                "%s: a SEG-Y file holds traces of a sample, not the field %s", path,
                f->name);
}

const io_format sgy_format = {
    .ending = ".sgy",
    .about = "SEG-Y traces of a sample",
    .write = refuse_field,
};

const io_format segy_format = {
    .ending = ".segy",
    .about = "the same",
    .write = refuse_field,
};
