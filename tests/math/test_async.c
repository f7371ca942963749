/* SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous relaxation: each block reads neighbour values of exactly the age of its
 * variant, and all variants converge to the solution of the other methods. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

enum { NX = 11, NY = 10, POINTS = NX * NY, ALPHA = 3, BLOCK = 4, STEPS = 19 };
static const double weight = 0.9;

/* The source step of the neighbour values read in step s. */
static int seen_in(int variant, int s)
{
    const int phase = s % (variant == 3 ? 2 * (ALPHA + 1) : ALPHA + 1);
    const int start = s - phase;
    switch (variant) {
    case 0: return phase ? s - 1 : s;
    case 1: return phase > 1 ? s - 2 : start;
    case 2: return start;
    default: return phase < 4 ? start : start + 2 * (phase / 2 - 1);
    }
}

static double neighbour(const double *own, const double *seen, int x, int y, int dx,
                        int dy)
{
    const bool inside = (x + dx) / BLOCK == x / BLOCK && (y + dy) / BLOCK == y / BLOCK;
    return (inside ? own : seen)[x + dx + NX * (y + dy)];
}

static double relaxed(const double *own, const double *seen, const double *f, int x,
                      int y)
{
    const double sum = neighbour(own, seen, x, y, -1, 0) +
                       neighbour(own, seen, x, y, 1, 0) +
                       neighbour(own, seen, x, y, 0, -1) +
                       neighbour(own, seen, x, y, 0, 1);
    const double u = own[x + NX * y];
    return u + weight / 4 * (f[x + NX * y] + sum - 4 * u);
}

/* All steps of the relaxation of -laplace(u) = f from u = 0, with u = 0 at all faces. */
static void simulate(int variant, const double *f, double u[STEPS + 1][POINTS])
{
    memset(u, 0, (STEPS + 1) * sizeof *u);
    for (int s = 0; s < STEPS; s++)
        for (int y = 1; y < NY - 1; y++)
            for (int x = 1; x < NX - 1; x++) {
                const bool now = variant < 3 || (x + y) % 2 == s % 2;
                u[s + 1][x + NX * y] = now ? relaxed(u[s], u[seen_in(variant, s)], f, x,
                                                     y)
                                           : u[s][x + NX * y];
            }
}

TEST(blocks_see_each_other_as_old_as_the_variant_says)
{
    static double expected[STEPS + 1][POINTS];
    for (int variant = 0; variant < 4; variant++) {
        trial t;
        int64_t count = 0;
        trial_interpret(&t,
                        "grid x %d, y %d\nfield u; f = random(1)\n"
                        "solve -laplace(u) = f by async-%d(alpha = %d, block = %d, "
                        "weight = %g) to 1e-9\nborder u = 0\n",
                        NX, NY, variant, ALPHA, BLOCK, weight);
        double *f = trial_read(&t, "f", &count);
        simulate(variant, f, expected);
        trial_step(&t, STEPS);
        double *u = trial_read(&t, "u", &count);
        for (int k = 0; k < POINTS; k++)
            CHECK_NEAR(u[k], expected[STEPS][k], 1e-13);
        free(f);
        free(u);
        trial_close(&t);
    }
}

static const char *const methods[] = {
    "async-0(block = 4)",
    "async-1(block = 5, alpha = 2)",
    "async-2(block = 4, alpha = 9)",
    "async-3(block = 3)",
};

TEST(every_variant_solves_equations_of_every_kind)
{
    static const char *const problem[][2] = {
        {"-laplace(u) = 2", "grid x 17 from 0 to 1, y 13 from 0 to 1\nfield u\n"
                            "let e = x^2 + x*y - 2*y^2 + 3*x\nborder u = e\n"},
        {"-laplace(u) = 2", "grid x 17 from 1 to 2, y 13 from -1 to 0\nfield u\n"
                            "let e = x^2 + x*y - 2*y^2 + 3*x\nborder u = e\n"
                            "border neumann u = x - 4*y at y+\n"},
        {"u - laplace(u) = 1", "grid x 12, y 10\nfield u\nlet e = 1\nborder periodic\n"},
        {"-laplace(u) = 0", "grid x 8 from 0 to 1, y 7 from 0 to 1, z 9 from 0 to 1\n"
                            "field u\nlet e = x*y + y*z - x^2 + z^2\nborder u = e\n"},
        {"-dx((1 + x)*dx(u, at +1/2), at -1/2) = 0 - 1",
         "grid x 15 from 0 to 1\nfield u\nlet e = x\nborder u = e\n"},
    };
    for (size_t k = 0; k < sizeof problem / sizeof *problem; k++)
        for (int variant = 0; variant < 4; variant++) {
            trial t;
            trial_interpret(&t,
                            "%ssolve %s for u by %s to 1e-11\n"
                            "measure e1 = max(abs(u - e))\n",
                            problem[k][1], problem[k][0], methods[variant]);
            REQUIRE_OK(pav_run_finish(t.run));
            CHECK_EQ(pav_run_until(t.run), 1);
            CHECK_NEAR(trial_get(&t, "e1"), 0, 1e-8);
            trial_close(&t);
        }
}

TEST(one_block_is_the_synchronous_method)
{
    double error[2];
    static const char *const by[] = {"jacobi(every = 1)",
                                     "async-2(every = 1, block = 99)"};
    int64_t steps[2];
    for (int k = 0; k < 2; k++) {
        trial t;
        trial_interpret(&t,
                        "grid x 17, y 9\nfield u; f = random(2)\n"
                        "solve -laplace(u) = f by %s to 1e-6\nborder u = 0\n"
                        "measure e1 = sum(u)\n",
                        by[k]);
        REQUIRE_OK(pav_run_finish(t.run));
        steps[k] = pav_run_step(t.run);
        error[k] = trial_get(&t, "e1");
        trial_close(&t);
    }
    CHECK_EQ(steps[0], steps[1]);
    CHECK(error[0] == error[1]);
}

TEST(values_seen_later_cost_relaxations)
{
    int64_t steps[2];
    static const char *const alpha[] = {"2", "20"};
    for (int k = 0; k < 2; k++) {
        trial t;
        trial_interpret(
            &t,
            "grid x 33, y 33\nfield u; f = random(2)\n"
            "solve -laplace(u) = f by async-2(alpha = %s, block = 8) to 1e-4\n"
            "border u = 0\n",
            alpha[k]);
        REQUIRE_OK(pav_run_finish(t.run));
        steps[k] = pav_run_step(t.run);
        trial_close(&t);
    }
    CHECK(5 * steps[0] < 4 * steps[1]);
}

TEST(an_equation_of_the_step_begins_with_the_newest)
{
    trial t;
    trial_interpret(&t, "grid x 17 from 0 to 1, y 17 from 0 to 1\nparam dt = 10*h^2\n"
                        "field u = sin(pi*x)*sin(pi*y)\n"
                        "solve u' - dt*laplace(u') = u by async-2(block = 5) to 1e-11\n"
                        "border u = 0\nsteps 5\n"
                        "let factor = 1/(1 + 8*dt*sin(pi*h/2)^2/h^2)\n"
                        "measure e = max(abs(u - factor^step*sin(pi*x)*sin(pi*y)))\n");
    REQUIRE_OK(pav_run_finish(t.run));
    CHECK_NEAR(trial_get(&t, "e"), 0, 1e-9);
    trial_close(&t);
}

TEST(all_devices_have_the_same_bits)
{
    for (int variant = 0; variant < 4; variant++) {
        char source[300], *text = NULL;
        pav_program *p = NULL;
        pav_device *device = NULL;
        const pav_run_options options = {.no_files = 1};
        snprintf(source, sizeof source,
                 "grid x 21, y 11\nreal f32\nfield u = random(1); f = random(2)\n"
                 "solve -laplace(u) = f by async-%d(block = 4, alpha = 2) to 1e-3\n"
                 "border u = 0\nborder periodic u at y-, y+\n",
                 variant);
        REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
        REQUIRE_OK(pav_device_open("emulated", &device));
        REQUIRE_OK(pav_run_verify(p, device, &options, 9, &text));
        pav_text_free(text);
        pav_device_free(device);
        pav_program_free(p);
    }
}

TEST(points_that_couple_diagonally_are_not_relaxed_in_place)
{
    pav_program *p = NULL;
    char *text = NULL;
    static const char source[] = "grid x 9, y 9\nfield u; f = 1\n"
                                 "stencil nine { centre 20/6; face -4/6; edge -1/6 }\n"
                                 "solve nine(u) = f by async-3 to 1e-6\nborder u = 0\n";
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    CHECK_STATUS(pav_program_solver(p, &text), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "red and black points do not part") != NULL);
    pav_text_free(text);
    pav_program_free(p);
}
