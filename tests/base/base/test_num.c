/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact arithmetic is exact until 127 bits overflow, and rounds once. */
#include "base/base.h"
#include "test.h"

#define LARGEST (i128)(((u128)1 << 127) - 1)

static bool is_ratio(num a, i128 p, i128 q)
{
    return a.exact && a.p == p && a.q == q;
}

TEST(ratios_are_kept_in_lowest_terms)
{
    CHECK(is_ratio(num_ratio(6, -4), -3, 2));
    CHECK(is_ratio(num_ratio(0, -7), 0, 1));
    CHECK(is_ratio(num_int(INT64_MIN), INT64_MIN, 1));
    CHECK(is_ratio(num_ratio(-LARGEST - 1, -LARGEST - 1), 1, 1));
    CHECK(is_ratio(num_ratio(-LARGEST - 1, 2), -((i128)1 << 126), 1));
    CHECK(!num_ratio(-LARGEST - 1, 1).exact);
    CHECK(num_f64(num_ratio(-LARGEST - 1, 1)) == -0x1p127);
}

TEST(a_third_three_times_is_one)
{
    const num third = num_div(num_int(1), num_int(3));

    CHECK(num_equal(num_add(num_add(third, third), third), num_int(1)));
    CHECK(num_equal(num_mul(third, num_int(3)), num_int(1)));
    CHECK(is_ratio(num_sub(third, num_ratio(1, 2)), -1, 6));
    CHECK(is_ratio(num_neg(third), -1, 3));
    CHECK(num_f64(third) == 1.0 / 3);
}

TEST(sums_of_many_ratios_come_out_exactly)
{
    num sum = num_int(0);

    for (int64_t i = 1; i < 5000; i++) /* 1/(i(i+1)) telescopes */
        sum = num_add(sum, num_ratio(1, i * (i + 1)));
    CHECK(is_ratio(sum, 4999, 5000));
}

TEST(products_divide_before_they_multiply)
{
    const num large = num_ratio(LARGEST, (i128)1 << 100);

    CHECK(is_ratio(num_mul(large, num_div(num_int(1), large)), 1, 1));
    CHECK(is_ratio(num_div(large, large), 1, 1));
    CHECK(is_ratio(num_sub(large, large), 0, 1));
}

TEST(what_overflows_continues_as_a_double)
{
    const num large = num_ratio(LARGEST, 1);

    CHECK(!num_add(large, large).exact);
    CHECK(num_f64(num_add(large, large)) == 0x1p128);
    CHECK(!num_mul(large, large).exact);
    CHECK(num_f64(num_mul(large, large)) == 0x1p254);
    CHECK(!num_sub(num_add(large, large), large).exact);
    const num least = num_sub(num_neg(large), num_int(1)); /* -2^127 is one too far */
    CHECK(!least.exact && num_f64(least) == -0x1p127);
    /* 5 + 2^-126 is 5 in double, and must not pass for an exact 5 */
    const num tiny = num_ratio(1, (i128)1 << 126);
    int64_t five = 0;
    CHECK(!num_is_int(num_add(num_int(5), num_div(tiny, num_int(3))), &five));
    CHECK(is_ratio(num_add(tiny, num_neg(tiny)), 0, 1));
}

TEST(division_by_zero_is_infinite_or_no_number)
{
    const num zero = num_int(0);

    CHECK(num_f64(num_div(num_int(2), zero)) == (double)INFINITY);
    CHECK(num_f64(num_div(num_int(-2), zero)) == -(double)INFINITY);
    CHECK(isnan(num_f64(num_div(zero, zero))));
    CHECK(!num_div(zero, zero).exact && !num_div(num_int(2), zero).exact);
    CHECK(num_f64(num_ratio(-1, 0)) == -(double)INFINITY);
    CHECK(num_f64(num_div(zero, num_int(-3))) == 0 && !signbit(num_f64(num_neg(zero))));
    CHECK(num_f64(num_div(num_double(1e300), zero)) == (double)INFINITY);
    CHECK(isnan(num_f64(num_div(num_double((double)NAN), num_int(1)))));
}

TEST(powers_are_exact_where_they_fit)
{
    CHECK(is_ratio(num_power(num_ratio(2, 3), 5), 32, 243));
    CHECK(is_ratio(num_power(num_ratio(-2, 3), -3), -27, 8));
    CHECK(is_ratio(num_power(num_int(0), 0), 1, 1));
    CHECK(is_ratio(num_power(num_int(2), 126), (i128)1 << 126, 1));
    CHECK(!num_power(num_int(2), 127).exact);
    CHECK(num_f64(num_power(num_int(-2), 127)) == -0x1p127);
    CHECK(num_f64(num_power(num_int(0), -1)) == (double)INFINITY);
}

TEST(huge_powers_end_soon)
{
    CHECK(is_ratio(num_power(num_int(-1), INT64_MAX), -1, 1));
    CHECK(is_ratio(num_power(num_int(-1), INT64_MIN), 1, 1));
    CHECK(num_f64(num_power(num_int(-3), INT64_MAX)) == -(double)INFINITY);
    CHECK(num_f64(num_power(num_ratio(1, 3), INT64_MAX)) == 0);
    CHECK(num_f64(num_power(num_int(3), INT64_MIN)) == 0);
    CHECK_NEAR(num_f64(num_power(num_double(1.5), 3)), 3.375, 0);
}

TEST(comparison_is_exact_without_products)
{
    const num a = num_ratio(LARGEST, LARGEST - 1),
              b = num_ratio(LARGEST - 1, LARGEST - 2);

    CHECK_EQ(num_compare(a, b), -1); /* both round to the double 1.0 */
    CHECK_EQ(num_compare(b, a), 1);
    CHECK_EQ(num_compare(num_neg(a), num_neg(b)), 1);
    CHECK_EQ(num_compare(a, a), 0);
    CHECK_EQ(num_compare(num_int(-1), num_int(1)), -1);
    CHECK_EQ(num_compare(num_int(0), num_ratio(-1, 9)), 1);
    CHECK_EQ(num_compare(num_ratio(7, 3), num_int(2)), 1);
}

TEST(comparison_agrees_with_the_sign_of_the_difference)
{
    rng r = {11};

    for (int i = 0; i < 20000; i++) {
        const num a = num_ratio(rng_below(&r, 41) - 20, rng_below(&r, 20) + 1);
        const num b = num_ratio(rng_below(&r, 41) - 20, rng_below(&r, 20) + 1);
        const i128 difference = a.p * b.q - b.p * a.q;
        CHECK_EQ(num_compare(a, b), (difference > 0) - (difference < 0));
    }
}

TEST(doubles_compare_as_doubles_and_nan_comes_last)
{
    const num nan = num_double((double)NAN), inf = num_double((double)INFINITY);

    CHECK(num_equal(num_double(0.1), num_ratio(1, 10)));
    CHECK_EQ(num_compare(num_double(0.1), num_double(0.2)), -1);
    CHECK_EQ(num_compare(inf, nan), -1);
    CHECK_EQ(num_compare(nan, num_int(1)), 1);
    CHECK(num_equal(nan, nan));
}

TEST(only_exact_integers_are_integers)
{
    int64_t value = 0;

    CHECK(num_is_int(num_int(INT64_MIN), &value) && value == INT64_MIN);
    CHECK(num_is_int(num_ratio(6, 3), &value) && value == 2);
    CHECK(num_is_int(num_double(-3), &value) && value == -3);
    CHECK(num_is_int(num_double(-0.0), &value) && value == 0);
    CHECK(!num_is_int(num_ratio(1, 2), &value));
    CHECK(!num_is_int(num_ratio((i128)1 << 63, 1), &value));
    CHECK(!num_is_int(num_double(0x1p60), &value));
    CHECK(!num_is_int(num_double(0.5), &value));
}

typedef struct ratio_row {
    uint64_t p_high, p_low, q_high, q_low;
    double f64;
    float f32;
} ratio_row;

/* Rounded by arbitrary precision. */
static const ratio_row ratio_rows[] = {
    {0x1944c9cU, 0x269e0d37f2a74de4U, 0x224be40ad23f0824U, 0x128b2f330c5c7fd1U,
     0x1.793a55d134523p-37, 0x1.793a560000000p-37F},
    {0x0U, 0x95319855d9dc9f8U, 0x0U, 0xe8e25U, 0x1.4801595aeb9fdp39,
     0x1.48015a0000000p39F},
    {0x1bc0d9d61600a35aU, 0x99950d836f675ccU, 0x5U, 0x3d9c172411e20b8fU,
     0x1.52edd3b3e6af5p58, 0x1.52edd40000000p58F},
    {0x243064b3d3ac94afU, 0xf21ddb66cad4a26U, 0x0U, 0xf28c1U, 0x1.3191f1f05367bp105,
     0x1.3191f20000000p105F},
    {0x0U, 0xa09f76ba170b338U, 0x257982bd93bd04cfU, 0xfd630f1f29d0da9U,
     0x1.1250b01600727p-66, 0x1.1250b00000000p-66F},
    {0xe26346U, 0xf9ebdacc0cb1e29cU, 0x0U, 0x8e819U, 0x1.96afb01bae97ep68,
     0x1.96afb00000000p68F},
    {0x0U, 0x6b4cb244a23d596U, 0x0U, 0x8a6a7U, 0x1.8ce6b851a3507p39,
     0x1.8ce6b80000000p39F},
    {0x0U, 0x4ef8aa392276658U, 0x69876f82e44158bU, 0xae97ba94d0eda82fU,
     0x1.7f26197fc1e3ep-65, 0x1.7f261a0000000p-65F},
    {0x17d55c80301850c5U, 0xa38fd547923a7369U, 0x0U, 0x8c38fU, 0x1.5c18a16c11e52p105,
     0x1.5c18a20000000p105F},
    {0x279dda6c0f4205b4U, 0x907a70c31012f037U, 0x0U, 0x7f151U, 0x1.3f38bda590527p106,
     0x1.3f38be0000000p106F},
};

TEST(ratios_round_to_the_nearest_float_and_double)
{
    for (size_t i = 0; i < COUNT_OF(ratio_rows); i++) {
        const ratio_row *row = &ratio_rows[i];
        const num a = num_ratio((i128)((u128)row->p_high << 64 | row->p_low),
                                (i128)((u128)row->q_high << 64 | row->q_low));
        CHECK_NEAR(num_f64(a), row->f64, 0);
        CHECK_NEAR(num_f32(a), row->f32, 0);
        CHECK_NEAR(num_f32(num_neg(a)), -row->f32, 0);
    }
}

TEST(small_ratios_round_like_the_division_of_the_machine)
{
    rng r = {3};

    for (int i = 0; i < 20000; i++) {
        const int64_t p = rng_below(&r, INT64_C(1) << (1 + i % 53)) - 1;
        const int64_t q = rng_below(&r, INT64_C(1) << (1 + i / 53 % 53)) + 1;
        CHECK_NEAR(num_f64(num_ratio(p, q)), (double)p / (double)q, 0);
        const int64_t s = p % (1 << 24), t = q % (1 << 24) + 1;
        CHECK_NEAR(num_f32(num_ratio(s, t)), (float)s / (float)t, 0);
    }
}

TEST(a_float_is_not_rounded_by_way_of_double)
{
    const i128 one = (i128)1 << 60;
    const num above = num_ratio(one + (one >> 24) + 1, one);
    const num below = num_ratio(one + 3 * (one >> 24) - 1, one);

    CHECK_NEAR(num_f32(above), 1 + 0x1p-23, 0); /* by way of double: 1 */
    CHECK_NEAR(num_f32(below), 1 + 0x1p-23, 0); /* by way of double: 1 + 2^-22 */
    CHECK_NEAR(num_f32(num_ratio(one + (one >> 24), one)), 1, 0);
}

TEST(the_ends_of_the_range_round_too)
{
    CHECK_NEAR(num_f64(num_ratio(LARGEST, 1)), 0x1p127, 0);
    CHECK_NEAR(num_f32(num_ratio(LARGEST, 1)), 0x1p127F, 0);
    CHECK_NEAR(num_f64(num_ratio(1, LARGEST)), 0x1p-127, 0);
    CHECK_NEAR(num_f32(num_ratio(1, LARGEST)), 0x1p-127F, 0);
    CHECK(num_f32(num_double(1e39)) == INFINITY);
    CHECK_NEAR(num_f32(num_double(1e-45)), 0x1p-149F, 0);
}

TEST(a_subnormal_float_is_rounded_once)
{
    /* 2^-127 * (1 + 2^-23 + 2^-28): by way of 24 bits it would tie to 2^-127 */
    const num above = num_ratio(1, LARGEST - ((i128)1 << 104) - ((i128)1 << 99));

    CHECK_NEAR(num_f32(above), 0x1p-127F + 0x1p-149F, 0);
}
