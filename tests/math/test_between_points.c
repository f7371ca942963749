/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples and sources between the points have the accuracy of their weights. */
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Gives the first row of `sample u at POINTS by METHOD`. */
static void sampled(const char *grid, const char *field, const char *points, int count,
                    double *values)
{
    char folder[] = "/tmp/pavior-test-XXXXXX", path[64], text[1024];
    pav_device *device;
    pav_program *program;
    pav_run *run;
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/s.csv", folder);
    const int length = snprintf(text, sizeof text,
                                "grid %s\nfield u = %s\nsample u %s into \"s.csv\"\n",
                                grid, field, points);
    REQUIRE_OK(pav_device_open("auto", &device));
    REQUIRE_OK(pav_program_parse(text, (size_t)length, NULL, &program));
    REQUIRE_OK(
        pav_run_open(program, device, &(pav_run_options){.directory = folder}, &run));
    REQUIRE_OK(pav_run_finish(run));
    pav_run_free(run);
    pav_program_free(program);
    pav_device_free(device);
    FILE *in = fopen(path, "r");
    REQUIRE(in != NULL);
    CHECK_EQ(fscanf(in, "step,t%*[^\n] 0,0"), 0);
    for (int k = 0; k < count; k++)
        CHECK_EQ(fscanf(in, ",%lf", &values[k]), 1);
    fclose(in);
    unlink(path);
    rmdir(folder);
}

TEST(linear_sampling_is_exact_for_what_is_linear)
{
    double v[4];
    sampled("x 11 from 0 to 1, y 6 from 2 to 3", "1 + 2*x - 3*y",
            "at (0.5, 2.2), (0.123, 2.77), (0, 2), (1, 3)", 4, v);
    CHECK_NEAR(v[0], 1 + 2 * 0.5 - 3 * 2.2, 1e-14);
    CHECK_NEAR(v[1], 1 + 2 * 0.123 - 3 * 2.77, 1e-14);
    CHECK_NEAR(v[2], -5, 1e-14);
    CHECK_NEAR(v[3], -6, 1e-14);
}

/* Samples in the middle between two points, near x = 1/2. */
TEST(linear_sampling_converges_at_order_2)
{
    static const int n[3] = {10, 20, 40};
    double e[3];
    for (int k = 0; k < 3; k++) {
        char grid[64], points[64];
        double v;
        const double x = 0.5 + 0.5 / n[k];
        snprintf(grid, sizeof grid, "x %d from 0 to 1", n[k] + 1);
        snprintf(points, sizeof points, "at (%g)", x);
        sampled(grid, "sin(4*x)", points, 1, &v);
        e[k] = fabs(v - sin(4 * x)) / sin(4 * x);
    }
    CHECK_NEAR(order_of(e, n), 2, 0.05);
}

/* Hicks' window of radius 4 with b = 6.31. */
TEST(sinc_sampling_of_waves_of_four_points_and_more_is_better_than_a_hundredth)
{
    static const struct {
        double points, error;
    } waves[] = {{4, 1e-2}, {5, 4e-3}, {8, 1.2e-3}, {16, 1e-3}};
    for (size_t k = 0; k < sizeof waves / sizeof *waves; k++) {
        char field[64];
        double v[5];
        const double q = 8 * atan(1) / waves[k].points;
        snprintf(field, sizeof field, "cos(2*pi*x/%g)", waves[k].points);
        sampled("x 40", field, "along (15.1) to (15.9) count 5 by sinc", 5, v);
        for (int n = 0; n < 5; n++)
            CHECK_NEAR(v[n], cos(q * (15.1 + 0.2 * n)), waves[k].error);
    }
}

TEST(sinc_sampling_beats_linear_by_far_on_short_waves)
{
    double by_sinc, linear;
    sampled("x 40", "cos(2*pi*x/5)", "at (20.5) by sinc", 1, &by_sinc);
    sampled("x 40", "cos(2*pi*x/5)", "at (20.5) by linear", 1, &linear);
    const double exact = cos(8 * atan(1) * 20.5 / 5);
    CHECK(fabs(by_sinc - exact) < fabs(linear - exact) / 20);
}

TEST(on_a_point_sampling_gives_its_value)
{
    double v[2];
    sampled("x 20, y 20", "random(1)", "at (7, 9), (0, 19) by sinc", 2, v);
    double w[2];
    sampled("x 20, y 20", "random(1)", "at (7, 9), (0, 19) by linear", 2, w);
    CHECK(v[0] == w[0] && v[1] == w[1]);
    CHECK(v[0] != v[1]);
}

/* The positions lie half a point from faces, edges and corners. */
TEST(a_constant_beside_any_border_is_sampled_as_that_constant)
{
    static const char *const borders[] = {
        "= 3", "= 3 beyond", "neumann u", "neumann u = 0", "mirror", "clamp", "periodic"};
    for (size_t k = 0; k < sizeof borders / sizeof *borders; k++) {
        char field[64];
        double v[4];
        snprintf(field, sizeof field, "3\nborder %s", borders[k]);
        sampled("x 12 spacing 0.1, y 9 spacing 0.1, z 5 spacing 0.1", field,
                "at (0.05, 0.35, 0.2), (1.05, 0.05, 0.2), (1.05, 0.75, 0.35), (0.6, "
                "0.02, 0.38) "
                "by sinc",
                4, v);
        for (int n = 0; n < 4; n++)
            CHECK_NEAR(v[n], 3, 3e-14);
    }
}

/* The wave has the symmetry of its border, so sampling near the wall must be as accurate
 * as in the middle. */
TEST(waves_beside_a_wall_are_sampled_as_well_as_in_the_middle)
{
    static const struct {
        const char *border, *wave;
        double place; /* of a crest or of a zero, in points */
    } cases[] = {{"neumann u", "cos(2*pi*x/8)", 0},
                 {"mirror u", "cos(2*pi*(x + 0.5)/8)", -0.5},
                 {"antimirror u", "sin(2*pi*(x + 0.5)/8)", -2.5},
                 {"odd u", "sin(2*pi*x/8)", -2},
                 {"u = 0", "sin(2*pi*x/8)", -2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char field[96];
        double v[4];
        snprintf(field, sizeof field, "%s\nborder %s", cases[k].wave, cases[k].border);
        sampled("x 41", field, "along (0.25) to (2.5) count 4 by sinc", 4, v);
        for (int n = 0; n < 4; n++) {
            const double at = 0.25 + 0.75 * n - cases[k].place;
            const double sign = cases[k].place < -1 ? -1 : 1;
            CHECK_NEAR(v[n], sign * cos(atan(1) * at), 2e-3);
        }
    }
}

TEST(a_slope_that_a_border_gives_is_sampled_as_that_slope)
{
    double v[2];
    sampled("x 30", "2*x\nborder neumann u = 2 at x+\nborder neumann u = -2 at x-",
            "at (0.5), (28.5) by sinc", 2, v);
    CHECK_NEAR(v[0] + v[1], 58, 1e-12);
    CHECK_NEAR(v[0], 1, 1e-2);
}

TEST(between_the_last_point_and_the_first_of_a_torus_both_are_neighbours)
{
    double v[6];
    sampled("x 10 spacing 0.1, y 4", "x\nborder periodic",
            "at (0.95, 0), (0.925, 1.5), (1, 2), (0.95, 3.75), (0, 4), (0.975, 0)", 6, v);
    CHECK_NEAR(v[0], 0.45, 1e-14);
    CHECK_NEAR(v[1], 0.675, 1e-14);
    CHECK_NEAR(v[2], 0, 1e-14);
    CHECK_NEAR(v[3], 0.45, 1e-14);
    CHECK_NEAR(v[4], 0, 1e-14);
    CHECK_NEAR(v[5], 0.225, 1e-14);
    sampled("x 10 spacing 0.1", "cos(2*pi*x)\nborder periodic",
            "along (0.9) to (1) count 5 by sinc", 5, v);
    for (int n = 0; n < 5; n++)
        CHECK_NEAR(v[n], cos(8 * atan(1) * (0.9 + 0.025 * n)), 2e-3);
}

/* The added values sum up to the strength of the source, and their centre is its
 * position. */
TEST(a_linear_source_adds_its_strength_at_its_place)
{
    const double e = trial_end("grid x 20, y 16, z 12\nfield u\nu' = u\n"
                               "inject 3 into u at (7.3, 8.8, 5.25)\nsteps 2\n"
                               "measure e = abs(sum(u) - 6) + abs(sum(x*u)/6 - 7.3)"
                               " + abs(sum(y*u)/6 - 8.8) + abs(sum(z*u)/6 - 5.25)\n");
    CHECK_NEAR(e, 0, 1e-13);
}

TEST(a_sinc_source_adds_its_strength_to_smooth_fields)
{
    const double e = trial_end("grid x 30, y 30\nfield u\nu' = u\n"
                               "inject 1 into u at (14.6, 15.3) by sinc\nsteps 1\n"
                               "let wave = cos(0.5*x + 0.3*y)\n"
                               "measure e = sum(u*wave) - cos(0.5*14.6 + 0.3*15.3)\n");
    CHECK_NEAR(e, 0, 2e-3);
}

/* A source at a corner of a torus adds the same values as a source in the middle. */
TEST(a_source_reaches_around_a_periodic_border)
{
    const double e = trial_end("grid x 16, y 12\nfield u; field v\nu' = u\nv' = v\n"
                               "border periodic\n"
                               "inject 1 into u at (0.4, 0.7) by sinc\n"
                               "inject 1 into v at (8.4, 6.7) by sinc\nsteps 1\n"
                               "measure e = max(abs(u[-3,-3] - v[5,3]))\n");
    CHECK_NEAR(e, 0, 1e-15);
}

TEST(a_sinc_source_beside_a_wall_keeps_its_strength)
{
    static const char *const borders[] = {"neumann u", "mirror u", "clamp u",
                                          "u = 0 beyond", "periodic"};
    for (size_t k = 0; k < sizeof borders / sizeof *borders; k++)
        CHECK_NEAR(trial_end("grid x 12, y 9\nfield u\nu' = u\nborder %s\n"
                             "inject 2 into u at (0.5, 7.75) by sinc\nsteps 1\n"
                             "measure e = sum(u)\n",
                             borders[k]),
                   2, 1e-14);
}

TEST(a_source_between_the_last_point_and_the_first_of_a_torus_adds_to_both)
{
    const double e = trial_end("grid x 16\nfield u; field v\nu' = u\nv' = v\n"
                               "border periodic\n"
                               "inject 1 into u at (15.4), (15.25) by linear\n"
                               "inject 1 into v at (7.4), (7.25) by linear\nsteps 1\n"
                               "measure e = max(abs(u - v[8]) + abs(u - v[-8]))\n");
    CHECK_NEAR(e, 0, 1e-15);
}

TEST(a_source_leaves_given_and_masked_points_alone)
{
    const double e = trial_end("grid x 8, y 8\nfield u\nu' = u\nborder u = 0 at x-\n"
                               "border clamp u at x+, y-, y+\nmask y != 4\n"
                               "inject 1 into u at (0.5, 2), (4, 3.5)\nsteps 1\n"
                               "measure e = sum(u)\n");
    CHECK_NEAR(e, 0.5 + 0.5, 1e-15);
}
