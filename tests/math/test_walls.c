/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders on [0, 1] are of second order and more: manufactured solutions that depend on time and place,
 * with values and fluxes given at the walls. */
#include "trial.h"

#include <stdio.h>

/* u = cos(x + t) solves u_t = u_xx + f, f = cos(x + t) - sin(x + t). dt goes with h^2. */
typedef struct walls {
    const char *name, *border;
} walls;

static const walls pairs[] = {
    {"values", "u = cos(x + t)"},
    {"fluxes", "neumann u = sin(t) at x-\nborder neumann u = -sin(1 + t) at x+"},
    {"a value and a flux", "u = cos(t) at x-\nborder neumann u = -sin(1 + t) at x+"},
    {"values beyond", "u = cos(x + t) beyond"},
};

static double heat_error(const char *border, int n)
{
    return trial_end("grid x %d from 0 to 1\nparam dt = 0.4*h^2\nfield u = cos(x)\n"
                     "u' = u + dt*(laplace(u) + cos(x + t) - sin(x + t))\n"
                     "border %s\nsteps 0.5/dt\nmeasure e = max(abs(u - cos(x + t)))\n",
                     n, border);
}

TEST(walls_with_values_and_fluxes_that_change_in_time_are_of_second_order)
{
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        const double p = slope(heat_error(pairs[k].border, 21),
                               heat_error(pairs[k].border, 41), 2);
        CHECK_NEAR(p, 2, 0.1);
    }
}

/* Modes of the continuous problem with the time factor that makes an exact Laplacian exact:
 * what is left is the error in space, at every wall of order `order`. */
static const struct {
    const char *border, *mode, *points;
} symmetric[] = {
    {"odd u", "sin(pi*x)", "from 0 to 1"},
    {"neumann u", "cos(pi*x)", "from 0 to 1"},
    {"mirror u", "cos(pi*(x + h/2))", "spacing 1/nx"},
    {"periodic u", "sin(2*pi*x)", "spacing 1/nx"},
};

static double mode_error(int which, int order, int n)
{
    const char *border = symmetric[which].border;
    const char *mode = symmetric[which].mode;
    char points[64] = "from 0 to 1";
    if (symmetric[which].points[0] == 's')
        snprintf(points, sizeof points, "spacing 1/%d", n);
    return trial_end("grid x %d %s\nparam dt = 0.0002; k = %s*pi\n"
                     "let mode = %s\nfield u = mode\n"
                     "u' = u + (1 - exp(-k^2*dt))/k^2*laplace(u, order %d)\n"
                     "border %s\nsteps 100\nmeasure e = max(abs(u - exp(-k^2*t)*mode))\n",
                     n, points, which == 3 ? "2" : "1", mode, order, border);
}

TEST(walls_that_mirror_keep_the_order_of_high_order_schemes)
{
    for (int k = 0; k < 4; k++)
        for (int order = 2; order <= 8; order += 2) {
            const double p = slope(mode_error(k, order, 17), mode_error(k, order, 33),
                                   symmetric[k].points[0] == 's' ? 33.0 / 17 : 2);
            CHECK_NEAR(p, order, 0.1);
        }
}

/* Poisson's equation in the unit square by relaxation, walls of both kinds. */
static double poisson_error(const char *borders, int n)
{
    return trial_end("grid x %d from 0 to 1, y %d from 0 to 1\n"
                     "let exact = sin(1 + x)*cos(2*y)\nfield f = 5*exact\nfield u\n"
                     "u' = (u[1,0] + u[-1,0] + u[0,1] + u[0,-1] + h^2*f)/4\n"
                     "%ssteps 20000\nuntil max(abs(u - prev(u))) < 1e-12 every 50\n"
                     "measure e = max(abs(u - exact))\n",
                     n, n, borders);
}

TEST(poisson_in_a_square_is_of_second_order)
{
    static const char *const walls_text[] = {
        "border u = exact\n",
        "border u = exact\nborder neumann u = -cos(1)*cos(2*y) at x-\n",
        ("border u = exact\nborder neumann u = -2*sin(1 + x)*sin(2) at y+\n"
         "border neumann u = 0 at y-\n"),
    };
    for (size_t k = 0; k < sizeof walls_text / sizeof *walls_text; k++) {
        const double p = slope(poisson_error(walls_text[k], 9),
                               poisson_error(walls_text[k], 17), 2);
        CHECK_NEAR(p, 2, 0.1);
    }
}

/* A spike in the middle of the square: its discrete Green's function has a known sum of fluxes. */
TEST(all_that_a_spike_gives_off_leaves_through_the_walls)
{
    const double e = trial_end(
        "grid x 17, y 17\nfield f = where(x == 8 and y == 8, 1, 0)\nfield u\n"
        "u' = (u[1,0] + u[-1,0] + u[0,1] + u[0,-1] + f)/4\nborder u = 0\nsteps 5000\n"
        "measure e = sum(where(x == 1 or x == 15, u, 0)) + "
        "sum(where(y == 1 or y == 15, u, 0))\n");
    CHECK_NEAR(e, 1, 1e-12);
}

/* In an absorbing layer a pulse is swallowed; without one it comes back whole. */
static double left_over(const char *border)
{
    return trial_end("grid x 400\nparam dt = 0.5\n"
                     "let pulse(s) = exp(-(s/12)^2)\n"
                     "field u = pulse(x - 200)\nprev(u) = pulse(x - 200 + dt)\n"
                     "u' = 2*u - prev(u) + dt^2*laplace(u, order 8)\n"
                     "%s\nsteps 700\nmeasure e = max(abs(u))\n",
                     border);
}

TEST(an_absorbing_layer_swallows_a_pulse)
{
    CHECK_NEAR(left_over("border u = 0"), 1, 0.02);
    CHECK(left_over("absorb 30 cells") < 0.01);
    CHECK(left_over("absorb 60 cells") < 0.001);
}

/* Waves of a source in the middle of the plane: once they have left, the layer has sent back less than
 * a hundredth of what passed. */
TEST(absorbing_layers_around_a_plane_swallow_round_waves)
{
    const double left = trial_end(
        "grid x 121, y 121\nparam dt = 0.5\nfield u\n"
        "u' = 2*u - prev(u) + dt^2*laplace(u, order 4)\nabsorb 30 cells\n"
        "inject ricker(0.06, t) into u at (60, 60)\nsteps 400\n"
        "measure e = max(where(abs(x - 60) < 30 and abs(y - 60) < 30, abs(u), 0))\n");
    const double passing = trial_end(
        "grid x 121, y 121\nparam dt = 0.5\nfield u\n"
        "u' = 2*u - prev(u) + dt^2*laplace(u, order 4)\nabsorb 30 cells\n"
        "inject ricker(0.06, t) into u at (60, 60)\nsteps 80\n"
        "measure e = max(where(abs(x - 60) < 30 and abs(y - 60) < 30, abs(u), 0))\n");
    CHECK(passing > 0.1);
    CHECK(left < 0.01 * passing);
}
