/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations of vectors against exact solutions, and tables read by a field. */
#include <stdio.h>

#include "trial.h"

static double error_of_lattice(int points)
{
    return trial_end(
        "grid x 4, y %d\nparam tau = 0.8; nu = (tau - 1/2)/3; q = 2*pi/ny\n"
        "param c = [[0,0],[1,0],[0,1],[-1,0],[0,-1],[1,1],[-1,1],[-1,-1],[1,-1]]\n"
        "param w = [4/9, 1/9, 1/9, 1/9, 1/9, 1/36, 1/36, 1/36, 1/36]\n"
        "field u[2] = [0.32/ny*cos(q*y), 0], rho = 1\n"
        "let near(cu) = 1 + 3*cu + 4.5*cu^2 - 1.5*dot(u, u)\n"
        "field f[9] = [w[k]*near(dot(c[k], u)) for k from 0 to 8]\n"
        "let after = [f.k + (w[k]*rho*near(dot(c[k], u)) - f.k)/tau for k from 0 to 8]\n"
        "f' = [after.k[-c[k]] for k from 0 to 8]\nrho' = sum(f.k' for k from 0 to 8)\n"
        "u' = dot(c, f')/rho'\nborder periodic\nsteps floor(0.1*ny^2)\n"
        "measure e = max(abs(u.x*ny/0.32 - exp(-nu*q^2*t)*cos(q*y)))\n",
        points);
}

TEST(a_lattice_boltzmann_shear_wave_decays_at_second_order)
{
    const int n[] = {16, 24, 32};
    const double error[] = {error_of_lattice(16), error_of_lattice(24),
                            error_of_lattice(32)};
    CHECK_NEAR(order_of(error, n), 2, 0.1);
}

TEST(a_rotation_of_components_comes_back_with_rk4)
{
    const double error = trial_end(
        "grid x 3\nparam dt = 2*pi/200\nfield u[3] = [1, 0, 2]\n"
        "advance u = [-u.y, u.x, 0] by rk4\nsteps 200\n"
        "measure e = max(norm(u - [1, 0, 2]))\n");
    CHECK(error > 1e-9 && error < 1e-6);
}

TEST(scalars_with_components_have_equations)
{
    CHECK(trial_end("grid x 3\nfield c complex\nscalar q = 1 + 2*i\nq' = q*q\n"
                    "c' = q'*i\nsteps 2\nmeasure e = abs(q - (1 + 2*i)^4) + "
                    "max(abs(c - i*q))\n") < 1e-12);
    CHECK(trial_end("grid x 3\nparam dt = 2*pi/200\nscalar q = [1, 0]\n"
                    "advance q = [-q.y, q.x] by rk4\nsteps 200\n"
                    "measure e = norm(q - [1, 0])\n") < 1e-6);
}

/* Stages written out, with their borders, have the bits of `advance`. */
TEST(stages_close_borders_by_their_own_values)
{
    static const char *const forms[][2] = {
        {"field w = x\nadvance w = laplace(w)/9 + v by rk2\n", "w"},
        {"field a = 0, w = x\na' = w + dt*(laplace(w)/9 + v)\n"
         "w' = w + 1/2*(a' - w) + dt*1/2*(laplace(a')/9 + v)\n",
         "w, a"},
    };
    double sum[2];
    for (int k = 0; k < 2; k++) {
        char source[700];
        (void)snprintf(source, sizeof source,
                       "grid x 9, y 8\nparam dt = 0.5\nfield v = cos(x)\n%s"
                       "border clamp v\nborder neumann %s\n%s%s"
                       "steps 5\nmeasure e = sum(w^2)\n",
                       forms[k][0], forms[k][1],
                       "border neumann w = 0.3*(1 - w) + v/9 at x+\n"
                       "border w = 2*w[0, 1] - w[0, 2] at y-\n"
                       "border w = v at x- where iy < 4\n",
                       k ? "border neumann a = 0.3*(1 - a) + v/9 at x+\n"
                           "border a = 2*a[0, 1] - a[0, 2] at y-\n"
                           "border a = v at x- where iy < 4\n"
                         : "");
        sum[k] = trial_end("%s", source);
    }
    CHECK(sum[0] == sum[1]);
    CHECK(sum[0] > 1);
}

/* Adams and Bashforth's method, also of a rod that cools. */
TEST(rates_have_no_borders_that_read)
{
    const double error = trial_end(
        "grid x 33 from 0 to 1\nparam dt = 0.2*h^2; q = 0.860333589019380\n"
        "field v = cos(q*x)\nlet flux(e) = 0.5*(e + v)\nadvance v = laplace(v) by ab2\n"
        "border neumann v at x-\nborder neumann v = -flux(v) at x+\nsteps 500\n"
        "measure e = max(abs(v - exp(-q^2*t)*cos(q*x)))\n");
    CHECK(error < 1e-4);
}

TEST(a_divergence_of_a_curl_and_a_curl_of_a_gradient_vanish)
{
    const double most = trial_end(
        "grid x 12, y 10, z 9\nfield p = random(1), a[3] = [random(2), random(3), "
        "random(4)], b[3], d\nb' = curl(grad(p))\nd' = div(curl(a))\nborder periodic\n"
        "steps 1\nmeasure e = norm(b) + norm(d)\n");
    CHECK(most < 1e-12);
}

TEST(a_table_gives_the_nearest_element)
{
    const double sum = trial_end(
        "grid x 8\nparam w = [1, 10, 100, 1000, 10000]\nfield u\n"
        "u' = w[x - 1.4 + 0*u]\nsteps 1\nmeasure e = sum(u)\n");
    CHECK_EQ((int64_t)sum, 1 + 1 + 10 + 100 + 1000 + 10000 + 10000 + 10000);
}

TEST(a_run_refuses_an_index_outside_of_its_table)
{
    static const char source[] = "grid x 8\nparam w = [1, 10, 100]\nfield m = x\n"
                                 "field u\nu' = w[m]\nsteps 1\n";
    pav_program *p = NULL;
    pav_device *device = NULL;
    pav_run *run = NULL;
    REQUIRE_OK(pav_program_parse(source, sizeof source - 1, NULL, &p));
    REQUIRE_OK(pav_device_open("interpreter", &device));
    CHECK_EQ(pav_run_open(p, device, NULL, &run), PAV_EINVAL);
    CHECK(strstr(pav_message(), ":5: an index of a table is 7 at some point") != NULL);
    pav_device_free(device);
    pav_program_free(p);
}
