/* SPDX-License-Identifier: BSD-3-Clause */
/* Every part of a fused launch is necessary. Without any one part, the emulated GPU
 * refuses the launch, or gives other bits than the interpreter. */
#include <stdio.h>
#include <string.h>

#include "exec/gpu/gpu_private.h"
#include "mutated.h"
#include "run/run_private.h"

static const char heat[] =
    "grid x 90, y 33, z 17\nreal f32\nfield u = x + y*z\nsteps 99\n"
    "u' = u + 0.1*laplace(u) + 0.01*t\nborder u = 0.1*t at x-, x+, z-, z+\n"
    "border periodic u at y-, y+\n";

/* Two sources at one point, and a third source in an overlap of tiles. */
static const char shot[] =
    "grid x 43, y 21, z 17\nreal f32\nfield u = x + y*z\nsteps 99\n"
    "u' = u + 0.1*laplace(u)\nborder u = 0\n"
    "inject 3 + t into u at (20, 10, 8), (20, 10, 8), (9, 4, 5)\n";

static const view *level_of(const pav_run *run)
{
    const view *v;

    REQUIRE_OK(run_host_view(run, 0, 0, HOST_READ, &v));
    return v;
}

static bool is_same(const view *a, const view *b)
{
    bool same = true;

    for (int64_t k = 0; k < a->extent[2]; k++)
        for (int64_t j = 0; j < a->extent[1]; j++)
            same = same && memcmp((const float *)a->data + view_offset(a, 0, j, k),
                                  (const float *)b->data + view_offset(b, 0, j, k),
                                  (size_t)a->extent[0] * sizeof(float)) == 0;
    return same;
}

static bool run_agrees(const program *p, place_set *set)
{
    const place_opening how = {.set = set, .planes = 6, .fuses_steps = true};
    pav_run *run = NULL, *reference = NULL;

    REQUIRE_OK(run_open_with(p, interp_stage, &reference));
    REQUIRE_OK(run_open_there(p, &how, &run));
    REQUIRE_OK(pav_run_steps(reference, 12));
    bool good = pav_run_steps(run, 12) == PAV_OK;
    CHECK(!good || gpu_fused_count(gpurun_of(run_place(run)->executor)) >= 1);
    good = good && is_same(level_of(run), level_of(reference));
    pav_run_free(run);
    pav_run_free(reference);
    return good;
}

static bool survives(const char *from, const schedule *requested, const mutation *m)
{
    const schedule *const launches[] = {requested};
    text source = {0}, mutated = {0};
    program *p = NULL;
    ir *code = NULL;
    place_set *set = NULL;
    gpu *g;

    REQUIRE(site_gpu(&g));
    REQUIRE_OK(program_parse(from, (int64_t)strlen(from), NULL, &p));
    REQUIRE_OK(ir_build(p, NULL, &code));
    const ir *const all[] = {code};
    REQUIRE_OK(place_set_open(g, all, 1, NULL, "a test", HOST_QUICK, &set));
    REQUIRE_OK(emit_gpu_fused_source(all, 1, launches, "a test", &source));
    add_mutated(&source, m, &mutated);
    set->fused = launches;
    REQUIRE_OK(
        gpu_module_open(g, mutated.data, mutated.length, HOST_QUICK, &set->launches));
    const bool good = run_agrees(p, set);
    place_set_close(set);
    gpu_close(g);
    ir_free(code);
    program_free(p);
    text_free(&source);
    text_free(&mutated);
    return good;
}

static void check_mutations(const char *from, const schedule *requested,
                            const mutation *all, size_t count)
{
    check_mutated(survives, from, requested, all, count);
}

LONG_TEST(fused_launches_in_shared_memory_need_the_barrier_and_every_bound)
{
    static const mutation all[] = {
        {"        __syncthreads();\n    }\n", "    }\n"},
        {"FIRST = 0, PLANES = 3, AT = 0", "FIRST = 0, PLANES = 2, AT = 0"},
        {"k - step - 1);", "k - step - 0);"},
        {"plane, left, left", "plane, 0, left"},
        {"const int64_t j = wrapped(y, a.w.extent[1]);", "const int64_t j = y;"},
        {"if (left > 0)", "if (left > 1)"},
        {"    if (k <= 0) {", "    if (k < 0) {"},
        {"__ldg(&a.step[step].", "__ldg(&a.step[0]."},
    };
    const schedule s = {.kind = SCHEDULE_GPU_TIME,
                        .tile.storage = STORAGE_SHARED,
                        .tile.size = {16, 9},
                        .tile.steps = 3};
    if (mutated_gpu())
        check_mutations(heat, &s, all, COUNT_OF(all));
}

LONG_TEST(fused_launches_in_registers_need_the_barrier_and_every_row)
{
    static const mutation all[] = {
        {"    __syncthreads();\n}\n", "}\n"},
        {"EDGE = 1, PLANES = 2,", "EDGE = 1, PLANES = 1,"},
        {"    turn(s);\n", ""},
        {"(s.turn2, 1), -1)", "(s.turn2, 0), -1)"},
        {"(y < T::ROWS ? y : y + EACH - T::ROWS)", "y"},
        {"w.v[n] = from_lane(own.v[N - BEFORE + n], -1);",
         "w.v[n] = from_lane(own.v[N - BEFORE + n], 1);"},
        {"flat = !INSIDE && (plane <= 0", "flat = !INSIDE && (plane < 0"},
        {"x + tile::N >= (int)a.w.extent[0]", "false"},
        {"b.y + r < (int)w.extent[1])", "true)"},
        {"plane >= b.from && plane < b.to", "plane < b.to"},
        {"? b.from - 3 : -1;", "? b.from - 2 : -1;"},
        {"inner = extent - 1 + 1;", "inner = extent - 1 + 2;"},
        {"block / tiles * planes", "0"},
        {"        exchange_0::publish(b, step + 1, s.turn2, v0);\n", ""},
        {"? (int)wrapped(b.y, w.extent[1]) : b.y", "? b.y - 1 : b.y"},
        {"if (part == 1 && !b.edge)", "if (part == 1)"},
        {"first = 1 + SKEW", "first = SKEW - 1"},
        {"part == 1 && inner < last", "part == 2"},
        {"__ldg(&a.step[step].", "__ldg(&a.step[0]."},
    };
    const schedule s = {.kind = SCHEDULE_GPU_TIME,
                        .tile.storage = STORAGE_REGISTERS,
                        .tile.size = {32, 5},
                        .thread.size[1] = 3,
                        .thread.size[0] = 1,
                        .tile.steps = 3};
    if (mutated_gpu())
        check_mutations(heat, &s, all, COUNT_OF(all));
}

#define RINGS                                                                            \
    .kind = SCHEDULE_GPU_TIME, .tile.storage = STORAGE_REGISTERS, .tile.size = {32, 4},  \
    .thread.size[1] = 3, .tile.steps = 3, .prefetch = 2
static const char far[] =
    "grid x 280, y 33, z 17\nreal f32\nfield u = x + y*z\nsteps 99\n"
    "u' = u + 0.1*laplace(u) + 0.01*prev(u)\nborder u = 0.1*t\n";

LONG_TEST(planes_by_the_accelerator_need_every_wait_and_place)
{
    static const mutation all[] = {
        {"    kernel_mbarrier_wait(&s.gate.there[", "    (void)(&s.gate.there["},
        {"    __syncthreads();\n    load<INSIDE, EDGE>", "    load<INSIDE, EDGE>"},
        {"        s.gate.parity ^= s.round == 0;\n", ""},
        {"s.gate.parity = 1;", "s.gate.parity = 0;"},
        {"        kernel_mbarrier_arrive(there);\n", ""},
        {"kernel_mbarrier_await(gate, BYTES);",
         "kernel_mbarrier_await(gate, BYTES / 2);"},
        {"k + 1 + PREFETCH, PREFETCH)", "k + PREFETCH, PREFETCH)"},
        {"copies_planes() && plane <", "plane <"},
        {"s.round + 1 < ROUNDS", "s.round + 1 < ROUNDS - 1"},
        {"s.phase != 2", "s.phase != 1"},
        {"            s.phase = 2;\n", "            s.phase = 1;\n"},
        {"input_planes<float, tile, INPUT_PLANES,",
         "input_planes<float, tile, INPUT_PLANES - 1,"},
        {"b.tile_y - (int)t.first[1]", "b.tile_y + 1"},
        {"const int n = phase - ago, at", "const int n = phase - ago + 1, at"},
        {"const int at = b.slot + y * 32;", "const int at = b.slot;"},
    };
    const schedule s = {RINGS, .tile.copy = COPY_TMA, .unroll = 3};
    if (mutated_gpu())
        check_mutations(far, &s, all, COUNT_OF(all));
}

LONG_TEST(planes_by_threads_need_every_wait_and_place)
{
    static const mutation all[] = {
        {"    kernel_copy_wait<PREFETCH - 1>();\n", ""},
        {"kernel_copy_wait<PREFETCH - 1>", "kernel_copy_wait<PREFETCH>"},
        {"    __syncthreads();\n    load<INSIDE, EDGE>", "    load<INSIDE, EDGE>"},
        {"    kernel_copy_commit();\n", ""},
        {"s.round, 4 - n)", "s.round, 3 - n)"},
    };
    const schedule s = {RINGS, .thread.size[0] = 1};
    if (mutated_gpu())
        check_mutations(heat, &s, all, COUNT_OF(all));
}

LONG_TEST(partial_results_and_the_rest_of_the_tiles_need_every_turn)
{
    /* 12 of 18 tiles fill the emulated GPU, in sweeps of 6 planes. */
    static const char sums[] =
        "grid x 60, y 61, z 20\nreal f32\nfield u = x + y*z\nsteps 99\n"
        "stencil s { centre 0.3, face 0.06, edge 0.02, corner 0.0125 }\n"
        "u' = s(u) + 0.01*t\nborder u = 0.1*t\n";
    static const mutation all[] = {
        {"[step].turn();\n", "[step].at[0][0] = {};\n"},
        {"].at[2][0].v[l]", "].at[1][0].v[l]"},
        {".at[0][1].v[l] = n", ".at[0][0].v[l] = n"},
        {"tiles * parts_of((int)w.end - begin, planes)", "tiles"},
        {"tiles + next % others", "next % others"},
        {"next / others * tail", "0"},
        {"(y < T::ROWS ? y : y + EACH - T::ROWS)", "(y < 0 ? 0 : y)"},
    };
    const schedule s = {.kind = SCHEDULE_GPU_TIME,
                        .tile.storage = STORAGE_REGISTERS,
                        .tile.size = {32, 5},
                        .thread.size[1] = 3,
                        .thread.size[0] = 1,
                        .planes = 6,
                        .tail = 4,
                        .tile.steps = 2};
    if (mutated_gpu())
        check_mutations(sums, &s, all, COUNT_OF(all));
}

LONG_TEST(faces_of_long_borders_need_every_branch)
{
    static const char slope[] =
        "grid x 90, y 33, z 17\nreal f32\nfield u = x + y*z\nsteps 99\n"
        "u' = u + 0.1*laplace(u)\nborder u = 0.1*t + 0.2*x*z + 0.3*y\n";
    static const mutation all[] = {
        {"if (!INSIDE && !flat && !b.edge)", "if (!flat)"},
        {"flat = !INSIDE && (plane <= 0", "flat = !INSIDE && (plane < 0"},
        {"x + tile::N >= (int)a.w.extent[0]", "false"},
        {"flat || y + r <= 0 ||", "flat ||"},
        {"INSIDE ? has_ends<tile>(a.w, b)", "INSIDE ? false"},
        {"INSIDE ? (b.rows >> r & 1) != 0", "INSIDE ? false"},
        {"b.tile_x <= 0 ||", ""},
        {"(y + r <= 0 ||", "(y + r < 0 ||"},
    };
    const schedule s = {.kind = SCHEDULE_GPU_TIME,
                        .tile.storage = STORAGE_REGISTERS,
                        .tile.size = {32, 5},
                        .thread.size[1] = 3,
                        .thread.size[0] = 1,
                        .tile.steps = 3};
    if (mutated_gpu())
        check_mutations(slope, &s, all, COUNT_OF(all));
}

/* A tile has one warp. Its lanes copy and store halves of each other's vectors. */
LONG_TEST(tiles_of_two_axes_need_what_lanes_do_for_each_other)
{
    static const char plate[] =
        "grid x 700, y 33\nreal f32\nfield u = x + 3*y\nsteps 99\n"
        "u' = u + 0.1*laplace(u)\nborder u = 0.1\n";
    static const mutation all[] = {
        {"    kernel_copy_wait<PREFETCH - 1>();\n    __syncwarp();\n",
         "    kernel_copy_wait<PREFETCH - 1>();\n"},
        {"    __syncwarp();\n}\n", "}\n"},
        {"(n * 32 + threadIdx.x) * EACH", "(n * 32 + threadIdx.x / 2) * EACH"},
        {"from_neighbour_lane(is_odd ? mine : last)",
         "from_neighbour_lane(is_odd ? last : mine)"},
        {"second = is_odd ? own : partner", "second = own"},
        {"if (flat || i <= 0", "if (flat || i < 0"},
        {"i >= (int)a.w.extent[0] - 1)", "false)"},
        {"inner = extent - 1 + 1;", "inner = extent - 1 + 2;"},
    };
    const schedule s = {.kind = SCHEDULE_GPU_TIME,
                        .tile.storage = STORAGE_REGISTERS,
                        .tile.size = {32, 2},
                        .thread.size[0] = 8,
                        .prefetch = 3,
                        .tile.steps = 3};
    if (mutated_gpu())
        check_mutations(plate, &s, all, COUNT_OF(all));
}

LONG_TEST(sources_within_a_launch_need_every_addition)
{
    static const mutation all[] = {
        {"        inject_0(a, b, step,",
         "        if (m == at.from) inject_0(a, b, step,"},
        {"        inject_0(a, b, step, left,", "        inject_0(a, b, step, left + 1,"},
        {"        inject_0(a, b, step,", "        inject_0(a, b, 0,"},
        {"        inject_0(a, b,",
         "        if (is_needed<tile>(b, plane, 0, 0, 0)) inject_0(a, b,"},
    };
    const schedule s = {.kind = SCHEDULE_GPU_TIME,
                        .tile.storage = STORAGE_SHARED,
                        .tile.size = {16, 9},
                        .tile.steps = 3};
    if (mutated_gpu())
        check_mutations(shot, &s, all, COUNT_OF(all));
}

LONG_TEST(persistent_blocks_need_to_meet_and_to_fetch)
{
    static const mutation all[] = {
        {"kernel_wait_epoch(b.neighbour, count);", ";"},
        {"kernel_signal(b.own, count);", "kernel_signal(b.own, count + 1);"},
        {"                }\n            __syncthreads();\n", "                }\n"},
        {"(2 * -level + (epoch & 1))", "(2 * -level)"},
        {"if (exchanges_0)\n                        publish<",
         "if (!exchanges_0)\n                        publish<"},
        {"at[axis] < b.lo[axis] + width", "at[axis] < b.lo[axis] + width - 1"},
        {"                to[t.place[turn + n]] = v[n];", "                ;"},
        {"at < 0 ? at + count : at < count ? at : at - count", "at"},
        {"(T::DEPTH - 1) * RADIUS::Z", "(T::DEPTH - 2) * RADIUS::Z"},
        {"if (N == 1 || BEFORE > N || (bits & TILE_FIRST))", "if (N == 1)"},
        {"<< TILE_ROWS;", "<< (TILE_ROWS - 1);"},
        {"    if (k <= 0) {", "    if (k < 0) {"},
        {"__ldg(&a.step[step].", "__ldg(&a.step[0]."},
        {"            });\n            __syncthreads();\n        }\n        if",
         "            });\n        }\n        if"},
        {"            });\n            __syncthreads();\n        }\n        }",
         "            });\n        }\n        }"},
    };
    const schedule s = {.kind = SCHEDULE_PERSISTENT,
                        .device.size = {1, 2, 2},
                        .tile.size = {96, 1},
                        .tile.steps = 3};
    if (mutated_gpu())
        check_mutations(heat, &s, all, COUNT_OF(all));
}

/* Results overwrite their inputs, once all threads have read them. */
LONG_TEST(persistent_blocks_with_one_version_need_all_to_have_read)
{
    static const mutation all[] = {
        {"                }\n            __syncthreads();\n#pragma unroll",
         "                }\n#pragma unroll"},
    };
    const schedule s = {.kind = SCHEDULE_PERSISTENT,
                        .device.size = {1, 2, 2},
                        .tile.size = {96, 1},
                        .buffers = 1,
                        .tile.steps = 3};
    if (mutated_gpu())
        check_mutations(heat, &s, all, COUNT_OF(all));
}

/* Rows inside thread tiles stay in registers. On request they are published for their
 * neighbours. */
LONG_TEST(blocks_that_hold_rows_need_those_that_are_requested)
{
    static const char plate[] = "grid x 150, y 61\nreal f32\nfield u = random(1)\n"
                                "steps 99\nu' = u + 0.1*laplace(u)\nborder u = 0.5\n";
    static const mutation all[] = {
        {"const bool all = step == steps - 1 ||", "const bool all ="},
        {"const bool all = step == steps - 1 || exchanges_0;",
         "const bool all = step == steps - 1;"},
        {"const bool first_after_exchange = turn == 0;",
         "const bool first_after_exchange = step == 0;"},
        {"if (turn == 0 || turn >= tiles::DEPTH - 1", "if (turn >= tiles::DEPTH - 1"},
        {"turn >= tiles::DEPTH - 1 ||", "turn >= tiles::DEPTH ||"},
        {"TILE_WHOLE | TILE_FIRST | TILE_LAST);", "TILE_WHOLE | TILE_FIRST);"},
        {"TILE_WHOLE | TILE_FIRST | TILE_LAST);", "TILE_WHOLE | TILE_LAST);"},
        {"stored_rows(n, 0x81, all)", "stored_rows(n, 0x80, all)"},
        {"stored_rows(n, 0x81, all)", "stored_rows(n, 0x01, all)"},
        {"made_1::is_cut(x) && !", "false && !"},
        {"all & ~(published[n] >> TILE_ROWS)", "all"},
        {"if (!(kept >> row & 1))", "if (false)"},
    };
    const schedule s = {.kind = SCHEDULE_PERSISTENT,
                        .device.size = {2, 2, 1},
                        .tile.size = {96, 1},
                        .thread.size[1] = 8,
                        .tile.steps = 5};
    if (mutated_gpu())
        check_mutations(plate, &s, all, COUNT_OF(all));
}
