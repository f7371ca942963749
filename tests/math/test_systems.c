/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations with several unknowns. Differences of second order are exact for polynomials
 * of degree 2, so these solutions are reached within the tolerance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

#define SQUARE "grid x 17 from 0 to 1, y 17 from 0 to 1\n"

static void check_small(const char *source, double most)
{
    CHECK_NEAR(trial_end("%s", source), 0, most);
}

static const char *const methods[] = {"auto",
                                      "gmres(restart = 12)",
                                      "bicgstab(preconditioner = multigrid)",
                                      "cg",
                                      "cg(preconditioner = multigrid)",
                                      "minres(preconditioner = multigrid, grids = 3)",
                                      "minres(preconditioner = none)",
                                      "multigrid",
                                      "multigrid(cycle = W, pre = 3)",
                                      "vcycle"};

/* -mu*laplace(u) - (la + mu)*grad(div(u)) */
#define ELASTIC                                                                          \
    SQUARE "param mu = 1; la = 2\nlet p = x^2 + x*y; q = y^2 - 3*x*y\nfield u[2]\n"      \
           "solve -mu*laplace(u) - (la + mu)*[dxx(u.x) + dxy(u.y), dxy(u.x) + "          \
           "dyy(u.y)] = [1, -11] for u by %s to "                                        \
           "1e-12\nborder u.x = p\nborder u.y = q\n"                                     \
           "measure e = max(abs(u.x - p)) + max(abs(u.y - q))\n"

TEST(displacements_of_an_elastic_plate_are_found_by_all_methods)
{
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        CHECK_NEAR(trial_end(ELASTIC, methods[k]), 0, 1e-9);
}

/* ---- weights without an inverse ---------------------------------------------------- */

static void check_weights(const char *solve, const char *words)
{
    trial t;

    trial_interpret(&t,
                    SQUARE "field a; b; f = 1; k = where(x == 0.5 and y == 0.25, 1, 0)\n"
                           "param c = 4/h^2\n%s\nborder a, b = 0\nsteps 30\n",
                    solve);
    CHECK(pav_run_finish(t.run) != PAV_OK);
    CHECK(strstr(pav_message(), words) != NULL);
    trial_close(&t);
}

TEST(a_point_whose_equations_do_not_determine_the_unknowns_is_named)
{
    check_weights("solve { a + k*b = f\nk*a + b = 2*f } for a, b by gmres to 1e-8",
                  "text:4: the equations do not determine the unknowns at point (8, 4): "
                  "[1, 1; 1, 1], the weights of a, b at the point itself; elimination "
                  "divides by 0: let the equations say different things there");
    check_weights("solve { a' + k*b' = f\nk*a' + b' = 2*f } for a, b by auto to 1e-8",
                  "or, if neighbours determine the unknowns, take gmres(preconditioner = "
                  "none); this was in step 1");
    check_weights(
        "solve { -laplace(a) + c*b = f\n-laplace(b) + c*a = f } for a, b by auto "
        "to 1e-8",
        "the equations do not determine the unknowns at a point: [1024, 1024; "
        "1024, 1024], the weights of a, b");
    check_weights(
        "solve { (1 - k)*a + b = f\na + 2*b = 2*f } for a, b by gmres to 1e-8",
        "at point (8, 4): [0, 1; 1, 2], the weights of a, b at the point itself");
}

TEST(a_biharmonic_equation_is_two_equations_of_poisson)
{
    check_small(SQUARE "field u; v\nsolve { -laplace(u) - v = 0\n"
                       "-laplace(v) = 8 } for u, v by auto to 1e-12\n"
                       "border u = x^2*y^2\nborder v = -2*(x^2 + y^2)\n"
                       "measure e = max(abs(u - x^2*y^2))\n",
                1e-10);
}

/* i*dpsi/dt = -psi''/2: each wave turns by an angle and keeps its size. */
TEST(a_wave_of_schroedinger_s_equation_turns)
{
    check_small(
        "grid x 33 from 0 to 1\nparam dt = 0.05\n"
        "field psi complex = (1 + i)*sin(3*pi*x)\n"
        "solve psi' - i*dt/4*laplace(psi') = psi + i*dt/4*laplace(psi) for psi by "
        "auto to 1e-13\nborder psi = 0\nsteps 7\n"
        "let a = 2*atan(dt/4*4*sin(3*pi*h/2)^2/h^2)*step\n"
        "measure e = max(abs(psi - exp(-i*a)*(1 + i)*sin(3*pi*x)))\n",
        1e-10);
}

TEST(coupled_diffusions_are_solved_in_each_step)
{
    check_small(SQUARE
                "param dt = 0.1\nlet p = x^2 - y^2; q = x*y; g = 1 + t + dt\n"
                "field a = p; b = q; k = 1 + x\n"
                "solve { a' - dt*laplace(a') + k*(a' - b') = a + dt*p + k*g*(p - q)\n"
                "b' - dt*dx(k*dx(b', at +1/2), at -1/2) - a'/2 = "
                "b + dt*q - dt*g*y - g*p/2 } for a, b by auto to 1e-13\n"
                "border a = (1 + t)*p\nborder b = (1 + t)*q\nborder neumann k\n"
                "steps 3\n"
                "measure e = max(abs(a - (1 + t)*p)) + max(abs(b - (1 + t)*q))\n",
                1e-10);
}

/* The pressure has no weight at its own point, and the last unknown no border. */
TEST(a_saddle_point_and_an_unknown_without_borders_are_solved)
{
    check_small(SQUARE
                "field u; v; p; w\nsolve { -laplace(u) + dx(p, at -1/2) = y\n"
                "-laplace(v) + dy(p, at -1/2) = 1 + x\n"
                "-dx(u, at +1/2) - dy(v, at +1/2) = h/2\n w - 2*u = 1 } for u, v, p, w "
                "by auto to 1e-11\nborder u = x*y\nborder v = -y^2/2\nborder p = x*y\n"
                "measure e = max(abs(u - x*y)) + max(abs(p - x*y)) + "
                "max(abs(w - 1 - 2*u))\n",
                1e-7);
}

/* A square under a moving lid, on a staggered grid. */
#define CAVITY(OUTFLOW)                                                                  \
    "param n = %d\ngrid x n spacing 1/n, y n spacing 1/n\nfield u; v; p\n"               \
    "solve { -2*laplace(u) + dx(p, at +1/2) = 0; -2*laplace(v) + dy(p, at +1/2) = 0\n"   \
    "-dx(u, at -1/2) - dy(v, at -1/2) = " OUTFLOW " } for u, v, p by %s to 1e-8\n"       \
    "border u = 0 beyond x-\nborder u = 0 at x+\nborder antimirror u at y-\n"            \
    "border antimirror u = 1 at y+\nborder v = 0 beyond y-\nborder v = 0 at y+\n"        \
    "border antimirror v at x-, x+\nborder mirror p\n"

static int64_t steps_of(const char *format, int n, const char *method)
{
    trial t;
    trial_interpret(&t, format, n, method);
    REQUIRE_OK(pav_run_finish(t.run));
    const int64_t steps = pav_run_step(t.run);
    trial_close(&t);
    return steps;
}

TEST(steps_for_a_flow_with_a_pressure_do_not_grow_with_the_grid)
{
    for (int n = 16; n <= 64; n *= 2)
        CHECK(steps_of(CAVITY("0"), n, "auto") <= 25);
}

TEST(steps_for_a_pressure_do_not_grow_where_a_term_in_time_outweighs_the_viscosity)
{
    static const char source[] =
        "param n = %d\ngrid x n spacing 1/n, y n spacing 1/n\nparam dt = 1/n^3\n"
        "field u = random(1); v; p\n"
        "solve { u'/dt - laplace(u') + dx(p', at +1/2) = u/dt\n"
        "3*v'/dt - laplace(v') + dy(p', at +1/2) = v/dt\n"
        "-dx(u', at -1/2) - dy(v', at -1/2) = 0 } for u, v, p by auto to 1e-8\n"
        "border u = 0 beyond x-\nborder u = 0 at x+\nborder antimirror u at y-\n"
        "border antimirror u = 1 at y+\nborder v = 0 beyond y-\nborder v = 0 at y+\n"
        "border antimirror v at x-, x+\nborder mirror p\nsteps 1\n"
        "measure e = max(abs(dx(u, at -1/2) + dy(v, at -1/2)))\n";
    for (int n = 16; n <= 32; n *= 2) {
        trial t;
        trial_interpret(&t, source, n);
        REQUIRE_OK(pav_run_finish(t.run));
        CHECK(trial_get(&t, "e") < 1e-3);
        char *said = NULL;
        REQUIRE_OK(pav_run_report(t.run, 0, &said));
        const char *most = strstr(said, "for 1 solutions, ");
        CHECK(most && atoi(most + 17) <= 25);
        pav_text_free(said);
        trial_close(&t);
    }
}

/* A term for stability gives the pressure a weight at its own point. */
TEST(a_pressure_with_a_term_for_stability_is_a_saddle_point_too)
{
    static const char source[] =
        "grid x %d from 0 to 1, y 33 from 0 to 1\nfield u; v; p\n"
        "solve { -laplace(u) + dx(p) = 0; -laplace(v) + dy(p) = 0\n"
        "dx(u) + dy(v) - h^2/8*laplace(p) = 0 } for u, v, p by %s to 1e-8\n"
        "border u = 0 at x-, x+, y-\nborder u = 16*x^2*(1-x)^2 at y+\nborder v = 0\n"
        "border neumann p\n";
    CHECK(steps_of(source, 33, "auto") <= 30);
}

static void check_bits(const char *device_name, const char *source)
{
    const pav_run_options options = {.no_files = 1};
    pav_program *p = NULL;
    pav_device *device = NULL;
    char *text = NULL;
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    REQUIRE_OK(pav_device_open(device_name, &device));
    REQUIRE_OK(pav_run_verify(p, device, &options, 2, &text));
    pav_text_free(text);
    pav_device_free(device);
    pav_program_free(p);
}

TEST(systems_have_the_same_bits_on_other_devices)
{
    static const char *const sources[] = {
        "grid x 17 from 0 to 1 at (x + x^2)/2, y 16 from 0 to 1\nreal f32\n"
        "field a; b; k = 1 + x\nparam dt = 0.01\n"
        "solve { a' - dt*laplace(a') + dt*k*b' = a; b' - dt*laplace(b') = b + dt } for "
        "a, b by auto to 1e-4\nmask a = x + y < 1.2\nborder a = 1\nborder neumann b\n",
        "grid x 16 spacing 1/16, y 16 spacing 1/16\nfield u; v; p\n"
        "solve { -laplace(u) + dx(p, at +1/2) = sin(2*pi*x)*cos(4*pi*y) + 1e-4\n"
        "-laplace(v) + dy(p, at +1/2) = 0; -dx(u, at -1/2) - dy(v, at -1/2) = 0 } for "
        "u, v, p by gmres(preconditioner = multigrid, restart = 4) to 1e-8\n"
        "border periodic\n",
        "grid x 16 spacing 1/16, y 16 spacing 1/16\nparam dt = 1e-3\nfield u; v; p\n"
        "solve { u'/dt - laplace(u') + dx(p', at +1/2) = u/dt + sin(2*pi*x)*cos(4*pi*y)\n"
        "v'/dt - laplace(v') + dy(p', at +1/2) = v/dt + cos(2*pi*x)\n"
        "-dx(u', at -1/2) - dy(v', at -1/2) = 0 } for u, v, p by auto to 1e-8\n"
        "border periodic\nsteps 2\n",
    };
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        check_bits("cpu", sources[k]);
        check_bits("emulated", sources[k]);
    }
}

static void check_refused(const char *method, const char *words)
{
    char source[500], *text = NULL;
    pav_program *p = NULL;
    (void)snprintf(source, sizeof source, ELASTIC, method);
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    CHECK_STATUS(pav_program_solver(p, &text), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), words) != NULL);
    pav_text_free(text);
    pav_program_free(p);
}

TEST(methods_for_one_unknown_refuse_systems)
{
    static const char *const one[] = {"sor", "jacobi"};
    for (size_t k = 0; k < sizeof one / sizeof *one; k++)
        check_refused(one[k], "it takes one unknown: take cg, minres, bicgstab, gmres");
    check_refused("multigrid(cycle = full)", "a full cycle is for one unknown");
}

/* Three transforms, and a small system for each wave: a complex shift, all borders, an
 * unknown without a weight of its own, one point and two. */
TEST(transforms_solve_systems_with_constant_weights)
{
    static const char *const rows[] = {
        "grid x 17 from 0 to 1, y 12 from 0 to 1\nfield p complex\n"
        "let q = (1 + 2*i)*sin(pi*x)*y^2*(3 - 2*y); s = 4*sin(pi*hx/2)^2/hx^2 - 30 - "
        "7*i\n"
        "solve -laplace(p) - (30 + 7*i)*p = s*q - (1 + 2*i)*sin(pi*x)*(6 - 12*y) for p "
        "by "
        "transform to 1e-12\nborder p = q\nmeasure e = max(abs(p - q))\n",
        "grid x 9, y 7, z 8\nlet ring = cos(pi/4*iz)\nfield u, v, w\n"
        "solve { u + v - laplace(u) = 2.2 + (2 - sqrt(2))*ring\n"
        "v + 3*w - u - 2*dxx(v) - dyy(v) - dzz(v) = 0.2 - ring\n"
        "u - laplace(v) - v = 1 + ring - 1.2 } for u, v, w by transform to 1e-12\n"
        "border u = 1 at x-, x+\nborder v = 1.2 at x-, x+\nborder w = 0 at x-, x+\n"
        "border neumann u, v, w at y-, y+\nborder periodic u, v, w at z-, z+\n"
        "measure e = norm(u - laplace(v) - v - (1 + ring - 1.2) where ix > 0 and ix < 8) "
        "+ "
        "norm(v + 3*w - u - 2*dxx(v) - dyy(v) - dzz(v) - 0.2 + ring where ix > 0 and ix "
        "< "
        "8)\n",
        "grid x 1, y 2\nfield a, b\nsolve { 2*a - b - laplace(a) = 3; 3*b - a - "
        "laplace(b) = 4 } for a, b by transform to 1e-12\nborder periodic a, b\n"
        "measure e = max(abs(a - 13/5)) + max(abs(b - 11/5))\n"};

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        check_small(rows[k], 1e-11);
}

TEST(auto_solves_with_a_complex_shift_by_transforms)
{
    char *said = NULL;
    pav_program *p = NULL;
    static const char source[] = "grid x 33, y 33\nfield p complex\n"
                                 "field f = random(1)\nsolve -laplace(p) - (0.4 + "
                                 "0.02*i)*p = f for p by auto to 1e-10\nborder p = 0\n";

    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    REQUIRE_OK(pav_program_solver(p, &said));
    CHECK(strstr(said, "p.re, p.im by transform") != NULL);
    pav_text_free(said);
    pav_program_free(p);
}

TEST(transforms_refuse_systems_without_waves)
{
    static const char *const row[][2] = {
        {"solve { -laplace(u) = x; v - laplace(v) = u } for u, v by transform to "
         "1e-9\n"
         "border periodic u, v",
         "the unknowns are known up to a constant"},
        {"solve { u - laplace(u) = v; v - laplace(v) = x } for u, v by transform to "
         "1e-9\n"
         "border u = 0\nborder mirror v",
         "its fields have unlike borders"},
        {"solve { u - laplace(u) = dx(v); v - laplace(v) = x } for u, v by transform to "
         "1e-9\n"
         "border u, v = 0",
         "its weights are not the same on both sides"},
        {"solve { u - laplace(u) = x*v; v - laplace(v) = x } for u, v by transform to "
         "1e-9\n"
         "border u, v = 0",
         "its weights vary"},
        {"solve { u - laplace(u) = v; v - laplace(v) = x } for u, v by transform to "
         "1e-9\n"
         "border u, v = 0\nmask u = x > 3",
         "waves do not fit a mask"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char source[500], *said = NULL;
        pav_program *p = NULL;
        (void)snprintf(source, sizeof source, "grid x 9, y 9\nfield u, v\n%s\n",
                       row[k][0]);
        REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
        CHECK_STATUS(pav_program_solver(p, &said), PAV_EUNSUPPORTED);
        CHECK(strstr(pav_message(), row[k][1]) != NULL);
        pav_program_free(p);
    }
}

/* -laplace(psi) + i*psi = f for a complex psi, and for its parts. */
TEST(a_steady_complex_equation_needs_no_unknown_behind_for)
{
    static const char *const rows[][3] = {{"", "", ""},
                                          {"; c complex = 0", " + c*psi", ""},
                                          {"", "", " for psi"},
                                          {"", "", " for psi.re, psi.im"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        CHECK_NEAR(
            trial_end("grid x 17 from 0 to 1, y 17 from 0 to 1\nfield psi complex%s\n"
                      "let p = x*(1 - x) + i*y*(1 - y)\n"
                      "solve -laplace(psi) + i*psi%s = 2 + 2*i + i*p%s by auto to "
                      "1e-11\nborder psi = p\nmeasure e = max(abs(psi - p))\n",
                      rows[k][0], rows[k][1], rows[k][2]),
            0, 1e-9);
}

/* Nothing fixes the sum of a and b. The right sides have a mean. */
#define EXCHANGE                                                                         \
    "grid x 16 spacing 1/16, y 16 spacing 1/16\nfield a = 5; b = 1 + x; q = 1 + y\n"     \
    "let f = cos(2*pi*x)*cos(2*pi*y) + %g\n"                                             \
    "solve { -2*dxx(a) - dyy(a) + q*(a - b) = f; -laplace(b) + q*(b - a) = 1e-4 - f } "  \
    "for a, b by %s to 1e-10\nborder periodic\nparam before = sum(a + b)\n"              \
    "let r = q*(a - b) - 2*dxx(a) - dyy(a) - f\n"                                        \
    "measure e = max(abs(r)) + abs(sum(a + b) - before)\n"

TEST(a_joint_constant_stays_that_of_the_start_by_all_methods)
{
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        CHECK_NEAR(trial_end(EXCHANGE, 0.0, methods[k]), 5e-5, 1e-6); /* half of 1e-4 */
}

TEST(a_joint_constant_is_named_where_the_right_sides_have_no_solution)
{
    trial t;
    trial_interpret(&t, EXCHANGE, 0.1, "cg");
    CHECK_STATUS(pav_run_finish(t.run), PAV_OK); /* the right sides sum to 1e-4 */
    trial_close(&t);
    trial_interpret(&t,
                    "grid x 16, y 16\nfield a; b\n"
                    "solve { -laplace(a) + 2*(a - 3*b) = 1; -laplace(b) + 3*b - a = 1 "
                    "} for a, b by auto to 1e-8\nborder periodic\n");
    CHECK_STATUS(pav_run_finish(t.run), PAV_ECONVERGE);
    CHECK(strstr(pav_message(), "adding 1 to 'a', 0.333 to 'b' changes no equation"));
    trial_close(&t);
}

TEST(a_constant_of_several_unknowns_may_have_several_sizes_in_each_step)
{
    const char *const source =
        "grid x 32 spacing 1/32\nfield a; b; c = 4; f = cos(2*pi*x)\n"
        "solve { -dxx(a') + 3*(a' - 2*b') = f + 1e-4; -dxx(b') + 6*(2*b' - a') = -2*f\n"
        "-dxx(c') + 5*(c' - 2*a') = f } for a, b, c by auto to 1e-10\n"
        "border periodic\nsteps 2\nmeasure e = sum(2*a + b + 4*c)/32 - 16 +\n"
        "max(abs(-dxx(a) + 3*(a - 2*b) - f - 1e-4))\n";
    CHECK_NEAR(trial_end("%s", source), 0, 2e-4); /* the mean is left out */
}

/* Coupled diffusions, each known up to a constant. The right side has a mean. */
#define LOOSE                                                                            \
    "grid x 16 spacing 1/16, y 16 spacing 1/16\nfield a; b = 3\n"                        \
    "solve { -laplace(a) = sin(2*pi*x) + %s; -3*laplace(b) + laplace(a)/2 = "            \
    "cos(2*pi*y) } for a, b by auto to 1e-9\nborder periodic\n"                          \
    "measure e = abs(sum(b)/256 - 3) + abs(sum(a))\n"

TEST(a_constant_of_several_unknowns_may_have_two_signs)
{
    const double left = trial_end(
        "grid x 16 from 0 to 1\nfield a = 1, b = 2\nborder periodic\nmeasure e = "
        "max(abs(a + 1/2)) + max(abs(b - 1/2))\n"
        "solve { -dxx(a) + a + b = 0; -dxx(b) + b + a = 0 } for a, b by auto to 1e-9\n");
    CHECK_NEAR(left, 0, 1e-6);
}

TEST(means_of_free_unknowns_stay_those_of_the_start)
{
    CHECK_NEAR(trial_end(LOOSE, "0"), 0, 1e-9);
    CHECK_NEAR(trial_end(LOOSE, "1e-4"), 0, 1e-9); /* by sampling, say */
}

static void check_fails(const char *format, int n, const char *words)
{
    trial t;
    trial_interpret(&t, format, n, "auto");
    CHECK_STATUS(pav_run_finish(t.run), PAV_ECONVERGE);
    CHECK(strstr(pav_message(), words) != NULL);
    trial_close(&t);
}

TEST(a_right_side_with_a_mean_is_refused_for_a_free_unknown)
{
    check_fails("grid x %d, y 16\nfield u[2]\n"
                "solve -3*laplace(u) - [dxx(u.x) + dxy(u.y), dxy(u.x) + dyy(u.y)] = "
                "[0, 1] for u by %s to 1e-8\nborder periodic\n",
                16,
                "no value of 'u.y' is given at any face, so a solution exists "
                "only where the right side sums to 0");
}

/* More flows in than out. */
TEST(a_flow_that_is_not_conserved_is_refused)
{
    check_fails(CAVITY("x"), 16, "no value of 'p' is given at any face");
}

TEST(a_system_that_minres_does_not_solve_is_told_what_to_do)
{
    check_fails(
        "grid x %d from 0 to 1, y 24 from 0 to 1\nfield u, v, p; f = sin(pi*y)\n"
        "solve {\n-laplace(u) + dx(p, at +1/2) = f\n-laplace(v) + dy(p, at +1/2) = "
        "x\ndx(u, at -1/2) + dy(v, at -1/2) = 0 } for u, v, p by minres to 1e-12\n"
        "border u, v = 0\nborder neumann p\n",
        24, "differ from those back, by a sign or at a border: take gmres(");
    check_fails(
        "grid x %d from 0 to 1\nfield a, b; f = random(1)\nborder a, b = 0\n"
        "solve { -dxx(a) + a + b = f; -dxx(b) + b + a = x } for a, b by minres to "
        "1e-9\nsteps 5\n",
        90, "after all 5 steps of minres the residual is 0.");
    check_fails(
        "grid x %d from 0 to 1\nfield a, b; f = random(1)\nborder a, b = 0\n"
        "solve { -dxx(a) + a + b = f; -dxx(b) + b + a = x } for a, b by minres to "
        "1e-9\nsteps 5\n",
        90, " at the last rate (`steps`, --steps), or gmres(preconditioner");
}

TEST(rounding_is_named_where_it_stops_a_system)
{
    check_fails(
        "real f32\ngrid x %d from 0 to 1, y 17 from 0 to 1\nfield a; b\n"
        "solve { -laplace(a) - b = 1; -laplace(b) + b - 2*x*a = y } for a, b by %s to "
        "1e-9\nborder a, b = 0\n",
        17, "rounding in f32 allows no less");
}

static int hear(void *user, pav_event event, const pav_progress *progress,
                const char *text)
{
    (void)progress;
    if (event == PAV_EVENT_WARNING && strstr(text, "reads every second point"))
        ++*(int *)user;
    return 0;
}

static int warnings_of(const char *operator_text)
{
    char source[300];
    int count = 0;
    trial t = {0};
    (void)snprintf(source, sizeof source,
                   SQUARE
                   "field u[2]\nsolve -laplace(u) - 3*%s = [0, -1] for u by auto to "
                   "1e-8\nborder u = 0\n",
                   operator_text);
    const pav_run_options options = {.listener = hear, .user = &count, .no_files = 1};
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &t.program));
    REQUIRE_OK(pav_device_open("interpreter", &t.device));
    REQUIRE_OK(pav_run_open(t.program, t.device, &options, &t.run));
    trial_close(&t);
    return count;
}

TEST(a_difference_of_differences_along_an_axis_gets_a_warning)
{
    CHECK(warnings_of("grad(div(u))") == 1);
    CHECK(warnings_of("grad(div(u, at +1/2), at -1/2)") == 0);
    CHECK(warnings_of("[dx(x*dx(u.x)), u.y]") == 1);
    CHECK(warnings_of("[div(x*grad(u.x)), div(grad(u.y))]") == 0);
    CHECK(warnings_of("[dxx(u.x) + dxy(u.y), dxy(u.x) + dyy(u.y)]") == 0);
}
