/* SPDX-License-Identifier: BSD-3-Clause */
/* Doubles are printed with the shortest decimal that reads back to the same value. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "test.h"

static void check_double(double value, const char *want)
{
    text t = {0};

    text_add_double(&t, value);
    CHECK_STR(t.data, want);
    text_free(&t);
}

TEST(doubles_are_printed_plainly)
{
    check_double(0, "0");
    check_double(-0.0, "-0");
    check_double(1, "1");
    check_double(-2.5, "-2.5");
    check_double(0.1, "0.1");
    check_double(1.0 / 3, "0.3333333333333333");
    check_double(123456, "123456");
    check_double(1e9, "1000000000");
    check_double(1e10, "1e10");
    check_double(0.0001, "0.0001");
    check_double(0.00001, "1e-5");
    check_double(1.5e-7, "1.5e-7");
    check_double(9007199254740993e0, "9007199254740992");
    check_double(123e15, "1.23e17");
    check_double(0x1p62, "4.611686018427388e18");
}

TEST(extreme_doubles_are_short_too)
{
    check_double(DBL_MAX, "1.7976931348623157e308");
    check_double(DBL_MIN, "2.2250738585072014e-308");
    check_double(0x1p-1074, "5e-324");
    check_double(0x1p-44, "5.684341886080802e-14");
    check_double(5e-320, "5e-320");
    check_double(9.5367431640625e-07, "9.5367431640625e-7");
}

/* Below 2^k the doubles lie closer, so the nearest 16 digits do not read back, but other
 * 16 digits do. */
TEST(powers_of_two_are_shortest_although_lopsided)
{
    check_double(0x1p-1007, "7.291122019556398e-304");
    check_double(0x1p-24, "5.960464477539063e-8");
}

TEST(what_is_not_finite_has_a_name_and_is_null_in_json)
{
    text t = {0};

    check_double((double)INFINITY, "inf");
    check_double(-(double)INFINITY, "-inf");
    check_double((double)NAN, "nan");
    text_add_json_double(&t, (double)NAN);
    text_add_json_double(&t, 1e300);
    CHECK_STR(t.data, "null1e300");
    text_free(&t);
}

static int significant_digits(const char *printed)
{
    int digits = 0, last = 0;

    for (; *printed && *printed != 'e'; printed++) {
        digits += (*printed >= '1' && *printed <= '9') || (*printed == '0' && digits > 0);
        last = *printed >= '1' && *printed <= '9' ? digits : last;
    }
    return last;
}

static bool reads_as(const char *printed, double value)
{
    const double back = strtod(printed, NULL);

    return memcmp(&back, &value, sizeof back) == 0;
}

TEST(random_doubles_read_back_the_same_and_no_digit_can_go)
{
    rng r = {5};
    char fewer[64];

    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = rng_next(&r) >> 1; /* positive, some of them not finite */
        double value;
        memcpy(&value, &bits, sizeof value);
        text t = {0};
        text_add_double(&t, value);
        const int digits = significant_digits(t.data);
        CHECK(!isfinite(value) || reads_as(t.data, value));
        if (digits > 1 && snprintf(fewer, sizeof fewer, "%.*e", digits - 2, value) > 0)
            CHECK(!reads_as(fewer, value));
        text_free(&t);
    }
}
