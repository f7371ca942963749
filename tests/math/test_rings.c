/* SPDX-License-Identifier: BSD-3-Clause */
/* Cyclic tridiagonal systems: the solution fulfils each equation, on rings of one point
 * and more, along each axis. */
#include "trial.h"

TEST(a_cyclic_solution_fulfils_its_equations)
{
    static const int points[] = {1, 2, 3, 4, 9, 16, 97};
    static const char *const axis[] = {"x", "y", "z"};

    for (int n = 0; n < 7; n++)
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(
                trial_end("grid x %d, y %d, z %d\nfield u = random(5) - 1/2; s; r\n"
                          "let a = u/2 - 1; c = 1 - u/3; b = 3 + u\n"
                          "s' = tridiagonal(a, b, c, u^2 along %s cyclic)\n"
                          "r' = a*s'[%d,%d,%d] + b*s' + c*s'[%d,%d,%d] - u^2\n"
                          "border periodic\nsteps 1\nmeasure e = max(abs(r))\n",
                          k == 0 ? points[n] : 2, k == 1 ? points[n] : 2,
                          k == 2 ? points[n] : 2, axis[k], -(k == 0), -(k == 1),
                          -(k == 2), k == 0, k == 1, k == 2),
                0, 1e-15);
}
