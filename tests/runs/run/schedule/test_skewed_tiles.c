/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles of a time block cover each point of an axis once, at every skew. Boundaries
 * of tiles move in one direction, or back and forth. The ghosts of a face belong to one
 * tile. */
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

/* ---- boundaries that turn ---------------------------------------------------------- */

enum { SWING = 4 };

static time_axis turning(bool periodic)
{
    return (time_axis){.extent = EXTENT,
                       .width = 9,
                       .tiles = 4,
                       .periodic = periodic,
                       .turns = true,
                       .swing = SWING,
                       .unit = 1};
}

TEST(every_point_lies_in_one_tile_of_a_row_that_narrows_or_of_one_that_widens)
{
    for (int periodic = 0; periodic < 2; periodic++)
        for (int64_t shift = 0; shift <= SWING; shift++) {
            const time_axis a = turning(periodic);
            int seen[EXTENT] = {0};
            CHECK_EQ(count_points(&a, shift, seen), EXTENT);
            for (int i = 0; i < EXTENT; i++)
                CHECK_EQ(seen[i], 1);
        }
}

/* Odd tiles become narrower with the shift. Each operation reads one more point on both
 * sides than it computes; the operation before has computed it. */
TEST(tiles_that_narrow_use_no_others)
{
    const time_axis a = turning(false);
    for (int64_t k = 1; k < a.tiles; k += 2)
        for (int64_t shift = 1; shift <= SWING; shift++) {
            const span now = time_points(&a, k, shift).at[0],
                       before = time_points(&a, k, shift - 1).at[0];
            CHECK(before.lo <= now.lo - 1);
            CHECK(before.hi >= now.hi + (now.hi < EXTENT));
        }
}

TEST(rows_have_all_steps_of_all_columns)
{
    const time_columns c = {turning(false), 3, 4};
    const walk w = {.turns = true};
    int seen[4][8] = {{0}}, first, end;
    for (int64_t row = 0; row < c.rows; row++) {
        time_steps_of_row(&c, row, 8, &first, &end);
        for (int64_t k = 0; k < 4; k++)
            for (int n = first; n < end && walk_is_in_row(&w, row, k); n++)
                seen[k][n]++;
    }
    for (int k = 0; k < 4; k++)
        for (int n = 0; n < 8; n++)
            CHECK_EQ(seen[k][n], 1);
}

/* ---- ghosts ------------------------------------------------------------------------ */

TEST(the_ghosts_of_a_face_belong_to_one_tile)
{
    const time_ends e = {.halo = {3, 2}};
    for (int periodic = 0; periodic < 2; periodic++)
        for (int64_t shift = 0; shift <= MOST; shift++) {
            const time_axis a = time_axis_of(EXTENT, 4, periodic, MOST);
            int faces[2] = {0};
            for (int64_t k = 0; k < a.tiles; k++)
                for (int side = 0; side < 2; side++)
                    faces[side] += time_has_face(&a, k, shift, e, side);
            CHECK_EQ(faces[0], 1);
            CHECK_EQ(faces[1], 1);
        }
    for (int64_t shift = 0; shift <= SWING; shift++) {
        const time_axis a = turning(true);
        for (int64_t k = 0; k < a.tiles; k++)
            CHECK_EQ(time_has_face(&a, k, shift, e, 0), k == 0);
    }
}
