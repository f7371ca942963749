/* SPDX-License-Identifier: BSD-3-Clause */
/* A run whose fields lie in files, from C: read, written and gone on with as one in
 * memory. */
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
