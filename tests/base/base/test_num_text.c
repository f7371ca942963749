/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers are read exactly, printed briefly, and read back equal. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "test.h"

static bool reads(const char *digits, num *value)
{
    return num_parse(digits, strlen(digits), value);
}

static bool reads_as(const char *digits, i128 p, i128 q)
{
    num value;

    return reads(digits, &value) && value.exact && value.p == p && value.q == q;
}

TEST(decimals_are_ratios)
{
    CHECK(reads_as("0.1", 1, 10));
    CHECK(reads_as("1e-3", 1, 1000));
    CHECK(reads_as(".5", 1, 2));
    CHECK(reads_as("2.", 2, 1));
    CHECK(reads_as("-2.50E+2", -250, 1));
    CHECK(reads_as("+007", 7, 1));
    CHECK(reads_as("0.000", 0, 1));
    CHECK(reads_as("-0", 0, 1));
    CHECK(reads_as("1/3", 1, 3));
    CHECK(reads_as("-0.5/1.5", -1, 3));
}

TEST(what_is_no_number_is_refused)
{
    static const char *const bad[] = {
        "",     ".",   "-",   "e5",   "1e",  "1e+", "1.2.3", "1 ",      " 1",
        "0x10", "inf", "nan", "1/",   "/3",  "1/0", "1//2",  "1/2/3",   "--1",
        "1/-2", "1f",  "1,5", "1e5.", "1_0", ".e1", "1/.0",  "\xd9\xa1"};
    num value;

    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK(!reads(bad[i], &value));
    CHECK(!num_parse("1\0", 2, &value));
    CHECK(num_parse("12", 1, &value) && num_equal(value, num_int(1)));
}

TEST(the_largest_exact_numbers_are_exact)
{
    num value;
    const i128 largest = (i128)(((u128)1 << 127) - 1);

    CHECK(reads_as("170141183460469231731687303715884105727", largest, 1));
    CHECK(reads("170141183460469231731687303715884105728", &value) && !value.exact);
    CHECK_NEAR(value.v, 0x1p127, 0);
    const i128 eighth = (i128)1818989403545856475 * 1000000000 + 830078125;
    CHECK(reads_as("8e-39", 1, eighth << 36)); /* 1/125e36, although 1e39 does not fit */
    CHECK(reads("1e-39", &value) && !value.exact);
    CHECK_NEAR(value.v, 1e-39, 0);
}

TEST(huge_exponents_saturate_at_once)
{
    num value;

    CHECK(reads("1e999999999999999999999999", &value) && value.v == (double)INFINITY);
    CHECK(reads("1e18446744073709551617", &value) && value.v == (double)INFINITY);
    CHECK(reads("-1e400", &value) && value.v == -(double)INFINITY && !value.exact);
    CHECK(reads("1e-999999999999999999999999", &value) && value.v == 0);
    CHECK(reads_as("0e999999999999999999999999", 0, 1));
    CHECK(reads("4.9e-324", &value) && value.v == 0x1p-1074);
    CHECK(reads("1.7976931348623158e308", &value) && isfinite(value.v));
    CHECK(reads("1.7976931348623159e308", &value) && isinf(value.v));
}

TEST(long_zeros_and_a_large_exponent_cancel)
{
    char *digits = mem_new(300010, 1);

    REQUIRE(digits != NULL);
    memset(digits, '0', 300000);
    digits[1] = '.';
    memcpy(digits + 300000, "25e299999", 10);
    CHECK(reads_as(digits, 5, 2));
    memset(digits, '0', 300000);
    digits[0] = '7';
    memcpy(digits + 300000, "e-299999", 9);
    CHECK(reads_as(digits, 7, 1));
    mem_free(digits);
}

TEST(the_last_of_very_many_digits_decides_a_tie)
{
    char digits[2000] = "9007199254740993."; /* halfway between two doubles */
    num value;

    CHECK(reads(digits, &value) && value.exact && value.v == 9007199254740992.0);
    memset(digits + 17, '0', 1500);
    digits[1517] = '1';
    CHECK(reads(digits, &value) && !value.exact);
    CHECK_NEAR(value.v, 9007199254740994.0, 0);
}

static void check_print(num a, const char *want)
{
    text t = {0};

    num_print(&t, a);
    CHECK_STR(t.data, want);
    text_free(&t);
}

TEST(numbers_are_printed_briefly)
{
    check_print(num_int(0), "0");
    check_print(num_int(-1000000), "-1000000");
    check_print(num_ratio(1, 10), "0.1");
    check_print(num_ratio(-1, 3), "-1/3");
    check_print(num_ratio(5, 4), "1.25");
    check_print(num_ratio(1, 1 << 30), "1/1073741824");
    check_print(num_int(INT64_MIN), "-9223372036854775808");
    check_print(num_power(num_int(10), 30), "1e30");
    check_print(num_power(num_int(10), -30), "1e-30");
    check_print(num_double(1.5e-9), "1.5e-9");
    check_print(
        num_ratio(((i128)1 << 126) - 1, (i128)1 << 126),
        "85070591730234615865843651857942052863/85070591730234615865843651857942052864");
}

TEST(random_numbers_read_back_equal)
{
    rng r = {17};

    for (int i = 0; i < 5000; i++) {
        const i128 p = (i128)((u128)rng_next(&r) << 63) >> (i % 127);
        const i128 q = ((i128)((u128)rng_next(&r) << 62) >> (i / 7 % 126)) + 1;
        const num a = i % 3 ? num_ratio(p, q < 1 ? 1 : q)
                            : num_mul(num_ratio(p, 1), num_power(num_int(10), -(i % 30)));
        num back;
        text t = {0};
        num_print(&t, a);
        CHECK(num_parse(t.data, (size_t)t.length, &back));
        CHECK(num_equal(a, back) && (!a.exact || back.exact));
        text_free(&t);
    }
}

TEST(random_decimals_read_as_the_c_library_reads_them)
{
    rng r = {23};
    char digits[80];

    for (int i = 0; i < 20000; i++) {
        (void)snprintf(digits, sizeof digits, "%llu.%llue%d",
                       (unsigned long long)rng_next(&r) >> (i % 64),
                       (unsigned long long)rng_next(&r) >> (i / 3 % 64),
                       (int)rng_below(&r, 700) - 360);
        num value;
        REQUIRE(reads(digits, &value));
        CHECK(value.v >= strtod(digits, NULL) && value.v <= strtod(digits, NULL));
        if (value.exact) {
            const float want = strtof(digits, NULL);
            CHECK(num_f32(value) >= want && num_f32(value) <= want);
        }
    }
}
