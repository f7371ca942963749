/* SPDX-License-Identifier: BSD-3-Clause */
/* The dot test (F x, y) = (x, F' y) also holds for the random linear descriptions of
 * `pavior check`. */
#include <stdio.h>

#include "check/check_private.h"
#include "test.h"

TEST(descriptions_at_random_pass_the_dot_test)
{
    enum { SEEDS = 150 };
    int came = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        text source = {0};
        double size = 0;
        random_linear(seed, &source);
        const pav_status status = adjoint_holds(&source, "interpreter", &size);
        if (status != PAV_OK)
            printf("seed %d: %s\n%s\n", (int)seed, pav_message(), source.data);
        CHECK_STATUS(status, PAV_OK);
        came += size > 0;
        text_free(&source);
    }
    CHECK(came > SEEDS / 2);
}
