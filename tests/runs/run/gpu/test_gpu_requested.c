/* SPDX-License-Identifier: BSD-3-Clause */
/* A requested schedule is used by a run on a GPU, or refused with the stage and the
 * reason. Plans say the same. */
#include <stdio.h>

#include "on_gpu.h"
#include "planned.h"
#include "run/run_private.h"

#define FLAT "grid x 40, y 20\nreal f32\nfield u = x*y\nborder u = 0\nsteps 20\n"
#define CUBE "grid x 40, y 20, z 10\nreal f32\nfield u = x*y\nborder u = 0\nsteps 20\n"
#define HEAT "u' = u + 0.1*laplace(u)\n"

/* A run and its plan must refuse the schedule with the same message. */
static void refused(const char *source, const char *requested, const char *why)
{
    planned p;
    if (!on_gpu_there())
        return;
    on_gpu_refused(source, requested, why);
    CHECK_STATUS(
        plan_text_of(source, "emulated", &(pav_run_options){.schedule = requested}, &p),
        PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), why) != NULL);
    close_planned(&p);
}

TEST(settings_that_cannot_be_are_refused_with_the_stage)
{
    refused(CUBE HEAT, "sweep:vector=8",
            "the schedule sweep:vector=8 cannot be: stage u: a thread loads at most 16");
    refused(CUBE HEAT, "sweep:plain,shared,copy=tma", "leave out plain or copy=tma");
    refused(CUBE HEAT, "sweep:threads=48x2", "powers of two");
    refused(FLAT HEAT, "sweep:rows=2", "leave out rows, with one thread along y");
}

TEST(settings_of_what_a_program_lacks_are_refused)
{
    refused(CUBE HEAT, "sweep:coefficients=global", "are literals of its kernels");
    refused("grid x 1, y 1, z 1\nfield u = x\nborder u = 0\nsteps 9\n" HEAT,
            "time:depth=2",
            "field u has 1 point along x, where steps that are taken together need");
}

/* A thread first reads values beyond the ends of its rows if it holds only one of its
 * rows in registers. */
LONG_TEST(rows_that_a_thread_does_not_hold_are_read_beside)
{
    static const char far[] = "grid x 40, y 18, z 41\nreal f32\nfield u = random(1)\n"
                              "steps 99\nu' = 0.4*u[2,-2,0] + 0.3*u[4,0,0]\n"
                              "border u = 0.5\n";
    if (on_gpu_there())
        on_gpu_verified(far, "sweep:shared,threads=32x4,rows=4,ahead=1");
}

TEST(a_schedule_that_no_stage_can_go_by_is_refused)
{
    static const char line[] = "grid x 40\nfield u = x\nborder u = 0\n" HEAT;
    refused(line, "sweep", "stage u: a grid of one dimension has no planes");
    refused(line, "two-pass", "stage u: a grid of one dimension has no planes");
    refused(FLAT "u' = 0.5*u\n", "sweep:shared", "no neighbours in a plane");
    refused(FLAT "u' = 0.5*u[0,1]\n", "sweep:shuffle", "no neighbours along x");
    refused(FLAT "u' = 0.5*u[1,0] + 0.5*u[-1,0]\n", "two-pass",
            "it reads no neighbours across its planes");
}

LONG_TEST(several_steps_that_cannot_share_a_launch_are_refused)
{
    refused("grid x 40\nfield u = x\nborder u = 0\n" HEAT, "time",
            "a grid of one dimension has no planes to sweep");
    refused(FLAT "u' = u + 0.001*sum(u)\n", "time", "folds all points");
    refused(FLAT "u' = u + 0.001*sum(u)\n", "persistent", "folds all points");
    refused(CUBE HEAT "until max(u) < 0 every 4\n", "time:depth=4",
            "`until` (line 7) is due every 4 steps, and launches take at least 4");
    refused("grid x 40, y 20\nfield u = x\nborder u = 0\nsteps 3\n" HEAT, "time:depth=4",
            "the run ends after 3 steps");
}

TEST(a_stage_without_planes_goes_as_usual_beside_others)
{
    begun b;
    if (!on_gpu_there())
        return;
    const pav_run_options how = {
        .no_files = 1, .schedule = "sweep:shared", .listener = kept_listen};
    kept_notes[0] = 0;
    REQUIRE_OK(
        kept_open(FLAT "u' = u + 0.1*laplace(u) + 0.001*sum(u)\n", "emulated", &how, &b));
    CHECK(strstr(kept_notes, "stage sum(u) goes by the default schedule: its reduction"));
    text words = {0};
    run_schedule_string(b.run, &words);
    CHECK(strstr(words.data, "sweep:shared,") && strstr(words.data, "(sum(u))"));
    text_free(&words);
    close_begun(&b);
}

/* For an automatic device, the processor replaces a failing GPU, except for schedules of
 * GPUs. */
LONG_TEST(nothing_stands_in_for_a_schedule_of_gpus)
{
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(kept_open(CUBE HEAT, "emulated", NULL, &b));
    b.device->automatic = true;
    pav_run_free(b.run);
    CHECK_STATUS(pav_run_open(b.program, b.device,
                              &(pav_run_options){.schedule = "sweep:vector=8"}, &b.run),
                 PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "at most 16 bytes") != NULL);
    close_begun(&b);
}

/* "time:...;ONE;OTHER", the form in wisdom files: each schedule belongs to one stage. */
static pav_status open_chosen(const char *choice, begun *b, pav_run **run)
{
    static const char two[] =
        "grid x 32, y 24, z 20\nfield u = x*y; v = x\nborder u = 0\nborder v = 0\n"
        "u' = u + 0.01*laplace(u)\nsteps 9\n"
        "v' = v + 0.01*laplace(u', order 8) + 0.01*laplace(u + v, order 8)\n";
    static const pav_run_options how = {.no_files = 1};
    REQUIRE_OK(kept_open(two, "emulated", NULL, b));
    return run_open_chosen(&b->program->tree, b->device, &how, choice, true, run);
}

static const char wide[] = "sweep:shared,threads=32x16,rows=2,vector=2,ahead=4";

LONG_TEST(what_is_known_of_a_stage_others_need_not_be_able_to_go_by)
{
    begun b;
    pav_run *run = NULL;
    char both[256];
    if (!on_gpu_there())
        return;
    (void)snprintf(both, sizeof both, "%s;sweep:vector=1", wide);
    REQUIRE_OK(open_chosen(both, &b, &run));
    text words = {0};
    CHECK_STATUS(run_choice_words(run, &words), PAV_OK);
    CHECK(strstr(words.data, "sweep:shared,threads=32x16") == words.data);
    CHECK(strstr(words.data, ";sweep:") != NULL);
    text_free(&words);
    pav_run_free(run);
    close_begun(&b);
}

TEST(what_is_known_of_a_stage_that_cannot_go_by_it_is_refused)
{
    begun b;
    pav_run *run = NULL;
    if (!on_gpu_there())
        return;
    CHECK_STATUS(open_chosen(wide, &b, &run), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "stage v cannot go by sweep:shared,threads=32x16") &&
          strstr(pav_message(), "take more than the 227 KiB of shared memory"));
    close_begun(&b);
}

LONG_TEST(too_few_steps_are_no_proof_of_several)
{
    begun b;
    char *said = NULL;
    if (!on_gpu_there())
        return;
    const pav_run_options how = {.no_files = 1, .schedule = "time:depth=4"};
    REQUIRE_OK(kept_open(CUBE HEAT, "emulated", NULL, &b));
    CHECK_STATUS(pav_run_verify(b.program, b.device, &how, 4, &said), PAV_EINVAL);
    CHECK(strstr(pav_message(), "verify at least 5") != NULL);
    REQUIRE_OK(pav_run_verify(b.program, b.device, &how, 5, &said));
    pav_text_free(said);
    close_begun(&b);
}

/* Rows and points of several tiles, the last ones partial; up and down; one slot that
 * reads other rows has no tile. */
TEST(operations_along_x_pass_through_tiles)
{
    static const char lines[] =
        "grid x 70, y 37, z 2\nfield u = sin(x) + y/100 + z; a; b; c\n"
        "u' = u + scan(0.5, u along x)/100\n"
        "a' = scan(0.9, u[1,0,0]/10 + u[0,1,0]/5 along x)\n"
        "b' = tridiagonal(-1, 3, -1, u along x) + tridiagonal(-1, 4 + y/50, -1, u along "
        "x)\n"
        "c' = scan(u along x down exclusive) + min(u along x)\n"
        "border b = 0 beyond\nborder periodic u\nsteps 17\n";

    on_gpu_verified(lines, "point");
    on_gpu_verified(lines, "point:threads=16x1");
}
