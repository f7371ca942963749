/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of a step by the models, on machines with fixed rates. */
#include "cost/cost.h"
#include "test.h"

static const char heat[] = "grid x 256, y 256, z 256\nreal f32\nfield u = 1\nsteps 9\n"
                           "u' = u + 0.1*laplace(u)\nborder u = 0";
static const char plane[] = "grid x 1024, y 1024\nreal f32\nfield u = 1\nsteps 999\n"
                            "u' = u + 0.1*laplace(u)\nborder u = 0";
/* Each point depends on all others, so no two steps can be fused. */
static const char mean[] = "grid x 64, y 64\nfield u = x\n"
                           "u' = u + 0.1*sum(u)/(nx*ny)\nborder u = 0";
enum { POINTS = 254 * 254 * 254 }; /* points of `heat` computed in a step */

static machine_facts gpu(void)
{
    static gpu_facts f;
    f = *gpu_facts_default();
    f.f32_rate = 30e12;
    return machine_of_gpu(&f);
}

static machine_facts host(void)
{
    return machine_of_cpu(
        &(cpu_facts){.threads = 8, .last_cache = 32 << 20, .core_cache = 1 << 20});
}

static pav_status ask(const char *source, const machine_facts *m, const char *string,
                      step_cost *c)
{
    const schedule_place on = {m->gpu != NULL, "the test"};
    schedule s;
    program *p = NULL;
    ir *code = NULL;
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, &p));
    REQUIRE_OK(ir_build(p, NULL, &code));
    REQUIRE_OK(schedule_parse(string, on, &s));
    const pav_status status = cost_forecast(
        &(cost_question){.code = code, .schedule = &s, .machine = m}, c);
    ir_free(code);
    program_free(p);
    return status;
}

static step_cost cost(const char *source, machine_facts m, const char *string)
{
    step_cost c = {0};
    REQUIRE_OK(ask(source, &m, string, &c));
    return c;
}

TEST(a_single_step_on_processors_is_its_bytes_at_the_rate_of_memory)
{
    machine_facts m = host();
    m.rate = (machine_rates){.memory = 1e9};
    const step_cost c = cost(heat, m, "rows:ahead=4,stream");
    CHECK_EQ(c.bytes, 8.0 * POINTS);
    CHECK_EQ(c.term[COST_MEMORY], 8.0 * POINTS / 1e9);
}

TEST(what_takes_longest_of_memory_and_arithmetic_is_the_time)
{
    machine_facts m = gpu();
    m.rate = (machine_rates){.memory = 1e30, .f32 = 1e9};
    const step_cost slow = cost(heat, m, "point");
    const double computes = slow.term[COST_ARITHMETIC] + slow.term[COST_LAUNCH];
    CHECK(slow.seconds >= computes && slow.seconds < 1.0001 * computes);
    m.rate = (machine_rates){.memory = 1e9, .f32 = 1e30, .launch = 1};
    const step_cost fast = cost(heat, m, "point");
    CHECK(fast.seconds >= fast.bytes / 1e9 + 1);
    CHECK(fast.seconds < 1.0001 * (fast.bytes / 1e9 + 1));
}

TEST(deeper_time_tiles_move_less)
{
    const step_cost two = cost(heat, host(), "time:depth=2,tile=64x2"),
                    eight = cost(heat, host(), "time:depth=8,tile=64x2"),
                    one = cost(heat, host(), "rows");
    CHECK(eight.bytes < two.bytes && eight.bytes < one.bytes);
    CHECK(eight.term[COST_CACHE] > 0);
}

TEST(a_tile_that_fits_no_cache_is_as_slow_as_memory)
{
    machine_facts small = host();
    small.cpu = (cpu_facts){.threads = 1, .last_cache = 1, .core_cache = 1};
    CHECK(cost(heat, small, "time:depth=4,tile=64x2").bytes >
          cost(heat, host(), "time:depth=4,tile=64x2").bytes);
}

TEST(fused_launches_move_less_and_are_launched_less)
{
    const step_cost one = cost(heat, gpu(), "sweep"),
                    four = cost(heat, gpu(), "time:depth=4");
    CHECK(four.bytes < one.bytes);
    CHECK(four.term[COST_LAUNCH] < one.term[COST_LAUNCH]);
    CHECK(four.term[COST_ARITHMETIC] > one.term[COST_ARITHMETIC]);
}

/* Each read from shared memory takes some tens of instructions. Measured runs took 10 to
 * 20 times longer. */
TEST(values_of_a_shared_tile_are_dear_to_read)
{
    const step_cost shared = cost(plane, gpu(), "time:shared,depth=6"),
                    shuffled = cost(plane, gpu(), "time:shuffle,depth=6"),
                    single = cost(plane, gpu(), "sweep");
    CHECK(shared.seconds > 4 * shuffled.seconds && shared.seconds > single.seconds);
    CHECK(shared.term[COST_ARITHMETIC] > shared.term[COST_CACHE]);
}

static const char wide_plane[] = "grid x 4096, y 4096\nreal f32\nfield u = 1\nsteps 9\n"
                                 "u' = u + 0.1*laplace(u)\nborder u = 0";
/* Measured on one H200 (2026-11-27): 79 us with 128 rows a block, 38 us with 16. */
TEST(few_threads_that_go_far_leave_memory_idle)
{
    const char far[] = "sweep:threads=256x1,rows=1,vector=4,planes=128",
               near[] = "sweep:threads=128x1,rows=1,vector=4,planes=16";
    const step_cost waits = cost(wide_plane, gpu(), far),
                    full = cost(wide_plane, gpu(), near);
    CHECK(waits.seconds > 1.5 * full.seconds);
    CHECK(waits.term[COST_IDLE] > full.term[COST_IDLE]);
    CHECK_EQ(waits.term[COST_MEMORY], full.term[COST_MEMORY]);
}

TEST(copies_by_threads_are_waited_for_longer_than_those_of_tensors)
{
    const step_cost threads = cost(heat, gpu(), "sweep:shared,rows=2,planes=64"),
                    tensors = cost(heat, gpu(), "sweep:shared,copy=tma,rows=2,planes=64");
    CHECK(threads.term[COST_IDLE] > tensors.term[COST_IDLE]);
}

/* Elastic waves, measured on one H200 (2026-11-27): 0.43 ms with launches of three steps,
 * 0.77 ms with four. */
TEST(registers_that_a_thread_lacks_are_bytes_of_a_cache)
{
    text t = {0};
    REQUIRE_OK(catalogue_text("elastic2d@4096x4096/f32", &t));
    const step_cost three = cost(t.data, gpu(), "time:shuffle,depth=3"),
                    four = cost(t.data, gpu(), "time:shuffle,depth=4");
    CHECK(three.term[COST_CACHE] > three.term[COST_MEMORY]);
    CHECK(four.seconds > 1.2 * three.seconds);
    text_free(&t);
}

TEST(fields_that_no_step_updates_are_read_again_in_each)
{
    const char given[] = "grid x 1024, y 1024\nreal f32\nfield u = 1\nfield c = x\n"
                         "steps 9\nu' = u + 0.1*laplace(u) + c\nborder u = 0";
    const step_cost with = cost(given, gpu(), "time:depth=6"),
                    without = cost(plane, gpu(), "time:depth=6");
    CHECK(with.term[COST_CACHE] > 2 * without.term[COST_CACHE]);
}

TEST(a_loop_that_is_unrolled_over_its_planes_moves_no_values)
{
    const step_cost moves = cost(plane, gpu(), "time:shuffle,depth=6,unroll=2"),
                    keeps = cost(plane, gpu(), "time:shuffle,depth=6,unroll=3");
    CHECK(keeps.term[COST_ARITHMETIC] < moves.term[COST_ARITHMETIC]);
    const step_cost alone = cost(heat, gpu(), "time:depth=4,unroll=3"),
                    copied = cost(heat, gpu(), "time:depth=4,unroll=3,copy=tma");
    CHECK(copied.term[COST_ARITHMETIC] < alone.term[COST_ARITHMETIC]);
}

TEST(lines_that_are_written_into_caches_are_read_before)
{
    CHECK(cost(heat, host(), "rows").bytes > cost(heat, host(), "rows:stream").bytes);
}

TEST(planes_that_no_cache_keeps_come_from_memory_again)
{
    machine_facts small = host();
    small.cpu.core_cache = 1 << 12;
    small.cpu.last_cache = 1 << 20;
    CHECK(cost(heat, small, "rows:stream").bytes >
          cost(heat, small, "blocks:block=2,stream").bytes);
}

TEST(one_thread_leaves_the_others_idle)
{
    const step_cost one = cost(heat, host(), "rows:stream,threads=one");
    CHECK(one.seconds > 2 * cost(heat, host(), "rows:stream").seconds);
    CHECK(strcmp(cost_bound(&one), cost_term_name(COST_IDLE)) == 0);
}

TEST(columns_that_threads_cannot_share_evenly_leave_some_idle)
{
    const step_cost even = cost(heat, host(), "time:depth=4,tile=32x4"),
                    odd = cost(heat, host(), "time:depth=4,tile=28x4");
    CHECK(odd.term[COST_IDLE] > even.term[COST_IDLE]);
}

TEST(a_grid_that_the_last_cache_holds_takes_nothing_from_memory)
{
    machine_facts large = host();
    large.cpu.last_cache = 1 << 30;
    CHECK_EQ(cost(heat, large, "rows").bytes, 0.0);
    CHECK_EQ(cost(heat, large, "time:depth=4,tile=32x4").bytes, 0.0);
}

TEST(only_persistent_blocks_synchronise)
{
    CHECK(cost(plane, gpu(), "persistent").term[COST_SYNCHRONISE] > 0);
    CHECK_EQ(cost(plane, gpu(), "time").term[COST_SYNCHRONISE], 0.0);
}

TEST(what_is_left_open_is_said_once_it_is_chosen)
{
    CHECK(cost(heat, gpu(), "time").schedule.tile.steps > 1);
    CHECK(cost(plane, gpu(), "persistent").schedule.tile.steps > 0);
}

TEST(what_is_not_legal_has_no_cost_but_a_reason)
{
    const machine_facts on_gpu = gpu(), on_host = host();
    step_cost c;
    CHECK(ask(mean, &on_gpu, "time", &c) == PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "cannot go by time: "));
    CHECK(ask(mean, &on_host, "time:depth=4", &c) == PAV_EUNSUPPORTED);
    CHECK(ask(heat, &on_gpu, "auto", &c) == PAV_EINVAL);
    CHECK(strstr(pav_message(), "no model says what the schedule auto costs"));
}

TEST(each_term_has_a_name_of_its_own)
{
    for (int a = 0; a < COST_TERMS; a++)
        for (int b = 0; b < a; b++)
            CHECK(strcmp(cost_term_name((cost_term)a), cost_term_name((cost_term)b)));
}

TEST(halos_behind_the_points_of_a_step_cost_what_exceeds_it)
{
    const machine_facts m = {.rate = {.memory = 1e9}};
    cost_subdomain s = {.points = 1e6,
                        .point_bytes = 8,
                        .faces = 2,
                        .link = {1e-3, 1e9},
                        .halo_bytes = 1e6,
                        .steps = 1};
    step_cost waits, hides, deep;
    const cost_question q = {.machine = &m, .subdomain = &s};
    REQUIRE_OK(cost_forecast(&q, &waits));
    s.hides = true;
    REQUIRE_OK(cost_forecast(&q, &hides));
    s.hides = false;
    s.steps = 2;
    REQUIRE_OK(cost_forecast(&q, &deep));
    CHECK_NEAR(waits.term[COST_SYNCHRONISE], 3e-3, 1e-9);
    CHECK_NEAR(waits.seconds, 11e-3, 1e-9);
    CHECK_EQ(hides.term[COST_SYNCHRONISE], 0.0);
    CHECK_NEAR(deep.seconds, 9.5e-3, 1e-9);
}

TEST(planes_that_stay_do_not_cross_the_link)
{
    const machine_facts m = {.rate = {.memory = 1e12, .staged = {2e9, 1e9}}};
    cost_visits v = {.uploaded = 1e6,
                     .downloaded = 1e6,
                     .step = 2e6,
                     .all = 2e6,
                     .buffers = 1,
                     .extent = 100,
                     .width = 10,
                     .window = 20,
                     .visits = 10,
                     .steps = 1,
                     .depth = 1,
                     .stages = 1,
                     .overlaps = true};
    step_cost all, half;
    const cost_question q = {.machine = &m, .visits = &v};
    REQUIRE_OK(cost_forecast(&q, &all));
    v.stay = 50;
    REQUIRE_OK(cost_forecast(&q, &half));
    CHECK_NEAR(half.term[COST_SYNCHRONISE] / all.term[COST_SYNCHRONISE], 0.5, 1e-9);
    CHECK(half.seconds < all.seconds);
}

TEST(visits_over_a_disk_take_as_long_as_what_bounds_them)
{
    const machine_facts m = {.rate = {.memory = 1e12}};
    cost_visits v = {.uploaded = 1e6,
                     .downloaded = 1e6,
                     .step = 2e6,
                     .all = 2e6,
                     .kernels = 1e-2,
                     .extent = 100,
                     .width = 10,
                     .window = 10,
                     .visits = 10,
                     .steps = 2,
                     .depth = 1,
                     .stages = 1,
                     .disk = 1e9,
                     .missing = 1};
    step_cost slow, half, fast;
    const cost_question q = {.machine = &m, .visits = &v};
    REQUIRE_OK(cost_forecast(&q, &slow));
    CHECK_NEAR(slow.term[COST_SYNCHRONISE], 100 * 1e6 / 1e9 / 2, 1e-9);
    CHECK(slow.seconds >= slow.term[COST_SYNCHRONISE]);
    v.missing = 0.5;
    REQUIRE_OK(cost_forecast(&q, &half));
    CHECK_NEAR(half.term[COST_SYNCHRONISE], slow.term[COST_SYNCHRONISE] / 2, 1e-9);
    CHECK(half.seconds < slow.seconds);
    v.disk = 1e12;
    REQUIRE_OK(cost_forecast(&q, &fast));
    CHECK(fast.seconds >= 1e-2 && fast.seconds < 0.06);
}
