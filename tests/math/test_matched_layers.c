/* SPDX-License-Identifier: BSD-3-Clause */
/* Perfectly matched layers: reflected waves are small, a shot equals the shot in an
 * unbounded domain, and nothing grows. */
#include "trial.h"

#include <math.h>
#include <stdlib.h>

/* The reflected part of a pulse of height 1, after 20 cells of layer at half a cell a
 * step. */
static double returned(double points)
{
    return trial_end("grid x 400\nparam dt = 0.5; l = %g\n"
                     "let pulse(s) = exp(-(s/(1.2*l))^2)*cos(2*pi*s/l)\n"
                     "field u = pulse(x - 200)\nprev(u) = pulse(x - 200 + dt)\n"
                     "u' = 2*u - prev(u) + dt^2*laplace(u, order 8)\n"
                     "absorb 20 cells by pml\nsteps 1000\nmeasure e = max(abs(u))\n",
                     points);
}

TEST(waves_of_16_points_do_not_come_back)
{
    CHECK(returned(16) < 1e-4);
}

TEST(waves_of_38_points_do_not_come_back)
{
    CHECK(returned(38) < 1e-4);
}

/* A shot near (0, 0) in a box around it. */
static void open_shot(trial *t, int half, const char *layer)
{
    trial_open(t,
               "grid x %d from %d to %d, y %d from %d to %d\nparam dt = 0.5\nfield u\n"
               "field c = where(y > 10, 1.2, 1)\n"
               "u' = 2*u - prev(u) + dt^2*c^2*laplace(u, order 4)\n%s\n"
               "inject ricker(0.05, t) into u at (3, -2)\nsteps 500\n",
               2 * half + 1, -half, half, 2 * half + 1, -half, half, layer);
}

/* Adds the squares of the differences, and of the second field, over the points less than
 * 24 from (0, 0). */
static void compare(trial *small, int half, trial *large, int large_half, double sums[2])
{
    int64_t count;
    double *a = trial_read(small, "u", &count), *b = trial_read(large, "u", &count);
    for (int j = -24; j <= 24; j++)
        for (int i = -24; i <= 24; i++) {
            const double one = a[(j + half) * (2 * half + 1) + i + half];
            const double other =
                b[(j + large_half) * (2 * large_half + 1) + i + large_half];
            sums[0] += (one - other) * (one - other);
            sums[1] += other * other;
        }
    free(a);
    free(b);
}

TEST(a_shot_is_that_of_an_unbounded_domain)
{
    trial small, large;
    double sums[2] = {0};
    open_shot(&small, 45, "absorb 20 cells by pml");
    open_shot(&large, 120, "border u = 0");
    for (int n = 0; n < 18; n++) {
        trial_step(&small, 10);
        trial_step(&large, 10);
        compare(&small, 45, &large, 120, sums);
    }
    CHECK(sqrt(sums[0] / sums[1]) < 1e-3);
    trial_close(&small);
    trial_close(&large);
}

TEST(the_arithmetic_outside_of_a_layer_is_unchanged)
{
    trial with, without;
    double sums[2] = {0};
    open_shot(&with, 45, "absorb 10 cells by pml");
    open_shot(&without, 45, "border u = 0");
    trial_step(&with, 12);
    trial_step(&without, 12);
    compare(&with, 45, &without, 45, sums);
    CHECK(sums[0] == 0 && sums[1] > 0);
    trial_close(&with);
    trial_close(&without);
}

/* Corners become unstable if the derivatives of two layers do not match there. */
TEST(nothing_grows_in_corners)
{
    CHECK(trial_end("grid x 31, y 31\nparam dt = 0.25\nfield u\n"
                    "u' = 2*u - prev(u) + dt^2*laplace(u, order 8)\n"
                    "absorb 10 cells by pml\ninject ricker(0.05, t) into u at (14, 15)\n"
                    "steps 8000\nmeasure e = max(abs(u))\n") < 1e-3);
}

TEST(staggered_systems_of_first_order_are_absorbed)
{
    CHECK(
        trial_end("grid x 81, y 81\nparam dt = 0.5\nfield p, vx, vy\n"
                  "vx' = vx - dt*dx(p, order 4, at +1/2)\n"
                  "vy' = vy - dt*dy(p, order 4, at +1/2)\n"
                  "p' = p - dt*(dx(vx', order 4, at -1/2) + dy(vy', order 4, at -1/2))\n"
                  "absorb 20 cells by pml\n"
                  "inject dt*ricker(0.0625, t) into p at (40, 40)\nsteps 400\n"
                  "measure e = max(abs(p))\n") < 1e-4);
}
