/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a GPU that stay for many steps, with their tiles in shared memory, have the bits of single steps; and what they
 * cannot take is said. */
#include <stdio.h>

#include "on_gpu.h"
#include "run/gpu_private.h"

static void verified(const char *source, const char *wanted)
{
    if (on_gpu_there())
        on_gpu_verified(source, wanted);
}

#define CUBE "grid x 23, y 21, z 17\nreal f32\nfield u = random(1)\nsteps 99\n"
#define HEAT "u' = u + 0.1*laplace(u)\n"

TEST(blocks_stay_between_faces_of_every_kind)
{
    verified(CUBE HEAT "border u = 0\n", "resident:depth=2,parts=2x2x1,threads=64x1");
    verified(CUBE HEAT "border u = sin(t) + 0.1*x\n", "resident:depth=1,parts=1x2x2");
    verified(CUBE HEAT "border periodic u\n", "resident:depth=2,parts=3x1x1,rows=2");
    verified(CUBE HEAT "border mirror u\n", "resident:depth=3,parts=2x2x1,rows=3");
    verified(CUBE HEAT "border neumann u\n",
             "resident:depth=4,parts=1x1x3,rows=1,planes=4");
}

TEST(blocks_stay_in_one_and_two_dimensions)
{
    verified("grid x 131\nfield u = random(1)\nsteps 99\n" HEAT "border periodic u\n",
             "resident:depth=7,parts=4");
    verified("grid x 31, y 47\nfield u = random(1)\nsteps 99\n" HEAT "border u = t\n",
             "resident:depth=7,parts=2x2,rows=3");
}

TEST(blocks_keep_levels_before_the_last)
{
    verified(CUBE "u' = 2*u - prev(u) + 0.1*laplace(u)\nborder periodic u\n",
             "resident:depth=3,parts=1x2x2,threads=64x1");
}

TEST(blocks_meet_between_stages)
{
    verified(CUBE "field v = random(2)\nu' = u + 0.1*v[1,0,0]\n"
                  "v' = v + 0.1*laplace(u')\nborder periodic u\nborder periodic v\n",
             "resident:depth=2,parts=2x2x1");
}

/* A pass takes no more steps than there are numbers for in what is lent. */
TEST(many_steps_are_one_launch)
{
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(
        on_gpu_open(CUBE HEAT "border periodic u\n", "resident:depth=2,parts=2x2x1", &b));
    REQUIRE_OK(pav_run_steps(b.run, 80));
    CHECK_EQ(gpu_pass_taken(b.run->gpu), 1);
    close_begun(&b);
}

TEST(parts_that_are_too_narrow_or_too_large_are_refused)
{
    static const char square[] = "grid x 400, y 400\nfield u\nsteps 9\n" HEAT
                                 "border u = 0\n";
    if (!on_gpu_there())
        return;
    on_gpu_refused(CUBE HEAT "border u = 0\n", "resident:parts=30x1x1",
                   "the grid has 23 points along x, and 30 parts are asked for");
    on_gpu_refused(CUBE "u' = u + 0.1*u[2,0,0]\nborder periodic u\n",
                   "resident:parts=12x1x1,depth=1", "one has 1 points, and needs 2");
    on_gpu_refused(CUBE HEAT "border periodic u\n", "resident:parts=1x7x1,depth=4",
                   "of 7 parts along y one has 3 points, and needs 4");
    on_gpu_refused(square, "resident:parts=1x1", "bytes of shared memory, and it has");
    on_gpu_refused("grid x 9000, y 9000\nfield u\nsteps 9\n" HEAT "border u = 0\n",
                   "resident", "the grid does not fit into");
    on_gpu_refused(square, "resident:parts=20x20,rows=1,threads=1024",
                   "of 400 blocks of 1024 threads, one for each part, emulated has room");
}

TEST(settings_of_blocks_that_stay_are_their_own)
{
    emit_gpu_schedule s;
    CHECK_STATUS(emit_gpu_schedule_find("resident:unroll=2", &s), PAV_EINVAL);
    CHECK_STATUS(emit_gpu_schedule_find("resident:depth=65", &s), PAV_EINVAL);
    CHECK(strstr(pav_message(), "from 1 to 64") != NULL);
    if (!on_gpu_there())
        return;
    on_gpu_refused(CUBE HEAT "border u = 0\n", "resident:threads=32x8", "threads=256");
    on_gpu_refused("grid x 131\nfield u = x\nsteps 9\n" HEAT "border periodic u\n",
                   "resident:rows=2", "one row: leave out rows");
}

TEST(older_levels_that_are_read_beside_points_are_refused)
{
    if (!on_gpu_there())
        return;
    on_gpu_refused(CUBE "u' = 0.5*u + 0.4*prev(u)[1, 0, 0]\nborder u = 0\n",
                   "resident:parts=2x2x2", "tell each other no older levels");
}

TEST(only_resident_has_parts)
{
    emit_gpu_schedule s;
    CHECK_STATUS(emit_gpu_schedule_find("time:parts=2x2", &s), PAV_EINVAL);
    CHECK(strstr(pav_message(), "schedule resident") != NULL);
    CHECK_STATUS(emit_gpu_schedule_find("resident:parts=2x", &s), PAV_EINVAL);
    CHECK(strstr(pav_message(), "1x8x16") != NULL);
    REQUIRE_OK(emit_gpu_schedule_find("resident:parts=2x3", &s));
    CHECK(s.parts[0] == 2 && s.parts[1] == 3 && s.parts[2] == 1);
}
