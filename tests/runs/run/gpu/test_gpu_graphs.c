/* SPDX-License-Identifier: BSD-3-Clause */
/* Repeated launches become graphs, here on the emulated GPU. Whatever comes between,
 * values are bitwise identical to the interpreter's. */
#include <stdio.h>

#include "exec/gpu/gpu_private.h"
#include "kept.h"
#include "run/run_private.h"

enum { POINTS = 64, MOST_POINTS = 512 };
static const char turning[] = /* three levels of one field, two of another */
    "grid x 8, y 8\nfield u = x*y; v = x\nprev(u) = x*y\nscalar c = 0.1\n"
    "u' = u + 0.5*(u - prev(u)) + c*laplace(u)\nv' = 0.5*v + 0.1*u\nborder periodic u, "
    "v\nexpect max(abs(prev(u, 2) + prev(v))) < 1e9\n";

/* `way` is the schedule of the GPU, or NULL. */
static bool open_both(const char *source, const char *way, begun *a, begun *b)
{
    const pav_run_options quiet = {.no_files = 1, .nan_check_every = -1};
    const pav_run_options how = {.no_files = 1, .nan_check_every = -1, .schedule = way};
    pav_device *device = NULL;
    if (test_loses_stacks())
        return false;
    const bool there = pav_device_open("emulated", &device) == PAV_OK;
    pav_device_free(device);
    if (!there)
        test_skip("graphs of runs", pav_message());
    if (there)
        REQUIRE_OK(kept_open(source, "emulated", &how, a));
    if (there)
        REQUIRE_OK(kept_open(source, "interpreter", &quiet, b));
    return there;
}

static void take_steps(const begun *a, const begun *b, int64_t steps)
{
    REQUIRE_OK(pav_run_steps(a->run, steps));
    REQUIRE_OK(pav_run_steps(b->run, steps));
}

/* Compares a field of both runs, then closes the runs. */
static void check_points(begun *a, begun *b, const char *name, int count)
{
    double ours[MOST_POINTS], theirs[MOST_POINTS];
    REQUIRE_OK(pav_field_read(a->run, name, 0, PAV_F64, ours, count));
    REQUIRE_OK(pav_field_read(b->run, name, 0, PAV_F64, theirs, count));
    for (int k = 0; k < count; k++)
        CHECK(memcmp((const char *)&ours[k], (const char *)&theirs[k], sizeof *ours) ==
              0);
    close_begun(a);
    close_begun(b);
}

static void check_same(begun *a, begun *b, const char *name)
{
    check_points(a, b, name, POINTS);
}

static gpu_counts counts_of(const begun *a)
{
    return gpu_count(gpurun_of(run_place(a->run)->executor)->gpu);
}

TEST(levels_that_take_turns_come_to_the_same_bits)
{
    begun a, b;
    if (!open_both(turning, NULL, &a, &b))
        return;
    take_steps(&a, &b, 200);
    CHECK_EQ(gpurun_of(run_place(a.run)->executor)->period, 6);
    CHECK_EQ(counts_of(&a).graphs, 1);
    CHECK(counts_of(&a).replayed > 100);
    check_same(&a, &b, "u");
}

/* Conjugate directions: only the step itself reads its reductions and the numbers
 * computed from them. */
TEST(steps_whose_scalars_stay_on_the_gpu_are_graphs)
{
    static const char source[] =
        "grid x 8, y 8\nfield u = 0; r = sin(x)*cos(y) + 1; p = r\n"
        "let q = 4*p - p[1,0] - p[-1,0] - p[0,1] - p[0,-1]\nlet a = sum(r*r)/sum(p*q)\n"
        "u' = u + a*p\nr' = r - a*q\np' = r' + 0.5*sqrt(a)*p\nborder = 0\n"
        "until sum(r*r) < 0 every 50\n";
    begun a, b;
    if (!open_both(source, NULL, &a, &b))
        return;
    take_steps(&a, &b, 200);
    CHECK(gpurun_of(run_place(a.run)->executor)->scalars_on_device);
    CHECK(counts_of(&a).replayed > 500);
    check_same(&a, &b, "u");
}

/* The launches of all grids go out at once, though each residual is looked at. */
TEST(cycles_of_multigrid_are_graphs)
{
    static const char source[] =
        "grid x 17 from 0 to 1, y 17 from 0 to 1\nfield u; f = x\n"
        "solve -laplace(u) = f by multigrid to 1e-30\nborder u = 0\n";
    begun a, b;
    if (!open_both(source, NULL, &a, &b))
        return;
    take_steps(&a, &b, 20);
    const gpu_counts all = counts_of(&a);
    CHECK(all.replays >= 3 && all.replays <= 20);
    CHECK(all.replayed > 10 * all.replays);
    check_points(&a, &b, "u", 17 * 17);
}

/* Fields of a grid share buffers, and have equal values at their faces. No stage stores
 * these, so they are filled once. */
TEST(a_cycle_launches_little_more_than_its_stages)
{
    static const char source[] =
        "grid x 17 from 0 to 1, y 17 from 0 to 1\nfield u; f = x\n"
        "solve -laplace(u) = f by multigrid to 1e-30\nborder u = 0\n";
    begun a, b;
    if (!open_both(source, NULL, &a, &b))
        return;
    take_steps(&a, &b, 4);
    const int64_t before = counts_of(&a).launches;
    take_steps(&a, &b, 1);
    const subdomain *part = gpurun_of(run_place(a.run)->executor)->base.part;
    CHECK(counts_of(&a).launches - before <= part->code->step.count + 6);
    check_points(&a, &b, "u", 17 * 17);
}

/* The unknown and its correction share a buffer but have different values at their faces,
 * so each store requires a new filling. */
TEST(shared_buffers_with_other_borders_are_filled_each_time)
{
    static const char source[] =
        "grid x 17 from 0 to 1, y 17 from 0 to 1\nfield u; f = x\n"
        "solve -laplace(u) = f by multigrid to 1e-30\nborder u = 1 + x*y\n";
    begun a, b;
    if (!open_both(source, NULL, &a, &b))
        return;
    take_steps(&a, &b, 10);
    check_points(&a, &b, "u", 17 * 17);
}

/* Functions of reduced values have kernels, too, so the host needs no value. */
TEST(scalars_in_functions_stay_on_the_device)
{
    static const char source[] =
        "grid x 8, y 8\nfield u = x*y; v = y\nu' = u + v*0.1/max(abs(u))\n"
        "v' = v + exp(-sum(u))*u\nborder = 0\n";
    begun a, b;
    if (!open_both(source, NULL, &a, &b))
        return;
    take_steps(&a, &b, 20);
    CHECK(gpurun_of(run_place(a.run)->executor)->scalars_on_device);
    check_same(&a, &b, "v");
}

TEST(a_value_set_between_steps_ends_the_old_graphs)
{
    begun a, b;
    if (!open_both(turning, NULL, &a, &b))
        return;
    take_steps(&a, &b, 150);
    const gpu_counts before = counts_of(&a);
    REQUIRE_OK(pav_run_set(a.run, "c", 0.2));
    REQUIRE_OK(pav_run_set(b.run, "c", 0.2));
    take_steps(&a, &b, 36);
    CHECK_EQ(counts_of(&a).replays, before.replays);
    take_steps(&a, &b, 150);
    CHECK(counts_of(&a).replays > before.replays);
    check_same(&a, &b, "u");
}

TEST(a_field_written_between_steps_is_what_graphs_continue_from)
{
    begun a, b;
    double ones[POINTS];
    if (!open_both(turning, NULL, &a, &b))
        return;
    for (int k = 0; k < POINTS; k++)
        ones[k] = 1 + k % 7;
    take_steps(&a, &b, 150);
    REQUIRE_OK(pav_field_write(a.run, "u", 0, PAV_F64, ones, POINTS));
    REQUIRE_OK(pav_field_write(b.run, "u", 0, PAV_F64, ones, POINTS));
    take_steps(&a, &b, 150);
    CHECK_EQ(gpurun_of(run_place(a.run)->executor)->uploads, 1);
    check_same(&a, &b, "v");
}

/* A measure every 70 steps ends rounds of 64 steps early. */
TEST(a_measure_within_a_round_sees_the_step_it_is_of)
{
    static const char source[] =
        "grid x 8, y 8\nfield u = x*y\nu' = 0.5*u[1, 0] + 0.4*u[0, 1]\nborder u = 1\n"
        "measure m = sum(u) every 70\nsteps 1000\n";
    begun a, b;
    double ours, theirs;
    if (!open_both(source, NULL, &a, &b))
        return;
    take_steps(&a, &b, 300);
    REQUIRE_OK(pav_run_get(a.run, "m", &ours));
    REQUIRE_OK(pav_run_get(b.run, "m", &theirs));
    CHECK(ours == theirs);
    CHECK(counts_of(&a).replays >= 2);
    check_same(&a, &b, "u");
}

/* Rows of samples wait on the GPU for their download, so each step writes its row to a
 * different place. */
static const char sampled[] =
    "grid x 8, y 8\nfield u = x*y\nu' = 0.5*u[1, 0] + 0.4*u[0, 1]\nborder u = 1\n"
    "sample u at (2.5, 3) into \"u.csv\"\nsteps 900\n";

TEST(samples_at_every_step_come_again_when_their_rows_do)
{
    begun a, b;
    if (!open_both(sampled, NULL, &a, &b))
        return;
    take_steps(&a, &b, 900);
    CHECK(counts_of(&a).replays > 0);
    check_same(&a, &b, "u");
}

TEST(all_rows_of_samples_within_graphs_are_those_of_the_interpreter)
{
    static const char *const devices[] = {"emulated", "interpreter"};
    char csv[2][4096];
    begun a, b;
    if (!open_both(sampled, NULL, &a, &b))
        return;
    check_same(&a, &b, "u");
    for (int n = 0; n < 2; n++) {
        (void)snprintf(csv[n], sizeof csv[n], "%s/u.csv", kept_path(devices[n]));
        REQUIRE_OK(kept_run(sampled, devices[n],
                            &(pav_run_options){.directory = kept_path(devices[n])}));
    }
    CHECK(kept_same(csv[0], csv[1]));
}

/* A border and a source that change with time. */
static const char *const moving[] = {
    "grid x 8, y 8\nfield u = 0\nu' = u + 0.1*laplace(u)\nborder u = t\nsteps 400\n",
    "grid x 8, y 8\nfield u = 0\nu' = u + 0.1*laplace(u)\nborder u = 0\n"
    "inject 1/(1 + t) into u at (4, 4)\nsteps 400\n"};

TEST(what_depends_on_the_time_is_replayed_with_the_numbers_of_its_steps)
{
    for (size_t n = 0; n < COUNT_OF(moving); n++) {
        begun a, b;
        if (!open_both(moving[n], NULL, &a, &b))
            return;
        take_steps(&a, &b, 300);
        CHECK_EQ(counts_of(&a).graphs, 1);
        CHECK(counts_of(&a).replays >= 2);
        check_same(&a, &b, "u");
    }
}

TEST(numbers_in_arguments_and_constants_that_change_make_other_launches)
{
    static const char *const places[] = {"point:coefficients=argument",
                                         "point:coefficients=constant"};
    for (size_t n = 0; n < COUNT_OF(moving) * COUNT_OF(places); n++) {
        begun a, b;
        if (!open_both(moving[n / 2], places[n % 2], &a, &b))
            return;
        take_steps(&a, &b, 300);
        CHECK_EQ(counts_of(&a).replays, 0);
        check_same(&a, &b, "u");
    }
}

TEST(a_value_set_between_steps_comes_to_numbers_in_every_place)
{
    static const char *const places[] = {"argument", "constant", "global", "shared"};
    for (size_t n = 0; n < COUNT_OF(places); n++) {
        char way[64];
        begun a, b;
        (void)snprintf(way, sizeof way, "sweep:coefficients=%s", places[n]);
        if (!open_both(turning, way, &a, &b))
            return;
        take_steps(&a, &b, 150);
        REQUIRE_OK(pav_run_set(a.run, "c", 0.2));
        REQUIRE_OK(pav_run_set(b.run, "c", 0.2));
        take_steps(&a, &b, 200);
        CHECK(counts_of(&a).replays > 2);
        check_same(&a, &b, "u");
    }
}

LONG_TEST(ghosts_that_are_copies_are_one_launch_for_all_levels_of_a_stage)
{
    static const char *const sources[] = {
        "grid x 4, y 4, z 4\nfield u = x*y + z\nu' = u + 0.1*laplace(u)\nborder periodic "
        "u\n",
        "grid x 8, y 8\nfield u = x*y; v = x + y\nu' = u + 0.1*laplace(v)\n"
        "v' = v + 0.1*u[1, 0]\nborder mirror u\nborder odd v\n"};
    for (size_t n = 0; n < COUNT_OF(sources); n++) {
        begun a, b;
        if (!open_both(sources[n], NULL, &a, &b))
            return;
        take_steps(&a, &b, 10);
        const int64_t before = counts_of(&a).launches;
        take_steps(&a, &b, 10);
        const int64_t stages = a.run->code->step.count;
        CHECK(counts_of(&a).launches - before <= 10 * 2 * stages);
        check_same(&a, &b, "u");
    }
}

static const char beyond_faces[] = /* no edge, corner or row has whole vectors */
    "grid x 11, y 5, z 9\nreal f32\nfield u = x*y + z; v = x - z\n"
    "u' = u + 0.1*v[1, 1, -1] - 0.2*v[-2, 0, 1]\nv' = v + 0.1*u[-2, 1, 1] + u[1, 0, -1]\n"
    "border %s u, v\n";

static int64_t launches_of_10_steps(const begun *a, const begun *b)
{
    const int64_t before = counts_of(a).launches;
    take_steps(a, b, 10);
    return counts_of(a).launches - before;
}

LONG_TEST(ghosts_that_sweeps_store_need_no_launch)
{
    static const char *const ways[] = {"sweep:threads=2x2,planes=2",
                                       "sweep:threads=4x1,rows=3,planes=6",
                                       "sweep:shared,threads=2x2,rows=2,planes=4"};
    static const char *const kinds[] = {"periodic", "mirror", "neumann"};
    for (size_t n = 0; n < COUNT_OF(ways) * COUNT_OF(kinds); n++) {
        char source[512];
        begun a, b;
        (void)snprintf(source, sizeof source, beyond_faces, kinds[n % COUNT_OF(kinds)]);
        if (!open_both(source, ways[n / COUNT_OF(kinds)], &a, &b))
            return;
        const bool apart = strstr(ways[n / COUNT_OF(kinds)], "separate") != NULL;
        CHECK_EQ(launches_of_10_steps(&a, &b),
                 10 * (apart ? 2 : 1) * a.run->code->step.count);
        check_points(&a, &b, "u", 11 * 5 * 9);
    }
}
