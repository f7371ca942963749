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
