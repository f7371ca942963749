/* SPDX-License-Identifier: BSD-3-Clause */
/* PNG files (ISO 15948) of 8-bit colours, written without a library. The same picture
 * gives the same bytes: nothing about the time or the machine is written. */
#include <string.h>

#include "io/io_private.h"

enum { TYPE = 4 /* letters of a chunk's type */ };
const uint8_t png_signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

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

uint32_t png_sum(const uint8_t *chunk, int64_t length)
{
    return crc32_add(0, chunk + 4, TYPE + length);
}

void png_put_32(uint8_t *to, uint32_t value)
{
    for (int n = 0; n < 4; n++)
        to[n] = (uint8_t)(value >> (24 - 8 * n));
}

void png_add_chunk(text *t, const char *type, const uint8_t *bytes, int64_t length)
{
    uint8_t head[4 + TYPE], sum[4];

    if (length > INT32_MAX) {
        t->failed = true;
        FAIL(PAV_ELIMIT, "a picture of %lld bytes is too large for PNG",
             (long long)length);
        return;
    }
    png_put_32(head, (uint32_t)length);
    memcpy(head + 4, type, TYPE);
    png_put_32(sum, crc32_add(crc32_add(0, head + 4, TYPE), bytes, length));
    text_add_bytes(t, (const char *)head, sizeof head);
    text_add_bytes(t, (const char *)bytes, length);
    text_add_bytes(t, (const char *)sum, sizeof sum);
}

void png_add_header(text *t, const canvas *c)
{
    uint8_t header[13] = {[8] = 8 /* bits */, [9] = 2 /* red, green, blue */};

    png_put_32(header, (uint32_t)c->width);
    png_put_32(header + 4, (uint32_t)c->height);
    text_add_bytes(t, (const char *)png_signature, sizeof png_signature);
    png_add_chunk(t, "IHDR", header, sizeof header);
}

/* Rows from the top, each after a byte 0: no filter. */
static uint8_t *pack_rows(const canvas *c, int64_t row)
{
    uint8_t *rows = mem_new(c->height, (size_t)row);

    for (int64_t y = 0; rows && y < c->height; y++)
        memcpy(rows + y * row + 1, c->pixel + y * (row - 1), (size_t)row - 1);
    return rows;
}

uint8_t *png_pixels(const canvas *c, int64_t *size)
{
    const int64_t row = 1 + 3 * (int64_t)c->width;
    uint8_t *rows = pack_rows(c, row);
    uint8_t *stream = rows ? deflate_rows(rows, row * c->height, row, size) : NULL;

    mem_free(rows);
    return stream;
}

pav_status png_write_canvas(const char *path, const canvas *c)
{
    text t = {0};
    int64_t size = 0;
    uint8_t *stream = png_pixels(c, &size);
    pav_status status = PAV_ENOMEM;

    if (stream) {
        png_add_header(&t, c);
        png_add_chunk(&t, "IDAT", stream, size);
        png_add_chunk(&t, "IEND", NULL, 0);
        status = text_write(path, &t);
    }
    text_free(&t);
    mem_free(stream);
    return status;
}

pav_status png_write(const char *path, const picture *p)
{
    canvas c;

    TRY(picture_draw(p, &c));
    const pav_status status = png_write_canvas(path, &c);
    canvas_free(&c);
    return status;
}
