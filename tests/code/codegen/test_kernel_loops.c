/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of kernels over a box: each row is visited once, and rows are prefetched in
 * the order of visits. */
#include <kernels/host/kernel_types.c> /* NOLINT(bugprone-suspicious-include) */

#include "test.h"
#include <kernels/host/kernel_loops.c> /* NOLINT(bugprone-suspicious-include) */

enum { ROWS = 11, PLANES = 4, HEIGHT = 3, MOST = 256 };

static place visited[MOST];
static int visits, times[ROWS][PLANES];

static void visit(const place *at, int height)
{
    CHECK(visits < MOST);
    visited[visits++] = *at;
    for (int r = 0; r < height; r++)
        times[at->j + r][at->k]++;
}

static void one_row(const work *w, const place *at)
{
    (void)w;
    visit(at, 1);
}

static void some(const work *w, const place *at)
{
    (void)w;
    visit(at, HEIGHT);
}

static void walk_so(int64_t taken, int64_t ahead, int several_rows, int in_place)
{
    const work w = {.lo = {1, 1, 1},
                    .hi = {9, ROWS, PLANES},
                    .block = taken,
                    .ahead = ahead,
                    .several_rows = several_rows};
    visits = 0;
    memset(times, 0, sizeof times);
    each_row(&w, one_row, some, HEIGHT, in_place);
}

static void walk(int64_t taken, int64_t ahead, int several_rows)
{
    walk_so(taken, ahead, several_rows, 0);
}

TEST(every_row_of_a_box_is_visited_once)
{
    for (int64_t taken = 1; taken <= ROWS; taken++) {
        walk(taken, 2, 0);
        CHECK_EQ(visits, (ROWS - 1) * (PLANES - 1));
        for (int j = 1; j < ROWS; j++)
            for (int k = 1; k < PLANES; k++)
                CHECK_EQ(times[j][k], 1);
    }
}

TEST(several_rows_at_once_leave_none_out_and_stay_inside)
{
    for (int64_t taken = 1; taken <= ROWS; taken++) {
        walk(taken, 3, 1);
        for (int j = 0; j < ROWS; j++)
            for (int k = 0; k < PLANES; k++)
                CHECK_EQ(times[j][k] > 0, j > 0 && k > 0);
    }
}

TEST(rows_stored_in_place_are_visited_once)
{
    for (int64_t taken = 1; taken <= ROWS; taken++) {
        walk_so(taken, 3, 1, 1);
        for (int j = 0; j < ROWS; j++)
            for (int k = 0; k < PLANES; k++)
                CHECK_EQ(times[j][k], j > 0 && k > 0);
        for (int n = 0; n < visits; n++)
            CHECK(visited[n].prefetch_j > 0 && visited[n].prefetch_j < ROWS);
    }
}

TEST(a_row_asks_for_the_row_that_comes_as_many_rows_later)
{
    enum { AHEAD = 4, BLOCK = 5 };

    walk(BLOCK, AHEAD, 0);
    for (int n = 0; n + AHEAD < BLOCK * (PLANES - 1); n++) {
        CHECK_EQ(visited[n].prefetch_j, visited[n + AHEAD].j);
        CHECK_EQ(visited[n].prefetch_k, visited[n + AHEAD].k);
    }
}

TEST(what_is_requested_lies_in_the_box)
{
    for (int64_t ahead = 1; ahead < 2 * ROWS; ahead++) {
        walk(4, ahead, ahead % 2 == 0);
        for (int n = 0; n < visits; n++) {
            CHECK(visited[n].prefetch_j > 0 && visited[n].prefetch_j < ROWS);
            CHECK(visited[n].prefetch_k > 0 && visited[n].prefetch_k < PLANES);
        }
    }
}
