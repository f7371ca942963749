/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs with split stages on the emulated GPU: bitwise identity, and private memory
 * between the two launches of a stage. */
#include <stdio.h>
#include <stdlib.h>

#include "exec/gpu/gpu_private.h"
#include "kept.h"
#include "planned.h"
#include "run/run_private.h"

static const char *const sources[] = {
    "grid x 13, y 6, z 9\nreal f32\nfield u = x*y; c = 1 + 0.1*z\nborder u = 0\n"
    "u' = 2*u - prev(u) + 0.01*c^2*laplace(u, order 4)\nsteps 6\n",
    "grid x 14, y 7, z 8\nfield u = x + z\nborder periodic\nstencil s { centre 0.3, "
    "face 0.06, edge 0.02, corner 0.0125 }\nu' = s(u)\nsteps 6\n",
    "grid x 14, y 9\nreal f32 stored f16\nfield u = x + y\nborder neumann\n"
    "u' = u + 0.1*laplace(u)\nsteps 6\n",
    "grid x 9, y 9\nfield u = x*y\nborder periodic\n"
    "let f = where(u[1,0] > u[-1,0]*exp(-y), u[1,0], u)\n"
    "u' = 0.1*(f[0,1] + f[0,-1])\nsteps 6\n",
};

static bool lacks_gpu(void)
{
    pav_device *device = NULL;
    const bool there = pav_device_open("emulated", &device) == PAV_OK;
    pav_device_free(device);
    if (!there)
        test_skip("runs on a GPU", pav_message());
    return !there;
}

static void open_by(const char *way, const char *source, begun *b)
{
    kept_notes[0] = 0;
    REQUIRE_OK(kept_open(source, "emulated",
                         &(pav_run_options){.no_files = 1,
                                            .nan_check_every = 1,
                                            .schedule = way,
                                            .listener = kept_listen},
                         b));
}

/* True if field u is bitwise identical in both runs. */
static bool same_u(const begun *a, const begun *b)
{
    static double left[4096], right[4096];
    pav_view v;
    REQUIRE_OK(pav_field_borrow(a->run, "u", 0, &v));
    const int64_t count = v.extent[0] * v.extent[1] * v.extent[2];
    REQUIRE_OK(pav_field_read(a->run, "u", 0, PAV_F64, left, count));
    REQUIRE_OK(pav_field_read(b->run, "u", 0, PAV_F64, right, count));
    return memcmp(left, right, (size_t)count * sizeof *left) == 0;
}

LONG_TEST(two_fused_launches_give_the_bits_of_one)
{
    begun one, two;
    for (size_t n = 0; n < COUNT_OF(sources) && !lacks_gpu(); n++) {
        open_by("sweep", sources[n], &one);
        open_by("two-pass", sources[n], &two);
        REQUIRE_OK(pav_run_steps(one.run, 6));
        REQUIRE_OK(pav_run_steps(two.run, 6));
        CHECK(same_u(&one, &two));
        CHECK_STR(run_schedule(two.run), "two-pass");
        close_begun(&one);
        close_begun(&two);
    }
}

TEST(a_stage_that_stays_whole_says_why_and_goes_its_usual_way)
{
    begun b;
    if (lacks_gpu())
        return;
    open_by("two-pass",
            "grid x 9, y 9\nfield u = x; v = y\nborder u = 0\nborder v = 0\n"
            "u' = 0.5*u[1,0] + 0.5*u[-1,0]\nv' = v + 0.1*laplace(u')\n",
            &b);
    CHECK(strstr(kept_notes,
                 "stage u goes by the default schedule: it reads no neighbours "
                 "across its planes"));
    CHECK_STR(run_schedule(b.run), "mixed");
    close_begun(&b);
}

LONG_TEST(a_checkpoint_in_two_fused_launches_is_one_of_any_run)
{
    char path[4096];
    if (lacks_gpu())
        return;
    (void)strcpy(path, kept_path("in-parts"));
    const pav_run_options keeps = {
        .no_files = 1, .schedule = "two-pass", .checkpoint = path, .checkpoint_every = 3};
    REQUIRE_OK(kept_run(sources[0], "emulated", &keeps));
    REQUIRE_OK(kept_run(sources[0], "interpreter",
                        &(pav_run_options){.no_files = 1,
                                           .checkpoint = kept_path("in-one"),
                                           .checkpoint_every = 3}));
    CHECK(kept_same(path, kept_path("in-one")));
    CHECK_STATUS(kept_run(sources[0], "interpreter",
                          &(pav_run_options){.no_files = 1, .restart = path}),
                 PAV_OK);
}

TEST(what_goes_from_pass_to_pass_is_planned_for)
{
    planned p;
    if (lacks_gpu())
        return;
    REQUIRE_OK(plan_text_of(sources[1], "emulated",
                            &(pav_run_options){.schedule = "two-pass"}, &p));
    CHECK(strstr(planned_report(&p, 0), "part 2"));
    CHECK(strstr(planned_report(&p, 0), "u, planes"));
    CHECK(p.plan->run->work.step_bytes > 2 * p.plan->run->work.least_bytes);
    close_planned(&p);
}

TEST(the_bits_of_two_fused_launches_are_verified)
{
    pav_program *p = NULL;
    pav_device *device = NULL;
    char *said = NULL;
    if (lacks_gpu())
        return;
    REQUIRE_OK(pav_program_parse(sources[1], strlen(sources[1]), NULL, &p));
    REQUIRE_OK(pav_device_open("emulated", &device));
    CHECK_STATUS(
        pav_run_verify(p, device, &(pav_run_options){.schedule = "two-pass"}, 3, &said),
        PAV_OK);
    free(said);
    pav_device_free(device);
    pav_program_free(p);
}
