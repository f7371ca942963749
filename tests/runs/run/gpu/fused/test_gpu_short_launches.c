/* SPDX-License-Identifier: BSD-3-Clause */
/* Besides its main launch a run has a shorter one, for the steps left before a regular
 * observation. */
#include <stdio.h>

#include "exec/gpu/gpu_private.h"
#include "on_gpu.h"
#include "run/run_private.h"

#define PLATE "grid x 70, y 41\nfield u = random(1)\n"
#define HEAT "u' = u + 0.1*laplace(u)\nborder periodic u\n"
/* The last line reads a level that steps do not. */
#define WAVE                                                                             \
    "u' = 2*u - prev(u) + 0.1*laplace(u)\nborder u = 0\n"                                \
    "expect max(abs(u - prev(u, 2))) < 1e9\n"
#define LOOK "measure m = max(u) every 15\nsteps 45\n"
static const char eight[] = "time:shuffle,depth=8,vector=4,planes=16";

/* Writes the number of steps of each launch, 1 for a single step, separated by spaces. */
static void taken(pav_run *run, int64_t steps, text *t)
{
    const int64_t end = pav_run_step(run) + steps;
    while (pav_run_step(run) < end) {
        const int64_t from = pav_run_step(run);
        REQUIRE_OK(run->stepper->steps(run, end - from));
        text_add(t, "%s%lld", t->length > 0 ? " " : "",
                 (long long)(pav_run_step(run) - from));
    }
}

static void takes(const char *source, const char *requested, int64_t steps,
                  const char *words)
{
    text t = {0};
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(on_gpu_open(source, requested, &b));
    gpurun_of(run_place(b.run)->executor)
        ->trial_seconds = 0; /* a trial is one launch, however short */
    taken(b.run, steps, &t);
    CHECK_STR(t.data, words);
    text_free(&t);
    close_begun(&b);
}

LONG_TEST(a_shorter_launch_takes_what_looks_leave)
{
    takes(PLATE HEAT LOOK, eight, 45, "8 6 1 8 6 1 8 6 1");
    takes(PLATE HEAT "until max(u) < 0 every 11\nsteps 33\n", "time:depth=4,planes=16",
          22, "4 4 2 1 4 4 2 1");
}

TEST(steps_beside_a_shorter_launch_are_single_ones)
{
    takes(PLATE HEAT "measure m = max(u) every 10\nsteps 45\n", eight, 20, "8 1 1 8 1 1");
    takes(PLATE HEAT LOOK "measure n = max(u) every 20\n", eight, 40,
          "8 6 1 1 1 1 1 1 8 1 1 8 1 1");
}

TEST(the_end_of_a_run_alone_has_no_shorter_launch)
{
    takes(PLATE HEAT "steps 15\n", eight, 15, "8 1 1 1 1 1 1 1");
    takes(PLATE HEAT "measure m = max(u) every 15\nsteps 20\n", eight, 15,
          "8 1 1 1 1 1 1 1");
}

/* A field of four levels needs three single steps before an observation, so no steps are
 * left for a short launch. */
TEST(a_launch_that_cannot_be_is_left_out)
{
    takes(PLATE "u' = u + 0.1*laplace(u) + 0.01*(prev(u, 3) - prev(u, 2))\n"
                "border periodic u\nmeasure m = max(u) every 11\nsteps 44\n",
          eight, 22, "8 1 1 1 8 1 1 1");
}

TEST(a_setting_of_more_steps_than_it_has_is_of_all_its_steps)
{
    takes(PLATE HEAT LOOK, "time:shuffle,depth=8,vector=4,ahead=8,planes=16", 15,
          "8 6 1");
}

TEST(launches_in_shared_memory_are_cut_short_with_sources_and_receivers)
{
    takes(PLATE HEAT LOOK, "time:shared,depth=4,threads=64x1,planes=16", 15, "4 4 4 2 1");
    takes(PLATE "u' = u + 0.1*laplace(u)\nborder u = 0\n"
                "inject sin(t) into u at (20.5, 9)\nsample u at (30, 12)\n" LOOK,
          "time:depth=8,threads=64x1,planes=16", 45, "1 1 8 4 1 8 6 1 8 6 1");
}

static bool is_chosen(const gpurun *g)
{
    return gpu_choice_is_tuned(g) && gpu_choice_has_tried(g) > 0;
}

/* The chosen candidate has its own short launch. Without a request, single steps may be
 * chosen. */
static void has_its_own(const char *requested)
{
    const pav_run_options how = {
        .no_files = 1, .nan_check_every = -1, .schedule = requested};
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(kept_open(PLATE HEAT "measure m = max(u) every 12\nsteps 1000000000\n",
                         "emulated", &how, &b));
    for (int n = 0; n < 600 && !is_chosen(gpurun_of(run_place(b.run)->executor)); n++)
        REQUIRE_OK(pav_run_steps(b.run, 12));
    CHECK(is_chosen(gpurun_of(run_place(b.run)->executor)));
    REQUIRE_OK(pav_run_steps(b.run, 12));
    const gpurun *g = gpurun_of(run_place(b.run)->executor);
    const emit_gpu_fused *what = g->fused ? place_launch_what(g->fused) : NULL;
    const int left = what ? 11 % what->most : 0;
    CHECK(run_is_tuned(b.run));
    CHECK_EQ(g->fused ? gpu_fused_short(g) : 0,
             left > 1 && left < what->least ? left : 0);
    close_begun(&b);
}

LONG_TEST(what_is_chosen_has_the_shorter_launch)
{
    has_its_own("time");
    has_its_own(NULL);
}

TEST(it_is_weighed_by_the_single_steps_that_it_spares)
{
    const schedule six = {.tile.steps = 6};
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(on_gpu_open(PLATE HEAT LOOK, "sweep", &b));
    CHECK(gpu_fused_saved(gpurun_of(run_place(b.run)->executor), &six) == 18);
    REQUIRE_OK(pav_run_steps(b.run, 20));
    CHECK(gpu_fused_saved(gpurun_of(run_place(b.run)->executor), &six) == 6);
    close_begun(&b);
}

/* ---- after a short launch ---------------------------------------------------------- */

static void verified(const char *source, const char *requested, int64_t steps)
{
    const pav_run_options how = {.no_files = 1,
                                 .nan_check_every = -1,
                                 .schedule = requested,
                                 .report_seconds = 1e9};
    begun b;
    char *said = NULL;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(kept_open(source, "emulated", NULL, &b));
    CHECK_STATUS(pav_run_verify(b.program, b.device, &how, steps, &said), PAV_OK);
    pav_text_free(said);
    close_begun(&b);
}

LONG_TEST(shorter_launches_have_the_bits_of_single_steps)
{
    verified(PLATE HEAT LOOK, eight, 15);
    verified(PLATE WAVE LOOK, eight, 30);
    verified("real f32\n" PLATE "field v = random(2)\n"
             "u' = u + 0.1*laplace(u) - 0.1*u*v\nv' = v + 0.05*laplace(v) + 0.1*u*t\n"
             "border u = 0.1*t\nborder v = 0.1*y beyond\n" LOOK,
             "time:shuffle,depth=4,vector=4,planes=16", 30);
}

/* Launches of both lengths are verified without a request; the main one always. */
TEST(as_many_steps_are_verified_as_the_main_launch_has)
{
    begun b;
    const pav_run_options how = {.no_files = 1, .nan_check_every = -1, .schedule = eight};
    char *said = NULL;
    if (!on_gpu_there())
        return;
    verified(PLATE HEAT LOOK, eight, 9);
    REQUIRE_OK(kept_open(PLATE HEAT LOOK, "emulated", NULL, &b));
    CHECK_STATUS(pav_run_verify(b.program, b.device, &how, 8, &said), PAV_EINVAL);
    CHECK(strstr(pav_message(), "verify at least 9") != NULL);
    REQUIRE_OK(pav_run_verify(b.program, b.device, &how, 0, &said));
    CHECK(strstr(said, "verified: 15 steps") != NULL);
    pav_text_free(said);
    close_begun(&b);
}

/* Values of all ages after a run, which continues from the checkpoint if one exists. */
static void values_after(const char *device, pav_run_options how, int64_t steps,
                         double *values)
{
    begun b;
    how.no_files = 1;
    REQUIRE_OK(kept_open(PLATE WAVE "steps 45\n", device, &how, &b));
    REQUIRE_OK(pav_run_steps(b.run, steps - pav_run_step(b.run)));
    for (int age = 0; age < 3; age++)
        REQUIRE_OK(pav_field_read(b.run, "u", age, PAV_F64, values + age * 70 * 41,
                                  (int64_t)70 * 41));
    if (how.checkpoint)
        CHECK_EQ(run_blocks(b.run)->shorter, 2);
    close_begun(&b);
}

TEST(a_checkpoint_after_a_shorter_launch_holds_all_levels)
{
    static double want[3 * 70 * 41], got[3 * 70 * 41];
    const char *const path = kept_path("c");
    if (!on_gpu_there())
        return;
    values_after(
        "emulated",
        (pav_run_options){.checkpoint = path, .checkpoint_every = 15, .schedule = eight},
        45, got);
    values_after("interpreter", (pav_run_options){0}, 45, want);
    CHECK(memcmp(want, got, sizeof want) == 0);
    values_after("interpreter", (pav_run_options){.restart = path}, 45, got);
    CHECK(memcmp(want, got, sizeof want) == 0);
}

TEST(a_report_counts_shorter_launches)
{
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(on_gpu_open(PLATE HEAT LOOK, eight, &b));
    REQUIRE_OK(pav_run_steps(b.run, 45));
    CHECK(strstr(report_of(&b, 0),
                 "6, of 8 steps at most, 3 of them of 6 before observations\n") != NULL);
    CHECK_EQ(report_number(&b, "time_blocks"), 6);
    CHECK_EQ(report_number(&b, "shorter_time_blocks"), 3);
    CHECK_EQ(report_number(&b, "shorter_time_block"), 6);
    CHECK_EQ(gpu_fused_count(gpurun_of(run_place(b.run)->executor)), 6);
    close_begun(&b);
}
