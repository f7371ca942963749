/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats by the ending of a path, and comma-separated values. */
#include "io/io.h"
#include "scratch.h"
#include "test.h"

#include <locale.h>

TEST(each_format_is_found_by_its_ending)
{
    CHECK_STR(io_find("u.npy")->ending, ".npy");
    CHECK_STR(io_find("out.d/u.2.png")->ending, ".png");
    CHECK_STR(io_find("/tmp/.csv")->ending, ".csv");
}

TEST(fields_slices_and_tables_each_have_a_format)
{
    int fields = 0, pictures = 0, tables = 0;
    for (int n = 0; io_table[n]; n++) {
        fields += io_table[n]->field;
        pictures += io_table[n]->picture;
        tables += io_table[n]->table;
        CHECK(io_table[n]->ending[0] == '.' && io_table[n]->about[0]);
    }
    CHECK(fields >= 1 && pictures >= 1 && tables >= 2);
}

TEST(unknown_endings_are_reported_with_those_known)
{
    CHECK(io_find("heat.vtk") == NULL);
    CHECK_STR(
        pav_message(),
        "heat.vtk: '.vtk' is no format that can be written; did you mean '.vti'? known "
        "are .npy (NumPy array), .npy.zst (the same, packed by zstd), .png (picture of a "
        "slice), .csv (comma-separated "
        "values), .vti (VTK image data), .vtr (VTK rectilinear grid), .pvd (VTK time "
        "series of .vti files), .h5 "
        "(HDF5), .nc (NetCDF-4 with the conventions CF), .xdmf (XDMF time series of .h5 "
        "files, for ParaView), .apng (animated "
        "pictures of a slice), .sgy (SEG-Y traces of a sample), .segy (the same)");
    CHECK(io_find("u.pgn") == NULL);
    CHECK(strstr(pav_message(), "did you mean '.png'?"));
    CHECK(io_find("u.PNG") == NULL);
    CHECK(strstr(pav_message(), "did you mean '.png'?"));
}

TEST(names_without_an_ending_are_reported)
{
    const char *const names[] = {"", "u", "out.npy/u", "/"};
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        CHECK(io_find(names[n]) == NULL);
        CHECK(strstr(pav_message(), "the ending of the name"));
    }
}

TEST(csv_has_a_line_of_names_and_numbers_that_read_back)
{
    const char *const heads[] = {"step", "energy"};
    const double values[] = {0, 0.1, 1, -1.0 / 3, 2, 1e300};
    int64_t length;
    REQUIRE_OK(csv_write(scratch_path("a.csv"), heads, values, 3, 2));
    char *got = scratch_read("a.csv", &length);
    CHECK_STR(got, "step,energy\n0,0.1\n1,-0.3333333333333333\n2,1e300\n");
    mem_free(got);
}

TEST(csv_puts_names_in_quotes_where_they_need_them)
{
    const char *const heads[] = {"max(u, v)", "a \"b\"", "c"};
    const double values[] = {NAN, INFINITY, -0.0};
    int64_t length;
    REQUIRE_OK(csv_write(scratch_path("a.csv"), heads, values, 1, 3));
    char *got = scratch_read("a.csv", &length);
    CHECK_STR(got, "\"max(u, v)\",\"a \"\"b\"\"\",c\nnan,inf,-0\n");
    mem_free(got);
}

TEST(csv_of_many_rows_is_whole)
{
    enum { ROWS = 30000 };
    static double values[ROWS];
    const char *const heads[] = {"n"};
    int64_t length, lines = 0;
    for (int n = 0; n < ROWS; n++)
        values[n] = n;
    REQUIRE_OK(csv_write(scratch_path("a.csv"), heads, values, ROWS, 1));
    char *got = scratch_read("a.csv", &length);
    for (int64_t n = 0; n < length; n++)
        lines += got[n] == '\n';
    CHECK_EQ(lines, ROWS + 1);
    CHECK_STR(got + length - 12, "29998\n29999\n");
    mem_free(got);
}

TEST(csv_fails_where_npy_does)
{
    const char *const heads[] = {"n"};
    const double one = 1;
    CHECK_STATUS(csv_write(scratch_path("no/a.csv"), heads, &one, 1, 1), PAV_EIO);
    CHECK_EQ(scratch_count(), 0);
}

/* A ramp in a field of this type. */
static io_frame ramp_of(pav_type type, double *values)
{
    view v = {.data = values, .type = type, .extent = {16, 8, 1}, .stride = {1, 16, 128}};
    for (int64_t k = 0; k < 128; k++)
        type_store(type, (char *)values + k * (int64_t)pav_type_size(type),
                   1e-3 * (double)k);
    return frame_of_view(&v, 2);
}

TEST(no_file_is_larger_than_was_told)
{
    static const pav_type types[] = {PAV_F64, PAV_F32, PAV_F16, PAV_BF16, PAV_U8};
    static const char *const names[] = {"u.npy",  "u.csv",    "u.vti", "u.png",
                                        "u.apng", "u.npy.zst"}; /* needs the library */
    double values[128];
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t n = 0; n < COUNT_OF(names) - (zstd_missing() != NULL); n++) {
            const io_frame frame = ramp_of(types[t], values);
            const frame_need need = frame_need_of(names[n], &frame);
            series *s = NULL;
            text path = {0};
            int64_t length;
            REQUIRE_OK(series_open(scratch_path(names[n]), &(series_style){0}, &s));
            REQUIRE_OK(series_add(s, &frame, &path));
            series_close(s);
            text_free(&path);
            mem_free(scratch_read(names[n], &length));
            CHECK(length <= need.file && need.memory > 0);
            CHECK(!need.exact || need.file - length <= 16 << 10);
        }
}

TEST(the_size_of_an_npy_file_is_reported_but_for_its_header)
{
    double values[128];
    const io_frame frame = ramp_of(PAV_F16, values);
    CHECK_EQ(frame_need_of("u.npy", &frame).file, 128 + 2 * 128);
    CHECK(frame_need_of("u.doc", &frame).file == 0);
    CHECK(table_row_bytes("a.npy", 3) == 24 && table_row_bytes("a.csv", 3) > 3 * 20);
}
