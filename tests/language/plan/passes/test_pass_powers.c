/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass powers replaces powers by multiplications. */
#include "passed.h"

#include "test.h"

static int64_t flops(const char *right)
{
    return passed_cost(right, "powers").flops;
}

static bool stays(const char *right)
{
    return strstr(passed_text(right, "powers"), "pow") != NULL;
}

TEST(integer_powers_take_repeated_squares)
{
    CHECK_EQ(flops("u^2"), 1);
    CHECK_EQ(flops("u^4"), 2);
    CHECK_EQ(flops("u^7"), 4);
    CHECK_EQ(flops("u^64"), 6);
    CHECK(!stays("u^64"));
}

TEST(squares_are_shared)
{
    CHECK_EQ(flops("u^2 + u^3 + u^4"), 3 + 2);
}

TEST(negative_powers_are_reciprocals)
{
    CHECK_STR(passed_text("u^-2", "powers"), "(1 / (u * u))");
}

TEST(half_is_a_root)
{
    CHECK_STR(passed_text("u^0.5", "powers"), "sqrt(u)");
    CHECK_STR(passed_text("u^(-1/2)", "powers"), "(1 / sqrt(u))");
}

TEST(other_powers_stay)
{
    CHECK(stays("u^65"));
    CHECK(stays("u^-65"));
    CHECK(!stays("u^-64"));
    CHECK(stays("u^(1/3)"));
    CHECK(stays("u^v"));
    CHECK(stays("u^s"));
}

TEST(a_power_counts_as_its_multiplications_before_it_is_written_out)
{
    CHECK_EQ(passed_cost("u^7", "").flops, 4);
    CHECK_EQ(passed_cost("u^(-(2^2))", "").flops, 3);
    CHECK_EQ(power_cost(num_int(-2)), 2);
    CHECK_EQ(power_cost(num_ratio(1, 3)), 1);
}
