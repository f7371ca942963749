/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of narrow storage are widened and narrowed as single elements are by type_load, type_store. */
#include "interp/interp_private.h"
#include "world.h"

enum { COUNT = 1 << 16 };

static const pav_type reals[] = {PAV_F32, PAV_F64};
static const pav_type narrow[] = {PAV_BF16, PAV_F16, PAV_U8};

/* The first element of a row converted in another way than by type_convert; -1: all agree. */
static int64_t first_different(row_level level, pav_type to, pav_type from,
                               const void *in, int64_t count)
{
    static char got[COUNT * sizeof(double)], want[COUNT * sizeof(double)];
    const size_t size = pav_type_size(to);

    row_convert_find(level)(to, from, count, got, in);
    type_convert(to, want, from, in, count);
    for (int64_t i = 0; i < count; i++) {
        const double a = type_load(to, got + (size_t)i * size);
        const double b = type_load(to, want + (size_t)i * size);
        if (!same_number(a, b))
            return i;
    }
    return -1;
}

TEST(every_narrow_value_widens_exactly)
{
    static uint16_t all[COUNT];

    for (int i = 0; i < COUNT; i++)
        all[i] = (uint16_t)i;
    for (int level = 0; level <= (int)row_level_best(); level++)
        for (size_t r = 0; r < COUNT_OF(reals); r++)
            for (size_t n = 0; n < COUNT_OF(narrow); n++)
                CHECK_EQ(
                    first_different((row_level)level, reals[r], narrow[n], all, COUNT),
                    -1);
}

/* Each narrow value, its neighbours, and the points half way between them, and a hair beside. */
static void fill_near(pav_type type, int part, double *values)
{
    for (int i = 0; i < COUNT; i++) {
        const uint16_t bits = (uint16_t)i, next = (uint16_t)(i + 1);
        const double a = type_load(type, &bits), b = type_load(type, &next);
        const double half = a + (b - a) / 2;
        values[i] = part == 0   ? a
                    : part == 1 ? half
                    : part == 2 ? nextafter(half, (double)INFINITY)
                                : nextafter(half, (double)-INFINITY);
    }
}

TEST(values_near_ties_narrow_to_nearest_even)
{
    static double wide[COUNT];
    static float single[COUNT];

    for (size_t n = 0; n < COUNT_OF(narrow); n++)
        for (int part = 0; part < 4; part++) {
            fill_near(narrow[n], part, wide);
            for (int i = 0; i < COUNT; i++)
                single[i] = (float)wide[i];
            for (int level = 0; level <= (int)row_level_best(); level++) {
                const row_level l = (row_level)level;
                CHECK_EQ(first_different(l, narrow[n], PAV_F64, wide, COUNT), -1);
                CHECK_EQ(first_different(l, narrow[n], PAV_F32, single, COUNT), -1);
                CHECK_EQ(first_different(l, PAV_F32, PAV_F64, wide, COUNT), -1);
            }
        }
}

TEST(values_of_all_sizes_narrow_alike)
{
    static double wide[COUNT];
    static float single[COUNT];
    rng r = {7};

    for (int i = 0; i < COUNT; i++) {
        const uint64_t bits = rng_next(&r);
        memcpy(&wide[i], &bits, sizeof wide[i]);
        memcpy(&single[i], &bits, sizeof single[i]);
    }
    for (size_t n = 0; n < COUNT_OF(narrow); n++) {
        CHECK_EQ(first_different(row_level_best(), narrow[n], PAV_F64, wide, COUNT), -1);
        CHECK_EQ(first_different(row_level_best(), narrow[n], PAV_F32, single, COUNT),
                 -1);
    }
}

TEST(what_is_too_large_becomes_infinite_at_the_right_place)
{
    static const double values[] = {65504,      65519.99,      65520,      -65520,
                                    0x1.FEp127, 0x1.FEFFFp127, 0x1.FFp127, 1e308,
                                    INFINITY,   -INFINITY,     NAN};

    for (size_t n = 0; n < COUNT_OF(narrow); n++)
        CHECK_EQ(first_different(row_level_best(), narrow[n], PAV_F64, values,
                                 (int64_t)COUNT_OF(values)),
                 -1);
}
