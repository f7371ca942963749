/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused launches of a GPU are bitwise identical to single steps: levels in registers and
 * in shared memory, all borders, several fields, levels and stages. Events at a step end
 * a launch. */
#include <stdio.h>

#include "exec/gpu/gpu_private.h"
#include "on_gpu.h"
#include "run/run_private.h"

static const schedule_place on_gpus = {true, "GPUs"};

/* A chunk has the length of a launch plus one step. The first steps are single ones,
 * while borders are kept. */
static void verified(const char *source, const char *const *requested, int count)
{
    for (int k = 0; k < count && on_gpu_there(); k++)
        on_gpu_verified(source, requested[k]);
}

static const char *const both[] = {
    "time:shuffle,depth=3,threads=32x4,rows=3,vector=1",
    "time:shuffle,depth=2,threads=32x5,rows=2,vector=2,unroll=3,planes=7",
    "time:shuffle,depth=3,threads=32x4,rows=3,vector=1,prefetch=3,unroll=3",
    "time:shared,depth=3,threads=16x9",
};
static const char *const shared[] = {"time:depth=2,threads=16x9,planes=5",
                                     "time:shared,depth=3,threads=12x11"};

#define CUBE "grid x 43, y 21, z 17\nreal f32\nfield u = random(1)\nsteps 99\n"
#define HEAT "u' = u + 0.1*laplace(u)\n"

LONG_TEST(a_launch_takes_steps_between_given_faces)
{
    verified(CUBE HEAT "border u = 0\n", both, COUNT_OF(both));
    verified(CUBE HEAT "border u = sin(t) + 0.1*x\n", both, COUNT_OF(both));
    verified(CUBE HEAT "border u = 0.1*y*t beyond\n", both, COUNT_OF(both));
}

LONG_TEST(a_launch_takes_steps_around_faces_that_wrap)
{
    verified(CUBE HEAT "border periodic u\n", both, COUNT_OF(both));
    verified(CUBE HEAT "border periodic u at y-, y+\nborder u = 0.1*x + t at x-, x+, z-, "
                       "z+\n",
             both, COUNT_OF(both));
}

LONG_TEST(a_launch_makes_ghosts_that_are_copies)
{
    verified(CUBE HEAT "border mirror u\n", shared, COUNT_OF(shared));
    verified(CUBE HEAT
             "border neumann u = 0.1*sin(t) at z-\nborder neumann u at z+\n"
             "border odd u at y-, y+\nborder u = t beyond x-\nborder clamp u at "
             "x+\n",
             shared, COUNT_OF(shared));
}

static const char *const boxes[] = {
    "time:shuffle,depth=2,threads=32x5,rows=2,vector=1,unroll=3,planes=7",
    "time:shuffle,depth=3,threads=32x4,rows=3,vector=2,prefetch=2",
    "time:shuffle,depth=2,threads=32x8,rows=2,copy=tma",
    "time:shared,depth=2,threads=16x9",
};

LONG_TEST(boxes_read_planes_that_other_warps_show)
{
    verified(CUBE "stencil s { centre 0.3, face 0.06, edge 0.02, corner 0.0125 }\n"
                  "u' = s(u)\nborder u = 0\n",
             boxes, COUNT_OF(boxes));
}

LONG_TEST(partial_results_of_boxes_are_held_from_plane_to_plane)
{
    verified(CUBE "stencil s { box 0.028133902, 0.027421651, 0.0267094, 0.02599715, "
                  "0.025284899, 0.024572648, 0.023860398, 0.023148147, 0.022435896, "
                  "0.021723645, 0.021011395, 0.020299144, 0.019586893, 0.5, 0.018874643, "
                  "0.018162392, 0.017450141, 0.016737891, 0.01602564, 0.015313389, "
                  "0.014601138, 0.013888888, 0.013176637, 0.012464386, 0.011752136, "
                  "0.011039885, 0.010327634 }\nu' = s(u)\nborder u = 0.1*t\n",
             boxes, COUNT_OF(boxes));
    verified("grid x 90, y 61\nfield u = random(1), c = random(2)\nsteps 99\n"
             "u' = u + 0.01*c*(u[1,1] + u[-1,1] + u[1,-1] + u[-1,-1] - 4*u)\n"
             "border u = 0\n",
             (const char *const[]){"time:shuffle,depth=3,threads=32x2,vector=2"}, 1);
}

/* Two fields, vectors that end a row or not, and tail tiles with other sweeps. */
LONG_TEST(tiles_that_wrap_and_tiles_that_are_left_share_a_launch)
{
    static const char *const around[] = {
        "time:shuffle,depth=2,threads=32x4,rows=3,vector=1,planes=11,tail=5",
        "time:shuffle,depth=2,threads=32x4,rows=3,vector=2,prefetch=1,planes=25",
        "time:shuffle,depth=2,threads=32x4,rows=3,copy=tma,planes=1,tail=3"};
    static const char form[] = "grid x %d, y 21, z 17\nreal f32\n"
                               "field u = random(1), v = random(2)\nsteps 99\n"
                               "u' = u + 0.1*laplace(u) - u*v*v\n"
                               "v' = v + 0.05*laplace(v) + u*v*v\nborder periodic\n";
    static const int across[] = {140, 71, 6};
    char source[512];
    for (size_t n = 0; n < COUNT_OF(across); n++) {
        (void)snprintf(source, sizeof source, form, across[n]);
        verified(source, around, COUNT_OF(around));
    }
}

LONG_TEST(stages_and_fields_share_a_launch)
{
    static const char *const wide[] = {
        "time:shuffle,depth=2,threads=32x8,rows=2,vector=1,planes=9",
        "time:shared,depth=2,threads=24x24"};
    verified(CUBE "field v = random(2), w = random(3)\nfield c = random(4)\n"
                  "u' = u + 0.1*c*(v[1,0,0] - v[-1,0,0])\n"
                  "v' = v + 0.1*c[1,0,0]*(u'[0,1,0] - u'[0,-1,0] + w[0,0,1])\n"
                  "w' = w + 0.05*(v'[0,0,1] + v'[0,-1,0] + u[1,0,0]*t)\n"
                  "border u = 0\nborder v = t\nborder w = 0.1\n",
             wide, COUNT_OF(wide));
}

/* Tiles compute v next to them, though no old level is read there. */
TEST(a_result_that_reads_nothing_is_computed_around_a_tile)
{
    static const char *const swept[] = {
        "time:shuffle,depth=2,threads=32x4,rows=2,vector=1,planes=5"};
    verified(CUBE "field v\nv' = 0.1*x + t*y*z\nu' = u + 0.1*laplace(v')\n"
                  "border u, v = 0\n",
             swept, COUNT_OF(swept));
}

TEST(levels_before_and_layers_share_a_launch)
{
    static const char *const flat[] = {"time:shuffle,depth=3,threads=32x2,vector=2",
                                       "time:shared,depth=4,threads=40x1"};
    verified("grid x 90, y 61\nfield u = random(1)\nsteps 99\n"
             "u' = 2*u - prev(u) + 0.1*laplace(u, order 4)\nabsorb 8 cells\n",
             flat, COUNT_OF(flat));
    verified("grid x 90, y 61\nfield u stored f16 = random(1)\nsteps 99\n"
             "mask u = (x - 20)^2 + (y - 20)^2 > 50\n" HEAT "border u = 0\n",
             flat, COUNT_OF(flat));
}

#define PLATE "grid x 290, y 61\nfield u = random(1)\nsteps 99\n"

LONG_TEST(tiles_of_a_warp_share_a_launch)
{
    static const char *const flat[] = {
        "time:shuffle,depth=4,threads=32x2,vector=4,prefetch=3,unroll=4,planes=23",
        "time:shuffle,depth=3,threads=32x1,vector=2,prefetch=2,unroll=3,planes=11",
        "time:shuffle,depth=5,threads=32x2,vector=1,planes=17"};
    verified("real f32\n" PLATE HEAT "border u = 0\n", flat, COUNT_OF(flat));
    verified("real f64\n" PLATE HEAT "border u = 0.1*y + t beyond\n", flat,
             COUNT_OF(flat));
    verified("real f64\n" PLATE HEAT "border periodic u at x-, x+\nborder u = t at y-, "
             "y+\n",
             flat, COUNT_OF(flat));
    verified("real f64\n" PLATE HEAT "border periodic u\n", flat, COUNT_OF(flat));
}

TEST(a_pass_ends_where_something_looks)
{
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(on_gpu_open(CUBE HEAT "border u = 0\nuntil step >= 10 every 3\n",
                           "time:depth=2", &b));
    REQUIRE_OK(pav_run_finish(b.run));
    CHECK_EQ(pav_run_step(b.run), 12);
    close_begun(&b);
}

LONG_TEST(what_cannot_share_a_launch_is_refused_by_name)
{
    if (!on_gpu_there())
        return;
    on_gpu_refused(CUBE "u' = u + 0.001*sum(u)\n", "time", "folds all points");
    on_gpu_refused(CUBE HEAT "border mirror u\n", "time:shuffle",
                   "borders with copied points");
    on_gpu_refused(CUBE HEAT "border u = 0\n", "time:depth=40", "take fewer steps");
    on_gpu_refused(CUBE HEAT "field v = 0\nv' = laplace(v) + u\nborder periodic u\n"
                             "border v = 0\n",
                   "time", "field v does not wrap around and another does");
    on_gpu_refused(CUBE HEAT "field v = 0\nv' = laplace(v) + u\nborder periodic u\n"
                             "border v = 0\n",
                   "persistent", "field v does not wrap around and another does");
}

TEST(only_schedules_of_several_steps_have_a_depth)
{
    schedule s;
    CHECK_STATUS(schedule_parse("sweep:depth=2", on_gpus, &s), PAV_EINVAL);
    CHECK(strstr(pav_message(), "time and persistent") != NULL);
    REQUIRE_OK(schedule_parse("time:depth=5,rows=3", on_gpus, &s));
    CHECK_EQ(s.tile.steps, 5);
}

TEST(settings_that_would_change_nothing_are_refused)
{
    static const char *const words[] = {"time:input",
                                        "time:plain",
                                        "time:blocks=2",
                                        "persistent:shuffle",
                                        "persistent:unroll=2",
                                        "persistent:blocks=2",
                                        "persistent:coefficients=global"};
    schedule s;
    for (size_t n = 0; n < COUNT_OF(words); n++) {
        CHECK_STATUS(schedule_parse(words[n], on_gpus, &s), PAV_EINVAL);
        CHECK(strstr(pav_message(), "is of the schedule") != NULL);
    }
}

LONG_TEST(settings_of_registers_are_refused_where_versions_are_shared)
{
    static const char *const all[] = {"rows=2",     "vector=1", "ahead=1",
                                      "prefetch=1", "unroll=2", "planes=9,tail=4"};
    char string[64];
    schedule s;
    for (size_t n = 0; n < COUNT_OF(all); n++) {
        (void)snprintf(string, sizeof string, "time:shared,%s", all[n]);
        CHECK_STATUS(schedule_parse(string, on_gpus, &s), PAV_EINVAL);
        CHECK(strstr(pav_message(), "is of time:shuffle") != NULL);
    }
    if (!on_gpu_there())
        return;
    on_gpu_refused(
        CUBE HEAT "border mirror u\n", "time:unroll=2",
        "unroll is of time:shuffle, and that cannot be: borders with copied points");
    on_gpu_refused("grid x 40, y 40\nfield u = x\nsteps 9\n" HEAT "border u = 0\n",
                   "time:shared,threads=32x8", "threads=256");
    on_gpu_refused("grid x 40, y 40\nfield u = x\nsteps 9\n" HEAT "border u = 0\n",
                   "time:rows=2", "leave out rows");
    on_gpu_refused(CUBE HEAT "border u = 0\n", "time:tail=3", "give planes=");
    on_gpu_refused("grid x 40, y 40\nfield u = x\nsteps 9\n" HEAT "border u = 0\n",
                   "time:planes=9,tail=3", "leave out tail");
    on_gpu_refused(CUBE HEAT "border u = 0\n", "time:vector=3", "power of two");
    on_gpu_refused(CUBE HEAT "border u = 0\n", "time:vector=16", "at most 8");
    on_gpu_refused(CUBE HEAT "border u = 0\n", "time:unroll=60", "take minutes");
}

/* Tiles that fill the emulated GPU take long sweeps, tail tiles take shorter ones. */
TEST(tiles_that_are_left_take_shorter_sweeps)
{
    static const char many[] =
        "grid x 200, y 90, z 40\nreal f32\nfield u = x\nsteps 9\n" HEAT "border u = 0\n";
    cost_sweep_list list;
    begun b;
    int rests = 0;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(
        on_gpu_open(many, "time:shuffle,depth=2,threads=32x4,rows=3,vector=1", &b));
    const gpurun *g = gpurun_of(run_place(b.run)->executor);
    gpu_fused_sweeps(g, g->fused, &list);
    for (int n = 0; n < list.count; n++) {
        CHECK(n == 0 || list.cost[n] >= list.cost[n - 1]);
        CHECK(list.sweep[n].tail < list.sweep[n].planes);
        rests += list.sweep[n].tail > 0;
    }
    CHECK(rests > 0 && rests < list.count);
    close_begun(&b);
}

/* The schedule string reported by a run. */
TEST(fused_launches_are_requested_again_by_their_words)
{
    static const char *const all[] = {"time:depth=2,threads=32x4,rows=3,planes=9,tail=4",
                                      "time:shared,depth=2,threads=16x9,planes=5",
                                      "persistent:tiles=2x2x2,rows=2"};
    for (size_t n = 0; n < COUNT_OF(all) && on_gpu_there(); n++) {
        text once = {0}, again = {0};
        begun b;
        REQUIRE_OK(on_gpu_open(CUBE HEAT "border u = 0\n", all[n], &b));
        run_schedule_string(b.run, &once);
        close_begun(&b);
        REQUIRE_OK(on_gpu_open(CUBE HEAT "border u = 0\n", once.data, &b));
        run_schedule_string(b.run, &again);
        CHECK_STR(once.data, again.data);
        close_begun(&b);
        text_free(&once);
        text_free(&again);
    }
}

/* If levels cannot stay in registers, candidates have no settings for registers. */
TEST(programs_with_sources_are_tried_in_fused_launches)
{
    static const char source[] = "grid x 300, y 300\nfield u = 0\n" HEAT
                                 "inject 1 into u at (3, 4)\nborder u = 0\nsteps 9\n";
    schedule list[EMIT_GPU_FUSED_CANDIDATES];
    begun b;
    int count = 0, passes = 0;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(kept_open(source, "emulated", NULL, &b));
    REQUIRE_OK(emit_gpu_fused_candidates(b.run->code, list, &count));
    for (int n = 0; n < count; n++)
        passes += list[n].kind == SCHEDULE_GPU_TIME;
    CHECK_EQ(passes, 4); /* depths 8, 6, 4 and 3 */
    close_begun(&b);
}

/* Two fused steps pay off: elastic2d at 4096^2 takes 0.16 ms a step in fused launches and
 * 0.28 ms in single steps (one H200, 2026-11-27). */
TEST(several_fields_are_tried_in_launches_of_two_steps)
{
    schedule list[EMIT_GPU_FUSED_CANDIDATES];
    text source = {0};
    program *p = NULL;
    ir *code = NULL;
    int count = 0, of_two = 0;
    REQUIRE_OK(catalogue_text("elastic2d@512x512/f32", &source));
    REQUIRE_OK(program_parse(source.data, source.length, NULL, &p));
    REQUIRE_OK(ir_build(p, NULL, &code));
    REQUIRE_OK(emit_gpu_fused_candidates(code, list, &count));
    for (int n = 0; n < count; n++)
        of_two += list[n].tile.steps == 2 && list[n].tile.storage == STORAGE_REGISTERS;
    CHECK_EQ(of_two, 1);
    ir_free(code);
    program_free(p);
    text_free(&source);
}

LONG_TEST(what_is_too_wide_for_registers_lies_in_shared_memory)
{
    static const char wide[] = CUBE "u' = 2*u - prev(u) + 0.01*laplace(u, order 8)\n"
                                    "border u = 0\n";
    text words = {0};
    begun b;
    if (!on_gpu_there())
        return;
    on_gpu_refused(wide, "time:shuffle", "leave none of the 12 points of a tile along y");
    REQUIRE_OK(on_gpu_open(wide, "time", &b));
    run_schedule_string(b.run, &words);
    CHECK(strncmp(words.data, "time:shared,", 12) == 0);
    text_free(&words);
    close_begun(&b);
}

TEST(most_steps_are_taken_in_fused_launches)
{
    begun b;
    if (!on_gpu_there())
        return;
    REQUIRE_OK(
        on_gpu_open(CUBE HEAT "border periodic u\n", "time:depth=3,threads=32x4", &b));
    REQUIRE_OK(pav_run_steps(b.run, 2));
    CHECK(!gpu_fused_is_behind(gpurun_of(run_place(b.run)->executor)));
    CHECK_EQ(gpu_fused_count(gpurun_of(run_place(b.run)->executor)), 0);
    REQUIRE_OK(pav_run_steps(b.run, 10));
    CHECK_EQ(gpu_fused_count(gpurun_of(run_place(b.run)->executor)), 3);
    close_begun(&b);
}

TEST(walls_between_points_have_their_values_in_fused_steps)
{
    static const char *const type[] = {"f64", "f32 stored bf16"};

    for (size_t k = 0; k < sizeof type / sizeof *type; k++) {
        char source[400];
        (void)snprintf(source, sizeof source,
                       "grid x 16, y 17\nreal %s\nfield w = x + y\n"
                       "w' = (w[-1,0] + w[1,0] + w[0,1] + w[0,-1])/4\n"
                       "border antimirror = 3 + y/4 at x-, x+\n"
                       "border mirror w = 1/8 at y-\nborder antimirror w = -2 at y+\n"
                       "steps 17\n",
                       type[k]);
        on_gpu_verified(source, "time:depth=2");
        on_gpu_verified(source, "time:shared,depth=3,threads=64");
        on_gpu_verified(source, "persistent");
    }
}
