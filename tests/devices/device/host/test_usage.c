/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors that are busy with other work, from the system's counters. */
#include "device/device_private.h"
#include "test.h"

TEST(the_line_of_all_processors_is_read)
{
    double all = 0;
    CHECK(host_usage_parse("cpu  100 20 30 4000 50 6 7 8 0 0\n", 10, &all));
    CHECK_EQ(all, 17.1); /* neither idle nor waiting */
    CHECK(!host_usage_parse("cpu0 100 20 30 4000 50 6 7 8 0 0\n", 10, &all));
    CHECK(!host_usage_parse("cpu 100 20\n", 10, &all));
    CHECK(!host_usage_parse("", 10, &all));
}

TEST(own_work_does_not_count_as_that_of_others)
{
    const host_usage from = {.when = 10, .all = 100, .own = 5};
    const host_usage alone = {.when = 14, .all = 108, .own = 13};
    const host_usage beside = {.when = 14, .all = 114, .own = 13};
    const host_usage unknown = {.when = 14, .all = -1, .own = 13};
    CHECK_EQ(host_others(&from, &alone), 0);
    CHECK_EQ(host_others(&from, &beside), 1.5);
    CHECK_EQ(host_others(&from, &unknown), 0);
    CHECK_EQ(host_others(&unknown, &beside), 0);
    CHECK_EQ(host_others(&from, &from), 0);
}

TEST(the_present_usage_grows_with_own_work)
{
    const host_usage from = host_usage_now();
    volatile double sum = 0;
    host_usage to = from;
    while (to.own < from.own + 0.05) {
        for (int k = 0; k < 1000000; k++)
            sum += k;
        to = host_usage_now();
    }
    CHECK(to.when > from.when && sum > 0);
    CHECK(from.all < 0 || to.all >= from.all);
    CHECK(host_processors() >= 1);
}
