/* SPDX-License-Identifier: BSD-3-Clause */
/* The symmetric 27-point operators have their known symbols: applied to a plane wave of
 * wave numbers (p, q, r) they multiply it by
 *     c0 + 2 c1 (cos p + cos q + cos r) + 4 c2 (cos p cos q + ...)
 *     + 8 c3 cos p cos q cos r. */
#include "trial.h"

#include <stdlib.h>

/* -laplace on a unit grid: finite elements (trilinear cubes), the 7-point differences,
 * and the isotropic 27-point differences. */
typedef struct laplacian {
    const char *classes;
    double c[4];
} laplacian;

static const laplacian operators[] = {
    {"centre 8/3; face 0; edge -1/6; corner -1/12", {8.0 / 3, 0, -1.0 / 6, -1.0 / 12}},
    {"centre 6; face -1", {6, -1, 0, 0}},
    {"centre 128/30; face -14/30; edge -3/30; corner -1/30",
     {128.0 / 30, -14.0 / 30, -3.0 / 30, -1.0 / 30}},
};
enum { OPERATORS = sizeof operators / sizeof *operators };

static double symbol(const laplacian *o, double p, double q, double r)
{
    const double a = cos(p), b = cos(q), c = cos(r);
    return o->c[0] + 2 * o->c[1] * (a + b + c) + 4 * o->c[2] * (a * b + b * c + a * c) +
           8 * o->c[3] * a * b * c;
}

static const int waves[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3},
                               {1, 1, 1}, {3, 5, 2}, {6, 5, 4}, {5, 1, 4}};

static double distance(const laplacian *o, const int wave[3], const char *real)
{
    const double turn = 8 * atan(1);
    const double known = symbol(o, turn * wave[0] / 12, turn * wave[1] / 10,
                                turn * wave[2] / 8);
    return trial_end("grid x 12, y 10, z 8\nreal %s\nstencil s { %s }\n"
                     "let wave = cos(2*pi*(%d*x/nx + %d*y/ny + %d*z/nz))\n"
                     "field u = wave\nfield v\nv' = s(u)\nborder periodic\nsteps 1\n"
                     "measure e = max(abs(v - (%.17g)*wave))\n",
                     real, o->classes, wave[0], wave[1], wave[2], known);
}

TEST(operators_of_27_points_have_their_known_symbols)
{
    for (int k = 0; k < OPERATORS; k++)
        for (size_t w = 0; w < sizeof waves / sizeof *waves; w++) {
            CHECK_NEAR(distance(&operators[k], waves[w], "f64"), 0, 1e-13);
            CHECK_NEAR(distance(&operators[k], waves[w], "f32"), 0, 3e-6);
        }
}

static double consistency(const laplacian *o, int n)
{
    return trial_end("grid x %d, y %d, z %d\nstencil s { %s }\nparam q = 2*pi/nx\n"
                     "let wave = cos(q*(x + y - z))\n"
                     "field u = wave\nfield v\nv' = s(u)\nborder periodic\nsteps 1\n"
                     "measure e = norm(v/(3*q^2) - wave)/nx^1.5\n",
                     n, n, n, o->classes);
}

TEST(operators_of_27_points_are_minus_laplace_to_second_order)
{
    static const int n[3] = {12, 16, 20};
    for (int k = 0; k < OPERATORS; k++) {
        const laplacian *o = &operators[k];
        const double e[3] = {consistency(o, n[0]), consistency(o, n[1]),
                             consistency(o, n[2])};
        CHECK_NEAR(order_of(e, n), 2, 0.02);
    }
}

/* The same operator in four forms: a class table, a list of neighbours, a box, and an
 * expression. */
static const char *const forms[] = {
    "stencil s { centre 8/3; edge -1/6; corner -1/12 }\nv' = s(u)\n",
    "stencil s { box\n"
    "-1/12, -1/6, -1/12, -1/6, 0, -1/6, -1/12, -1/6, -1/12,\n"
    "-1/6, 0, -1/6, 0, 8/3, 0, -1/6, 0, -1/6,\n"
    "-1/12, -1/6, -1/12, -1/6, 0, -1/6, -1/12, -1/6, -1/12 }\nv' = s(u)\n",
    "let ring(w) = w[1,0,0] + w[-1,0,0] + w[0,1,0] + w[0,-1,0]\n"
    "let diagonals(w) = w[1,1,0] + w[-1,1,0] + w[1,-1,0] + w[-1,-1,0]\n"
    "let plane(w) = ring(w)/6 + diagonals(w)/12\n"
    "v' = 8/3*u - diagonals(u)/6 - plane(u[0,0,1]) - plane(u[0,0,-1])\n",
};

TEST(an_operator_is_the_same_however_it_is_written)
{
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        CHECK_NEAR(trial_end("grid x 11, y 9, z 7\nfield u = random(1)\nfield v\n%s"
                             "stencil fe { centre 8/3; edge -1/6; corner -1/12 }\n"
                             "border periodic\nsteps 1\n"
                             "measure e = max(abs(v - fe(u)))\n",
                             forms[k]),
                   0, 1e-14);
}

/* ---- the presets of the catalogue: a heat step u - 0.1*A(u) ------------------------ */

enum { NX = 9, NY = 8, NZ = 7, POINTS = NX * NY * NZ };

static double applied(const laplacian *o, const double *u, int at)
{
    double sum = 0;
    for (int k = -1; k <= 1; k++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++)
                sum += o->c[abs(i) + abs(j) + abs(k)] * u[at + i + NX * (j + NY * k)];
    return sum;
}

static double largest_difference(const laplacian *o, const double *before,
                                 const double *after)
{
    double largest = 0;
    for (int at = 0; at < POINTS; at++) {
        const int i = at % NX, j = at / NX % NY, k = at / NX / NY;
        const bool inside = i > 0 && i < NX - 1 && j > 0 && j < NY - 1 && k > 0 &&
                            k < NZ - 1;
        const double want = inside ? before[at] - 0.1 * applied(o, before, at) : 0;
        largest = fmax(largest, fabs(after[at] - want));
    }
    return largest;
}

static double preset_error(const char *word, const laplacian *o)
{
    trial t;
    int64_t count;
    trial_load(&t, word);
    double *before = trial_read(&t, "u", &count);
    REQUIRE(count == POINTS);
    trial_step(&t, 1);
    double *after = trial_read(&t, "u", &count);
    const double e = largest_difference(o, before, after);
    free(before);
    free(after);
    trial_close(&t);
    return e;
}

TEST(the_presets_of_the_catalogue_are_these_operators)
{
    CHECK_NEAR(preset_error("sym27:preset=fe@9x8x7", &operators[0]), 0, 1e-15);
    CHECK_NEAR(preset_error("sym27:preset=fd@9x8x7", &operators[2]), 0, 1e-15);
    CHECK_NEAR(preset_error("sym27:preset=fe@9x8x7/f32", &operators[0]), 0, 3e-7);
    CHECK(preset_error("sym27:preset=fe@9x8x7", &operators[2]) > 0.01);
}
