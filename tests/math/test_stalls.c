/* SPDX-License-Identifier: BSD-3-Clause */
/* Equations that made solvers stall: coefficients with jumps, insulated walls,
 * convection. Each row holds the problem, the method of `auto`, and a limit of its steps.
 * The residual of the solution is computed by a description of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

#define PLANE(n) "grid x " n " from 0 to 1, y " n " from 0 to 1\n"
#define SPACE(n) "grid x " n " from 0 to 1, y " n " from 0 to 1, z " n " from 0 to 1\n"
#define CELLS                                                                            \
    "let i = floor(x/hx + 1/2); j = floor(y/hy + 1/2)\n"                                 \
    "let rest(a, m) = a - m*floor(a/m)\nlet mean(a, b) = 2*a*b/(a + b)\n"
#define FLUX3                                                                            \
    "border neumann k\n"                                                                 \
    "let L(w) = -dx(mean(k, k[1,0,0])*dx(w, at +1/2), at -1/2)"                          \
    " - dy(mean(k, k[0,1,0])*dy(w, at +1/2), at -1/2)"                                   \
    " - dz(mean(k, k[0,0,1])*dz(w, at +1/2), at -1/2)\n"
#define DISC "field k = where((x - 0.4)^2 + (y - 0.55)^2 < 0.07, 1e4, 1)\n"
#define DIV2                                                                             \
    "border neumann k\nlet L(w) = -dx((k + k[1,0])/2*dx(w, at +1/2), at -1/2)"           \
    " - dy((k + k[0,1])/2*dy(w, at +1/2), at -1/2)\n"
#define ZERO "border u = 0\nborder neumann v\n"
#define WIND "field a = sin(pi*y); b = -cos(pi*x)\n"

typedef struct problem {
    const char *name, *method, *grid, *operator, * border;
    int most; /* steps */
} problem;

static const problem problems[] = {
    {"cubes of 5 points", "cg", SPACE("33"),
     CELLS "let l = floor(z/hz + 1/2)\n"
           "field k = where(rest(floor(i/5) + floor(j/5) + floor(l/5), 2) == 1, 1e4, "
           "1)\n" FLUX3,
     ZERO, 29},
    {"channels of a point", "cg", SPACE("33"),
     CELLS "let l = floor(z/hz + 1/2)\n"
           "field k = where(rest(j, 7) == 3 and rest(l, 7) == 3, 1e4, 1)\n" FLUX3,
     ZERO, 17},
    {"channels of two points", "cg", SPACE("33"),
     CELLS "let l = floor(z/hz + 1/2)\n"
           "field k = where(floor(rest(j, 7)/2) == 1 and floor(rest(l, 7)/2) == 1, 1e4, "
           "1)\n" FLUX3,
     ZERO, 15},
    {"fibres of a point", "cg", SPACE("33"),
     CELLS "let l = floor(z/hz + 1/2)\n"
           "field k = where((rest(j, 7) == 3 and rest(l, 7) == 3)"
           " or (rest(i, 7) == 3 and rest(l, 7) == 5), 1e4, 1)\n" FLUX3,
     ZERO, 19},
    {"a disc between mirrors", "cg", PLANE("65"), DISC DIV2, "border mirror u, v\n", 10},
    {"the same with even extents", "cg", PLANE("64"), DISC DIV2, "border mirror u, v\n",
     10},
    {"the same with clamp", "cg", PLANE("63"), DISC DIV2, "border clamp u, v\n", 10},
    {"mirrors and a given value", "cg", PLANE("64"), DISC DIV2,
     "border mirror u, v\nborder u = 0 at x-\n", 10},
    {"mirrors and an insulated wall on points", "cg", PLANE("64"), DISC DIV2,
     "border mirror u, v\nborder neumann u, v at y+\n", 10},
    {"a reaction between mirrors", "cg", PLANE("50"),
     DISC "border neumann k\n"
          "let L(w) = 9*w - dx((k + k[1,0])/2*dx(w, at +1/2), at -1/2)"
          " - dy((k + k[0,1])/2*dy(w, at +1/2), at -1/2)\n",
     "border mirror u, v\n", 11},
    {"a strip beside mirrors and a value between points", "cg", PLANE("64"),
     "field k = where(y > 0.97 and x > 0.3, 1e4, 1)\n" DIV2,
     "border mirror u, v\nborder antimirror u, v at x-\n", 11},
    {"a corner beside values between points", "cg", PLANE("65"),
     "field k = where((x - 1)^2 + (y - 1)^2 < 0.1, 1e4, 1)\n" DIV2,
     "border antimirror u, v\n", 10},
    {"squares beside insulated walls on points", "cg", PLANE("64"),
     CELLS "field k = where(rest(floor(i/5) + floor(j/5), 2) == 1, 1e4, 1)\n"
           "border neumann k\nlet L(w) = -dx(mean(k, k[1,0])*dx(w, at +1/2), at -1/2)"
           " - dy(mean(k, k[0,1])*dy(w, at +1/2), at -1/2)\n",
     "border neumann u, v\n", 27},
    {"a mixed derivative, 1 to 100", "cg", PLANE("129"),
     "let L(w) = -50.5*(dxx(w) + dyy(w)) - 99*dxy(w)\n", ZERO, 16},
    {"the same at 20 degrees", "cg", PLANE("65"),
     "let L(w) = -0.884*dxx(w) - 0.126*dyy(w) + 0.636*dxy(w)\n", ZERO, 22},
    {"a mixed derivative beside mirrors", "gmres", PLANE("65"),
     "let L(w) = -50.5*(dxx(w) + dyy(w)) - 99*dxy(w)\n",
     "border mirror u, v\nborder u = 0 at x-\n", 24},
    {"a mixed derivative in space", "cg", SPACE("33"),
     "let L(w) = -10*(dxx(w) + dyy(w)) - 19*dxy(w) - 5*dzz(w)\n", ZERO, 14},
    {"against the wind", "multigrid", PLANE("65"),
     WIND "let L(w) = -0.1*laplace(w)"
          " + where(a > 0, a*(w - w[-1,0])/hx, a*(w[1,0] - w)/hx)"
          " + where(b > 0, b*(w - w[0,-1])/hy, b*(w[0,1] - w)/hy)\n",
     ZERO, 9},
    {"a wind of fields", "multigrid", PLANE("129"),
     WIND "let L(w) = -0.01*laplace(w) + a*dx(w) + b*dy(w)\n", ZERO, 11},
    {"a strong wind of fields", "gmres", PLANE("65"),
     WIND "let L(w) = -0.004*laplace(w) + a*dx(w) + b*dy(w)\n", ZERO, 36},
    {"axisymmetric", "transform", "grid x 65 from 1/10 to 1, y 65 from 0 to 1\n",
     "let L(w) = -dxx(w) - dx(w)/x - dyy(w)\n", ZERO, 2},
    {"axisymmetric, with a drift", "multigrid",
     "grid x 65 from 1/10 to 1, y 65 from 0 to 1\n",
     "let L(w) = -dxx(w) - dx(w)/x - dyy(w) + dy(w)/9\n", ZERO, 10},
    {"cells that convect", "multigrid", PLANE("129"),
     "let L(w) = -0.02*laplace(w) + dx(w) + dy(w)/2\n", ZERO, 8},
    {"cells that convect twice their diffusion", "gmres", PLANE("129"),
     "let L(w) = -0.002*laplace(w) + dx(w) + dy(w)/2\n", ZERO, 36},
    {"convection between insulated walls", "multigrid", PLANE("65"),
     "let L(w) = -laplace(w) + 5*dx(w) + 2*dy(w)\n", "border neumann u, v\n", 7},
    {"the same between mirrors", "multigrid", PLANE("32"),
     "let L(w) = -laplace(w) + 5*dx(w) + 2*dy(w)\n", "border mirror u, v\n", 11},
    {"a wind of fields between insulated walls", "multigrid", PLANE("33"),
     WIND "let L(w) = -0.1*laplace(w) + a*dx(w) + b*dy(w)\n", "border neumann u, v\n", 9},
    {"a mixed derivative between mirrors", "gmres", PLANE("33"),
     "let L(w) = -50.5*(dxx(w) + dyy(w)) - 99*dxy(w)\n", "border mirror u, v\n", 19},
    {"waves of a third of the width", "transform", PLANE("65"),
     "let L(w) = -laplace(w) - 20^2*w\n", ZERO, 2},
    {"short waves", "transform", PLANE("65"), "let L(w) = -laplace(w) - 38^2*w\n", ZERO,
     2},
    {"waves that a mixed derivative turns", "minres", PLANE("65"),
     "let L(w) = -laplace(w) - dxy(w)/9 - 20^2*w\n", ZERO, 180},
};

static void check_method(const trial *t, const char *method)
{
    char *text = NULL, wanted[60];

    (void)snprintf(wanted, sizeof wanted, "# u by %s: ", method);
    REQUIRE_OK(pav_program_solver(t->program, &text));
    CHECK(strncmp(text, wanted, strlen(wanted)) == 0);
    pav_text_free(text);
}

/* The norm of the residual at the points that a step of `u' = u + 1` changes. */
static double residual_of(const problem *p, const double *u, int64_t count)
{
    trial t;
    double sum = 0;
    int64_t points = 0;

    trial_interpret(&t,
                    "%sfield u; r; v = random(1)\n%slet f = L(v)\nr' = f - L(u)\n"
                    "u' = u + 1\n%ssteps 1\n",
                    p->grid, p->operator, p->border);
    REQUIRE_OK(pav_field_write(t.run, "u", 0, PAV_F64, u, count));
    trial_step(&t, 1);
    double *r = trial_read(&t, "r", &points), *after = trial_read(&t, "u", &points);
    for (int64_t k = 0; k < points; k++)
        sum += after[k] > u[k] + 0.5 ? r[k] * r[k] : 0;
    free(r);
    free(after);
    trial_close(&t);
    return sqrt(sum);
}

TEST(auto_solves_what_stalled_before)
{
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        const problem *p = &problems[k];
        trial t;
        double first = 0;
        int64_t count = 0;
        trial_interpret(&t,
                        "%sfield u; v = random(1)\n%slet f = L(v)\n"
                        "solve L(u) = f for u by auto to 1e-8\n%s",
                        p->grid, p->operator, p->border);
        check_method(&t, p->method);
        REQUIRE_OK(pav_run_finish(t.run));
        const int64_t steps = pav_run_residuals(t.run, &first, 1) - 1;
        double *u = trial_read(&t, "u", &count);
        const double share = residual_of(p, u, count) / first;
        free(u);
        trial_close(&t);
        if (steps > p->most || share > 1e-7)
            printf("%s: %d steps, %g\n", p->name, (int)steps, share);
        CHECK(steps <= p->most);
        CHECK(share <= 1e-7);
    }
}

/* The right side 1 is no image of the operator: constants are in its null space. */
TEST(a_right_side_without_a_solution_is_refused_for_operators_without_symmetry)
{
    static const char *const methods[] = {"auto", "gmres", "bicgstab"};

    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        trial t;
        trial_interpret(&t,
                        PLANE("17") "field u = x\n"
                                    "solve -laplace(u) + 5*dx(u) = 1 + x for u by %s to "
                                    "1e-8\nborder neumann u\n",
                        methods[k]);
        CHECK(pav_run_finish(t.run) == PAV_ECONVERGE);
        CHECK(strstr(pav_message(), "weighted by the left null vector, sums to 0"));
        trial_close(&t);
    }
}

/* BiCGSTAB, the only choice for an odd periodic extent, diverges. */
TEST(auto_goes_on_by_plain_gmres)
{
    static const char *const methods[] = {"auto", "gmres", "bicgstab"};

    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        trial t;
        trial_interpret(&t,
                        PLANE("65") "field u; v = random(1)\n"
                                    "let L(w) = w + 0.2*dx(w) + 0.1*dy(w)\nlet f = L(v)\n"
                                    "solve L(u) = f for u by %s to 1e-8\n"
                                    "border periodic u, v\n",
                        methods[k]);
        CHECK(pav_run_finish(t.run) == (k < 2 ? PAV_OK : PAV_ECONVERGE));
        trial_close(&t);
    }
}

/* The way out is a method for operators without symmetry, not minres. */
TEST(cg_that_diverges_without_symmetry_names_the_cause)
{
    trial t;
    trial_interpret(&t,
                    PLANE("65") "field u; f = random(1) - 1/2; a = sin(pi*y)\n"
                                "solve -0.01*laplace(u) + a*dx(u) = f by %s to 1e-8\n"
                                "border u = 0\n",
                    "cg");
    CHECK(pav_run_finish(t.run) == PAV_ECONVERGE);
    CHECK(strstr(pav_message(), "cg diverges") != NULL);
    CHECK(strstr(pav_message(), "not symmetric: take multigrid or bicgstab") != NULL);
    CHECK(strstr(pav_message(), "minres") == NULL);
    trial_close(&t);
}

/* The second method gets the given right side, so the solution doubles with it. */
TEST(the_second_method_of_auto_solves_for_the_given_fields)
{
    enum { N = 33 };
    static const char text[] = PLANE(
        "33") "field u; f = 1; k = where(random(7) > 1/2, 1e4, 1)\n" CELLS
              "border neumann k\n"
              "solve -dx(mean(k, k[1,0])*dx(u, at +1/2), at -1/2)"
              " - dy(mean(k, k[0,1])*dy(u, at +1/2), at -1/2) = f for u by auto to "
              "1e-8\nborder u = 0\n";
    static double f[N * N], once[N * N], twice[N * N];
    const pav_solve_field given = {.name = "f", .values = f, .count = N * N};
    pav_solve_result result;
    trial t = {0};

    for (int k = 0; k < N * N; k++)
        f[k] = 2;
    REQUIRE_OK(pav_device_open("interpreter", &t.device));
    REQUIRE_OK(pav_program_parse(text, strlen(text), NULL, &t.program));
    REQUIRE_OK(pav_solve(t.program, t.device, NULL, NULL, 0, once, N * N, &result));
    CHECK(result.iterations > 500);
    REQUIRE_OK(pav_solve(t.program, t.device, NULL, &given, 1, twice, N * N, &result));
    CHECK(result.residual <= 1e-8);
    for (int k = 0; k < N * N; k++)
        REQUIRE(fabs(twice[k] - 2 * once[k]) <= 1e-5 * fabs(once[N * N / 2]));
    CHECK(once[N * N / 2] > 1e-3);
    trial_close(&t);
}
