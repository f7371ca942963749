/* SPDX-License-Identifier: BSD-3-Clause */
/* One step of full multigrid from u = 0 reaches the error of the discretisation. So this
 * error falls with the spacing at the order of the operator, for any values of u at the
 * walls. */
#include <math.h>
#include <stdio.h>

#include "trial.h"

#define NINE "stencil S { centre 20/6; face -4/6; edge -1/6 }\n"
#define NINETEEN "stencil S { centre 4; face -1/3; edge -1/6 }\n"
#define BY " by multigrid(cycle = full) to 0.5\n"
#define SINES "let e = sin(pi*x)*sin(2*pi*y)\n"
#define BENT "let e = exp(x)*sin(2*y + 1/3)\n"
#define BENT_CUBE "let e = exp(x)*sin(2*y + 1/3)*cos(z)\n"

typedef struct full_case {
    const char *name, *text;
    int cells; /* cells of the coarser of two grids */
    double order, within;
    bool solid; /* in 3-D */
} full_case;

/* The right side is -laplace(e); compact operators add the next term of their error. */
static const full_case cases[] = {
    {"5 points", SINES "field u; f = 5*pi^2*e\nsolve -laplace(u) = f" BY "border u = 0\n",
     64, 2, 0.05, false},
    {"5 points, values",
     BENT "field u; f = 3*e\nsolve -laplace(u) = f" BY "border u = e\n", 64, 2, 0.05,
     false},
    {"values and slopes",
     BENT "field u; f = 3*e\nsolve -laplace(u) = f" BY
          "border u = e\nborder neumann u = e at x+\n",
     64, 2, 0.05, false},
    {"9 points",
     NINE SINES "field u; f = 5*pi^2*e*(1 - 5*pi^2*h^2/12)\nsolve S(u)/h^2 = f for u" BY
                "border u = 0\n",
     64, 4, 0.1, false},
    {"9 points, values",
     NINE BENT "field u; f = 3*e*(1 - 3*h^2/12)\nsolve S(u)/h^2 = f for u" BY
               "border u = e\n",
     32, 4, 0.1, false},
    {"19 points, values",
     NINETEEN BENT_CUBE "field u; f = 4*e*(1 - 4*h^2/12)\nsolve S(u)/h^2 = f for u" BY
                        "border u = e\n",
     16, 4, 0.1, true},
};

static double error_of(const full_case *c, int points)
{
    const char *const grid = c->solid ? "grid x n from 0 to 1, y n from 0 to 1, "
                                        "z n from 0 to 1\n"
                                      : "grid x n from 0 to 1, y n from 0 to 1\n";
    trial t;

    trial_interpret(&t, "param n = %d\n%s%smeasure e1 = max(abs(u - e))\n", points, grid,
                    c->text);
    REQUIRE_OK(pav_run_finish(t.run));
    CHECK_EQ(pav_run_step(t.run), 1);
    const double error = trial_get(&t, "e1");
    trial_close(&t);
    return error;
}

LONG_TEST(one_step_of_full_multigrid_has_the_order_of_the_operator)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const full_case *c = &cases[k];
        const double coarse = error_of(c, c->cells + 1),
                     fine = error_of(c, 2 * c->cells + 1);
        if (!(fabs(log2(coarse / fine) - c->order) <= c->within))
            printf("%s: %g, then %g\n", c->name, coarse, fine);
        CHECK_NEAR(log2(coarse / fine), c->order, c->within);
    }
}

TEST(one_step_of_full_multigrid_has_the_error_of_the_discretisation)
{
    const double pi = 3.14159265358979323846, h = 1.0 / 128;
    const double eigenvalue = 4 / (h * h) *
                              (pow(sin(pi * h / 2), 2) + pow(sin(pi * h), 2));

    CHECK(error_of(&cases[0], 129) < 1.1 * (5 * pi * pi / eigenvalue - 1));
}

/* Later steps improve the solution of the first. */
TEST(steps_of_full_multigrid_converge)
{
    trial t;

    trial_interpret(&t, "%s",
                    "grid x 33 from 0 to 1, y 33 from 0 to 1\n" NINE
                    "let e = x^3 - 3*x*y^2 + 1\nfield u\n"
                    "solve S(u)/h^2 = 0 for u by multigrid(cycle = full) to 1e-11\n"
                    "border u = e\nmeasure e1 = max(abs(u - e))\nsteps 9\n");
    REQUIRE_OK(pav_run_finish(t.run));
    CHECK_EQ(pav_run_until(t.run), 1);
    CHECK_NEAR(trial_get(&t, "e1"), 0, 1e-9);
    trial_close(&t);
}
