/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates: results of f32 and f64 lie within their error bounds, and doubtful values
 * are marked. */
#include "check_helper.h"

static const rounding *single(void)
{
    static rounding r;
    r = rounding_of(PAV_F32);
    return &r;
}

static bool covers(estimate a, double value)
{
    return fabsl((long double)value - a.v) <= a.e;
}

TEST(short_binary_fractions_have_no_error)
{
    const estimate a = estimate_of(single(), 2.5L), b = estimate_of(single(), 3);
    CHECK(estimate_op(single(), OP_MUL, a, b).e == 0);
    CHECK(estimate_op(single(), OP_POW, a, b).e == 0);
    CHECK(estimate_of(single(), 0.1L).e > 0);
}

TEST(a_sum_that_cancels_keeps_the_error_of_its_terms)
{
    const estimate a = estimate_of(single(), 1000.1L), b = estimate_of(single(), 1000);
    const estimate d = estimate_op(single(), OP_SUB, a, b);
    CHECK(covers(d, (double)(1000.1F - 1000.0F)));
    CHECK(d.e > 1e-5L);
    CHECK(d.e < 1e-2L);
}

TEST(operations_in_single_precision_lie_within_their_errors)
{
    static const op_kind ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV};
    rng r = {7};
    for (int k = 0; k < 10000; k++) {
        const float a = (float)(rng_unit(&r) * 10 - 5),
                    b = (float)(rng_unit(&r) * 10 - 5);
        const float got[] = {a + b, a - b, a * b, a / b};
        const size_t n = (size_t)k % COUNT_OF(ops);
        const estimate want = estimate_op(single(), ops[n],
                                          estimate_exact((long double)a),
                                          estimate_exact((long double)b));
        CHECK(covers(want, (double)got[n]));
        CHECK(want.e < 1e-5L * (want.m + 1));
    }
}

TEST(functions_in_single_precision_lie_within_their_errors)
{
    rng r = {9};
    for (int k = 0; k < 5000; k++) {
        const float x = (float)(0.1 + rng_unit(&r) * 3);
        const estimate a = estimate_of(single(), (long double)x);
        CHECK(covers(estimate_call(single(), FUNCTION_EXP, &a), (double)expf(x)));
        CHECK(covers(estimate_call(single(), FUNCTION_LOG, &a), (double)logf(x)));
        CHECK(covers(estimate_call(single(), FUNCTION_SIN, &a), (double)sinf(x)));
        CHECK(covers(estimate_call(single(), FUNCTION_TANH, &a), (double)tanhf(x)));
        CHECK(covers(estimate_call(single(), FUNCTION_SQRT, &a), (double)sqrtf(x)));
    }
}

TEST(a_comparison_nearer_than_its_errors_is_doubtful)
{
    const estimate a = estimate_of(single(), 0.1L),
                   b = estimate_of(single(), 0.1L + 1e-9L);
    CHECK(estimate_compare(OP_LT, a, b).doubtful);
    CHECK(!estimate_compare(OP_LT, a, estimate_of(single(), 0.2L)).doubtful);
    CHECK(!estimate_compare(OP_EQ, estimate_exact(3), estimate_exact(3)).doubtful);
}

TEST(a_doubtful_choice_covers_both_sides)
{
    const verdict doubt = {true, true};
    const estimate c = estimate_choose(doubt, estimate_exact(1), estimate_exact(5));
    CHECK(covers(c, 1));
    CHECK(covers(c, 5));
}

TEST(certainty_of_one_side_ends_doubt_about_the_other)
{
    const verdict doubt = {true, true}, no = {false, false}, yes = {true, false};
    CHECK(!verdict_both(OP_AND, doubt, no).doubtful);
    CHECK(!verdict_both(OP_OR, doubt, yes).doubtful);
    CHECK(verdict_both(OP_AND, doubt, yes).doubtful);
    CHECK(verdict_not(doubt).doubtful);
}

TEST(storage_away_from_a_tie_is_certain)
{
    const estimate a = {1.001L, 1.001L, 1e-6L};
    const estimate tie = {1 + 0x1p-8L, 1, 1e-6L};
    CHECK(estimate_store(single(), PAV_BF16, a).e == 0);
    CHECK(estimate_store(single(), PAV_BF16, tie).e >= 0x1p-8L);
}

TEST(what_has_no_bound_says_so)
{
    const estimate zero = {0, 0, 1e-9L}, one = estimate_exact(1);
    CHECK(isinf(estimate_op(single(), OP_DIV, one, zero).e));
    CHECK(isinf(estimate_call(single(), FUNCTION_LOG, &zero).e));
    const estimate huge = estimate_of(single(), 1e30L);
    CHECK(isinf(estimate_op(single(), OP_MUL, huge, huge).e));
}
