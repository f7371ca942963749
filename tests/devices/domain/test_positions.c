/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions between grid points: functions reproduced by linear and windowed-sinc
 * interpolation. */
#include "domain/domain.h"
#include "test.h"

/* The same border on all faces. */
#define ALL(kind)                                                                        \
    {                                                                                    \
        {                                                                                \
            {kind, kind}, {kind, kind},                                                  \
            {                                                                            \
                kind, kind                                                               \
            }                                                                            \
        }                                                                                \
    }
static const point_borders periodic = ALL(GHOST_WRAPS), even = ALL(GHOST_EVEN),
                           mirror = ALL(GHOST_BETWEEN), odd = ALL(POINT_STRAIGHT),
                           clamped = ALL(GHOST_CLAMPS);
static const point_borders *const all_borders[] = {&periodic, &even, &mirror, &odd,
                                                   &clamped};

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
        point_weigh(dimensions, extent, &even, at, false, &w);
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
        point_weigh(3, extent, &even, at, sinc, &w);
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
    point_weigh(3, extent, &even, at, true, &w);
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
        point_weigh(3, extent, &even, at, true, &w);
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
    point_weigh(3, extent, &even, at, false, &w);
    CHECK(fabs(interpolate(&w, waves) - waves(at)) > 2e-2);
}

TEST(sinc_weights_are_symmetric)
{
    const int64_t extent[] = {20};
    const double middle = 9.5, left = 9.3, right = 9.7;
    point_weights m, a, b;
    point_weigh(1, extent, &even, &middle, true, &m);
    point_weigh(1, extent, &even, &left, true, &a);
    point_weigh(1, extent, &even, &right, true, &b);
    for (int n = 0; n < 8; n++) {
        CHECK_NEAR(m.weight[n], m.weight[7 - n], 1e-15);
        CHECK_NEAR(a.weight[n], b.weight[7 - n], 1e-14);
    }
}

TEST(the_weight_half_way_between_points_is_that_of_the_formula)
{
    /* sinc(1/2) * I0(6.31*sqrt(1 - 1/64)) / I0(6.31) = 0.608386509786751509, and the sum
     * of all eight such weights is 1.0004156657671776, both to 40 digits and rounded */
    const int64_t extent[] = {20};
    const double middle = 9.5;
    point_weights w;
    point_weigh(1, extent, &even, &middle, true, &w);
    CHECK_EQ(w.index[3][0], 9);
    CHECK_NEAR(w.weight[3], 0.608386509786751509 / 1.0004156657671776, 1e-14);
}

TEST(weights_just_off_a_point_are_near_those_on_it)
{
    const int64_t extent[] = {20};
    const double at = 9 + 1e-13;
    point_weights w;
    point_weigh(1, extent, &even, &at, true, &w);
    for (int n = 0; n < w.count; n++)
        CHECK_NEAR(w.weight[n], w.index[n][0] == 9 ? 1 : 0, 1e-12);
}

/* ---- borders ----------------------------------------------------------------------- */

static double one(const double *at)
{
    (void)at;
    return 1;
}

TEST(a_constant_is_sampled_as_itself_beside_every_border)
{
    for (size_t b = 0; b < COUNT_OF(all_borders); b++)
        for (int64_t n = 1; n <= 12; n++)
            for (double at = 0; at <= (double)(n - 1); at += 1 / 16.0)
                for (int sinc = 0; sinc < 2; sinc++) {
                    point_weights w;
                    point_weigh(1, &n, all_borders[b], &at, sinc, &w);
                    CHECK_NEAR(interpolate(&w, one), 1, 4e-15);
                    for (int k = 0; k < w.count; k++)
                        CHECK(w.index[k][0] >= 0 && w.index[k][0] < n);
                }
}

/* Near a wall the weight of each point is a sum: its weight for the position, and its
 * weight for the position's image in the wall at `place`, times `sign`. Both weights are
 * computed ten points farther in, away from it. */
static void check_fold(const point_borders *borders, double place, double sign)
{
    const int64_t extent[] = {40};
    for (double at = 0.25; at < 4; at += 0.25) {
        const double inner = at + 10, image = 2 * place - at + 10;
        point_weights w, direct, across;
        point_weigh(1, extent, borders, &at, true, &w);
        point_weigh(1, extent, borders, &inner, true, &direct);
        point_weigh(1, extent, borders, &image, true, &across);
        for (int64_t i = 1; i < 9; i++) {
            double want = 0, got = 0;
            for (int k = 0; k < direct.count; k++)
                want += direct.index[k][0] == 10 + i ? direct.weight[k] : 0;
            for (int k = 0; k < across.count; k++)
                want += across.index[k][0] == 10 + i ? sign * across.weight[k] : 0;
            for (int k = 0; k < w.count; k++)
                got += w.index[k][0] == i ? w.weight[k] : 0;
            CHECK_NEAR(got, want, 1e-14);
        }
    }
}

TEST(beside_an_even_border_weights_outside_are_added_to_their_images)
{
    check_fold(&even, 0, 1);
}

TEST(beside_a_mirror_the_images_lie_half_a_cell_further_in)
{
    check_fold(&mirror, -0.5, 1);
}

TEST(beside_an_odd_border_weights_outside_are_subtracted_from_their_images)
{
    check_fold(&odd, 0, -1);
}

TEST(beside_a_clamped_border_weights_outside_go_to_the_outermost_point)
{
    const int64_t extent[] = {20};
    const double at = 18.5, inner = 10.5;
    point_weights w, direct;
    double outside = 0;
    point_weigh(1, extent, &clamped, &at, true, &w);
    point_weigh(1, extent, &clamped, &inner, true, &direct);
    CHECK_EQ(w.count, 5);
    for (int k = 4; k < 8; k++)
        outside += direct.weight[k];
    CHECK_EQ(w.index[4][0], 19);
    CHECK_NEAR(w.weight[4], outside, 1e-15);
}

static double slope(const double *at)
{
    return 5 - 3 * at[0];
}

TEST(beside_an_odd_border_what_is_linear_continues_straight)
{
    const int64_t extent[] = {30};
    const double edge[] = {0.5, 28.5}, middle = 14.5;
    point_weights w;
    point_weigh(1, extent, &odd, &middle, true, &w);
    const double error = interpolate(&w, slope) - slope(&middle);
    for (int n = 0; n < 2; n++) {
        point_weigh(1, extent, &odd, &edge[n], true, &w);
        CHECK_NEAR(interpolate(&w, slope) - slope(&edge[n]), error, 1e-12);
    }
}

TEST(each_side_of_an_axis_folds_by_its_own_border)
{
    const int64_t extent[] = {3};
    const double at = 0.5;
    const point_borders sides = {{{GHOST_BETWEEN, GHOST_CLAMPS}}};
    point_weights w, inner;
    point_weigh(1, extent, &sides, &at, true, &w);
    const int64_t wide[] = {20};
    const double middle = 9.5;
    point_weigh(1, wide, &sides, &middle, true, &inner); /* of points -3 .. 4 about 0.5 */
    const double *v = &inner.weight[3];
    CHECK_EQ(w.count, 3);
    for (int k = 0; k < 3; k++) {
        const double mirrored = v[-1 - k], beyond = k == 2 ? v[3] + v[4] : 0;
        CHECK_NEAR(w.weight[w.index[0][0] == k   ? 0
                            : w.index[1][0] == k ? 1
                                                 : 2],
                   v[k] + mirrored + beyond, 1e-15);
    }
}

TEST(neighbours_are_wrapped_along_periodic_axes)
{
    const int64_t extent[] = {20};
    const double inside = 10.25, edge = 0.25, beyond = 40.25;
    point_weights a, b, c;
    point_weigh(1, extent, &periodic, &inside, true, &a);
    point_weigh(1, extent, &periodic, &edge, true, &b);
    point_weigh(1, extent, &periodic, &beyond, true, &c);
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
    point_weigh(3, extent, &periodic, at, true, &w);
    CHECK_EQ(w.count, 1 * 2 * 3);
    CHECK_NEAR(sum_of(&w), 1, 1e-14);
}

TEST(an_extent_of_one_keeps_its_only_point)
{
    const int64_t extent[] = {1, 1, 1};
    const double on[] = {0, 0, 0}, off[] = {0.25, 0, 0};
    point_weights w;
    point_weigh(3, extent, &even, on, true, &w);
    CHECK(w.count == 1 && w.weight[0] == 1);
    for (int sinc = 0; sinc < 2; sinc++) {
        point_weigh(3, extent, &odd, off, sinc, &w);
        CHECK_EQ(w.count, 1);
        CHECK_NEAR(w.weight[0], 1, 1e-15);
    }
}

TEST(positions_far_away_or_not_finite_have_no_neighbours)
{
    const int64_t extent[] = {20};
    const double at[] = {1e300, -1e300, INFINITY, -INFINITY, NAN, -1025, 1e9};
    for (size_t n = 0; n < COUNT_OF(at); n++)
        for (int sinc = 0; sinc < 2; sinc++) {
            point_weights w;
            point_weigh(1, extent, &even, &at[n], sinc, &w);
            CHECK_EQ(w.count, 0);
            point_weigh(1, extent, n < 5 ? &periodic : &mirror, &at[n], sinc, &w);
            CHECK_EQ(w.count, 0);
        }
}

/* A sample may read points beside its position, and these may lie beyond a face. */
TEST(points_beyond_a_face_are_folded_as_its_border_says)
{
    const int64_t extent[] = {20};
    const double below = -7, above = 1043;
    point_weights w;
    point_weigh(1, extent, &mirror, &below, false, &w);
    CHECK_EQ(w.count, 1);
    CHECK_EQ(w.index[0][0], 6);
    CHECK_NEAR(w.weight[0], 1, 0);
    point_weigh(1, extent, &mirror, &above, false, &w);
    CHECK_EQ(w.count, 1);
    CHECK_EQ(w.index[0][0], 3); /* 1043 is 26 times 40 and 3 */
}
