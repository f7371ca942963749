/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading PNG files into fields. The files are made here, chunk by chunk. */
#include <stdlib.h>

#include "io/io_private.h"
#include "scratch.h"
#include "test.h"

enum { GREY = 0, COLOURS = 2, PALETTE = 3, GREY_ALPHA = 4, COLOURS_ALPHA = 6 };

static bool has_zlib(void)
{
    const char *file;
    const bool there = library_open("zlib", &file);
    if (!there)
        test_skip("pictures", "there is no zlib library");
    return there;
}

static void put_32(text *t, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        text_add_bytes(t, &(char){(char)(value >> shift)}, 1);
}

static void add_chunk(text *t, const char *type, const void *bytes, int64_t length)
{
    const int64_t start = t->length + 4;
    put_32(t, (uint32_t)length);
    text_add_bytes(t, type, 4);
    text_add_bytes(t, bytes, length);
    put_32(t, png_crc((const uint8_t *)t->data + start, t->length - start));
}

/* rows: each after its filter, of `row` bytes. The pixels are in two chunks. */
static void make_png(text *t, int width, int height, int bits, int kind, int interlace,
                     const uint8_t *rows, int64_t row)
{
    const uint8_t header[13] = {[3] = (uint8_t)width,
                                [7] = (uint8_t)height,
                                [8] = (uint8_t)bits,
                                [9] = (uint8_t)kind,
                                [12] = (uint8_t)interlace};
    int64_t size = 0;
    OWNED uint8_t *packed = deflate_rows(rows, row * height, row, &size);
    REQUIRE(packed);
    text_add_bytes(t, (const char *)png_signature, 8);
    add_chunk(t, "IHDR", header, 13);
    add_chunk(t, "tEXt", "Title", 5);
    add_chunk(t, "IDAT", packed, size / 2);
    add_chunk(t, "IDAT", packed + size / 2, size - size / 2);
    add_chunk(t, "IEND", "", 0);
}

static view view_of(double *values, int64_t width, int64_t height)
{
    return (view){.data = values,
                  .type = PAV_F64,
                  .extent = {width, height, 1},
                  .stride = {1, width, width * height}};
}

/* Reads a picture of one row, or more, into values, from the bottom. */
static pav_status read_png(const text *t, bool down, int64_t width, int64_t height,
                           double *values)
{
    const view v = view_of(values, width, height);
    scratch_write("a.png", t->data, t->length);
    return field_read(scratch_path("a.png"), 2, down, &v, NULL);
}

static void check_row(int bits, int kind, const uint8_t *row, int64_t length, int width,
                      const double *expected)
{
    OWNED_BY(text_free) text t = {0};
    double values[8] = {0};
    make_png(&t, width, 1, bits, kind, 0, row, length);
    REQUIRE_OK(read_png(&t, false, width, 1, values));
    for (int x = 0; x < width; x++)
        CHECK(values[x] == expected[x]);
}

TEST(every_depth_gives_levels_from_0_to_1)
{
    if (!has_zlib())
        return;
    check_row(1, GREY, (uint8_t[]){0, 0x60}, 2, 3, (double[]){0, 1, 1});
    check_row(2, GREY, (uint8_t[]){0, 0x1b}, 2, 4, (double[]){0, 1. / 3, 2. / 3, 1});
    check_row(4, GREY, (uint8_t[]){0, 0x0f, 0x70}, 3, 3, (double[]){0, 1, 7. / 15});
    check_row(8, GREY, (uint8_t[]){0, 0, 255, 77}, 4, 3, (double[]){0, 1, 77. / 255});
    check_row(16, GREY, (uint8_t[]){0, 255, 255, 1, 2}, 5, 2,
              (double[]){1, 258. / 65535});
}

TEST(a_colour_becomes_its_luma_and_a_grey_colour_its_level)
{
    if (!has_zlib())
        return;
    check_row(8, COLOURS, (uint8_t[]){0, 9, 9, 9, 255, 0, 0, 0, 255, 0}, 10, 3,
              (double[]){9. / 255, 0.299, 0.587});
    check_row(8, COLOURS_ALPHA, (uint8_t[]){0, 0, 0, 255, 255}, 5, 1, (double[]){0.114});
    check_row(16, GREY_ALPHA, (uint8_t[]){0, 1, 2, 255, 255}, 5, 1,
              (double[]){258. / 65535});
}

/* The guess of a filter, as the standard words it. */
static int guess_of(int filter, int a, int b, int c)
{
    const int p = a + b - c;
    switch (filter) {
    case 1: return a;
    case 2: return b;
    case 3: return (a + b) / 2;
    case 4:
        if (abs(p - a) <= abs(p - b) && abs(p - a) <= abs(p - c))
            return a;
        return abs(p - b) <= abs(p - c) ? b : c;
    default: return 0;
    }
}

TEST(every_filter_is_undone_and_the_top_is_the_last_row_unless_y_points_down)
{
    enum { WIDTH = 7, HEIGHT = 40, ROW = 1 + 2 * WIDTH };
    static uint8_t pixel[HEIGHT][2 * WIDTH], rows[HEIGHT][ROW];
    OWNED_BY(text_free) text t = {0};
    double values[HEIGHT][WIDTH], turned[HEIGHT][WIDTH];
    rng r = {3};
    if (!has_zlib())
        return;
    for (int y = 0; y < HEIGHT; y++) {
        rows[y][0] = (uint8_t)(y % 5);
        for (int n = 0; n < 2 * WIDTH; n++) {
            const int a = n < 2 ? 0 : pixel[y][n - 2], b = y < 1 ? 0 : pixel[y - 1][n];
            const int c = n < 2 || y < 1 ? 0 : pixel[y - 1][n - 2];
            pixel[y][n] = (uint8_t)rng_below(&r, 256);
            rows[y][1 + n] = (uint8_t)(pixel[y][n] - guess_of(y % 5, a, b, c));
        }
    }
    make_png(&t, WIDTH, HEIGHT, 16, GREY, 0, rows[0], ROW);
    REQUIRE_OK(read_png(&t, false, WIDTH, HEIGHT, values[0]));
    REQUIRE_OK(read_png(&t, true, WIDTH, HEIGHT, turned[0]));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            CHECK(turned[y][x] ==
                  (256 * pixel[y][2 * x] + pixel[y][2 * x + 1]) / 65535.0);
            CHECK(values[HEIGHT - 1 - y][x] == turned[y][x]);
        }
}

TEST(a_mask_holds_where_the_picture_is_not_black)
{
    OWNED_BY(text_free) text t = {0};
    uint8_t values[3] = {9, 9, 9};
    const view v = {
        .data = values, .type = PAV_U8, .extent = {3, 1, 1}, .stride = {1, 3, 3}};
    if (!has_zlib())
        return;
    make_png(&t, 3, 1, 8, GREY, 0, (uint8_t[]){0, 1, 0, 255}, 4);
    scratch_write("m.png", t.data, t.length);
    REQUIRE_OK(field_read(scratch_path("m.png"), 2, false, &v, NULL));
    CHECK(values[0] == 1 && values[1] == 0 && values[2] == 1);
}

TEST(a_picture_of_the_writer_comes_back)
{
    canvas c;
    double values[6];
    const view v = view_of(values, 3, 2);
    if (!has_zlib())
        return;
    REQUIRE(canvas_new(&c, 3, 2, 1));
    canvas_fill(&c, 1, 0, 1, 1, (rgb){51, 51, 51});
    REQUIRE_OK(png_write_canvas(scratch_path("c.png"), &c, NULL, NULL));
    canvas_free(&c);
    REQUIRE_OK(field_read(scratch_path("c.png"), 2, false, &v, NULL));
    CHECK(values[0] == 1 && values[1] == 1 && values[4] == 51. / 255 && values[5] == 1);
}

static void check_told(const text *t, const char *what)
{
    double values[6];
    CHECK_STATUS(read_png(t, false, 3, 1, values), PAV_EFORMAT);
    if (!strstr(pav_message(), what))
        CHECK_STR(pav_message(), what);
}

TEST(pictures_of_other_kinds_are_told)
{
    static const struct {
        int width, bits, kind, interlace;
        uint8_t row[14];
        const char *told;
    } bad[] = {
        {4, 8, GREY, 0, {0}, "the file holds 1x4 (y, x), the grid is x 3, y 1"},
        {3, 8, PALETTE, 0, {0}, "has a palette"},
        {3, 8, GREY, 1, {0}, "is interlaced"},
        {3, 3, GREY, 0, {0}, "of unknown kind: type 0, 3 bits"},
        {3, 4, COLOURS, 0, {0}, "of unknown kind: type 2, 4 bits"},
        {3,
         8,
         GREY_ALPHA,
         0,
         {0, 7, 255, 8, 254},
         "transparent pixels, the first at (1, 0)"},
        {3, 8, GREY, 0, {5}, "row 0 has filter 5"},
    };
    if (!has_zlib())
        return;
    for (size_t n = 0; n < COUNT_OF(bad); n++) {
        OWNED_BY(text_free) text t = {0};
        const int parts = bad[n].kind == GREY_ALPHA ? 2 : 1;
        make_png(&t, bad[n].width, 1, bad[n].bits, bad[n].kind, bad[n].interlace,
                 bad[n].row, 1 + bad[n].width * parts);
        check_told(&t, bad[n].told);
    }
}

TEST(an_unknown_chunk_is_told_if_readers_need_it)
{
    enum { HEAD = 8 + 25 };
    OWNED_BY(text_free) text t = {0};
    double values[3];
    if (!has_zlib())
        return;
    make_png(&t, 3, 1, 8, GREY, 0, (uint8_t[]){0, 1, 2, 3}, 4);
    for (int needed = 0; needed < 2; needed++) {
        OWNED_BY(text_free) text more = {0};
        text_add_bytes(&more, t.data, HEAD);
        add_chunk(&more, needed ? "ABCD" : "abCD", "xy", 2);
        text_add_bytes(&more, t.data + HEAD, t.length - HEAD);
        if (needed)
            check_told(&more, "needs its chunk at byte 33, which is unknown");
        else
            REQUIRE_OK(read_png(&more, false, 3, 1, values));
    }
}

TEST(damaged_pictures_are_told)
{
    OWNED_BY(text_free) text t = {0}, cut = {0}, wide = {0};
    if (!has_zlib())
        return;
    make_png(&t, 3, 1, 8, GREY, 0, (uint8_t[]){0, 1, 2, 3}, 4);
    for (int64_t length = 8; length < t.length; length++) {
        cut.length = 0;
        text_add_bytes(&cut, t.data, length);
        check_told(&cut, "is cut short");
    }
    for (int64_t at = 8; at < t.length; at++) {
        double values[3];
        t.data[at] ^= 1;
        CHECK_STATUS(read_png(&t, false, 3, 1, values), PAV_EFORMAT);
        t.data[at] ^= 1;
    }
    t.data[17] ^= 1;
    check_told(&t, "the chunk at byte 8 has another checksum");
    make_png(&wide, 3, 1, 16, GREY, 0, (uint8_t[]){0, 1, 2, 3}, 4);
    check_told(&wide, "its pixels do not unpack to 1 rows of 7 bytes");
    wide.data[0] = 'x';
    check_told(&wide, "is no PNG file");
}
