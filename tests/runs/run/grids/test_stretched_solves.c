/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations on stretched axes: known solutions, to second order, by multigrid and
 * conjugate gradients. */
#include <math.h>
#include <stdio.h>

#include "on_gpu.h"

/* A measure of the solution on a device. */
static double solved(const char *device, const char *source, const char *name)
{
    const pav_run_options plain = {.no_files = 1};
    double value = NAN;
    begun b;
    REQUIRE_OK(kept_open(source, device, &plain, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    REQUIRE_OK(pav_run_get(b.run, name, &value));
    close_begun(&b);
    return value;
}

/* `format` takes n up to three times. */
static void check_order_2(const char *format)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        char source[2000];
        const int n = k ? 25 : 13;
        (void)snprintf(source, sizeof source, format, n, n, n);
        error[k] = solved("interpreter", source, "error");
    }
    CHECK_NEAR(error[0] / error[1], 4, 0.8);
}

#define PLANE                                                                            \
    "grid x %d from 0 to 1 at x + 0.4*x*(1 - x), y %d from 0 to 1 at tanh(y)/tanh(1)\n"

TEST(poisson_s_equation_between_cold_walls)
{
    check_order_2(PLANE "let exact = sin(pi*x)*sin(pi*y)\nfield u; f = 2*pi^2*exact\n"
                        "solve -laplace(u) = f by auto to 1e-9\nborder u = 0\n"
                        "measure error = max(abs(u - exact))\n");
}

TEST(cycles_alone_converge_too)
{
    check_order_2(PLANE "let exact = sin(pi*x)*sin(pi*y)\nfield u; f = 2*pi^2*exact\n"
                        "solve -laplace(u) = f by multigrid to 1e-9\nborder u = 0\n"
                        "measure error = max(abs(u - exact))\nexpect step < 25\n");
}

TEST(a_coefficient_between_walls_of_both_kinds)
{
    check_order_2("grid x %d from 0 to 1 at x + 0.4*x*(1 - x), y %d from 0 to 1 at "
                  "tanh(y)/tanh(1), z 2*%d - 1 from 0 to 1\n"
                  "let exact = cos(pi*x)*sin(pi*y)*z*(1 - z)\n"
                  "let k = 1 + x\nfield u\n"
                  "field f = (1 + x)*(2*pi^2*exact + 2*cos(pi*x)*sin(pi*y)) + "
                  "pi*sin(pi*x)*sin(pi*y)*z*(1 - z)\n"
                  "solve -(dx((k + k[1, 0, 0])/2*dx(u, at +1/2), at -1/2) + k*dyy(u) + "
                  "k*dzz(u)) = f "
                  "by auto to 1e-9\n"
                  "border u = 0 at y-, y+, z-, z+\nborder neumann u at x-, x+\n"
                  "measure error = max(abs(u - exact))\n");
}

TEST(nothing_fixes_a_constant_around_a_ring)
{
    check_order_2("grid x %d from 0 to 1 at x + 0.4*x*(1 - x), "
                  "y 2*%d - 2 from 0 to 1 - 1/(2*%d - 2) at y + 0.05*sin(2*pi*y)\n"
                  "let exact = cos(pi*x)*sin(2*pi*y)\nfield u = exact; f = 5*pi^2*exact\n"
                  "solve -laplace(u) = f by cg to 1e-7\n"
                  "border neumann u at x-, x+\nborder periodic u at y-, y+\n"
                  "measure error = max(abs(u - exact))\n");
}

TEST(heat_is_implicit_in_each_step)
{
    check_order_2(PLANE
                  "param dt = 1e-3/%d^2\nlet exact = exp(-2*pi^2*t)*sin(pi*x)*sin(pi*y)\n"
                  "field u = sin(pi*x)*sin(pi*y)\n"
                  "solve u' - dt*laplace(u') = u by auto to 1e-11\nborder u = 0\n"
                  "steps 40\nmeasure error = max(abs(u - exact))/(40*dt)\n");
}

TEST(all_devices_have_the_same_bits)
{
    char source[600];
    (void)snprintf(source, sizeof source,
                   PLANE "field u; f = x*y\nsolve -laplace(u) = f by auto to 1e-9\n"
                         "border u = 0\nmeasure size = norm(u)\n",
                   17, 17);
    const double size = solved("interpreter", source, "size");
    CHECK(solved(kept_kernels(), source, "size") == size);
    if (on_gpu_there())
        CHECK(solved("emulated", source, "size") == size);
}

TEST(what_needs_equal_spacings_is_refused)
{
    begun b;
    const char *const refused[] = {"laplace(u) = x by async-1 to 1e-3",
                                   "laplace(u) = x by sor to 1e-3",
                                   "laplace(u, order 4) = x by cg to 1e-3"};
    for (size_t k = 0; k < COUNT_OF(refused); k++) {
        char source[300];
        (void)snprintf(source, sizeof source,
                       "grid x 33 at x^2 + x\nfield u\nsolve -%s\nborder u = 0\n",
                       refused[k]);
        CHECK_STATUS(begin_text(source, NULL, &b), PAV_EUNSUPPORTED);
        CHECK(strstr(pav_message(), "stretched"));
        close_begun(&b);
    }
}
