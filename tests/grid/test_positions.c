/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions between grid points: what linear and windowed-sinc interpolation reproduce. */
#include "grid/grid.h"
#include "test.h"

static const bool all_periodic[] = {true, true, true};

typedef double (*function)(const double *at);

static double interpolate(const point_weights *w, function f)
{
    double sum = 0;
    for (int n = 0; n < w->count; n++) {
        const double at[] = {(double)w->index[n][0], (double)w->index[n][1],
                             (double)w->index[n][2]};
        sum += w->weight[n] * f(at);
    }
    return sum;
}

static double sum_of(const point_weights *w)
{
    double sum = 0;
    for (int n = 0; n < w->count; n++)
        sum += w->weight[n];
    return sum;
}

static double plane(const double *at)
{
    return 3 + 2 * at[0] - 5 * at[1] + 0.5 * at[2];
}

/* Eight points a wavelength along x, ten along y, twelve along z. */
static double waves(const double *at)
{
    const double tau = 6.283185307179586;
    return cos(tau * at[0] / 8 + 0.3) * cos(tau * at[1] / 10) * sin(tau * at[2] / 12 + 1);
}

TEST(linear_weights_reproduce_linear_functions_in_every_dimension)
{
    const int64_t extent[] = {9, 7, 5};
    const double position[] = {3.25, 5.9, 0.125};
    for (int dimensions = 1; dimensions <= 3; dimensions++) {
        double at[3] = {0, 0, 0};
        memcpy(at, position, (size_t)dimensions * sizeof *at);
        point_weights w;
        point_weigh(dimensions, extent, NULL, at, false, &w);
        CHECK_EQ(w.count, 1 << dimensions);
        CHECK_NEAR(interpolate(&w, plane), plane(at), 1e-14 * 40);
    }
}

TEST(positions_on_points_give_that_point_alone_with_weight_1)
{
    const int64_t extent[] = {9, 7, 5};
    const double at[] = {8, 0, 3};
    for (int sinc = 0; sinc < 2; sinc++) {
        point_weights w;
        point_weigh(3, extent, NULL, at, sinc, &w);
        CHECK_EQ(w.count, 1);
        CHECK(w.index[0][0] == 8 && w.index[0][1] == 0 && w.index[0][2] == 3);
        CHECK(w.weight[0] == 1);
    }
}

TEST(an_axis_on_a_point_takes_no_part_in_the_others)
{
    const int64_t extent[] = {30, 30, 30};
    const double at[] = {15.5, 12, 11};
    point_weights w;
    point_weigh(3, extent, NULL, at, true, &w);
    CHECK_EQ(w.count, 8);
    for (int n = 0; n < w.count; n++)
        CHECK(w.index[n][0] == 12 + n && w.index[n][1] == 12 && w.index[n][2] == 11);
}

TEST(sinc_weights_reproduce_waves_of_eight_points_to_three_digits)
{
    const int64_t extent[] = {40, 40, 40};
    double worst = 0;
    for (int n = 1; n < 20; n++) {
        const double at[] = {17 + n / 20.0, 19 + n * n / 400.0, 20.5};
        point_weights w;
        point_weigh(3, extent, NULL, at, true, &w);
        CHECK_EQ(w.count, 512);
        worst = fmax(worst, fabs(interpolate(&w, waves) - waves(at)));
    }
    CHECK(worst < 2e-3);
}

TEST(linear_weights_are_an_order_worse_for_the_same_waves)
{
    const int64_t extent[] = {40, 40, 40};
    const double at[] = {16.5, 19.5, 20.5};
    point_weights w;
    point_weigh(3, extent, NULL, at, false, &w);
    CHECK(fabs(interpolate(&w, waves) - waves(at)) > 2e-2);
}

TEST(sinc_weights_are_symmetric_and_sum_to_nearly_1)
{
    const int64_t extent[] = {20};
    const double middle = 9.5, left = 9.3, right = 9.7;
    point_weights m, a, b;
    point_weigh(1, extent, NULL, &middle, true, &m);
    point_weigh(1, extent, NULL, &left, true, &a);
    point_weigh(1, extent, NULL, &right, true, &b);
    for (int n = 0; n < 8; n++) {
        CHECK_NEAR(m.weight[n], m.weight[7 - n], 1e-15);
        CHECK_NEAR(a.weight[n], b.weight[7 - n], 1e-14);
    }
    CHECK_NEAR(sum_of(&m), 1, 2e-3);
    CHECK_NEAR(sum_of(&a), 1, 2e-3);
}

TEST(the_weight_half_way_between_points_is_that_of_the_formula)
{
    /* sinc(1/2) * I0(6.31*sqrt(1 - 1/64)) / I0(6.31), to 40 digits and rounded */
    const int64_t extent[] = {20};
    const double middle = 9.5;
    point_weights w;
    point_weigh(1, extent, NULL, &middle, true, &w);
    CHECK_EQ(w.index[3][0], 9);
    CHECK_NEAR(w.weight[3], 0.608386509786751509, 1e-14);
}

TEST(weights_just_off_a_point_are_near_those_on_it)
{
    const int64_t extent[] = {20};
    const double at = 9 + 1e-13;
    point_weights w;
    point_weigh(1, extent, NULL, &at, true, &w);
    for (int n = 0; n < w.count; n++)
        CHECK_NEAR(w.weight[n], w.index[n][0] == 9 ? 1 : 0, 1e-12);
}

TEST(neighbours_beyond_a_border_are_left_out)
{
    const int64_t extent[] = {20};
    const double at[] = {1.5, 18.25, -0.5, 19.75};
    const int count[] = {6, 5, 4, 4};
    for (int n = 0; n < 4; n++) {
        point_weights w;
        point_weigh(1, extent, NULL, &at[n], true, &w);
        CHECK_EQ(w.count, count[n]);
        for (int i = 0; i < w.count; i++)
            CHECK(w.index[i][0] >= 0 && w.index[i][0] < 20);
    }
}

TEST(neighbours_are_wrapped_along_periodic_axes)
{
    const int64_t extent[] = {20};
    const double inside = 10.25, edge = 0.25, beyond = 40.25;
    point_weights a, b, c;
    point_weigh(1, extent, all_periodic, &inside, true, &a);
    point_weigh(1, extent, all_periodic, &edge, true, &b);
    point_weigh(1, extent, all_periodic, &beyond, true, &c);
    for (int n = 0; n < 8; n++) {
        CHECK_EQ(b.index[n][0], (a.index[n][0] + 10) % 20);
        CHECK_EQ(c.index[n][0], b.index[n][0]);
        CHECK(b.weight[n] == a.weight[n]);
    }
}

TEST(short_periodic_axes_name_each_point_once)
{
    const int64_t extent[] = {1, 2, 3};
    const double at[] = {0.5, 0.5, 0.5};
    point_weights w;
    point_weigh(3, extent, all_periodic, at, true, &w);
    CHECK_EQ(w.count, 1 * 2 * 3);
    CHECK_NEAR(sum_of(&w), 1, 1e-2);
}

TEST(an_extent_of_one_keeps_its_only_point)
{
    const int64_t extent[] = {1, 1, 1};
    const double on[] = {0, 0, 0}, off[] = {0.25, 0, 0};
    point_weights w;
    point_weigh(3, extent, NULL, on, true, &w);
    CHECK(w.count == 1 && w.weight[0] == 1);
    point_weigh(3, extent, NULL, off, false, &w);
    CHECK_EQ(w.count, 1);
    CHECK_NEAR(w.weight[0], 0.75, 0);
}

TEST(positions_far_away_or_not_finite_have_no_neighbours)
{
    const int64_t extent[] = {20};
    const double at[] = {1e300, -1e300, INFINITY, -INFINITY, NAN, -7, 1e9};
    for (size_t n = 0; n < COUNT_OF(at); n++)
        for (int sinc = 0; sinc < 2; sinc++) {
            point_weights w;
            point_weigh(1, extent, NULL, &at[n], sinc, &w);
            CHECK_EQ(w.count, 0);
            point_weigh(1, extent, n < 5 ? all_periodic : NULL, &at[n], sinc, &w);
            CHECK_EQ(w.count, 0);
        }
}
