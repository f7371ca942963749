/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of a pass part the points of an axis at every shift, and ghosts belong to one of them. */
#include "run/time/time_private.h"
#include "test.h"

enum { EXTENT = 37, MOST = 9 };

static int count_points(const time_axis *a, int64_t shift, int *seen)
{
    int all = 0;
    for (int64_t k = 0; k < a->tiles; k++) {
        const spans s = time_points(a, k, shift);
        for (int n = 0; n < s.count; n++)
            for (int64_t i = s.at[n].lo; i < s.at[n].hi; i++, all++)
                seen[i]++;
    }
    return all;
}

static void part_all(bool periodic)
{
    for (int64_t width = 0; width < EXTENT + 3; width++) {
        const time_axis a = time_axis_of(EXTENT, width, periodic, MOST);
        for (int64_t shift = 0; shift <= MOST; shift++) {
            int seen[EXTENT] = {0};
            CHECK_EQ(count_points(&a, shift, seen), EXTENT);
            for (int i = 0; i < EXTENT; i++)
                CHECK_EQ(seen[i], 1);
        }
    }
}

TEST(every_point_lies_in_one_tile)
{
    part_all(false);
}

TEST(every_point_lies_in_one_tile_around_a_face_that_wraps)
{
    part_all(true);
}

TEST(tiles_do_not_skew_beyond_the_points_that_the_act_before_has_done)
{
    const time_axis a = time_axis_of(EXTENT, 5, false, MOST);
    for (int64_t k = 0; k + 1 < a.tiles; k++) {
        const spans now = time_points(&a, k, 2), before = time_points(&a, k, 1);
        if (now.count > 0 && now.at[0].hi < EXTENT)
            CHECK(before.at[0].hi >= now.at[0].hi + 1);
    }
}

TEST(the_ghosts_of_a_face_belong_to_one_tile)
{
    const ir_field f = {.extent = {EXTENT, 1, 1},
                        .halo = {{3, 2}},
                        .border = {{{BORDER_MIRROR, -1}, {BORDER_MIRROR, -1}}}};
    for (int periodic = 0; periodic < 2; periodic++)
        for (int64_t shift = 0; shift <= MOST; shift++) {
            const time_axis a = time_axis_of(EXTENT, 4, periodic, MOST);
            int faces[2] = {0};
            for (int64_t k = 0; k < a.tiles; k++)
                for (int side = 0; side < 2; side++)
                    faces[side] += time_has_face(&a, k, shift, &f, 0, side);
            CHECK_EQ(faces[0], 1);
            CHECK_EQ(faces[1], 1);
        }
}

TEST(the_words_of_a_pass_are_read)
{
    time_schedule s;
    CHECK_EQ(time_string_parse("time:depth=8,tile=32x2", &s), PAV_OK);
    CHECK_EQ(s.depth, 8);
    CHECK_EQ(s.tile[0], 32);
    CHECK_EQ(s.tile[1], 2);
    CHECK_EQ(time_string_parse("time", &s), PAV_OK);
    CHECK_EQ(s.depth, 0);
    CHECK_EQ(time_string_parse("time:depth=1", &s), PAV_EINVAL);
    CHECK_EQ(time_string_parse("time:depth=4,tile=3", &s), PAV_EINVAL);
    CHECK_EQ(time_string_parse("time:deep", &s), PAV_EINVAL);
    CHECK(!time_string_is("timely"));
}

static void refused(const char *name, const char *said)
{
    time_schedule s;
    CHECK_STATUS(time_string_parse(name, &s), PAV_EINVAL);
    CHECK(strstr(pav_message(), said) != NULL);
}

TEST(words_that_are_refused_name_the_setting_and_its_value)
{
    refused("time:depth=0", "depth '0' of the schedule time is not");
    refused("time:depth=65,tile=4x4", "depth '65' of the schedule time is not");
    refused("time:depth=+4", "depth '+4'");
    refused("time:depth= 4", "depth ' 4'");
    refused("time:depth=4 ", "depth '4 '");
    refused("time:depth=99999999999999999999", "depth '99999999999999999999'");
    refused("time:tile=+3x4", "tile '+3x4' of the schedule time is not");
    refused("time:tile=3x0,depth=4", "tile '3x0'");
    refused("time:tile=3x4x5", "tile '3x4x5'");
    refused("time:deep", "after time: stand depth=");
    refused("time:depth=4,", "after time: stand depth=");
}

/* Columns stand side by side along z, or along x; rows follow each other along y. */
TEST(the_words_of_a_pass_name_columns_and_rows)
{
    const time_schedule solid = {.depth = 12, .tile = {0, 4, 28}};
    const time_schedule flat = {.depth = 16, .tile = {2048, 8}};
    const time_schedule line = {.depth = 3, .tile = {5}};
    char words[TIME_STRING];
    time_string_print(&solid, 3, words);
    CHECK_STR(words, "time:depth=12,tile=28x4");
    time_string_print(&flat, 2, words);
    CHECK_STR(words, "time:depth=16,tile=2048x8");
    time_string_print(&line, 1, words);
    CHECK_STR(words, "time:depth=3,tile=0x5");
}
