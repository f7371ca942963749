/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing tables: the state of the file during growth. */
#include "io/io.h"
#include "scratch.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const heads[] = {"step", "u(1 2)"};

static table_file *open_new(const char *name, int64_t columns)
{
    table_file *f = NULL;
    REQUIRE_OK(table_open(scratch_path(name), heads, columns, &f));
    return f;
}

static void check_text(const char *name, const char *want)
{
    int64_t length;
    char *got = scratch_read(name, &length);
    CHECK_STR(got, want);
    mem_free(got);
}

TEST(a_table_is_there_before_its_first_row)
{
    npy_header h;
    table_file *csv = open_new("a.csv", 2), *npy = open_new("a.npy", 2);
    check_text("a.csv", "step,u(1 2)\n");
    REQUIRE_OK(npy_read_header(scratch_path("a.npy"), &h));
    CHECK(h.extent[0] == 0 && h.extent[1] == 2 && h.data_offset == 128);
    table_close(csv);
    table_close(npy);
    CHECK_EQ(scratch_count(), 2);
}

TEST(rows_are_in_the_file_when_it_is_flushed)
{
    const double row[][2] = {{0, 0.5}, {1, -3}};
    table_file *f = open_new("a.csv", 2);
    REQUIRE_OK(table_add(f, row[0]));
    check_text("a.csv", "step,u(1 2)\n");
    REQUIRE_OK(table_flush(f, true));
    check_text("a.csv", "step,u(1 2)\n0,0.5\n");
    REQUIRE_OK(table_add(f, row[1]));
    table_close(f);
    check_text("a.csv", "step,u(1 2)\n0,0.5\n1,-3\n");
}

TEST(the_header_of_an_npy_table_counts_the_rows_that_are_there)
{
    const double row[][2] = {{0, 0.5}, {1, -3}};
    double *values = NULL;
    int64_t rows = 0;
    table_file *f = open_new("a.npy", 2);
    for (int n = 0; n < 2; n++) {
        REQUIRE_OK(table_add(f, row[n]));
        REQUIRE_OK(table_flush(f, true));
        REQUIRE_OK(npy_read_table(scratch_path("a.npy"), 2, 10, &values, &rows));
        CHECK_EQ(rows, n + 1);
        CHECK(memcmp(values, row, (size_t)rows * sizeof row[0]) == 0);
        mem_free(values);
    }
    table_close(f);
}

/* Adds rows without end and without a flush. */
static void grow(const char *name)
{
    table_file *f = open_new(name, 1);
    for (int64_t n = 0;; n++) {
        const double row = (double)n;
        if (table_add(f, &row) != PAV_OK)
            _exit(1);
    }
}

TEST(a_process_that_is_killed_leaves_whole_rows)
{
    const char *path = scratch_path("a.npy");
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0)
        grow("a.npy");
    npy_header h = {0};
    while (h.count < 20000 && waitpid(child, NULL, WNOHANG) == 0) {
        usleep(5000);
        FILE *file = fopen(path, "rb");
        char bytes[128];
        if (file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes)
            REQUIRE_OK(npy_parse_header(bytes, sizeof bytes, &h));
        if (file)
            REQUIRE(fclose(file) == 0);
    }
    REQUIRE(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    CHECK(h.count >= 20000);
    int64_t length;
    char *bytes = scratch_read("a.npy", &length);
    REQUIRE_OK(npy_parse_header(bytes, length, &h));
    REQUIRE(length >= h.data_offset + 8 * h.count);
    double last;
    memcpy(&last, bytes + h.data_offset + 8 * (h.count - 1), sizeof last);
    CHECK(last == (double)(h.count - 1));
    mem_free(bytes);
}

TEST(of_rows_without_room_those_that_fit_are_written)
{
    const struct rlimit small = {22, 22};
    const double row[] = {1, 2};
    (void)signal(SIGXFSZ, SIG_IGN);
    table_file *f = open_new("a.csv", 2);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    for (int n = 0; n < 4; n++)
        REQUIRE_OK(table_add(f, row));
    CHECK_STATUS(table_flush(f, true), PAV_EIO);
    CHECK(strstr(pav_message(), "a.csv cannot be written") != NULL);
    check_text("a.csv", "step,u(1 2)\n1,2\n1,2\n");
    table_close(f);
}

TEST(a_table_that_is_removed_meanwhile_is_reported)
{
    const double row[] = {1, 2};
    table_file *f = open_new("a.csv", 2);
    REQUIRE(unlink(scratch_path("a.csv")) == 0);
    REQUIRE_OK(table_add(f, row));
    CHECK_STATUS(table_flush(f, true), PAV_EIO);
    CHECK(strstr(pav_message(), "a.csv was removed while its rows") != NULL);
    table_close(f);
}

TEST(a_table_replaces_what_was_there_and_fails_where_files_do)
{
    table_file *f = NULL;
    scratch_write("a.csv", "old", 3);
    table_close(open_new("a.csv", 1));
    check_text("a.csv", "step\n");
    CHECK_STATUS(table_open(scratch_path("no/a.csv"), heads, 1, &f), PAV_EIO);
    CHECK(f == NULL);
    CHECK_STATUS(table_open(scratch_path("a.xyz"), heads, 1, &f), PAV_EUNSUPPORTED);
    CHECK_EQ(scratch_count(), 1);
}
