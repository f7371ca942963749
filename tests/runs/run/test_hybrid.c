/* SPDX-License-Identifier: BSD-3-Clause */
/* A grid is divided among places of unequal speed. All places end at the same time, and
 * each part fits the memory of its place. */
#include "planned.h"
#include "run/run_private.h"

TEST(a_place_that_took_longer_gets_less)
{
    const double each[] = {50, 50}, seconds[] = {4, 1};
    double rate[2];
    CHECK_NEAR(hybrid_even_out(2, each, seconds, rate), 2.5, 1e-12);
    CHECK_NEAR(rate[1] / rate[0], 4, 1e-12);
}

TEST(places_that_end_at_once_keep_their_parts)
{
    const double each[] = {10, 30, 60}, seconds[] = {2, 2, 2};
    double rate[3];
    CHECK_NEAR(hybrid_even_out(3, each, seconds, rate), 1, 1e-12);
    CHECK_NEAR(rate[2] / rate[0], 6, 1e-12);
}
