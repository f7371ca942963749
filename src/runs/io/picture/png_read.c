/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads PNG files (ISO 15948) into fields of two axes: grey levels from 0 to 1. A level
 * of n bits is divided by 2^n - 1. The value of a colour is its luma, 0.299 red + 0.587
 * green + 0.114 blue. zlib unpacks the pixels; it is opened at first use. */
#include <stdlib.h>
#include <string.h>

#include "io/io_private.h"

enum { SIGNATURE = 8, FRAME = 12 /* bytes of a chunk around its data */, IHDR = 13 };

typedef struct png_input {
    const char *path;
    uint8_t *bytes, *rows; /* the file; rows from the top, each after its filter */
    int64_t length, width, height, row, packed; /* packed: bytes of pixels in the file */
    int bits, parts;                            /* parts: numbers of a pixel, 1 to 4 */
    bool mask, down; /* down: row 0 of the picture is row 0 of the field */
    int64_t done;    /* values read so far */
} png_input;

static void free_input(const png_input *in)
{
    MEM_FREE_ALL(in->bytes, in->rows);
}

static int64_t number_at(const uint8_t *at)
{
    return (int64_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

/* ---- chunks ------------------------------------------------------------------------ */

static pav_status load_bytes(png_input *in)
{
    OWNED_BY(in_close) in_file file = {0};
    int64_t got;

    TRY(in_open(&file, in->path));
    TRY(in_size(&file, &in->length));
    TRY(mem_take(&in->bytes, in->length + 1, 1));
    TRY(in_read(&file, (char *)in->bytes, in->length, &got));
    if (got < SIGNATURE || memcmp(in->bytes, png_signature, SIGNATURE) != 0)
        return FAIL(PAV_EFORMAT, "%s is no PNG file", in->path);
    return got == in->length
               ? PAV_OK
               : FAIL(PAV_EIO, "%s has changed while it was read", in->path);
}

static pav_status parse_header(png_input *in, const uint8_t *data)
{
    static const int parts[] = {1, 0, 3, 0, 2, 0, 4};
    const int bits = data[8], kind = data[9];

    in->width = number_at(data);
    in->height = number_at(data + 4);
    in->bits = bits;
    in->parts = kind < 7 ? parts[kind] : 0;
    if (kind == 3)
        return FAIL(PAV_EFORMAT,
                    "%s has a palette, and numbers of colours are no levels; save it in "
                    "grey: convert %s -colorspace Gray -type Grayscale grey.png",
                    in->path, in->path);
    if (data[12] == 1)
        return FAIL(PAV_EFORMAT,
                    "%s is interlaced, which is not read; save it without: convert %s "
                    "-interlace none plain.png",
                    in->path, in->path);
    if (in->parts == 0 || data[10] || data[11] || data[12] || in->width < 1 ||
        in->height < 1 ||
        !(bits == 8 || bits == 16 || (kind == 0 && bits && 8 % bits == 0)))
        return FAIL(PAV_EFORMAT,
                    "%s is a PNG file of unknown kind: type %d, %d bits, %lldx%lld "
                    "pixels",
                    in->path, kind, bits, (long long)in->width, (long long)in->height);
    in->row = 1 + (in->width * in->parts * bits + 7) / 8;
    return PAV_OK;
}

/* True if readers need the chunk, as its first letter is a capital, and it is unknown. */
static bool is_unknown(const uint8_t *name)
{
    return name[0] <= 'Z' && memcmp(name, "IHDR", 4) != 0 &&
           memcmp(name, "PLTE", 4) != 0 && memcmp(name, "IDAT", 4) != 0 &&
           memcmp(name, "IEND", 4) != 0;
}

/* Walks over the chunks, and moves the packed pixels together at the front. */
static pav_status parse_chunks(png_input *in)
{
    int64_t length = 0;
    bool ended = false;

    for (int64_t at = SIGNATURE; !ended; at += length + FRAME) {
        const uint8_t *chunk = in->bytes + at;
        if (in->length - at >= FRAME)
            length = number_at(chunk);
        if (in->length - at < length + FRAME)
            return FAIL(PAV_EFORMAT, "%s is cut short after %lld bytes", in->path,
                        (long long)in->length);
        const uint8_t *data = chunk + 8;
        if (png_crc(chunk + 4, length + 4) != number_at(data + length))
            return FAIL(PAV_EFORMAT,
                        "%s is damaged: the chunk at byte %lld has another checksum",
                        in->path, (long long)at);
        if ((memcmp(chunk + 4, "IHDR", 4) == 0 && length == IHDR) != (at == SIGNATURE))
            return FAIL(PAV_EFORMAT, "%s is no PNG file: its header is not the first",
                        in->path);
        if (at == SIGNATURE)
            TRY(parse_header(in, data));
        if (memcmp(chunk + 4, "tRNS", 4) == 0)
            return FAIL(PAV_EFORMAT, "%s has transparent pixels", in->path);
        if (is_unknown(chunk + 4))
            return FAIL(PAV_EFORMAT, "%s needs its chunk at byte %lld, which is unknown",
                        in->path, (long long)at);
        if (memcmp(chunk + 4, "IDAT", 4) == 0) {
            memmove(in->bytes + in->packed, data, (size_t)length);
            in->packed += length;
        }
        ended = memcmp(chunk + 4, "IEND", 4) == 0;
    }
    return PAV_OK;
}

/* ---- pixels ------------------------------------------------------------------------ */

static pav_status unpack(png_input *in)
{
    int (*uncompress)(uint8_t * to, unsigned long *size, const uint8_t *from,
                      unsigned long length) = NULL;
    const library_call call = {"uncompress", 0};
    unsigned long size = (unsigned long)(in->row * in->height);
    const char *file;
    void *library = library_open("zlib", &file);

    if (!library || !library_find(library, &call, 1, &uncompress))
        return FAIL(
            PAV_EUNSUPPORTED,
            "%s: PNG files need the zlib library, which is not there; install it "
            "(Debian, Ubuntu: apt install zlib1g; Fedora: dnf install zlib; conda "
            "install zlib), or use a .npy file",
            in->path);
    TRY(mem_take(&in->rows, in->height, (size_t)in->row));
    if (uncompress(in->rows, &size, in->bytes, (unsigned long)in->packed) != 0 ||
        size != (unsigned long)(in->row * in->height))
        return FAIL(PAV_EFORMAT,
                    "%s is damaged: its pixels do not unpack to %lld rows of %lld bytes",
                    in->path, (long long)in->height, (long long)in->row);
    return PAV_OK;
}

/* The neighbour of left, above and corner that is nearest to left + above - corner. */
static int nearest_of(int left, int above, int corner)
{
    const int l = abs(above - corner), a = abs(left - corner),
              c = abs(left + above - 2 * corner);

    return l <= a && l <= c ? left : a <= c ? above : corner;
}

/* Rows hold differences to a guess made of neighbours. Replaces them by levels. */
static pav_status add_guesses(const png_input *in)
{
    const int pixel = in->bits < 8 ? 1 : in->parts * in->bits / 8;

    for (int64_t y = 0; y < in->height; y++) {
        uint8_t *row = in->rows + y * in->row;
        if (row[0] > 4)
            return FAIL(PAV_EFORMAT, "%s is damaged: row %lld has filter %d of 0 to 4",
                        in->path, (long long)y, row[0]);
        for (int64_t n = 1; n < in->row; n++) {
            const int left = n > pixel ? row[n - pixel] : 0;
            const int above = y > 0 ? row[n - in->row] : 0;
            const int corner = y > 0 && n > pixel ? row[n - in->row - pixel] : 0;
            const int guess[] = {0, left, above, (left + above) / 2,
                                 nearest_of(left, above, corner)};
            row[n] = (uint8_t)(row[n] + guess[row[0]]);
        }
    }
    return PAV_OK;
}

/* Number n of a row. */
static int level_at(const png_input *in, const uint8_t *row, int64_t n)
{
    const int64_t bit = n * in->bits;
    const uint8_t *at = row + 1 + bit / 8;

    return in->bits == 16 ? at[0] << 8 | at[1]
                          : at[0] >> (8 - in->bits - bit % 8) & ((1 << in->bits) - 1);
}

static pav_status next_levels(void *file, double *values, int64_t count)
{
    png_input *in = file;
    const int top = (1 << in->bits) - 1;

    for (int64_t n = 0; values && n < count; n++) {
        const int64_t x = (in->done + n) % in->width, y = (in->done + n) / in->width;
        const uint8_t *row = in->rows + (in->down ? y : in->height - 1 - y) * in->row;
        const int red = level_at(in, row, x * in->parts);
        int thousand = 1000 * red;
        if (in->parts > 2)
            thousand = 299 * red + 587 * level_at(in, row, x * in->parts + 1) +
                       114 * level_at(in, row, x * in->parts + 2);
        if (in->parts % 2 == 0 && level_at(in, row, (x + 1) * in->parts - 1) != top)
            return FAIL(PAV_EFORMAT,
                        "%s has transparent pixels, the first at (%lld, %lld)", in->path,
                        (long long)x, (long long)y);
        values[n] = in->mask ? thousand != 0 : thousand / (1000.0 * top);
    }
    in->done += count;
    return PAV_OK;
}

pav_status png_read_view(const char *path, int dimensions, bool down, const view *v,
                         progress_sink *a)
{
    OWNED_BY(free_input)
    png_input in = {.path = path, .mask = v->type == PAV_U8, .down = down};

    TRY(load_bytes(&in));
    TRY(parse_chunks(&in));
    TRY(shape_check(path, 2, (int64_t[]){in.height, in.width}, dimensions, v));
    TRY(unpack(&in));
    TRY(add_guesses(&in));
    return lines_read(v, NULL, (int[]){0, 1, 2}, next_levels, &in, a);
}
