/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a GPU that stay for many steps, with their tiles in shared memory, have the bits of single steps; and what they
 * cannot take is said. */
#include <stdio.h>

#include "kept.h"
#include "run/gpu_private.h"

static bool has_gpu(void)
{
    pav_device *device = NULL;
    const bool there = pav_device_open("emulated", &device) == PAV_OK;
    if (!there)
        (void)printf("skipped: blocks that stay: %s\n", pav_message());
    pav_device_free(device);
    return there;
}

static pav_status open_by(const char *source, const char *wanted, begun *b)
{
    const pav_run_options how = {.no_files = 1, .watch_every = -1, .schedule = wanted};
    return kept_open(source, "emulated", &how, b);
}

static void verified(const char *source, const char *wanted)
{
    const pav_run_options how = {.no_files = 1, .watch_every = -1, .schedule = wanted};
    begun b;
    char *said = NULL;
    if (!has_gpu())
        return;
    REQUIRE_OK(kept_open(source, "emulated", NULL, &b));
    CHECK_STATUS(pav_run_verify(b.program, b.device, &how, 17, &said), PAV_OK);
    pav_text_free(said);
    close_begun(&b);
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
    if (!has_gpu())
        return;
    REQUIRE_OK(
        open_by(CUBE HEAT "border periodic u\n", "resident:depth=2,parts=2x2x1", &b));
    REQUIRE_OK(pav_run_steps(b.run, 80));
    CHECK_EQ(gpu_pass_taken(b.run->gpu), 1);
    close_begun(&b);
}

static void refused(const char *source, const char *wanted, const char *why)
{
    begun b;
    CHECK_STATUS(open_by(source, wanted, &b), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), why) != NULL);
    close_begun(&b);
}

TEST(parts_that_are_too_narrow_or_too_large_are_refused)
{
    if (!has_gpu())
        return;
    refused(CUBE HEAT "border u = 0\n", "resident:parts=23x1x1",
            "narrower than what is read around them");
    refused("grid x 400, y 400\nfield u\nsteps 9\n" HEAT "border u = 0\n",
            "resident:parts=1x1", "more than its shared memory");
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
