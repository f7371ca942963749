/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporal blocking is bitwise identical to single steps: all borders, skewed tiles,
 * tiles along periodic axes, sources, receivers and several fields. */
#include <stdio.h>

#include "kept.h"
#include "run/run.h"

static const char *const shapes[] = {
    "time:depth=2,tile=16x1", "time:depth=3,tile=7x2", "time:depth=4,tile=9x3",
    "time:depth=5,tile=40x1", "time:depth=3,tile=0x4", "time:diamond,depth=4,tile=6x2",
};
/* Schedules for one axis, without columns. */
static const char *const lines[] = {"time:depth=2,tile=0x1", "time:depth=3,tile=0x2",
                                    "time:depth=4,tile=0x3", "time:depth=5,tile=0x40"};

/* Checks for use of the schedule: among 11 steps taken at once, some must run in time
 * blocks. */
static void passes_are_taken(const char *source, const char *requested)
{
    const pav_run_options how = {.no_files = 1, .schedule = requested};
    begun b;
    if (strcmp(kept_kernels(), "cpu") != 0)
        return;
    REQUIRE_OK(kept_open(source, "cpu", &how, &b));
    REQUIRE_OK(pav_run_steps(b.run, 11));
    CHECK(run_blocks(b.run)->taken > 0);
    close_begun(&b);
}

static void verified_as(const char *source, const char *requested, int threads)
{
    const pav_run_options how = {
        .no_files = 1, .schedule = requested, .threads = threads};
    begun b;
    char *said = NULL;
    REQUIRE_OK(kept_open(source, kept_kernels(), NULL, &b));
    REQUIRE_OK(pav_run_verify(b.program, b.device, &how, 11, &said));
    pav_text_free(said);
    close_begun(&b);
    passes_are_taken(source, requested);
}

static void verified(const char *source)
{
    for (size_t k = 0; k < COUNT_OF(shapes); k++)
        verified_as(source, shapes[k], 1 + (int)k % 3);
}

static void verified_line(const char *source)
{
    for (size_t k = 0; k < COUNT_OF(lines); k++)
        verified_as(source, lines[k], 1 + (int)k % 3);
}

#define CUBE "grid x 40, y 44, z 38\nreal f32\nfield u = random(1)\nsteps 99\n"
#define HEAT "u' = u + 0.1*laplace(u)\n"

TEST(steps_share_fused_launches_between_given_faces)
{
    verified(CUBE HEAT "border u = 0\n");
    verified(CUBE HEAT "border u = sin(t) + 0.1*x\n");
}

TEST(steps_share_fused_launches_around_faces_that_wrap)
{
    verified(CUBE HEAT "border periodic u\n");
    verified(CUBE HEAT "border periodic u at y-, y+\nborder clamp u at x-, x+\nborder "
                       "mirror u at z-, z+\n");
}

/* Tiles at the periodic face come first, and tiles that set the other field's face come
 * last. */
TEST(steps_share_fused_launches_where_one_field_wraps_and_another_has_a_value)
{
    verified_line("grid x 40\nfield u = random(1)\nfield v = random(2)\nsteps 99\n"
                  "v' = 0.3*prev(u)[-2] + 0.2*prev(u)[2]\nu' = 0.2*v'[-2] + 0.1*v'[2]\n"
                  "border periodic u\nborder v = 0.1*step\n");
    verified("grid x 60, y 50\nfield u = random(1)\nfield v = random(2)\nsteps 99\n"
             "u' = v\nv' = u'[0,1] + 0.1*u[-1,0]\n"
             "border periodic u\nborder v = sin(t)\n");
}

TEST(steps_share_fused_launches_beside_ghosts)
{
    verified(CUBE HEAT
             "border neumann u = 0.1*sin(t) at z-\nborder neumann u at z+\n"
             "border odd u at y-, y+\nborder u = t beyond x-\nborder u = t beyond x+\n");
}

TEST(steps_of_two_axes_share_fused_launches)
{
    verified("grid x 90, y 70\nfield u = random(1)\nborder mirror u\nsteps 99\n" HEAT);
    verified("grid x 300, y 70\nfield u = random(1)\nborder periodic u\nsteps 99\n" HEAT);
}

TEST(steps_of_one_axis_share_fused_launches)
{
    verified_line("grid x 300\nfield u = random(1)\nborder clamp u\nsteps 99\n" HEAT);
    verified_line("grid x 300\nfield u = random(1)\nborder periodic u\nsteps 99\n" HEAT);
}

TEST(stages_that_read_each_other_share_fused_launches)
{
    verified(CUBE "field v = random(2), w = random(3)\n"
                  "u' = u + 0.1*(v[1,0,0] - v[-1,0,0])\n"
                  "v' = v + 0.1*(u'[0,1,0] - u'[0,-1,0] + w[0,0,1])\n"
                  "w' = w + 0.05*(v'[0,0,1] + v'[0,-1,0] + u[1,0,0])\n"
                  "border periodic u\nborder mirror v\nborder w = 0\n");
}

TEST(sources_are_injected_within_fused_launches)
{
    verified(CUBE
             "field c = 0.1 + 0.05*random(2)\n"
             "u' = 2*u - prev(u) + c*laplace(u, order 4)\nborder mirror u\n"
             "inject sin(t) into u at (20.3, 20.6, 20.1), (20.5, 20.5, 20.5) by sinc\n"
             "inject c*u' into u at (0.3, 43, 37), (39, 0.2, 1.5)\n");
}

/* Special cases of kept sums of planes: rows longer than one piece of kept sums, planes
 * two apart, too few rows for several at once, and a table along z ending with the last
 * plane. */
#define SLAB "grid x 600, y 21, z 19\nfield u = random(1)\nsteps 99\n"
#define PLANE                                                                            \
    "let s(f) = f[-1,-1,0] + f[0,-1,0] + f[1,-1,0] + f[-1,0,0] + 2*f + f[1,0,0] "        \
    "+ f[-1,1,0] + f[0,1,0] + f[1,1,0]\n"

LONG_TEST(sums_of_planes_are_held_in_fused_launches)
{
    verified(SLAB PLANE "real f32\nborder mirror u\n"
                        "u' = 0.02*s(u) + 0.01*(s(u)[0,0,1] + s(u)[0,0,-1]) "
                        "+ 0.003*(s(u)[0,0,2] - s(u)[0,0,-2])\n");
    verified(SLAB "stencil s { centre 0.3, face 0.06, edge 0.02, corner 0.0125 }\n"
                  "border periodic u\nu' = s(u)\n");
    verified(SLAB PLANE "border u = 0\nu' = 0.05*(s(u)[0,0,1] + s(u)[0,0,-1]) "
                        "+ 0.1*(s(u)*sin(z) + u)\n");
    verified("grid x 33, y 3, z 19\nfield u = random(1)\nsteps 99\nborder u = 0\n" PLANE
             "u' = 0.02*s(u) + 0.01*(s(u)[0,0,1] + s(u)[0,0,-1])\n");
}

TEST(sums_of_planes_are_held_beside_other_fields)
{
    verified(SLAB PLANE "field c = random(2)\nfield v = random(3)\nborder clamp u, v\n"
                        "u' = 2*u - prev(u) + c*(s(u)[0,0,1] + s(u)[0,0,-1] - 2*s(u))\n"
                        "v' = 0.05*(s(v)[0,0,1] + s(v)[0,0,-1]) + 0.1*u'\n");
}

TEST(masks_and_layers_share_fused_launches)
{
    verified(CUBE "mask u = (x - 20)^2 + (y - 20)^2 + (z - 20)^2 > 50\n" HEAT
                  "border u = 0\n");
    verified("grid x 80, y 60\nfield u = random(1)\nsteps 99\n"
             "u' = 2*u - prev(u) + 0.1*laplace(u)\nabsorb 8 cells\n");
}

/* ---- tiles ------------------------------------------------------------------------- */

static void told_as(const char *source, const char *requested, const char *said)
{
    const pav_run_options how = {.no_files = 1, .schedule = requested};
    begun b;
    if (strcmp(kept_kernels(), "cpu") != 0)
        return;
    REQUIRE_OK(kept_open(source, "cpu", &how, &b));
    CHECK_STR(run_schedule(b.run), said);
    close_begun(&b);
}

TEST(tiles_are_told_as_they_are_taken)
{
    told_as(CUBE HEAT "border u = 0\n", "time:depth=3,tile=7x2", "time:depth=3,tile=7x2");
    told_as(CUBE HEAT "border u = 0\n", "time:depth=3,tile=1073741824x1073741824",
            "time:depth=3,tile=0x44");
    told_as(CUBE HEAT "border periodic u\n", "time:depth=3,tile=1x2",
            "time:depth=3,tile=5x5");
    told_as(CUBE HEAT "border periodic u\n", "time:depth=12,tile=9x4",
            "time:depth=12,tile=0x23");
    told_as("grid x 50\nfield u = x\nsteps 9\nborder periodic u\n" HEAT,
            "time:depth=2,tile=0x1", "time:depth=2,tile=0x3");
}

TEST(diamonds_are_told_as_they_are_taken)
{
    told_as(CUBE HEAT "border u = 0\n", "time:diamond,depth=6,tile=9x2",
            "time:diamond,depth=6,tile=9x2");
    told_as(CUBE HEAT "border u = 0\n", "time:skewed,depth=3,tile=7x2",
            "time:depth=3,tile=7x2");
}

TEST(diamonds_of_one_dimension_are_refused)
{
    const pav_run_options how = {.no_files = 1, .schedule = "time:diamond,depth=4"};
    begun b;
    if (strcmp(kept_kernels(), "cpu") != 0)
        return;
    CHECK_STATUS(kept_open("grid x 50\nfield u = x\nsteps 9\nborder u = 0\n" HEAT, "cpu",
                           &how, &b),
                 PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "one after another: leave out diamond") != NULL);
    close_begun(&b);
}

TEST(columns_of_a_grid_of_one_dimension_are_refused)
{
    const pav_run_options how = {.no_files = 1, .schedule = "time:tile=999x4"};
    begun b;
    if (strcmp(kept_kernels(), "cpu") != 0)
        return;
    CHECK_STATUS(kept_open("grid x 50\nfield u = x\nsteps 9\nborder u = 0\n" HEAT, "cpu",
                           &how, &b),
                 PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "give tile=0x4, tiles of 4 points") != NULL);
    close_begun(&b);
}

/* The skew is 16 points along x here, so a tile has at least 33 points. */
TEST(columns_of_two_axes_stand_around_a_face_that_wraps)
{
    const pav_run_options how = {.no_files = 1, .schedule = "time:depth=2,tile=16x1"};
    begun b;
    if (strcmp(kept_kernels(), "cpu") != 0)
        return;
    REQUIRE_OK(kept_open("grid x 300, y 70\nfield u = random(1)\nborder periodic u\n"
                         "steps 9\n" HEAT,
                         "cpu", &how, &b));
    CHECK_STR(run_schedule(b.run), "time:depth=2,tile=33x3");
    REQUIRE_OK(pav_run_steps(b.run, 9));
    CHECK_EQ(run_blocks(b.run)->tile.most[0], 9);
    CHECK_EQ(run_blocks(b.run)->tile.most[1], 23);
    CHECK(run_blocks(b.run)->tile.around[0] && run_blocks(b.run)->tile.around[1]);
    close_begun(&b);
}

/* Kernels of initial values run only once; tuning waits for kernels of the step. One step
 * tries the first of several loops, regardless of its time. */
TEST(runs_settle_whose_initial_values_have_kernels)
{
    const pav_run_options how = {.no_files = 1, .schedule = "rows"};
    begun b;
    REQUIRE_OK(kept_open(CUBE HEAT "border u = 0\n", kept_kernels(), &how, &b));
    REQUIRE_OK(pav_run_steps(b.run, 1));
    CHECK(!run_is_tuned(b.run));
    REQUIRE_OK(pav_run_steps(b.run, 64));
    CHECK(run_is_tuned(b.run));
    close_begun(&b);
}

/* ---- samples, measures, reports ---------------------------------------------------- */

static void sample_by(const char *requested, const char *samples, const char *sums)
{
    char source[10240];
    const pav_run_options how = {.schedule = requested, .allow_outside = 1};
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

/* Faces hold values of a later step, so within a pass they must be read before. */
static void sample_faces(const char *requested, const char *samples)
{
    char source[4096];
    const pav_run_options how = {.schedule = requested, .allow_outside = 1};
    (void)snprintf(source, sizeof source,
                   "grid x 60, y 40\nfield u = random(1)\nsteps 31\n"
                   "u' = u + 0.1*laplace(u, order 4)\nborder u = sin(t)\n"
                   "sample u at (0, 0), (30, 0), (0, 20), (59, 39), (30, 39), (59, 20) "
                   "into \"%s\"\n",
                   samples);
    REQUIRE_OK(kept_run(source, kept_kernels(), &how));
}

TEST(receivers_on_given_faces_see_the_values_of_their_step)
{
    char path[2][1024];
    (void)snprintf(path[0], sizeof path[0], "%s", kept_path("face1.csv"));
    (void)snprintf(path[1], sizeof path[1], "%s", kept_path("face2.csv"));
    sample_faces("rows", path[0]);
    sample_faces("time:depth=5,tile=1x1", path[1]);
    CHECK(kept_same(path[0], path[1]));
}

static void report_says(const char *source, const char *requested, const char *said)
{
    const pav_run_options how = {.no_files = 1, .schedule = requested};
    begun b;
    if (strcmp(kept_kernels(), "cpu") != 0)
        return;
    REQUIRE_OK(kept_open(source, "cpu", &how, &b));
    CHECK(strstr(report_of(&b, 0), "time blocks  none, single steps alone\n") != NULL);
    REQUIRE_OK(pav_run_steps(b.run, 23));
    CHECK(strstr(report_of(&b, 0), said) != NULL);
    CHECK_EQ(report_number(&b, "time_blocks"), run_blocks(b.run)->taken);
    CHECK_EQ(report_number(&b, "longest_time_block"), run_blocks(b.run)->longest);
    close_begun(&b);
}

TEST(the_report_counts_fused_launches_as_long_as_events_left_them)
{
    report_says(CUBE HEAT "border mirror u\nmeasure m = sum(u) every 2\n",
                "time:depth=16", "time blocks  11, of 2 steps at most\n");
    report_says(CUBE HEAT "border mirror u\n", "time:depth=64",
                "time blocks  1, of 23 steps at most\n");
    report_says(CUBE HEAT "border u = 0\n", "time:depth=4",
                "time blocks  6, of 4 steps at most\n");
}

/* ---- ends of time blocks ----------------------------------------------------------- */

#define FIRE CUBE HEAT "border u = 0.1*t\n"

static void open_points(const pav_run_options *how, begun *b)
{
    REQUIRE_OK(kept_open(FIRE, kept_kernels(), how, b));
}

static bool points_are_the_same(const begun *a, const begun *b)
{
    enum { POINTS = 40 * 44 * 38 };
    static float one[POINTS], other[POINTS];
    REQUIRE_OK(pav_field_read(a->run, "u", 0, PAV_F32, one, POINTS));
    REQUIRE_OK(pav_field_read(b->run, "u", 0, PAV_F32, other, POINTS));
    return memcmp(one, other, sizeof one) == 0;
}

TEST(a_checkpoint_is_of_its_step_and_gone_on_with_in_fused_launches)
{
    static char path[4096];
    begun whole, first, second;
    int64_t step;
    (void)snprintf(path, sizeof path, "%s", kept_path("pass"));
    const pav_run_options rows = {.no_files = 1, .schedule = "rows"};
    const pav_run_options often = {.no_files = 1,
                                   .schedule = "time:depth=8",
                                   .checkpoint = path,
                                   .checkpoint_every = 3};
    const pav_run_options again = {
        .no_files = 1, .schedule = "time:depth=8", .restart = path};
    open_points(&rows, &whole);
    REQUIRE_OK(pav_run_steps(whole.run, 15));
    open_points(&often, &first);
    REQUIRE_OK(pav_run_steps(first.run, 8));
    CHECK(pav_run_checkpointed(first.run, &step) != NULL);
    CHECK_EQ(step, 6);
    CHECK_EQ(report_number(&first, "checkpoints"), 2);
    open_points(&again, &second);
    CHECK_EQ(pav_run_step(second.run), 6);
    REQUIRE_OK(pav_run_steps(second.run, 9));
    CHECK(points_are_the_same(&whole, &second));
    close_begun(&whole);
    close_begun(&first);
    close_begun(&second);
}

TEST(the_nan_check_looks_at_its_steps)
{
    begun b;
    const pav_run_options how = {
        .no_files = 1, .schedule = "time:depth=8", .nan_check_every = 3};
    REQUIRE_OK(kept_open(CUBE "u' = where(step == 6, log(-1 - u*u), u)\n", kept_kernels(),
                         &how, &b));
    CHECK_STATUS(pav_run_steps(b.run, 16), PAV_ENOTFINITE);
    CHECK_EQ(pav_run_step(b.run), 9);
    CHECK(strstr(pav_message(), "after step 9 (after step 6 all was finite)") != NULL);
    close_begun(&b);
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
