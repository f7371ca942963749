/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps are taken and counted, values are read and set by name, and runs end by `until`
 * and `expect`. */
#include "opened.h"

static const char counting[] =
    "grid x 8\nscalar rate = 1\nparam start = 5\nfield u = start\n"
    "u' = u + rate\nmeasure all = sum(u)\nsteps 10\n";

static double value(opened *o, const char *name)
{
    double v = NAN;
    CHECK_STATUS(pav_run_get(o->run, name, &v), PAV_OK);
    return v;
}

TEST(steps_are_taken_and_counted)
{
    opened o = open_text(counting, NULL);
    CHECK_EQ(pav_run_step(o.run), 0);
    CHECK(value(&o, "all") == 40);
    CHECK_STATUS(pav_run_steps(o.run, 0), PAV_OK);
    CHECK_STATUS(pav_run_steps(o.run, 3), PAV_OK);
    CHECK_EQ(pav_run_step(o.run), 3);
    CHECK(value(&o, "all") == 64);
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    CHECK_EQ(pav_run_step(o.run), 10);
    CHECK(value(&o, "all") == 8 * 15);
    close_opened(&o);
}

TEST(a_scalar_changes_between_steps)
{
    opened o = open_text(counting, NULL);
    REQUIRE_OK(pav_run_steps(o.run, 2));
    CHECK_STATUS(pav_run_set(o.run, "rate", -3), PAV_OK);
    CHECK(value(&o, "rate") == -3);
    REQUIRE_OK(pav_run_steps(o.run, 2));
    CHECK(value(&o, "all") == 8 * (5 + 2 - 6));
    close_opened(&o);
}

TEST(a_border_that_reads_a_scalar_with_an_equation_takes_a_value_set_between_steps)
{
    const double zeros[9] = {0};
    opened o = open_text("grid x 9\nscalar s = 1\nfield u\ns' = 2*s\nu' = u[1]/9\n"
                         "border u = s\nmeasure top = max(u)\n",
                         NULL);
    REQUIRE_OK(pav_run_steps(o.run, 2));
    CHECK(value(&o, "top") == 4);
    REQUIRE_OK(pav_run_set(o.run, "s", 10));
    REQUIRE_OK(pav_field_write(o.run, "u", 0, PAV_F64, zeros, 9));
    CHECK(value(&o, "top") == 10);
    REQUIRE_OK(pav_run_steps(o.run, 1));
    CHECK(value(&o, "top") == 20);
    close_opened(&o);
}

TEST(a_param_is_read_but_not_changed)
{
    opened o = open_text(counting, NULL);
    CHECK(value(&o, "start") == 5);
    CHECK_STATUS(pav_run_set(o.run, "start", 7), PAV_EINVAL);
    CHECK(message_has("scalar start"));
    CHECK_STATUS(pav_run_set(o.run, "rat", 7), PAV_EINVAL);
    CHECK(message_has("did you mean 'rate'?"));
    CHECK_STATUS(pav_run_set(o.run, "all", 7), PAV_EINVAL);
    close_opened(&o);
}

TEST(a_param_that_holds_a_reduction_is_known_when_the_run_is_open)
{
    opened o = open_text("grid x 8\nfield u = x\nparam top = max(u)\nu' = u/top\n", NULL);
    CHECK(value(&o, "top") == 7);
    close_opened(&o);
}

TEST(an_unknown_value_is_refused_with_the_nearest_name)
{
    opened o = open_text(counting, NULL);
    double v = 3;
    CHECK_STATUS(pav_run_get(o.run, "al", &v), PAV_EINVAL);
    CHECK(v == 0);
    CHECK(message_has("'al'"));
    CHECK_STATUS(pav_run_get(o.run, "stat", &v), PAV_EINVAL);
    CHECK(message_has("did you mean 'start'?"));
    close_opened(&o);
}

TEST(a_number_of_steps_may_stand_in_place_of_the_described)
{
    opened o = open_text(counting, &(pav_run_options){.steps = 4, .no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    CHECK_EQ(pav_run_step(o.run), 4);
    close_opened(&o);
}

TEST(a_description_without_steps_cannot_be_finished)
{
    opened o = open_text("grid x 8\nfield u\nu' = u\n", NULL);
    CHECK_STATUS(pav_run_finish(o.run), PAV_EINVAL);
    CHECK(message_has("steps"));
    CHECK_STATUS(pav_run_steps(o.run, 2), PAV_OK);
    close_opened(&o);
}

TEST(until_ends_a_run_before_its_steps)
{
    opened o = open_text("grid x 8\nfield u\nu' = u + 1\nsteps 100\nuntil max(u) >= 7\n",
                         NULL);
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    CHECK_EQ(pav_run_step(o.run), 7);
    close_opened(&o);
}

TEST(an_expectation_that_fails_is_reported_with_its_sides)
{
    opened o = open_text("grid x 8\nfield u\nu' = u + 1\nsteps 5\nexpect max(u) == 6\n",
                         NULL);
    CHECK_STATUS(pav_run_finish(o.run), PAV_EEXPECT);
    CHECK(message_has("max(u)") && message_has("5") && message_has("6"));
    close_opened(&o);
}
