/* SPDX-License-Identifier: BSD-3-Clause */
/* Two grids: restriction is the adjoint of interpolation up to 2^dim, both are exact for
 * linear functions, and a two-grid cycle converges faster than relaxation alone. */
#include "trial.h"

static const struct {
    const char *grid;
    int factor;
} grids[] = {{"x 33", 2},
             {"x 17, y 25", 4},
             {"x 9, y 13, z 11", 8},
             {"x 17, y 6\ncoarse 1 along x", 2},
             {"x 6, y 13, z 11\ncoarse 1 along y, z", 4}};
enum { GRIDS = sizeof grids / sizeof *grids };

/* 2^dim <restrict(a), c> = <a, interpolate(c)> for fields with the value 0 at the
 * walls. */
TEST(restriction_is_the_adjoint_of_interpolation)
{
    for (int k = 0; k < GRIDS; k++) {
        const double e = trial_end(
            "grid %s\nfield a = random(1)\nfield c coarse = random(2)\n"
            "field r coarse\nfield v\nr' = restrict(a)\nv' = interpolate(c)\n"
            "border = 0\nsteps 1\n"
            "measure left = %d*sum(r*c)\nmeasure right = sum(a*v)\n"
            "measure e = %d*sum(r*c) - sum(a*v)\n",
            grids[k].grid, grids[k].factor, grids[k].factor);
        CHECK_NEAR(e, 0, 1e-12);
    }
}

TEST(interpolation_and_restriction_are_exact_for_what_is_linear)
{
    static const char *const planes[] = {"1 + 2*x", "1 + 2*x - y", "1 + 2*x - y + 3*z",
                                         "1 + 2*x - y", "1 + 2*x - y + 3*z"};
    for (int k = 0; k < GRIDS; k++) {
        const double e = trial_end(
            "grid %s\nlet plane = %s\nfield c coarse = plane\nfield r coarse\n"
            "field u = plane\nfield v\nr' = restrict(u)\nv' = interpolate(c)\n"
            "border = plane beyond\nsteps 1\n"
            "let coarse_part = max(abs(r - plane))\n"
            "measure e = coarse_part + max(abs(v - u))\n",
            grids[k].grid, planes[k]);
        CHECK_NEAR(e, 0, 1e-12);
    }
}

TEST(a_coarse_point_lies_on_every_second_point_of_the_grid)
{
    const double e = trial_end("grid x 21 from 0 to 1, y 14 from 3 to 5\n"
                               "field u = x + 100*y\nfield c coarse; field d coarse\n"
                               "c' = u\nd' = u[1,-1]\nborder clamp\nsteps 1\n"
                               "let right_below = x + 1/20 + 100*(y - 2/13)\n"
                               "let inside = x < 0.99 and y > 3.01\n"
                               "measure e = max(abs(c - (x + 100*y)))"
                               " + max(where(inside, abs(d - right_below), 0))\n");
    CHECK_NEAR(e, 0, 1e-12);
}

/* One cycle a step: smooth, restrict the residual, relax it there four times, interpolate
 * the correction, smooth. With `without`, the correction is left out. */
static double residual_after(int cycles, bool without)
{
    return trial_end("grid x 17 from 0 to 1\nfield u; field s; field s2; field r; field "
                     "f = 10*random(1) + 5\n"
                     "field b coarse; field c1 coarse; field c2 coarse; field c3 coarse\n"
                     "field c4 coarse\n"
                     "let relax(v, g) = v + (v[1] + v[-1] - 2*v + h^2*g)/3\n"
                     "s' = relax(u, f)\n"
                     "r' = f + laplace(s')\n"
                     "b' = restrict(r')\n"
                     "c1' = h^2*b'/2\n"
                     "c2' = (c1'[1] + c1'[-1] + h^2*b')/2\n"
                     "c3' = (c2'[1] + c2'[-1] + h^2*b')/2\n"
                     "c4' = (c3'[1] + c3'[-1] + h^2*b')/2\n"
                     "s2' = s' + %d*interpolate(c4')\n"
                     "u' = relax(s2', f)\n"
                     "border = 0\nsteps %d\n"
                     "let inside = x > h/2 and x < 1 - h/2\n"
                     "measure e = max(abs(where(inside, f + laplace(u), 0)))/max(f)\n",
                     without ? 0 : 1, cycles);
}

TEST(cycles_over_two_grids_reach_what_relaxation_alone_does_not)
{
    CHECK(residual_after(30, true) > 1e-2);
    CHECK(residual_after(30, false) < 1e-3 * residual_after(30, true));
}
