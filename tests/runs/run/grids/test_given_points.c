/* SPDX-License-Identifier: BSD-3-Clause */
/* Points with values given by borders: sources do not change them, and written fields get
 * the borders of their own time. */
#include "finished.h"

static void read_u(const begun *b, int age, double *values, int64_t count)
{
    REQUIRE_OK(pav_field_read(b->run, "u", age, PAV_F64, values, count));
}

TEST(a_source_adds_nothing_to_a_face_that_an_odd_border_holds_at_0)
{
    begun b;
    double u[5];
    REQUIRE_OK(begin_text("grid x 5\nfield u\nu' = u + 0*u[-1]\nborder odd u\n"
                          "inject 4 into u at (0), (1.5), (4) by linear\n",
                          NULL, &b));
    REQUIRE_OK(pav_run_steps(b.run, 1));
    read_u(&b, 0, u, 5);
    CHECK(u[0] == 0 && u[4] == 0);
    CHECK(u[1] == 2 && u[2] == 2 && u[3] == 0);
    close_begun(&b);
}

TEST(a_later_source_reads_0_at_a_face_that_an_odd_border_holds)
{
    begun b;
    double v[5];
    REQUIRE_OK(begin_text("grid x 5\nfield u\nfield v\nv' = 0\nu' = u + 0*u[-1]\n"
                          "border odd u\ninject 4 into u at (0) by linear\n"
                          "inject 1 + u' into v at (0) by linear\n",
                          NULL, &b));
    REQUIRE_OK(pav_run_steps(b.run, 1));
    REQUIRE_OK(pav_field_read(b.run, "v", 0, PAV_F64, v, 5));
    CHECK(v[0] == 1);
    close_begun(&b);
}

TEST(an_older_level_that_is_written_gets_the_border_of_its_own_time)
{
    begun b;
    const double zeros[4] = {0};
    double u[4];
    REQUIRE_OK(begin_text("grid x 4\nfield u\nu' = prev(u)[-1]\n"
                          "border u = t at x-\nborder u = 0 at x+\n",
                          NULL, &b));
    REQUIRE_OK(pav_run_steps(b.run, 5));
    REQUIRE_OK(pav_field_write(b.run, "u", 1, PAV_F64, zeros, 4));
    read_u(&b, 1, u, 4);
    CHECK(u[0] == 4 && u[1] == 0);
    close_begun(&b);
}

TEST(ghosts_of_an_older_level_that_is_written_are_of_its_own_time)
{
    begun b;
    const double zeros[4] = {0};
    double u[4];
    REQUIRE_OK(begin_text("grid x 4\nfield u\nu' = prev(u)[-1]\nborder u = t beyond\n",
                          NULL, &b));
    REQUIRE_OK(pav_run_steps(b.run, 5));
    REQUIRE_OK(pav_field_write(b.run, "u", 1, PAV_F64, zeros, 4));
    REQUIRE_OK(pav_run_steps(b.run, 1));
    read_u(&b, 0, u, 4);
    CHECK(u[0] == 4 && u[1] == 0);
    close_begun(&b);
}
