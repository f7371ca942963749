/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs on the emulated GPU: users get the interpreter's values, and the two copies of a
 * level are copied only when needed. */
#include <stdio.h>
#include <stdlib.h>

#include "exec/gpu/gpu_private.h"
#include "on_gpu.h"
#include "run/run_private.h"

static const pav_run_options quiet = {.no_files = 1, .nan_check_every = -1};
static const char plain[] =
    "grid x 12, y 9\nfield u = x*y\nu' = 0.5*u[1, 0] + 0.5*u[0, 1]\n"
    "border u = 1\nsteps 9\n";

static void open_on(const char *device, const char *source, begun *b)
{
    REQUIRE_OK(kept_open(source, device, &quiet, b));
}

/* Checks fields of two runs at the same step for bitwise identity. */
static void same_fields(const begun *a, const begun *b, const char *const *names)
{
    static double left[4096], right[4096];
    for (int n = 0; names[n]; n++) {
        pav_view v;
        REQUIRE_OK(pav_field_borrow(a->run, names[n], 0, &v));
        const int64_t count = v.extent[0] * v.extent[1] * v.extent[2];
        REQUIRE(count <= 4096);
        REQUIRE_OK(pav_field_read(a->run, names[n], 0, PAV_F64, left, count));
        REQUIRE_OK(pav_field_read(b->run, names[n], 0, PAV_F64, right, count));
        CHECK(memcmp(left, right, (size_t)count * sizeof *left) == 0);
    }
}

/* ---- host mirrors ------------------------------------------------------------------ */

TEST(a_level_is_downloaded_once_for_all_who_read_it)
{
    begun b;
    pav_view v;
    double all[108];
    if (!on_gpu_there())
        return;
    open_on("emulated", plain, &b);
    const gpurun *g = gpurun_of(run_place(b.run)->executor);
    CHECK_EQ(g->uploads + g->downloads, 0);
    REQUIRE_OK(pav_run_steps(b.run, 2));
    CHECK_EQ(g->uploads + g->downloads, 0);
    REQUIRE_OK(pav_field_borrow(b.run, "u", 0, &v));
    REQUIRE_OK(pav_field_read(b.run, "u", 0, PAV_F64, all, 108));
    CHECK_EQ(g->downloads, 1);
    REQUIRE_OK(pav_run_steps(b.run, 1));
    CHECK_EQ(g->downloads, 1);
    REQUIRE_OK(pav_field_read(b.run, "u", 0, PAV_F64, all, 108));
    CHECK_EQ(g->downloads, 2);
    CHECK_EQ(g->uploads, 0);
    close_begun(&b);
}

/* A stage without a kernel is computed on the host, correctly but very slowly. */
TEST(cycles_of_a_solver_move_no_level_to_the_host_or_back)
{
    static const char *const method[] = {"auto", "multigrid(smoother = chebyshev)", "cg"};
    char source[256];
    begun b;

    if (!on_gpu_there())
        return;
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
        (void)snprintf(source, sizeof source,
                       "grid x 17 from 0 to 1, y 17 from 0 to 1\nfield u; f = x*y\n"
                       "solve -laplace(u) = f by %s to 1e-9\nborder u = 0\n",
                       method[k]);
        open_on("emulated", source, &b);
        REQUIRE_OK(pav_run_steps(b.run, 3));
        CHECK_EQ(gpurun_of(run_place(b.run)->executor)->uploads +
                     gpurun_of(run_place(b.run)->executor)->downloads,
                 0);
        close_begun(&b);
    }
}

TEST(what_is_written_goes_up_once_and_steps_continue_from_it)
{
    begun a, b;
    double ones[108];
    if (!on_gpu_there())
        return;
    for (int k = 0; k < 108; k++)
        ones[k] = k;
    open_on("emulated", plain, &a);
    open_on("interpreter", plain, &b);
    for (int n = 0; n < 2; n++) {
        begun *one = n ? &b : &a;
        REQUIRE_OK(pav_run_steps(one->run, 2));
        REQUIRE_OK(pav_field_write(one->run, "u", 0, PAV_F64, ones, 108));
        REQUIRE_OK(pav_run_steps(one->run, 3));
    }
    CHECK_EQ(gpurun_of(run_place(a.run)->executor)->uploads, 1);
    same_fields(&a, &b, (const char *const[]){"u", NULL});
    close_begun(&a);
    close_begun(&b);
}

TEST(a_slice_is_downloaded_without_the_rest)
{
    begun b;
    const view *v;
    const box last = {{3, 4, 0}, {5, 5, 1}};
    if (!on_gpu_there())
        return;
    open_on("emulated", plain, &b);
    const host_mirror *t = gpurun_of(run_place(b.run)->executor)->host_mirror[0];
    REQUIRE_OK(run_host_box(b.run, 0, 0, &last, &v));
    CHECK_EQ(((const double *)v->data)[view_offset(v, 4, 4, 0)], 16);
    CHECK(!t[0].host_is_new && !t[1].host_is_new);
    REQUIRE_OK(run_host_view(b.run, 0, 0, HOST_READ, &v));
    CHECK_EQ(((const double *)v->data)[view_offset(v, 2, 3, 0)], 6);
    CHECK(t[0].host_is_new || t[1].host_is_new);
    close_begun(&b);
}

/* ---- equality with other devices --------------------------------------------------- */

TEST(the_files_of_a_run_on_a_gpu_are_those_of_the_interpreter)
{
    static const char *const files[] = {"u.csv", "v.npy", "top.csv", "v-end.npy"};
    char theirs[4096];
    if (!on_gpu_there())
        return;
    (void)snprintf(theirs, sizeof theirs, "%s", kept_path("theirs"));
    REQUIRE_OK(kept_run(kept_program(23), "emulated",
                        &(pav_run_options){.directory = kept_path("ours")}));
    REQUIRE_OK(kept_run(kept_program(23), "interpreter",
                        &(pav_run_options){.directory = theirs}));
    for (size_t n = 0; n < COUNT_OF(files); n++) {
        char ours[64], other[64];
        (void)snprintf(ours, sizeof ours, "ours/%s", files[n]);
        (void)snprintf(other, sizeof other, "theirs/%s", files[n]);
        CHECK(kept_same(kept_path(ours), kept_path(other)));
    }
}

/* Runs to step 20 on one device, then on another. The final checkpoint must equal the
 * checkpoint of one run. */
static void go_over(const char *from, const char *to)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s", kept_path(from));
    REQUIRE_OK(
        kept_run(kept_program(20), from,
                 &(pav_run_options){.directory = kept_path(""), .checkpoint = path}));
    REQUIRE_OK(kept_run(kept_program(31), to,
                        &(pav_run_options){.directory = kept_path(""),
                                           .checkpoint = path,
                                           .restart = path}));
    REQUIRE_OK(kept_run(kept_program(31), "interpreter",
                        &(pav_run_options){.directory = kept_path("whole"),
                                           .checkpoint = kept_path("whole.c")}));
    CHECK(kept_same(path, kept_path("whole.c")));
}

TEST(a_checkpoint_goes_over_from_a_gpu_and_to_it)
{
    if (!on_gpu_there())
        return;
    go_over("emulated", "interpreter");
    go_over("interpreter", "emulated");
}

TEST(sources_that_share_points_add_in_their_order)
{
    static const char source[] =
        "grid x 9, y 7\nreal f32\nfield u = 0.1\n"
        "u' = u + 0.1*laplace(u)\nborder u = 0\nmask x < 6.5\n"
        "inject 1/3 + 0.7*t into u at (4.25, 3.5), (4.25, 3.5), (4.75, 3.25), (7, 3), "
        "(0, 3)\n"
        "steps 4\n";
    begun a, b;
    if (!on_gpu_there())
        return;
    open_on("emulated", source, &a);
    open_on("interpreter", source, &b);
    REQUIRE_OK(pav_run_steps(a.run, 4));
    REQUIRE_OK(pav_run_steps(b.run, 4));
    CHECK_EQ(gpurun_of(run_place(a.run)->executor)->inject[0].rounds, 3);
    CHECK_EQ(gpurun_of(run_place(a.run)->executor)->inject[0].begin[3],
             12); /* without points at borders and masks */
    CHECK_EQ(gpurun_of(run_place(a.run)->executor)->uploads, 0);
    same_fields(&a, &b, (const char *const[]){"u", NULL});
    close_begun(&a);
    close_begun(&b);
}

TEST(sources_that_read_what_they_change_are_added_one_after_the_other)
{
    static const char source[] =
        "grid x 12, y 9\nfield u = x*y\nu' = u + 0.1*laplace(u)\nborder u = 1\n"
        "inject 0.3*u'[1, 0] into u at (4.25, 3.5), (4.75, 3.25), (4.25, 3.5)\nsteps 5\n";
    begun a, b;
    if (!on_gpu_there())
        return;
    open_on("emulated", source, &a);
    open_on("interpreter", source, &b);
    REQUIRE_OK(pav_run_steps(a.run, 3));
    REQUIRE_OK(pav_run_steps(b.run, 3));
    same_fields(&a, &b, (const char *const[]){"u", NULL});
    close_begun(&a);
    close_begun(&b);
}

TEST(measures_have_the_bits_of_the_interpreter)
{
    static const char source[] =
        "grid x 1100, y 3\nfield u = 1/(1 + x + 7*y)\nu' = u + 0.1*laplace(u)\n"
        "border periodic u\nmeasure s = sum(u*u)\nmeasure m = max(u - x)\nmeasure n = "
        "norm(u)\nsteps 3\n";
    static const char *const names[] = {"s", "m", "n"};
    begun a, b;
    if (!on_gpu_there())
        return;
    open_on("emulated", source, &a);
    open_on("interpreter", source, &b);
    REQUIRE_OK(pav_run_steps(a.run, 3));
    REQUIRE_OK(pav_run_steps(b.run, 3));
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        double one, other;
        REQUIRE_OK(pav_run_get(a.run, names[n], &one));
        REQUIRE_OK(pav_run_get(b.run, names[n], &other));
        CHECK(memcmp(&one, &other, sizeof one) == 0);
    }
    close_begun(&a);
    close_begun(&b);
}

TEST(a_sample_that_waits_on_the_gpu_is_there_when_it_is_requested)
{
    static const char source[] = "grid x 12\nfield u = x*x\nu' = 0.5*u[1]\nborder u = 1\n"
                                 "sample u at (2.5), (7)\nsteps 9\n";
    begun a, b;
    double ours[2], theirs[2];
    int64_t step = -1;
    if (!on_gpu_there())
        return;
    open_on("emulated", source, &a);
    open_on("interpreter", source, &b);
    REQUIRE_OK(pav_run_steps(a.run, 3));
    REQUIRE_OK(pav_run_steps(b.run, 3));
    REQUIRE_OK(pav_sample_read(a.run, 0, &step, ours, 2));
    REQUIRE_OK(pav_sample_read(b.run, 0, NULL, theirs, 2));
    CHECK_EQ(step, 3);
    CHECK(memcmp(ours, theirs, sizeof ours) == 0);
    close_begun(&a);
    close_begun(&b);
}

/* ---- messages ---------------------------------------------------------------------- */

TEST(what_is_not_finite_is_told_as_the_interpreter_tells_it)
{
    static const char source[] = "grid x 40, y 30\nfield u = x + y*y\n"
                                 "u' = u*u\nborder u = 0\nsteps 40\n";
    char said[512];
    if (!on_gpu_there())
        return;
    const pav_run_options watched = {.no_files = 1, .nan_check_every = 1};
    CHECK_STATUS(kept_run(source, "interpreter", &watched), PAV_ENOTFINITE);
    (void)snprintf(said, sizeof said, "%s", pav_message());
    CHECK_STATUS(kept_run(source, "emulated", &watched), PAV_ENOTFINITE);
    CHECK_STR(pav_message(), said);
}

TEST(what_the_host_has_to_do_is_said_once)
{
    static const char source[] = "grid x 40\nfield u = random(3)\nu' = 0.5*u\n"
                                 "inject 0.1*u'[1] into u at (5)\nborder u = 0\n"
                                 "steps 4\n";
    if (!on_gpu_there())
        return;
    kept_notes[0] = 0;
    REQUIRE_OK(kept_run(source, "emulated",
                        &(pav_run_options){.no_files = 1, .listener = kept_listen}));
    CHECK(strstr(kept_notes, "the host runs what emulated cannot: ") != NULL);
    CHECK(strstr(kept_notes, "(it reads neighbours of points changed by itself)") !=
          NULL);
}

TEST(planes_before_the_first_read_no_table_before_the_grid)
{
    static const char source[] =
        "grid x 2, y 2, z 7931\nreal f32\nfield u = x + 2*y + 3*z\n"
        "let g = max(u + u[1,0,0] + u[-1,0,0] + u[0,1,0], exp(-z))\nborder periodic u\n"
        "u' = 0.1*(g[0,0,1] - g[0,0,-1]) + 0.1*(u[0,0,200] - u[0,0,-200])\nsteps 1\n";
    if (!on_gpu_there())
        return;
    REQUIRE_OK(kept_run(source, "emulated",
                        &(pav_run_options){.no_files = 1, .schedule = "sweep"}));
}

TEST(a_grid_larger_than_the_gpu_is_refused_with_both_sizes)
{
    static const char source[] =
        "grid x 3000000, y 3000000\nfield u = 0\nu' = u\nborder u = 0\nsteps 1\n";
    if (!on_gpu_there())
        return;
    CHECK_STATUS(kept_run(source, "emulated", &quiet), PAV_ENOMEM);
    CHECK(strstr(pav_message(), "of device memory on emulated, ") != NULL);
    CHECK(strstr(pav_message(), " are free; what fits is a grid of ") != NULL);
}

static int warned;
static int count_warnings(void *user, pav_event event, const pav_progress *progress,
                          const char *said)
{
    (void)user;
    (void)progress;
    warned += event == PAV_EVENT_WARNING && strstr(said, " runs this program: ") != NULL;
    return 0;
}

/* The kernels of this program cannot come from the cache, because no compiler works
 * here. */
TEST(where_no_device_was_named_another_stands_in_for_a_gpu_that_fails)
{
    static const char source[] = "grid x 31\nfield u = x\nu' = 0.25*u[1] + 0.5\n"
                                 "border u = 2\nsteps 3\n";
    const pav_run_options told = {.no_files = 1, .listener = count_warnings};
    begun b = {0};
    if (!on_gpu_there())
        return;
    warned = 0;
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &b.program));
    REQUIRE_OK(pav_device_open("emulated", &b.device));
    (void)setenv("PAV_CXX", "/bin/false", 1);
    CHECK_STATUS(pav_run_open(b.program, b.device, &told, &b.run), PAV_EDEVICE);
    b.device->automatic = true;
    CHECK_STATUS(pav_run_open(b.program, b.device, &told, &b.run), PAV_OK);
    (void)unsetenv("PAV_CXX");
    CHECK_EQ(warned, 1);
    CHECK(gpurun_of(run_place(b.run)->executor) == NULL &&
          strcmp(b.run->device_name, "emulated") != 0);
    REQUIRE_OK(pav_run_finish(b.run));
    close_begun(&b);
}

TEST(a_schedule_of_processors_is_none_of_a_gpu)
{
    if (!on_gpu_there())
        return;
    const pav_run_options rows = {.no_files = 1, .schedule = "rows"};
    const pav_run_options point = {.no_files = 1, .schedule = "point"};
    CHECK_STATUS(kept_run(plain, "emulated", &rows), PAV_EINVAL);
    CHECK(strstr(pav_message(), "is of the device cpu") != NULL);
    CHECK_STATUS(kept_run(plain, "emulated", &point), PAV_OK);
}

TEST(a_run_on_a_gpu_is_verified)
{
    char *said = NULL;
    begun b;
    if (!on_gpu_there())
        return;
    open_on("emulated", kept_program(5), &b);
    REQUIRE_OK(pav_run_verify(b.program, b.device, NULL, 3, &said));
    CHECK(strstr(said, "3 steps on emulated") != NULL);
    pav_text_free(said);
    close_begun(&b);
}

TEST(the_report_names_the_gpu_and_its_memory)
{
    char *report = NULL;
    begun b;
    if (!on_gpu_there())
        return;
    open_on("emulated", plain, &b);
    REQUIRE_OK(pav_run_finish(b.run));
    REQUIRE_OK(pav_run_report(b.run, 0, &report));
    CHECK(strstr(report, "emulated (emulated)\n") != NULL);
    CHECK(strstr(report, " on the device\n") != NULL);
    pav_text_free(report);
    close_begun(&b);
}
