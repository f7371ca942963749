/* SPDX-License-Identifier: BSD-3-Clause */
/* pav_solve solves an equation in one call: with fields of the caller, with the same bits
 * on all devices, and with a sentence if it cannot. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "opened.h"

enum { N = 17, POINTS = N * N };
static const char square[] = "grid x 17 from 0 to 1, y 17 from 0 to 1\n";

typedef struct solved {
    double u[POINTS];
    pav_solve_result result;
    pav_status status;
} solved;

/* Solves with the caller's fields k and f; NULL: fields of the description. */
static solved solve_on(const char *device, const char *rest, const double *f,
                       const double *k)
{
    char text[600];
    solved s = {.status = PAV_OK};
    pav_device *there = NULL;
    const pav_run_options quiet = {.no_files = 1};
    const pav_solve_field given[] = {{"f", f, POINTS}, {"k", k, POINTS}};
    (void)snprintf(text, sizeof text, "%s%s", square, rest);
    pav_program *p = parse(text);
    s.status = pav_device_open(device, &there);
    if (s.status == PAV_OK)
        s.status = pav_solve(p, there, &quiet, f ? given : given + 1,
                             (f != NULL) + (k != NULL), s.u, POINTS, &s.result);
    pav_device_free(there);
    pav_program_free(p);
    return s;
}

static bool same_values(const solved *a, const solved *b)
{
    return a->status == PAV_OK && b->status == PAV_OK &&
           memcmp((const char *)a->u, (const char *)b->u, sizeof a->u) == 0;
}

/* Fills all points with a linear function of x and y. */
static void fill(double *values, double by_x, double by_y)
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            values[y * N + x] = 1 + by_x * x + by_y * y;
}

#define POISSON                                                                          \
    "field u; f = x - y^2\nsolve -laplace(u) = f by auto to 1e-9\nborder u = 0\n"
#define POROUS                                                                           \
    "solve -dx(k*dx(u, at +1/2), at -1/2) - dy(k*dy(u, at +1/2), at -1/2) = f "          \
    "by auto to 1e-9\nborder u = 0\n"

TEST(an_equation_is_solved_in_one_call)
{
    const solved s = solve_on("interpreter", POISSON, NULL, NULL);
    CHECK_STATUS(s.status, PAV_OK);
    CHECK(s.result.residual > 0 && s.result.residual <= 1e-9);
    CHECK(s.result.iterations >= 1 && s.result.iterations <= 2);
    CHECK(s.result.seconds >= s.result.setup_seconds);
    CHECK(s.u[POINTS / 2] != 0 && s.u[0] == 0);
}

/* Coefficients of coarse grids and the norm of the first residual must follow from the
 * caller's fields. Only the method `auto` is chosen from the description alone. */
TEST(fields_that_are_given_count_as_those_that_are_described)
{
    double f[POINTS], k[POINTS];
    fill(f, 0.25, 0);
    fill(k, 0, 0.5);
    const solved a = solve_on("interpreter", "field u; f = 0; k = 1\n" POROUS, f, k);
    const solved b = solve_on("interpreter", "field u; f = 1 + 4*x; k = 1 + 8*y\n" POROUS,
                              NULL, NULL);
    CHECK(a.status == PAV_OK && b.status == PAV_OK);
    CHECK(a.result.iterations <= b.result.iterations + 1);
    for (int n = 0; n < POINTS; n++)
        CHECK(fabs(a.u[n] - b.u[n]) < 1e-8);
}

TEST(a_solution_has_the_same_bits_on_a_gpu)
{
    double f[POINTS], k[POINTS];
    pav_device *there = NULL;
    if (test_loses_stacks())
        return;
    const bool any = pav_device_open("emulated", &there) == PAV_OK;
    pav_device_free(there);
    if (!any) {
        test_skip("the emulated GPU", pav_message());
        return;
    }
    fill(f, 0.25, 0.125);
    fill(k, 2, 0.5);
    const solved a = solve_on("interpreter", "field u; f = 0; k = 1\n" POROUS, f, k);
    const solved b = solve_on("emulated", "field u; f = 0; k = 1\n" POROUS, f, k);
    CHECK(same_values(&a, &b));
}

TEST(what_a_method_has_come_to_is_read_where_it_does_not_converge)
{
    const solved s = solve_on("interpreter",
                              "field u; f = x\nsolve -laplace(u) = f by jacobi to 1e-9\n"
                              "border u = 0\nsteps 10\n",
                              NULL, NULL);
    CHECK_STATUS(s.status, PAV_ECONVERGE);
    CHECK(message_has("after all 10 steps") && message_has("take more"));
    CHECK(s.u[POINTS / 2] != 0);
    CHECK(s.result.iterations == 10 && s.result.residual > 0.1);
}

TEST(a_solution_that_cannot_be_is_refused_with_a_cause)
{
    double f[POINTS];
    fill(f, 1, 0);
    CHECK_STATUS(solve_on("interpreter",
                          "field u; f = 0\nsolve -laplace(u) = f by auto to 1e-9\n"
                          "border neumann u\n",
                          f, NULL)
                     .status,
                 PAV_ECONVERGE);
    CHECK(message_has("subtract its mean"));
    CHECK_STATUS(solve_on("interpreter",
                          "field u; f = 0\nsolve -laplace(u) - 900*u = f by cg to 1e-9\n"
                          "border u = 0\n",
                          f, NULL)
                     .status,
                 PAV_ECONVERGE);
    CHECK(message_has("symmetric and positive"));
    f[20] = NAN;
    CHECK_STATUS(solve_on("interpreter", POISSON, f, NULL).status, PAV_ENOTFINITE);
    CHECK(message_has("field f is not finite at point (3, 1)"));
    f[20] = 1e200;
    CHECK_STATUS(solve_on("interpreter", POISSON, f, NULL).status, PAV_ENOTFINITE);
    CHECK(message_has("its square is not finite"));
}

/* The mean of the right side is lost beside weights that are 1e16 times as large. */
TEST(weights_that_almost_add_up_to_0_are_told)
{
    opened o = open_text("grid x 33 from 0 to 1, y 33 from 0 to 1\nfield u = x\n"
                         "param dt = 1e12\nsolve u' - dt*laplace(u') = u for u by auto "
                         "to 1e-8\nborder neumann\nsteps 2\n",
                         &(pav_run_options){.no_files = 1});
    CHECK_STATUS(pav_run_finish(o.run), PAV_ECONVERGE);
    CHECK(message_has("its weights add up to 1.2e-16 of their sizes, which counts as 0"));
    CHECK(message_has("or take a smaller step"));
    close_opened(&o);
}

TEST(what_is_no_equation_or_no_field_is_refused)
{
    const double k[POINTS] = {0};
    CHECK_STATUS(
        solve_on("interpreter", "field u = x\nu' = u\nsteps 3\n", NULL, NULL).status,
        PAV_EINVAL);
    CHECK(message_has("here is none"));
    CHECK_STATUS(solve_on("interpreter",
                          "field u = x\nsolve u' - laplace(u')/99 = u by auto to 1e-9\n"
                          "border u = 0\nsteps 3\n",
                          NULL, NULL)
                     .status,
                 PAV_EINVAL);
    CHECK(message_has("pav_run_steps"));
    CHECK_STATUS(solve_on("interpreter", POISSON, NULL, k).status, PAV_EINVAL);
    CHECK(message_has("no field"));
}

/* ---- the estimated time ------------------------------------------------------------ */

enum { MOST_REPORTS = 4000 };

typedef struct forecasts {
    int count;
    double step[MOST_REPORTS], left[MOST_REPORTS]; /* both in steps */
} forecasts;

static int note_forecast(void *user, pav_event event, const pav_progress *progress,
                         const char *text)
{
    forecasts *f = user;
    (void)text;
    if (event != PAV_EVENT_PROGRESS || progress->seconds_left < 0 ||
        f->count == MOST_REPORTS)
        return 0;
    f->step[f->count] = (double)progress->step;
    f->left[f->count++] = progress->seconds > 0
                              ? progress->seconds_left / progress->seconds *
                                    (double)progress->step
                              : 0;
    return 0;
}

/* 200 cycles and 1,000,000 relaxations are limits far beyond the needs of any solve, so a
 * forecast by these limits would be far too long. */
TEST(the_time_left_follows_the_residual)
{
    static const char *const methods[] = {"multigrid", "cg", "jacobi", "sor"};
    static forecasts f;
    for (int k = 0; k < 4; k++) {
        char text[300];
        f.count = 0;
        (void)snprintf(text, sizeof text,
                       "grid x 17 from 0 to 1, y 17 from 0 to 1\nfield u; f = x - y^2\n"
                       "solve -laplace(u) = f by %s to 1e-8\nborder u = 0\n",
                       methods[k]);
        opened o = open_text(text, &(pav_run_options){.listener = note_forecast,
                                                      .user = &f,
                                                      .report_seconds = 1e-9,
                                                      .no_files = 1});
        REQUIRE_OK(pav_run_finish(o.run));
        const double all = (double)pav_run_step(o.run);
        REQUIRE(f.count > 2);
        for (int n = 0; n < f.count; n++)
            CHECK(f.left[n] <=
                  (f.step[n] < all / 2 ? 40 * all : 2 * (all - f.step[n]) + 25));
        close_opened(&o);
    }
}

TEST(values_written_between_steps_keep_the_bits_of_a_solver)
{
    double u[2][POINTS];
    for (int writes = 0; writes < 2; writes++) {
        opened o = open_text("real f64\ngrid x 17 from 0 to 1, y 17 from 0 to 1\n"
                             "field u; f = x - y^2\nsolve -laplace(u) = f by cg to 1e-9\n"
                             "border u = 0\n",
                             NULL);
        for (int step = 0; step < 8; step++) {
            REQUIRE_OK(pav_run_steps(o.run, 1));
            REQUIRE_OK(pav_field_read(o.run, "u", 0, PAV_F64, u[writes], POINTS));
            if (writes)
                REQUIRE_OK(pav_field_write(o.run, "u", 0, PAV_F64, u[writes], POINTS));
        }
        close_opened(&o);
    }
    CHECK(memcmp(u[0], u[1], sizeof u[0]) == 0);
}
