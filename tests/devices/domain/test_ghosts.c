/* SPDX-License-Identifier: BSD-3-Clause */
/* Ghosts: each kind on each axis and side, corners, tiny extents, narrow types. */
#include "domain/domain.h"
#include "test.h"

enum { NEGATIVE_BETWEEN = GHOST_NEGATIVE | GHOST_BETWEEN };

static levels make(pav_type type, int dimensions, int64_t n, int halo)
{
    field_shape shape = {.type = type, .dimensions = dimensions, .count = 1};
    levels l;
    for (int axis = 0; axis < PAV_MAX_DIMENSIONS; axis++) {
        shape.extent[axis] = n;
        shape.halo[axis][0] = shape.halo[axis][1] = halo;
    }
    REQUIRE_OK(levels_new(&shape, NULL, NULL, &l));
    return l;
}

static void *element(const view *v, int64_t i, int64_t j, int64_t k)
{
    return (char *)v->data + view_offset(v, i, j, k) * (int64_t)pav_type_size(v->type);
}

static double get(const view *v, int64_t i, int64_t j, int64_t k)
{
    return type_load(v->type, element(v, i, j, k));
}

/* A point's value identifies its position. */
static double mark(int64_t i, int64_t j, int64_t k)
{
    return (double)(1 + i + 10 * j + 100 * k);
}

static void mark_points(const view *v)
{
    for (int64_t k = 0; k < v->extent[2]; k++)
        for (int64_t j = 0; j < v->extent[1]; j++)
            for (int64_t i = 0; i < v->extent[0]; i++)
                type_store(v->type, element(v, i, j, k), mark(i, j, k));
}

/* Fills all sides in the order of plan.h: ranges include the halo of lower axes only. */
static void fill_all(const view *v, int dimensions, ghost_map map)
{
    for (int axis = 0; axis < dimensions; axis++) {
        box range;
        for (int a = 0; a < PAV_MAX_DIMENSIONS; a++) {
            range.lo[a] = a < axis ? -v->halo[a][0] : 0;
            range.hi[a] = v->extent[a] + (a < axis ? v->halo[a][1] : 0);
        }
        ghost_fill_side(v, axis, 0, map, &range);
        ghost_fill_side(v, axis, 1, map, &range);
    }
}

/* The source of a point or ghost along one axis, by the definitions in domain.h. Returns
 * its index; *sign is 1, -1 or 0. */
static int64_t expected(ghost_map map, int64_t n, int64_t i, int *sign)
{
    const bool outside = i < 0 || i >= n, low = i < 0;
    *sign = outside && (map & GHOST_NEGATIVE) ? -1 : 1;
    if (map == GHOST_NEGATIVE && (i == 0 || i == n - 1))
        *sign = 0;
    if (!outside)
        return i;
    switch ((int)map) {
    case GHOST_EVEN:
    case GHOST_NEGATIVE: return low ? -i : 2 * (n - 1) - i;
    case GHOST_WRAPS: return low ? i + n : i - n;
    case GHOST_BETWEEN:
    case NEGATIVE_BETWEEN: return low ? -i - 1 : 2 * n - 1 - i;
    default: return low ? 0 : n - 1;
    }
}

static const ghost_map kinds[] = {
    GHOST_EVEN,     GHOST_WRAPS,  GHOST_BETWEEN,
    GHOST_NEGATIVE, GHOST_CLAMPS, (ghost_map)NEGATIVE_BETWEEN,
};

static void check_all(const view *v, int dimensions, ghost_map map)
{
    int64_t wrong = 0;
    for (int64_t k = -v->halo[2][0]; k < v->extent[2] + v->halo[2][1]; k++)
        for (int64_t j = -v->halo[1][0]; j < v->extent[1] + v->halo[1][1]; j++)
            for (int64_t i = -v->halo[0][0]; i < v->extent[0] + v->halo[0][1]; i++) {
                const int64_t at[] = {i, j, k};
                int64_t from[3] = {0, 0, 0};
                int sign = 1, s;
                for (int a = 0; a < dimensions; a++) {
                    from[a] = expected(map, v->extent[a], at[a], &s);
                    sign *= s;
                }
                const double want = sign == 0 ? 0
                                              : sign * mark(from[0], from[1], from[2]);
                wrong += get(v, i, j, k) != want;
            }
    CHECK_EQ(wrong, 0);
}

TEST(every_kind_fills_faces_edges_and_corners_in_every_dimension)
{
    for (int dimensions = 1; dimensions <= 3; dimensions++)
        for (size_t n = 0; n < COUNT_OF(kinds); n++) {
            levels l = make(PAV_F64, dimensions, 5, 3);
            mark_points(&l.level[0]);
            fill_all(&l.level[0], dimensions, kinds[n]);
            check_all(&l.level[0], dimensions, kinds[n]);
            levels_free(&l);
        }
}

TEST(every_type_is_copied_and_negated)
{
    const pav_type types[] = {PAV_F32, PAV_F64, PAV_BF16, PAV_F16};
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        levels l = make(types[t], 2, 4, 2);
        mark_points(&l.level[0]);
        fill_all(&l.level[0], 2, GHOST_NEGATIVE);
        check_all(&l.level[0], 2, GHOST_NEGATIVE);
        levels_free(&l);
    }
}

TEST(masks_are_copied)
{
    levels l = make(PAV_U8, 2, 3, 2);
    mark_points(&l.level[0]);
    fill_all(&l.level[0], 2, GHOST_BETWEEN);
    check_all(&l.level[0], 2, GHOST_BETWEEN);
    levels_free(&l);
}

TEST(periodic_and_mirror_halos_may_be_as_wide_as_the_grid)
{
    const ghost_map both[] = {GHOST_WRAPS, GHOST_BETWEEN};
    for (int n = 0; n < 2; n++) {
        levels l = make(PAV_F64, 2, 3, 3);
        mark_points(&l.level[0]);
        fill_all(&l.level[0], 2, both[n]);
        check_all(&l.level[0], 2, both[n]);
        levels_free(&l);
    }
}

TEST(a_single_point_is_repeated_by_all_kinds_but_odd)
{
    for (size_t n = 0; n < COUNT_OF(kinds); n++) {
        levels l = make(PAV_F32, 3, 1, 1);
        mark_points(&l.level[0]);
        fill_all(&l.level[0], 3, kinds[n]);
        const double ghost = kinds[n] == GHOST_NEGATIVE ? 0 : 1;
        CHECK_NEAR(fabs(get(&l.level[0], -1, 0, 1)), ghost, 0);
        CHECK_NEAR(get(&l.level[0], 0, 0, 0), kinds[n] == GHOST_NEGATIVE ? 0 : 1, 0);
        levels_free(&l);
    }
}

TEST(only_the_side_and_range_asked_for_are_filled)
{
    levels l = make(PAV_F64, 2, 4, 1);
    const view *v = &l.level[0];
    const box range = {{0, 1, 0}, {4, 3, 1}};
    mark_points(v);
    ghost_fill_side(v, 0, 1, GHOST_CLAMPS, &range);
    CHECK(isnan(get(v, 4, 0, 0)) && isnan(get(v, 4, 3, 0)) && isnan(get(v, -1, 1, 0)));
    CHECK_NEAR(get(v, 4, 1, 0), mark(3, 1, 0), 0);
    CHECK_NEAR(get(v, 4, 2, 0), mark(3, 2, 0), 0);
    levels_free(&l);
}

TEST(halos_wider_than_a_tiny_grid_repeat_the_pattern_and_stay_in_bounds)
{
    for (size_t n = 0; n < COUNT_OF(kinds); n++) {
        levels l = make(PAV_F64, 1, 2, 9);
        mark_points(&l.level[0]);
        fill_all(&l.level[0], 1, kinds[n]);
        for (int64_t i = -9; i < 11; i++)
            CHECK(fabs(get(&l.level[0], i, 0, 0)) <= 2);
        levels_free(&l);
    }
}
