/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations solved within a step: solutions linear in time and single waves of the grid
 * are reached within the tolerance. */
#include <stdio.h>
#include <string.h>

#include "trial.h"

#define SQUARE "grid x 17 from 0 to 1, y 17 from 0 to 1\nparam dt = 0.01\n"

static void check_small(const char *source, double most)
{
    trial t;
    trial_interpret(&t, "%s", source);
    REQUIRE_OK(pav_run_finish(t.run));
    CHECK_NEAR(trial_get(&t, "e"), 0, most);
    trial_close(&t);
}

TEST(implicit_heat_decays_by_the_factor_of_its_wave)
{
    static const char *const method[] = {"auto", "multigrid", "cg",
                                         "sor",  "chebyshev", "jacobi"};
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
        trial t;
        trial_interpret(&t,
                        SQUARE "field u = sin(pi*x)*sin(pi*y)\n"
                               "solve u' - dt*laplace(u') = u by %s to 1e-12\n"
                               "border u = 0\nsteps 4\n"
                               "let q = 1/(1 + dt*8*sin(pi*h/2)^2/h^2)\n"
                               "measure e = max(abs(u - q^step*sin(pi*x)*sin(pi*y)))\n",
                        method[k]);
        REQUIRE_OK(pav_run_finish(t.run));
        CHECK_NEAR(trial_get(&t, "e"), 0, 1e-11);
        trial_close(&t);
    }
}

/* The operator reads fields of the current step. Its numbers may hold reductions, and its
 * borders the time. */
TEST(operators_and_borders_are_those_of_the_step)
{
    check_small("grid x 17 from 0 to 1, y 20 from 0 to 1\nlet p = x^2 + x*y - 2*y^2\n"
                "let w = (1 + t)*p\nfield u = p; c; k = 1 + x\n"
                "param dt = 0.02/max(k)\nc' = k + t\n"
                "solve u' - dt*c'*laplace(u') = u + dt*(p + 2*c'*(1 + t + dt)) by cg to "
                "1e-13\nborder u = w\nborder neumann k\nsteps 3\n"
                "measure e = max(abs(u - w))\n",
                1e-11);
}

/* No face gives a value, the weights have no symmetry, and a scalar and a coefficient
 * have equations: the residual with their new values is small. */
TEST(a_coefficient_and_a_scalar_with_equations_stand_together)
{
    static const char *const method[] = {"auto",  "cg",     "bicgstab",
                                         "gmres", "minres", "chebyshev"};
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
        trial t;
        trial_interpret(&t,
                        SQUARE "field u = 0.05*cos(3*x)*y; k = 1 + x/9\nscalar s = 1\n"
                               "s' = 0.5*s + 0.001*max(u)\nk' = 0.5*k + 1\n"
                               "solve u' - dt*s'*k'*laplace(u') = u by %s to 1e-11\n"
                               "border mirror u\nborder neumann k\nsteps 2\n"
                               "measure e = max(abs(u - dt*s*k*laplace(u) - prev(u)))\n",
                        method[k]);
        REQUIRE_OK(pav_run_finish(t.run));
        CHECK_NEAR(trial_get(&t, "e"), 0, 1e-10);
        trial_close(&t);
    }
}

TEST(a_missed_tolerance_within_a_step_names_no_steps_of_the_program)
{
    trial t;
    trial_interpret(&t, "grid x 33 from 0 to 1, y 33 from 0 to 1\nfield u = x\n"
                        "solve u' - dxx(u') - 50*dyy(u') - 1500*dx(u') = u by multigrid "
                        "to 1e-14\nborder u = 0\nsteps 2\n");
    CHECK_STATUS(pav_run_finish(t.run), PAV_ECONVERGE);
    CHECK(strstr(pav_message(), "after all 200 steps"));
    CHECK(strstr(pav_message(), "take another method"));
    trial_close(&t);
}

/* Coarse grids keep this single point, with its walls less than half a spacing away. */
TEST(insulated_axes_of_one_point_are_solved)
{
    static const char *const border[] = {"border clamp at y-, y+\n",
                                         "border mirror at y-, y+\n",
                                         "border clamp at y-\nborder mirror at y+\n"};
    for (size_t k = 0; k < sizeof border / sizeof *border; k++) {
        char source[300];
        (void)snprintf(source, sizeof source,
                       "grid x 25, y 1, z 9\nfield u = 3; v = 3\n"
                       "solve u' - 0.1*laplace(u') = u by auto to 1e-12\n"
                       "border = 3 at x-, x+, y-, z-, z+\n%ssteps 2\n"
                       "measure e = max(abs(u - 3))\n",
                       border[k]);
        check_small(source, 1e-10);
    }
}

TEST(later_equations_of_a_step_read_the_solution)
{
    check_small(SQUARE "field u = x; v = y; w\n"
                       "solve u' - dt*laplace(u') = u + dt by auto to 1e-13\n"
                       "w' = u' - u\n"
                       "solve -laplace(v') + v' = w' + v by auto to 1e-13\n"
                       "border u = x + t\nborder v = y + t\nsteps 3\n"
                       "measure e = max(abs(u - x - t)) + max(abs(v - y - t)) + "
                       "max(abs(w - dt))\n",
                1e-11);
}

TEST(without_a_given_value_the_mean_is_kept_in_each_step)
{
    check_small("grid x 16 spacing 1/16, y 16 spacing 1/16\nfield p = 7; f = random(1)\n"
                "param m = sum(f)/(nx*ny)\n"
                "solve -laplace(p') = (f - m)*(step + 1) by auto to 1e-10\n"
                "border periodic p\nsteps 3\nmeasure e = sum(p)/(nx*ny) - 7\n",
                1e-9);
}

/* From an exact solution no step is taken, even if all rounding errors exceed the
 * tolerance. */
TEST(an_unknown_starts_from_a_field_that_its_operator_does_not_read)
{
    CHECK_NEAR(trial_end("grid x 17 from 0 to 1\nfield u = x*(1 - x); p = 3*u\n"
                         "solve p' - dxx(p')/100 = u + 2/100 by cg to 1e-12\n"
                         "border p = 0\nsteps 1\nmeasure e = max(abs(p - u))\n"),
               0, 1e-11);
}

TEST(a_steady_state_stays)
{
    check_small(SQUARE "field u = x^2 - y^2\nsolve u' - dt*laplace(u') = u by cg to "
                       "1e-12\nborder u = x^2 - y^2\nsteps 3\n"
                       "measure e = max(abs(u - x^2 + y^2))\n",
                1e-13);
}

TEST(a_scalar_of_the_operator_can_be_changed_between_steps)
{
    trial t;
    trial_interpret(&t, SQUARE "scalar s = 1\nfield u = 1\n"
                               "solve s*u' = 1 + 0*laplace(u') by jacobi to 1e-13\n"
                               "border neumann u\nmeasure e = max(u)\n");
    trial_step(&t, 1);
    CHECK_NEAR(trial_get(&t, "e"), 1, 1e-12);
    REQUIRE_OK(pav_run_set(t.run, "s", 4));
    trial_step(&t, 1);
    CHECK_NEAR(trial_get(&t, "e"), 0.25, 1e-12);
    trial_close(&t);
}

TEST(steps_of_an_emulated_gpu_have_the_same_bits)
{
    static const char source[] = "grid x 9, y 8\nparam dt = 0.1\nfield u = x*y; v\n"
                                 "solve u' - dt*laplace(u') = u by jacobi to 1e-2\n"
                                 "v' = u' + u\nborder u = t\n";
    pav_program *p = NULL;
    pav_device *device = NULL;
    char *text = NULL;
    const pav_run_options options = {.no_files = 1};
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    REQUIRE_OK(pav_device_open("emulated", &device));
    REQUIRE_OK(pav_run_verify(p, device, &options, 2, &text));
    pav_text_free(text);
    pav_device_free(device);
    pav_program_free(p);
}

static void check_refused(const char *words, const char *source)
{
    pav_program *p = NULL;
    char *text = NULL;
    pav_status status = pav_program_parse(source, strlen(source), NULL, &p);
    if (status == PAV_OK)
        status = pav_program_solver(p, &text);
    CHECK(status == PAV_ESYNTAX || status == PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), words) != NULL);
    pav_text_free(text);
    pav_program_free(p);
}

/* The coefficient is the value before the step, though its equation stands before the
 * equation to solve; the border is at the value of s after the step. */
TEST(an_operator_keeps_old_values_and_its_border_has_new_ones)
{
    static const char *const old[] = {"k", "c'", "prev(k)", "p'"};
    double e[4];

    for (int n = 0; n < 4; n++) {
        trial t;
        trial_interpret(
            &t,
            "grid x 17, y 12\nscalar s = 1\nfield k = 1 + t + x/9, c, p, u\n"
            "param dt = 0.1\nc' = k\np' = prev(k)\nk' = 1.5*k\ns' = 2*s\n"
            "solve u' - dx(%s*dx(u', at +1/2), at -1/2) - s*dyy(u') = u + 1 by "
            "cg to 1e-13\nborder clamp k, c, p\nborder u = s\nsteps 3\n"
            "measure e = sum(u*(x + y^2))\n",
            old[n]);
        REQUIRE_OK(pav_run_finish(t.run));
        e[n] = trial_get(&t, "e");
        trial_close(&t);
    }
    CHECK_NEAR(e[0], e[1], 0);
    CHECK_NEAR(e[2], e[3], 0);
    CHECK(e[0] != e[2]);
    check_small(
        "grid x 9, y 8\nscalar s = 1; q = 1\nfield u\nq' = s\ns' = s/2 + sum(u)/99\n"
        "solve u' - s*laplace(u') = u by cg to 1e-14\nborder u = s\nsteps 3\n"
        "let r = u - q*laplace(u) - prev(u)\n"
        "measure e = max(abs(r) where x > 0 and x < 8 and y > 0 and y < 7) +\n"
        "    max(abs(u - s) where x == 0)\n",
        1e-11);
}

TEST(what_a_step_cannot_solve_is_said)
{
    static const char *const row[][2] = {
        {"name it before",
         SQUARE "field u\nsolve (1 + u^2)*u' = 1 by cg to 1e-6\nborder u = 0\n"},
        {"contains the time",
         SQUARE "field u\nsolve (1 + t)*u' = 1 by cg to 1e-6\nborder u = 0\n"},
        {"has an equation in line",
         SQUARE "field u\nsolve u' = 1 by cg to 1e-6\nu' = 1\nborder u = 0\n"},
        {"reads 'k', and its solver does not know the values in the border of 'k'",
         SQUARE "field w; k; u\nw' = w\nk' = k\nsolve k'*u' = 1 by cg to 1e-6\n"
                "border clamp w\nborder k = w\nborder u = 0\n"},
        {"its mask holds values that change",
         SQUARE "field w; u\nw' = w\nsolve u' = 1 by cg to 1e-6\nmask u = w > 0\n"},
        {"stands alone",
         SQUARE "field u; v\nsolve -laplace(u) = 1 by cg to 1e-6\nv' = 1\n"
                "border u = 0\n"},
        {"absorbing layers",
         SQUARE "field u; v\nsolve u' = 1 by cg to 1e-6\nv' = v\nborder u = 0\n"
                "absorb 2 cells\n"},
        {"must be linear", SQUARE "field u\nsolve u'*u' = 1 by cg to 1e-6\n"},
        {"v' is read before its equation",
         SQUARE "field u; v\nsolve u' = v' for u by cg to 1e-6\nv' = 1\n"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        check_refused(row[k][0], row[k][1]);
}
