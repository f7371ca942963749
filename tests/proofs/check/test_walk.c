/* SPDX-License-Identifier: BSD-3-Clause */
/* pav_check runs the enumeration of programs and reports its results. */
#include <stdio.h>

#include "check_helper.h"

typedef struct told {
    int lines, failures;
    char first[200];
} told;

static void listen(void *user, const char *line)
{
    told *t = user;
    if (t->lines++ == 0)
        snprintf(t->first, sizeof t->first, "%s", line);
    t->failures += strstr(line, "FAILED") != NULL;
}

/* Only a fifth of the programs: the tests `enumeration` and `more_enumeration` run all of
 * them. */
TEST(the_catalogue_and_the_random_programs_are_walked)
{
    told t = {0};
    const pav_check_options options = {.device = "interpreter",
                                       .programs = 100,
                                       .seed = 3,
                                       .share = 2,
                                       .shares = 5,
                                       .report = listen,
                                       .user = &t};
    pav_check_count count;
    int64_t words = 0;
    while (catalogue_small((int)words))
        words++;
    CHECK_STATUS(pav_check(&options, &count), PAV_OK);
    CHECK_EQ(count.passed, (words + 3) / 5 + 20);
    CHECK_EQ(count.failed, 0);
    CHECK_EQ(t.failures, 0);
    CHECK(strstr(t.first, "100 random programs from seed 3"));
}

TEST(an_unknown_device_is_refused)
{
    const pav_check_options options = {.device = "abacus"};
    pav_check_count count = {.passed = 7, .failed = 7};
    CHECK(pav_check(&options, &count) != PAV_OK);
    CHECK(strstr(pav_message(), "abacus"));
    CHECK_EQ(count.passed, 0);
    CHECK_EQ(count.failed, 0);
}

TEST(places_for_the_counts_are_needed)
{
    CHECK_STATUS(pav_check(NULL, NULL), PAV_EINVAL);
}

TEST(a_program_of_one_seed_is_the_first_of_that_seed)
{
    rng r = {hash_mix(11)};
    text t = {0};
    random_program(&r, 400, &t);
    program *p = parse(t.data);
    for (const proof *q = proof_table; q->name; q++)
        CHECK_STATUS(q->hold(&(proof_case){.program = p, .seed = 11}), PAV_OK);
    program_free(p);
    text_free(&t);
}
