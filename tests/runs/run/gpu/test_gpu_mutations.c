/* SPDX-License-Identifier: BSD-3-Clause */
/* All synchronisation inside a block is necessary. Without any part of it, the emulated
 * GPU refuses the launch, or gives other bits than the interpreter. */
#include "gpu_bench.h"
#include "mutated.h"

#include <stdio.h>
#include <string.h>

/* Rows are not whole vectors, and fewer than a block's rows; planes need several
 * sweeps. */
#define STAR(type)                                                                       \
    "grid x 13, y 5, z 11\nreal " type "\nfield u = 1\nborder u = 0\n"                   \
    "u' = 0.2*u + 0.1*(u[2,0,0] - u[-1,0,0]) + 0.1*(u[0,2,0] - u[0,-2,0])"               \
    " + 0.1*(u[0,0,2] - u[0,0,-2]) + 0.05*(u[0,1,0] + u[0,-1,0])"
static const char star[] = STAR("f32"), star_of_doubles[] = STAR("f64");

/* Split stages: two sums of a plane; one is read in the planes before and behind. */
static const char shared_sums[] =
    "grid x 13, y 5, z 11\nreal f32\nfield u = 1\nborder u = 0\n"
    "stencil s { centre 0.3, face 0.06, edge 0.02, corner 0.0125 }\nu' = s(u)";

/* Runs one stage on few blocks, so each block takes more than one sweep. */
static pav_status run_stage_of(bench *b, int number, const schedule *all)
{
    const ir *code = b->site->code;
    const int64_t blocks[] = {1, 1, 2};
    const ir_stage *stage = &code->stage[number];
    const box all_points = ir_stage_box(code, stage);
    const interp_args args = {
        code,  stage, b->site->views, b->site->table, b->site->uniform, all_points,
        false, NULL};
    emit_gpu_work w = {.planes = 3};
    emit_gpu_kernel k;

    memcpy(w.lo, all_points.lo, sizeof w.lo);
    memcpy(w.hi, all_points.hi, sizeof w.hi);
    REQUIRE_OK(emit_gpu_kernel_of(code, stage, &all[number], &k));
    REQUIRE_OK(interp_stage(&args));
    const pav_status status = bench_launch(b, stage, &k, &w, blocks);
    emit_gpu_kernel_free(&k);
    return status;
}

static pav_status run_step(bench *b, const schedule *all)
{
    const ir_list *step = &b->site->code->step;
    pav_status status = PAV_OK;

    for (int64_t n = 0; n < step->count && status == PAV_OK; n++)
        status = run_stage_of(b, step->stage[n], all);
    return status;
}

/* Runs the step twice, because the emulated GPU runs threads of a block in one of three
 * orders. */
static bool is_good(bench *b, const schedule *all)
{
    bool good = true;

    for (int n = 0; n < 2; n++)
        good = good && run_step(b, all) == PAV_OK && site_agrees(b->site, b->g);
    return good;
}

static void open_site(gpu_site *site, const char *program_text, const schedule *requested,
                      schedule *all)
{
    if (requested->kind == SCHEDULE_TWO_PASS)
        site_open_parts(site, program_text, 3);
    else
        site_open_text(site, program_text, 3);
    for (int64_t n = 0; n < site->code->step.count; n++)
        all[site->code->step.stage[n]] = *requested;
}

/* True if the changed kernel still agrees with the interpreter. */
static bool survives(const char *program_text, const schedule *requested,
                     const mutation *m)
{
    gpu_site site;
    bench b = {.site = &site};
    schedule all[8] = {{0}};
    const schedule *const ways[] = {all};
    text source = {0}, mutated = {0};

    REQUIRE(site_gpu(&b.g));
    open_site(&site, program_text, requested, all);
    const ir *const code[] = {site.code};
    REQUIRE_OK(emit_gpu_source(code, 1, ways, "a test", &source));
    add_mutated(&source, m, &mutated);
    site_upload(&site, b.g);
    REQUIRE_OK(bench_compile(b.g, &mutated, &b.stages));
    const bool good = is_good(&b, all);
    site_close(&site);
    site_give_all(b.g);
    gpu_close(b.g);
    text_free(&source);
    text_free(&mutated);
    return good;
}

static void check_those_of(const char *program_text, const schedule *requested,
                           const mutation *all, size_t count)
{
    check_mutated(survives, program_text, requested, all, count);
}

static void check_mutations(const schedule *requested, const mutation *all, size_t count)
{
    check_those_of(star, requested, all, count);
}

LONG_TEST(sweeps_that_share_planes_need_every_barrier_wait_and_bound)
{
    static const mutation all[] = {
        {"        __syncthreads();\n        if (k + AHEAD < to)",
         "        if (k + AHEAD < to)"},
        {"    __syncthreads(); /* all planes of the previous sweep have been read */\n",
         ""},
        {"kernel_copy_wait<AHEAD - 1>", "kernel_copy_wait<AHEAD>"},
        {"if (k + AHEAD < to)", "if (true)"},
        {"FIRST = 0, PLANES = 5", "FIRST = 0, PLANES = 4"},
        {"BELOW = 2, ABOVE = 2", "BELOW = 1, ABOVE = 2"},
        {"lesser(row, top)", "row"},
        {"lesser(b.y + threadIdx.y * B::OWN_ROWS, w.hi[1] - B::OWN_ROWS)",
         "b.y + threadIdx.y * B::OWN_ROWS"},
        {"if (is_inside(ends, n))", ""},
        {", turn(in_f0_u)", ""},
    };
    const schedule shared = {.kind = SCHEDULE_SWEEP,
                             .tile.storage = STORAGE_SHARED,
                             .tile.size = {4, 4},
                             .thread.size[1] = 2,
                             .tile.ahead = 2};
    if (mutated_gpu())
        check_mutations(&shared, all, COUNT_OF(all));
}

LONG_TEST(sweeps_whose_planes_one_thread_copies_need_every_gate_and_phase)
{
    static const mutation all[] = {
        {"        come(gate);\n", ""},
        {"            wait_for_all(gate);\n", ""},
        {"        wait_for_planes(gate);\n", ""},
        {"    g.parity ^= g.now == 0;\n", ""},
        {"g.now < AHEAD ? g.now + 1 : 0", "g.now + 1 < AHEAD ? g.now + 1 : 0"},
        {", turn(gate)", ""},
        {", turn(in_f0_u)", ""},
        {"r.BYTES);", "r.BYTES - 16);"},
        {"if (copies_planes() && k + AHEAD < to)", "if (copies_planes())"},
        {"            kernel_mbarrier_arrive(gate.asked());\n", ""},
        {"        kernel_mbarrier_fence();\n    }\n    __syncthreads();\n",
         "        kernel_mbarrier_fence();\n    }\n"},
        {"    __syncthreads();\n    if (copies_planes())\n        for",
         "    if (copies_planes())\n        for"},
        {"            kernel_mbarrier_end(&g.there[n]);\n", "            ;\n"},
        {"    __syncwarp(", "    (void)("},
        {"FIRST = 0, PLANES = 4", "FIRST = 0, PLANES = 3"},
        {"BELOW = 2, ABOVE = 2", "BELOW = 1, ABOVE = 2"},
        {" - t.first[0]", ""},
        {" - t.first[1]", ""},
        {" - r.map_of->first[2]", ""},
    };
    const schedule tma = {.kind = SCHEDULE_SWEEP,
                          .tile.storage = STORAGE_SHARED,
                          .tile.copy = COPY_TMA,
                          .tile.size = {16, 5},
                          .tile.ahead = 1};
    if (mutated_gpu())
        check_mutations(&tma, all, COUNT_OF(all));
}

LONG_TEST(sweeps_whose_planes_come_through_registers_need_every_barrier_and_bound)
{
    static const mutation all[] = {
        {"        __syncthreads();\n        if (k + AHEAD < to)",
         "        if (k + AHEAD < to)"},
        {"    __syncthreads(); /* all planes of the previous sweep have been read */\n",
         ""},
        {"if (k + AHEAD < to)", "if (k + AHEAD < to - 1)"},
        {"        keep_plane(in_f0_u, 2);\n", ""},
        {"FIRST = 0, PLANES = 4", "FIRST = 0, PLANES = 3"},
        {"    to[r.last] = r.soon[r.READS - 1];\n", ""},
        {", turn(in_f0_u)", ""},
    };
    const schedule remap = {.kind = SCHEDULE_SWEEP,
                            .tile.storage = STORAGE_SHARED,
                            .tile.copy = COPY_REMAP,
                            .tile.size = {16, 3}};
    if (mutated_gpu())
        check_mutations(&remap, all, COUNT_OF(all));
}

LONG_TEST(planes_of_split_doubles_need_both_halves_where_they_belong)
{
    static const mutation all[] = {
        {"                kernel_copy_async<4>(to + r.HIGH, point + 1);\n", ""},
        {"kernel_copy_async<4>(to, point);", "kernel_copy_async<4>(to, point + 1);"},
        {"(from + r.from[n]) + 2 * k;", "(from + r.from[n]) + k;"},
        {"low + n * S::block::COUNT * S::VECTOR + k;", "low + n * S::block::COUNT + k;"},
        {"r.point(y, x * S::VECTOR)", "r.point(y, x)"},
        {"y * this->WIDTH) * S::VECTOR + x", "y * this->WIDTH) * S::VECTOR"},
        {"        __syncthreads();\n        if (k + AHEAD < to)",
         "        if (k + AHEAD < to)"},
        {"kernel_copy_wait<AHEAD - 1>", "kernel_copy_wait<AHEAD>"},
    };
    const schedule split = {.kind = SCHEDULE_SWEEP,
                            .tile.storage = STORAGE_SHARED,
                            .tile.copy = COPY_SPLIT,
                            .tile.size = {8, 2},
                            .thread.size[1] = 2};
    if (mutated_gpu())
        check_those_of(star_of_doubles, &split, all, COUNT_OF(all));
}

LONG_TEST(sweeps_that_read_ahead_need_every_bound)
{
    static const mutation all[] = {
        {"return z < last + left ? z : last + left;", "return z;"},
        {"        f0_u_zp2 = f0_u_zp3;\n", ""},
        {"j < w.hi[1] - N ? j : w.hi[1] - N", "j"},
        {"if (is_inside(ends, n))", ""},
    };
    const schedule ahead = {.kind = SCHEDULE_SWEEP,
                            .tile.size = {4, 4},
                            .thread.size[1] = 2,
                            .tile.ahead = 1};
    if (mutated_gpu())
        check_mutations(&ahead, all, COUNT_OF(all));
}

/* A prefetch must stay inside the run's memory. Its moment affects no bit, nor do renamed
 * turns of an unrolled sweep, so these are not changed here. */
LONG_TEST(sweeps_that_ask_for_planes_before_need_every_bound_and_turn)
{
    static const mutation all[] = {
        {"if (k + 5 < to + 2)", "if (true)"},
        {"        f0_u_zm1 = f0_u;\n", ""},
        {"        f0_u_zp1 = f0_u_zp2;\n", ""},
    };
    const schedule asked = {.kind = SCHEDULE_SWEEP,
                            .tile.size = {4, 4},
                            .thread.size[1] = 2,
                            .unroll = 5,
                            .prefetch = 3};
    if (mutated_gpu())
        check_mutations(&asked, all, COUNT_OF(all));
}

LONG_TEST(sweeps_that_use_planes_as_they_come_need_every_plane_before)
{
    static const mutation all[] = {
        {"enum { WARM = 4,", "enum { WARM = 3,"},
        {"        n12_0_0 = n12_0_1;\n", ""},
        {"= n11_0 + n12_0_0;", "= n11_0 + n12_0_1;"},
        {"if (k < from)\n            continue;", ""},
        {"        __syncthreads();\n        if (k + AHEAD < to)",
         "        if (k + AHEAD < to)"},
        {"kernel_copy_wait<AHEAD - 1>", "kernel_copy_wait<AHEAD>"},
        {"FIRST = 2, PLANES = 3", "FIRST = 2, PLANES = 2"},
    };
    const schedule input = {.kind = SCHEDULE_SWEEP,
                            .tile.storage = STORAGE_SHARED,
                            .input = true,
                            .tile.size = {4, 4},
                            .thread.size[1] = 2,
                            .tile.ahead = 2};
    if (mutated_gpu())
        check_mutations(&input, all, COUNT_OF(all));
}

LONG_TEST(sweeps_of_whole_warps_need_every_thread_and_bound)
{
    static const mutation all[] = {
        {"lane >= 0 && lane < ALL_LANES && there == (int)i + BY * N", "true"},
        {"there == (int)i + BY * N", "true"},
        {"neighbour_point<-1>", "neighbour_point<1>"},
        {"const int64_t i = vector_within<4>(a.w), planes = a.w.planes;",
         "const int64_t i = first_vector<4>(a.w), planes = a.w.planes;\n"
         "    if (i >= a.w.hi[0])\n        return;"},
    };
    const schedule whole = {.kind = SCHEDULE_SWEEP,
                            .tile.storage = STORAGE_REGISTERS,
                            .tile.size = {32, 2},
                            .thread.size[1] = 2};
    if (mutated_gpu())
        check_mutations(&whole, all, COUNT_OF(all));
}

/* The kernel has more coefficients than a block has threads. */
static const char weighted[] =
    "grid x 13, y 5, z 4\nreal f32\nfield u = 1\nborder u = 0\n"
    "scalar c0 = 1; c1 = 2; c2 = 3; c3 = 4; c4 = 5; c5 = 6; c6 = 7; c7 = 8; c8 = 9; c9 = "
    "10\n"
    "u' = c0*u + c1*u[1,0,0] + c2*u[-1,0,0] + c3*u[0,1,0] + c4*u[0,-1,0] + c5*u[2,0,0]"
    " + c6*u[-2,0,0] + c7*u[0,2,0] + c8*u[0,0,1] + c9*u[0,0,-1]";

LONG_TEST(numbers_that_a_block_shares_need_every_thread_and_the_barrier)
{
    static const mutation all[] = {
        {"        memcpy((unsigned char *)&to + n * sizeof word, &word, sizeof word);\n"
         "    }\n    __syncthreads();",
         "        memcpy((unsigned char *)&to + n * sizeof word, &word, sizeof word);\n"
         "    }"},
        {"    stage_numbers(staged_0_1, a.n);\n", ""},
        {"n += threads)", "n += 2 * threads)"},
        {"sizeof(T) / sizeof(unsigned)", "sizeof(T) / sizeof(unsigned) - 1"},
    };
    const schedule shared = {
        .kind = SCHEDULE_SWEEP, .tile.size = {4, 1}, .coefficients = UNIFORMS_SHARED};
    if (mutated_gpu())
        check_those_of(weighted, &shared, all, COUNT_OF(all));
}

LONG_TEST(parts_of_a_stage_need_all_that_goes_from_one_to_the_next)
{
    static const mutation all[] = {
        {"        f1_part_1_zm1 = f1_part_1;\n", ""},
        {"f1_part_1 = load_vector<4>(at_f1_part_1 - a.g0.z)",
         "f1_part_1 = load_vector<4>(at_f1_part_1)"},
        {"load_vector<4>(at_f1_part_1 + a.g0.z);", "load_vector<4>(at_f1_part_1);"},
        {"load_vector<4>(at_f2_part_2);", "load_vector<4>(at_f2_part_2 + a.g1.z);"},
        {"        store_vector(at_f1_part_1, r1_0, ends);\n", ""},
        {"        store_vector(at_f2_part_2 + 1 * a.g2.y, r2_1, ends);\n", ""},
        {"copy_plane(in_f0_u, 2, k + 2, a.g0.z)", "copy_plane(in_f0_u, 2, k, a.g0.z)"},
    };
    const schedule parts = {.kind = SCHEDULE_TWO_PASS,
                            .tile.storage = STORAGE_SHARED,
                            .tile.size = {4, 4},
                            .thread.size[1] = 2,
                            .tile.ahead = 2};
    if (mutated_gpu())
        check_those_of(shared_sums, &parts, all, COUNT_OF(all));
}
