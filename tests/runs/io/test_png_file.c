/* SPDX-License-Identifier: BSD-3-Clause */
/* PNG files, taken apart by this test's own reader: chunks, checksums, and every byte of
 * the pixels. */
#include "io/io_private.h"
#include "scratch.h"
#include "test.h"

/* ---- a reader ---------------------------------------------------------------------- */

typedef struct reader {
    const uint8_t *at;
    int64_t bits; /* read so far */
} reader;

static unsigned take(reader *r, int count)
{
    unsigned value = 0;
    for (int n = 0; n < count; n++, r->bits++)
        value |= (unsigned)(r->at[r->bits / 8] >> (r->bits % 8) & 1) << n;
    return value;
}

static unsigned append_bits(reader *r, unsigned code, int count)
{
    for (int n = 0; n < count; n++)
        code = code << 1 | take(r, 1);
    return code;
}

/* RFC 1951, 3.2.6: first codes of 7 bits, then of 8, then of 9. */
static unsigned take_symbol(reader *r)
{
    unsigned code = append_bits(r, 0, 7);
    if (code < 24)
        return 256 + code;
    code = append_bits(r, code, 1);
    if (code < 192)
        return code - 48;
    if (code < 200)
        return 280 + code - 192;
    return 144 + append_bits(r, code, 1) - 400;
}

static int64_t take_length(reader *r, unsigned symbol)
{
    static const int base[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                               15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                               67, 83, 99, 115, 131, 163, 195, 227, 258};
    const unsigned n = symbol - 257;
    REQUIRE(n < COUNT_OF(base));
    return base[n] + (int64_t)take(r, n < 8 || n == 28 ? 0 : (int)n / 4 - 1);
}

static int64_t take_distance(reader *r)
{
    static const int base[] = {1,    2,    3,    4,     5,     7,    9,    13,
                               17,   25,   33,   49,    65,    97,   129,  193,
                               257,  385,  513,  769,   1025,  1537, 2049, 3073,
                               4097, 6145, 8193, 12289, 16385, 24577};
    const unsigned n = append_bits(r, 0, 5);
    REQUIRE(n < COUNT_OF(base));
    return base[n] + (int64_t)take(r, n < 4 ? 0 : (int)n / 2 - 1);
}

/* Returns the number of bytes; writes at most `most` bytes. */
static int64_t inflate(reader *r, uint8_t *to, int64_t most)
{
    int64_t count = 0;
    CHECK_EQ(take(r, 3), 3);
    for (unsigned symbol = take_symbol(r); symbol != 256; symbol = take_symbol(r)) {
        const int64_t length = symbol < 256 ? 1 : take_length(r, symbol);
        const int64_t back = symbol < 256 ? 0 : take_distance(r);
        REQUIRE(count + length <= most && back <= count);
        for (int64_t n = 0; n < length; n++, count++)
            to[count] = back ? to[count - back] : (uint8_t)symbol;
    }
    return count;
}

static unsigned number(const uint8_t *at)
{
    return (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
}

static unsigned adler(const uint8_t *bytes, int64_t length)
{
    unsigned a = 1, b = 0;
    for (int64_t n = 0; n < length; n++) {
        a = (a + bytes[n]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static unsigned crc(const uint8_t *bytes, int64_t length)
{
    unsigned rest = 0xffffffff;
    for (int64_t n = 0; n < 8 * length; n++) {
        const unsigned bit = (unsigned)bytes[n / 8] >> (n % 8) & 1;
        rest = rest >> 1 ^ ((rest ^ bit) & 1 ? 0xedb88320 : 0);
    }
    return ~rest;
}

/* Unpacks a whole stream: header, block, checksum, and no byte more. */
static void unpack(const uint8_t *stream, int64_t size, uint8_t *to, int64_t length)
{
    reader r = {stream, 16};
    CHECK(stream[0] == 0x78 && (stream[0] * 256 + stream[1]) % 31 == 0);
    REQUIRE(inflate(&r, to, length) == length);
    CHECK_EQ((r.bits + 7) / 8 + 4, size);
    CHECK_EQ(number(stream + (r.bits + 7) / 8), adler(to, length));
}

/* ---- streams ----------------------------------------------------------------------- */

static int64_t round_trip(const uint8_t *bytes, int64_t length, int64_t row)
{
    int64_t size = 0;
    uint8_t *stream = deflate_rows(bytes, length, row, &size);
    uint8_t *back = mem_new(length + 1, 1);
    REQUIRE(stream && back);
    unpack(stream, size, back, length);
    CHECK(memcmp(bytes, back, (size_t)length) == 0);
    mem_free(stream);
    mem_free(back);
    return size;
}

TEST(random_bytes_of_few_and_many_kinds_come_back)
{
    static uint8_t bytes[3000];
    rng r = {11};
    for (int n = 0; n < 400; n++) {
        const int64_t length = rng_below(&r, (int64_t)sizeof bytes + 1);
        const int64_t kinds = 1 + rng_below(&r, n % 2 ? 3 : 256);
        for (int64_t k = 0; k < length; k++)
            bytes[k] = (uint8_t)rng_below(&r, kinds);
        round_trip(bytes, length, 1 + rng_below(&r, 1000));
    }
}

TEST(every_length_and_distance_of_a_match_comes_back)
{
    static uint8_t bytes[70000];
    rng r = {5};
    for (int64_t distance = 4; distance <= 32769; distance += distance < 64 ? 1 : 877) {
        const int64_t length = 3 + rng_below(&r, 600);
        for (int64_t k = 0; k < distance; k++)
            bytes[k] = (uint8_t)rng_below(&r, 256);
        for (int64_t k = distance; k < distance + length; k++)
            bytes[k] = bytes[k - distance];
        const int64_t size = round_trip(bytes, distance + length, distance);
        CHECK(distance > 32768 || size < distance * 9 / 8 + 30);
    }
}

TEST(even_areas_shrink_and_noise_grows_by_no_more_than_an_eighth)
{
    static uint8_t bytes[300000];
    rng r = {7};
    CHECK(round_trip(bytes, sizeof bytes, 3001) < 3000);
    for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = (uint8_t)(200 + rng_below(&r, 56));
    CHECK(round_trip(bytes, sizeof bytes, 3001) <= (int64_t)sizeof bytes * 9 / 8 + 16);
}

/* ---- files ------------------------------------------------------------------------- */

/* The data of the next chunk, with its type and checksum checked. */
static const uint8_t *chunk(const uint8_t **at, const char *type, int64_t *length)
{
    const uint8_t *data = *at + 8;
    *length = number(*at);
    CHECK(memcmp(*at + 4, type, 4) == 0);
    CHECK_EQ(number(data + *length), crc(*at + 4, 4 + *length));
    *at = data + *length + 4;
    return data;
}

static void check_pixels(const canvas *c, const uint8_t *stream, int64_t size)
{
    const int64_t row = 3 * (int64_t)c->width + 1;
    uint8_t *rows = mem_new(c->height, (size_t)row);
    REQUIRE(rows);
    unpack(stream, size, rows, row * c->height);
    for (int64_t y = 0; y < c->height; y++) {
        CHECK_EQ(rows[y * row], 0);
        CHECK(memcmp(rows + y * row + 1, c->pixel + y * (row - 1), (size_t)row - 1) == 0);
    }
    mem_free(rows);
}

TEST(a_png_file_holds_the_picture_pixel_by_pixel)
{
    double values[60];
    int64_t length, size;
    canvas c;
    for (int n = 0; n < 60; n++)
        values[n] = n * n % 17;
    const picture p = {.title = "u, step 3",
                       .axis_to = {9, 5},
                       .width = 10,
                       .height = 6,
                       .value = values,
                       .to = 17};
    REQUIRE_OK(picture_draw(&p, &c));
    REQUIRE_OK(png_write(scratch_path("a.png"), &p, NULL));
    char *file = scratch_read("a.png", &length);
    const uint8_t *at = (const uint8_t *)file + 8;
    CHECK(memcmp(file, "\x89PNG\r\n\x1a\n", 8) == 0);
    const uint8_t *header = chunk(&at, "IHDR", &size);
    CHECK_EQ(size, 13);
    CHECK(number(header) == (unsigned)c.width &&
          number(header + 4) == (unsigned)c.height);
    CHECK(memcmp(header + 8, "\x08\x02\0\0\0", 5) == 0);
    const uint8_t *stream = chunk(&at, "IDAT", &size);
    check_pixels(&c, stream, size);
    chunk(&at, "IEND", &size);
    CHECK(size == 0 && at == (const uint8_t *)file + length);
    mem_free(file);
    canvas_free(&c);
}

TEST(the_same_picture_gives_the_same_file)
{
    const double values[] = {0, 0.25, 0.5, 1};
    const picture p = {
        .axis_to = {1, 1}, .width = 2, .height = 2, .value = values, .to = 1};
    int64_t length[2];
    REQUIRE_OK(png_write(scratch_path("a.png"), &p, NULL));
    REQUIRE_OK(png_write(scratch_path("b.png"), &p, NULL));
    char *a = scratch_read("a.png", &length[0]), *b = scratch_read("b.png", &length[1]);
    CHECK(length[0] == length[1] && memcmp(a, b, (size_t)length[0]) == 0);
    CHECK_EQ(scratch_count(), 2);
    mem_free(a);
    mem_free(b);
}

TEST(a_png_file_without_memory_or_directory_fails)
{
    const double values[] = {0, 0.25, 0.5, 1};
    const picture p = {
        .axis_to = {1, 1}, .width = 2, .height = 2, .value = values, .to = 1};
    const char *path = scratch_path("a.png");
    pav_status status = PAV_ENOMEM;
    int refused = 0;
    for (; status != PAV_OK && refused < 100; refused += status != PAV_OK) {
        CHECK_EQ(scratch_count(), 0);
        mem_fail_after(refused + 1);
        status = png_write(path, &p, NULL);
        mem_fail_after(0);
    }
    CHECK(refused >= 3 && status == PAV_OK);
    CHECK_EQ(remove(path), 0);
    CHECK_STATUS(png_write(scratch_path("no/a.png"), &p, NULL), PAV_EIO);
    CHECK_EQ(scratch_count(), 0);
}
