/* SPDX-License-Identifier: BSD-3-Clause */
/* Access to fields in every type: views in place, and copies out and in. */
#include "opened.h"

static const char shifting[] = "grid x 5, y 4\nreal f32\nfield u = x + 10*y\n"
                               "u' = u[-1,0] + 0*prev(u)\nborder periodic\n";

TEST(a_borrowed_view_leads_to_the_points)
{
    opened o = open_text(shifting, NULL);
    pav_view v;
    REQUIRE_OK(pav_field_borrow(o.run, "u", 0, &v));
    CHECK_EQ(v.type, PAV_F32);
    CHECK_EQ(v.dimensions, 2);
    CHECK(v.extent[0] == 5 && v.extent[1] == 4 && v.extent[2] == 1);
    CHECK_EQ(v.stride[0], 1);
    const float *u = v.data;
    for (int64_t j = 0; j < 4; j++)
        for (int64_t i = 0; i < 5; i++)
            CHECK(u[i + j * v.stride[1]] == (float)(i + 10 * j));
    close_opened(&o);
}

TEST(a_view_is_for_reading)
{
    pav_view v;
    CHECK(_Generic(&v.data, const void ** : true, default : false));
}

TEST(what_is_written_is_what_the_next_step_reads)
{
    opened o = open_text("grid x 5\nfield u\nu' = 2*u\n", NULL);
    double u[5] = {0, 0, 0, 21, 0};
    REQUIRE_OK(pav_field_write(o.run, "u", 0, PAV_F64, u, 5));
    REQUIRE_OK(pav_run_steps(o.run, 1));
    REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_F64, u, 5));
    CHECK(u[3] == 42 && u[2] == 0);
    close_opened(&o);
}

TEST(levels_are_told_apart_by_age)
{
    opened o = open_text(shifting, NULL);
    float now[20], before[20];
    REQUIRE_OK(pav_run_steps(o.run, 1));
    REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_F32, now, 20));
    REQUIRE_OK(pav_field_read(o.run, "u", 1, PAV_F32, before, 20));
    CHECK(before[2] == 2 && now[2] == 1 && now[0] == 4);
    close_opened(&o);
}

TEST(written_values_come_back_and_reach_the_border)
{
    opened o = open_text(shifting, NULL);
    double u[20], back[20];
    for (int k = 0; k < 20; k++)
        u[k] = 100 - k;
    CHECK_STATUS(pav_field_write(o.run, "u", 0, PAV_F64, u, 20), PAV_OK);
    CHECK_STATUS(pav_field_read(o.run, "u", 0, PAV_F64, back, 20), PAV_OK);
    CHECK(memcmp(u, back, sizeof u) == 0);
    REQUIRE_OK(pav_run_steps(o.run, 1));
    REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_F64, back, 20));
    CHECK(back[0] == u[4] && back[5] == u[9] && back[1] == u[0]);
    close_opened(&o);
}

TEST(a_bf16_field_is_read_in_its_own_bits_and_as_floats)
{
    opened o = open_text("grid x 3\nreal f32 stored bf16\nfield u = 1/3\nu' = u\n", NULL);
    pav_view v;
    float wide[3];
    uint16_t bits[3];
    REQUIRE_OK(pav_field_borrow(o.run, "u", 0, &v));
    CHECK_EQ(v.type, PAV_BF16);
    CHECK_EQ(((const uint16_t *)v.data)[1], 0x3eab);
    REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_F32, wide, 3));
    CHECK(wide[1] == 0x1.56p-2f);
    REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_BF16, bits, 3));
    CHECK_EQ(bits[2], 0x3eab);
    bits[1] = 0x4000;
    REQUIRE_OK(pav_field_write(o.run, "u", 0, PAV_BF16, bits, 3));
    REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_F32, wide, 3));
    CHECK(wide[1] == 2);
    close_opened(&o);
}

TEST(values_written_to_a_narrow_field_are_rounded_to_nearest_even)
{
    opened o = open_text("grid x 4\nreal f32 stored bf16\nfield u\nu' = u\n", NULL);
    static const double in[] = {1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1.8p-8, -1e-3};
    static const double want[] = {1, 1 + 0x1p-6, 1 + 0x1p-7, -0x1.06p-10};
    double out[4];
    REQUIRE_OK(pav_field_write(o.run, "u", 0, PAV_F64, in, 4));
    REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_F64, out, 4));
    for (int k = 0; k < 4; k++)
        CHECK(out[k] == want[k]);
    close_opened(&o);
}

TEST(a_coarse_field_has_half_the_points)
{
    opened o = open_text("grid x 9, y 6\nfield u\nfield c coarse\nc' = restrict(u)\n"
                         "border = 0 beyond\n",
                         NULL);
    pav_view v;
    REQUIRE_OK(pav_field_borrow(o.run, "c", 0, &v));
    CHECK(v.extent[0] == 5 && v.extent[1] == 3);
    close_opened(&o);
}

TEST(wrong_fields_ages_counts_and_types_are_refused)
{
    opened o = open_text(shifting, NULL);
    double u[20] = {0};
    pav_view v = {.data = u, .type = PAV_F64, .dimensions = 9};
    CHECK_STATUS(pav_field_borrow(o.run, "uu", 0, &v), PAV_EINVAL);
    CHECK(message_has("did you mean 'u'?"));
    CHECK(v.data == NULL && v.dimensions == 0);
    CHECK_STATUS(pav_field_borrow(o.run, "u", 3, &v), PAV_EINVAL);
    CHECK_STATUS(pav_field_borrow(o.run, "u", -1, &v), PAV_EINVAL);
    CHECK_STATUS(pav_field_read(o.run, "u", 0, PAV_F64, u, 19), PAV_EINVAL);
    CHECK(message_has("20") && message_has("19"));
    CHECK_STATUS(pav_field_write(o.run, "u", 0, PAV_F64, u, -1), PAV_EINVAL);
    CHECK_STATUS(pav_field_read(o.run, "u", 0, (pav_type)50, u, 20), PAV_EINVAL);
    close_opened(&o);
}

TEST(arguments_that_are_missing_are_refused_by_fields)
{
    opened o = open_text(shifting, NULL);
    double u[20] = {0};
    pav_view v;
    CHECK_STATUS(pav_field_borrow(NULL, "u", 0, &v), PAV_EINVAL);
    CHECK_STATUS(pav_field_borrow(o.run, NULL, 0, &v), PAV_EINVAL);
    CHECK_STATUS(pav_field_borrow(o.run, "u", 0, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_field_read(NULL, "u", 0, PAV_F64, u, 20), PAV_EINVAL);
    CHECK_STATUS(pav_field_read(o.run, "u", 0, PAV_F64, NULL, 20), PAV_EINVAL);
    CHECK_STATUS(pav_field_write(o.run, NULL, 0, PAV_F64, u, 20), PAV_EINVAL);
    CHECK_STATUS(pav_field_write(o.run, "u", 0, PAV_F64, NULL, 20), PAV_EINVAL);
    close_opened(&o);
}

/* ---- pictures ---------------------------------------------------------------------- */

TEST(a_field_is_drawn_as_a_png_in_memory)
{
    char *one, *other;
    size_t length, longer;
    opened o = open_text("grid x 6, y 5, z 4\nfield u = x + z*y^2\nu' = u\nsteps 1",
                         &(pav_run_options){.no_files = 1});
    REQUIRE_OK(pav_field_picture(o.run, "u", 2, 3, &one, &length));
    CHECK(length > 100 && memcmp(one, "\x89PNG\r\n\x1a\n", 8) == 0);
    CHECK(memcmp(one + length - 8, "IEND", 4) == 0);
    REQUIRE_OK(pav_field_picture(o.run, "u", 0, 3, &other, &longer));
    CHECK(longer != length || memcmp(one, other, length) != 0);
    pav_text_free(one);
    pav_text_free(other);
    CHECK_STATUS(pav_field_picture(o.run, "u", 2, 4, &one, &length), PAV_EINVAL);
    CHECK(one == NULL && message_has("no slice 4 of axis 2: it has 6 x 5 x 4 points"));
    CHECK_STATUS(pav_field_picture(o.run, "u", 3, 0, &one, &length), PAV_EINVAL);
    CHECK_STATUS(pav_field_picture(o.run, "v", 2, 0, &one, &length), PAV_EINVAL);
    CHECK(message_has("no field 'v'"));
    close_opened(&o);
}

TEST(a_curve_and_a_long_axis_are_drawn)
{
    char *png;
    size_t length;
    opened o = open_text("grid x 3000, y 2\nfield u = x\nu' = u\nsteps 1",
                         &(pav_run_options){.no_files = 1});
    REQUIRE_OK(pav_field_picture(o.run, "u", 0, 0, &png, &length));
    pav_text_free(png);
    close_opened(&o);
    o = open_text("grid x 9\nfield u = x\nu' = u\nsteps 1",
                  &(pav_run_options){.no_files = 1});
    REQUIRE_OK(pav_field_picture(o.run, "u", 0, 0, &png, &length));
    pav_text_free(png);
    close_opened(&o);
}
