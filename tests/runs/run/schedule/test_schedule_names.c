/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule string reported by a run. */
#include <stdio.h>

#include "finished.h"
#include "run/run_private.h"

TEST(the_fastest_manner_names_the_schedule)
{
    loop_tuner m = {.count = 2,
                    .loop = {{.kind = SCHEDULE_ROWS}, {.kind = SCHEDULE_BLOCKS}}};
    CHECK_EQ(loop_tuner_kind(&m), SCHEDULE_ROWS);
    m.tuner.fastest = 1;
    CHECK_EQ(loop_tuner_kind(&m), SCHEDULE_BLOCKS);
    CHECK_EQ(loop_tuner_kind(&(loop_tuner){.count = 0}), SCHEDULE_AUTO);
}

TEST(a_run_says_the_schedule_that_was_requested)
{
    static const char *const names[] = {"rows", "blocks"};
    pav_device *device = NULL;
    pav_program *p = NULL;
    pav_run *run = NULL;
    if (pav_device_open("cpu", &device) != PAV_OK) {
        test_skip("names of schedules", pav_message());
        return;
    }
    REQUIRE_OK(pav_program_load("heat3d@24x24x24/f32", NULL, &p));
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        REQUIRE_OK(pav_run_open(
            p, device,
            &(pav_run_options){.no_files = 1, .schedule = names[n], .steps = 2}, &run));
        REQUIRE_OK(pav_run_steps(run, 2));
        CHECK_STR(run_schedule(run), names[n]);
        pav_run_free(run);
    }
    pav_program_free(p);
    pav_device_free(device);
}
