/* SPDX-License-Identifier: BSD-3-Clause */
/* Compresses pictures to zlib streams (RFC 1950): one block of fixed codes (RFC 1951).
 * Matches are searched in two places only: the pixel before and the pixel above. Large
 * even areas shrink well; noise grows by a sixteenth. */
#include "io/io_private.h"

enum {
    PIXEL = 3,
    SHORTEST = 3, /* match, in bytes */
    LONGEST = 258,
    FARTHEST = 32768,
    END_OF_BLOCK = 256,
    LENGTHS = 257, /* first symbol of a length */
    LONGEST_SYMBOL = 285,
    OVERHEAD = 16, /* bytes before and after the symbols */
};

typedef struct bit_stream {
    uint8_t *at;
    uint64_t pending;
    int count; /* number of pending bits */
} bit_stream;

/* Writes bits, lowest first. */
static void put_bits(bit_stream *s, uint64_t value, int count)
{
    s->pending |= value << s->count;
    for (s->count += count; s->count >= 8; s->count -= 8, s->pending >>= 8)
        *s->at++ = (uint8_t)s->pending;
}

/* Writes a code, highest bit first. */
static void put_code(bit_stream *s, unsigned code, int count)
{
    uint64_t turned = 0;

    for (int n = 0; n < count; n++)
        turned |= (uint64_t)(code >> n & 1) << (count - 1 - n);
    put_bits(s, turned, count);
}

static void put_symbol(bit_stream *s, unsigned symbol)
{
    if (symbol < 144)
        put_code(s, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(s, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(s, symbol - 256, 7);
    else
        put_code(s, 0xc0 + symbol - 280, 8);
}

/* Number of bits of `value` below its `leading` highest ones. These bits follow the
 * symbol unchanged. */
static int plain_bits(unsigned value, int leading)
{
    int count = 0;

    while (value >> count >= 1U << leading)
        count++;
    return count;
}

static void put_match(bit_stream *s, int length, int64_t distance)
{
    const unsigned l = (unsigned)length - SHORTEST, d = (unsigned)distance - 1;
    const int l_bits = plain_bits(l, 3), d_bits = plain_bits(d, 2);

    if (length == LONGEST) {
        put_symbol(s, LONGEST_SYMBOL);
    } else {
        put_symbol(s, LENGTHS + 4 * (unsigned)l_bits + (l >> l_bits));
        put_bits(s, l & ((1U << l_bits) - 1), l_bits);
    }
    put_code(s, 2 * (unsigned)d_bits + (d >> d_bits), 5);
    put_bits(s, d & ((1U << d_bits) - 1), d_bits);
}

/* Number of bytes from `at` on equal to the bytes `distance` earlier. */
static int repeated(const uint8_t *bytes, int64_t at, int64_t length, int64_t distance)
{
    const int64_t most = length - at < LONGEST ? length - at : LONGEST;
    int count = 0;

    if (distance > at || distance > FARTHEST)
        return 0;
    while (count < most && bytes[at + count] == bytes[at + count - distance])
        count++;
    return count;
}

static void put_all(bit_stream *s, const uint8_t *bytes, int64_t length, int64_t row)
{
    for (int64_t at = 0; at < length;) {
        const int before = repeated(bytes, at, length, PIXEL);
        const int above = repeated(bytes, at, length, row);
        const int longer = above > before ? above : before;
        if (longer < SHORTEST) {
            put_symbol(s, bytes[at++]);
        } else {
            put_match(s, longer, above > before ? row : PIXEL);
            at += longer;
        }
    }
    put_symbol(s, END_OF_BLOCK);
}

static uint32_t adler32(const uint8_t *bytes, int64_t length)
{
    enum { PRIME = 65521, PIECE = 5000 /* sums of PIECE bytes fit into 32 bits */ };
    uint32_t sum = 1, sums = 0;

    for (int64_t from = 0; from < length; from += PIECE) {
        for (int64_t n = from; n < length && n < from + PIECE; n++)
            sums += sum += bytes[n];
        sum %= PRIME;
        sums %= PRIME;
    }
    return sums << 16 | sum;
}

uint8_t *deflate_rows(const uint8_t *bytes, int64_t length, int64_t row, int64_t *size)
{
    uint8_t *stream = mem_new(length + length / 8 + OVERHEAD, 1);
    bit_stream s = {.at = stream};

    if (!stream)
        return NULL;
    put_bits(&s, 0x0178, 16); /* deflate, a window of 32 KiB */
    put_bits(&s, 3, 3);       /* the last block, of fixed codes */
    put_all(&s, bytes, length, row);
    put_bits(&s, 0, (8 - s.count) % 8);
    const uint32_t sum = adler32(bytes, length);
    for (int shift = 24; shift >= 0; shift -= 8)
        put_bits(&s, sum >> shift & 255, 8);
    *size = s.at - stream;
    return stream;
}
