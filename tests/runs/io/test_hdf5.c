/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 files and their XDMF indices, written and read back. Without the library only its
 * refusal is tested. */
#include "io/io_private.h"
#include "scratch.h"
#include "shown.h"
#include "test.h"

#include <stdio.h>

static bool absent(void)
{
    if (!hdf5_missing())
        return false;
    series *s;
    CHECK_STATUS(series_open("u.h5", &(series_style){0}, &s), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "install it") != NULL);
    test_skip("HDF5 files", "there is no HDF5 library");
    return true;
}

static io_frame named(const view *v, int dimensions)
{
    io_frame f = frame_of_view(v, dimensions);
    f.name = "u";
    return f;
}

static void write_one(const char *name, const io_frame *f)
{
    series *s;
    text path = {0};
    REQUIRE_OK(series_open(scratch_path(name), &(series_style){0}, &s));
    REQUIRE_OK(series_add(s, f, &path));
    series_close(s);
    text_free(&path);
}

static pav_status read_back(const char *name, int dimensions, view *v)
{
    static double memory[1 << 19];
    v->data = memory;
    v->type = PAV_F64;
    v->stride[0] = 1;
    v->stride[1] = v->extent[0];
    v->stride[2] = v->extent[0] * v->extent[1];
    return field_read(scratch_path(name), dimensions, false, v, NULL);
}

TEST(values_of_every_type_are_read_back)
{
    static const pav_type types[] = {PAV_F64, PAV_F32, PAV_BF16, PAV_F16, PAV_U8};
    if (absent())
        return;
    for (size_t n = 0; n < COUNT_OF(types); n++) {
        const view v = shown_view(types[n], 4, 3, 2);
        const io_frame f = named(&v, 3);
        view got = {.extent = {4, 3, 2}};
        write_one("u.h5", &f);
        REQUIRE_OK(read_back("u.h5:/u", 3, &got));
        const double *value = got.data;
        CHECK(value[0] == 0 && value[1] == 1 && value[4] == 10 && value[23] == 123);
        CHECK_EQ(scratch_count(), 1);
    }
}

TEST(netcdf_has_a_time_before_the_axes_and_is_read_without_it)
{
    if (absent() || nc_format.missing())
        return;
    for (int dimensions = 1; dimensions <= 3; dimensions++) {
        const view v = shown_view(PAV_F64, 4, dimensions > 1 ? 3 : 1,
                                  dimensions > 2 ? 2 : 1);
        const io_frame f = named(&v, dimensions);
        view got = {.extent = {4, v.extent[1], v.extent[2]}},
             line = {.extent = {4, 1, 1}};
        write_one("u.nc", &f);
        REQUIRE_OK(read_back("u.nc:/u", dimensions, &got));
        CHECK(memcmp(got.data, v.data, sizeof(double) * 4) == 0);
        REQUIRE_OK(read_back("u.nc:/x", 1, &line));
        CHECK(((double *)line.data)[3] == 3);
        line.extent[0] = 1;
        REQUIRE_OK(read_back("u.nc:/time", 1, &line));
    }
}

TEST(a_field_called_time_is_refused_beside_the_dimension)
{
    series *s;
    if (absent() || nc_format.missing())
        return;
    const view v = shown_view(PAV_F64, 4, 1, 1);
    OWNED_BY(text_free) text path = {0};
    io_frame f = named(&v, 1);
    f.name = "time";
    REQUIRE_OK(series_open(scratch_path("t.nc"), &(series_style){0}, &s));
    CHECK_STATUS(series_add(s, &f, &path), PAV_EINVAL);
    CHECK(strstr(pav_message(), "a field called time cannot stand beside"));
    series_close(s);
    CHECK_EQ(scratch_count(), 0);
}

TEST(a_frame_of_many_pieces_is_written_with_its_strides)
{
    enum { NX = 127, NY = 128 };
    if (absent())
        return;
    const view v = shown_view(PAV_F32, 2 * NX, NY, 2);
    io_frame f = named(&v, 3);
    f.extent[0] = NX;
    f.stride[0] = 2;
    view got = {.extent = {NX, NY, 2}};
    write_one("u.h5", &f);
    REQUIRE_OK(read_back("u.h5:/u", 3, &got));
    bool same = true;
    for (int64_t n = 0; n < NX * NY * 2; n++) {
        const int64_t x = 2 * (n % NX), y = n / NX % NY, z = n / NX / NY;
        const int64_t wanted = x + 10 * y + 100 * z;
        same &= ((double *)got.data)[n] == (double)wanted;
    }
    CHECK(same);
}

TEST(long_rows_are_read_in_parts)
{
    enum { MANY = 300000 };
    static float values[MANY];
    if (absent())
        return;
    for (int n = 0; n < MANY; n++)
        values[n] = (float)n;
    const view v = {.data = values,
                    .type = PAV_F32,
                    .extent = {MANY, 1, 1},
                    .stride = {1, MANY, MANY}};
    const io_frame f = named(&v, 1);
    view got = {.extent = {MANY, 1, 1}};
    write_one("u.h5", &f);
    REQUIRE_OK(read_back("u.h5:/u", 1, &got));
    bool same = true;
    for (int n = 0; n < MANY; n++)
        same &= ((double *)got.data)[n] == n;
    CHECK(same);
}

TEST(the_same_frame_makes_the_same_bytes)
{
    int64_t length, other;
    if (absent())
        return;
    const view v = shown_view(PAV_F32, 4, 3, 2);
    const io_frame f = named(&v, 3);
    write_one("a.h5", &f);
    write_one("b.h5", &f);
    char *a = scratch_read("a.h5", &length), *b = scratch_read("b.h5", &other);
    CHECK(length == other && memcmp(a, b, (size_t)length) == 0);
    mem_free(a);
    mem_free(b);
}

/* ParaView 5.11 terminates when it reads such an index. */
TEST(an_index_whose_readers_would_not_find_its_files_is_refused)
{
    series *s;
    if (absent())
        return;
    CHECK_STATUS(series_open("a:b.xdmf", &(series_style){0}, &s), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "behind a colon") != NULL);
    REQUIRE_OK(series_open("a:b/c.xdmf", &(series_style){0}, &s));
    series_close(s);
    REQUIRE_OK(series_open("a:b.h5", &(series_style){0}, &s));
    series_close(s);
}

TEST(what_does_not_fit_or_is_not_there_is_reported)
{
    if (absent())
        return;
    const view v = shown_view(PAV_F32, 4, 3, 2);
    const io_frame f = named(&v, 3);
    write_one("u.h5", &f);
    scratch_write("text.h5", "no HDF5 file", 12);
    const struct {
        const char *name, *said;
        pav_status status;
    } cases[] = {{"u.h5:/v", "u.h5 has no dataset /v", PAV_EFORMAT},
                 {"u.h5", "which dataset", PAV_EFORMAT},
                 {"u.h5:/", "which dataset", PAV_EFORMAT},
                 {"no.h5:/u", "no.h5 cannot be opened as an HDF5 file: ", PAV_EIO},
                 {"text.h5:/u", "text.h5 cannot be opened as an HDF5 file: ", PAV_EIO},
                 {"u.h5:/u", "the file holds 2x3x4 (z, y, x), the grid is x 4, y 3, z 5",
                  PAV_EFORMAT}};
    for (size_t n = 0; n < COUNT_OF(cases); n++) {
        view got = {.extent = {4, 3, 5}};
        CHECK_STATUS(read_back(cases[n].name, 3, &got), cases[n].status);
        if (!strstr(pav_message(), cases[n].said))
            CHECK_STR(pav_message(), cases[n].said);
    }
}

TEST(a_mask_is_true_where_the_dataset_is_not_zero)
{
    if (absent())
        return;
    uint8_t mask[12] = {0};
    const view v = shown_view(PAV_F64, 4, 3, 1);
    const io_frame f = named(&v, 2);
    write_one("u.h5", &f);
    const view got = {
        .data = mask, .type = PAV_U8, .extent = {4, 3, 1}, .stride = {1, 4, 12}};
    REQUIRE_OK(field_read(scratch_path("u.h5:/u"), 2, false, &got, NULL));
    CHECK(mask[0] == 0 && mask[1] == 1 && mask[11] == 1);
}

TEST(an_xdmf_file_names_the_dataset_of_each_step)
{
    int64_t length;
    series *s;
    text path = {0};
    if (absent())
        return;
    const view v = shown_view(PAV_F32, 4, 3, 1);
    io_frame f = named(&v, 2);
    f.scale[0].origin = num_ratio(1, 2);
    REQUIRE_OK(
        series_open(scratch_path("u.xdmf"), &(series_style){.numbered = true}, &s));
    for (f.step = 0; f.step <= 10; f.step += 10) {
        f.time = 0.5 * (double)f.step;
        REQUIRE_OK(series_add(s, &f, &path));
    }
    series_close(s);
    text_free(&path);
    char *all = scratch_read("u.xdmf", &length);
    CHECK(strstr(all, ">u-000000.h5:/u<") && strstr(all, ">u-000010.h5:/u<"));
    CHECK_STR(attribute(strstr(all, "step 10"), "Value"), "5");
    CHECK_STR(attribute(strstr(all, "<Topology"), "Dimensions"), "1 3 4");
    CHECK(strstr(all, ">0 0 0.5<") && strstr(all, ">1 1 1<"));
    mem_free(all);
    view got = {.extent = {4, 3, 1}};
    REQUIRE_OK(read_back("u-000010.h5:/u", 2, &got));
    CHECK_EQ(scratch_count(), 3);
}

TEST(an_hdf5_file_that_cannot_be_written_is_reported_and_nothing_is_left)
{
    series *s;
    text path = {0};
    if (absent())
        return;
    const view v = shown_view(PAV_F32, 4, 3, 1);
    const io_frame f = named(&v, 2);
    REQUIRE_OK(series_open(scratch_path("no/u.h5"), &(series_style){0}, &s));
    CHECK_STATUS(series_add(s, &f, &path), PAV_EIO);
    CHECK(strstr(pav_message(), "its directory is not there: make it") != NULL);
    series_close(s);
    text_free(&path);
}
