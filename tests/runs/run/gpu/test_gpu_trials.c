/* SPDX-License-Identifier: BSD-3-Clause */
/* Short launches are measured in series between two marks: kernels of a stage, single
 * steps, and fused launches. This changes no bit and no record. */
#include "exec/gpu/gpu_private.h"
#include "on_gpu.h"
#include "run/run_private.h"

enum { EVERY = 20, STEPS = 150, POINTS = 12 * 8 * 8 };

static const char cube[] =
    "grid x 12, y 8, z 8\nreal f32\nfield u = x*y + z; v = x\nscalar c = 0.1\n"
    "u' = u + c*laplace(u) + 0.01*v*t\nv' = v + c*laplace(u')\nborder periodic\n"
    "steps 1000000000\n";
static const char *const ways[] = {"sweep:threads=4x2",
                                   "sweep:shared,threads=4x2,coefficients=argument",
                                   "sweep:threads=4x2,vector=1,coefficients=constant"};

static bool same_bits(const begun *a, const begun *b, const char *name)
{
    double one[POINTS], other[POINTS];
    REQUIRE_OK(pav_field_read(a->run, name, 0, PAV_F64, one, POINTS));
    REQUIRE_OK(pav_field_read(b->run, name, 0, PAV_F64, other, POINTS));
    return memcmp((const char *)one, (const char *)other, sizeof one) == 0;
}

/* Runs long enough for all candidates. Launches longer than `seconds` are timed alone. */
static gpu_counts finish(const char *way, double seconds, begun *b)
{
    REQUIRE_OK(on_gpu_open(cube, way, b));
    CHECK(!run_is_tuned(b->run));
    gpurun_of(run_place(b->run)->executor)->short_launch = seconds;
    REQUIRE_OK(pav_run_steps(b->run, 60));
    CHECK(run_is_tuned(b->run));
    return gpu_count(executor_gpu(run_place(b->run)->executor));
}

TEST(short_kernels_are_tried_in_rows_of_launches)
{
    begun rows, single;
    for (size_t n = 0; n < COUNT_OF(ways) && on_gpu_there(); n++) {
        const gpu_counts many = finish(ways[n], 1e9, &rows);
        const gpu_counts once = finish(ways[n], 0, &single);
        CHECK(many.timed > 100);
        CHECK_EQ(once.timed, 0);
        CHECK_EQ(many.launches, once.launches);
        CHECK(same_bits(&rows, &single, "u"));
        CHECK(same_bits(&rows, &single, "v"));
        close_begun(&rows);
        close_begun(&single);
    }
}

/* True if repeating the stage gives the same result. */
static bool may_be_repeated(const gpu_stage *s)
{
    bool may = s->reductions == 0;
    for (int64_t k = 0; k < s->slots; k++)
        may = may && !(s->slot[k].loaded && s->slot[k].stored);
    return may;
}

TEST(only_stages_that_may_be_repeated_are_tried)
{
    static const char source[] =
        "grid x 40, y 40\nfield u = x; v = y\nu' = u + 0.1*laplace(u) + 0.001*sum(v)\n"
        "v' = v + 0.1*u'[1, 0]\nborder u = 0\nborder v = 0\n"
        "inject 0.25*u' into v at (3.5, 4.5)\nmeasure m = max(u) every 2\n";
    begun b;
    int tried = 0, not_tried = 0;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(on_gpu_open(source, NULL, &b));
    for (int64_t n = 0; n < b.run->code->stages; n++) {
        const gpu_stage *s = &gpurun_of(run_place(b.run)->executor)->stage[n];
        if (s->variants == 0)
            continue;
        CHECK(gpu_tuner_is_tuned(&s->tuner) || may_be_repeated(s));
        tried += !gpu_tuner_is_tuned(&s->tuner);
        not_tried += !may_be_repeated(s);
    }
    CHECK(tried >= 2);
    CHECK(not_tried >= 3);
    close_begun(&b);
}

/* ---- steps ------------------------------------------------------------------------- */

#define PLATE                                                                            \
    "grid x 48, y 24\nreal f32\nfield u = random(1)\nu' = u + 0.1*laplace(u)\n"          \
    "border u = 0\nsteps 1000000000\n"
#define SEEN PLATE "sample u at (5, 7)\nmeasure m = max(u) every 20\n"

/* Takes steps until the trial of single steps is over. Returns the longest series of
 * steps. */
static int64_t longest_row(begun *b)
{
    int64_t longest = 0;
    while (!gpurun_of(run_place(b->run)->executor)->fused &&
           gpu_choice_has_tried(gpurun_of(run_place(b->run)->executor)) == 0) {
        const int64_t from = pav_run_step(b->run);
        REQUIRE_OK(b->run->stepper->steps(b->run, 999));
        const int64_t last = pav_run_step(b->run);
        longest = last - from > longest ? last - from : longest;
        CHECK_EQ(from / EVERY, (last - 1) / EVERY);
    }
    return longest;
}

TEST(single_steps_are_tried_in_rows_that_end_where_something_looks)
{
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(on_gpu_open(SEEN, NULL, &b));
    REQUIRE(gpurun_of(run_place(b.run)->executor)->choice != NULL);
    gpurun_of(run_place(b.run)->executor)->trial_seconds = 1e9;
    REQUIRE_OK(pav_run_steps(b.run, 1));
    CHECK(longest_row(&b) > EVERY / 2);
    CHECK_EQ(run_blocks(b.run)->taken, 0);
    close_begun(&b);
}

static void open_keeping(const char *device, const char *way, begun *b)
{
    const pav_run_options how = {.no_files = 1, .nan_check_every = -1, .schedule = way};
    REQUIRE_OK(kept_open(SEEN, device, &how, b));
    b->run->observers.keeps_rows = true;
    if (gpurun_of(run_place(b->run)->executor))
        gpurun_of(run_place(b->run)->executor)->trial_seconds = 1e9;
    REQUIRE_OK(pav_run_steps(b->run, STEPS));
}

static void check_rows(const char *way)
{
    begun ours, theirs;
    open_keeping("emulated", way, &ours);
    open_keeping("interpreter", NULL, &theirs);
    for (int64_t k = 0; k < run_recorders(ours.run); k++) {
        kept_rows a, b;
        REQUIRE_OK(run_kept_rows(ours.run, k, &a));
        REQUIRE_OK(run_kept_rows(theirs.run, k, &b));
        REQUIRE(a.count == b.count);
        CHECK(memcmp((const char *)a.row, (const char *)b.row,
                     (size_t)(a.count * a.columns) * sizeof *a.row) == 0);
    }
    close_begun(&ours);
    close_begun(&theirs);
}

TEST(samples_are_taken_within_rows)
{
    if (!on_gpu_there())
        return;
    check_rows(NULL);
    check_rows("time:shared,depth=2,threads=32");
}

TEST(fused_launches_are_tried_in_rows)
{
    int64_t longest = 0;
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(on_gpu_open(PLATE, "time:shared,depth=2,threads=32", &b));
    gpurun_of(run_place(b.run)->executor)->trial_seconds = 1e9;
    REQUIRE_OK(pav_run_steps(b.run, 4));
    while (!gpu_choice_is_tuned(gpurun_of(run_place(b.run)->executor))) {
        const int64_t from = pav_run_step(b.run);
        REQUIRE_OK(b.run->stepper->steps(b.run, 999));
        longest = pav_run_step(b.run) - from > longest ? pav_run_step(b.run) - from
                                                       : longest;
    }
    CHECK(longest > 100);
    CHECK_EQ(run_blocks(b.run)->longest, 2);
    CHECK_EQ(run_blocks(b.run)->taken,
             gpu_fused_count(gpurun_of(run_place(b.run)->executor)));
    close_begun(&b);
}

/* ---- compiled ahead ---------------------------------------------------------------- */

static void take_until_tuned(begun *b)
{
    while (!run_is_tuned(b->run))
        REQUIRE_OK(pav_run_steps(b->run, 20));
}

TEST(fused_launches_are_compiled_while_steps_are_taken)
{
    begun ours, theirs;
    double one[48 * 24], other[48 * 24];
    if (!on_gpu_there())
        return;
    REQUIRE_OK(on_gpu_open(PLATE, NULL, &ours));
    REQUIRE(gpurun_of(run_place(ours.run)->executor)->choice != NULL);
    gpurun_of(run_place(ours.run)->executor)->ahead = true;
    gpu_choice_begin(gpurun_of(run_place(ours.run)->executor));
    take_until_tuned(&ours);
    CHECK(gpu_choice_has_tried(gpurun_of(run_place(ours.run)->executor)) > 1);
    REQUIRE_OK(kept_open(PLATE, "interpreter", NULL, &theirs));
    REQUIRE_OK(pav_run_steps(theirs.run, pav_run_step(ours.run)));
    REQUIRE_OK(pav_field_read(ours.run, "u", 0, PAV_F64, one, 48 * 24));
    REQUIRE_OK(pav_field_read(theirs.run, "u", 0, PAV_F64, other, 48 * 24));
    CHECK(memcmp((const char *)one, (const char *)other, sizeof one) == 0);
    close_begun(&ours);
    close_begun(&theirs);
}

TEST(a_run_that_ends_early_waits_for_one_launch_alone)
{
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(on_gpu_open(PLATE, NULL, &b));
    gpurun_of(run_place(b.run)->executor)->ahead = true;
    gpu_choice_begin(gpurun_of(run_place(b.run)->executor));
    REQUIRE_OK(pav_run_steps(b.run, 2));
    close_begun(&b);
}
