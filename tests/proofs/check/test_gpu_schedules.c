/* SPDX-License-Identifier: BSD-3-Clause */
/* The proofs of GPU kernels can fail: kernels of another program are found at any
 * place. */
#include <stdio.h>
#include <stdlib.h>

#include "check_helper.h"

static const schedule_place on_gpus = {true, "GPUs"};

enum { PROGRAMS = 3 };

static const char *const halves[PROGRAMS] = {
    "grid x 40, y 9\nfield u = x*y\nu' = 0.5*u[1, 0]\nborder u = 0",
    "grid x 41, y 9\nfield u = x*y\nu' = 0.5*u[1, 0]\nborder u = 0",
    "grid x 42, y 9\nfield u = x*y\nu' = 0.5*u[1, 0]\nborder u = 0"};
static const char quarter[] =
    "grid x 42, y 9\nfield u = x*y\nu' = 0.25*u[1, 0]\nborder u = 0";

static gpu *emulated(void)
{
    pav_device *device = NULL;
    gpu *g = NULL;
    if (pav_device_open("emulated", &device) == PAV_OK)
        REQUIRE_OK(gpu_open(device, &g));
    else
        test_skip("kernels for GPUs", pav_message());
    pav_device_free(device);
    return g;
}

/* Proves three programs with kernels of `source`. The last source may differ from the
 * last program. */
static void prove_three(gpu *g, const char *const source[PROGRAMS], pav_status last)
{
    program *p[PROGRAMS], *made_of[PROGRAMS];
    ir *code[PROGRAMS];
    uint64_t seed[PROGRAMS] = {1, 2, 3};
    gpu_proof *kernels = NULL;
    for (int n = 0; n < PROGRAMS; n++) {
        p[n] = parse(halves[n]);
        made_of[n] = parse(source[n]);
        REQUIRE_OK(ir_build(made_of[n], NULL, &code[n]));
    }
    REQUIRE_OK(
        gpu_proof_open(g, (const ir *const *)code, seed, PROGRAMS, HOST_QUICK, &kernels));
    for (int n = 0; n < PROGRAMS; n++) {
        const proof_case c = {p[n], seed[n], false, NULL, n, g, kernels, NULL};
        CHECK_STATUS(kernels_equal_rows(&c), n < PROGRAMS - 1 ? PAV_OK : last);
    }
    gpu_proof_close(kernels);
    for (int n = 0; n < PROGRAMS; n++) {
        ir_free(code[n]);
        program_free(p[n]);
        program_free(made_of[n]);
    }
}

TEST(kernels_of_several_modules_are_those_of_their_programs)
{
    gpu *g = emulated();
    setenv("PAV_THREADS", "2", 1);
    if (g)
        prove_three(g, halves, PAV_OK);
    gpu_close(g);
}

TEST(a_gpu_that_runs_the_kernels_of_another_program_is_found)
{
    const char *const others[PROGRAMS] = {halves[0], halves[1], quarter};
    gpu *g = emulated();
    if (g)
        prove_three(g, others, PAV_EINTERNAL);
    if (g)
        CHECK(strstr(pav_message(), "as any run: field u differs at"));
    gpu_close(g);
}

TEST(kernels_compile_where_there_is_nvrtc)
{
    if (gpu_compiler_is_here() != PAV_OK) {
        test_skip("compiling for GPUs", pav_message());
        return;
    }
    program *p = parse(quarter);
    CHECK_STATUS(gpu_kernels_compile(&(proof_case){.program = p}), PAV_OK);
    program_free(p);
}

static void compile_by(const char *words, int architecture)
{
    program *p = parse("grid x 64, y 64, z 64\nreal f32\nfield u = 1\nborder u = 0\n"
                       "u' = u + 0.1*laplace(u, order 4)");
    schedule all[8] = {{0}};
    const schedule *const ways[] = {all};
    text source = {0}, stats = {0};
    ir *code = NULL;
    REQUIRE_OK(ir_build(p, NULL, &code));
    const ir *const codes[] = {code};
    REQUIRE_OK(schedule_parse(words, on_gpus, &all[code->step.stage[0]]));
    REQUIRE_OK(emit_gpu_source(codes, 1, ways, "a test", &source));
    REQUIRE_OK(gpu_try_compile(architecture, source.data, source.length, &stats));
    CHECK_STATUS(kernels_have_no_spills(stats.data, architecture), PAV_OK);
    text_free(&source);
    text_free(&stats);
    ir_free(code);
    program_free(p);
}

TEST(every_way_to_share_planes_compiles_where_there_is_nvrtc)
{
    if (gpu_compiler_is_here() != PAV_OK) {
        test_skip("compiling for GPUs", pav_message());
        return;
    }
    compile_by("sweep:shared,copy=remap,rows=2", 80);
    compile_by("sweep:shared,copy=remap,threads=32x6,vector=1", 90);
    compile_by("sweep:shared,copy=tma,rows=2", 90);
    compile_by("sweep:shared,copy=tma,threads=32x16,rows=2", 100);
}

TEST(a_kernel_that_spills_is_found_among_others)
{
    CHECK_STATUS(kernels_have_no_spills(
                     "pav_0_0: 28 registers, 0 bytes stack frame, 0 bytes spill "
                     "stores, 0 bytes spill loads\n"
                     "pav_0_1: 48 registers, 8 bytes spill stores\n",
                     90),
                 PAV_OK);
    CHECK_STATUS(
        kernels_have_no_spills("pav_0_0: 9 registers, 0 bytes spill stores\n"
                               "pav_0_1: 255 registers, 100 bytes spill stores\n",
                               80),
        PAV_EINTERNAL);
    CHECK(strstr(pav_message(), "for sm_80 a kernel spills registers: pav_0_1: 255"));
    CHECK_STATUS(kernels_have_no_spills("pav_0_0: 9 registers\n", 80), PAV_EINTERNAL);
}

/* ---- schedules --------------------------------------------------------------------- */

static const char
    *const wave = "grid x 40, y 30, z 20\nfield u = x\nborder periodic u\nsteps 9\n"
                  "u' = 2*u - prev(u) + 0.01*laplace(u, order 4)";

/* The number of schedules with a property, among the schedules of all stages for the
 * seeds 1 to 500. */
static int like(const ir *code, bool (*is)(const schedule *way))
{
    int count = 0;
    for (uint64_t seed = 1; seed <= 500; seed++)
        for (int64_t n = 0; n < code->step.count; n++) {
            const schedule way = gpu_schedule_of_seed(90, code, code->step.stage[n],
                                                      seed);
            count += is(&way);
        }
    return count;
}

static bool has_two_bare(const schedule *way)
{
    return way->kind == SCHEDULE_TWO_PASS && way->tile.size[0] == 0;
}

static bool has_two_shuffled(const schedule *way)
{
    return way->kind == SCHEDULE_TWO_PASS && way->tile.storage == STORAGE_REGISTERS;
}

static bool has_two_by_tensors(const schedule *way)
{
    return way->kind == SCHEDULE_TWO_PASS && way->tile.copy == COPY_TMA;
}

static bool has_two_by_input(const schedule *way)
{
    return way->kind == SCHEDULE_TWO_PASS && way->input;
}

TEST(all_kinds_of_split_stages_are_among_the_ways)
{
    program *p = parse(wave);
    ir *split;
    REQUIRE_OK(ir_build(p, NULL, &split));
    REQUIRE_OK(ir_split_stages(split));
    CHECK(like(split, has_two_bare) > 5);
    CHECK(like(split, has_two_shuffled) > 5);
    CHECK(like(split, has_two_by_tensors) > 5);
    CHECK(like(split, has_two_by_input) > 5);
    ir_free(split);
    program_free(p);
}

/* ---- fused launches, compiled ------------------------------------------------------ */

static pav_status compile_pass(const char *source, const char *words, int architecture)
{
    program *p = parse(source);
    schedule requested;
    ir *code;
    REQUIRE_OK(schedule_parse(words, on_gpus, &requested));
    REQUIRE_OK(ir_build(p, NULL, &code));
    const pav_status status = gpu_fused_compiles(code, &requested, architecture);
    ir_free(code);
    program_free(p);
    return status;
}

LONG_TEST(fused_launches_compile_where_there_is_nvrtc)
{
    static const char flat[] = "grid x 400, y 400\nreal f32\nfield u = x\nborder u = 0\n"
                               "u' = u + 0.1*laplace(u)";
    static const char solid[] = "grid x 99, y 99, z 99\nreal f32\nfield u = x\n"
                                "border u = 0\nu' = u + 0.1*laplace(u)";
    if (gpu_compiler_is_here() != PAV_OK) {
        test_skip("compiling for GPUs", pav_message());
        return;
    }
    CHECK_STATUS(compile_pass(flat, "time:depth=4", 80), PAV_OK);
    CHECK_STATUS(compile_pass(flat, "time:shared,depth=4", 100), PAV_OK);
    CHECK_STATUS(compile_pass(flat, "persistent", 90), PAV_OK);
    CHECK_STATUS(compile_pass(solid, "time:depth=4,threads=32x12,rows=8", 90),
                 PAV_EINTERNAL);
    CHECK(strstr(pav_message(), "for sm_90 a kernel spills registers: pav_fused_0"));
}
