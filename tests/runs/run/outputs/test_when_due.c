/* SPDX-License-Identifier: BSD-3-Clause */
/* `every k`: the steps of outputs, samples and measures. */
#include "finished.h"

TEST(until_is_asked_at_the_steps_that_every_names_only)
{
    begun b;
    REQUIRE_OK(begin_text(
        "grid x 4\nfield u\nu' = u\nsteps 20\nuntil step >= 3 every 5\n", NULL, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK_EQ(pav_run_step(b.run), 5);
    close_begun(&b);
}

TEST(a_measure_is_recorded_at_the_steps_that_every_names_and_not_at_the_end)
{
    int64_t length;
    finish_in_folder("grid x 4\nfield u\nu' = u + 1\nsteps 7\n"
                     "measure top = max(u) every 3 into \"top.csv\"\n");
    CHECK_STR(folder_take("top.csv", &length), "step,t,top\n0,0,0\n3,3,3\n6,6,6\n");
}

TEST(a_measure_without_every_is_recorded_at_the_end_alone)
{
    int64_t length;
    finish_in_folder("grid x 4\nfield u\nu' = u + 1\nsteps 7\n"
                     "measure top = max(u) into \"top.csv\"\n");
    CHECK_STR(folder_take("top.csv", &length), "step,t,top\n7,7,7\n");
}

TEST(a_scalar_dt_is_shortened_to_each_multiple_of_a_time)
{
    int64_t length;
    finish_in_folder("grid x 4\nfield u\nscalar dt = 0.3\nu' = u + dt\ndt' = 0.3\n"
                     "until t >= 1.6\nmeasure top = max(u) - t every 1/2 time into "
                     "\"top.csv\"\nmeasure n = step every 0.7 time into \"n.csv\"\n");
    CHECK_STR(folder_take("top.csv", &length),
              "step,t,top\n0,0,0\n2,0.5,0\n4,1,0\n7,1.5,0\n");
    CHECK_STR(folder_take("n.csv", &length), "step,t,n\n0,0,0\n3,0.7,3\n6,1.4,6\n");
}

TEST(a_growing_dt_starts_from_no_tiny_step)
{
    int64_t length;
    finish_in_folder("grid x 4\nfield u\nscalar dt = 0.35\nu' = u + 1\n"
                     "dt' = min(1.1*dt, 0.35)\nuntil t >= 3\n"
                     "measure top = max(u) every 1 time into \"top.csv\"\n");
    /* 0.35, two of 0.325; 0.35, two of 0.325; ...: a rest of 0.3 would add steps */
    CHECK_STR(folder_take("top.csv", &length),
              "step,t,top\n0,0,0\n3,1,3\n6,2,6\n9,3,9\n");
}

TEST(a_param_dt_counts_the_first_step_at_or_past_each_multiple)
{
    int64_t length;
    finish_in_folder("grid x 4\nfield u\nparam dt = 0.3\nu' = u + 1\nsteps 7\n"
                     "measure a = max(u) every 1/2 time into \"a.csv\"\n"
                     "measure b = max(u) every 0.9 time into \"b.csv\"\n");
    CHECK_STR(folder_take("a.csv", &length),
              "step,t,a\n0,0,0\n2,0.6,2\n4,1.2,4\n5,1.5,5\n7,2.1,7\n");
    CHECK_STR(folder_take("b.csv", &length), "step,t,b\n0,0,0\n3,0.8999999999999999,3\n"
                                             "6,1.7999999999999998,6\n");
}
