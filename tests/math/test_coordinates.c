/* SPDX-License-Identifier: BSD-3-Clause */
/* A coordinate is the double nearest to its exact value, so it equals the decimal a user
 * compares it with. */
#include "trial.h"

#include <stdlib.h>

/* The number of values of a field different from (start + slope*i)/below, divided
 * once. */
static int64_t wrong(const char *source, const char *field, double start, double slope,
                     double below)
{
    trial t;
    int64_t count = 0, bad = 0;
    trial_open(&t, "%s\nmeasure top = max(%s)", source, field);
    trial_step(&t, 1);
    double *value = trial_read(&t, field, &count);
    for (int64_t i = 0; i < count; i++) {
        const double wanted = (start + slope * (double)i) / below;
        bad += value[i] < wanted || value[i] > wanted;
    }
    CHECK(count > 1);
    free(value);
    trial_close(&t);
    return bad;
}

TEST(coordinates_are_the_nearest_doubles)
{
    CHECK(wrong("grid x 1000 spacing 1/10\nfield u = x", "u", 0, 1, 10) == 0);
    CHECK(wrong("grid x 1000 spacing 0.7\nfield u = x", "u", 0, 7, 10) == 0);
    CHECK(wrong("grid x 50 from 0 to 1\nfield u = x", "u", 0, 1, 49) == 0);
    CHECK(wrong("grid x 101 from -0.3 to 1\nfield u = x", "u", -300, 13, 1000) == 0);
}

TEST(coordinates_in_steps_beside_the_point_and_on_coarse_grids_are_as_exact)
{
    CHECK(wrong("grid x 1000 spacing 1/10\nfield u\nu' = x", "u", 0, 1, 10) == 0);
    CHECK(wrong("grid x 1000 spacing 1/10\nfield u\nu' = x[3]", "u", 3, 1, 10) == 0);
    CHECK(wrong("grid x 1001 from 1 to 2\nfield c coarse = x", "c", 1000, 2, 1000) == 0);
}

TEST(a_quotient_that_is_no_ratio_is_divided_last)
{
    const double whole = 2 * 3.14159265358979323846;
    CHECK(wrong("grid x 48 spacing 2*pi/48\nfield u = x", "u", 0, whole, 48) == 0);
    CHECK(wrong("grid x 50 from 0 to 2*pi\nfield u = x", "u", 0, whole, 49) == 0);
}

TEST(a_point_at_a_decimal_is_where_that_decimal_is)
{
    static const char *const real[] = {"f64", "f32"};
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(trial_end("grid x 11 spacing 1/10\nreal %s\nfield u\n"
                             "u' = where(x <= 0.3, 1, 0)\nsteps 1\nmeasure e = sum(u)",
                             real[k]),
                   4, 0);
        CHECK_NEAR(trial_end("grid x 11 from 0 to 1, y 3\nreal %s\nfield u\n"
                             "u' = where(x <= 0.3 and y == 1, u + y, 0)\nsteps 1\n"
                             "measure e = sum(u)",
                             real[k]),
                   4, 0);
    }
}

TEST(very_long_axes_have_coordinates_too)
{
    const char *source = "grid x 3 spacing 1234567890123/9876543210987\nfield u = x";
    CHECK(wrong(source, "u", 0, 1234567890123.0, 9876543210987.0) == 0);
    CHECK_NEAR(trial_end("grid x 3 from 1/12345678901234567 to 1\nfield u = x\nsteps 1\n"
                         "measure e = max(u)"),
               1, 1e-15);
}

TEST(a_source_at_the_decimal_of_a_point_is_at_that_point)
{
    CHECK_NEAR(
        trial_end("grid x 11 spacing 1/10\nfield u\nu' = u\ninject 1 into u at (0.3)\n"
                  "steps 1\nmeasure e = max(u)"),
        1, 0);
}
