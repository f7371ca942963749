/* SPDX-License-Identifier: BSD-3-Clause */
/* pav_check proves an installation and counts the proofs. */
#include "opened.h"

static void count_lines(void *user, const char *line)
{
    *(int *)user += line != NULL;
}

TEST(a_check_of_a_few_programs_fused_launches)
{
    int lines = 0;
    pav_check_count count = {.passed = -1, .failed = -1};
    const pav_check_options options = {.programs = 40,
                                       .seed = 7,
                                       .share = 1,
                                       .shares = 8,
                                       .report = count_lines,
                                       .user = &lines};
    CHECK_STATUS(pav_check(&options, &count), PAV_OK);
    CHECK(count.passed >= 5 + 10);
    CHECK_EQ(count.failed, 0);
}

TEST(a_check_on_an_unknown_device_is_refused)
{
    pav_check_count count = {.passed = -1, .failed = -1};
    const pav_check_options options = {.device = "abacus", .programs = 1};
    CHECK_STATUS(pav_check(&options, &count), PAV_EINVAL);
    CHECK(message_has("abacus"));
    CHECK(count.passed == 0 && count.failed == 0);
    CHECK_STATUS(pav_check(&options, NULL), PAV_EINVAL);
}
