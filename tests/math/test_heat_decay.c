/* SPDX-License-Identifier: BSD-3-Clause */
/* Modes of the discrete heat equation decay by exactly the factor of the scheme's symbol,
 * in every dimension and for every border with modes. */
#include "trial.h"

/* A mode is an eigenvector of the second difference with its border: -4*sin(q/2)^2. */
typedef struct mode {
    const char *name, *border, *shape; /* of one axis: c is its index, m its extent */
    double waves;                      /* q = waves*pi/(m + offset) */
    int offset;
} mode;

static const mode modes[] = {
    {"periodic", "periodic u", "cos(q*c)", 6, 0},
    {"held at 0", "u = 0", "sin(q*c)", 3, -1},
    {"odd", "odd u", "sin(q*c)", 3, -1},
    {"insulated at a point", "neumann u", "cos(q*c)", 2, -1},
    {"0 between points", "antimirror u", "sin(q*(c + 1/2))", 3, 0},
    {"insulated between points", "mirror u", "cos(q*(c + 1/2))", 2, 0},
};
enum { MODES = sizeof modes / sizeof *modes };

static double error_1d(const mode *m, const char *real)
{
    return trial_end("grid x 33\nreal %s\nparam r = 0.3; q = %g*pi/(nx + %d)\n"
                     "let mode(c) = %s\n"
                     "field u = mode(x)\nu' = u + r*laplace(u)\nborder %s\nsteps 60\n"
                     "let factor = 1 - 4*r*sin(q/2)^2\n"
                     "measure e = max(abs(u - factor^step*mode(x)))\n",
                     real, m->waves, m->offset, m->shape, m->border);
}

TEST(a_heat_mode_in_one_dimension_decays_by_its_factor)
{
    for (int k = 0; k < MODES; k++)
        CHECK_NEAR(error_1d(&modes[k], "f64"), 0, 1e-13);
}

/* Each step rounds a few times by at most half an ulp of 1, 2^-24, and no rounding error
 * grows. */
TEST(in_f32_a_heat_mode_decays_by_its_factor_up_to_rounding)
{
    for (int k = 0; k < MODES; k++) {
        const double e = error_1d(&modes[k], "f32");
        CHECK_NEAR(e, 0, 60 * 3 * 0x1p-24);
        CHECK(e > 1e-9); /* the arithmetic was not f64 */
    }
}

static double error_2d(const mode *m, const mode *n, const char *real)
{
    return trial_end(
        "grid x 17, y 22\nreal %s\n"
        "param r = 0.2; qx = %g*pi/(nx + %d); qy = %g*pi/(ny + %d)\n"
        "let across(c, q) = %s\nlet upward(c, q) = %s\n"
        "field u = across(x, qx)*upward(y, qy)\nu' = u + r*laplace(u)\n"
        "border %s at x-, x+\nborder %s at y-, y+\nsteps 40\n"
        "let factor = 1 - 4*r*(sin(qx/2)^2 + sin(qy/2)^2)\n"
        "measure e = max(abs(u - factor^step*across(x, qx)*upward(y, qy)))\n",
        real, m->waves, m->offset, n->waves, n->offset, m->shape, n->shape, m->border,
        n->border);
}

TEST(a_heat_mode_in_two_dimensions_decays_by_its_factor)
{
    for (int k = 0; k < MODES; k++)
        for (int n = 0; n < MODES; n++)
            CHECK_NEAR(error_2d(&modes[k], &modes[n], "f64"), 0, 1e-13);
}

static double error_3d(const mode *m, const char *real)
{
    return trial_end(
        "grid x 13, y 16, z 15\nreal %s\nparam r = 0.15\nlet q(m) = %g*pi/(m + %d)\n"
        "let mode(c, q) = %s\n"
        "let shape = mode(x, q(nx))*mode(y, q(ny))*mode(z, q(nz))\n"
        "field u = shape\n"
        "u' = u + r*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1]"
        " - 6*u)\n"
        "border %s\nsteps 30\n"
        "let part(m) = sin(q(m)/2)^2\n"
        "let factor = 1 - 4*r*(part(nx) + part(ny) + part(nz))\n"
        "measure e = max(abs(u - factor^step*shape))\n",
        real, m->waves, m->offset, m->shape, m->border);
}

TEST(a_heat_mode_in_three_dimensions_decays_by_its_factor)
{
    for (int k = 0; k < MODES; k++) {
        CHECK_NEAR(error_3d(&modes[k], "f64"), 0, 1e-13);
        CHECK_NEAR(error_3d(&modes[k], "f32"), 0, 30 * 4 * 0x1p-24);
    }
}

/* The shortest wave a grid can carry, +1 -1 +1 ..., changes sign each step at r = 1/2. */
TEST(the_shortest_wave_at_the_limit_of_stability_keeps_its_height)
{
    CHECK_NEAR(trial_end("grid x 64\nfield u = cos(pi*x)\nu' = u + 0.5*laplace(u)\n"
                         "border periodic\nsteps 1001\n"
                         "measure e = max(abs(u + cos(pi*x)))\n"),
               0, 1e-13);
}
