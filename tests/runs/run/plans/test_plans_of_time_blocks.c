/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of temporal blocking agree with runs: the schedules, their memory traffic, and
 * the reasons for refusals. */
#include <stdio.h>

#include "on_gpu.h"
#include "planned.h"
#include "run/time/time_private.h"

#define PLATE "grid x 40, y 30\nfield u = random(1)\nborder u = 0\n"
#define HEAT "u' = u + 0.1*laplace(u)\n"

static void planned_says(const char *source, const char *device, const char *requested,
                         const char *words, bool says)
{
    const pav_run_options how = {.schedule = requested, .threads = 1};
    planned p;
    if (pav_device_open(device, &p.device) != PAV_OK) {
        test_skip("plans of passes", pav_message());
        return;
    }
    pav_device_free(p.device);
    REQUIRE_OK(plan_text_of(source, device, &how, &p));
    CHECK_EQ(strstr(planned_report(&p, 0), words) != NULL, says);
    close_planned(&p);
}

static void emulated_says(const char *source, const char *words)
{
    planned_says(source, "emulated", NULL, words, true);
}

TEST(a_plan_for_a_gpu_names_what_looks_before_the_last_step)
{
    emulated_says(PLATE HEAT "until max(u) < 0.1\nsteps 20\n",
                  "of single steps: `until` (line 5) is due after every step");
    emulated_says(PLATE HEAT "measure m = sum(u) every 1\nsteps 20\n",
                  "of single steps: `measure` (line 5) is due after every step");
    emulated_says(PLATE HEAT "measure m = sum(u) every 2\nsteps 20\n",
                  "of single steps: `measure` (line 5) is due every 2 steps");
    emulated_says(PLATE HEAT "output u every 1\nsteps 9\n",
                  "of single steps: `output` (line 5) is due after every step");
}

TEST(a_plan_for_a_gpu_names_the_last_step_before_what_looks_later)
{
    emulated_says(PLATE HEAT "measure m = sum(u) every 50\nsteps 2\n",
                  "of single steps: the run ends after 2 steps");
}

/* ---- remedies ---------------------------------------------------------------------- */

static void refused_without(const char *source, const char *requested, const char *words)
{
    planned p;
    CHECK_STATUS(
        plan_text_of(source, "emulated", &(pav_run_options){.schedule = requested}, &p),
        PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "a single one that follows") != NULL);
    CHECK(strstr(pav_message(), words) == NULL);
    close_planned(&p);
}

TEST(a_shorter_launch_is_named_where_there_is_one)
{
    if (!on_gpu_there())
        return;
    on_gpu_refused(PLATE HEAT "measure m = sum(u) every 4\nsteps 20\n", "time:depth=5",
                   "a single one that follows: depth=3 takes fewer");
    refused_without(PLATE HEAT "measure m = sum(u) every 2\nsteps 20\n", "time:depth=5",
                    "depth=");
    refused_without(PLATE HEAT "until max(u) < 0\nsteps 20\n", "time:depth=3", "depth=");
    refused_without(PLATE HEAT "steps 2\n", "persistent", "depth=");
}

/* ---- processors -------------------------------------------------------------------- */

#define LONG "grid x %lld, y 60, z 12\nreal f32\nfield u\nborder u = 0\nsteps 90\n" HEAT

static pav_status plan_long(int64_t wide, const char *requested)
{
    const pav_run_options how = {.schedule = requested, .threads = 1};
    char source[256];
    planned p;
    (void)snprintf(source, sizeof source, LONG, (long long)wide);
    const pav_status status = plan_text_of(source, "cpu", &how, &p);
    close_planned(&p);
    return status;
}

/* The schedule named by a refusal must be possible. */
static void names_a_remedy(int64_t wide, const char *requested, const char *begins,
                           const char *form)
{
    char remedy[64], instead[80];
    CHECK_STATUS(plan_long(wide, requested), PAV_EUNSUPPORTED);
    const char *at = strstr(pav_message(), begins);
    REQUIRE(at != NULL);
    REQUIRE(sscanf(at + strlen(begins), "%63[^)]", remedy) == 1);
    (void)snprintf(instead, sizeof instead, form, remedy);
    CHECK_STATUS(plan_long(wide, instead), PAV_OK);
}

TEST(a_tile_is_named_where_no_depth_is_small_enough)
{
    if (strcmp(kept_kernels(), "cpu") != 0) {
        test_skip("plans of passes", "there is no device cpu");
        return;
    }
    names_a_remedy(400000000, "time", "a tile that they need not hold (", "%s");
    names_a_remedy(400000000, "time:depth=2", "need not hold (", "%s");
    CHECK_STATUS(plan_long(400000000, "time:depth=2,tile=4x4"), PAV_OK);
}

TEST(the_depth_is_named_that_is_small_enough)
{
    const int64_t own = 2 * host_cache(2), shared = host_cache(0) / 2;
    const int64_t most = own > shared ? own : shared;
    if (strcmp(kept_kernels(), "cpu") != 0 || most == 0) {
        test_skip("plans of passes", "there is no device cpu, or its caches are unknown");
        return;
    }
    names_a_remedy(most / 1000, "time:depth=64", "ask for less depth (", "time:%s");
}

TEST(fused_launches_that_are_requested_are_not_tried_beside_single_steps)
{
    planned_says(PLATE HEAT, "cpu", "time:depth=4",
                 "taken as asked for:\n             time:depth=4", true);
    planned_says(PLATE HEAT, "cpu", "time", "tried as asked for:\n", true);
    planned_says(PLATE HEAT, "cpu", "time", "beside single steps", false);
}

/* ---- memory traffic ---------------------------------------------------------------- */

#define SQUARE "grid x 140, y 130\nfield u = random(1)\nborder u = 0\n" HEAT

/* Fused launches and single steps each move at least 16 bytes a point. Between two
 * observations (`unseen` steps) there are `launches` fused launches and `singles` single
 * steps. */
static void check_moved(const char *source, const char *requested, int unseen,
                        int launches, int singles)
{
    const pav_run_options how = {.schedule = requested};
    const double least = 16. * (launches + singles) / unseen;
    planned p;
    REQUIRE_OK(plan_text_of(source, "emulated", &how, &p));
    CHECK(p.plan->launches.count > 0);
    for (int n = 0; n < p.plan->launches.count; n++) {
        CHECK(p.plan->launches.launch[n].bytes > 0.999 * least);
        CHECK(p.plan->launches.launch[n].bytes < 2.3 * least);
    }
    close_planned(&p);
}

TEST(launches_that_are_cut_short_move_more_of_each_step)
{
    if (!on_gpu_there())
        return;
    check_moved(SQUARE "measure m = sum(u) every 4\nsteps 900\n", "persistent", 4, 1, 1);
    check_moved(SQUARE "measure m = sum(u) every 9\nsteps 900\n", "persistent", 9, 1, 1);
    check_moved(SQUARE "steps 30\n", "persistent", 30, 1, 1);
    check_moved(SQUARE "steps 2000\n", "persistent:depth=2", 2000, 2, 1);
    check_moved(SQUARE "steps 17\n", "time:depth=4", 17, 4, 1);
    check_moved(SQUARE "steps 16\n", "time:depth=4", 16, 3, 4);
    check_moved(SQUARE, "time:depth=4", 4, 1, 0);
}

TEST(shorter_launches_move_less_than_single_steps)
{
    static const char look[] = SQUARE "measure m = sum(u) every 15\nsteps 900\n";
    if (!on_gpu_there())
        return;
    check_moved(look, "time:depth=8", 15, 2, 1);
    check_moved(look, "time:depth=4", 15, 4, 1);
    check_moved(look, "time:depth=7", 15, 2, 1);
    check_moved(SQUARE "measure m = sum(u) every 10\nsteps 900\n", "time:depth=8", 10, 1,
                2);
}

TEST(a_plan_tells_of_shorter_launches)
{
    static const char observed[] = SQUARE "measure m = sum(u) every 15\nsteps 900\n";
    static const char shorter[] = "before observations";
    planned_says(observed, "emulated", "time:depth=8",
                 "with the overlap of tiles, with launches of 6 before observations",
                 true);
    planned_says(observed, "emulated", "time:depth=7", shorter, false);
    planned_says(SQUARE "steps 15\n", "emulated", "time:depth=8", shorter, false);
}

static void check_depths(const char *source, int most)
{
    planned p;
    REQUIRE_OK(plan_text_of(source, "cpu", &(pav_run_options){.schedule = "time"}, &p));
    CHECK(p.plan->blocks->count > 0);
    for (int n = 0; n < p.plan->blocks->count; n++)
        CHECK(p.plan->blocks->trial[n].shape.tile.steps <= most);
    close_planned(&p);
}

TEST(fused_launches_are_no_deeper_than_there_are_steps_between_looks)
{
    if (strcmp(kept_kernels(), "cpu") != 0) {
        test_skip("plans of passes", "there is no device cpu");
        return;
    }
    check_depths(SQUARE "measure m = sum(u) every 2\nsteps 90\n", 2);
    check_depths(SQUARE "measure m = sum(u) every 9\nsteps 90\n", 9);
    check_depths(SQUARE "steps 5\n", 5);
    check_depths(SQUARE, 24);
}

TEST(tiles_of_a_row_are_no_shorter_than_a_call_is_worth)
{
    const pav_run_options how = {.schedule = "time", .no_files = 1};
    planned p;
    if (strcmp(kept_kernels(), "cpu") != 0) {
        test_skip("plans of passes", "there is no device cpu");
        return;
    }
    REQUIRE_OK(plan_text_of("grid x 16777216\nfield u = x\nu' = u + 0.1*dxx(u)\n"
                            "border u = 0\nsteps 100\n",
                            "cpu", &how, &p));
    CHECK(p.plan->blocks->count > 0);
    for (int n = 0; n < p.plan->blocks->count; n++)
        CHECK(p.plan->blocks->trial[n].shape.tile.size[TILE_SWEEP] >= 4096);
    close_planned(&p);
}
