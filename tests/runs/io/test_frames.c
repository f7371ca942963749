/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames: crops, planes and strides of a field, and the positions of their points. */
#include "io/io.h"
#include "shown.h"
#include "test.h"

TEST(a_frame_of_a_view_holds_all_its_points)
{
    double got[4];
    const view v = shown_view(PAV_F64, 4, 3, 2);
    const io_frame f = frame_of_view(&v, 3);
    CHECK_EQ(frame_count(&f), 24);
    frame_read(&f, 1, 2, 1, 3, PAV_F64, got);
    CHECK(got[0] == 121 && got[1] == 122 && got[2] == 123);
}

TEST(a_stride_along_a_row_takes_every_second_point)
{
    enum { MANY = 3000 };
    static float got[MANY];
    const view v = shown_view(PAV_F32, 2 * MANY, 1, 1);
    io_frame f = frame_of_view(&v, 1);
    f.extent[0] = MANY;
    f.stride[0] = 2;
    frame_read(&f, 0, 0, 0, MANY, PAV_F32, got);
    bool same = true;
    for (int n = 0; n < MANY; n++)
        same &= got[n] == (float)(2 * n);
    CHECK(same);
}

TEST(narrow_values_are_widened_when_they_are_read_with_a_stride)
{
    float got[2];
    const view v = shown_view(PAV_BF16, 4, 1, 1);
    io_frame f = frame_of_view(&v, 1);
    f.extent[0] = 2;
    f.stride[0] = 2;
    frame_read(&f, 0, 0, 0, 2, PAV_F32, got);
    CHECK(got[0] == 0 && got[1] == 2);
}

TEST(a_copy_holds_the_frame_s_points_and_no_others)
{
    io_frame copy;
    const view v = shown_view(PAV_F64, 5, 4, 3);
    io_frame f = frame_of_view(&v, 3);
    f.extent[0] = 2;
    f.stride[0] = 3;
    f.extent[2] = 2;
    f.stride[2] *= 2;
    const int64_t used = mem_used();
    REQUIRE_OK(frame_copy(&f, &copy));
    CHECK_EQ(frame_bytes(&copy), 2 * 4 * 2 * 8);
    CHECK_EQ(mem_used() - used, frame_bytes(&copy));
    const double *value = copy.data;
    CHECK(value[0] == 0 && value[1] == 3 && value[2] == 10 && value[15] == 233);
    frame_free(&copy);
    CHECK_EQ(mem_used(), used);
}

TEST(coordinates_are_exact)
{
    const view v = shown_view(PAV_F64, 4, 1, 1);
    io_frame f = frame_of_view(&v, 1);
    f.scale[0].span = num_ratio(1, 10);
    f.scale[0].first = 1;
    f.scale[0].every = 2;
    CHECK(frame_coordinate(&f, 0, 1) == 0.3); /* 3*0.1 is another number */
    CHECK(frame_spacing(&f, 0) == 0.2);
    CHECK(frame_spacing(&f, 1) == 1);
}
