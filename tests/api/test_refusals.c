/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of runs, and refusals with a sentence instead of a crash. */
#include "opened.h"

static const char counting[] =
    "grid x 8\nscalar rate = 1\nparam start = 5\nfield u = start\n"
    "u' = u + rate\nmeasure all = sum(u)\nsteps 10\n";

TEST(a_report_tells_steps_measures_and_expectations)
{
    char *text = NULL, *json = NULL;
    opened o = open_text("grid x 8\nfield u\nu' = u + 1\nmeasure all = sum(u)\nsteps 5\n"
                         "expect max(u) == 5\n",
                         NULL);
    REQUIRE_OK(pav_run_finish(o.run));
    REQUIRE_OK(pav_run_report(o.run, 0, &text));
    REQUIRE_OK(pav_run_report(o.run, 1, &json));
    CHECK(strstr(text, "all = 40") && strstr(text, "holds"));
    CHECK(json[0] == '{' && strstr(json, "\"all\": 40"));
    CHECK(strstr(json, "\"holds\": true") && strstr(json, "\"steps\": 5"));
    pav_text_free(text);
    pav_text_free(json);
    close_opened(&o);
}

TEST(arguments_that_are_missing_are_refused_by_runs)
{
    opened o = open_text(counting, NULL);
    pav_run *run = (pav_run *)&run;
    double v = 1;
    char *text = (char *)&text;
    CHECK_STATUS(pav_run_open(NULL, o.device, NULL, &run), PAV_EINVAL);
    CHECK(run == NULL);
    CHECK_STATUS(pav_run_open(o.program, NULL, NULL, &run), PAV_EINVAL);
    CHECK_STATUS(pav_run_open(o.program, o.device, NULL, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_run_steps(NULL, 1), PAV_EINVAL);
    CHECK_STATUS(pav_run_steps(o.run, -1), PAV_EINVAL);
    CHECK_STATUS(pav_run_finish(NULL), PAV_EINVAL);
    CHECK_STATUS(pav_run_get(NULL, "all", &v), PAV_EINVAL);
    CHECK(v == 0);
    CHECK_STATUS(pav_run_get(o.run, NULL, &v), PAV_EINVAL);
    CHECK_STATUS(pav_run_get(o.run, "all", NULL), PAV_EINVAL);
    CHECK_STATUS(pav_run_set(NULL, "rate", 1), PAV_EINVAL);
    CHECK_STATUS(pav_run_set(o.run, NULL, 1), PAV_EINVAL);
    CHECK_STATUS(pav_run_report(NULL, 0, &text), PAV_EINVAL);
    CHECK(text == NULL);
    CHECK_STATUS(pav_run_report(o.run, 0, NULL), PAV_EINVAL);
    close_opened(&o);
}

TEST(a_grid_beyond_all_memory_is_refused_with_numbers)
{
    static const struct {
        const char *grid;
        pav_status status;
        const char *words;
    } grids[] = {
        {"grid x 100000, y 100000, z 100000\n", PAV_ENOMEM, "available"},
        {"grid x 4000000000, y 1000\n", PAV_ENOMEM, "available"},
        {"grid x 2000000000, y 2000000000, z 2000000000\n", PAV_ELIMIT, ""},
        {"grid x 9000000000000000000\n", PAV_ELIMIT, ""},
    };
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
        char text[200];
        pav_program *p = NULL;
        pav_device *device = NULL;
        pav_run *run = NULL;
        strcpy(text, grids[k].grid);
        strcat(text, "field u\nu' = u\nsteps 1\n");
        pav_status status = pav_program_parse(text, strlen(text), NULL, &p);
        REQUIRE_OK(pav_device_open("auto", &device));
        if (status == PAV_OK)
            status = pav_run_open(p, device, NULL, &run);
        CHECK(status == grids[k].status || status == PAV_ESYNTAX);
        CHECK(run == NULL);
        CHECK(message_has(grids[k].words));
        pav_program_free(p);
        pav_device_free(device);
    }
}

TEST(two_runs_of_one_program_do_not_meet)
{
    opened o = open_text(counting, NULL);
    pav_run *other = NULL;
    REQUIRE_OK(
        pav_run_open(o.program, o.device, &(pav_run_options){.no_files = 1}, &other));
    double mine = 0, theirs = 0;
    REQUIRE_OK(pav_run_set(other, "rate", 100));
    for (int k = 0; k < 5; k++) {
        REQUIRE_OK(pav_run_steps(o.run, 1));
        REQUIRE_OK(pav_run_steps(other, 2));
    }
    REQUIRE_OK(pav_run_get(o.run, "all", &mine));
    REQUIRE_OK(pav_run_get(other, "all", &theirs));
    CHECK(mine == 8 * (5 + 5));
    CHECK(theirs == 8 * (5 + 1000));
    pav_run_free(other);
    close_opened(&o);
}
