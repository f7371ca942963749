/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels: alignment, padding, poison, rotation, and sizes that do not fit. */
#include "domain/domain.h"
#include "test.h"

static field_shape shape_3d(pav_type type, int64_t x, int64_t y, int64_t z, int halo,
                            int count)
{
    return (field_shape){.type = type,
                         .dimensions = 3,
                         .extent = {x, y, z},
                         .halo = {{halo, halo}, {halo, halo}, {halo, halo}},
                         .count = count};
}

/* Bytes of all levels; -1 if the size overflows. */
static int64_t bytes_of(const field_shape *shape)
{
    levels_size size;
    return levels_measure(shape, &size) ? size.bytes : -1;
}

static double at(const view *v, int64_t i, int64_t j, int64_t k)
{
    return type_load(v->type, (char *)v->data + view_offset(v, i, j, k) *
                                                    (int64_t)pav_type_size(v->type));
}

TEST(every_row_of_every_type_starts_on_a_cache_line)
{
    const pav_type types[] = {PAV_F32, PAV_F64, PAV_BF16, PAV_F16, PAV_U8};
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        const field_shape shape = shape_3d(types[t], 13, 3, 2, 3, 2);
        levels l;
        REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
        for (int n = 0; n < 2; n++) {
            const view *v = &l.level[n];
            const int64_t size = (int64_t)pav_type_size(v->type);
            CHECK_EQ((intptr_t)v->data % 64, 0);
            CHECK_EQ(v->stride[0], 1);
            CHECK_EQ(v->stride[1] * size % 64, 0);
            CHECK_EQ(v->stride[2] * size % 64, 0);
        }
        levels_free(&l);
    }
}

TEST(points_halo_and_padding_are_all_that_is_taken)
{
    const field_shape shape = shape_3d(PAV_BF16, 130, 9, 7, 2, 3);
    levels_size size;
    REQUIRE(levels_measure(&shape, &size));
    CHECK_EQ(size.point_bytes, 3 * 2 * 130 * 9 * 7);
    CHECK_EQ(size.point_bytes + size.halo_bytes, 3 * 2 * 134 * 13 * 11);
    CHECK(size.padding_bytes > 0);
    CHECK_EQ(size.point_bytes + size.halo_bytes + size.padding_bytes, size.bytes);
}

TEST(long_strides_are_odd_numbers_of_cache_lines)
{
    for (int64_t n = 127; n <= 129; n++)
        for (int halo = 0; halo < 3; halo++) {
            const field_shape shape = shape_3d(PAV_F32, n, n, 2, halo, 1);
            levels l;
            REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
            CHECK_EQ(l.level[0].stride[1] / 16 % 2, 1);
            CHECK_EQ(l.level[0].stride[2] / 16 % 2, 1);
            levels_free(&l);
        }
}

TEST(levels_of_a_large_field_do_not_start_at_equal_places_in_a_page)
{
    const field_shape shape = shape_3d(PAV_F64, 64, 64, 64, 0, 3);
    levels l;
    REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
    for (int n = 0; n < 2; n++)
        CHECK((char *)l.level[n + 1].data > (char *)l.level[n].data);
    CHECK(((char *)l.level[1].data - (char *)l.level[0].data) % 4096 != 0);
    CHECK(((char *)l.level[2].data - (char *)l.level[0].data) % 4096 != 0);
    levels_free(&l);
}

TEST(padding_costs_little)
{
    const field_shape shape = shape_3d(PAV_F32, 256, 256, 256, 4, 2);
    const double least = 2.0 * 4 * 264 * 264 * 264;
    CHECK((double)bytes_of(&shape) < 1.05 * least);
}

TEST(points_are_zero_and_all_other_elements_are_poison)
{
    const field_shape shape = shape_3d(PAV_F32, 5, 9, 2, 1, 1);
    levels l;
    REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
    int64_t zeros = 0, poison = 0;
    for (int64_t n = 0; n < l.bytes / 4; n++) {
        const double value = type_load(PAV_F32, (char *)l.block + 4 * n);
        zeros += value == 0;
        poison += isnan(value);
    }
    CHECK_EQ(zeros, 5 * 9 * 2);
    CHECK_EQ(poison, l.bytes / 4 - 5 * 9 * 2);
    CHECK(at(&l.level[0], 4, 8, 1) == 0 && isnan(at(&l.level[0], 5, 8, 1)));
    CHECK(isnan(at(&l.level[0], 0, -1, 0)) && isnan(at(&l.level[0], 0, 0, 2)));
    levels_free(&l);
}

TEST(poison_is_not_a_number_in_narrow_floats_and_255_in_masks)
{
    const pav_type types[] = {PAV_BF16, PAV_F16, PAV_U8};
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        const field_shape shape = shape_3d(types[t], 3, 1, 1, 1, 1);
        levels l;
        REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
        const double ghost = at(&l.level[0], -1, 0, 0);
        CHECK(types[t] == PAV_U8 ? ghost == 255 : isnan(ghost));
        levels_free(&l);
    }
}

TEST(one_poisoned_ghost_can_be_written_on_every_side_without_touching_a_point)
{
    const field_shape shape = shape_3d(PAV_F64, 1, 1, 1, 7, 1);
    levels l;
    REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
    const view *v = &l.level[0];
    const double one = 1;
    for (int64_t k = -7; k <= 7; k++)
        for (int64_t j = -7; j <= 7; j++)
            for (int64_t i = -7; i <= 7; i++)
                if (i || j || k)
                    type_store(v->type, (double *)v->data + view_offset(v, i, j, k), one);
    CHECK_NEAR(at(v, 0, 0, 0), 0, 0);
    levels_free(&l);
}

TEST(rotation_renames_levels_and_copies_nothing)
{
    const field_shape shape = {
        .type = PAV_F64, .dimensions = 1, .extent = {2}, .count = 3};
    levels l;
    REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
    view *next = levels_view(&l, 1), *now = levels_view(&l, 0),
         *last = levels_view(&l, -1);
    CHECK(next && now && last && next != now && now != last && last != next);
    CHECK(levels_view(&l, -3) == NULL && levels_view(&l, 2) == NULL);
    CHECK(levels_view(&l, -2) == next); /* the oldest is stored over */
    levels_rotate(&l);
    CHECK(levels_view(&l, 0) == next && levels_view(&l, -1) == now);
    CHECK(levels_view(&l, 1) == last);
    levels_rotate(&l);
    levels_rotate(&l);
    CHECK(levels_view(&l, 1) == next && levels_view(&l, 0) == now);
    levels_free(&l);
}

TEST(a_field_with_one_buffer_has_level_0_only)
{
    const field_shape shape = {
        .type = PAV_F64, .dimensions = 1, .extent = {2}, .count = 1};
    levels l;
    REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
    CHECK(levels_view(&l, 2) == NULL && levels_view(&l, -1) == NULL);
    CHECK(levels_view(&l, 1) == levels_view(&l, 0));
    CHECK(levels_view(&l, 0) == &l.level[0]);
    levels_rotate(&l);
    CHECK(levels_view(&l, 0) == &l.level[0]);
    levels_free(&l);
}

TEST(entries_of_absent_axes_are_ignored)
{
    const field_shape shape = {.type = PAV_F32,
                               .dimensions = 1,
                               .extent = {4, 99, 99},
                               .halo = {{1, 2}, {3, 3}, {3, 3}},
                               .count = 1};
    levels l;
    REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
    const view *v = &l.level[0];
    CHECK(v->extent[1] == 1 && v->extent[2] == 1 && v->halo[1][0] == 0 &&
          v->halo[2][1] == 0);
    CHECK(v->halo[0][0] == 1 && v->halo[0][1] == 2);
    levels_free(&l);
}

TEST(sizes_beyond_64_bits_are_refused_with_the_extents)
{
    field_shape shape = shape_3d(PAV_F64, INT64_C(1) << 31, INT64_C(1) << 31, 4, 1, 2);
    levels l;
    CHECK_EQ(bytes_of(&shape), -1);
    CHECK_STATUS(levels_new(&shape, NULL, NULL, &l), PAV_ELIMIT);
    CHECK(strstr(pav_message(), "2147483648x2147483648x4"));
    CHECK(l.level == NULL && l.block == NULL);
    shape = shape_3d(PAV_U8, INT64_MAX, 1, 1, 0, 1);
    CHECK_EQ(bytes_of(&shape), -1);
    shape = shape_3d(PAV_U8, 1, 1, INT64_MAX - 1, 1, 1);
    CHECK_EQ(bytes_of(&shape), -1);
}

TEST(more_than_the_machine_has_is_refused_and_nothing_is_kept)
{
    const field_shape shape = shape_3d(PAV_F64, 1 << 18, 1 << 18, 64, 0, 2);
    const int64_t used = mem_used();
    levels l;
    CHECK_STATUS(levels_new(&shape, NULL, NULL, &l), PAV_ENOMEM);
    CHECK(l.level == NULL && mem_used() == used);
    levels_free(&l);
}

static pav_status refuse(void *user, int64_t points)
{
    *(int64_t *)user += points;
    return PAV_EINTERRUPTED;
}

TEST(whoever_asks_can_stop_levels_halfway_and_nothing_is_kept)
{
    const field_shape shape = shape_3d(PAV_U8, 2048, 2048, 1, 1, 3);
    int64_t points = 0;
    progress_sink a = {.ask = refuse, .user = &points};
    levels l;
    CHECK_STATUS(levels_new(&shape, NULL, &a, &l), PAV_EINTERRUPTED);
    CHECK_EQ(points, 2 << 20);
    CHECK_EQ(a.points, 0);
    CHECK(l.level == NULL && l.block == NULL);
    CHECK_EQ(mem_used(), 0);
}

TEST(each_failing_allocation_leaves_nothing_behind)
{
    const field_shape shape = shape_3d(PAV_F32, 4, 4, 4, 1, 2);
    levels l;
    for (int n = 1; n <= 2; n++) {
        mem_fail_after(n);
        CHECK_STATUS(levels_new(&shape, NULL, NULL, &l), PAV_ENOMEM);
        CHECK(l.level == NULL && l.bytes == 0);
        CHECK_EQ(mem_used(), 0);
    }
    mem_fail_after(3);
    CHECK_STATUS(levels_new(&shape, NULL, NULL, &l), PAV_OK);
    mem_fail_after(0);
    CHECK_EQ(mem_used(), bytes_of(&shape));
    CHECK_EQ(mem_peak(), bytes_of(&shape));
    levels_free(&l);
    CHECK_EQ(mem_used(), 0);
}

static int64_t told;
static pav_status count_points(void *user, int64_t count)
{
    (void)user;
    told += count;
    return PAV_OK;
}

/* Every byte is the same, even if threads share planes, rows or pieces of a row. */
TEST(a_team_leaves_the_same_memory_as_one_thread)
{
    const int64_t extents[][3] = {{13, 9, 70}, {13, 70, 3}, {3000, 2, 2}, {1, 2, 1}};
    host_team *team = NULL;
    REQUIRE_OK(host_team_open(3, HOST_BIND_NONE, &team));
    for (size_t n = 0; n < COUNT_OF(extents); n++) {
        const field_shape shape = shape_3d(PAV_F32, extents[n][0], extents[n][1],
                                           extents[n][2], 2, 2);
        progress_sink a = {count_points, NULL, 0};
        levels alone, together;
        told = 0;
        REQUIRE_OK(levels_new(&shape, NULL, NULL, &alone));
        REQUIRE_OK(levels_new(&shape, team, &a, &together));
        CHECK_EQ(told + a.points, 2 * extents[n][0] * extents[n][1] * extents[n][2]);
        CHECK_EQ(alone.bytes, together.bytes);
        CHECK(memcmp(alone.block, together.block, (size_t)alone.bytes) == 0);
        levels_free(&alone);
        levels_free(&together);
    }
    host_team_close(team);
}
