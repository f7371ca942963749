/* SPDX-License-Identifier: BSD-3-Clause */
/* Borders on [0, 1] have at least second order: manufactured solutions depend on time and
 * place, with values and fluxes at the walls. */
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
    /* Robin: the slope depends on u at the wall */
    {"a slope of u", "neumann u = sin(t) + 2*(cos(t) - u) at x-\n"
                     "border neumann u = -sin(1 + t) + 3*(cos(1 + t) - u) at x+"},
    {"a one-sided value", "u = (4*u[1] - u[2] - 2*h*(-sin(t)))/3 at x-\n"
                          "border u = cos(1 + t) at x+"},
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
    static const int cells[3] = {20, 40, 60};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        double e[3];
        for (int n = 0; n < 3; n++)
            e[n] = heat_error(pairs[k].border, cells[n] + 1);
        CHECK_NEAR(order_of(e, cells), 2, 0.1);
    }
}

/* Modes of the continuous problem, with a time factor that would be exact for an exact
 * Laplacian. So only the error in space is left, at every wall of order `order`. */
static const struct {
    const char *border, *mode;
    bool nodes; /* the outermost points lie on the walls */
    int waves;
} symmetric[] = {
    {"odd u", "sin(pi*x)", true, 1},
    {"neumann u", "cos(pi*x)", true, 1},
    {"mirror u", "cos(pi*(x + h/2))", false, 1},
    {"antimirror u", "sin(pi*(x + h/2))", false, 1},
    {"periodic u", "sin(2*pi*x)", false, 2},
};
enum { SYMMETRIC = sizeof symmetric / sizeof *symmetric };

static double mode_error(int which, int order, int cells)
{
    const char *mode = symmetric[which].mode;
    char axis[64];
    if (symmetric[which].nodes)
        snprintf(axis, sizeof axis, "x %d from 0 to 1", cells + 1);
    else
        snprintf(axis, sizeof axis, "x %d spacing 1/%d", cells, cells);
    return trial_end(
        "grid %s\nparam dt = 0.0002; k = %d*pi\n"
        "let mode = %s\nfield u = mode\n"
        "u' = u + (1 - exp(-k^2*dt))/k^2*laplace(u, order %d)\n"
        "border %s\nsteps 100\nmeasure e = norm(u - exp(-k^2*t)*mode)*sqrt(h)\n",
        axis, symmetric[which].waves, mode, order, symmetric[which].border);
}

static double between_error(const char *border, int n)
{
    return trial_end("grid x %d spacing 1/%d\nparam dt = 0.4*h^2\nlet c = x + h/2\n"
                     "field u = cos(c)\n"
                     "u' = u + dt*(laplace(u) + cos(c + t) - sin(c + t))\n"
                     "border %s\nsteps 0.5/dt\nmeasure e = max(abs(u - cos(c + t)))\n",
                     n, n, border);
}

TEST(walls_between_points_have_values_and_fluxes)
{
    static const int cells[3] = {20, 40, 60};
    static const char *const border[] = {
        "antimirror u = cos(t) at x-\nborder antimirror u = cos(1 + t) at x+",
        "mirror u = sin(t) at x-\nborder antimirror u = cos(1 + t) at x+",
        "antimirror u = cos(t) at x-\nborder mirror u = -sin(1 + t) at x+"};
    for (size_t k = 0; k < sizeof border / sizeof *border; k++) {
        double e[3];
        for (int n = 0; n < 3; n++)
            e[n] = between_error(border[k], cells[n]);
        CHECK_NEAR(order_of(e, cells), 2, 0.1);
    }
}

TEST(walls_that_mirror_keep_the_order_of_high_order_schemes)
{
    static const int cells[3] = {16, 20, 24};
    for (int k = 0; k < SYMMETRIC; k++)
        for (int order = 2; order <= 8; order += 2) {
            double e[3];
            for (int n = 0; n < 3; n++)
                e[n] = mode_error(k, order, cells[n]);
            CHECK_NEAR(order_of(e, cells), order, 0.1);
        }
}

/* The error of Poisson's equation in the unit square, by relaxation, with walls of both
 * kinds. */
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
    static const int cells[3] = {8, 12, 16};
    for (size_t k = 0; k < sizeof walls_text / sizeof *walls_text; k++) {
        double e[3];
        for (int n = 0; n < 3; n++)
            e[n] = poisson_error(walls_text[k], cells[n] + 1);
        CHECK_NEAR(order_of(e, cells), 2, 0.1);
    }
}

/* The discrete Green's function of a spike in the middle of the square: the sum of its
 * fluxes is known. */
TEST(all_that_a_spike_gives_off_leaves_through_the_walls)
{
    const double e = trial_end(
        "grid x 17, y 17\nfield f = where(x == 8 and y == 8, 1, 0)\nfield u\n"
        "u' = (u[1,0] + u[-1,0] + u[0,1] + u[0,-1] + f)/4\nborder u = 0\nsteps 5000\n"
        "measure e = sum(where(x == 1 or x == 15, u, 0)) + "
        "sum(where(y == 1 or y == 15, u, 0))\n");
    CHECK_NEAR(e, 1, 1e-12);
}

/* The rest of a pulse of height 1 without a mean, some 20 points long, after it has met
 * both walls. */
static double left_over(const char *border)
{
    return trial_end("grid x 400\nparam dt = 0.5\n"
                     "let pulse(s) = (1 - 2*(s/6)^2)*exp(-(s/6)^2)\n"
                     "field u = pulse(x - 200)\nprev(u) = pulse(x - 200 + dt)\n"
                     "u' = 2*u - prev(u) + dt^2*laplace(u, order 8)\n"
                     "%s\nsteps 900\nmeasure e = max(abs(u))\n",
                     border);
}

TEST(absorbing_layers_swallow_a_pulse_and_thicker_ones_more)
{
    const double bare = left_over("border u = 0"), thin = left_over("absorb 20 cells");
    const double thick = left_over("absorb 40 cells");
    CHECK(bare > 0.9);
    CHECK(thin < 0.2);
    CHECK(thick < 0.01);
}

/* e: the largest value around a source in the middle of the plane. */
static double around_a_source(int steps)
{
    return trial_end("grid x 121, y 121\nparam dt = 0.5\nfield u\n"
                     "u' = 2*u - prev(u) + dt^2*laplace(u, order 4)\nabsorb 30 cells\n"
                     "inject ricker(0.06, t) into u at (60, 60)\nsteps %d\n"
                     "let near = abs(x - 60) < 30 and abs(y - 60) < 30\n"
                     "measure e = max(where(near, abs(u), 0))\n",
                     steps);
}

TEST(absorbing_layers_around_a_plane_swallow_round_waves)
{
    const double passing = around_a_source(80), after = around_a_source(400);
    CHECK(passing > 0.1);
    CHECK(after < 0.01 * passing);
}
