/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent kernels, with tiles in shared memory for many steps, are bitwise identical
 * to single steps. Refusals name the reason. */
#include <stdio.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"
#include "on_gpu.h"
#include "run/run_private.h"

static const schedule_place on_gpus = {true, "GPUs"};

static void verified(const char *source, const char *requested)
{
    if (on_gpu_there())
        on_gpu_verified(source, requested);
}

#define CUBE "grid x 23, y 21, z 17\nreal f32\nfield u = random(1)\nsteps 99\n"
#define HEAT "u' = u + 0.1*laplace(u)\n"

LONG_TEST(blocks_stay_between_faces_of_every_kind)
{
    verified(CUBE HEAT "border u = 0\n", "persistent:depth=2,tiles=2x2x1,threads=64x1");
    verified(CUBE HEAT "border u = sin(t) + 0.1*x\n", "persistent:depth=1,tiles=1x2x2");
    verified(CUBE HEAT "border periodic u\n", "persistent:depth=2,tiles=3x1x1,rows=2");
    verified(CUBE HEAT "border mirror u\n", "persistent:depth=3,tiles=2x2x1,rows=3");
    verified(CUBE HEAT "border neumann u\n",
             "persistent:depth=4,tiles=1x1x3,rows=1,planes=4");
}

TEST(blocks_stay_in_one_and_two_dimensions)
{
    verified("grid x 131\nfield u = random(1)\nsteps 99\n" HEAT "border periodic u\n",
             "persistent:depth=7,tiles=4");
    verified("grid x 31, y 47\nfield u = random(1)\nsteps 99\n" HEAT "border u = t\n",
             "persistent:depth=7,tiles=2x2,rows=3");
}

/* Rows inside a thread tile stay in registers; neighbours read the rows at its edges. */
LONG_TEST(bricks_of_many_rows_keep_those_at_their_edges)
{
    static const char square[] = "grid x 150, y 61\nreal f32\nfield u = random(1)\n"
                                 "steps 99\nborder u = 0.5\n";
    static const char cube[] = CUBE "border u = 0.5\n";
    char equation[512];

    (void)snprintf(equation, sizeof equation, "%s" HEAT, square);
    verified(equation, "persistent:depth=4,tiles=2x3,rows=8");
    verified(equation, "persistent:depth=5,tiles=3x2,rows=16,threads=32");
    verified(equation, "persistent:depth=4,tiles=2x2,rows=7,buffers=1");
    (void)snprintf(equation, sizeof equation, "%su' = u + 0.1*(u[2,0] - u[-1,-3])\n",
                   square);
    verified(equation, "persistent:depth=3,tiles=2x2,rows=8");
    (void)snprintf(equation, sizeof equation, "%s" HEAT, cube);
    verified(equation, "persistent:depth=1,tiles=1x2x2,rows=4,planes=4");
    verified(equation, "persistent:depth=3,tiles=1x2x2,rows=4,planes=4,vector=2");
}

/* With nearly 32 vectors along x, a warp takes one row. */
LONG_TEST(warps_take_rows_that_are_about_as_long)
{
    static const char strip[] = "real f32\nfield u = random(1)\nsteps 99\n";
    char equation[512];

    (void)snprintf(equation, sizeof equation,
                   "grid x 330, y 41\n%s" HEAT "border u = 0.5\n", strip);
    verified(equation, "persistent:depth=4,tiles=3x2,rows=8");
    verified(equation, "persistent:depth=5,tiles=3x2,rows=4");
    (void)snprintf(equation, sizeof equation,
                   "grid x 336, y 41\n%s" HEAT "border periodic u\n", strip);
    verified(equation, "persistent:depth=4,tiles=3x2,rows=8,threads=96");
    (void)snprintf(equation, sizeof equation,
                   "grid x 330, y 41\n%s" HEAT "border mirror u\n", strip);
    verified(equation, "persistent:depth=3,tiles=3x2,rows=3");
}

/* One of the two fields of a stage has changing faces. */
TEST(bricks_hold_no_faces_that_change)
{
    static const char pair[] = "grid x 71, y 43\nreal f32\nfield u = random(1)\n"
                               "field v = random(2)\nsteps 99\nborder u = 0.5\n"
                               "border mirror v\nu' = u + 0.1*laplace(u) - 0.01*v\n"
                               "v' = v + 0.1*laplace(v) + 0.01*u\n";
    verified(pair, "persistent:depth=4,tiles=2x2,rows=8");
}

TEST(faces_follow_a_scalar_that_is_set)
{
    static const char source[] = "grid x 64, y 48\nreal f32\nscalar s = 0.3\n"
                                 "field u = random(1)\nsteps 99\n" HEAT "border u = s\n";
    static const char *const ways[] = {"persistent:depth=3,tiles=2x2,rows=8", "point"};
    float found[2][64 * 48];
    for (int n = 0; on_gpu_there() && n < 2; n++) {
        begun b;
        REQUIRE_OK(on_gpu_open(source, ways[n], &b));
        REQUIRE_OK(pav_run_steps(b.run, 9));
        REQUIRE_OK(pav_run_set(b.run, "s", 0.7));
        REQUIRE_OK(pav_run_steps(b.run, 9));
        REQUIRE_OK(pav_field_read(b.run, "u", 0, PAV_F32, found[n], 64 * 48));
        close_begun(&b);
    }
    CHECK(!on_gpu_there() || memcmp(found[0], found[1], sizeof found[0]) == 0);
}

/* Both blocks publish a row, even if only one side reads. */
TEST(blocks_read_from_one_side)
{
    verified(CUBE "u' = u + 0.1*(u[-1,0,0] - u)\nborder u = 0.5\n",
             "persistent:depth=2,tiles=3x2x1");
    verified(CUBE "u' = u + 0.1*(u[0,0,2] - u[0,1,1])\nborder periodic u\n",
             "persistent:depth=1,tiles=1x2x3");
}

TEST(blocks_keep_levels_before_the_last)
{
    verified(CUBE "u' = 2*u - prev(u) + 0.1*laplace(u)\nborder periodic u\n",
             "persistent:depth=3,tiles=1x2x2,threads=64x1");
}

LONG_TEST(blocks_meet_between_stages)
{
    verified(CUBE "field v = random(2)\nu' = u + 0.1*v[1,0,0]\n"
                  "v' = v + 0.1*laplace(u')\nborder periodic u\nborder periodic v\n",
             "persistent:depth=2,tiles=2x2x1");
}

/* The argument ring limits the number of steps in a launch. */
TEST(many_steps_are_one_launch)
{
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(on_gpu_open(CUBE HEAT "border periodic u\n",
                           "persistent:depth=2,tiles=2x2x1", &b));
    REQUIRE_OK(pav_run_steps(b.run, 80));
    CHECK_EQ(gpu_fused_count(gpurun_of(run_place(b.run)->executor)), 1);
    close_begun(&b);
}

TEST(parts_that_are_too_narrow_or_too_large_are_refused)
{
    static const char square[] = "grid x 400, y 400\nfield u\nsteps 9\n" HEAT
                                 "border u = 0\n";
    if (!on_gpu_there())
        return;
    on_gpu_refused(CUBE HEAT "border u = 0\n", "persistent:tiles=30x1x1",
                   "the grid has 23 points along x, and 30 parts are asked for");
    on_gpu_refused(CUBE "u' = u + 0.1*u[2,0,0]\nborder periodic u\n",
                   "persistent:tiles=12x1x1,depth=1", "one has 1 points, and needs 2");
    on_gpu_refused(CUBE HEAT "border periodic u\n", "persistent:tiles=1x7x1,depth=4",
                   "of 7 parts along y one has 3 points, and needs 4");
    on_gpu_refused(square, "persistent:tiles=1x1", "bytes of shared memory, and it has");
    on_gpu_refused("grid x 9000, y 9000\nfield u\nsteps 9\n" HEAT "border u = 0\n",
                   "persistent", "the grid does not fit into");
    on_gpu_refused(square, "persistent:tiles=20x20,rows=1,threads=1024",
                   "of 400 blocks of 1024 threads, one for each tile, emulated has room");
}

TEST(settings_of_persistent_blocks_are_their_own)
{
    schedule s;
    CHECK_STATUS(schedule_parse("persistent:unroll=2", on_gpus, &s), PAV_EINVAL);
    CHECK_STATUS(schedule_parse("persistent:depth=65", on_gpus, &s), PAV_EINVAL);
    CHECK(strstr(pav_message(), "from 1 to 64") != NULL);
    if (!on_gpu_there())
        return;
    on_gpu_refused(CUBE HEAT "border u = 0\n", "persistent:threads=32x8", "threads=256");
    on_gpu_refused("grid x 40, y 20\nreal f64\nfield u = x\nsteps 99\n" HEAT
                   "border u = 0\n",
                   "persistent:vector=4", "of any field: take vector=2");
    on_gpu_refused("grid x 131\nfield u = x\nsteps 9\n" HEAT "border periodic u\n",
                   "persistent:rows=2", "one row: leave out rows");
}

TEST(older_levels_that_are_read_beside_points_are_refused)
{
    if (!on_gpu_there())
        return;
    on_gpu_refused(CUBE "u' = 0.5*u + 0.4*prev(u)[1, 0, 0]\nborder u = 0\n",
                   "persistent:tiles=2x2x2", "exchange no older levels");
}

TEST(only_persistent_has_parts)
{
    schedule s;
    CHECK_STATUS(schedule_parse("time:tiles=2x2", on_gpus, &s), PAV_EINVAL);
    CHECK(strstr(pav_message(), "schedule persistent") != NULL);
    CHECK_STATUS(schedule_parse("persistent:tiles=2x", on_gpus, &s), PAV_EINVAL);
    CHECK(strstr(pav_message(), "1x8x16") != NULL);
    REQUIRE_OK(schedule_parse("persistent:tiles=2x3", on_gpus, &s));
    CHECK(s.device.size[0] == 2 && s.device.size[1] == 3 && s.device.size[2] == 1);
}

/* At the ends of x, a face of y has values by position, but points there have the values
 * of their periodic images. */
TEST(corners_of_faces_that_differ_along_an_axis_that_wraps_are_refused)
{
    static const char corners[] =
        "grid x 22, y 10\nfield u = random(1)\nsteps 99\n"
        "u' = 0.6*u + 0.2*u[-1,1]\nborder periodic u at x-, x+\n"
        "border u = 0.1*x at y-, y+\n";
    static const char *const ways[] = {"persistent:tiles=1x2,depth=2", "time:depth=3"};
    for (int n = 0; on_gpu_there() && n < 2; n++)
        on_gpu_refused(corners, ways[n], "by the place along an axis that wraps");
    verified(corners, "point");
}
