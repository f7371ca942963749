/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports: the counts, their grid, and the end of the run. */
#include "finished.h"
#include "run/run_private.h"

TEST(bytes_are_those_read_and_written_at_every_point)
{
    begun b;
    REQUIRE_OK(begin_text("grid x 64, y 32\nfield u = x\nu' = u + 0.1*laplace(u)\n"
                          "border periodic\nsteps 10\n",
                          NULL, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    const double moved = 1e9 * report_number(&b, "gbytes") * report_number(&b, "seconds");
    CHECK_NEAR(moved / 10, 16 * 64 * 32, 1e-6);
    const double updates = 1e9 * report_number(&b, "gpts") * report_number(&b, "seconds");
    CHECK_NEAR(updates / 10, 64 * 32, 1e-6);
    close_begun(&b);
}

TEST(the_phases_of_a_run_leave_no_second_out)
{
    static const char *const phase[] = {"seconds", "seconds_setup", "seconds_output",
                                        "seconds_checkpoints", "seconds_report"};
    begun b;
    REQUIRE_OK(begin_text("grid x 64, y 32\nfield u = x\nu' = u + 0.1*laplace(u)\n"
                          "border periodic\nsteps 10\nmeasure s = sum(u)\n",
                          NULL, &b));
    for (int64_t n = 0; n < 3; n++) {
        REQUIRE_OK(pav_run_steps(b.run, 3));
        const run_times *s = &b.run->seconds;
        double all = 0;
        for (int k = 0; k < PHASES; k++)
            all += s->spent[k];
        CHECK_EQ(s->phase, PHASE_CALLER);
        CHECK_NEAR(all, s->since - s->opened, 1e-9);
    }
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK(strstr(report_of(&b, 0), " in all") != NULL);
    double all = 0;
    for (size_t k = 0; k < COUNT_OF(phase); k++)
        all += report_number(&b, phase[k]);
    CHECK(report_number(&b, "seconds_all") >= all - 1e-9);
    close_begun(&b);
}

/* Options in the words exist: --every is the one of checkpoints. */
TEST(the_longest_phase_is_named_with_a_way_out)
{
    static const struct {
        run_phase phase;
        const char *words;
    } row[] = {{PHASE_SETUP, "the set-up: memory and initial values"},
               {PHASE_OUTPUT, "A larger `every` asks for them less often"},
               {PHASE_CHECKPOINT, "checkpoints. A larger --every writes fewer"},
               {PHASE_REPORT, "this report"}};
    for (size_t k = 0; k < COUNT_OF(row); k++) {
        begun b;
        REQUIRE_OK(begin_text("grid x 9, y 7\nfield u = 1\nu' = u\nsteps 4\n", NULL, &b));
        REQUIRE_OK(pav_run_finish(b.run));
        CHECK(strstr(report_of(&b, 1), "\"longest\": null") != NULL);
        b.run->seconds.spent[row[k].phase] = 9;
        CHECK(strstr(report_of(&b, 0), row[k].words) != NULL);
        const char *json = strstr(report_of(&b, 1), "\"longest\": \"");
        CHECK(json && strstr(json, row[k].words) != NULL);
        CHECK(strstr(report_of(&b, 0), "--checkpoint-every") == NULL);
        close_begun(&b);
    }
}

TEST(the_grid_is_reported_where_the_first_field_is_coarse)
{
    begun b;
    REQUIRE_OK(begin_text("grid x 9, y 7\nfield v coarse\nfield u = 1\nv' = v\n"
                          "u' = u\nsteps 4\n",
                          NULL, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK(strstr(report_of(&b, 0), "9x7") != NULL);
    CHECK(strstr(report_of(&b, 1), "\"grid\": [9, 7]") != NULL);
    const double updates = 1e9 * report_number(&b, "gpts") * report_number(&b, "seconds");
    CHECK_NEAR(updates / 4, 63, 1e-6);
    close_begun(&b);
}

TEST(the_process_holds_more_than_its_fields)
{
    begun b;
    REQUIRE_OK(
        begin_text("grid x 3000, y 1000\nfield u = x\nu' = u\nsteps 1\n", NULL, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK(report_number(&b, "memory_peak") >= 8 * 3e6);
    CHECK(report_number(&b, "process_peak") > report_number(&b, "memory_peak"));
    close_begun(&b);
}

TEST(the_grid_is_reported_where_there_are_no_fields)
{
    begun b;
    REQUIRE_OK(begin_text("grid x 9, y 7\nmeasure m = sum(x)\n", NULL, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK(strstr(report_of(&b, 0), "9x7") != NULL);
    CHECK(strstr(report_of(&b, 1), "\"grid\": [9, 7]") != NULL);
    close_begun(&b);
}

TEST(rates_are_counted_or_the_run_is_not_opened)
{
    static const char source[] = "grid x 4\nfield u\nu' = u + 1\nsteps 1\n";
    int refused = 0, opened = 0;
    begun b;
    REQUIRE_OK(begin_text(source, NULL, &b));
    pav_run_free(b.run);
    for (int n = 1; opened < 3 && n < 5000; n++) {
        mem_fail_after(n);
        const pav_status status = pav_run_open(b.program, b.device,
                                               &(pav_run_options){.no_files = 1}, &b.run);
        mem_fail_after(0);
        refused += status == PAV_ENOMEM;
        if (status != PAV_OK)
            continue;
        opened++; /* some memory is optional */
        REQUIRE_OK(pav_run_finish(b.run));
        CHECK(report_number(&b, "gbytes") > 0);
        if (opened < 3)
            pav_run_free(b.run);
    }
    CHECK(refused > 3 && opened == 3);
    close_begun(&b);
}

/* ---- ends of runs ------------------------------------------------------------------ */

TEST(a_run_that_ends_with_nan_is_reported_as_failed_and_says_why)
{
    begun b;
    REQUIRE_OK(begin_text("grid x 4\nfield u = 1\nu' = where(step == 3, log(-u), u)\n"
                          "steps 4\n",
                          NULL, &b));
    CHECK_STATUS(pav_run_finish(b.run), PAV_ENOTFINITE);
    CHECK(strstr(report_of(&b, 0), "4 of 4, failed: ") != NULL);
    CHECK(strstr(report_of(&b, 0), "field u is not finite at point (0)") != NULL);
    CHECK(strstr(report_of(&b, 1), "{\"message\": \"") != NULL);
    close_begun(&b);
}

TEST(a_run_whose_expectation_fails_is_reported_as_failed)
{
    begun b;
    REQUIRE_OK(begin_text("grid x 4\nfield u\nu' = u + 1\nsteps 5\nexpect max(u) == 6\n",
                          NULL, &b));
    CHECK_STATUS(pav_run_finish(b.run), PAV_EEXPECT);
    CHECK(strstr(report_of(&b, 0), "5 of 5, failed: text:5: expected max(u)") != NULL);
    close_begun(&b);
}

TEST(a_run_that_continues_after_a_failure_is_no_longer_failed)
{
    begun b;
    REQUIRE_OK(begin_text("grid x 4\nfield u\nu' = u + 1\n", NULL, &b));
    CHECK_STATUS(pav_run_finish(b.run), PAV_EINVAL);
    CHECK(strstr(report_of(&b, 1), "\"failed\"") != NULL);
    REQUIRE_OK(pav_run_steps(b.run, 2));
    CHECK(strstr(report_of(&b, 1), "{\"message\": null, \"program\"") != NULL);
    close_begun(&b);
}

static int stop_at_once(void *user, pav_event event, const pav_progress *progress,
                        const char *said)
{
    (void)user;
    (void)said;
    return event == PAV_EVENT_PROGRESS && progress->step == progress->steps;
}

TEST(a_run_that_is_stopped_after_its_last_step_is_done)
{
    const pav_run_options how = {
        .no_files = 1, .listener = stop_at_once, .report_seconds = 1e-12};
    begun b;
    REQUIRE_OK(begin_text("grid x 4\nfield u\nu' = u + 1\nsteps 5\n", &how, &b));
    CHECK_STATUS(pav_run_finish(b.run), PAV_OK);
    CHECK(strstr(report_of(&b, 0), "5 of 5, done") != NULL);
    close_begun(&b);
}
