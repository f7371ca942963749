/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages at the end of a run: measures of the last step, and an `until` never
 * fulfilled. */
#include <stdio.h>
#include <string.h>

#include "kept.h"

#define COUNTS "grid x 4\nfield u\nu' = u + 1\nsteps 10\n"

static char warned[1024];

static int listen(void *user, pav_event event, const pav_progress *progress,
                  const char *said)
{
    (void)user;
    (void)progress;
    if (event == PAV_EVENT_WARNING)
        (void)snprintf(warned, sizeof warned, "%s", said);
    return 0;
}

static void finish(const char *source, begun *b)
{
    const pav_run_options how = {.no_files = 1, .listener = listen};
    warned[0] = '\0';
    REQUIRE_OK(begin_text(source, &how, b));
    REQUIRE_OK(pav_run_finish(b->run));
}

/* ---- measures ---------------------------------------------------------------------- */

TEST(a_measure_between_its_rows_is_reported_of_the_end)
{
    begun b;
    double value = 0;
    finish(COUNTS "measure m = max(u) every 4\n", &b);
    REQUIRE_OK(pav_run_get(b.run, "m", &value));
    CHECK(value == 10);
    CHECK(report_number(&b, "m") == 10);
    CHECK(strstr(report_of(&b, 0), "m = 10 at step 10\n") != NULL);
    CHECK(strstr(report_of(&b, 1), "\"measure_steps\": {\"m\": 10}") != NULL);
    close_begun(&b);
}

TEST(a_measure_is_reported_with_its_step_before_the_end)
{
    begun b;
    REQUIRE_OK(begin_text(COUNTS "measure m = max(u) every 4\n", NULL, &b));
    REQUIRE_OK(pav_run_steps(b.run, 7));
    CHECK(strstr(report_of(&b, 0), "m = 4 at step 4\n") != NULL);
    CHECK(strstr(report_of(&b, 1), "\"measure_steps\": {\"m\": 4}") != NULL);
    close_begun(&b);
}

TEST(a_run_that_continues_after_its_end_reports_what_is_newer)
{
    begun b;
    finish(COUNTS "measure m = max(u) every 4\n", &b);
    REQUIRE_OK(pav_run_steps(b.run, 3));
    CHECK(strstr(report_of(&b, 0), "m = 12 at step 12\n") != NULL);
    close_begun(&b);
}

/* ---- until ------------------------------------------------------------------------- */

TEST(steps_that_end_before_until_holds_are_reported)
{
    begun b;
    finish(COUNTS "until max(u) > 20\n", &b);
    CHECK_EQ(pav_run_until(b.run), 0);
    CHECK(
        strstr(warned, "all 10 steps are taken, and `until max(u) > 20` does not hold"));
    CHECK(strstr(report_of(&b, 0), "10 of 10, done: until does not hold\n") != NULL);
    CHECK(strstr(report_of(&b, 1), "\"until\": false") != NULL);
    close_begun(&b);
}

TEST(until_that_is_not_asked_of_the_last_step_is_asked_at_the_end)
{
    begun b;
    finish(COUNTS "until max(u) > 8 every 4\n", &b);
    CHECK_EQ(pav_run_until(b.run), 1);
    CHECK_STR(warned, "");
    CHECK(strstr(report_of(&b, 0), "10 of 10, done: until holds\n") != NULL);
    REQUIRE_OK(pav_run_steps(b.run, 1));
    CHECK_EQ(pav_run_step(b.run), 11);
    close_begun(&b);
}

TEST(until_is_null_where_there_is_none)
{
    begun b;
    finish(COUNTS, &b);
    CHECK_EQ(pav_run_until(b.run), -1);
    CHECK(strstr(report_of(&b, 1), "\"until\": null") != NULL);
    close_begun(&b);
}

/* ---- rates ------------------------------------------------------------------------- */

/* Points updated in the first reported interval, from its rate and its seconds. */
static int note_updates(void *user, pav_event event, const pav_progress *progress,
                        const char *said)
{
    double *updates = user;
    (void)said;
    if (event == PAV_EVENT_PROGRESS && *updates < 0)
        *updates = 1e9 * progress->gpts * progress->seconds;
    return 0;
}

TEST(steps_before_a_checkpoint_are_not_in_the_rate_of_those_after_it)
{
    const char *path = kept_path("rate");
    double updates = -1;
    REQUIRE_OK(kept_run(COUNTS, "interpreter",
                        &(pav_run_options){.no_files = 1, .checkpoint = path}));
    REQUIRE_OK(kept_run("grid x 4\nfield u\nu' = u + 1\nsteps 12\n", "interpreter",
                        &(pav_run_options){.no_files = 1,
                                           .restart = path,
                                           .report_seconds = 1e-12,
                                           .listener = note_updates,
                                           .user = &updates}));
    CHECK_NEAR(updates, 4, 1e-6);
}
