/* SPDX-License-Identifier: BSD-3-Clause */
/* A run with fields in files, from C: reads, writes and restarts work like in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pavior.h"
#include "test.h"

enum { NX = 20, NY = 9, NZ = 31, POINTS = NX * NY * NZ };
static const char description[] = "grid x 20, y 9, z 31\nfield u = sin(x) + y*z; v\n"
                                  "u' = 2*u - prev(u) + 0.1*laplace(u)\n"
                                  "v' = v + u'[0,0,1]\nborder u = 0.5\nborder v = 0\n";

static pav_run *begin(const pav_program *p, pav_device *d, const char *disk)
{
    const pav_run_options how = {
        .no_files = 1, .disk = disk, .out_of_core = disk ? "auto:parts=3,steps=4" : NULL};
    pav_run *run = NULL;
    REQUIRE_OK(pav_run_open(p, d, &how, &run));
    return run;
}

static bool is_same(pav_run *one, pav_run *other, const char *field)
{
    static double a[POINTS], b[POINTS];
    REQUIRE_OK(pav_field_read(one, field, 0, PAV_F64, a, POINTS));
    REQUIRE_OK(pav_field_read(other, field, 0, PAV_F64, b, POINTS));
    return memcmp(a, b, sizeof a) == 0;
}

static void write_both(pav_run *one, pav_run *other)
{
    static double values[POINTS];
    for (int n = 0; n < POINTS; n++)
        values[n] = n % 17;
    REQUIRE_OK(pav_field_write(one, "u", 0, PAV_F64, values, POINTS));
    REQUIRE_OK(pav_field_write(other, "u", 0, PAV_F64, values, POINTS));
}

TEST(fields_in_files_are_read_and_written_between_steps)
{
    pav_program *p = NULL;
    pav_device *d = NULL;
    REQUIRE_OK(pav_program_parse(description, strlen(description), NULL, &p));
    REQUIRE_OK(pav_device_open("interpreter", &d));
    pav_run *memory = begin(p, d, NULL), *files = begin(p, d, ".");
    for (int part = 0; part < 3; part++) {
        CHECK_STATUS(pav_run_steps(memory, 7), PAV_OK);
        CHECK_STATUS(pav_run_steps(files, 7), PAV_OK);
        CHECK(is_same(memory, files, "u"));
        CHECK(is_same(memory, files, "v"));
        write_both(memory, files);
    }
    pav_run_free(memory);
    pav_run_free(files);
    pav_device_free(d);
    pav_program_free(p);
}

TEST(a_host_memory_of_less_than_nothing_is_refused)
{
    const pav_run_options how = {.host_memory = -1};
    pav_program *p = NULL;
    pav_device *d = NULL;
    pav_run *run = NULL;
    REQUIRE_OK(pav_program_parse(description, strlen(description), NULL, &p));
    REQUIRE_OK(pav_device_open("interpreter", &d));
    CHECK_STATUS(pav_run_open(p, d, &how, &run), PAV_EINVAL);
    CHECK(strstr(pav_message(), "a host's memory of -1 bytes"));
    pav_device_free(d);
    pav_program_free(p);
}

TEST(a_device_memory_that_is_too_small_takes_visits)
{
    const pav_run_options half = {.no_files = 1, .device_memory = 100 << 10};
    pav_program *p = NULL;
    pav_device *d = NULL;
    pav_run *visited = NULL;
    REQUIRE_OK(pav_program_parse(description, strlen(description), NULL, &p));
    REQUIRE_OK(pav_device_open("interpreter", &d));
    pav_run *whole = begin(p, d, NULL);
    REQUIRE_OK(pav_run_open(p, d, &half, &visited));
    REQUIRE_OK(pav_run_steps(whole, 7));
    REQUIRE_OK(pav_run_steps(visited, 7));
    CHECK(is_same(whole, visited, "u") && is_same(whole, visited, "v"));
    char *report = NULL;
    REQUIRE_OK(pav_run_report(visited, 0, &report));
    CHECK(strstr(report, "visits of a window"));
    pav_text_free(report);
    pav_run_free(whole);
    pav_run_free(visited);
    pav_device_free(d);
    pav_program_free(p);
}

TEST(a_device_memory_of_no_plane_is_refused)
{
    const struct {
        int64_t bytes;
        pav_status status;
        const char *why;
    } cases[] = {{-1, PAV_EINVAL, "a device's memory of -1 bytes"},
                 {1000, PAV_ENOMEM, "for the thinnest part of its grid"}};
    pav_program *p = NULL;
    pav_device *d = NULL;
    pav_run *run = NULL;
    REQUIRE_OK(pav_program_parse(description, strlen(description), NULL, &p));
    REQUIRE_OK(pav_device_open("interpreter", &d));
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const pav_run_options how = {.device_memory = cases[n].bytes};
        CHECK_STATUS(pav_run_open(p, d, &how, &run), cases[n].status);
        CHECK(strstr(pav_message(), cases[n].why));
    }
    pav_device_free(d);
    pav_program_free(p);
}

/* ---- blocks that fail -------------------------------------------------------------- */

/* Three windows alternate, so all blocks before a failing block are complete. */
static const char turns[] =
    "grid x 20, y 64\nfield u = sin(x)*cos(0.3*y) + y\nu' = u + 0.1*laplace(u)\n"
    "border u = 0\nsteps 30\nmeasure most = max(u)\n";

static pav_run *begin_turns(const pav_program *p, pav_device *d, const char *restart)
{
    const pav_run_options how = {.no_files = 1,
                                 .disk = ".",
                                 .out_of_core = "auto:steps=2,parts=12,windows=3",
                                 .checkpoint = "turns.checkpoint",
                                 .restart = restart};
    pav_run *run = NULL;
    REQUIRE_OK(pav_run_open(p, d, &how, &run));
    return run;
}

static void refused_as_broken(pav_status status)
{
    CHECK_STATUS(status, PAV_EIO);
    CHECK(strstr(pav_message(), "no single step: restart from the checkpoint "
                                "turns.checkpoint of step "));
}

static void check_broken(pav_run *run)
{
    static double values[20 * 64];
    double most = 0;
    refused_as_broken(pav_run_steps(run, 5));
    refused_as_broken(pav_run_checkpoint(run, NULL));
    refused_as_broken(pav_run_checkpoint(run, "other.checkpoint"));
    refused_as_broken(pav_field_read(run, "u", 0, PAV_F64, values, 20 * 64));
    refused_as_broken(pav_field_write(run, "u", 0, PAV_F64, values, 20 * 64));
    refused_as_broken(pav_run_get(run, "most", &most));
    refused_as_broken(pav_run_finish(run));
}

static void check_goes_on(const pav_program *p, pav_device *d)
{
    static double values[20 * 64], whole[20 * 64];
    pav_run *core = begin(p, d, NULL), *run = begin_turns(p, d, "turns.checkpoint");
    REQUIRE_OK(pav_run_finish(core));
    REQUIRE_OK(pav_run_finish(run));
    REQUIRE_OK(pav_field_read(core, "u", 0, PAV_F64, whole, 20 * 64));
    REQUIRE_OK(pav_field_read(run, "u", 0, PAV_F64, values, 20 * 64));
    CHECK(memcmp(values, whole, sizeof whole) == 0);
    pav_run_free(core);
    pav_run_free(run);
}

TEST(a_run_whose_blocks_failed_is_refused_and_continues_from_its_checkpoint)
{
    pav_program *p = NULL;
    pav_device *d = NULL;
    int within = 0;
    REQUIRE_OK(pav_program_parse(turns, strlen(turns), NULL, &p));
    REQUIRE_OK(pav_device_open("interpreter", &d));
    for (int piece = 40; piece < 120; piece += 20) {
        char fault[32];
        (void)snprintf(fault, sizeof fault, "read:%d", piece);
        CHECK(setenv("PAV_DISK_FAULT", fault, 1) == 0);
        pav_run *run = begin_turns(p, d, NULL);
        CHECK(unsetenv("PAV_DISK_FAULT") == 0);
        CHECK_STATUS(pav_run_steps(run, 30), PAV_EIO);
        within += pav_run_step(run) > 0;
        check_broken(run);
        pav_run_free(run);
        check_goes_on(p, d);
        CHECK(remove("turns.checkpoint") == 0);
    }
    CHECK(within > 0);
    pav_device_free(d);
    pav_program_free(p);
}

/* ---- a listener between visits ----------------------------------------------------- */

typedef struct asking {
    pav_run *run;
    int whole, under_way; /* calls after complete steps; calls inside a block */
} asking;

/* A read gets a complete level, or is refused. */
static int ask(void *user, pav_event event, const pav_progress *progress,
               const char *said)
{
    static double values[20 * 64];
    asking *a = user;
    double most = 0;
    (void)progress;
    (void)said;
    if (event != PAV_EVENT_PROGRESS || !a->run)
        return 0;
    const pav_status kept = pav_run_checkpoint(a->run, "asked.checkpoint");
    a->whole += kept == PAV_OK;
    if (kept == PAV_OK || strstr(pav_message(), "the last of a fused launch"))
        return 0;
    CHECK_STATUS(kept, PAV_EINVAL);
    CHECK(strstr(pav_message(), "visits of a block of steps are under way"));
    a->under_way++;
    CHECK_STATUS(pav_field_read(a->run, "u", 0, PAV_F64, values, 20 * 64), PAV_EINVAL);
    CHECK_STATUS(pav_field_write(a->run, "u", 0, PAV_F64, values, 20 * 64), PAV_EINVAL);
    CHECK_STATUS(pav_run_get(a->run, "most", &most), PAV_EINVAL);
    CHECK_STATUS(pav_run_steps(a->run, 1), PAV_EINVAL);
    return 0;
}

static void check_asked(const pav_program *p, pav_device *d, const char *disk)
{
    static double values[20 * 64], whole[20 * 64];
    asking a = {0};
    const pav_run_options how = {.no_files = 1,
                                 .disk = disk,
                                 .out_of_core = "auto:steps=2,parts=12",
                                 .listener = ask,
                                 .user = &a,
                                 .report_seconds = 1e-9};
    pav_run *run = NULL, *core = begin(p, d, NULL);
    REQUIRE_OK(pav_run_open(p, d, &how, &run));
    a.run = run;
    REQUIRE_OK(pav_run_finish(run));
    REQUIRE_OK(pav_run_finish(core));
    REQUIRE_OK(pav_field_read(run, "u", 0, PAV_F64, values, 20 * 64));
    REQUIRE_OK(pav_field_read(core, "u", 0, PAV_F64, whole, 20 * 64));
    CHECK(memcmp(values, whole, sizeof whole) == 0);
    CHECK(a.under_way > 0 && a.whole > 0);
    pav_run_free(run);
    pav_run_free(core);
}

TEST(a_listener_between_visits_is_refused_what_is_not_whole)
{
    pav_program *p = NULL;
    pav_device *d = NULL;
    REQUIRE_OK(pav_program_parse(turns, strlen(turns), NULL, &p));
    REQUIRE_OK(pav_device_open("interpreter", &d));
    check_asked(p, d, NULL);
    check_asked(p, d, ".");
    pav_device_free(d);
    pav_program_free(p);
}
