/* SPDX-License-Identifier: BSD-3-Clause */
/* Solving equations: second differences are exact for polynomials of degree two, so every
 * method, border and operator must reach the manufactured solution within the
 * tolerance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

#define SQUARE                                                                           \
    "grid x 33 from 0 to 1, y 33 from 0 to 1\nfield u\n"                                 \
    "let e = x^2 + x*y - 2*y^2 + 3*x\n"
#define ERROR "measure e1 = max(abs(u - e))\n"

/* Takes all steps of the method; gives the value of the measure, and the number of
 * steps. */
static double solved(const char *source, const char *measure, int64_t *steps)
{
    trial t;
    trial_open(&t, "%s", source);
    REQUIRE_OK(pav_run_finish(t.run));
    CHECK_EQ(pav_run_until(t.run), 1);
    *steps = pav_run_step(t.run);
    const double value = trial_get(&t, measure);
    trial_close(&t);
    return value;
}

static void check_all(const char *const (*row)[3], size_t count)
{
    for (size_t k = 0; k < count; k++) {
        int64_t steps = 0;
        CHECK_NEAR(solved(row[k][1], "e1", &steps), 0, 1e-7);
        CHECK(steps <= atoi(row[k][2]));
    }
}

TEST(every_method_solves_the_laplacian)
{
    static const char *const row[][3] = {
        {"jacobi",
         SQUARE "solve -laplace(u) = 2 by jacobi to 1e-10\nborder u = e\n" ERROR, "7000"},
        {"chebyshev",
         SQUARE "solve -laplace(u) = 2 by chebyshev to 1e-10\nborder u = e\n" ERROR,
         "300"},
        {"sor", SQUARE "solve -laplace(u) = 2 by sor to 1e-10\nborder u = e\n" ERROR,
         "200"},
        {"cg", SQUARE "solve -laplace(u) = 2 by cg to 1e-10\nborder u = e\n" ERROR,
         "120"},
        {"multigrid",
         SQUARE "solve -laplace(u) = 2 by multigrid to 1e-10\nborder u = e\n" ERROR,
         "17"},
        {"vcycle",
         SQUARE "solve -laplace(u) = 2 by vcycle to 1e-10\nborder u = e\n" ERROR, "25"},
        {"coarsest",
         SQUARE "solve -laplace(u) = 2 by multigrid(coarsest = jacobi) to 1e-10\n"
                "border u = e\n" ERROR,
         "17"},
        {"red and black",
         SQUARE "solve -laplace(u) = 2 by multigrid(smoother = redblack, "
                "cycle = F) to 1e-10\nborder u = e\n" ERROR,
         "9"},
        {"red and black before cg",
         SQUARE "solve -laplace(u) = 2 by cg(preconditioner = multigrid, "
                "smoother = redblack, cycle = F) to 1e-10\nborder u = e\n" ERROR,
         "14"},
        {"transform",
         SQUARE "solve -laplace(u) = 2 by transform to 1e-10\nborder u = e\n" ERROR, "2"},
        {"W",
         SQUARE "solve -laplace(u) = 2 by multigrid(cycle = W) to 1e-10\n"
                "border u = e\n" ERROR,
         "11"},
        {"F",
         SQUARE "solve -laplace(u) = 2 by multigrid(cycle = F) to 1e-10\n"
                "border u = e\n" ERROR,
         "11"},
        {"auto", SQUARE "solve -laplace(u) = 2 by auto to 1e-10\nborder u = e\n" ERROR,
         "11"},
        {"preconditioned",
         SQUARE "solve -laplace(u) = 2 by cg(preconditioner = multigrid) to 1e-10\n"
                "border u = e\n" ERROR,
         "14"},
        {"bicgstab",
         SQUARE "solve -laplace(u) = 2 by bicgstab to 1e-10\nborder u = e\n" ERROR,
         "190"},
        {"without symmetry",
         SQUARE
         "solve -laplace(u) + 9*dx(u) + y*dy(u) = 2 + 9*(2*x + y + 3) + y*(x - 4*y)"
         " by bicgstab to 1e-10\nborder u = e\n" ERROR,
         "160"},
        {"the same behind a cycle",
         SQUARE
         "solve -laplace(u) + 9*dx(u) + y*dy(u) = 2 + 9*(2*x + y + 3) + y*(x - 4*y)"
         " by bicgstab(preconditioner = multigrid) to 1e-10\nborder u = e\n" ERROR,
         "14"},
        {"gmres behind a cycle",
         SQUARE
         "solve -laplace(u) + 9*dx(u) + y*dy(u) = 2 + 9*(2*x + y + 3) + y*(x - 4*y)"
         " by gmres(preconditioner = multigrid) to 1e-10\nborder u = e\n" ERROR,
         "15"},
        {"bicgstab behind red and black",
         SQUARE "solve -laplace(u) = 2 by bicgstab(preconditioner = multigrid, cycle = F)"
                " to 1e-10\nborder u = e\n" ERROR,
         "9"},
        {"sign", SQUARE "solve laplace(u) = -2 by cg to 1e-10\nborder u = e\n" ERROR,
         "120"},
    };
    check_all(row, sizeof row / sizeof *row);
}

/* 7 unknowns: GMRES minimizes the residual over 7 directions, and step 0 makes the first
 * one. BiCGSTAB takes two halves for each. No residual of GMRES rises. */
TEST(krylov_methods_end_after_as_many_steps_as_unknowns)
{
    static const char *const method[] = {"gmres(restart = 7", "bicgstab(grids = 2"};
    static const char *const before[] = {"diagonal", "none"};
    static const int64_t most[] = {8, 15};

    for (int k = 0; k < 4; k++) {
        trial t;
        double r[32] = {0};
        trial_interpret(&t,
                        "grid x 9 from 0 to 1\nfield u\nlet e = x^2\n"
                        "solve -(1 + x)*dxx(u) + 9*dx(u) = 16*x - 2 by %s, "
                        "preconditioner = %s) to 1e-11\nborder u = e\n" ERROR,
                        method[k % 2], before[k / 2]);
        REQUIRE_OK(pav_run_finish(t.run));
        CHECK_NEAR(trial_get(&t, "e1"), 0, 1e-9);
        CHECK(pav_run_step(t.run) <= most[k % 2]);
        const int64_t count = pav_run_residuals(t.run, r, 32);
        for (int64_t n = 1; n < count && k % 2 == 0; n++)
            CHECK(r[n] <= r[n - 1] * (1 + 1e-12));
        trial_close(&t);
    }
}

TEST(operators_and_walls_of_every_kind_are_solved)
{
    static const char *const row[][3] = {
        {"insulated",
         SQUARE "solve -laplace(u) = 2 by multigrid to 1e-11\nborder u = e\n"
                "border neumann u = x - 4*y at y+\n"
                "border neumann u = -(y + 3) at x-\n" ERROR,
         "20"},
        {"borders of fields",
         "grid x 33 from 0 to 1, y 33 from 0 to 1\nlet e = x^2 + x*y - 2*y^2 + 3*x\n"
         "field g = e; q = y + 3\nborder clamp g, q\nfield u\nsolve -laplace(u) = 2 by "
         "multigrid to 1e-11\n"
         "border u = g\nborder neumann u = x - 4*y at y+\nborder neumann u = 2*x - q at "
         "x-\n" ERROR,
         "20"},
        {"walls between points, and hardly a mass",
         "grid x 32 spacing 1/32, y 24 spacing 1/32\nfield u; v = random(1)\n"
         "border mirror u, v\nlet e = v - 1\n"
         "solve 0.01*u - laplace(u) = 0.01*v - laplace(v) - 0.01 for u by auto to "
         "1e-12\n" ERROR,
         "40"},
        {"mass",
         SQUARE "solve -laplace(u) + 90*x*u = 2 + 90*x*e by multigrid to 1e-11\n"
                "border u = e\n" ERROR,
         "20"},
        {"nine points",
         SQUARE "stencil nine { centre 20/6; face -4/6; edge -1/6 }\n"
                "solve nine(u) = 2*h^2 by multigrid to 1e-11\n"
                "border u = e\n" ERROR,
         "17"},
        {"convection",
         SQUARE
         "solve -laplace(u) + 5*dx(u) = 2 + 5*(2*x + y + 3) by multigrid to 1e-11\n"
         "border u = e\n" ERROR,
         "20"},
        {"any extent",
         "grid x 50 from 0 to 1, y 39 from 0 to 1\nfield u\n"
         "let e = x^2 + x*y - 2*y^2 + 3*x\n"
         "solve -laplace(u) = 2 by multigrid to 1e-11\nborder u = e\n" ERROR,
         "22"},
        {"unequal spacing",
         "grid x 33 from 0 to 1, y 33 from 0 to 0.1\nfield u\n"
         "let e = x^2 + x*y - 2*y^2 + 3*x\n"
         "solve -laplace(u) = 2 by auto to 1e-11\nborder u = e\n" ERROR,
         "90"},
        {"three dimensions",
         "grid x 17 from 0 to 1, y 17 from 0 to 1, z 20 from 0 to 1\n"
         "field u\nlet e = x^2 + x*y - 2*z^2 + 3*x\n"
         "solve -laplace(u) = 2 by auto to 1e-11\nborder u = e\n" ERROR,
         "20"},
        {"one",
         "grid x 50 from 0 to 1\nfield u\nlet e = x - x^2\n"
         "solve -dxx(u) = 2 by multigrid to 1e-11\nborder u = 0\n" ERROR,
         "20"},
        {"a coefficient without borders",
         SQUARE
         "field k = 1 + x; g = x^2\n"
         "solve -(dx(k*dx(u, at +1/2), at -1/2) + k*dyy(u)) = dxx(g)/2 - 1 by cg to "
         "1e-11\nborder u = 7\nmeasure e1 = max(abs(u - 7))\n",
         "200"},
        {"coefficient",
         SQUARE "field k = 1 + x\n"
                "solve -(dx(k*dx(u, at +1/2), at -1/2) + "
                "dy(k*dy(u, at +1/2), at -1/2)) + k*u = 3*k by auto to 1e-12\n"
                "border neumann u, k\nmeasure e1 = max(abs(u - 3))\n",
         "20"},
    };
    check_all(row, sizeof row / sizeof *row);
}

TEST(without_a_given_value_the_mean_stays_that_of_the_start)
{
    static const char *const border[] = {"periodic", "mirror"};
    static const char *const method[] = {"multigrid", "cg", "auto", "jacobi",
                                         "chebyshev"};
    for (int k = 0; k < 10; k++) {
        trial t;
        trial_open(&t,
                   "grid x 32 spacing 1/32, y 32 spacing 1/32\nfield u = 7\n"
                   "field f = random(3)\nparam m = sum(f)/(nx*ny)\n"
                   "solve -laplace(u) = f - m by %s to 1e-9\n"
                   "border %s u\nmeasure mean = sum(u)/(nx*ny)\n",
                   method[k % 5], border[k / 5]);
        REQUIRE_OK(pav_run_finish(t.run));
        CHECK_NEAR(trial_get(&t, "mean"), 7, 1e-6);
        trial_close(&t);
    }
}

/* An axis of one point does not change the solution, whatever its border, and has no
 * coarse grid. */
TEST(an_axis_of_one_point_is_solved_as_if_it_were_not_there)
{
    static const char *const row[][2] = {
        {"-laplace(u) = -2", "periodic"},
        {"-laplace(u) = -2", "mirror"},
        {"-laplace(u) = -2", "clamp"},
        {"u - laplace(u, order 4) = e - 2", "clamp"},
        {"-dx(k*dx(u, at +1/2), at -1/2) - dy(k*dy(u, at +1/2), at -1/2) = -4",
         "periodic"},
        {"-dx(k*dx(u, at +1/2), at -1/2) - dy(k*dy(u, at +1/2), at -1/2) = -4", "mirror"},
    };
    static const char *const method[] = {"auto", "multigrid", "cg", "jacobi",
                                         "multigrid(cycle = full)"};
    for (int k = 0; k < 6 * 5; k++) {
        const char *extents = k % 2
                                  ? "x 17 from 0 to 1, y 1 spacing 1/16, z 1 spacing 1/16"
                                  : "x 17 from 0 to 1, y 1 spacing 1/16";
        trial t;
        trial_interpret(&t,
                        "grid %s\nfield u; k = 2\nlet e = x^2 + 3*x\n"
                        "solve %s by %s to 1e-10\nborder %s u\nborder u = e at x-\n"
                        "border u = e at x+\nborder clamp k\n" ERROR,
                        extents, row[k / 5][0], method[k % 5], row[k / 5][1]);
        REQUIRE_OK(pav_run_finish(t.run));
        CHECK_NEAR(trial_get(&t, "e1"), 0, 1e-8);
        trial_close(&t);
    }
}

/* ---- equations without a solution -------------------------------------------------- */

static void check_refusal(pav_status status, const char *words, const char *source)
{
    trial t;
    trial_open(&t, "%s", source);
    CHECK_STATUS(pav_run_finish(t.run), status);
    CHECK(strstr(pav_message(), words) != NULL);
    trial_close(&t);
}

TEST(a_right_side_without_a_solution_is_refused)
{
    check_refusal(PAV_ECONVERGE, "subtract its mean",
                  "grid x 32, y 32\nfield u\nsolve -laplace(u) = 1 by cg to 1e-6\n"
                  "border periodic u\n");
}

static void check_opening(const char *source, const char *words)
{
    pav_device *device = NULL;
    pav_program *program = NULL;
    pav_run *run = NULL;
    REQUIRE_OK(pav_device_open("interpreter", &device));
    const pav_status parsed = pav_program_parse(source, strlen(source), NULL, &program);
    CHECK(parsed != PAV_OK || pav_run_open(program, device, NULL, &run) != PAV_OK);
    CHECK(strstr(pav_message(), words) != NULL);
    CHECK(strstr(pav_message(), "mg_") == NULL);
    pav_run_free(run);
    pav_program_free(program);
    pav_device_free(device);
}

/* The message gives the user's line, never a line of the derived description. */
TEST(too_few_points_are_reported_in_the_users_own_line)
{
    check_opening("grid x 1\nfield u\nsolve -laplace(u) = 0 by jacobi to 1e-6\n"
                  "border periodic u\n",
                  "text:3: nothing is left of the operator");
    check_opening("grid x 16, y 1\nfield u\nsolve -laplace(u) = 1 by cg to 1e-6\n"
                  "border odd u\n",
                  "text:3:16: 'u' is read 1 point beyond the face y-");
    check_opening("grid x 1, y 16\nfield u; k = 1 + y\n"
                  "solve -dx(k*dx(u, at +1/2), at -1/2) + u = 1 by auto to 1e-6\n"
                  "border u = 0 beyond\nborder periodic k\n",
                  "text:3: the program that solves this by cg is refused: 'k' is read");
}

/* A large residual of the start must not count as part of the right side. */
TEST(a_rough_start_does_not_hide_that_there_is_no_solution)
{
    static const char *const methods[] = {"multigrid", "cg", "jacobi", "sor"};
    for (int k = 0; k < 4; k++) {
        char source[400];
        (void)snprintf(source, sizeof source,
                       "grid x 32 from 0 to 3.2\nfield u = 0.25 + 50*sin(40*pi*x/3.2)\n"
                       "solve -laplace(u) = sin(2*pi*x/3.2) + 0.2 by %s to 1e-8\n"
                       "border periodic u\n",
                       methods[k]);
        check_refusal(PAV_ECONVERGE, "subtract its mean", source);
    }
}

/* All the flux into the domain must leave it through another face. */
TEST(a_rough_start_does_not_hide_a_flux_without_an_outlet)
{
    const char *walls = "grid x 17 from 0 to 1, y 17 from 0 to 1\n"
                        "field u = 90*cos(16*pi*x)*cos(16*pi*y)\n"
                        "solve -laplace(u) = 0 by auto to 1e-8\n"
                        "border neumann u = 1 at x+\nborder neumann u at y-, y+\n"
                        "measure e1 = max(u) - min(u)\n";
    char source[500];
    int64_t steps = 0;
    (void)snprintf(source, sizeof source, "%sborder neumann u at x-\n", walls);
    check_refusal(PAV_ECONVERGE, "subtract its mean", source);
    (void)snprintf(source, sizeof source, "%sborder neumann u = -1 at x-\n", walls);
    CHECK_NEAR(solved(source, "e1", &steps), 1, 1e-3);
}

TEST(an_indefinite_operator_is_reported_by_cg)
{
    check_refusal(PAV_ECONVERGE, "symmetric and positive",
                  "grid x 33 from 0 to 1, y 33 from 0 to 1\nfield u\n"
                  "solve -laplace(u) - 100*u = 2 by cg to 1e-10\nborder u = 0\n");
}

/* The message comes before the first step, or after the step with the first value that is
 * not finite. */
TEST(a_residual_that_is_not_finite_is_reported_with_its_cause)
{
    check_refusal(PAV_ENOTFINITE, "a divisor is 0",
                  "grid x 33 from 0 to 1\nfield u\n"
                  "solve -dxx(u)/(x - 1/2) = 1 by jacobi to 1e-8\nborder u = 0\n");
    check_refusal(PAV_ENOTFINITE,
                  "at point (16): [0], the weight of u at the point itself: give a "
                  "coefficient another value there",
                  "grid x 33 from 0 to 1\nfield u; k = where(x == 1/2, 0, 1)\n"
                  "solve k*u - dxx(u)*k*k = 1 by jacobi to 1e-8\nborder u = 0\n");
}

TEST(rounding_of_f32_is_reported)
{
    check_refusal(PAV_ECONVERGE, "take real f64",
                  "grid x 33 from 0 to 1, y 33 from 0 to 1\nreal f32\nfield u\n"
                  "solve -laplace(u) = 2 by multigrid to 1e-10\nborder u = 0\n");
    check_refusal(PAV_ECONVERGE,
                  "'u' is stored as bf16, and its rounding allows no less: "
                  "declare it `stored f32`",
                  "real f32\ngrid x 33 from 0 to 1\nfield u stored bf16; f = sin(pi*x)\n"
                  "solve -laplace(u) = f by auto to 1e-6\nborder u = 0");
}

/* Rounding stops both after eight steps. */
TEST(a_residual_that_stands_still_is_noticed_soon)
{
    static const char *const method[] = {"multigrid", "cg(preconditioner = multigrid)"};

    for (int k = 0; k < 2; k++) {
        trial t;
        trial_interpret(&t,
                        "grid x 65 from 0 to 1, y 65 from 0 to 1\nreal f32\n"
                        "field u; f = random(1) - 1/2\nborder u = 0\n"
                        "solve -laplace(u) = f by %s to 1e-12\n",
                        method[k]);
        CHECK_STATUS(pav_run_finish(t.run), PAV_ECONVERGE);
        CHECK(pav_run_step(t.run) <= 14);
        trial_close(&t);
    }
}

TEST(too_few_steps_are_reported)
{
    check_refusal(PAV_ECONVERGE, "after all 3 steps",
                  "grid x 33 from 0 to 1, y 33 from 0 to 1\nfield u\n"
                  "solve -laplace(u) = 2 by multigrid to 1e-10\nborder u = 0\nsteps 3\n");
}

TEST(the_residuals_can_be_had)
{
    trial t;
    double r[64];
    trial_open(&t, SQUARE "solve -laplace(u) = 2 by multigrid to 1e-8\nborder u = e\n");
    CHECK_EQ(pav_run_residuals(t.run, NULL, 0), 0);
    REQUIRE_OK(pav_run_finish(t.run));
    const int64_t count = pav_run_residuals(t.run, r, 64);
    REQUIRE(count == pav_run_step(t.run) + 1 && count < 64);
    for (int64_t k = 1; k < count; k++)
        CHECK(r[k] < r[k - 1]);
    CHECK(r[count - 1] <= 1e-8 * r[0]);
    trial_close(&t);
}

TEST(corrections_in_f32_reach_the_rounding_of_f64)
{
    static const char *const method[] = {"multigrid(cycle = F, stored = f32)",
                                         "multigrid(cycle = full, stored = f32)",
                                         "cg(preconditioner = multigrid, stored = f32)"};
    for (int k = 0; k < 3; k++) {
        trial t;
        trial_interpret(&t,
                        SQUARE "solve -laplace(u) = 2 by %s to 2e-14\n"
                               "border u = e\n" ERROR,
                        method[k]);
        REQUIRE_OK(pav_run_finish(t.run));
        CHECK_NEAR(trial_get(&t, "e1"), 0, 1e-13);
        CHECK(pav_run_step(t.run) <= 19);
        trial_close(&t);
    }
}

/* A coefficient with jumps of 1e4: a factor of 0.17 a cycle, with fixed and with
 * insulated walls. */
TEST(coefficients_that_jump_cost_few_cycles)
{
    static const char *const row[][2] = {
        {"border u = 0\n", "1e4, 1"},
        {"border u = 0\nborder neumann u at y-, y+\n", "1e4, 1"},
        {"border u = 0\n", "1, where(y < 0.2 and x < 0.1, 0, 1e-4)"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        trial t;
        trial_interpret(
            &t,
            "grid x 33 from 0 to 1, y 33 from 0 to 1\nfield u; f = random(1) - 1/2\n"
            "field k = where((x - 0.4)^2 + (y - 0.55)^2 < 0.07 or (x > 0.7 and y < "
            "0.33), "
            "%s)\nborder neumann k\nlet e = (k + k[1,0])/2*(u[1,0] - u)/hx\n"
            "let n = (k + k[0,1])/2*(u[0,1] - u)/hy\n"
            "solve u/10 - (e - e[-1,0])/hx - (n - n[0,-1])/hy = f*k for u by auto to "
            "1e-8\n"
            "%s",
            row[k][1], row[k][0]);
        REQUIRE_OK(pav_run_finish(t.run));
        CHECK(pav_run_step(t.run) <= 13);
        trial_close(&t);
    }
}

/* ---- size -------------------------------------------------------------------------- */

TEST(cycles_do_not_depend_on_the_size)
{
    int64_t steps[3];
    static const int n[3] = {33, 65, 129};
    for (int k = 0; k < 3; k++) {
        trial t;
        trial_open(
            &t,
            "grid x %d from 0 to 1, y %d from 0 to 1\nfield u; f = random(1)\n"
            "solve -laplace(u) = f by multigrid(cycle = F) to 1e-10\nborder u = 0\n",
            n[k], n[k]);
        REQUIRE_OK(pav_run_finish(t.run));
        steps[k] = pav_run_step(t.run);
        trial_close(&t);
    }
    CHECK(steps[2] <= steps[0] + 1 && steps[2] <= 11);
}

/* The mean factor of the last four cycles of a method, from noise. */
static double late_factor(const char *grid, const char *equation, const char *by)
{
    trial t;
    double r[64] = {0};

    trial_open(&t,
               "grid %s\nfield u; f = random(1) - 1/2\n"
               "solve %s = f for u by %s to 1e-10\nborder u = 0\n",
               grid, equation, by);
    CHECK(pav_run_finish(t.run) == PAV_OK);
    const int64_t count = pav_run_residuals(t.run, r, 64);
    trial_close(&t);
    return count < 6 ? 1 : pow(r[count - 1] / r[count - 5], 0.25);
}

/* `auto` without transforms: they have no such setting. */
#define AUTO_CYCLES "auto(stored = f64)"

/* This includes extents other than a power of two plus one. */
TEST(auto_has_a_tenth_a_cycle_in_space)
{
    static const char *const grid[] = {
        "x 17 from 0 to 1, y 17 from 0 to 1, z 17 from 0 to 1",
        "x 33 from 0 to 1, y 33 from 0 to 1, z 33 from 0 to 1",
        "x 50 from 0 to 1, y 50 from 0 to 1, z 50 from 0 to 1"};

    for (int k = 0; k < 3; k++) {
        const double factor = late_factor(grid[k], "-laplace(u)", AUTO_CYCLES);
        CHECK(factor <= 0.1);
        CHECK(factor > 0.01);
    }
    CHECK(late_factor("x 33 from 0 to 1, y 33 from 0 to 1, z 33 from 0 to 1\n"
                      "stencil A { centre 8/3; edge -1/6; corner -1/12 }",
                      "A(u)", AUTO_CYCLES) <= 0.08);
}

/* Semicoarsening halves the strongly coupled axes first: one axis, or two of three. */
TEST(axes_that_couple_unequally_cost_few_cycles)
{
    static const char *const plane = "x 33 from 0 to 1, y 33 from 0 to 1";
    static const char *const space = "x 17 from 0 to 1, y 17 from 0 to 1, z 17 from 0 "
                                     "to 1";
    static const char *const flux =
        "x 33 from 0 to 1, y 33 from 0 to 1/30\nfield k = where(x < 0.4, 1000, 1)";

    CHECK(late_factor(plane, "-dxx(u) - 1e-3*dyy(u)", AUTO_CYCLES) <= 0.2);
    CHECK(late_factor(plane, "-0.05*dxx(u) - dyy(u)", AUTO_CYCLES) <= 0.2);
    CHECK(late_factor("x 33 from 0 to 1, y 33 from 0 to 30", "-laplace(u)",
                      AUTO_CYCLES) <= 0.2);
    CHECK(late_factor("x 33 from 0 to 1 at x^2 + x, y 33 from 0 to 30", "-laplace(u)",
                      AUTO_CYCLES) <= 0.2);
    CHECK(late_factor(space, "-dxx(u) - 1e-3*dyy(u) - dzz(u)", AUTO_CYCLES) <= 0.2);
    CHECK(late_factor(space, "-1e-3*dxx(u) - 0.03*dyy(u) - dzz(u)", AUTO_CYCLES) <= 0.2);
    CHECK(late_factor(flux,
                      "-dx(k*dx(u, at +1/2), at -1/2) - dy(k*dy(u, at +1/2), at -1/2)",
                      AUTO_CYCLES) <= 0.2);
}

/* The strongly coupled axis changes from place to place, so no choice of halved axes fits
 * everywhere. */
TEST(axes_that_take_turns_in_being_strong_cost_few_cycles)
{
    CHECK(late_factor("x 33 from 0 to 1 at tanh(2*x)/tanh(2), "
                      "y 33 from 0 to 1 at tanh(2*y)/tanh(2)",
                      "-laplace(u)", AUTO_CYCLES) <= 0.25);
    CHECK(late_factor("x 65 from 0 to 1 at x^2, y 33 from 0 to 1", "-laplace(u)",
                      AUTO_CYCLES) <= 0.25);
    CHECK(late_factor("x 17 from 0 to 1 at tanh(2*x)/tanh(2), "
                      "y 17 from 0 to 1 at tanh(2*y)/tanh(2), "
                      "z 17 from 0 to 1 at tanh(2*z)/tanh(2)",
                      "-laplace(u)", AUTO_CYCLES) <= 0.25);
}

/* A description may choose the halved axes itself. */
TEST(a_hierarchy_of_ones_own_is_taken)
{
    static const char *const halved = "x 33 from 0 to 1, y 33 from 0 to 1";
    static const char
        *const kept = "x 33 from 0 to 1, y 33 from 0 to 1\ncoarse 1 along y";
    const char *const weak = "-dxx(u) - 0.3*dyy(u)";

    CHECK(late_factor(halved, weak, "multigrid") <= 0.2);
    CHECK(late_factor(kept, weak, "multigrid") > 0.4);
}

TEST(red_and_black_need_few_cycles_of_every_kind)
{
    static const char *const plane = "x 65 from 0 to 1, y 65 from 0 to 1";

    CHECK(late_factor(plane, "-laplace(u)", AUTO_CYCLES) <= 0.05);
    CHECK(late_factor(plane, "-laplace(u)", "multigrid(pre = 2)") <= 0.04);
    CHECK(late_factor(plane, "-laplace(u)", "multigrid(cycle = F)") <= 0.05);
    CHECK(late_factor(plane, "-laplace(u)", "multigrid(smoother = jacobi)") > 0.1);
}

static double error_of_sine(int n)
{
    trial t;
    trial_open(&t,
               "grid x %d from 0 to 1, y %d from 0 to 1\nfield u\n"
               "let e = sin(pi*x)*sin(2*pi*y)\n"
               "solve -laplace(u) = 5*pi^2*e by auto to 1e-10\nborder u = 0\n"
               "measure e1 = max(abs(u - e))\n",
               n, n);
    REQUIRE_OK(pav_run_finish(t.run));
    const double error = trial_get(&t, "e1");
    trial_close(&t);
    return error;
}

TEST(the_solution_is_of_second_order)
{
    static const int cells[3] = {16, 32, 64};
    double error[3];
    for (int k = 0; k < 3; k++)
        error[k] = error_of_sine(cells[k] + 1);
    CHECK_NEAR(order_of(error, cells), 2, 0.05);
}

/* The error of the 9-point operator. The right side includes the next term of the
 * error. */
static double error_of_compact(int n)
{
    char source[512];
    int64_t steps = 0;
    (void)snprintf(source, sizeof source,
                   "grid x %d from 0 to 1, y %d from 0 to 1\n"
                   "stencil S { centre 20/6; face -4/6; edge -1/6 }\n"
                   "let e = sin(pi*x)*sin(2*pi*y)\n"
                   "field u; f = 5*pi^2*e*(1 - 5*pi^2*h^2/12)\n"
                   "solve S(u)/h^2 = f for u by multigrid(cycle = F) to 1e-9\n"
                   "border u = 0\nmeasure e1 = max(abs(u - e))\n",
                   n, n);
    return solved(source, "e1", &steps);
}

TEST(compact_operators_are_of_fourth_order)
{
    const int n[] = {16, 32, 64};
    double error[3];
    for (int k = 0; k < 3; k++)
        error[k] = error_of_compact(n[k] + 1);
    CHECK_NEAR(order_of(error, n), 4, 0.1);
}

TEST(a_full_cycle_is_no_preconditioner)
{
    static const char source[] =
        "grid x 17, y 17\nfield u; f = 1\nborder u = 0\n"
        "solve -laplace(u) = f by cg(preconditioner = multigrid, cycle = full) to 1e-8";
    pav_program *p = NULL;
    char *text = NULL;
    REQUIRE_OK(pav_program_parse(source, sizeof source - 1, NULL, &p));
    CHECK_STATUS(pav_program_generate(p, "cpu", NULL, &text), PAV_EINVAL);
    CHECK(strstr(pav_message(), "not symmetric"));
    pav_program_free(p);
}

static int kernels_of_cycle(int n)
{
    char source[256], *text = NULL;
    pav_program *p = NULL;
    int kernels = 0;
    (void)snprintf(source, sizeof source,
                   "grid x %d, y %d, z %d\nfield u; f = 1\n"
                   "solve -laplace(u) = f by multigrid(cycle = F) to 1e-8\nborder u = 0",
                   n, n, n);
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    REQUIRE_OK(pav_program_generate(p, "cpu", NULL, &text));
    for (const char *at = text; (at = strstr(at, "INLINE void row_")); at++)
        kernels++;
    pav_text_free(text);
    pav_program_free(p);
    return kernels;
}

TEST(a_cycle_over_more_grids_has_no_more_kernels)
{
    CHECK(kernels_of_cycle(17) <= 20);
    CHECK_EQ(kernels_of_cycle(129), kernels_of_cycle(33));
}
