/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and receivers inside fused launches on a GPU, and the autotuning of such
 * launches. */
#include <stdio.h>

#include "exec/gpu/gpu_private.h"
#include "on_gpu.h"
#include "run/run_private.h"

/* Positions between points, twice at the same points, near faces, and on a border
 * point. */
#define WAVES(rows)                                                                      \
    "grid x 30, y 26\nfield u; field v = 1 + x/100\nparam f = 0.2; dt = 0.5\n"           \
    "u' = 2*u - prev(u) + dt^2*0.3*laplace(u)\nv' = v + 0.1*laplace(v) + 0.01*u'\n"      \
    "border mirror u\nborder v = 0.1*t\nsteps 17\n"                                      \
    "inject ricker(f, t) into u at (10.3, 24.2) by sinc\n"                               \
    "inject 0.1*t*v into u at (10.3, 12.7), (11, 12), (11, 12)\n"                        \
    "inject 0.25*u' into v at (3.5, 4.5)\n"                                              \
    "sample u at (12, 12), (5.5, 24.5) by sinc into \"u" rows ".csv\"\n"                 \
    "sample v along (0, 0) to (29, 25) count 9 every 3 into \"v" rows ".csv\"\n"

/* Runs to the end and returns the number of fused launches. */
static int64_t finish(const char *source, const char *device, const char *requested)
{
    const pav_run_options how = {
        .schedule = requested, .nan_check_every = -1, .directory = kept_path("rows")};
    begun b;
    REQUIRE_OK(kept_open(source, device, &how, &b));
    REQUIRE_OK(pav_run_finish(b.run));
    const int64_t taken = gpurun_of(run_place(b.run)->executor)
                              ? gpu_fused_count(gpurun_of(run_place(b.run)->executor))
                              : 0;
    close_begun(&b);
    return taken;
}

TEST(sources_and_receivers_are_met_within_a_launch)
{
    if (!on_gpu_there())
        return;
    CHECK_EQ(finish(WAVES("1"), "interpreter", NULL), 0);
    CHECK_EQ(finish(WAVES("2"), "emulated", "time:depth=4,threads=24x1,planes=9"), 4);
    CHECK(kept_same(kept_path("rows/u1.csv"), kept_path("rows/u2.csv")));
    CHECK(kept_same(kept_path("rows/v1.csv"), kept_path("rows/v2.csv")));
}

#define FLAT                                                                             \
    "grid x 128, y 64\nreal f32\nfield u = random(1)\n"                                  \
    "u' = u + 0.1*laplace(u)\nborder u = 0\nsteps 1000000000\n"

static void open_flat(const char *device, const char *requested, begun *b)
{
    const pav_run_options how = {
        .no_files = 1, .nan_check_every = -1, .schedule = requested};
    REQUIRE_OK(kept_open(FLAT, device, &how, b));
}

static bool is_chosen(const begun *b)
{
    return gpu_choice_is_tuned(gpurun_of(run_place(b->run)->executor)) &&
           gpu_choice_has_tried(gpurun_of(run_place(b->run)->executor)) > 0;
}

/* Takes steps until the tuning is over. The length of a trial depends on the time of its
 * steps. */
static void settle(const begun *b, int64_t steps)
{
    for (int chunk = 0; chunk < 400 && !is_chosen(b); chunk++)
        REQUIRE_OK(pav_run_steps(b->run, steps));
}

static bool bits_are(const begun *a, const begun *b)
{
    pav_view one, other;
    REQUIRE_OK(pav_field_borrow(a->run, "u", 0, &one));
    REQUIRE_OK(pav_field_borrow(b->run, "u", 0, &other));
    bool same = true;
    for (int64_t j = 0; j < 64; j++)
        same = same && memcmp((const float *)one.data + j * one.stride[1],
                              (const float *)other.data + j * other.stride[1],
                              128 * sizeof(float)) == 0;
    return same;
}

TEST(a_long_run_tries_fused_launches)
{
    begun one, other;
    if (!on_gpu_there())
        return;
    open_flat("emulated", NULL, &one);
    open_flat("interpreter", NULL, &other);
    CHECK(gpurun_of(run_place(one.run)->executor)->choice != NULL);
    settle(&one, 12);
    REQUIRE_OK(pav_run_steps(other.run, pav_run_step(one.run)));
    CHECK(run_is_tuned(one.run));
    CHECK(gpu_choice_has_tried(gpurun_of(run_place(one.run)->executor)) > 1);
    CHECK(bits_are(&one, &other));
    close_begun(&one);
    close_begun(&other);
}

TEST(a_short_run_takes_single_steps)
{
    const pav_run_options how = {.no_files = 1, .nan_check_every = -1, .steps = 100};
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(kept_open(FLAT, "emulated", &how, &b));
    CHECK(gpurun_of(run_place(b.run)->executor)->choice == NULL);
    close_begun(&b);
}

TEST(what_is_requested_alone_has_its_sweeps_tried)
{
    begun b;
    if (!on_gpu_there())
        return;
    open_flat("emulated", "time:depth=4", &b);
    CHECK(!run_is_tuned(b.run));
    settle(&b, 100);
    CHECK(run_is_tuned(b.run));
    close_begun(&b);
    open_flat("emulated", "time:depth=4,planes=8", &b);
    settle(&b, 20);
    CHECK(run_is_tuned(b.run));
    close_begun(&b);
}
