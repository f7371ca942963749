/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass fold computes constants and removes operations without effect. */
#include "passed.h"

#include "test.h"

static const char *folded(const char *right)
{
    return passed_text(right, "fold");
}

TEST(constants_are_computed_exactly)
{
    CHECK_STR(folded("(1/3 + 1/6)*u"), "(0.5 * u)");
    CHECK_STR(folded("u - 2^3"), "(u - 8)");
}

TEST(zeros_and_ones_and_double_negations_go)
{
    CHECK_STR(folded("0*v + 1*u"), "u");
    CHECK_STR(folded("-(-u) - 0"), "u");
    CHECK_STR(folded("u/1 + (v - v)"), "u");
}

TEST(a_negated_summand_is_subtracted)
{
    CHECK_STR(folded("u + -v"), "(u - v)");
    CHECK_STR(folded("u - -v"), "(u + v)");
}

TEST(dividing_by_a_constant_is_multiplying_by_its_exact_reciprocal)
{
    CHECK_STR(folded("u/3"), "(1/3 * u)");
    CHECK_STR(folded("u/k*2"), "(2/3 * u)");
}

TEST(dividing_by_zero_stays)
{
    CHECK(strstr(folded("u/(v - v)"), "u / 0"));
}

TEST(dividing_stays_where_the_reciprocal_is_no_normal_number)
{
    CHECK(strstr(passed_text("u/1e-310", NULL), "u / "));
    CHECK(strstr(passed_text("u/1e308", NULL), "u / "));
    CHECK(!strstr(passed_text("u/1e-300", NULL), "/"));
}

TEST(constants_that_underflow_or_overflow_together_stay_apart)
{
    CHECK_STR(passed_text("1e-200*(1e-200*u)", NULL), "((1e-200 * u) * 1e-200)");
    CHECK_STR(passed_text("u/1e200/1e200", NULL), "((1e-200 * u) * 1e-200)");
    CHECK_STR(passed_text("(1e-200*s)*(1e-200*u)", "sums"),
              "((1e-200 * s) * (1e-200 * u))");
    CHECK(!strstr(passed_text("(1e200*s)*(1e200*u)", "sums"), "inf"));
    CHECK(strstr(passed_text("(1e-200*u)/(1e200*v)", "sums"), "1e-200"));
}

TEST(zero_over_zero_is_not_zero)
{
    CHECK_STR(folded("(u - u)/v"), "0");
    CHECK(strstr(folded("w + (u - u)/(v - v)"), "0 / 0"));
}

TEST(constants_in_products_become_one)
{
    CHECK_STR(folded("2*(k*(u*5))"), "(30 * u)");
}

TEST(known_conditions_choose)
{
    CHECK_STR(folded("where(k > 2 and not k == 4, u, v)"), "u");
    CHECK_STR(folded("where(k < 2 or k != 3, u, v)"), "v");
    CHECK_STR(folded("where(k <= 3, u, v) + where(k < 3, u, w)"), "(u + w)");
    CHECK_STR(folded("where(v < 2, u, u)"), "u");
    CHECK_STR(folded("where(not v < 2, u, w)"), "where((v < 2), w, u)");
}

TEST(less_does_not_turn_over_under_not_because_of_NaN)
{
    CHECK_STR(folded("w*where(not (u < v) and v < w, 1, 2)"),
              "(w * where(((v < w) and not((u < v))), 1, 2))");
    CHECK_STR(folded("w*where(not u == v and v < w, 1, 2)"),
              "(w * where(((u != v) and (v < w)), 1, 2))");
    CHECK_STR(folded("w*where(not u != v and v < w, 1, 2)"),
              "(w * where(((u == v) and (v < w)), 1, 2))");
}

TEST(functions_of_constants_are_values)
{
    CHECK_STR(folded("u*sqrt(16) + exp(0)*floor(-1/2)"), "((4 * u) + -1)");
    CHECK_STR(folded("u*min(k, 4)*max(1, -2)*abs(-1)"), "(3 * u)");
}

TEST(a_function_outside_of_its_domain_stays)
{
    CHECK(strstr(folded("u*log(0*v)"), "log"));
    CHECK(strstr(folded("u*(v - v - 8)^(1/3)"), "pow"));
}
