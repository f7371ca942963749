/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures and tables of outputs show the right plane of the field the right way up, with
 * the coordinates of its points. A picture is compared with one drawn from the numbers
 * below. */
#include "finished.h"

#include <stdio.h>

static bool pictures_agree(const char *name, picture *p)
{
    int64_t n, m;
    REQUIRE_OK(png_write(folder_path("wanted.png"), p, NULL));
    const char *want = folder_take("wanted.png", &m), *got = folder_take(name, &n);
    return n > 100 && n == m && memcmp(want, got, (size_t)n) == 0;
}

TEST(a_picture_shows_the_slice_across_any_axis_the_right_way_up)
{
    static const struct {
        const char *cut, *across, *upwards, *title;
        int64_t width, height;
        double first, step, row;
    } cases[] = {{"x 2", "y", "z", "u at x = 2, step 0", 4, 5, 2, 10, 100},
                 {"y 3", "x", "z", "u at y = 3, step 0", 3, 5, 30, 1, 100},
                 {"z 4", "x", "y", "u at z = 4, step 0", 3, 4, 400, 1, 10}};
    for (size_t n = 0; n < COUNT_OF(cases); n++) {
        char source[200];
        double value[20];
        const int64_t width = cases[n].width, height = cases[n].height;
        (void)snprintf(source, sizeof source,
                       "grid x 3, y 4, z 5\nfield u = x + 10*y + 100*z\n"
                       "output u slice %s into \"u.png\"",
                       cases[n].cut);
        for (int64_t k = 0; k < width * height; k++)
            value[k] = cases[n].first + cases[n].step * (double)(k % width) +
                       cases[n].row * (double)(k / width);
        finish_in_folder(source);
        CHECK(pictures_agree(
            "u.png", &(picture){.title = cases[n].title,
                                .axis_name = {cases[n].across, cases[n].upwards},
                                .axis_to = {(double)width - 1, (double)height - 1},
                                .width = width,
                                .height = height,
                                .value = value,
                                .from = value[0],
                                .to = value[width * height - 1]}));
    }
}

TEST(a_picture_of_a_coarse_field_has_the_coordinates_of_its_points)
{
    static const double value[] = {11, 12, 13, 31, 32, 33};
    finish_in_folder("grid x 5 from 1 to 3, y 3 from 1 to 3, z 5 from 2 to 4\n"
                     "field c coarse = x + 10*y + 0*z\n"
                     "output c slice z 1 into \"c.png\"");
    CHECK(pictures_agree("c.png", &(picture){.title = "c at z = 3, step 0",
                                             .axis_name = {"x", "y"},
                                             .axis_from = {1, 1},
                                             .axis_to = {3, 3},
                                             .width = 3,
                                             .height = 2,
                                             .value = value,
                                             .from = 11,
                                             .to = 33}));
}

TEST(a_cropped_picture_has_the_coordinates_of_its_points_and_the_range_asked_for)
{
    static const double value[] = {0.5, 1.5, 2.5, 30.5, 31.5, 32.5};
    finish_in_folder("grid x 9 spacing 0.5, y 8 from -1 to 6\nfield u = x + 10*y\n"
                     "output u crop (1, 1) to (5, 5) stride (2, 3) range -4 to 40 into "
                     "\"u.png\"");
    CHECK(pictures_agree("u.png", &(picture){.title = "u, step 0",
                                             .axis_name = {"x", "y"},
                                             .axis_from = {0.5, 0},
                                             .axis_to = {2.5, 3},
                                             .width = 3,
                                             .height = 2,
                                             .value = value,
                                             .from = -4,
                                             .to = 40}));
}

TEST(a_picture_with_a_stretched_axis_has_the_proportions_of_the_coordinates)
{
    static double value[1000 * 500];
    for (int k = 0; k < 1000 * 500; k++)
        value[k] = 1;
    finish_in_folder("grid x 5 from 0 to 4 at x^2/4, y 3 from 0 to 2\nfield u = 1\n"
                     "output u range 0 to 3 into \"u.png\"");
    CHECK(pictures_agree("u.png", &(picture){.title = "u, step 0",
                                             .axis_name = {"x", "y"},
                                             .axis_to = {4, 2},
                                             .width = 1000,
                                             .height = 500,
                                             .value = value,
                                             .to = 3}));
}

TEST(a_table_of_a_coarse_field_has_the_coordinates_of_its_points)
{
    int64_t length;
    finish_in_folder("grid x 5 from 1 to 3, y 3\nfield c coarse = x + 10*y\n"
                     "output c into \"c.csv\"");
    CHECK_STR(folder_take("c.csv", &length),
              "x,y,c\n1,0,1\n2,0,2\n3,0,3\n1,2,21\n2,2,22\n3,2,23\n");
}
