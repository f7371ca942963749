/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing npy files: bytes and round trips. At no time is there an incomplete file under
 * the final name. */
#include "io/io.h"
#include "scratch.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static levels make(pav_type type, int dimensions, int64_t x, int64_t y, int64_t z)
{
    const field_shape shape = {.type = type,
                               .dimensions = dimensions,
                               .extent = {x, y, z},
                               .halo = {{1, 1}, {1, 1}, {1, 1}},
                               .count = 1};
    levels l;
    REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
    return l;
}

TEST(a_small_file_has_the_bytes_that_numpy_writes)
{
    static const char want[] = "\x93NUMPY\1\0v\0{'descr': '<f4', 'fortran_order': False, "
                               "'shape': (2, 3), }";
    const float values[] = {1, 2, 3, 4, 5, 6};
    levels l = make(PAV_F32, 2, 3, 2, 1);
    int64_t length;
    view_write(&l.level[0], PAV_F32, values);
    REQUIRE_OK(npy_write_view(scratch_path("a.npy"), 2, &l.level[0]));
    char *bytes = scratch_read("a.npy", &length);
    CHECK_EQ(length, 128 + 24);
    CHECK(memcmp(bytes, want, sizeof want - 1) == 0);
    CHECK(bytes[126] == ' ' && bytes[127] == '\n');
    CHECK(memcmp(bytes + 128, values, sizeof values) == 0);
    mem_free(bytes);
    levels_free(&l);
}

TEST(every_type_and_dimension_comes_back_the_same)
{
    const pav_type types[] = {PAV_F32, PAV_F64, PAV_BF16, PAV_F16, PAV_U8};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int dimensions = 1; dimensions <= 3; dimensions++) {
            levels a = make(types[t], dimensions, 5, 3, 2),
                   b = make(types[t], dimensions, 5, 3, 2);
            double values[30], got[30];
            for (int n = 0; n < 30; n++)
                values[n] = types[t] == PAV_U8 ? n % 2 : 0.25 * n - 1;
            view_write(&a.level[0], PAV_F64, values);
            REQUIRE_OK(npy_write_view(scratch_path("a.npy"), dimensions, &a.level[0]));
            REQUIRE_OK(
                npy_read_view(scratch_path("a.npy"), dimensions, &b.level[0], NULL));
            view_read(&b.level[0], PAV_F64, got);
            const size_t points = dimensions == 1 ? 5 : dimensions == 2 ? 15 : 30;
            CHECK(memcmp(values, got, points * sizeof *got) == 0);
            levels_free(&a);
            levels_free(&b);
        }
}

TEST(storage_types_have_the_nearest_dtype)
{
    static const struct {
        pav_type type;
        char kind;
        int size;
    } all[] = {{PAV_F32, 'f', 4},
               {PAV_F64, 'f', 8},
               {PAV_BF16, 'f', 4},
               {PAV_F16, 'f', 2},
               {PAV_U8, 'u', 1}};
    for (size_t n = 0; n < COUNT_OF(all); n++) {
        levels l = make(all[n].type, 3, 3, 4, 5);
        npy_header h;
        REQUIRE_OK(npy_write_view(scratch_path("a.npy"), 3, &l.level[0]));
        REQUIRE_OK(npy_read_header(scratch_path("a.npy"), &h));
        CHECK(h.kind == all[n].kind && h.item_size == all[n].size && !h.swapped &&
              !h.fortran);
        CHECK(h.extent[0] == 5 && h.extent[1] == 4 && h.extent[2] == 3);
        CHECK_EQ(h.data_offset % 64, 0);
        levels_free(&l);
    }
}

TEST(rows_longer_than_a_piece_are_written_whole)
{
    levels a = make(PAV_BF16, 2, 9001, 2, 1), b = make(PAV_BF16, 2, 9001, 2, 1);
    static double values[18002], got[18002];
    for (int n = 0; n < 18002; n++)
        values[n] = n % 251;
    view_write(&a.level[0], PAV_F64, values);
    REQUIRE_OK(npy_write_view(scratch_path("a.npy"), 2, &a.level[0]));
    REQUIRE_OK(npy_read_view(scratch_path("a.npy"), 2, &b.level[0], NULL));
    view_read(&b.level[0], PAV_F64, got);
    CHECK(memcmp(values, got, sizeof got) == 0);
    levels_free(&a);
    levels_free(&b);
}

TEST(tables_come_back_with_every_bit)
{
    const double values[] = {0.1, -0.0, NAN, INFINITY, 5e-324, 1e308};
    double *table;
    int64_t rows;
    REQUIRE_OK(npy_write_table(scratch_path("t.npy"), values, 3, 2));
    REQUIRE_OK(npy_read_table(scratch_path("t.npy"), 2, 10, &table, &rows));
    CHECK_EQ(rows, 3);
    CHECK(memcmp(values, table, sizeof values) == 0);
    mem_free(table);
}

TEST(only_the_file_itself_is_left_behind)
{
    levels l = make(PAV_F32, 1, 3, 1, 1);
    REQUIRE_OK(npy_write_view(scratch_path("a.npy"), 1, &l.level[0]));
    REQUIRE_OK(npy_write_view(scratch_path("a.npy"), 1, &l.level[0]));
    CHECK_EQ(scratch_count(), 1);
    levels_free(&l);
}

TEST(when_space_runs_out_the_old_file_stays_and_nothing_else)
{
    const struct rlimit limit = {100000, 100000};
    levels l = make(PAV_F64, 1, 1000000, 1, 1);
    int64_t length;
    scratch_write("a.npy", "old", 3);
    (void)signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK_STATUS(npy_write_view(scratch_path("a.npy"), 1, &l.level[0]), PAV_EIO);
    CHECK(strstr(pav_message(), "a.npy cannot be written: File too large"));
    CHECK(strstr(pav_message(), "limit on the size of files"));
    char *bytes = scratch_read("a.npy", &length);
    CHECK_STR(bytes, "old");
    CHECK_EQ(scratch_count(), 1);
    mem_free(bytes);
    levels_free(&l);
}

TEST(a_missing_directory_is_named_with_what_to_do)
{
    const double one = 1;
    CHECK_STATUS(npy_write_table(scratch_path("no/t.npy"), &one, 1, 1), PAV_EIO);
    CHECK(strstr(pav_message(), "no/t.npy cannot be written: No such file or directory; "
                                "its directory is not there: make it"));
    CHECK_EQ(scratch_count(), 0);
}

TEST(directories_and_devices_are_not_replaced)
{
    const double one = 1;
    CHECK_STATUS(npy_write_table("/tmp", &one, 1, 1), PAV_EIO);
    CHECK_STR(pav_message(), "/tmp cannot be written: it is a directory");
    CHECK_STATUS(npy_write_table("/dev/null", &one, 1, 1), PAV_EIO);
    CHECK_STR(pav_message(),
              "/dev/null cannot be written: it is a device, and an ordinary "
              "file is needed");
}

TEST(a_directory_that_may_not_be_written_to_is_said_so)
{
    const double one = 1;
    const bool root = geteuid() == 0;
    if (root)
        REQUIRE(seteuid(65534) == 0);
    const pav_status status = npy_write_table("/usr/t.npy", &one, 1, 1);
    if (root)
        REQUIRE(seteuid(0) == 0);
    CHECK_STATUS(status, PAV_EIO);
    CHECK(strstr(pav_message(), "/usr/t.npy cannot be written: "));
    CHECK(strstr(pav_message(), "; write into a directory that you may write to"));
}

TEST(links_are_followed_and_names_may_be_as_long_as_they_can_be)
{
    const double one = 1;
    char name[256];
    struct stat now;
    memset(name, 'n', 255);
    memcpy(name + 251, ".npy", 5);
    REQUIRE_OK(npy_write_table(scratch_path(name), &one, 1, 1));
    REQUIRE(symlink(scratch_path(name), scratch_path("link.npy")) == 0);
    REQUIRE_OK(npy_write_table(scratch_path("link.npy"), &one, 1, 1));
    REQUIRE(lstat(scratch_path("link.npy"), &now) == 0);
    CHECK(S_ISLNK(now.st_mode));
    CHECK_EQ(scratch_count(), 2);
}

TEST(each_failing_allocation_leaves_no_file)
{
    const double one = 1;
    const char *path = scratch_path("t.npy");
    int n = 0;
    pav_status status;
    do {
        mem_fail_after(++n);
        status = npy_write_table(path, &one, 1, 1);
        mem_fail_after(0);
        CHECK(status == PAV_OK || status == PAV_ENOMEM);
        CHECK_EQ(scratch_count(), status == PAV_OK);
    } while (status != PAV_OK && n < 50);
    CHECK(n > 2 && n < 50);
}
