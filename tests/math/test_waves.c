/* SPDX-License-Identifier: BSD-3-Clause */
/* The wave equation converges at orders 2 to 12 in space. In place of dt^2 the scheme has
 * the factor s = 4*sin(k*dt/2)^2/k^2, exact in time for an exact Laplacian. So only the
 * error in space is left. */
#include "trial.h"

#include <stdio.h>

static const int points[3] = {10, 12, 16};

/* A plane wave along `phase`, of wave number k, in a periodic box. */
typedef struct plane_wave {
    const char *axes; /* printf format of the grid */
    const char *phase, *k;
    int dim;
} plane_wave;

static const plane_wave along_an_axis = {"x %d spacing 2*pi/%d", "x", "1", 1};
static const plane_wave oblique = {"x %d, y %d spacing 2*pi/%d", "x + y", "sqrt(2)", 2};
static const plane_wave in_space = {"x %d, y %d, z %d spacing 2*pi/%d", "x - y + z",
                                    "sqrt(3)", 3};

static double error(const plane_wave *w, int order, int n)
{
    char axes[100];
    snprintf(axes, sizeof axes, w->axes, n, n, n, n);
    return trial_end("grid %s\nparam dt = 0.05; k = %s; s = 4*sin(k*dt/2)^2/k^2\n"
                     "let phase = %s\nfield u = cos(phase)\nprev(u) = cos(phase + k*dt)\n"
                     "u' = 2*u - prev(u) + s*laplace(u, order %d)\n"
                     "border periodic\nsteps 20\n"
                     "measure e = norm(u - cos(phase - k*t))/nx^(%d/2)\n",
                     axes, w->k, w->phase, order, w->dim);
}

static double measured_order(const plane_wave *w, int order)
{
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = error(w, order, points[k]);
    return order_of(e, points);
}

TEST(plane_waves_along_an_axis_converge_at_orders_2_to_12)
{
    for (int order = 2; order <= 12; order += 2)
        CHECK_NEAR(measured_order(&along_an_axis, order), order, 0.1);
}

TEST(oblique_plane_waves_converge_at_orders_2_to_12)
{
    for (int order = 2; order <= 12; order += 2)
        CHECK_NEAR(measured_order(&oblique, order), order, 0.1);
}

TEST(plane_waves_in_space_converge_at_orders_2_to_12)
{
    for (int order = 2; order <= 12; order += 2)
        CHECK_NEAR(measured_order(&in_space, order), order, 0.1);
}

/* Time steps 0.01, 0.008, 0.005: 1/100, 1/125, 1/200. */
TEST(leapfrog_converges_at_order_2_in_time)
{
    static const int n[3] = {100, 125, 200};
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = trial_end("grid x 41 from 0 to 1\nparam dt = 1/%d\n"
                         "field u = sin(pi*x)\nprev(u) = sin(pi*x)*cos(pi*dt)\n"
                         "u' = 2*u - prev(u) + dt^2*laplace(u, order 12)\n"
                         "border odd u\nsteps %d*4/5\n"
                         "measure e = max(abs(u - sin(pi*x)*cos(pi*t)))\n",
                         n[k], n[k]);
    CHECK_NEAR(order_of(e, n), 2, 0.05);
}

/* u' from u, prev(u) and prev(u, 2): third-order Adams-Bashforth for u_t = -u_x. */
TEST(a_scheme_of_three_levels_converges_at_order_3_in_time)
{
    static const int n[3] = {25, 40, 50};
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = trial_end("grid x 32 spacing 2*pi/32\nparam dt = 1/%d\n"
                         "field u = sin(x)\nprev(u) = sin(x + dt)\n"
                         "prev(u, 2) = sin(x + 2*dt)\n"
                         "let f(v) = -dx(v, order 12)\n"
                         "u' = u + dt/12*(23*f(u) - 16*f(prev(u)) + 5*f(prev(u, 2)))\n"
                         "border periodic\nsteps %d\n"
                         "measure e = norm(u - sin(x - t))/sqrt(nx)\n",
                         n[k], n[k]);
    CHECK_NEAR(order_of(e, n), 3, 0.05);
}
