/* SPDX-License-Identifier: BSD-3-Clause */
/* Narrow types hold the nearest value, ties to even, rounded once from the double. */
#include "base/base.h"
#include "test.h"

static uint16_t f64_to_f16(double value)
{
    uint16_t bits;

    type_store(PAV_F16, &bits, value);
    return bits;
}

static uint16_t f64_to_bf16(double value)
{
    uint16_t bits;

    type_store(PAV_BF16, &bits, value);
    return bits;
}

static uint16_t f32_to_f16(float value)
{
    uint16_t bits;

    type_convert(PAV_F16, &bits, PAV_F32, &value, 1);
    return bits;
}

static uint16_t f32_to_bf16(float value)
{
    uint16_t bits;

    type_convert(PAV_BF16, &bits, PAV_F32, &value, 1);
    return bits;
}

static double f16_to_f32(uint16_t bits)
{
    return type_load(PAV_F16, &bits);
}

static double bf16_to_f32(uint16_t bits)
{
    return type_load(PAV_BF16, &bits);
}

static double f16_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25)
                                 : ldexp(fraction, -24);

    return bits >> 15 ? -size : size;
}

static double bf16_value(uint16_t bits)
{
    const int exponent = bits >> 7 & 255, fraction = bits & 127;
    const double size = exponent ? ldexp(128 + fraction, exponent - 134)
                                 : ldexp(fraction, -133);

    return bits >> 15 ? -size : size;
}

TEST(all_finite_halves_are_what_their_bits_say)
{
    for (unsigned i = 0; i < 65536; i++) {
        const uint16_t bits = (uint16_t)i;
        if ((bits & 0x7c00) != 0x7c00) {
            CHECK_NEAR(f16_to_f32(bits), f16_value(bits), 0);
            CHECK_EQ(f64_to_f16(f16_value(bits)), bits);
            CHECK_EQ(f32_to_f16((float)f16_value(bits)), bits);
        }
        if ((bits & 0x7f80) != 0x7f80) {
            CHECK_NEAR(bf16_to_f32(bits), bf16_value(bits), 0);
            CHECK_EQ(f64_to_bf16(bf16_value(bits)), bits);
            CHECK_EQ(f32_to_bf16((float)bf16_value(bits)), bits);
        }
    }
}

/* Checks the middle between two neighbours, and the doubles beside it. `next` may be
 * infinity, at the place 2^(emax+1). */
static void check_middle(uint16_t (*convert)(double), uint16_t bits, double low,
                         double high)
{
    const double middle = (low + high) / 2;
    const uint16_t even = (uint16_t)(bits + (bits & 1));

    CHECK_EQ(convert(middle), even);
    CHECK_EQ(convert(nextafter(middle, low)), bits);
    CHECK_EQ(convert(nextafter(middle, high)), bits + 1);
    CHECK_EQ(convert(-middle), even | 0x8000);
}

TEST(middles_between_halves_go_to_even)
{
    for (uint16_t bits = 0; bits < 0x7c00; bits++)
        check_middle(f64_to_f16, bits, f16_value(bits), f16_value((uint16_t)(bits + 1)));
    for (uint16_t bits = 0; bits < 0x7f80; bits++)
        check_middle(f64_to_bf16, bits, bf16_value(bits),
                     bf16_value((uint16_t)(bits + 1)));
}

TEST(from_float_agrees_with_from_double)
{
    rng r = {29};

    for (int i = 0; i < 200000; i++) {
        const uint32_t bits = (uint32_t)rng_next(&r);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value))
            continue;
        CHECK_EQ(f32_to_f16(value), f64_to_f16((double)value));
        CHECK_EQ(f32_to_bf16(value), f64_to_bf16((double)value));
    }
}

TEST(a_double_is_not_rounded_by_way_of_float)
{
    CHECK_EQ(f64_to_f16(1 + 0x1p-11 + 0x1p-40), 0x3c01);
    CHECK_EQ(f64_to_bf16(1 + 0x1p-8 + 0x1p-40), 0x3f81);
    CHECK_EQ(f64_to_bf16(0x1p-134 + 0x1p-180), 1);
}

TEST(the_ends_of_the_ranges_round_as_ieee_says)
{
    CHECK_EQ(f64_to_f16(65519.99), 0x7bff);
    CHECK_EQ(f64_to_f16(65520), 0x7c00);
    CHECK_EQ(f64_to_f16(-1e300), 0xfc00);
    CHECK_EQ(f64_to_f16(0x1p-25), 0);
    CHECK_EQ(f64_to_f16(-0x1.8p-25), 0x8001);
    CHECK_EQ(f64_to_f16(0x1p-1074), 0);
    CHECK_EQ(f64_to_f16(-0.0), 0x8000);
    CHECK_EQ(f32_to_bf16(0x1.fffffep127F), 0x7f80);
    CHECK_EQ(f64_to_bf16((double)INFINITY), 0x7f80);
    CHECK(isinf(f16_to_f32(0xfc00)) && f16_to_f32(0xfc00) < 0);
}

TEST(what_is_no_number_stays_none)
{
    const uint64_t payload = UINT64_C(0x7ff0000000000001); /* signalling, lowest bit */
    const uint32_t single = 0xff800001U;
    double value;
    float narrow;

    memcpy(&value, &payload, sizeof value);
    memcpy(&narrow, &single, sizeof narrow);
    CHECK(isnan(f16_to_f32(f64_to_f16(value))));
    CHECK(isnan(bf16_to_f32(f64_to_bf16(value))));
    CHECK(isnan(bf16_to_f32(f32_to_bf16(narrow))));
    CHECK(f32_to_bf16(narrow) >> 15 == 1);
    CHECK(isnan(f16_to_f32(f32_to_f16((float)NAN))));
}

TEST(types_have_names_and_sizes)
{
    static const size_t sizes[] = {4, 8, 2, 2, 1};
    pav_type type = PAV_U8;

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const char *name = pav_type_name((pav_type)i);
        CHECK_EQ(pav_type_size((pav_type)i), sizes[i]);
        CHECK(type_from_name(name, strlen(name), &type) && type == (pav_type)i);
    }
    CHECK(!type_from_name("f3", 2, &type) && !type_from_name("f322", 4, &type));
    CHECK(!type_from_name("", 0, &type));
    CHECK_EQ(pav_type_size((pav_type)77), 0);
    CHECK_STR(pav_type_name((pav_type)77), "unknown");
}

TEST(elements_are_stored_and_loaded)
{
    unsigned char at[9] = {0}; /* at + 1: no alignment is needed */

    for (int i = 0; i <= PAV_U8; i++) {
        type_store((pav_type)i, at + 1, 37);
        CHECK_NEAR(type_load((pav_type)i, at + 1), 37, 0);
    }
    type_store(PAV_F32, at, 0.1);
    CHECK_NEAR(type_load(PAV_F32, at), 0.1F, 0);
}

TEST(bytes_hold_the_nearest_of_0_to_255)
{
    static const struct {
        double value;
        unsigned char want;
    } rows[] = {{-1, 0},      {0.5, 0},   {0.51, 1},    {1.5, 2},        {2.5, 2},
                {254.5, 254}, {255, 255}, {1e300, 255}, {(double)NAN, 0}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned char byte = 99;
        type_store(PAV_U8, &byte, rows[i].value);
        CHECK_EQ(byte, rows[i].want);
    }
}

TEST(rows_of_elements_are_converted)
{
    const double from[] = {0, 1.5, -2, 65536};
    uint16_t half[4];
    float back[4], same[4];

    type_convert(PAV_F16, half, PAV_F64, from, 4);
    type_convert(PAV_F32, back, PAV_F16, half, 4);
    type_convert(PAV_F32, same, PAV_F32, back, 4);
    CHECK_NEAR(back[1], 1.5, 0);
    CHECK_NEAR(back[2], -2, 0);
    CHECK(isinf(back[3]));
    CHECK(memcmp(back, same, sizeof back) == 0);
    type_convert(PAV_F16, half, PAV_F64, from, 0);
}
