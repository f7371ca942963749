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

/* Factors of a matrix that is the same on all lines are tables. */
TEST(factors_of_one_line_have_the_bits_of_factors_at_points)
{
    static const char *const how[] = {"x", "y", "x cyclic", "y cyclic"};

    for (int n = 0; n < 8; n++)
        CHECK_NEAR(trial_end("grid x 9, y 12\nreal %s\n"
                             "field u = random(5) - 1/2; p; q; a = -1; b = 3 + %c/8\n"
                             "p' = tridiagonal(-1, 3 + %c/8, -1, u along %s)\n"
                             "q' = tridiagonal(a, b, a, u along %s)\n"
                             "border periodic\nsteps 1\nmeasure e = max(abs(q - p))\n",
                             n < 4 ? "f32" : "f64", *how[n % 4], *how[n % 4], how[n % 4],
                             how[n % 4]),
                   0, 0);
}

/* 1 - 2 is another matrix than -1. */
TEST(shared_factors_give_the_same_bits)
{
    static const char *const how[] = {"x", "y", "x cyclic", "y cyclic"};

    for (int n = 0; n < 4; n++)
        CHECK_NEAR(trial_end("grid x 9, y 12\nfield u = random(5) - 1/2; p; q; r\n"
                             "p' = tridiagonal(-1, 3 + u, -1, u^2 along %s)\n"
                             "q' = tridiagonal(-1, 3 + u, -1, u along %s)\n"
                             "r' = tridiagonal(1 - 2, 3 + u, -1, u along %s)\n"
                             "border periodic\nsteps 1\nmeasure e = max(abs(q - r))\n",
                             how[n], how[n], how[n]),
                   0, 0);
}

TEST(a_line_of_given_values_alone_has_tables_as_long)
{
    CHECK_NEAR(trial_end("grid x 2, y 4\nfield u = x\nborder u = 0.3 at x-, x+\n"
                         "u' = tridiagonal(-1, 4, -1, u along y)\nsteps 1\n"
                         "measure e = sum(u)\n"),
               8 * 0.3, 1e-12);
}
