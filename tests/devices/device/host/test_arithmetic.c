/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate of sums and products is the best rate measured so far. */
#include "device/device_private.h"
#include "test.h"

TEST(arithmetic_is_faster_than_nothing)
{
    host_arithmetic a = {0};
    host_arithmetic_pass(NULL, &a);
    CHECK((a.products > 0) == (HAS_AVX2 != 0));
    CHECK((a.both > 0) == (a.products > 0));
}

TEST(the_best_pass_stays)
{
    host_arithmetic a = {.products = 1e30, .both = 1};
    host_arithmetic_pass(NULL, &a);
    CHECK_NEAR(a.products, 1e30, 0);
    CHECK(a.both >= 1);
}
