/* SPDX-License-Identifier: BSD-3-Clause */
/* A box is shared completely: each point belongs to one part. Groups of points along x
 * stay undivided. */
#include "domain/domain.h"
#include "test.h"

static int64_t points(const box *b)
{
    return (b->hi[0] - b->lo[0]) * (b->hi[1] - b->lo[1]) * (b->hi[2] - b->lo[2]);
}

TEST(parts_follow_each_other_and_are_the_whole)
{
    const box all = {{-1, 3, 0}, {2000, 20, 31}};
    for (int axis = 0; axis < 3; axis++)
        for (int parts = 1; parts < 40; parts++) {
            int64_t end = all.lo[axis], count = 0;
            box part;
            for (int n = 0; n < parts; n++)
                if (partition_box(&all, axis, parts, n, &part)) {
                    CHECK_EQ(part.lo[axis], end);
                    end = part.hi[axis];
                    count += points(&part);
                }
            CHECK_EQ(end, all.hi[axis]);
            CHECK_EQ(count, points(&all));
        }
}

TEST(pieces_along_x_are_not_parted)
{
    const box all = {{5, 0, 0}, {5000, 1, 1}};
    box part;
    for (int n = 1; n < 7; n++)
        if (partition_box(&all, 0, 7, n, &part))
            CHECK_EQ(part.lo[0] % PARTITION_PIECE, 0);
}

TEST(parts_along_y_and_z_differ_by_a_row_or_plane_at_most)
{
    const box all = {{0, 0, 0}, {9, 9, 103}};
    box part;
    for (int n = 0; n < 8; n++) {
        REQUIRE(partition_box(&all, 2, 8, n, &part));
        CHECK(part.hi[2] - part.lo[2] == 12 || part.hi[2] - part.lo[2] == 13);
    }
}

TEST(the_outermost_axis_with_enough_for_all_is_cut)
{
    const box cube = {{0, 0, 0}, {64, 64, 64}}, flat = {{0, 0, 0}, {64, 640, 4}},
              line = {{0, 0, 0}, {1000000, 1, 1}}, thin = {{0, 0, 0}, {8, 9, 7}};
    CHECK_EQ(partition_axis(&cube, 4), 2);
    CHECK_EQ(partition_axis(&flat, 4), 1);
    CHECK_EQ(partition_axis(&line, 4), 0);
    CHECK_EQ(partition_axis(&thin, 4), 1);
}
