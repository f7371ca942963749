/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures in PNG and SVG: bars with marks and notes, lines on linear and logarithmic
 * axes. */
#include <unistd.h>

#include "base/base.h"
#include "io/io_private.h"
#include "scratch.h"
#include "test.h"

static const double rates[] = {10, 5}, bounds[] = {12, 11};
static const char *const notes[] = {"83 %", "45 %"}, *const labels[] = {"heat", "wave"};
static const pav_figure_series bars = {
    .name = "f32", .y = rates, .mark = bounds, .note = notes, .count = 2};
static const pav_figure bar_figure = {.title = "Rates",
                                      .subtitle = "a & b",
                                      .axis_name = {"Gpts/s"},
                                      .label = labels,
                                      .mark_name = "bound",
                                      .series = &bars,
                                      .series_count = 1};

static char *drawn(const char *name, const pav_figure *f)
{
    int64_t length;
    REQUIRE_OK(pav_figure_write(scratch_path(name), f));
    return scratch_read(name, &length);
}

static int count_words(const char *all, const char *words)
{
    int count = 0;
    for (const char *at = strstr(all, words); at; at = strstr(at + 1, words))
        count++;
    return count;
}

/* The number after `name` in element n containing `what`, counted from 0. */
static double number_in(const char *all, const char *what, int n, const char *name)
{
    const char *at = strstr(all, what);
    while (at && n-- > 0)
        at = strstr(at + 1, what);
    REQUIRE(at);
    while (*at != '<')
        at--;
    const char *number = strstr(at, name);
    num value;
    REQUIRE(number);
    number += strlen(name);
    REQUIRE(num_parse(number, strcspn(number, "\" "), &value));
    return value.v;
}

/* The y coordinate of the words' baseline. */
static double height_of_words(const char *all, const char *words)
{
    double x, y;
    const char *at = strstr(all, words);
    while (at && strncmp(at, "translate(", 10) != 0)
        at--;
    REQUIRE(at && sscanf(at, "translate(%lf%*[ ,]%lf", &x, &y) == 2);
    return y;
}

/* ---- bars -------------------------------------------------------------------------- */

TEST(an_svg_figure_holds_every_word_once)
{
    char *all = drawn("f.svg", &bar_figure);
    const char *const words[] = {">Rates<", ">a &amp; b<", ">Gpts/s<", ">heat<", ">wave<",
                                 ">f32<",   ">bound<",     ">83 %<",   ">45 %<"};
    for (size_t n = 0; n < COUNT_OF(words); n++)
        CHECK_EQ(count_words(all, words[n]), 1);
    CHECK(strncmp(all, "<?xml", 5) == 0 && strstr(all, "</svg>\n"));
    mem_free(all);
}

TEST(bars_are_as_long_as_their_values)
{
    char *all = drawn("f.svg", &bar_figure); /* bar 0 belongs to the legend */
    const double first = number_in(all, "#0072b2", 1, "width=\"");
    const double second = number_in(all, "#0072b2", 2, "width=\"");
    CHECK_NEAR(first / second, 2, 1e-3);
    mem_free(all);
}

TEST(a_mark_stands_at_its_value_and_the_note_behind_it)
{
    char *all = drawn("f.svg", &bar_figure);
    const double left = number_in(all, "#0072b2", 1, "x=\"");
    const double bar = number_in(all, "#0072b2", 1, "width=\"");
    const double mark = number_in(all, "width=\"3\"", 1, "x=\"") + 1.5;
    CHECK_NEAR((mark - left) / bar, 12 / 10.0, 1e-3);
    CHECK(number_in(all, ">83 %<", 0, "translate(") > mark);
    mem_free(all);
}

TEST(values_that_are_missing_have_no_bar)
{
    const double some[] = {NAN, 5};
    const pav_figure_series s = {.y = some, .count = 2};
    const pav_figure f = {.label = labels, .series = &s, .series_count = 1};
    char *all = drawn("f.svg", &f);
    CHECK_EQ(count_words(all, "#0072b2"), 1);
    mem_free(all);
}

TEST(series_of_bars_have_colours_of_their_own)
{
    const pav_figure_series two[] = {bars, bars};
    pav_figure f = bar_figure;
    f.series = two;
    f.series_count = 2;
    char *all = drawn("f.svg", &f);
    CHECK_EQ(count_words(all, "#0072b2"), 3);
    CHECK_EQ(count_words(all, "#e69f00"), 3);
    mem_free(all);
}

TEST(bars_lie_beside_their_label_where_a_series_has_no_value)
{
    const double first[] = {10, NAN}, second[] = {NAN, 5};
    const pav_figure_series two[] = {{.name = "f32", .y = first, .count = 2},
                                     {.name = "f64", .y = second, .count = 2}};
    const pav_figure f = {.label = labels, .series = two, .series_count = 2};
    char *all = drawn("f.svg", &f); /* includes the legend's bars */
    for (int n = 0; n < 2; n++) {
        const double words = height_of_words(all, n == 0 ? ">heat<" : ">wave<");
        const char *colour = n == 0 ? "#0072b2" : "#e69f00";
        double nearest = 1e9;
        for (int k = 0; k < count_words(all, colour); k++)
            nearest = fmin(nearest,
                           fabs(number_in(all, colour, k, " y=\"") + 16 - words));
        CHECK(nearest < 2); /* words stand 7 below their middle, bars are 18 high */
    }
    mem_free(all);
}

TEST(a_long_label_loses_its_middle)
{
    char shown[FIGURE_LABEL + 1];
    const char *words = "a/very/long/path/of/directories/that/ends/with/the/name.pav";
    CHECK_EQ(strlen(figure_label(words, shown)), FIGURE_LABEL);
    CHECK(strncmp(shown, "a/very", 6) == 0 && strstr(shown, "...") &&
          strstr(shown, "the/name.pav"));
}

/* ---- lines ------------------------------------------------------------------------- */

static const double depth[] = {1, 10, 100}, rate[] = {1, 10, 100};

TEST(on_logarithmic_axes_a_power_is_a_straight_line)
{
    const pav_figure_series s = {.name = "a", .x = depth, .y = rate, .count = 3};
    const pav_figure f = {
        .kind = PAV_FIGURE_LINES, .logarithmic = {1, 1}, .series = &s, .series_count = 1};
    char *all = drawn("f.svg", &f); /* in order: point, line, point, line */
    const double first = number_in(all, "<line", 1, "x2=\"") -
                         number_in(all, "<line", 1, "x1=\"");
    const double second = number_in(all, "<line", 3, "x2=\"") -
                          number_in(all, "<line", 3, "x1=\"");
    CHECK_NEAR(first, second, 0.02);
    CHECK(strstr(all, ">10<") && strstr(all, ">100<"));
    mem_free(all);
}

TEST(a_missing_value_breaks_the_line)
{
    const double some[] = {1, NAN, 2, 3};
    const pav_figure_series s = {.y = some, .count = 4};
    const pav_figure f = {.kind = PAV_FIGURE_LINES, .series = &s, .series_count = 1};
    char *all = drawn("f.svg", &f);
    CHECK_EQ(count_words(all, "<line"), 3 + 1); /* three points, one line */
    mem_free(all);
}

TEST(a_dashed_line_has_pieces_and_no_points)
{
    const double level[] = {5, 5};
    const pav_figure_series s = {.y = level, .count = 2, .dashed = 1};
    const pav_figure f = {.kind = PAV_FIGURE_LINES, .series = &s, .series_count = 1};
    char *all = drawn("f.svg", &f);
    CHECK(count_words(all, "<line") > 20);
    CHECK_EQ(count_words(all, "stroke-width=\"10\""), 0);
    mem_free(all);
}

TEST(lines_of_one_colour_have_points_of_different_shapes)
{
    static const double one[] = {1};
    pav_figure_series s[7];
    for (int n = 0; n < 7; n++)
        s[n] = (pav_figure_series){.y = one, .count = 1};
    const pav_figure f = {.kind = PAV_FIGURE_LINES, .series = s, .series_count = 7};
    char *all = drawn("f.svg", &f);
    CHECK_EQ(count_words(all, "stroke-width=\"10\""), 1); /* only series 0 has dots */
    CHECK(count_words(all, "#0072b2") > 1);
    mem_free(all);
}

TEST(names_stand_where_lines_end)
{
    const double low[] = {1, 2}, high[] = {2, 9}, near[] = {3, 9};
    const pav_figure_series s[] = {{.name = "low", .y = low, .count = 2},
                                   {.name = "high", .y = high, .count = 2},
                                   {.name = "near", .y = near, .count = 2}};
    const pav_figure f = {.kind = PAV_FIGURE_LINES, .series = s, .series_count = 3};
    char *all = drawn("f.svg", &f);
    const double high_at = height_of_words(all, ">high<");
    CHECK(height_of_words(all, ">low<") > high_at + 50);
    CHECK(fabs(height_of_words(all, ">near<") - high_at) > FONT_HEIGHT);
    CHECK(number_in(all, ">low<", 0, "translate(") > 900);
    mem_free(all);
}

TEST(series_of_a_panel_have_a_plot_of_their_own)
{
    const pav_figure_series s[] = {
        {.name = "measured", .y = rates, .count = 2, .panel = "heat"},
        {.name = "measured", .y = bounds, .count = 2, .panel = "wave"},
        {.name = "bound", .y = bounds, .count = 2, .panel = "heat", .dashed = 1}};
    const pav_figure f = {.kind = PAV_FIGURE_LINES,
                          .axis_name = {"x", "Gpts/s"},
                          .series = s,
                          .series_count = 3};
    char *all = drawn("f.svg", &f);
    CHECK_EQ(count_words(all, ">heat<"), 1);
    CHECK_EQ(count_words(all, ">measured<"), 2);
    CHECK_EQ(count_words(all, ">Gpts/s<"), 1);
    CHECK_EQ(count_words(all, ">x<"), 2);
    CHECK_NEAR(height_of_words(all, ">heat<"), height_of_words(all, ">wave<"), 1e-9);
    CHECK(number_in(all, ">wave<", 0, "translate(") >
          number_in(all, ">heat<", 0, "translate(") + 400);
    mem_free(all);
}

TEST(logarithmic_ticks_are_powers_with_2_and_5_where_there_is_room)
{
    ticks t;
    ticks_choose_log(0.9, 110, 8, &t);
    CHECK_EQ(t.count, 7);
    CHECK_STR(t.text[1], "2");
    ticks_choose_log(1e-9, 1e9, 8, &t);
    CHECK(t.count >= 3 && t.count <= 8);
    ticks_choose_log(3.1, 3.9, 8, &t);
    CHECK(t.count >= 2);
}

/* ---- both -------------------------------------------------------------------------- */

TEST(a_png_figure_has_the_size_of_the_svg_one)
{
    int64_t length;
    char *svg = drawn("f.svg", &bar_figure);
    REQUIRE_OK(pav_figure_write(scratch_path("f.png"), &bar_figure));
    char *png = scratch_read("f.png", &length);
    const unsigned char *at = (const unsigned char *)png;
    REQUIRE(length > 33 && memcmp(png, png_signature, sizeof png_signature) == 0);
    CHECK_EQ(at[18] * 256 + at[19], (int)number_in(svg, "viewBox", 0, "width=\""));
    CHECK_EQ(at[22] * 256 + at[23], (int)number_in(svg, "viewBox", 0, "height=\""));
    mem_free(png);
    mem_free(svg);
}

TEST(what_cannot_be_drawn_is_refused_in_a_sentence)
{
    const pav_figure_series none = {.y = rates};
    pav_figure f = bar_figure;
    CHECK_STATUS(pav_figure_write("f.gif", &f), PAV_EINVAL);
    CHECK(strstr(pav_message(), ".png or .svg"));
    f.logarithmic[0] = 1;
    CHECK_STATUS(pav_figure_write("f.svg", &f), PAV_EINVAL);
    CHECK(strstr(pav_message(), "begin at 0"));
    f.series = &none;
    CHECK_STATUS(pav_figure_write("f.svg", &f), PAV_EINVAL);
    CHECK_STATUS(pav_figure_write(NULL, &f), PAV_EINVAL);
    CHECK_STATUS(pav_figure_write("f.svg", NULL), PAV_OK);
    CHECK(access("f.svg", F_OK) != 0);
    CHECK_STATUS(pav_figure_write("no-such-folder/f.svg", NULL), PAV_EIO);
    CHECK_EQ(scratch_count(), 0);
}

TEST(a_figure_without_memory_is_refused_and_leaves_nothing)
{
    scratch_path("f.svg");
    for (int n = 1; n < 4; n++) {
        mem_fail_after(n);
        CHECK_STATUS(pav_figure_write(scratch_path("f.svg"), &bar_figure), PAV_ENOMEM);
        mem_fail_after(0);
    }
    CHECK_EQ(scratch_count(), 0);
}
