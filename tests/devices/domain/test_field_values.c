/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense copies of views, and the search for values not finite. */
#include "domain/domain.h"
#include "test.h"

static const pav_type floats[] = {PAV_F32, PAV_F64, PAV_BF16, PAV_F16};

static levels make(pav_type type, int64_t x, int64_t y, int64_t z)
{
    const field_shape shape = {.type = type,
                               .dimensions = 3,
                               .extent = {x, y, z},
                               .halo = {{2, 1}, {1, 1}, {1, 2}},
                               .count = 1};
    levels l;
    REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
    return l;
}

static void put(const view *v, int64_t i, int64_t j, int64_t k, double value)
{
    type_store(v->type,
               (char *)v->data +
                   view_offset(v, i, j, k) * (int64_t)pav_type_size(v->type),
               value);
}

static box points_of(const view *v)
{
    return (box){{0, 0, 0}, {v->extent[0], v->extent[1], v->extent[2]}};
}

TEST(what_is_written_is_read_back_in_every_type_with_x_fastest)
{
    for (size_t t = 0; t < COUNT_OF(floats); t++) {
        levels l = make(floats[t], 3, 2, 2);
        double in[12], out[12] = {0};
        for (int n = 0; n < 12; n++)
            in[n] = n - 5.5;
        view_write(&l.level[0], PAV_F64, in);
        view_read(&l.level[0], PAV_F64, out);
        CHECK(memcmp(in, out, sizeof in) == 0);
        float single[12];
        view_read(&l.level[0], PAV_F32, single);
        CHECK(single[0] == -5.5F && single[3 + 1] == -1.5F && single[6] == 0.5F);
        levels_free(&l);
    }
}

TEST(writing_leaves_the_halo_poisoned)
{
    levels l = make(PAV_F32, 1, 1, 1);
    const view *v = &l.level[0];
    const double seven = 7;
    const box left = {{-1, 0, 0}, {0, 1, 1}}, right = {{1, 0, 0}, {2, 1, 1}};
    double ghost[2];
    view_write(v, PAV_F64, &seven);
    view_read_box(v, &left, PAV_F64, &ghost[0]);
    view_read_box(v, &right, PAV_F64, &ghost[1]);
    CHECK(isnan(ghost[0]) && isnan(ghost[1]));
    levels_free(&l);
}

TEST(doubles_are_rounded_once_to_narrow_storage)
{
    const double value = 1 + 0x1p-8 + 0x1p-40; /* through f32: a tie, rounded down */
    levels l = make(PAV_BF16, 1, 1, 1);
    double got;
    view_write(&l.level[0], PAV_F64, &value);
    view_read(&l.level[0], PAV_F64, &got);
    CHECK_NEAR(got, 1 + 0x1p-7, 0);
    levels_free(&l);
}

TEST(a_box_is_copied_row_by_row)
{
    levels l = make(PAV_F64, 4, 3, 2);
    const box part = {{1, 1, 0}, {3, 3, 2}};
    double all[24], got[8];
    for (int n = 0; n < 24; n++)
        all[n] = n;
    view_write(&l.level[0], PAV_F64, all);
    view_read_box(&l.level[0], &part, PAV_F64, got);
    const double want[] = {5, 6, 9, 10, 17, 18, 21, 22};
    CHECK(memcmp(got, want, sizeof want) == 0);
    levels_free(&l);
}

TEST(an_empty_box_copies_nothing)
{
    levels l = make(PAV_F64, 2, 2, 2);
    const box none = {{1, 0, 0}, {1, 2, 2}};
    double untouched = 3;
    view_read_box(&l.level[0], &none, PAV_F32, &untouched);
    CHECK_NEAR(untouched, 3, 0);
    int64_t point[3];
    CHECK(!view_find_not_finite(&l.level[0], &none, point));
    levels_free(&l);
}

TEST(the_largest_finite_values_are_finite)
{
    const double largest[] = {0x1.fffffep127, 0x1.fffffffffffffp1023, 0x1.fep127, 65504};
    for (size_t t = 0; t < COUNT_OF(floats); t++) {
        levels l = make(floats[t], 3, 2, 2);
        const box all = points_of(&l.level[0]);
        int64_t point[3];
        put(&l.level[0], 1, 1, 1, largest[t]);
        put(&l.level[0], 2, 1, 1, -largest[t]);
        CHECK(!view_find_not_finite(&l.level[0], &all, point));
        levels_free(&l);
    }
}

TEST(infinities_and_nan_are_found_wherever_they_are)
{
    const double bad[] = {INFINITY, -INFINITY, NAN};
    for (size_t t = 0; t < COUNT_OF(floats); t++)
        for (int64_t i = 0; i < 2100; i += 299) {
            levels l = make(floats[t], 2100, 2, 2);
            const box all = points_of(&l.level[0]);
            int64_t point[3] = {-1, -1, -1};
            put(&l.level[0], i, 1, 0, bad[i % 3]);
            CHECK(view_find_not_finite(&l.level[0], &all, point));
            CHECK(point[0] == i && point[1] == 1 && point[2] == 0);
            levels_free(&l);
        }
}

TEST(the_first_of_several_is_found_in_the_order_of_memory)
{
    levels l = make(PAV_F32, 9, 9, 9);
    const box all = points_of(&l.level[0]);
    int64_t point[3];
    put(&l.level[0], 0, 0, 8, NAN);
    put(&l.level[0], 1, 7, 3, NAN);
    put(&l.level[0], 8, 6, 3, NAN);
    CHECK(view_find_not_finite(&l.level[0], &all, point));
    CHECK(point[0] == 8 && point[1] == 6 && point[2] == 3);
    levels_free(&l);
}

TEST(only_the_box_is_searched)
{
    levels l = make(PAV_F64, 9, 9, 9);
    const box part = {{0, 0, 0}, {5, 5, 5}};
    int64_t point[3];
    put(&l.level[0], 5, 4, 4, NAN);
    CHECK(!view_find_not_finite(&l.level[0], &part, point));
    levels_free(&l);
}

TEST(masks_are_always_finite)
{
    levels l = make(PAV_U8, 3, 3, 3);
    const box halo = {{-1, -1, -1}, {4, 4, 4}};
    int64_t point[3];
    CHECK(!view_find_not_finite(&l.level[0], &halo, point));
    levels_free(&l);
}
