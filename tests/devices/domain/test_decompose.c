/* SPDX-License-Identifier: BSD-3-Clause */
/* A grid cut into boxes. The boxes cover the grid without overlap, and each box is found
 * by its position. */
#include "domain/domain.h"
#include "test.h"

static void cut_evenly(const int64_t *extent, const int64_t *parts, decomposition *d)
{
    REQUIRE_OK(decompose(extent, parts, d));
}

TEST(boxes_of_a_decomposition_have_every_point_once)
{
    const int64_t extent[] = {37, 11, 23}, parts[] = {3, 2, 5};
    decomposition d;
    int64_t points = 0;
    cut_evenly(extent, parts, &d);
    for (int64_t n = 0; n < decomposition_count(&d); n++) {
        const box b = decomposition_box(&d, n);
        points += box_points(b);
        for (int64_t other = 0; other < n; other++) {
            const box against = decomposition_box(&d, other),
                      both = box_common(b, against);
            CHECK(box_is_empty(&both));
        }
    }
    CHECK_EQ(points, 37 * 11 * 23);
    decomposition_free(&d);
}

TEST(the_box_of_a_point_is_found_by_its_indices)
{
    const int64_t extent[] = {37, 11, 23}, parts[] = {3, 2, 5};
    decomposition d;
    cut_evenly(extent, parts, &d);
    for (int64_t i = 0; i < 37; i++) {
        const int64_t place[] = {decomposition_along(&d, 0, i), 1, 3};
        const int64_t n = decomposition_number(&d, place);
        const box b = decomposition_box(&d, n);
        int64_t back[3];
        decomposition_place(&d, n, back);
        CHECK(b.lo[0] <= i && i < b.hi[0]);
        CHECK(back[0] == place[0] && back[1] == 1 && back[2] == 3);
    }
    decomposition_free(&d);
}

TEST(boxes_of_an_even_decomposition_differ_by_one_point_at_most)
{
    const int64_t extent[] = {200, 100, 17}, parts[] = {3, 7, 4};
    decomposition d;
    cut_evenly(extent, parts, &d);
    for (int axis = 0; axis < 3; axis++)
        for (int64_t n = 0; n < parts[axis]; n++) {
            const int64_t width = d.cut[axis][n + 1] - d.cut[axis][n];
            CHECK(width == extent[axis] / parts[axis] ||
                  width == extent[axis] / parts[axis] + 1);
        }
    decomposition_free(&d);
}

TEST(long_rows_are_cut_where_a_tree_of_reductions_has_large_nodes)
{
    const int64_t extent[] = {1000, 1, 1}, parts[] = {3, 1, 1};
    decomposition d;
    cut_evenly(extent, parts, &d);
    CHECK_EQ(d.cut[0][1] % 64, 0);
    CHECK_EQ(d.cut[0][2] % 64, 0);
    CHECK_EQ(d.cut[0][3], 1000);
    decomposition_free(&d);
}

TEST(a_decomposition_by_weights_gives_each_its_share)
{
    const int64_t extent[] = {16, 10, 100};
    const double weight[] = {1, 2, 1};
    decomposition d;
    REQUIRE_OK(decompose_weighted(extent, 2, 3, weight, NULL, 4, &d));
    CHECK_EQ(decomposition_count(&d), 3);
    CHECK_EQ(d.cut[2][1], 25);
    CHECK_EQ(d.cut[2][2], 75);
    CHECK_EQ(d.cut[2][3], 100);
    decomposition_free(&d);
}

TEST(no_share_is_thinner_than_what_is_read_beyond_it)
{
    const int64_t extent[] = {16, 10, 100};
    const double weight[] = {1, 1e6, 1};
    decomposition d;
    REQUIRE_OK(decompose_weighted(extent, 1, 3, weight, NULL, 3, &d));
    CHECK_EQ(d.cut[1][1], 3);
    CHECK_EQ(d.cut[1][2], 7);
    decomposition_free(&d);
}

TEST(no_share_has_fewer_points_than_none)
{
    const int64_t extent[] = {16, 10, 100}, parts[] = {1, 7, 1};
    const double weight[] = {1, 1, 1, 1, 1, 1, 1}, load[10] = {0, 0, 0, 1};
    decomposition d;
    for (int weighted = 0; weighted < 2; weighted++) {
        if (weighted)
            REQUIRE_OK(decompose_weighted(extent, 1, 7, weight, NULL, 3, &d));
        else
            REQUIRE_OK(decompose(extent, parts, &d));
        if (!weighted)
            decomposition_balance(&d, 1, load, 3);
        for (int n = 0; n < 7; n++)
            CHECK(d.cut[1][n] <= d.cut[1][n + 1]);
        CHECK_EQ(d.cut[1][7], 10);
        decomposition_free(&d);
    }
}

/* Planes 0 to 19 cost nothing, 20 to 59 one each, 60 to 79 two each. */
static void cost_planes(double *load)
{
    for (int k = 0; k < 80; k++)
        load[k] = k < 20 ? 0 : k < 60 ? 1 : 2;
}

TEST(boxes_cost_the_same_where_planes_do_not)
{
    const int64_t extent[] = {16, 10, 80}, parts[] = {1, 2, 4};
    double load[80];
    decomposition d;
    cost_planes(load);
    REQUIRE_OK(decompose(extent, parts, &d));
    decomposition_balance(&d, 2, load, 4);
    CHECK_EQ(d.cut[2][1], 40);
    CHECK_EQ(d.cut[2][2], 60);
    CHECK_EQ(d.cut[2][3], 70);
    CHECK_EQ(d.cut[1][1], 5);
    decomposition_free(&d);
}

TEST(weights_share_out_what_planes_cost)
{
    const int64_t extent[] = {16, 10, 80};
    const double weight[] = {1, 3};
    double load[80];
    decomposition d;
    cost_planes(load);
    REQUIRE_OK(decompose_weighted(extent, 2, 2, weight, load, 4, &d));
    CHECK_EQ(d.cut[2][1], 40);
    decomposition_free(&d);
}

TEST(where_no_plane_costs_anything_boxes_are_even)
{
    const int64_t extent[] = {16, 10, 80}, parts[] = {1, 1, 4};
    const double load[80] = {0};
    decomposition d;
    REQUIRE_OK(decompose(extent, parts, &d));
    decomposition_balance(&d, 2, load, 4);
    CHECK_EQ(d.cut[2][1], 20);
    CHECK_EQ(d.cut[2][3], 60);
    decomposition_free(&d);
}
