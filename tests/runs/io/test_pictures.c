/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures: colours, ticks, letters, layout. */
#include "scratch.h"
#include "seen.h"
#include "test.h"

static int brightness(rgb c)
{
    return 299 * c.r + 587 * c.g + 114 * c.b;
}

static int count_colour(const canvas *c, rgb colour)
{
    int count = 0;
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++)
            count += colours_are_equal(seen_pixel(c, x, y), colour);
    return count;
}

/* ---- colours ----------------------------------------------------------------------- */

TEST(every_colour_map_of_the_list_is_known_and_no_other)
{
    char list[200];
    int count = 0;
    REQUIRE(strlen(colours_list()) < sizeof list);
    strcpy(list, colours_list());
    for (char *name = strtok(list, ", "); name; name = strtok(NULL, ", "), count++)
        CHECK(colours_find(name));
    CHECK_EQ(count, 5);
    CHECK(!colours_find("rainbow") && !colours_find(""));
}

TEST(sequential_maps_grow_brighter_all_the_way)
{
    const char *const names[] = {"viridis", "magma", "inferno", "grey"};
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        const colour_map *map = colours_find(names[n]);
        for (int i = 0; i < 100; i++)
            CHECK(brightness(colours_at(map, i + 1, 0, 100)) >=
                  brightness(colours_at(map, i, 0, 100)));
        CHECK(brightness(colours_at(map, 100, 0, 100)) -
                  brightness(colours_at(map, 0, 0, 100)) >
              150000);
    }
}

TEST(the_diverging_map_is_white_at_0_whatever_the_range)
{
    const colour_map *map = colours_find("seismic");
    const rgb white = colours_at(map, 0, -1, 1), blue = colours_at(map, -1, -1, 3);
    CHECK(brightness(white) > 240000);
    CHECK(colours_are_equal(colours_at(map, 0, -1, 3), white) &&
          colours_are_equal(colours_at(map, 0, -5, 0.1), white));
    CHECK(blue.b > blue.r);
    CHECK(colours_are_equal(colours_at(map, -1, -1, 3), colours_at(map, -1, -3, 1)));
}

TEST(values_beyond_the_range_have_the_colours_of_its_ends)
{
    const colour_map *map = colours_find("viridis");
    CHECK(colours_are_equal(colours_at(map, -9, 0, 1), colours_at(map, 0, 0, 1)));
    CHECK(colours_are_equal(colours_at(map, 1e300, 0, 1), colours_at(map, 1, 0, 1)));
    CHECK(colours_are_equal(colours_at(map, 1e308, -1.7e308, 1.7e308),
                            colours_at(map, 1, -1.7, 1.7)));
}

TEST(values_that_are_not_finite_have_a_colour_of_their_own)
{
    const colour_map *map = colours_find("viridis");
    CHECK(colours_are_equal(colours_at(map, NAN, 0, 1), colours_at(map, NAN, 0, 1)));
    CHECK(colours_are_equal(colours_at(map, INFINITY, 0, 1), colours_at(map, NAN, 0, 1)));
    for (int i = 0; i <= 100; i++)
        CHECK(!colours_are_equal(colours_at(map, i, 0, 100), colours_at(map, NAN, 0, 1)));
}

/* ---- ticks ------------------------------------------------------------------------- */

TEST(ticks_are_round_numbers_within_the_range)
{
    ticks t;
    ticks_choose(0, 511, 10, &t);
    CHECK_EQ(t.count, 6);
    CHECK_STR(t.text[0], "0");
    CHECK_STR(t.text[5], "500");
    ticks_choose(-0.35, 0.42, 10, &t);
    CHECK_EQ(t.count, 8);
    CHECK_STR(t.text[0], "-0.3");
    CHECK_STR(t.text[3], "0");
    CHECK_STR(t.text[7], "0.4");
    CHECK_NEAR(t.value[7], 0.4, 1e-15);
}

TEST(ends_of_a_range_are_ticks_when_they_are_round)
{
    ticks t;
    ticks_choose(0, 0.3, 4, &t);
    CHECK_EQ(t.count, 4);
    CHECK_STR(t.text[3], "0.3");
}

TEST(all_ticks_of_an_axis_have_one_format)
{
    ticks t;
    ticks_choose(0, 1.2e-5, 4, &t);
    CHECK_EQ(t.count, 3);
    CHECK_STR(t.text[1], "0.5e-5");
    CHECK_STR(t.text[2], "1.0e-5");
}

TEST(small_and_large_ticks_are_written_with_powers_of_ten)
{
    ticks t;
    ticks_choose(0, 2.5e-8, 5, &t);
    CHECK_STR(t.text[1], "1e-8");
    ticks_choose(1e12, 5e12, 5, &t);
    CHECK_STR(t.text[0], "1e12");
    ticks_choose(-2.5e-7, -2e-7, 6, &t);
    CHECK_STR(t.text[0], "-2.5e-7");
}

TEST(ticks_near_1_are_plain_however_close_they_are)
{
    ticks t;
    ticks_choose(1, 1.0000001, 6, &t);
    CHECK_STR(t.text[0], "1.00000000");
    CHECK_STR(t.text[1], "1.00000002");
    ticks_choose(-20.0000003, -20, 4, &t);
    CHECK_STR(t.text[0], "-20.0000003");
}

TEST(there_are_never_more_ticks_than_asked_for)
{
    rng r = {3};
    for (int n = 0; n < 3000; n++) {
        ticks t;
        const double from = (rng_unit(&r) - 0.5) *
                            pow(10, (double)rng_below(&r, 40) - 20);
        const double to = from + rng_unit(&r) * pow(10, (double)rng_below(&r, 40) - 20);
        const int most = 2 + (int)rng_below(&r, 12);
        if (!(to > from))
            continue;
        ticks_choose(from, to, most, &t);
        CHECK(t.count <= most);
        for (int i = 0; i < t.count; i++)
            CHECK(t.value[i] >= from - 1e-6 * (to - from) &&
                  t.value[i] <= to + 1e-6 * (to - from));
    }
}

TEST(ranges_that_doubles_cannot_divide_have_no_ticks)
{
    ticks t;
    ticks_choose(1, 1 + 1e-15, 5, &t);
    CHECK_EQ(t.count, 0);
    ticks_choose(-1.7e308, 1.7e308, 5, &t);
    CHECK_EQ(t.count, 0);
    ticks_choose(0, 1e-310, 5, &t);
    CHECK_EQ(t.count, 0);
}

/* ---- letters ----------------------------------------------------------------------- */

TEST(every_printable_letter_differs_from_every_other)
{
    for (unsigned a = 32; a < 127; a++)
        for (unsigned b = a + 1; b < 127; b++)
            CHECK(memcmp(font_glyph(a), font_glyph(b), GLYPH_ROWS) != 0);
    CHECK(font_glyph(200) == font_glyph(10) && font_glyph(0) == font_glyph(127));
}

TEST(text_outside_of_the_canvas_is_cut_off)
{
    canvas c;
    REQUIRE(canvas_new(&c, 30, 20, 1));
    canvas_text(&c, -20, -5, "outside of everything", (rgb){0, 0, 0});
    canvas_text_upwards(&c, 25, 40, "outside of everything", (rgb){0, 0, 0});
    CHECK(count_colour(&c, (rgb){0, 0, 0}) > 10);
    canvas_free(&c);
}

/* ---- layout ------------------------------------------------------------------------ */

static picture ramp(const double *values, int64_t width, int64_t height)
{
    return (picture){.title = "u, step 10",
                     .axis_name = {"x", "y"},
                     .axis_to = {(double)(width - 1), (double)(height - 1)},
                     .width = width,
                     .height = height,
                     .value = values,
                     .to = 1};
}

TEST(small_slices_are_enlarged_and_row_0_is_at_the_bottom)
{
    const double values[] = {0, 0, 1, 1};
    const picture p = ramp(values, 2, 2);
    const colour_map *map = colours_find("viridis");
    canvas c;
    REQUIRE_OK(picture_draw(&p, &c));
    CHECK(count_colour(&c, colours_at(map, 0, 0, 1)) >= 2 * 200 * 200);
    CHECK(count_colour(&c, colours_at(map, 1, 0, 1)) >= 2 * 200 * 200);
    const int x = c.width / 2;
    CHECK(colours_are_equal(seen_pixel(&c, x, 100), colours_at(map, 1, 0, 1)));
    CHECK(colours_are_equal(seen_pixel(&c, x, c.height - 100), colours_at(map, 0, 0, 1)));
    canvas_free(&c);
}

TEST(large_slices_become_means_of_blocks)
{
    enum { N = 2500 };
    double *values = mem_new(N * N, sizeof *values);
    REQUIRE(values);
    for (int64_t n = 0; n < N * N; n++)
        values[n] = (double)(n % 3);
    picture p = ramp(values, N, N);
    p.to = 2;
    canvas c;
    REQUIRE_OK(picture_draw(&p, &c));
    CHECK(c.width > 800 && c.width < 1200 && c.height > 800 && c.height < 1200);
    CHECK(count_colour(&c, colours_at(colours_find("viridis"), 1, 0, 2)) > 690000);
    canvas_free(&c);
    mem_free(values);
}

TEST(every_shape_has_a_picture_of_reasonable_size)
{
    static const int64_t sizes[] = {1, 2, 3, 63, 601, 1100, 1201, 5000};
    double *values = mem_new(5000 * 601, sizeof *values);
    REQUIRE(values);
    for (size_t a = 0; a < COUNT_OF(sizes); a++)
        for (size_t b = 0; b < COUNT_OF(sizes); b++) {
            const picture p = ramp(values, sizes[a], sizes[b]);
            canvas c;
            if (sizes[a] * sizes[b] > 5000 * 601)
                continue;
            REQUIRE_OK(picture_draw(&p, &c));
            CHECK(c.width >= 200 && c.width <= 1500 && c.height >= 150 &&
                  c.height <= 1400);
            canvas_free(&c);
        }
    mem_free(values);
}

/* Labels of one to seventeen characters, titles of several lengths, and a value not
 * finite. */
TEST(pictures_of_a_series_have_one_size_whatever_their_values)
{
    static const double ranges[][2] = {
        {0, 1}, {0, 0}, {-2.5e-300, -2.4999999e-300}, {1, 1.00000001}, {-1e200, 1e12}};
    double values[] = {0, 1, 2, 3, 4, 5};
    for (int64_t height = 1; height <= 2; height++) {
        int width = 0;
        for (size_t n = 0; n < COUNT_OF(ranges); n++) {
            char title[32];
            picture p = ramp(values, 6 / height, height);
            canvas c;
            (void)snprintf(title, sizeof title, "u, step %.0f", pow(100, (double)n));
            p.title = title;
            p.from = ranges[n][0];
            p.to = ranges[n][1];
            values[5] = n == 2 ? NAN : 5;
            REQUIRE_OK(picture_draw(&p, &c));
            CHECK(n == 0 || c.width == width);
            width = c.width;
            canvas_free(&c);
        }
    }
}

TEST(a_narrow_picture_has_its_size_whatever_its_title)
{
    static double values[2 * 700];
    picture p = ramp(values, 2, 700);
    canvas a, b;
    p.title = "u at z = 0.0078125, step 9";
    REQUIRE_OK(picture_draw(&p, &a));
    p.title = "u at z = 0.0078125, t = 1.23456e-100, step 1000000";
    REQUIRE_OK(picture_draw(&p, &b));
    CHECK_EQ(a.width, b.width);
    canvas_free(&a);
    canvas_free(&b);
}

static int last_column(const canvas *c, rgb colour)
{
    for (int x = c->width - 1; x >= 0; x--)
        for (int y = 0; y < c->height; y++)
            if (colours_are_equal(seen_pixel(c, x, y), colour))
                return x;
    return -1;
}

TEST(labels_too_long_for_their_room_are_written_small_and_whole)
{
    static const char words[] = "-2.49999999e-300";
    const rgb black = {0, 0, 0};
    canvas c;
    REQUIRE(canvas_new(&c, 400, 30, 1));
    canvas_label(&c, 10, 15, words, 500, black);
    CHECK_EQ(last_column(&c, black), 10 + canvas_label_width(words, 500) - 1);
    canvas_fill(&c, 0, 0, 400, 30, (rgb){255, 255, 255});
    canvas_label(&c, 10, 15, words, 120, black);
    CHECK_EQ(last_column(&c, black), 10 + canvas_label_width(words, 120) - 1);
    CHECK(canvas_label_width(words, 120) <= 120);
    canvas_free(&c);
}

TEST(one_row_is_drawn_as_a_curve)
{
    double values[100];
    for (int n = 0; n < 100; n++)
        values[n] = n / 99.0;
    const picture p = ramp(values, 100, 1);
    canvas c;
    REQUIRE_OK(picture_draw(&p, &c));
    CHECK(c.width > c.height && c.height > 300);
    CHECK_EQ(count_colour(&c, colours_at(colours_find("viridis"), 1, 0, 1)), 0);
    canvas_free(&c);
}

TEST(points_that_are_not_finite_are_shown_and_explained)
{
    const double values[] = {0, NAN, 1, 0.5, 0.5, -INFINITY};
    const picture p = ramp(values, 3, 2);
    canvas c;
    REQUIRE_OK(picture_draw(&p, &c));
    const rgb colour = colours_at(colours_find("viridis"), NAN, 0, 1);
    CHECK(count_colour(&c, colour) > 2 * 200 * 200);
    CHECK(colours_are_equal(seen_pixel(&c, c.width / 2 - 100, c.height - 100), colour));
    canvas_free(&c);
}

TEST(ranges_of_any_kind_are_drawn)
{
    const double ranges[][2] = {{0, 0},
                                {1, 1},
                                {2, -2},
                                {NAN, 1},
                                {0, NAN},
                                {-INFINITY, 0},
                                {-1.7e308, 1.7e308},
                                {1e308, 1.1e308},
                                {0, 5e-324},
                                {1, 1 + 0x1p-52}};
    const double values[] = {0, 1, 1e308, -1e308};
    for (size_t n = 0; n < COUNT_OF(ranges); n++)
        for (int64_t height = 1; height <= 2; height++) {
            picture p = ramp(values, 2, height);
            canvas c;
            p.from = ranges[n][0];
            p.to = ranges[n][1];
            REQUIRE_OK(picture_draw(&p, &c));
            canvas_free(&c);
        }
}

TEST(a_range_of_both_signs_gets_the_diverging_map)
{
    const double values[] = {-1, -1, 1, 1};
    picture p = ramp(values, 2, 2);
    canvas c;
    p.from = -1;
    REQUIRE_OK(picture_draw(&p, &c));
    CHECK(count_colour(&c, colours_at(colours_find("seismic"), -1, -1, 1)) > 50000);
    canvas_free(&c);
    p.from = -1e-12; /* a rounding error, not a sign change */
    REQUIRE_OK(picture_draw(&p, &c));
    CHECK(count_colour(&c, colours_at(colours_find("viridis"), 1, 0, 1)) > 50000);
    canvas_free(&c);
}

TEST(unknown_colours_and_empty_slices_are_refused)
{
    const double values[] = {0, 1};
    picture p = ramp(values, 2, 1);
    p.style.colours = "rainbow";
    CHECK_STATUS(png_write(scratch_path("a.png"), &p, NULL), PAV_EINVAL);
    CHECK(strstr(pav_message(), "no colours called 'rainbow'; known are viridis, magma"));
    p = ramp(values, 0, 1);
    CHECK_STATUS(png_write(scratch_path("a.png"), &p, NULL), PAV_EINVAL);
    CHECK_EQ(scratch_count(), 0);
}

TEST(names_and_titles_may_be_missing_or_long)
{
    const double values[] = {0, 1, 2, 3};
    char title[1000];
    picture p = ramp(values, 2, 2);
    canvas c;
    memset(title, 'W', sizeof title - 1);
    title[sizeof title - 1] = '\0';
    p.title = title;
    REQUIRE_OK(picture_draw(&p, &c));
    CHECK(c.width < 1200);
    canvas_free(&c);
    p.title = p.axis_name[0] = p.axis_name[1] = NULL;
    REQUIRE_OK(picture_draw(&p, &c));
    canvas_free(&c);
}

/* ---- contours and arrows ----------------------------------------------------------- */

TEST(a_contour_lies_between_the_points_around_its_value)
{
    const double values[] = {0, 1, 0, 1}, level = 0.25;
    const rgb white = {255, 255, 255};
    picture p = ramp(values, 2, 2);
    canvas c;
    int first = 0;
    p.style = (picture_style){.contours = 1, .levels = &level};
    REQUIRE_OK(picture_draw(&p, &c));
    const int y = c.height / 2;
    for (int x = 200; x < c.width && !first; x++)
        first = colours_are_equal(seen_pixel(&c, x, y), white) ? x : 0;
    /* The plot begins near 100 and its two points are 550 pixels wide. */
    CHECK(first > 480 && first < 560);
    canvas_free(&c);
}

TEST(a_contour_beside_a_point_that_is_not_finite_is_left_out)
{
    const double values[] = {0, NAN, 1, NAN}, level = 0.5;
    picture p = ramp(values, 2, 2), plain = p;
    canvas c, without;
    p.style = (picture_style){.contours = 1, .levels = &level};
    REQUIRE_OK(picture_draw(&p, &c));
    REQUIRE_OK(picture_draw(&plain, &without));
    CHECK(count_colour(&c, (rgb){255, 255, 255}) <
          count_colour(&without, (rgb){255, 255, 255}) + 1000);
    canvas_free(&c);
    canvas_free(&without);
}

TEST(an_arrow_points_where_its_vector_does)
{
    const double values[] = {1}, up[] = {0, 2}, right[] = {2, 0};
    picture p = ramp(values, 1, 1);
    p.arrows[0] = p.arrows[1] = 1;
    p.longest = 2;
    for (int turned = 0; turned < 2; turned++) {
        int across = 0, upwards = 0;
        canvas c;
        p.arrow = turned ? right : up;
        REQUIRE_OK(picture_draw(&p, &c));
        const seen_box area = seen_look(&c).plot;
        const int x = area.left + area.width / 2, y = area.top + area.height / 2;
        for (int n = -60; n <= 60; n++) {
            across += colours_are_equal(seen_pixel(&c, x + n, y), (rgb){38, 38, 42});
            upwards += colours_are_equal(seen_pixel(&c, x, y + n), (rgb){38, 38, 42});
        }
        CHECK(turned ? across > 100 && upwards < 10 : upwards > 100 && across < 10);
        canvas_free(&c);
    }
}

/* Lines of ink that a row or a column of the middle of a picture meets. */
static int crossings(const canvas *c, bool upwards, double share)
{
    int count = 0;
    for (int n = 110; n < 410; n++) {
        const int x = upwards ? (int)(share * c->width) : n,
                  y = upwards ? n : (int)(share * c->height);
        count += colours_are_equal(seen_pixel(c, x, y), (rgb){38, 38, 42}) &&
                 !colours_are_equal(seen_pixel(c, x - !upwards, y - upwards),
                                    (rgb){38, 38, 42});
    }
    return count;
}

TEST(streamlines_of_an_even_flow_are_straight_and_apart)
{
    const double values[] = {0, 0.3, 0.6, 1}, right[] = {2, 2, 2, 2, 0, 0, 0, 0};
    picture p = ramp(values, 2, 2);
    canvas c;
    p.style.streamlines = true;
    p.arrows[0] = p.arrows[1] = 2;
    p.arrow = right;
    p.longest = 2;
    REQUIRE_OK(picture_draw(&p, &c));
    CHECK(crossings(&c, true, 0.3) >= 20 && crossings(&c, true, 0.3) <= 30);
    CHECK_EQ(crossings(&c, true, 0.3), crossings(&c, true, 0.5));
    CHECK(crossings(&c, false, 0.4) <= 2);
    canvas_free(&c);
}

TEST(streamlines_end_where_vectors_are_0_or_not_finite)
{
    const double values[] = {0, 0.3, 0.6, 1}, none[] = {NAN, 0, 0, NAN, 0, 0, 0, 0};
    picture p = ramp(values, 2, 2);
    canvas c;
    p.style.streamlines = true;
    p.arrows[0] = p.arrows[1] = 2;
    p.arrow = none;
    p.longest = 1;
    REQUIRE_OK(picture_draw(&p, &c));
    CHECK_EQ(crossings(&c, true, 0.5), 0);
    canvas_free(&c);
}

TEST(a_picture_of_size_2_has_twice_the_pixels)
{
    const double values[] = {0, 0.5, 1, 0.25};
    picture p = ramp(values, 2, 2);
    canvas small, large;
    REQUIRE_OK(picture_draw(&p, &small));
    p.style.size = 2;
    REQUIRE_OK(picture_draw(&p, &large));
    CHECK_EQ(large.width, 2 * small.width);
    CHECK_EQ(large.height, 2 * small.height);
    CHECK(colours_are_equal(seen_pixel(&large, 600, 400), seen_pixel(&small, 300, 200)));
    canvas_free(&small);
    canvas_free(&large);
}
