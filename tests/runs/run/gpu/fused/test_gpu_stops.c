/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs with fused launches can be stopped at any step, and a due checkpoint always holds
 * complete levels. */
#include <stdio.h>

#include "exec/gpu/gpu_private.h"
#include "on_gpu.h"
#include "run/checkpoint/checkpoint_private.h"
#include "run/run_private.h"

enum { POINTS = 31 * 27, AGES = 3 };

#define PLATE "grid x 31, y 27\nfield u = random(1)\n"
/* The last line reads a level that steps do not. */
#define WAVE                                                                             \
    "u' = 2*u - prev(u) + 0.1*laplace(u)\nborder u = 0\nsteps 300\n"                     \
    "until max(u) > 1e30 every 9\n"                                                      \
    "expect max(abs(u - prev(u, 2))) < 1e9\n"
static const char persistent[] = "persistent:depth=2,tiles=2x2";
static const char sweeps[] = "time:shared,depth=2,threads=16,planes=9";

/* Asks a run to stop after a number of steps. */
static int stop_from(void *user, pav_event event, const pav_progress *progress,
                     const char *said)
{
    const int64_t *from = user;
    (void)said;
    return event == PAV_EVENT_PROGRESS && progress->step >= *from;
}

static void open_stopping(const char *requested, int64_t *from, begun *b)
{
    const pav_run_options how = {.no_files = 1,
                                 .nan_check_every = -1,
                                 .schedule = requested,
                                 .listener = stop_from,
                                 .user = from,
                                 .report_seconds = 1e-12};
    REQUIRE_OK(kept_open(PLATE WAVE, "emulated", &how, b));
}

/* After a stop request the run takes a step to complete the levels. */
static void stops_soon(begun *b)
{
    CHECK_STATUS(pav_run_finish(b->run), PAV_EINTERRUPTED);
    CHECK(pav_run_step(b->run) < 299);
    CHECK(!gpu_fused_is_behind(gpurun_of(run_place(b->run)->executor)));
    CHECK(strstr(report_of(b, 0), ", stopped") != NULL);
    close_begun(b);
}

TEST(a_run_is_stopped_while_fused_launches_are_tried)
{
    int64_t from = 5;
    begun b;
    if (!on_gpu_there())
        return;
    open_stopping(persistent, &from, &b);
    stops_soon(&b);
    open_stopping(sweeps, &from, &b);
    stops_soon(&b);
}

TEST(a_run_is_stopped_within_fused_launches_that_were_requested)
{
    int64_t from = 30;
    begun b;
    if (!on_gpu_there())
        return;
    open_stopping(sweeps, &from, &b);
    stops_soon(&b);
}

/* The state after autotuning found single steps the fastest. */
TEST(a_run_is_stopped_after_fused_launches_were_left_for_single_steps)
{
    int64_t from = 20;
    begun b;
    if (!on_gpu_there())
        return;
    open_stopping(sweeps, &from, &b);
    while (!gpu_choice_is_tuned(gpurun_of(run_place(b.run)->executor)) ||
           !gpu_fused_is_behind(gpurun_of(run_place(b.run)->executor)))
        REQUIRE_OK(b.run->stepper->steps(b.run, 99));
    gpurun_of(run_place(b.run)->executor)->fused = NULL;
    stops_soon(&b);
}

/* ---- checkpoints ------------------------------------------------------------------- */

static pav_run_options kept_by_time(const char *requested)
{
    return (pav_run_options){.no_files = 1,
                             .nan_check_every = -1,
                             .schedule = requested,
                             .checkpoint = kept_path("c"),
                             .checkpoint_seconds = 1e-12};
}

/* Returns the step of the checkpoint. The checkpoint was due at the end of a launch. */
static int64_t leave_checkpoint(const char *requested)
{
    const pav_run_options how = kept_by_time(requested);
    begun b;
    REQUIRE_OK(kept_open(PLATE WAVE, "emulated", &how, &b));
    REQUIRE_OK(pav_run_steps(b.run, 3));
    while (!gpu_fused_is_behind(gpurun_of(run_place(b.run)->executor)))
        REQUIRE_OK(b.run->stepper->steps(b.run, 9));
    const int64_t before = b.run->checkpoint.saved;
    REQUIRE_OK(checkpoint_after_step(b.run));
    while (b.run->checkpoint.saved == before) {
        REQUIRE_OK(b.run->stepper->steps(b.run, 9));
        REQUIRE_OK(checkpoint_after_step(b.run));
    }
    const int64_t step = b.run->checkpoint.saved;
    close_begun(&b);
    return step;
}

static void levels_of(const char *restart, int64_t step, double *values)
{
    const pav_run_options how = {.no_files = 1, .restart = restart};
    begun b;
    REQUIRE_OK(kept_open(PLATE WAVE, "interpreter", &how, &b));
    REQUIRE_OK(pav_run_steps(b.run, step - pav_run_step(b.run)));
    for (int age = 0; age < AGES; age++)
        REQUIRE_OK(
            pav_field_read(b.run, "u", age, PAV_F64, values + age * POINTS, POINTS));
    close_begun(&b);
}

TEST(a_checkpoint_by_the_clock_holds_all_levels)
{
    static double want[AGES * POINTS], got[AGES * POINTS];
    static const char *const all[] = {persistent, sweeps};
    for (size_t n = 0; n < COUNT_OF(all) && on_gpu_there(); n++) {
        const int64_t step = leave_checkpoint(all[n]);
        levels_of(NULL, step, want);
        levels_of(kept_path("c"), step, got);
        CHECK(memcmp(want, got, sizeof want) == 0);
        CHECK(want[0] != 0 || want[40] != 0);
    }
}

static int ask_for_checkpoint(void *user, pav_event event, const pav_progress *progress,
                              const char *said)
{
    begun *b = user;
    double values[POINTS];
    (void)said;
    if (event != PAV_EVENT_PROGRESS || progress->step < 4 ||
        !gpu_fused_is_behind(gpurun_of(run_place(b->run)->executor)))
        return 0;
    CHECK_STATUS(pav_run_checkpoint(b->run, kept_path("c")), PAV_EINVAL);
    CHECK(strstr(pav_message(), "lacks the oldest levels") != NULL);
    CHECK_STATUS(pav_field_read(b->run, "u", AGES - 1, PAV_F64, values, POINTS),
                 PAV_EINVAL);
    CHECK_STATUS(pav_field_read(b->run, "u", AGES - 2, PAV_F64, values, POINTS), PAV_OK);
    return 1;
}

TEST(levels_that_are_left_out_are_neither_read_nor_kept)
{
    begun b;
    const pav_run_options how = {.no_files = 1,
                                 .schedule = sweeps,
                                 .listener = ask_for_checkpoint,
                                 .user = &b,
                                 .report_seconds = 1e-12};
    if (!on_gpu_there())
        return;
    REQUIRE_OK(kept_open(PLATE WAVE, "emulated", &how, &b));
    CHECK_STATUS(pav_run_finish(b.run), PAV_EINTERRUPTED);
    REQUIRE_OK(pav_run_checkpoint(b.run, kept_path("c")));
    close_begun(&b);
}
