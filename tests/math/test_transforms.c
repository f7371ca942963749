/* SPDX-License-Identifier: BSD-3-Clause */
/* Direct solutions by transforms: discrete equations are solved up to roundings, for all
 * pairs of borders and operators of several kinds; other equations are refused. */
#include <stdio.h>
#include <string.h>

#include "trial.h"

/* The steps to a residual of 1e-11 of the start's. A wrong wave needs hundreds. */
static double steps_to_solve(const char *grid, const char *operation, const char *borders)
{
    trial t;

    trial_interpret(&t,
                    "grid %s\nfield u; f = random(3) - 1/2\nmeasure n = step\n"
                    "solve %s = f by transform to 1e-11\n%s",
                    grid, operation, borders);
    REQUIRE_OK(pav_run_finish(t.run));
    const double steps = trial_get(&t, "n");
    trial_close(&t);
    return steps;
}

static const char *const faces[] = {"u = 1/3 at",  "u = 1/4 beyond",  "neumann u at",
                                    "mirror u at", "antimirror u at", "odd u at",
                                    "clamp u at"};
enum { FACES = sizeof faces / sizeof *faces };

TEST(waves_fit_all_pairs_of_borders)
{
    static const int extent[] = {3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 18, 30, 33};
    char grid[80], borders[200];

    for (int a = 0; a < FACES; a++)
        for (int b = 0; b < FACES; b++) {
            snprintf(grid, sizeof grid, "x %d, y 6, z 5 spacing 1/7",
                     extent[(a + FACES * b) % 13]);
            snprintf(borders, sizeof borders,
                     "border %s x-\nborder %s x+\nborder periodic u at y-, y+\n"
                     "border %s z-\nborder %s z+\n",
                     faces[a], faces[b], faces[b], faces[a]);
            CHECK(steps_to_solve(grid, "u - dxx(u) - 2*dyy(u) - 3*dzz(u)", borders) <= 2);
        }
}

TEST(eigenvalues_follow_from_the_weights)
{
    static const char *const row[][3] = {
        {"x 20 from 0 to 1, y 21 from 0 to 1", "-laplace(u, order 4)",
         "border odd u at x-, x+\nborder mirror u at y-\nborder antimirror u at y+\n"},
        {"x 20 from 0 to 1, y 12 from 0 to 1", "u - laplace(u, order 6)",
         "border odd u at x-\nborder neumann u at x+\nborder periodic u at y-, y+\n"},
        {"x 20, y 20 spacing 1/19",
         "20*u - 4*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1]) - u[1,1] - u[1,-1] - u[-1,1] - "
         "u[-1,-1]",
         "border u = 0 at x-, x+\nborder u = 1 beyond y-\nborder mirror u at y+\n"},
        {"x 9, y 10, z 11 spacing 1/9",
         "26*u - u[1,1,1] - u[1,1,-1] - u[1,-1,1] - u[1,-1,-1] - u[-1,1,1] - u[-1,1,-1] "
         "- u[-1,-1,1] - u[-1,-1,-1] - 3*(u[0,0,1] + u[0,0,-1])",
         "border u = 0\n"},
        {"x 20 from 0 to 1, y 33 from 0 to 1 at (y + y^2)/2", "-laplace(u)",
         "border mirror u at x-\nborder u = 0\nborder neumann u at y-\n"},
        {"x 20 from 0 to 1, y 33 from 0 to 1",
         "-(1 + y^2)*dxx(u) - dy((1 + y^2)*dy(u, at +1/2), at -1/2)", "border u = 0\n"},
        {"x 20 from 0 to 1, y 33 from 0 to 1",
         "-dx((1 + x)*dx(u, at +1/2), at -1/2) - dy((1 + x)*dy(u, at +1/2), at -1/2)",
         "border u = 0\n"},
        {"x 20 from 0 to 1, y 33 from 0 to 1",
         "-dx((1 + x)*dx(u, at +1/2), at -1/2) - x*dyy(u)",
         "border periodic u at y-, y+\nborder mirror u at x-\nborder u = 1 at x+\n"},
        {"x 1031 from 0 to 1", "u - dxx(u)", "border periodic u\n"},
        {"x 300 from 0 to 1", "-dxx(u)", "border u = 2 at x-\nborder mirror u at x+\n"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        CHECK(steps_to_solve(row[k][0], row[k][1], row[k][2]) <= 2);
}

TEST(without_given_values_the_mean_stays)
{
    static const char *const borders[] = {
        "periodic u", "mirror u", "periodic u at x-, x+\nborder mirror u at y-, y+",
        "mirror u at x-, x+\nborder periodic u at y-, y+"};
    for (size_t k = 0; k < sizeof borders / sizeof *borders; k++)
        CHECK_NEAR(
            trial_end("grid x 20, y 12 spacing 1/20\nfield u = 3 + x; v = random(1)\n"
                      "field f\nparam mean = sum(u)/240\n"
                      "measure e = abs(sum(u)/240 - mean)\n"
                      "solve -laplace(u) = cos(2*pi*(x + h/2))*cos(pi*(y + h/2)/0.3) "
                      "for u by transform to 1e-10\nborder %s\n",
                      borders[k]),
            0, 1e-11);
}

TEST(an_equation_in_each_step_is_solved_by_transforms)
{
    CHECK_NEAR(trial_end("grid x 33 from 0 to 1, y 33 from 0 to 1\nscalar c = 10*h^2\n"
                         "param k = 8*sin(pi*h/2)^2/h^2\nscalar q = 1\nq' = q/(1 + c*k)\n"
                         "c' = c/2\nfield u = sin(pi*x)*sin(pi*y)\n"
                         "solve u' - c*laplace(u') = u by transform to 1e-12\n"
                         "border u = 0\nsteps 5\n"
                         "measure e = max(abs(u - q*sin(pi*x)*sin(pi*y)))\n"),
               0, 1e-12);
}

static void check_refused_by(const char *method, const char *operation, const char *rest,
                             const char *why)
{
    char text[500];
    pav_program *program = NULL;
    pav_run *opened = NULL;
    pav_device *device = NULL;

    snprintf(text, sizeof text,
             "grid x 17 from 0 to 1, y 9 from 0 to 1\nfield u; k = x\n"
             "solve %s = 1 for u by %s to 1e-9\n%s",
             operation, method, rest);
    REQUIRE_OK(pav_device_open("interpreter", &device));
    REQUIRE_OK(pav_program_parse(text, strlen(text), NULL, &program));
    CHECK(pav_run_open(program, device, NULL, &opened) == PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), why) != NULL);
    pav_run_free(opened);
    pav_program_free(program);
    pav_device_free(device);
}

TEST(what_waves_do_not_fit_is_refused_with_its_cause)
{
    static const char *const row[][3] = {
        {"-(1 + x + y)*dxx(u) - dyy(u)", "border u = 0\n", "vary along x and y"},
        {"u - k*dxx(u) - dyy(u)", "border u = 0\n", "along all axes, by fields"},
        {"dx(u) - laplace(u)", "border u = 0\n", "not the same on both sides along x"},
        {"dy(u) - laplace(u)", "border neumann u\n", "no face gives a value, and its"},
        {"-laplace(u) - (4/hx^2 + 4/hy^2)*sin(pi/8)^2*u",
         "border neumann u at x-, x+\nborder odd u at y-, y+\n",
         "it turns a wave into 0"},
        {"-laplace(u)", "border u = 0\nmask u = x > 1/3\n", "do not fit a mask"},
        {"-laplace(u, order 4)", "border u = 0\n", "take border odd or antimirror"},
        {"-laplace(u, order 4)", "border clamp u at x-, x+\nborder odd u at y-, y+\n",
         "take border mirror"},
        {"-(2 + sin(x))*dxx(u) - dyy(u)",
         "border periodic u at x-, x+\nborder u = 0 at y-, y+\n",
         "vary along x, and this axis is periodic"},
        {"-laplace(u)", "border u = 0\nlet transform = 2\n", "rename it"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        check_refused_by("transform", row[k][0], row[k][1], row[k][2]);
}

TEST(a_preconditioner_without_waves_is_refused_with_its_cause)
{
    static const char *const row[][3] = {
        {"-laplace(u)", "border neumann u\nmask u = x > 1/3\n", "on the whole box"},
        {"-laplace(u) - 90*u", "border u = 0\n", "eigenvalues of both signs"},
        {"x*y*u - laplace(u)", "border u = 0\n", "vary along x and y"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        check_refused_by("cg(preconditioner = transform)", row[k][0], row[k][1],
                         row[k][2]);
}

/* ---- the choice of `auto` ---------------------------------------------------------- */

static bool is_solved_by(const char *method, const char *text)
{
    pav_program *program = NULL;
    char *solver = NULL, wanted[60];

    snprintf(wanted, sizeof wanted, " by %s: ", method);
    REQUIRE_OK(pav_program_parse(text, strlen(text), NULL, &program));
    REQUIRE_OK(pav_program_solver(program, &solver));
    const bool is = strstr(solver, wanted) != NULL;
    pav_text_free(solver);
    pav_program_free(program);
    return is;
}

TEST(auto_takes_transforms_where_cycles_would_take_longer)
{
    static const char *const row[][4] = {
        {"transform", "x 65, y 65", "-laplace(u) = f by auto to 1e-8", "u = 0"},
        {"transform", "x 64, y 65", "-laplace(u) = f by auto to 1e-8", "periodic u"},
        {"transform", "x 32, y 33", "-laplace(u) = f by auto to 1e-4", "mirror u"},
        {"transform", "x 65, y 33 at y + y^2", "-laplace(u) = f by auto to 1e-8",
         "u = 0"},
        {"transform", "x 128, y 65", "-laplace(u) = f by auto to 1e-8", "u = 0"},
        {"transform", "x 65, y 65", "-laplace(u) - 2*u = f by auto to 1e-4", "u = 0"},
        {"transform", "x 65, y 65", "u' - laplace(u') = f + u by auto to 1e-9", "u = 0"},
        {"transform", "x 128, y 132", "-laplace(u) = f by auto to 1e-8", "u = 0"},
        {"transform", "x 263, y 12", "u - laplace(u) = f by auto to 1e-8", "periodic u"},
        {"multigrid", "x 65, y 65", "-laplace(u) = f by auto to 1e-1", "u = 0"},
        {"multigrid", "x 65, y 65", "-laplace(u) = f by auto(every = 1) to 1e-8",
         "u = 0"},
        {"multigrid", "x 72, y 72, z 72", "-laplace(u) = f by auto to 1e-8", "u = 0"},
        {"multigrid", "x 8193, y 8193", "-laplace(u) = f by auto to 1e-8", "u = 0"},
        {"cg", "x 65, y 65", "-laplace(u) + (1 + f)*u = f by auto to 1e-8", "u = 0"},
        {"cg", "x 65 at x + x^2, y 33 at y + y^2", "-laplace(u) = f by auto to 1e-8",
         "u = 0"},
    };
    char text[300];
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        snprintf(text, sizeof text,
                 "grid %s\nfield u; f = random(1)\nsolve %s\nborder %s\n%s", row[k][1],
                 row[k][2], row[k][3], strstr(row[k][2], "u'") ? "steps 1\n" : "");
        CHECK(is_solved_by(row[k][0], text));
    }
}

/* ---- places ------------------------------------------------------------------------ */

/* Verifies one step after the other against the whole grid in the interpreter. Bit k of
 * `devices` asks for device k. */
static void check_at_places(const char *text, int64_t steps, const char *const *cut,
                            const char *outofcore, unsigned devices)
{
    for (int k = 0; k < 4; k++) {
        if (!(devices >> k & 1))
            continue;
        const char *const device[] = {"interpreter", "cpu", "emulated",
                                      "cpu+emulated+interpreter"};
        pav_run_options options = {.threads = 2, .copy_rate = -1, .wisdom = -1};
        pav_program *program = NULL;
        pav_device *place = NULL;
        REQUIRE_OK(pav_device_open(device[k], &place));
        REQUIRE_OK(pav_program_parse(text, strlen(text), NULL, &program));
        for (int n = 0; n < 4; n++) {
            char *said = NULL;
            options.subdomains = n < 3 ? cut[n] : NULL;
            options.out_of_core = n < 3 ? NULL : outofcore;
            if (n < 3 || (outofcore && k < 3))
                CHECK(pav_run_verify(program, place, &options, steps, &said) == PAV_OK);
            pav_text_free(said);
        }
        pav_program_free(program);
        pav_device_free(place);
    }
}

static const char *const volume_cuts[] = {"3x1x1", "1x3x2", "2x1x3"};

/* Solves with each kind of border, on all devices or on one of them for each border. */
static void check_cut_transforms(bool on_all)
{
    static const char *const border[] = {"u = 0", "periodic u", "mirror u", "odd u"};
    char text[300];

    for (size_t k = 0; k < sizeof border / sizeof *border; k++) {
        snprintf(text, sizeof text,
                 "%sgrid x 17 from 0 to 1, y 12 from 0 to 1, z 9 from 0 to 1\n"
                 "field u; f = random(1)\n"
                 "solve 2*u - laplace(u) = f by transform to 1e-%d\nborder %s\n",
                 k % 2 ? "real f32\n" : "", k % 2 ? 3 : 9, border[k]);
        check_at_places(text, 2, volume_cuts, "auto:parts=3", on_all ? 15 : 1u << k);
    }
}

TEST(cuts_across_transformed_axes_keep_the_bits)
{
    check_cut_transforms(false);
}

LONG_TEST(cuts_across_transformed_axes_keep_the_bits_on_all_devices)
{
    check_cut_transforms(true);
}

TEST(steps_at_once_and_equations_in_steps_keep_the_bits_of_whole_lines)
{
    check_at_places("grid x 12, y 9, z 10\nfield u = random(2)\n"
                    "u' = 2*u - prev(u) + 0.1*laplace(u)\nborder neumann u\n"
                    "steps 30 at once 10\n",
                    3, volume_cuts, "auto:parts=2", 15);
    check_at_places(
        "grid x 12, y 9, z 10\nfield u = random(2)\n"
        "solve u' - laplace(u') = u by cg(preconditioner = transform) to 1e-8\n"
        "border clamp u at x-, x+; border u = 1 at y-, y+, z-, z+\nsteps 2\n",
        2, volume_cuts, NULL, 15);
}

TEST(auto_takes_transforms_in_every_place)
{
    static const char text[] =
        "grid x 33 from 0 to 1, y 33 from 0 to 1\nfield u; f = x*y\n"
        "solve -laplace(u) = f by auto to 1e-9\nborder u = 0\n";
    static const char *const row[][2] = {
        {NULL}, {"1x2"}, {"2x1"}, {"3x2"}, {NULL, "auto:parts=2"}};
    pav_program *program = NULL;
    pav_device *device = NULL;

    REQUIRE_OK(pav_device_open("interpreter", &device));
    REQUIRE_OK(pav_program_parse(text, strlen(text), NULL, &program));
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const pav_run_options options = {.subdomains = row[k][0],
                                         .out_of_core = row[k][1]};
        pav_run *run = NULL;
        char *said = NULL;
        REQUIRE_OK(pav_run_open(program, device, &options, &run));
        REQUIRE_OK(pav_run_finish(run));
        CHECK(pav_run_residuals(run, NULL, 0) == 2);
        pav_run_free(run);
        CHECK(pav_run_verify(program, device, &options, 2, &said) == PAV_OK);
        pav_text_free(said);
    }
    pav_program_free(program);
    pav_device_free(device);
}

/* ---- a preconditioner -------------------------------------------------------------- */

#define FLUX                                                                             \
    "-dx((k + k[1,0])/2*dx(u, at +1/2), at -1/2) - dy((k + k[0,1])/2*dy(u, at +1/2), "   \
    "at -1/2)"

static int64_t steps_behind(const char *method, const char *operation, const char *k,
                            const char *rest)
{
    trial t;

    trial_interpret(&t,
                    "grid x 65 from 0 to 1, y 65 from 0 to 1\nfield u; k = %s\n"
                    "field f = random(1) - 1/2\n"
                    "solve %s = f for u by %s(preconditioner = transform) to 1e-8\n%s",
                    k, operation, method, rest);
    REQUIRE_OK(pav_run_finish(t.run));
    const int64_t steps = pav_run_residuals(t.run, NULL, 0) - 1;
    trial_close(&t);
    return steps;
}

TEST(mild_coefficients_need_few_steps_behind_transforms_of_their_mean)
{
    static const char smooth[] = "exp(sin(5*x)*cos(4*y))",
                      jump[] = "where(x > 0.4 and y < 0.7, 2, 1)",
                      given[] = "border u = 0\nborder neumann k\n";

    CHECK(steps_behind("cg", FLUX, smooth, given) <= 9);
    CHECK(steps_behind("cg", FLUX, jump, given) <= 13);
    CHECK(steps_behind("cg", FLUX, "1 + x*y",
                       "border odd u\nborder mirror u at y-\nborder neumann k\n"
                       "border mirror k at y-\n") <= 9);
    CHECK(steps_behind("gmres", FLUX, smooth, given) <= 10);
    CHECK(steps_behind("bicgstab", FLUX, jump, given) <= 20);
}

TEST(a_mask_cuts_points_out_of_the_box_of_a_transform)
{
    CHECK(steps_behind("cg", "-laplace(u)", "1",
                       "border u = 0\nmask u = (x - 0.4)^2 + (y - 0.5)^2 > 0.01\n") <=
          20);
    CHECK(steps_behind("minres", "u - laplace(u)", "1",
                       "border mirror u\nmask u = (x - 0.4)^2 + (y - 0.5)^2 > 0.01\n") <=
          20);
}

TEST(means_keep_the_free_constant_of_a_singular_operator)
{
    CHECK(steps_behind("cg", FLUX, "1 + x*y", "border neumann u, k\n") <= 9);
    CHECK(steps_behind("cg", FLUX, "2 + sin(2*pi*(x + y)*64/65)",
                       "border periodic u, k\n") <= 12);
}

TEST(auto_solves_where_borders_give_the_only_point_along_an_axis)
{
    CHECK_NEAR(trial_end("grid x 1, y 5\nfield u\nsolve -laplace(u) = 1 by auto to 1e-8\n"
                         "border u = 2\nmeasure e = max(abs(u - 2))\n"),
               0, 1e-12);
}
