/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs over places: the features and places drawn, the pairs counted, and the
 * whole run of the check. */
#include <stdio.h>

#include "check_helper.h"
#include "places.h"

enum { SEEDS = 400, INTERPRETER_ONLY = DEVICE_INTERPRETER };

TEST(every_feature_and_every_place_is_drawn)
{
    element_set all = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        drawn_program d;
        drawn_place at;
        rng r = {hash_mix(seed)};
        draw_places_program(seed, &d);
        draw_place(&r, &d,
                   DEVICE_INTERPRETER | DEVICE_CPU | DEVICE_EMULATED |
                       (seed % 8 ? 0 : WITH_RANKS),
                   &at);
        for (int n = 0; n < ELEMENTS; n++)
            all.has[n] = all.has[n] || d.set.has[n] || at.set.has[n];
        text_free(&d.source);
    }
    for (int n = 0; n < ELEMENTS; n++)
        CHECK(all.has[n] || n == ELEMENT_RESTART);
}

TEST(a_pair_is_missing_until_a_program_has_it_or_a_refusal_explains_it)
{
    coverage *c = mem_new(1, sizeof *c);
    text t = {0};
    element_set set = {.has = {[ELEMENT_MASK] = true, [ELEMENT_CUT_X] = true}};
    REQUIRE(c);
    const int64_t all = coverage_missing(c, INTERPRETER_ONLY, &t);
    CHECK(strstr(t.data, "no program had both: mask, cut x\n"));
    CHECK(strstr(t.data, "1-D, cut y") == NULL);
    coverage_add(c, PLACES_EQUAL, &set, "");
    CHECK_EQ(coverage_missing(c, INTERPRETER_ONLY, &t), all - 1);
    set = (element_set){
        .has = {[ELEMENT_LINE] = true, [ELEMENT_MASK] = true, [ELEMENT_DISK] = true}};
    coverage_add(c, PLACES_REFUSED, &set,
                 "it has a grid of one dimension, not kept on disk");
    CHECK_EQ(coverage_missing(c, INTERPRETER_ONLY, &t), all - 2);
    text_free(&t);
    coverage_refusals(c, INTERPRETER_ONLY, &t);
    CHECK(strstr(t.data, "1-D, on disk: it has a grid of one dimension"));
    CHECK(strstr(t.data, "mask, on disk") == NULL); /* the mask is not the cause */
    text_free(&t);
    mem_free(c);
}

typedef struct told {
    int failures;
    bool table;
} told;

static void listen(void *user, const char *line)
{
    told *t = user;
    t->failures += strstr(line, "FAILED") != NULL;
    t->table = t->table || strstr(line, "programs compared with both") != NULL;
}

TEST(random_programs_have_the_bits_of_the_uncut_interpreter_at_random_places)
{
    told t = {0};
    const places_options options = {
        .device = "interpreter", .programs = 15, .seed = 1, .report = listen, .user = &t};
    places_count count = {0};
    CHECK_STATUS(places_check(&options, &count), PAV_OK);
    CHECK_EQ(count.passed + count.refused, 15);
    CHECK_EQ(count.failed, 0);
    CHECK_EQ(t.failures, 0);
    CHECK(t.table && count.missing > 0);
}

TEST(processes_that_share_the_programs_count_what_one_counts)
{
    places_count count[2] = {{0}};
    for (int n = 0; n < 2; n++) {
        told t = {0};
        const places_options options = {.device = "interpreter",
                                        .programs = 40,
                                        .seed = 1,
                                        .jobs = 1 + 2 * n,
                                        .report = listen,
                                        .user = &t};
        CHECK_STATUS(places_check(&options, &count[n]), PAV_OK);
        CHECK_EQ(t.failures, 0);
    }
    CHECK(count[0].passed > 30);
    CHECK_EQ(count[1].passed, count[0].passed);
    CHECK_EQ(count[1].refused, count[0].refused);
    CHECK_EQ(count[1].missing, count[0].missing);
}

TEST(more_programs_are_drawn_for_pairs_that_no_program_had)
{
    places_count count[2] = {{0}};
    for (int n = 0; n < 2; n++) {
        const places_options options = {
            .device = "interpreter", .programs = 10, .seed = 1, .coverage = n};
        CHECK_STATUS(places_check(&options, &count[n]), PAV_OK);
        CHECK_EQ(count[n].failed, 0);
    }
    CHECK_EQ(count[0].passed + count[0].refused, 10);
    CHECK(count[1].passed > count[0].passed);
    CHECK(count[1].missing < count[0].missing);
}

TEST(a_list_of_devices_has_no_programs_over_places)
{
    const places_options options = {
        .device = "cpu+interpreter", .programs = 1, .seed = 1};
    places_count count = {0};
    CHECK_STATUS(places_check(&options, &count), PAV_EINVAL);
    CHECK(strstr(pav_message(), "cpu+interpreter"));
}

TEST(the_program_of_a_seed_is_printed_with_the_files_that_it_reads)
{
    text t = {0};
    places_add_program(16, &t);
    REQUIRE(t.data);
    CHECK(strstr(t.data, "inject \"w0.npy\"") && strstr(t.data, "# w0.npy: "));
    text_free(&t);
}
