/* SPDX-License-Identifier: BSD-3-Clause */
/* npy files packed by zstd, written and read back. Without the library only its refusal
 * is tested. */
#include "io/io_private.h"
#include "scratch.h"
#include "shown.h"
#include "test.h"

#include <stdlib.h>

static bool absent(void)
{
    if (!zstd_missing())
        return false;
    series *s;
    CHECK_STATUS(series_open("u.npy.zst", &(series_style){0}, &s), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "apt install libzstd1") != NULL);
    test_skip("packed files", "there is no zstd library");
    return true;
}

static void write_as(const char *name, const view *v, int dimensions)
{
    const io_frame f = frame_of_view(v, dimensions);
    series *s;
    text path = {0};
    REQUIRE_OK(series_open(scratch_path(name), &(series_style){0}, &s));
    REQUIRE_OK(series_add(s, &f, &path));
    series_close(s);
    text_free(&path);
}

/* More points than any buffer holds, and no two alike. */
enum { NX = 300, NY = 70, NZ = 5, POINTS = NX * NY * NZ };
static view noise(void)
{
    static double memory[POINTS];
    for (int n = 0; n < POINTS; n++)
        memory[n] = random_at(1, n, 0, 0);
    return (view){.data = memory,
                  .type = PAV_F64,
                  .extent = {NX, NY, NZ},
                  .stride = {1, NX, (int64_t)NX * NY}};
}

static pav_status read_back(const char *name, view *got)
{
    static double memory[POINTS];
    memset(memory, 0, sizeof memory);
    *got = (view){.data = memory,
                  .type = PAV_F64,
                  .extent = {NX, NY, NZ},
                  .stride = {1, NX, (int64_t)NX * NY}};
    return field_read(scratch_path(name), 3, false, got, NULL);
}

/* The bytes of a view packed into u.npy.zst. */
static char *packed(const view *v, int64_t *length)
{
    write_as("u.npy.zst", v, 3);
    return scratch_read("u.npy.zst", length);
}

TEST(a_packed_field_is_read_back_bit_for_bit)
{
    const view v = noise();
    view got;
    if (absent())
        return;
    write_as("u.npy.zst", &v, 3);
    REQUIRE_OK(read_back("u.npy.zst", &got));
    CHECK(memcmp(got.data, v.data, POINTS * sizeof(double)) == 0);
    CHECK_EQ(scratch_count(), 1);
}

TEST(unpacked_it_is_the_npy_file)
{
    const view v = noise();
    int64_t length, got;
    in_file f;
    if (absent())
        return;
    char *unpacked = malloc(sizeof(double) * POINTS + 1000);
    write_as("u.npy.zst", &v, 3);
    write_as("u.npy", &v, 3);
    char *plain = scratch_read("u.npy", &length);
    REQUIRE_OK(in_open(&f, scratch_path("u.npy.zst")));
    REQUIRE_OK(in_read(&f, unpacked, length + 1, &got));
    CHECK_EQ(got, length);
    CHECK(memcmp(unpacked, plain, (size_t)length) == 0);
    in_close(&f);
    mem_free(plain);
    free(unpacked);
}

TEST(every_cut_of_a_packed_file_is_refused)
{
    const view v = noise();
    view got;
    int64_t length;
    if (absent())
        return;
    char *all = packed(&v, &length);
    for (int64_t kept = 0; kept < length; kept += kept < 20 ? 1 : length / 16) {
        scratch_write("cut.npy.zst", all, kept);
        CHECK_STATUS(read_back("cut.npy.zst", &got), PAV_EFORMAT);
    }
    scratch_write("cut.npy.zst", all, length - 1); /* cuts the checksum */
    CHECK_STATUS(read_back("cut.npy.zst", &got), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "cut.npy.zst is cut short"));
    mem_free(all);
}

TEST(a_damaged_packed_file_is_refused)
{
    const view v = noise();
    view got;
    int64_t length;
    if (absent())
        return;
    char *all = packed(&v, &length);
    all[length / 2] ^= 1;
    scratch_write("u.npy.zst", all, length);
    CHECK_STATUS(read_back("u.npy.zst", &got), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "is damaged"));
    mem_free(all);
}

TEST(bytes_behind_the_data_are_reported)
{
    const view v = noise();
    view got;
    int64_t length;
    if (absent())
        return;
    char *all = packed(&v, &length);
    char *twice = malloc(2 * (size_t)length);
    memcpy(twice, all, (size_t)length);
    memcpy(twice + length, all, (size_t)length);
    scratch_write("u.npy.zst", twice, 2 * length);
    CHECK_STATUS(read_back("u.npy.zst", &got), PAV_EFORMAT);
    CHECK(strstr(pav_message(), "bytes behind the data"));
    free(twice);
    mem_free(all);
}

TEST(a_step_stands_before_both_endings)
{
    text t = {0};
    path_of_step("out.d/u.npy.zst", NULL, 100, &t);
    CHECK_STR(t.data, "out.d/u-000100.npy.zst");
    CHECK_STR(io_find("u.npy.zst")->ending, ".npy.zst");
    CHECK(io_find("u.png.zst") == NULL && io_find("u.zst") == NULL);
    text_free(&t);
}

TEST(packing_without_memory_leaves_no_file)
{
    const view v = noise();
    const io_frame f = frame_of_view(&v, 3);
    if (absent())
        return;
    for (int n = 1; n < 6; n++) {
        text path = {0};
        series *s;
        REQUIRE_OK(series_open(scratch_path("u.npy.zst"), &(series_style){0}, &s));
        mem_fail_after(n);
        const pav_status status = series_add(s, &f, &path);
        mem_fail_after(0);
        CHECK(status == PAV_ENOMEM || status == PAV_OK);
        CHECK_EQ(scratch_count(), status == PAV_OK);
        series_close(s);
        text_free(&path);
    }
}
