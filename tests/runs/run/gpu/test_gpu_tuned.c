/* SPDX-License-Identifier: BSD-3-Clause */
/* Tuned kernels on a GPU are reported by a schedule string, which requests the same
 * schedule again, and by their bytes and seconds. */
#include <stdio.h>

#include "exec/gpu/gpu_private.h"
#include "on_gpu.h"
#include "run/run_private.h"

static bool open_by(const char *source, const char *requested, begun *b)
{
    const pav_run_options how = {
        .no_files = 1, .nan_check_every = -1, .schedule = requested};
    pav_device *device = NULL;
    const bool there = pav_device_open("emulated", &device) == PAV_OK;
    pav_device_free(device);
    if (there)
        REQUIRE_OK(kept_open(source, "emulated", &how, b));
    else
        test_skip("runs on a GPU", pav_message());
    return there;
}

static void check_words(const begun *b, const char *requested)
{
    text t = {0};
    run_schedule_string(b->run, &t);
    CHECK_STR(t.data, requested);
    text_free(&t);
}

static const char heat[] =
    "grid x 32, y 8, z 12\nreal f32\nfield u = x\nu' = u + 0.1*laplace(u)\n"
    "border periodic\nsteps 40\n";

TEST(what_is_requested_is_what_a_run_goes_by)
{
    static const char shared[] = "sweep:shared,threads=8x2,rows=2,vector=4,ahead=2,"
                                 "planes=6";
    static const char *const words[] = {"sweep:threads=32x4,vector=1,planes=4", shared,
                                        "point:threads=16x4"};
    for (size_t n = 0; n < COUNT_OF(words); n++) {
        begun b;
        if (!open_by(heat, words[n], &b))
            return;
        CHECK(run_is_tuned(b.run));
        check_words(&b, words[n]);
        CHECK(strstr(report_of(&b, 0), words[n]) != NULL);
        CHECK(strstr(report_of(&b, 1), words[n]) != NULL);
        close_begun(&b);
    }
}

TEST(planes_are_tried_where_none_are_requested)
{
    begun b;
    if (!open_by(heat, "sweep:threads=32x4,vector=1", &b))
        return;
    CHECK(!run_is_tuned(b.run));
    CHECK(strstr(report_of(&b, 0), "more steps would try others") != NULL);
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK(run_is_tuned(b.run));
    CHECK(strstr(report_of(&b, 0), ",planes=") != NULL);
    CHECK(strstr(report_of(&b, 1), "\"tuned\": true") != NULL);
    close_begun(&b);
}

TEST(stages_that_differ_are_named)
{
    begun b;
    if (!open_by("grid x 17, y 17\nfield u = x\nfield c coarse = 0\nfield v = y\n"
                 "u' = 0.5*u[1,0] + 0.5*u\nv' = v[0,1]\nc' = restrict(u)\n"
                 "border u = 0\nborder v = 0\nborder c = 0\nsteps 2\n",
                 "sweep:threads=64x1,vector=2,planes=4", &b))
        return;
    check_words(&b,
                "sweep:threads=64x1,vector=2,planes=4 (u, v); point:threads=64x4 (c)");
    close_begun(&b);
}

/* A tile of 8x2 threads with 4 points of 2 rows is 32x4 points. */
TEST(bytes_of_a_step_are_those_of_the_tiles_it_goes_by)
{
    const double own = 12 * (4 * 6 + 2 * 4), around = 2 * 4 * 4;
    double bytes, seconds;
    begun b;
    if (!open_by(heat, "sweep:threads=8x2,rows=2,vector=4,planes=12", &b))
        return;
    REQUIRE_OK(run_limits(b.run, &bytes, &seconds));
    CHECK_EQ(bytes, 2 * 32 * (own + around) + 4 * 32 * 8 * 12);
    CHECK_EQ(seconds, 0);
    close_begun(&b);
}

/* A point needs 7 operations. The test's GPU takes a nanosecond for each. */
TEST(arithmetic_takes_as_long_as_its_instructions)
{
    double bytes, seconds;
    begun b;
    if (!open_by(heat, "point", &b))
        return;
    ((gpu_facts *)(uintptr_t)gpu_facts_of(executor_gpu(run_place(b.run)->executor)))
        ->f32_rate = 1e9;
    REQUIRE_OK(run_limits(b.run, &bytes, &seconds));
    CHECK_NEAR(seconds, 32 * 8 * 12 * 7e-9, 1e-15);
    close_begun(&b);
}

/* ---- rows without padding ---------------------------------------------------------- */

static const char odd[] =
    "grid x 13, y 8, z 6\nreal f32\nfield u = x*y\nfield w stored bf16 = z\n"
    "u' = u + 0.1*laplace(u) + w\nw' = 0.5*w[1,0,0]\nborder periodic\nsteps 4\n";

TEST(plain_rows_lie_one_behind_the_other)
{
    begun plain, padded;
    if (!open_by(odd, "point:plain", &plain) || !open_by(odd, "point", &padded))
        return;
    const int all = run_field_of(plain.run, plain.run->code->field[0].symbol);
    CHECK_EQ(levels_view(&plain.run->part->field[all], 0)->stride[1], 13 + 2);
    CHECK_EQ(levels_view(&padded.run->part->field[all], 0)->stride[1] % 32, 0);
    close_begun(&plain);
    close_begun(&padded);
}

TEST(plain_rows_change_no_bit)
{
    static const char *const words[] = {"point:plain", "sweep:plain",
                                        "sweep:shared,plain", "sweep:shuffle,plain"};
    for (size_t n = 0; n < COUNT_OF(words); n++) {
        const pav_run_options how = {.no_files = 1, .schedule = words[n]};
        char *said = NULL;
        begun b;
        if (!open_by(odd, words[n], &b))
            return;
        CHECK_STATUS(pav_run_verify(b.program, b.device, &how, 3, &said), PAV_OK);
        pav_text_free(said);
        close_begun(&b);
    }
}

TEST(vectors_of_plain_rows_are_refused)
{
    if (on_gpu_there())
        on_gpu_refused(odd, "sweep:plain,vector=4", "no vector with plain");
}
