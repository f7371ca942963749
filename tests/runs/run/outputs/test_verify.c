/* SPDX-License-Identifier: BSD-3-Clause */
/* --verify: the first steps are compared with steps of the interpreter. */
#include <stdio.h>

#include "kept.h"
#include "run/run_private.h"

static pav_status verify(const char *source, const pav_run_options *options,
                         int64_t steps, char **said)
{
    begun b;
    pav_status status = kept_open(source, kept_kernels(), NULL, &b);
    if (status == PAV_OK)
        status = pav_run_verify(b.program, b.device, options, steps, said);
    close_begun(&b);
    return status;
}

TEST(a_good_run_is_verified_and_what_was_compared_is_said)
{
    char *said = NULL;
    REQUIRE_OK(verify(kept_program(9), NULL, 4, &said));
    CHECK(strstr(said, "4 steps on ") != NULL && strstr(said, kept_kernels()) != NULL);
    pav_text_free(said);
    REQUIRE_OK(verify(kept_program(9), NULL, 0, &said));
    CHECK(strstr(said, "10 steps") != NULL);
    pav_text_free(said);
}

/* Changes the input file at (2) each time a run begins to take its memory. */
static int change_file(void *user, pav_event event, const pav_progress *progress,
                       const char *said)
{
    double values[4] = {1, 2, 3, 4};
    const view v = {
        .data = values, .type = PAV_F64, .extent = {4, 1, 1}, .stride = {1, 4, 4}};
    int *runs = user;
    (void)progress;
    if (event != PAV_EVENT_SETUP || strncmp(said, "taking memory for u", 19) != 0)
        return 0;
    values[2] += ++*runs;
    REQUIRE_OK(npy_write_view(kept_path("u.npy"), 1, &v));
    return 0;
}

TEST(a_difference_is_reported_with_field_point_and_both_values)
{
    char source[4300], *said = NULL;
    int runs = 0;
    const pav_run_options options = {
        .listener = change_file, .user = &runs, .report_seconds = 1e-12};
    (void)change_file(&runs, PAV_EVENT_SETUP, NULL, "taking memory for u");
    (void)snprintf(source, sizeof source, "grid x 4\nfield u = \"%s\"\nu' = u + 1\n",
                   kept_path("u.npy"));
    CHECK_STATUS(verify(source, &options, 2, &said), PAV_EEXPECT);
    CHECK(said == NULL);
    CHECK(strstr(pav_message(), "after step 0 field u at point (2) is 5 on") != NULL);
    CHECK(strstr(pav_message(), "and 6 on the interpreter") != NULL);
}

TEST(a_nan_is_a_nan_whatever_its_bits_are)
{
    char *said = NULL;
    REQUIRE_OK(verify("grid x 4\nfield u = x - 1\nu' = log(u)*0 - u\n",
                      &(pav_run_options){.nan_check_every = -1}, 3, &said));
    pav_text_free(said);
}

TEST(the_reference_is_neither_cut_nor_out_of_core)
{
    static const pav_run_options asked[] = {
        {.subdomains = "2", .exchange_every = 2},
        {.out_of_core = "auto:parts=2,steps=2"},
        {.disk = ".", .out_of_core = "auto:parts=2"},
    };
    begun b;
    REQUIRE_OK(kept_open("grid x 8, y 16\nfield u = x\nu' = u + 0.1*laplace(u)\n"
                         "border clamp\n",
                         "interpreter", NULL, &b));
    for (size_t n = 0; n < COUNT_OF(asked); n++) {
        pav_run *run = NULL;
        REQUIRE_OK(run_open_reference(&b.program->tree, &asked[n], &run));
        CHECK(!run->cut.is_cut && run->outofcore == NULL);
        pav_run_free(run);
    }
    close_begun(&b);
}

TEST(verifying_needs_a_program_and_a_place)
{
    CHECK_STATUS(pav_run_verify(NULL, NULL, NULL, 1, NULL), PAV_EINVAL);
}
