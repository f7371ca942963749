/* SPDX-License-Identifier: BSD-3-Clause */
/* Gradients with the past recomputed by backward steps (keep "boundary"). Inside the
 * layers they equal the gradients of a kept past up to rounding, and waves without exact
 * backward steps are refused. */
#include <math.h>
#include <string.h>

#include "imaging/imaging.h"
#include "test.h"

enum { NX = 20, NY = 18, POINTS = NX * NY };

static pav_status take(const char *device, const char *source, pav_adjoint_options o,
                       double *value)
{
    static const char *const of[] = {"c", NULL};
    double *const values[] = {value};
    pav_device *opened = NULL;
    pav_program *p = NULL;
    pav_adjoint_result result;

    o.values = values;
    o.no_files = 1;
    o.coefficients = of;
    REQUIRE_OK(pav_device_open(device, &opened));
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    const pav_status status = pav_gradient(p, opened, &o, &result);
    if (status == PAV_OK && o.keep && strcmp(o.keep, "boundary") == 0)
        CHECK_EQ(result.steps_again, result.steps - 1);
    pav_program_free(p);
    pav_device_free(opened);
    return status;
}

/* Compares the points at a distance of at least `lost` from every face; all other points
 * must be 0. */
static void compare(const double *all, const double *some, int lost)
{
    double most = 0, error = 0;

    for (int n = 0; n < POINTS; n++) {
        const int i = n % NX, j = n / NX;
        if (i < lost || j < lost || i >= NX - lost || j >= NY - lost) {
            CHECK(some[n] == 0);
            continue;
        }
        most = fmax(most, fabs(all[n]));
        error = fmax(error, fabs(all[n] - some[n]));
    }
    CHECK(most > 0);
    CHECK(error < 1e-11 * most);
}

static void check(const char *source, int lost)
{
    static const char *const device[] = {"cpu", "emulated"};
    static double all[POINTS], some[POINTS], first[POINTS];
    pav_adjoint_options o = {.keep = "all", .threads = 2};

    for (o.every = 3; o.every > 0; o.every -= 2) {
        o.keep = "all";
        REQUIRE_OK(take("interpreter", source, o, all));
        o.keep = "boundary";
        REQUIRE_OK(take("interpreter", source, o, first));
        compare(all, first, lost);
    }
    o.every = 1;
    for (int k = 0; k < 2; k++) {
        REQUIRE_OK(take(device[k], source, o, some));
        CHECK(memcmp(first, some, sizeof first) == 0);
    }
}

#define GRID "grid x 20, y 18\nparam dt = 0.5; g = 0\nfield u; c = 0.6 + 0.02*x\n"
#define WAVE GRID "u' = (2*u - (1 - g)*prev(u))/(1 + g) + (c*dt)^2*laplace(u, order 4)\n"
#define SHOT                                                                             \
    "inject c^2*exp(-(t - 2)^2)*t into u at (8.3, 9)\n"                                  \
    "sample u at (11, 9.6), (7, 7), (9, 11)\nsteps 40\n"

TEST(a_wave_between_walls_is_stepped_back_to)
{
    check(WAVE "border odd u at x-, y+\nborder mirror u at x+, y-\n" SHOT, 0);
}

TEST(a_wave_in_a_sponge_is_stepped_back_to_inside)
{
    check(WAVE "absorb 4 cells\n" SHOT, 4);
}

TEST(a_wave_in_a_matched_layer_is_stepped_back_to_inside)
{
    check(WAVE "absorb 4 cells by pml\n" SHOT, 6);
}

TEST(a_wave_around_a_mask_is_stepped_back_to_inside)
{
    check(WAVE "mask not (abs(x - 12) < 1.5 and abs(y - 8) < 2.5)\n"
               "absorb 4 cells by pml\n" SHOT,
          6);
}

TEST(two_waves_that_are_coupled_are_stepped_back_to)
{
    check(GRID "field q\nu' = 2*u - prev(u) + (c*dt)^2*(dxx(u) + 0.8*dyy(q))\n"
               "q' = 2*q - prev(q) + (c*dt)^2*(0.8*dxx(u) + dyy(q))\n"
               "absorb 4 cells\n" SHOT,
          4);
}

TEST(strips_on_a_disk_have_the_bits_of_those_in_memory)
{
    static double memory[POINTS], disk[POINTS];
    const pav_adjoint_options here = {.keep = "boundary"};
    const pav_adjoint_options there = {.keep = "boundary", .history = 1, .disk = "past"};

    REQUIRE_OK(take("cpu", WAVE "absorb 4 cells\n" SHOT, here, memory));
    REQUIRE_OK(take("cpu", WAVE "absorb 4 cells\n" SHOT, there, disk));
    CHECK(memcmp(memory, disk, sizeof disk) == 0);
}

TEST(they_are_taken_by_itself_where_no_state_fits)
{
    static double all[POINTS], some[POINTS];

    REQUIRE_OK(take("cpu", WAVE "border mirror u\n" SHOT, (pav_adjoint_options){0}, all));
    REQUIRE_OK(take("cpu", WAVE "border mirror u\n" SHOT,
                    (pav_adjoint_options){.history = 64}, some));
    compare(all, some, 0);
}

static void refuses(const char *source, const char *why)
{
    static double value[POINTS];

    CHECK_STATUS(take("cpu", source, (pav_adjoint_options){.keep = "boundary"}, value),
                 PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), why) != NULL);
}

TEST(what_loses_energy_is_not_stepped_back_to)
{
    refuses("param a = 0.01\n" GRID
            "u' = (2*u - (1 - a)*prev(u))/(1 + a) + (c*dt)^2*laplace(u)\n"
            "absorb 4 cells\n" SHOT,
            "prev(u) has the weight -0.980198");
    refuses(GRID "u' = 2*u - (1 - 0.01*c)*prev(u) + c*laplace(u)\nborder mirror u\n" SHOT,
            "in another way than as -prev(u)");
    refuses(GRID "u' = u + 0.1*c*laplace(u)\nborder mirror u\n" SHOT,
            "not of second order in time");
    refuses(WAVE "absorb 9 cells by pml\n" SHOT, "no point of the grid is outside");
    refuses("grid x 20, y 18\nparam dt = 0.5\nfield u stored f16; c = 0.6\n"
            "u' = 2*u - prev(u) + c*laplace(u)\nborder mirror u\n" SHOT,
            "the roundings of 'u' to f16");
}
