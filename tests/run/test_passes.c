/* SPDX-License-Identifier: BSD-3-Clause */
/* Several steps in one pass over memory have the bits of single steps: all borders, tiles that lean over each other, and
 * around faces that wrap, sources, receivers and several fields. */
#include <stdio.h>

#include "kept.h"

static const char *const shapes[] = {
    "time:depth=2,tile=16x1", "time:depth=3,tile=7x2", "time:depth=4,tile=9x3",
    "time:depth=5,tile=40x1", "time:depth=3,tile=0x4",
};

static void verified_as(const char *source, const char *wanted, int threads)
{
    const pav_run_options how = {.no_files = 1, .schedule = wanted, .threads = threads};
    begun b;
    char *said = NULL;
    REQUIRE_OK(kept_open(source, kept_kernels(), NULL, &b));
    REQUIRE_OK(pav_run_verify(b.program, b.device, &how, 11, &said));
    pav_text_free(said);
    close_begun(&b);
}

static void verified(const char *source)
{
    for (size_t k = 0; k < COUNT_OF(shapes); k++)
        verified_as(source, shapes[k], 1 + (int)k % 3);
}

#define CUBE "grid x 40, y 44, z 38\nreal f32\nfield u = random(1)\nsteps 99\n"
#define HEAT "u' = u + 0.1*laplace(u)\n"

TEST(steps_share_passes_between_given_faces)
{
    verified(CUBE HEAT "border u = 0\n");
    verified(CUBE HEAT "border u = sin(t) + 0.1*x\n");
}

TEST(steps_share_passes_around_faces_that_wrap)
{
    verified(CUBE HEAT "border periodic u\n");
    verified(CUBE HEAT "border periodic u at y-, y+\nborder clamp u at x-, x+\nborder "
                       "mirror u at z-, z+\n");
}

/* Tiles at the face that wraps are the first, and those that give the other field its face the last. */
TEST(steps_share_passes_where_one_field_wraps_and_another_has_a_value)
{
    verified("grid x 40\nfield u = random(1)\nfield v = random(2)\nsteps 99\n"
             "v' = 0.3*prev(u)[-2] + 0.2*prev(u)[2]\nu' = 0.2*v'[-2] + 0.1*v'[2]\n"
             "border periodic u\nborder v = 0.1*step\n");
    verified("grid x 60, y 50\nfield u = random(1)\nfield v = random(2)\nsteps 99\n"
             "u' = v\nv' = u'[0,1] + 0.1*u[-1,0]\n"
             "border periodic u\nborder v = sin(t)\n");
}

TEST(steps_share_passes_beside_ghosts)
{
    verified(CUBE HEAT
             "border neumann u = 0.1*sin(t) at z-\nborder neumann u at z+\n"
             "border odd u at y-, y+\nborder u = t beyond x-\nborder u = t beyond x+\n");
}

TEST(steps_of_two_axes_share_passes)
{
    verified("grid x 90, y 70\nfield u = random(1)\nborder mirror u\nsteps 99\n" HEAT);
    verified("grid x 300, y 70\nfield u = random(1)\nborder periodic u\nsteps 99\n" HEAT);
}

TEST(steps_of_one_axis_share_passes)
{
    verified("grid x 300\nfield u = random(1)\nborder clamp u\nsteps 99\n" HEAT);
    verified("grid x 300\nfield u = random(1)\nborder periodic u\nsteps 99\n" HEAT);
}

TEST(stages_that_read_each_other_share_passes)
{
    verified(CUBE "field v = random(2), w = random(3)\n"
                  "u' = u + 0.1*(v[1,0,0] - v[-1,0,0])\n"
                  "v' = v + 0.1*(u'[0,1,0] - u'[0,-1,0] + w[0,0,1])\n"
                  "w' = w + 0.05*(v'[0,0,1] + v'[0,-1,0] + u[1,0,0])\n"
                  "border periodic u\nborder mirror v\nborder w = 0\n");
}

TEST(sources_are_injected_within_passes)
{
    verified(CUBE
             "field c = 0.1 + 0.05*random(2)\n"
             "u' = 2*u - prev(u) + c*laplace(u, order 4)\nborder mirror u\n"
             "inject sin(t) into u at (20.3, 20.6, 20.1), (20.5, 20.5, 20.5) by sinc\n"
             "inject c*u' into u at (0.3, 43, 37), (39, 0.2, 1.5)\n");
}

TEST(masks_and_layers_share_passes)
{
    verified(CUBE "mask u = (x - 20)^2 + (y - 20)^2 + (z - 20)^2 > 50\n" HEAT
                  "border u = 0\n");
    verified("grid x 80, y 60\nfield u = random(1)\nsteps 99\n"
             "u' = 2*u - prev(u) + 0.1*laplace(u)\nabsorb 8 cells\n");
}

/* ---- what happens between ----------------------------------------------------------------- */

static void sample_by(const char *wanted, const char *samples, const char *sums)
{
    char source[10240];
    const pav_run_options how = {.schedule = wanted};
    (void)snprintf(source, sizeof source,
                   CUBE HEAT "border periodic u\ninject t into u at (3.3, 4.4, 5.5)\n"
                             "sample u at (3, 4, 5), (20.3, 43.9, 0.2) into \"%s\"\n"
                             "measure m = sum(u) every 7 into \"%s\"\n",
                   samples, sums);
    REQUIRE_OK(kept_run(source, kept_kernels(), &how));
}

TEST(receivers_see_every_step_and_measures_theirs)
{
    char path[4][4096];
    static const char *const names[] = {"u1.csv", "m1.csv", "u2.csv", "m2.csv"};
    for (int k = 0; k < 4; k++)
        (void)snprintf(path[k], sizeof path[k], "%s", kept_path(names[k]));
    sample_by("rows", path[0], path[1]);
    sample_by("time:depth=4,tile=9x3", path[2], path[3]);
    CHECK(kept_same(path[0], path[2]));
    CHECK(kept_same(path[1], path[3]));
}

TEST(until_ends_a_run_at_its_step)
{
    begun b;
    const pav_run_options how = {.no_files = 1, .schedule = "time:depth=8"};
    REQUIRE_OK(kept_open(CUBE HEAT "border u = 0\nuntil step >= 10 every 3\n",
                         kept_kernels(), &how, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK_EQ(pav_run_step(b.run), 12);
    close_begun(&b);
}

TEST(what_must_take_single_steps_is_refused_by_name)
{
    begun b;
    const pav_run_options how = {.no_files = 1, .schedule = "time"};
    if (strcmp(kept_kernels(), "cpu") != 0)
        return;
    CHECK_EQ(kept_open(CUBE "u' = u + 0.001*sum(u)\n", kept_kernels(), &how, &b),
             PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "folds all points") != NULL);
    close_begun(&b);
}
