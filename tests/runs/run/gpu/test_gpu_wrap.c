/* SPDX-License-Identifier: BSD-3-Clause */
/* Periodic rows wrap around without ghosts, and readers of the ghosts still find them. */
#include <math.h>
#include <stdio.h>

#include "exec/gpu/gpu_private.h"
#include "on_gpu.h"
#include "run/run_private.h"

static const char ring[] =
    "grid x %d, y 6, z 5\nreal f32\nfield u = x*x + 3*y - z; v = x - y*z\n"
    "u' = u + 0.1*laplace(v) + 0.01*v[1, 0, 1]\nv' = v + 0.1*laplace(u) - 0.01*u[-1, 0, "
    "1]\n"
    "border periodic u, v\nmeasure slope = max(abs(u[1, 0, 0] - u[-1, 0, 0]))\n";
static const char sweep[] = "sweep:threads=4x2,vector=4,planes=2";

static double slope_after(const begun *b, int64_t steps)
{
    double slope = NAN;
    REQUIRE_OK(pav_run_steps(b->run, steps));
    REQUIRE_OK(pav_run_get(b->run, "slope", &slope));
    return slope;
}

static void open_ring(int width, const char *device, const char *requested, begun *b)
{
    const pav_run_options how = {
        .no_files = 1, .nan_check_every = -1, .schedule = requested};
    char source[512];
    (void)snprintf(source, sizeof source, ring, width);
    REQUIRE_OK(kept_open(source, device, &how, b));
}

TEST(rows_that_wrap_leave_ghosts_out_until_a_measure_reads_them)
{
    begun ours, theirs;
    if (!on_gpu_there())
        return;
    open_ring(16, "emulated", sweep, &ours);
    open_ring(16, "interpreter", NULL, &theirs);
    for (int n = 0; n < 4; n++) {
        REQUIRE_OK(pav_run_steps(ours.run, 7));
        CHECK(n == 0 || gpurun_of(run_place(ours.run)->executor)->wrap_ghosts_stale);
        CHECK_NEAR(slope_after(&ours, 1), slope_after(&theirs, 8), 0);
    }
    close_begun(&ours);
    close_begun(&theirs);
}

TEST(rows_that_are_no_whole_vectors_keep_their_ghosts)
{
    begun b;
    if (!on_gpu_there())
        return;
    open_ring(18, "emulated", sweep, &b);
    REQUIRE_OK(pav_run_steps(b.run, 30));
    CHECK(!gpurun_of(run_place(b.run)->executor)->wrap_ghosts_stale);
    close_begun(&b);
}

LONG_TEST(sweeps_that_go_around_have_the_bits_of_the_interpreter)
{
    static const char *const ways[] = {"sweep:threads=4x2,vector=4,planes=2",
                                       "sweep:threads=2x2,vector=2,rows=2,planes=3",
                                       "sweep:threads=4x1,vector=1,ahead=1,planes=5"};
    char source[512];
    if (!on_gpu_there())
        return;
    (void)snprintf(source, sizeof source, ring, 16);
    for (size_t n = 0; n < COUNT_OF(ways); n++)
        on_gpu_verified(source, ways[n]);
}

/* Corners beyond a face of y have the values of their own places, not found in a periodic
 * row. */
LONG_TEST(corners_beyond_ends_that_wrap_have_the_values_of_their_places)
{
    static const char *const rules[] = {
        "border u = x beyond y-\nborder clamp u at y+\n",
        "border neumann u = 0.1*x at y-\nborder odd u at y+\n",
        "border mirror u at y-\nborder u = y - x at y+\n"};
    static const char *const ways[] = {"sweep:threads=32x1", "sweep:threads=4x1"};
    char source[512];
    if (!on_gpu_there())
        return;
    for (size_t n = 0; n < 2 * COUNT_OF(rules); n++) {
        (void)snprintf(source, sizeof source,
                       "grid x 16, y 8\nfield u = x*x - y; v = 0\nu' = 0.5*u[-1, %d]\n"
                       "v' = u[1, 0] - u[-1, 0]\nborder periodic u at x-, x+\n"
                       "border clamp v\n%s",
                       n % 2 ? 1 : -1, rules[n / 2]);
        on_gpu_verified(source, ways[n % 2]);
    }
}

/* Two given faces of an axis of two points leave none between them. */
TEST(stages_without_points_have_nothing_to_try)
{
    static const char *const grids[] = {"x 16, y 12, z 2", "x 16, y 12, z 1",
                                        "x 3, y 40, z 2", "x 2, y 12, z 9",
                                        "x 16, y 1, z 9"};
    char source[512];
    if (!on_gpu_there())
        return;
    for (size_t n = 0; n < COUNT_OF(grids); n++) {
        (void)snprintf(source, sizeof source,
                       "grid %s\nfield u = x - y + z\nu' = u + 0.1*laplace(u)\n"
                       "border u = 0\n",
                       grids[n]);
        on_gpu_verified(source, NULL);
    }
}
