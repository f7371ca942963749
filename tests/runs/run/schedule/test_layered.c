/* SPDX-License-Identifier: BSD-3-Clause */
/* Single steps compute a matched layer only near the faces, bitwise identical to the
 * interpreter. The interpreter computes the layer everywhere. */
#include <string.h>

#include "run/run_private.h"
#include "test.h"

enum { MOST = 1 << 18 };

static pav_run *open_on(const char *device, const pav_program *p)
{
    const pav_run_options o = {.no_files = 1, .threads = 2, .nan_check_every = -1};
    pav_device *opened = NULL;
    pav_run *run = NULL;

    REQUIRE_OK(pav_device_open(device, &opened));
    REQUIRE_OK(pav_run_open(p, opened, &o, &run));
    pav_device_free(opened);
    return run;
}

/* Levels 0 of all fields after some single steps. */
static void compare(pav_run *a, pav_run *b)
{
    static double one[MOST], other[MOST];
    const int64_t count = a->work.points;

    REQUIRE(count <= MOST);
    for (int64_t f = 0; f < a->code->fields; f++) {
        REQUIRE_OK(run_keep_points(a, (int)f, 0, PAV_F64, one));
        REQUIRE_OK(run_keep_points(b, (int)f, 0, PAV_F64, other));
        if (memcmp(one, other, (size_t)count * sizeof *one) != 0)
            CHECK_STR(a->code->field[f].name, "the same bits");
    }
}

/* A GPU is worth it on large grids. */
static void check(const char *source, int64_t stages)
{
    static const char *const device[] = {"cpu", "emulated"};
    pav_program *p = NULL;

    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    for (int k = 0; k < 2; k++) {
        pav_run *whole = open_on("interpreter", p);
        pav_run *parts = open_on(device[k], p);
        const int64_t count = parts->work.points;
        int64_t layered = 0;
        for (int n = 0; n < 9; n++) {
            REQUIRE_OK(pav_run_steps(whole, 1));
            REQUIRE_OK(pav_run_steps(parts, 1));
        }
        for (int64_t n = 0; n < parts->code->step.count; n++)
            layered += subdomain_is_layered(parts->part, parts->code->step.stage[n]);
        CHECK_EQ(layered, k == 0 || count > 1 << 17 ? stages : 0);
        compare(whole, parts);
        pav_run_free(whole);
        pav_run_free(parts);
    }
    pav_program_free(p);
}

TEST(a_layer_on_a_line_is_computed_at_its_ends)
{
    check(
        "grid x 60\nfield u = exp(-(x - 20)^2/30); c = 0.4 + 0.002*x\n"
        "u' = 2*u - prev(u) + c^2*laplace(u, order 6)\nabsorb 6 cells by pml\nsteps 9\n",
        3);
}

TEST(a_layer_around_a_plane_is_computed_beside_its_faces)
{
    check("grid x 64, y 40\nreal f32\nfield c = 0.4 + 0.002*x\n"
          "field u = exp(-((x - 12)^2 + (y - 9)^2)/30)\n"
          "u' = 2*u - prev(u) + c^2*laplace(u, order 4)\nborder odd u at y-\n"
          "absorb 5 cells at x-, x+, y+ by pml\nsteps 9\n",
          5);
}

TEST(a_layer_around_a_box_is_computed_beside_its_faces)
{
    check("grid x 33, y 24, z 20\nreal f32\nfield c = 0.3 + 0.002*x\n"
          "field u = exp(-((x - 9)^2 + (y - 9)^2 + (z - 5)^2)/9)\n"
          "u' = 2*u - prev(u) - c^2*laplace(-u, order 2)\nborder periodic u at x-, x+\n"
          "absorb 4 cells at y-, y+, z-, z+ by pml\nsteps 9\n",
          5);
}

LONG_TEST(a_layer_around_many_points_is_computed_beside_its_faces_by_a_gpu)
{
    check("grid x 603, y 251\nreal f32\nfield c = 0.4 + 0.0002*x\n"
          "field u = exp(-((x - 12)^2 + (y - 9)^2)/30)\n"
          "u' = 2*u - prev(u) + c^2*laplace(u, order 4)\nabsorb 4 cells by pml\n"
          "steps 9\n",
          5);
}

LONG_TEST(a_layer_around_a_large_box_is_computed_in_strips_by_a_gpu)
{
    check("grid x 72, y 60, z 60\nreal f32\nfield c = 0.3 + 0.002*x\n"
          "field u = exp(-((x - 9)^2 + (y - 9)^2 + (z - 5)^2)/9)\n"
          "u' = 2*u - prev(u) + c^2*laplace(u, order 4)\nabsorb 3 cells by pml\n"
          "steps 9\n",
          7);
}

/* Small values become -0 in f32, and the layer adds +0 or -0 to them. */
TEST(a_layer_of_a_staggered_system_keeps_the_sign_of_0)
{
    check("grid x 48, y 40\nreal f32\nfield vx = -exp(-9*x - 300)\nfield vy\n"
          "field p = exp(-((x - 12)^2 + (y - 9)^2)/3) - exp(-90)\n"
          "vx' = vx - 0.4*dx(p, order 4, at +1/2)\nvy' = vy + -0.4*dy(p, order 4, at "
          "+1/2)\np' = p - 0.4*(dx(vx', order 4, at -1/2) + dy(vy', order 4, at -1/2))\n"
          "absorb 5 cells by pml\nsteps 9\n",
          7);
}

TEST(a_wave_that_a_layer_leaves_no_inside_is_computed_everywhere)
{
    check("grid x 40, y 14\nfield u = exp(-(x - 20)^2/30); c = 0.4\n"
          "u' = 2*u - prev(u) + c^2*laplace(u, order 4)\nabsorb 6 cells by pml\n"
          "steps 9\n",
          3);
}
