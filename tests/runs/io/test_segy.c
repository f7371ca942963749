/* SPDX-License-Identifier: BSD-3-Clause */
/* SEG-Y files: written files are read back, IBM floats are read, and wrong sizes in
 * headers are refused. */
#include <stdlib.h>

#include "io/io.h"
#include "scratch.h"
#include "test.h"

enum { HEAD = 3600, TRACE = 240, SAMPLES = 4, TRACES = 3, EACH = TRACE + 4 * SAMPLES };

static void put_16(char *at, int value)
{
    at[0] = (char)(value >> 8);
    at[1] = (char)value;
}

static void put_32(char *at, uint32_t value)
{
    put_16(at, (int)(value >> 16));
    put_16(at + 2, (int)(value & 0xffff));
}

/* A file with `bits` in every sample. */
static char *make(int format, uint32_t bits)
{
    char *file = calloc(1, HEAD + TRACES * EACH);
    REQUIRE(file != NULL);
    put_16(file + 3216, 4000);
    put_16(file + 3220, SAMPLES);
    put_16(file + 3224, format);
    for (int k = 0; k < TRACES; k++) {
        char *trace = file + HEAD + k * EACH;
        put_16(trace + 70, -10);
        put_32(trace + 80, (uint32_t)(1000 * k + 5));
        put_16(trace + 114, SAMPLES);
        for (int n = 0; n < SAMPLES; n++)
            put_32(trace + TRACE + 4 * n, bits);
    }
    return file;
}

static pav_status read_as(char *file, int64_t length, trace_table *t)
{
    scratch_write("a.sgy", file, length);
    free(file);
    return traces_read(scratch_path("a.sgy"), t);
}

TEST(floats_of_ibm_are_read)
{
    trace_table t;
    REQUIRE_OK(read_as(make(1, 0xc276a000), HEAD + TRACES * EACH, &t)); /* the manual's */
    CHECK(t.rows == SAMPLES && t.columns == TRACES);
    CHECK(t.value[0] == -118.625);
    CHECK(t.interval == 0.004);
    traces_free(&t);
}

TEST(floats_of_ieee_are_read)
{
    trace_table t;
    REQUIRE_OK(read_as(make(5, 0x3fc00000), HEAD + TRACES * EACH, &t));
    CHECK(t.value[SAMPLES * TRACES - 1] == 1.5);
    traces_free(&t);
}

TEST(a_file_that_was_cut_is_refused)
{
    trace_table t;
    CHECK(read_as(make(5, 0), HEAD + TRACES * EACH - 1, &t) == PAV_EFORMAT);
    CHECK(strstr(pav_message(), "it is cut") != NULL);
}

TEST(a_header_that_promises_more_samples_than_there_are_is_refused)
{
    trace_table t;
    char *file = make(5, 0);
    put_16(file + 3220, 60000);
    CHECK(read_as(file, HEAD + TRACES * EACH, &t) == PAV_EFORMAT);
}

TEST(a_trace_of_another_length_is_refused)
{
    trace_table t;
    char *file = make(5, 0);
    put_16(file + HEAD + EACH + 114, SAMPLES - 1);
    CHECK(read_as(file, HEAD + TRACES * EACH, &t) == PAV_EFORMAT);
    CHECK(strstr(pav_message(), "trace 2 says") != NULL);
}

TEST(a_sample_that_is_no_number_is_named)
{
    trace_table t;
    CHECK(read_as(make(5, 0x7fc00000), HEAD + TRACES * EACH, &t) == PAV_EFORMAT);
    CHECK(strstr(pav_message(), "sample 1 of trace 1 is not a number") != NULL);
}

TEST(positions_of_receivers_are_scaled)
{
    double *rows = NULL;
    int64_t count = 0;
    char *file = make(5, 0);
    scratch_write("a.sgy", file, HEAD + TRACES * EACH);
    free(file);
    REQUIRE_OK(positions_read(scratch_path("a.sgy"), "xz", false, 10, &rows, &count));
    REQUIRE(count == TRACES);
    CHECK(rows[2] == 100.5 && rows[3] == 0);
    mem_free(rows);
}

static trace_gather *open_gather(const char *path)
{
    static const double place[] = {10, 2.5, 20, 2.5}, source[] = {5, 1};
    const gather_info info = {.columns = 2,
                              .parts = 1,
                              .dimensions = 2,
                              .letters = "xz",
                              .position = place,
                              .source = source,
                              .interval = 0.002,
                              .title = "p"};
    trace_gather *g = NULL;
    REQUIRE_OK(gather_open(path, &info, 0, &g));
    return g;
}

TEST(a_gather_is_read_as_it_was_written)
{
    const char *path = scratch_path("g.sgy");
    trace_gather *g = open_gather(path);
    trace_table t;
    double *rows = NULL;
    int64_t count = 0;
    for (int n = 0; n < 5; n++)
        REQUIRE_OK(gather_add(g, (const double[]){n, -0.5 * n}, 0.002 * n));
    REQUIRE_OK(gather_write(g));
    gather_close(g);
    REQUIRE_OK(traces_read(path, &t));
    CHECK(t.rows == 5 && t.columns == 2 && t.interval == 0.002);
    CHECK(t.value[8] == 4 && t.value[9] == -2);
    traces_free(&t);
    REQUIRE_OK(positions_read(path, "xz", false, 10, &rows, &count));
    CHECK(rows[2] == 20 && rows[3] == 2.5);
    mem_free(rows);
    REQUIRE_OK(positions_read(path, "xz", true, 10, &rows, &count));
    CHECK(rows[0] == 5 && rows[1] == 1);
    mem_free(rows);
}

TEST(an_interval_that_segy_cannot_state_is_refused)
{
    const double place[] = {0};
    const gather_info info = {.columns = 1,
                              .parts = 1,
                              .dimensions = 1,
                              .letters = "x",
                              .position = place,
                              .interval = 0.5,
                              .title = "u"};
    trace_gather *g = NULL;
    CHECK(gather_open(scratch_path("g.sgy"), &info, 0, &g) == PAV_EUNSUPPORTED);
    CHECK(scratch_count() == 0);
}
