/* SPDX-License-Identifier: BSD-3-Clause */
/* PNG files (ISO 15948) of 8-bit colours, written without a library. The same picture gives the same
 * bytes: nothing about the time or the machine is written. */
#include <string.h>

#include "io/io_private.h"

enum {
    TYPE = 4, /* letters of a chunk's type */
    LARGEST_CHUNK = INT32_MAX,
};

static uint32_t crc32_add(uint32_t crc, const uint8_t *bytes, int64_t length)
{
    uint32_t table[256];

    for (uint32_t n = 0; n < COUNT_OF(table); n++) {
        table[n] = n;
        for (int bit = 0; bit < 8; bit++)
            table[n] = table[n] >> 1 ^ (table[n] & 1 ? 0xedb88320 : 0);
    }
    crc = ~crc;
    for (int64_t n = 0; n < length; n++)
        crc = table[(crc ^ bytes[n]) & 255] ^ crc >> 8;
    return ~crc;
}

static void put_32(uint8_t *to, uint32_t value)
{
    for (int n = 0; n < 4; n++)
        to[n] = (uint8_t)(value >> (24 - 8 * n));
}

static pav_status write_chunk(out_file *o, const char *type, const uint8_t *bytes,
                              int64_t length)
{
    uint8_t head[4 + TYPE], sum[4];

    if (length > LARGEST_CHUNK)
        return FAIL(PAV_ELIMIT, "%s cannot be written: its picture is too large for PNG",
                    o->shown);
    put_32(head, (uint32_t)length);
    memcpy(head + 4, type, TYPE);
    put_32(sum, crc32_add(crc32_add(0, head + 4, TYPE), bytes, length));
    TRY(out_write(o, head, sizeof head));
    TRY(out_write(o, bytes, length));
    return out_write(o, sum, sizeof sum);
}

/* Rows from the top, each after a byte 0: no filter. */
static uint8_t *pack_rows(const canvas *c, int64_t row)
{
    uint8_t *rows = mem_new(c->height, (size_t)row);

    for (int64_t y = 0; rows && y < c->height; y++)
        memcpy(rows + y * row + 1, c->pixel + y * (row - 1), (size_t)row - 1);
    return rows;
}

static pav_status write_pixels(out_file *o, const canvas *c)
{
    const int64_t row = 1 + 3 * (int64_t)c->width;
    uint8_t *rows = pack_rows(c, row);
    int64_t size = 0;
    uint8_t *stream = rows ? deflate_rows(rows, row * c->height, row, &size) : NULL;

    const pav_status status = stream ? write_chunk(o, "IDAT", stream, size) : PAV_ENOMEM;
    mem_free(stream);
    mem_free(rows);
    return status;
}

static pav_status write_chunks(out_file *o, const canvas *c)
{
    uint8_t header[13] = {[8] = 8 /* bits */, [9] = 2 /* red, green, blue */};

    put_32(header, (uint32_t)c->width);
    put_32(header + 4, (uint32_t)c->height);
    TRY(out_write(o, "\x89PNG\r\n\x1a\n", 8));
    TRY(write_chunk(o, "IHDR", header, sizeof header));
    TRY(write_pixels(o, c));
    return write_chunk(o, "IEND", header, 0);
}

static pav_status write_canvas(const char *path, const canvas *c)
{
    out_file o;

    TRY(out_open(&o, path));
    return out_close(&o, write_chunks(&o, c));
}

pav_status png_write(const char *path, const picture *p)
{
    canvas c;

    TRY(picture_draw(p, &c));
    const pav_status status = write_canvas(path, &c);
    canvas_free(&c);
    return status;
}

const io_format png_format = {".png", "picture of a slice", false, true, false};
