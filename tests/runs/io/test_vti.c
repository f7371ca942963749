/* SPDX-License-Identifier: BSD-3-Clause */
/* VTK image data, read back by this test's own reader: XML, then the number of bytes and
 * the values. */
#include "io/io.h"
#include "scratch.h"
#include "shown.h"
#include "test.h"

#include <stdlib.h>

static io_frame frame_named(const view *v, int dimensions)
{
    io_frame f = frame_of_view(v, dimensions);
    f.name = "u";
    return f;
}

static void write_one(const char *name, const series_style *style, const io_frame *f)
{
    series *s;
    text path = {0};
    REQUIRE_OK(series_open(scratch_path(name), style, &s));
    REQUIRE_OK(series_add(s, f, &path));
    series_close(s);
    text_free(&path);
}

/* The values after the XML. Checks the number of bytes stated before them. */
static const void *values_of(const char *all, int64_t length, int64_t bytes)
{
    static char values[1 << 16];
    static const char end[] = "\n  </AppendedData>\n</VTKFile>\n";
    const char *at = strstr(all, "<AppendedData encoding=\"raw\">\n   _");
    if (!at) {
        CHECK(at != NULL);
        test_stop();
    }
    at += strlen("<AppendedData encoding=\"raw\">\n   _");
    uint64_t stated;
    memcpy(&stated, at, sizeof stated);
    CHECK_EQ(stated, bytes);
    CHECK_EQ(at - all + 8 + bytes + (int64_t)strlen(end), length);
    CHECK(memcmp(all + length - strlen(end), end, strlen(end)) == 0);
    memcpy(values, at + 8, (size_t)bytes);
    return values;
}

TEST(a_vti_file_has_its_points_where_they_lie)
{
    int64_t length;
    const view v = shown_view(PAV_F64, 5, 4, 3);
    io_frame f = frame_named(&v, 3);
    f.time = 0.25;
    f.scale[0].origin = num_int(-2);
    f.scale[1].span = num_ratio(1, 10);
    f.scale[1].first = 3;
    f.scale[2].every = 2;
    write_one("u.vti", &(series_style){0}, &f);
    char *all = scratch_read("u.vti", &length);
    CHECK_STR(attribute(all, "WholeExtent"), "0 4 0 3 0 2");
    CHECK_STR(attribute(all, "Piece Extent"), "0 4 0 3 0 2");
    CHECK_STR(attribute(all, "Origin"), "-2 0.3 0");
    CHECK_STR(attribute(all, "Spacing"), "1 0.1 2");
    CHECK_STR(attribute(all, "byte_order"), "LittleEndian");
    CHECK_STR(attribute(all, "header_type"), "UInt64");
    CHECK(strstr(all, "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">0.25<"));
    const double *value = values_of(all, length, 60 * 8);
    CHECK(value[0] == 0 && value[6] == 11 && value[59] == 234);
    mem_free(all);
}

TEST(narrow_values_become_f32_and_bytes_stay_bytes)
{
    static const struct {
        pav_type type;
        const char *name;
        int64_t size;
    } cases[] = {{PAV_BF16, "Float32", 4},
                 {PAV_F16, "Float32", 4},
                 {PAV_F32, "Float32", 4},
                 {PAV_U8, "UInt8", 1}};
    for (size_t n = 0; n < COUNT_OF(cases); n++) {
        int64_t length;
        const view v = shown_view(cases[n].type, 4, 3, 1);
        const io_frame f = frame_named(&v, 2);
        write_one("u.vti", &(series_style){0}, &f);
        char *all = scratch_read("u.vti", &length);
        CHECK_STR(attribute(strstr(all, "<PointData"), "type"), cases[n].name);
        const void *value = values_of(all, length, 12 * cases[n].size);
        CHECK(cases[n].size == 1 ? ((const uint8_t *)value)[11] == 23
                                 : ((const float *)value)[11] == 23);
        mem_free(all);
    }
}

TEST(a_plane_lies_where_it_was_cut)
{
    int64_t length;
    const view v = shown_view(PAV_F64, 3, 4, 1);
    io_frame f = frame_named(&v, 2);
    f.grid_dimensions = 3; /* the plane of y and z at x = 7 */
    f.axis[0] = 1;
    f.axis[1] = 2;
    f.scale[0].first = 7;
    write_one("u.vti", &(series_style){0}, &f);
    char *all = scratch_read("u.vti", &length);
    CHECK_STR(attribute(all, "WholeExtent"), "0 0 0 2 0 3");
    CHECK_STR(attribute(all, "Origin"), "7 0 0");
    mem_free(all);
}

TEST(an_index_names_the_files_of_all_steps_and_their_times)
{
    int64_t length;
    series *s;
    text path = {0};
    const view v = shown_view(PAV_F32, 3, 2, 1);
    io_frame f = frame_named(&v, 2);
    REQUIRE_OK(
        series_open(scratch_path("a&b.pvd"), &(series_style){.numbered = true}, &s));
    for (f.step = 0; f.step <= 20; f.step += 10) {
        f.time = (double)f.step / 8;
        REQUIRE_OK(series_add(s, &f, &path));
        CHECK_STR(path.data, scratch_path("a&b.pvd"));
    }
    series_close(s);
    text_free(&path);
    char *all = scratch_read("a&b.pvd", &length);
    CHECK_STR(all,
              "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n"
              "  <Collection>\n"
              "    <DataSet timestep=\"0\" part=\"0\" file=\"a&amp;b-000000.vti\"/>\n"
              "    <DataSet timestep=\"1.25\" part=\"0\" file=\"a&amp;b-000010.vti\"/>\n"
              "    <DataSet timestep=\"2.5\" part=\"0\" file=\"a&amp;b-000020.vti\"/>\n"
              "  </Collection>\n</VTKFile>\n");
    mem_free(all);
    CHECK_EQ(scratch_count(), 4);
}

TEST(a_vti_file_that_cannot_be_written_is_reported_and_nothing_is_left)
{
    series *s;
    text path = {0};
    const view v = shown_view(PAV_F32, 3, 2, 1);
    const io_frame f = frame_named(&v, 2);
    REQUIRE_OK(series_open(scratch_path("no/a.pvd"), &(series_style){0}, &s));
    CHECK_STATUS(series_add(s, &f, &path), PAV_EIO);
    CHECK(strstr(pav_message(), "no/a.vti cannot be written"));
    series_close(s);
    text_free(&path);
    CHECK_EQ(scratch_count(), 0);
}
