/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples and measures: their files grow with the run, and their values are read by name
 * and number. */
#include "opened.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/pavior-test-XXXXXX";

/* Opens a run with its outputs in a new folder below the scratch folder. */
static opened open_in_folder(const char *source, pav_run_options options)
{
    static char deep[64];
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(deep, sizeof deep, "%s/new/dir", folder);
    options.directory = deep;
    return open_text(source, &options);
}

static void clean(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    REQUIRE(system(command) == 0);
}

/* The bytes of a file in this folder; "" for a missing file. */
static const char *content(const char *name, size_t *length)
{
    static char bytes[1 << 16];
    char path[128];
    snprintf(path, sizeof path, "%s/new/dir/%s", folder, name);
    FILE *file = fopen(path, "rb");
    *length = file ? fread(bytes, 1, sizeof bytes - 1, file) : 0;
    bytes[*length] = '\0';
    if (file)
        REQUIRE(fclose(file) == 0);
    return bytes;
}

static const char counting[] = "grid x 5 from 0 to 2, y 3\nfield u = x\nu' = u + 1\n"
                               "sample u at (0.5, 1), (1.25, 2) every 2\n"
                               "sample u at (2, 0) into \"u.npy\"\n"
                               "sample u at (1, 1)\n"
                               "measure top = max(u) every 2 into \"top.csv\"\n"
                               "output u into \"end.npy\"\n"
                               "steps 4\nexpect max(u) == 6\n";

TEST(heads_hold_the_positions_of_receivers)
{
    size_t length;
    opened o = open_in_folder(counting, (pav_run_options){0});
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    CHECK_STR(content("u-samples.csv", &length),
              "step,t,u(0.5 1),u(1.25 2)\n0,0,0.5,1.25\n2,2,2.5,3.25\n4,4,4.5,5.25\n");
    CHECK_STR(content("u-samples-2.csv", &length),
              "step,t,u(1 1)\n0,0,1\n1,1,2\n2,2,3\n3,3,4\n4,4,5\n");
    CHECK_STR(content("top.csv", &length), "step,t,top\n0,0,2\n2,2,4\n4,4,6\n");
    close_opened(&o);
    clean();
}

TEST(a_sample_in_npy_holds_the_values_alone)
{
    size_t length;
    double values[5];
    opened o = open_in_folder(counting, (pav_run_options){0});
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    const char *bytes = content("u.npy", &length);
    CHECK_EQ(length, 128 + sizeof values);
    CHECK(strstr(bytes + 10, "'shape': (5, 1)") != NULL);
    memcpy(values, bytes + 128, sizeof values);
    for (int n = 0; n < 5; n++)
        CHECK(values[n] == 2 + n);
    close_opened(&o);
    clean();
}

TEST(rows_are_in_their_files_before_the_end)
{
    size_t length;
    opened o = open_in_folder(counting, (pav_run_options){0});
    REQUIRE_OK(pav_run_steps(o.run, 1));
    CHECK_STR(content("top.csv", &length), "step,t,top\n");
    usleep(1100000);
    REQUIRE_OK(pav_run_steps(o.run, 1));
    CHECK_STR(content("top.csv", &length), "step,t,top\n0,0,2\n2,2,4\n");
    pav_run_free(o.run);
    o.run = NULL;
    CHECK_STR(content("u-samples-2.csv", &length),
              "step,t,u(1 1)\n0,0,1\n1,1,2\n2,2,3\n");
    close_opened(&o);
    clean();
}

static int stop_at_three(void *user, pav_event event, const pav_progress *progress,
                         const char *text)
{
    (void)user;
    (void)text;
    return event == PAV_EVENT_PROGRESS && progress->step == 3;
}

TEST(a_run_that_is_stopped_writes_what_is_due_at_the_end)
{
    size_t length;
    char *report = NULL;
    opened o = open_in_folder(
        counting, (pav_run_options){.listener = stop_at_three, .report_seconds = 1e-9});
    CHECK_STATUS(pav_run_finish(o.run), PAV_EINTERRUPTED);
    CHECK(message_has("stopped after step 3 of 4") && message_has("the final files"));
    double corner;
    memcpy(&corner, content("end.npy", &length) + 128, sizeof corner);
    CHECK_EQ(length, 128 + 15 * sizeof corner);
    CHECK(corner == 3);
    content("u.npy", &length);
    CHECK_EQ(length, 128 + 4 * sizeof corner);
    REQUIRE_OK(pav_run_report(o.run, 0, &report));
    CHECK(strstr(report, "max(u) == 6: FAILS (5 against 6)") != NULL);
    pav_text_free(report);
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    memcpy(&corner, content("end.npy", &length) + 128, sizeof corner);
    CHECK(corner == 4);
    close_opened(&o);
    clean();
}

TEST(no_files_and_no_folder_are_made_when_none_are_wanted)
{
    opened o = open_in_folder(counting, (pav_run_options){.no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_OK);
    CHECK(rmdir(folder) == 0);
    close_opened(&o);
}

/* ---- by number --------------------------------------------------------------------- */

TEST(a_sample_is_read_by_its_number)
{
    double v[2] = {-1, -1}, at[4];
    int64_t step = 5;
    opened o = open_text(counting, NULL);
    CHECK_STATUS(pav_sample_read(o.run, 0, &step, v, 2), PAV_EINVAL);
    CHECK(message_has("pav_run_steps") && step == -1);
    REQUIRE_OK(pav_run_steps(o.run, 3));
    REQUIRE_OK(pav_sample_read(o.run, 0, &step, v, 2));
    CHECK(v[0] == 2.5 && v[1] == 3.25);
    CHECK_EQ(step, 2);
    REQUIRE_OK(pav_sample_read(o.run, 1, NULL, v, 1));
    CHECK(v[0] == 5);
    REQUIRE_OK(pav_sample_positions(o.run, 0, at, 4));
    CHECK(at[0] == 0.5 && at[1] == 1 && at[2] == 1.25 && at[3] == 2);
    close_opened(&o);
}

TEST(samples_that_are_missing_and_wrong_sizes_are_refused)
{
    double v[2];
    opened o = open_text(counting, NULL);
    REQUIRE_OK(pav_run_steps(o.run, 0));
    CHECK_STATUS(pav_sample_read(o.run, 3, NULL, v, 2), PAV_EINVAL);
    CHECK(message_has("3 samples"));
    CHECK_STATUS(pav_sample_read(o.run, -1, NULL, v, 2), PAV_EINVAL);
    CHECK_STATUS(pav_sample_read(o.run, 0, NULL, v, 1), PAV_EINVAL);
    CHECK(message_has("2 values"));
    CHECK_STATUS(pav_sample_read(o.run, 0, NULL, NULL, 2), PAV_EINVAL);
    CHECK_STATUS(pav_sample_read(NULL, 0, NULL, v, 2), PAV_EINVAL);
    CHECK_STATUS(pav_sample_positions(o.run, 0, v, 2), PAV_EINVAL);
    CHECK_STATUS(pav_sample_positions(o.run, INT64_MIN, v, 2), PAV_EINVAL);
    CHECK_STATUS(pav_sample_positions(NULL, 0, v, 2), PAV_EINVAL);
    close_opened(&o);
}

TEST(a_run_lists_what_it_holds)
{
    static const struct {
        pav_kind kind;
        const char *name;
    } want[] = {{PAV_KIND_FIELD, "u"},   {PAV_KIND_FIELD, "c"},
                {PAV_KIND_PARAM, "a"},   {PAV_KIND_SCALAR, "rate"},
                {PAV_KIND_MEASURE, "m"}, {PAV_KIND_SAMPLE, "u"}};
    opened o = open_text("grid x 9, y 4\nparam a = 2\nscalar rate = 1\nfield u\n"
                         "field c coarse stored bf16 = 1\nu' = u + prev(u) + a*rate\n"
                         "sample u along (0, 0) to (1, 1) count 3\nmeasure m = sum(u)\n",
                         NULL);
    pav_item item;
    REQUIRE(pav_run_items(o.run) == 6);
    for (int n = 0; n < 6; n++) {
        REQUIRE_OK(pav_run_describe(o.run, n, &item));
        CHECK_EQ(item.kind, want[n].kind);
        CHECK_STR(item.name, want[n].name);
    }
    CHECK(item.dimensions == 1 && item.extent[0] == 3 && item.extent[1] == 1);
    REQUIRE_OK(pav_run_describe(o.run, 1, &item));
    CHECK(item.type == PAV_BF16 && item.dimensions == 2 && item.ages == 1);
    CHECK(item.extent[0] == 5 && item.extent[1] == 2 && item.extent[2] == 1);
    CHECK_EQ(item.index, 1);
    CHECK_STATUS(pav_run_describe(o.run, 6, &item), PAV_EINVAL);
    CHECK(message_has("6 items") && item.name == NULL);
    CHECK_STATUS(pav_run_describe(o.run, -1, &item), PAV_EINVAL);
    CHECK_STATUS(pav_run_describe(NULL, 0, &item), PAV_EINVAL);
    CHECK_EQ(pav_run_items(NULL), 0);
    close_opened(&o);
}

TEST(scalars_are_set_to_finite_values_only)
{
    double value = 0;
    opened o = open_text("grid x 9\nscalar rate = 1\nfield u\nu' = u + rate\n", NULL);
    CHECK_STATUS(pav_run_set(o.run, "rate", (double)NAN), PAV_EINVAL);
    CHECK(message_has("rate") && message_has("finite"));
    CHECK_STATUS(pav_run_set(o.run, "rate", (double)-INFINITY), PAV_EINVAL);
    REQUIRE_OK(pav_run_get(o.run, "rate", &value));
    CHECK(value == 1);
    CHECK_STATUS(pav_run_get(o.run, "u", &value), PAV_EINVAL);
    CHECK(message_has("u is a field") && message_has("pav_field_read"));
    close_opened(&o);
}

TEST(sides_that_agree_to_nine_digits_are_told_apart)
{
    opened o = open_text("grid x 2\nfield u = 1\nu' = u\nsteps 1\n"
                         "expect max(u) == 1 + 1e-11\n",
                         NULL);
    CHECK_STATUS(pav_run_finish(o.run), PAV_EEXPECT);
    CHECK(message_has("the sides are 1 and 1.00000000001"));
    close_opened(&o);
}
