/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA C++ of kernels reads as the stage it stands for, and asks for no header. */
#include "emit/emit.h"
#include "test.h"

static ir *build(const char *source, program **p)
{
    ir *code = NULL;
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, p));
    REQUIRE_OK(ir_build(*p, NULL, &code));
    return code;
}

enum { MOST_STAGES = 16 };

static void emit_by(const char *source, const emit_gpu_schedule *wanted, text *t)
{
    program *p = NULL;
    ir *const code = build(source, &p);
    const ir *const all[] = {code};
    emit_gpu_schedule each[MOST_STAGES] = {0};
    const emit_gpu_schedule *const ways[] = {each};
    for (int64_t k = 0; k < code->step.count; k++)
        each[code->step.stage[k]] = *wanted;
    REQUIRE_OK(emit_gpu_source(all, 1, ways, "head */", t));
    ir_free(code);
    program_free(p);
}

static void emit(const char *source, emit_gpu_form form, text *t)
{
    emit_by(source, &(emit_gpu_schedule){.form = form}, t);
}

static const char heat[] = "grid x 16, y 8, z 4\nreal f32\nfield u = 1\nparam a = 0.1\n"
                           "u' = u + a*laplace(u)\nborder u = 0";

TEST(neighbours_are_a_distance_away_that_all_threads_share)
{
    text t = {0};
    emit(heat, EMIT_GPU_POINT, &t);
    CHECK(strncmp(t.data, "/* head  / */\n", 14) == 0);
    CHECK(strstr(t.data, "*const f0_u_ym1 = f0_u - a.g0.y;"));
    CHECK(strstr(t.data, "f0_u[1]"));
    CHECK(strstr(t.data, "f0_u_new[0] = n"));
    CHECK(strstr(t.data, "(const __grid_constant__ argument_0_1 a)"));
    text_free(&t);
}

TEST(a_walk_holds_what_the_next_planes_read_again)
{
    text t = {0};
    emit(heat, EMIT_GPU_STREAM, &t);
    CHECK(strstr(t.data, "pack<float, 4> f0_u_zp1 = load_pack<4>(at_f0_u);"));
    CHECK(strstr(t.data, "        f0_u = f0_u_zp1;\n"));
    CHECK(strstr(t.data, "f0_u_zp1 = load_pack<4>(at_f0_u + a.g0.z);"));
    CHECK(strstr(t.data, "const float f0_u_xm1 = load_one(at_f0_u - 1);"));
    CHECK(strstr(t.data, "store_pack(at_f0_u_new, r1_0, f0_u, i, a.w);"));
    text_free(&t);
}

TEST(a_walk_asks_for_what_it_will_read_and_no_further)
{
    text t = {0};
    emit_by(heat, &(emit_gpu_schedule){EMIT_GPU_STREAM, .rows = 2, .prefetch = 3}, &t);
    CHECK(strstr(t.data, "        if (k + 4 < to + 1) {\n"
                         "            kernel_prefetch(at_f0_u + 4 * a.g0.z);\n"
                         "            kernel_prefetch(at_f0_u + 4 * a.g0.z + a.g0.y);\n"
                         "        }\n"));
    text_free(&t);
    emit_by(
        heat,
        &(emit_gpu_schedule){EMIT_GPU_STREAM, EMIT_GPU_SHARED, .ahead = 2, .prefetch = 1},
        &t);
    CHECK(strstr(t.data, "        if (k + 4 < to + 1) {\n"
                         "            kernel_prefetch(at_f0_u + 4 * a.g0.z);\n"));
    text_free(&t);
}

TEST(sums_that_planes_share_are_computed_once_a_plane)
{
    static const char sums[] =
        "grid x 16, y 8, z 6\nreal f32\nfield u = 1\nborder u = 0\n"
        "let ring = u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0]\n"
        "u' = 0.1*(ring[0,0,1] + ring[0,0,-1]) + 0.2*ring";
    text t = {0};
    emit(sums, EMIT_GPU_STREAM, &t);
    CHECK(strstr(t.data, "enum { WARM = 2 };"));
    CHECK(strstr(t.data, "if (k < from)\n            continue;"));
    CHECK(!strstr(t.data, "load_pack<4>(at_f0_u - a.g0.z"));
    text_free(&t);
}

TEST(nothing_is_included_and_nothing_is_a_builtin_of_a_compiler)
{
    text t = {0};
    emit("grid x 16\nreal f32 stored bf16\nfield u = 1\nu' = u/2 + 1e39", EMIT_GPU_POINT,
         &t);
    CHECK(strstr(t.data, "f32_of_bf16(f0_u[0])"));
    CHECK(strstr(t.data, "INFINITY"));
    CHECK(!strstr(t.data, "#include"));
    CHECK(!strstr(t.data, "__builtin_"));
    text_free(&t);
}

TEST(reductions_fold_pieces_and_injections_go_by_a_list)
{
    text t = {0};
    emit("grid x 16, y 8\nfield u = 1\nmeasure m = max(abs(u)) every 1 into \"m.csv\"\n"
         "u' = u\ninject 2 into u at (3, 4)",
         EMIT_GPU_POINT, &t);
    CHECK(strstr(t.data, "fold_piece(a.w, 0, FOLD_MAX, v[0], r, p, j, k);"));
    CHECK(strstr(t.data, "_list(const __grid_constant__"));
    CHECK(strstr(t.data, "(a, i, j, k, a.w.weight[n]);"));
    text_free(&t);
}

TEST(blocks_are_shaped_after_narrow_boxes_and_make_one_line_where_there_are_too_many)
{
    program *p = NULL;
    ir *const code = build(heat, &p);
    emit_gpu_kernel k;
    int64_t blocks[3], shared;
    int threads[3];
    const emit_gpu_schedule point = {.form = EMIT_GPU_POINT};
    REQUIRE_OK(emit_gpu_kernel_of(code, &code->stage[code->step.stage[0]], &point, &k));
    const emit_gpu_work slab = {.lo = {-1, 0, 0}, .hi = {0, 512, 512}};
    emit_gpu_extent(code, &k, &slab, blocks, threads, &shared);
    CHECK(threads[0] == 1 && threads[1] == 256 && threads[2] == 1);
    CHECK(blocks[0] == 1 && blocks[1] == 2 && blocks[2] == 512);
    const emit_gpu_work tall = {.lo = {1, 0, 0}, .hi = {65, 4, 70000}};
    emit_gpu_extent(code, &k, &tall, blocks, threads, &shared);
    CHECK(threads[0] == 64 && threads[1] == 4 && threads[2] == 1);
    CHECK(blocks[0] == 2 * 70000 && blocks[1] == 1 && blocks[2] == 1);
    emit_gpu_kernel_free(&k);
    ir_free(code);
    program_free(p);
}

TEST(functions_whose_bits_differ_have_kernels_in_steps_only)
{
    program *p = NULL;
    ir *const code = build("grid x 16\nfield u = sin(x)\nu' = sin(u)", &p);
    for (int64_t k = 0; k < code->stages; k++)
        if (emit_gpu_differs(&code->stage[k]))
            CHECK_EQ(emit_gpu_has_kernel(code, &code->stage[k]),
                     k == code->step.stage[0]);
    CHECK(emit_gpu_has_kernel(code, &code->stage[code->step.stage[0]]));
    ir_free(code);
    program_free(p);
}

TEST(what_a_schedule_cannot_be_is_told)
{
    program *p = NULL;
    ir *const code = build(heat, &p);
    const ir_stage *stage = &code->stage[code->step.stage[0]];
    emit_gpu_schedule s;
    REQUIRE_OK(emit_gpu_schedule_find("point", &s));
    CHECK(!emit_gpu_refusal(code, stage, &s));
    s.threads[0] = 48;
    CHECK(strstr(emit_gpu_refusal(code, stage, &s), "powers of two"));
    CHECK(emit_gpu_schedule_find("pont", &s) == PAV_EINVAL);
    CHECK(strstr(pav_message(), "'point'"));
    ir_free(code);
    program_free(p);
}

TEST(a_schedule_is_written_as_words)
{
    emit_gpu_schedule s;
    REQUIRE_OK(emit_gpu_schedule_find(
        "stream:shared,rows=2,vector=4,threads=32x16,ahead=3,prefetch=4,blocks=1", &s));
    CHECK_EQ(s.form, EMIT_GPU_STREAM);
    CHECK_EQ(s.source, EMIT_GPU_SHARED);
    CHECK_EQ(s.rows, 2);
    CHECK_EQ(s.vector, 4);
    CHECK_EQ(s.threads[0], 32);
    CHECK_EQ(s.threads[1], 16);
    CHECK_EQ(s.ahead, 3);
    CHECK_EQ(s.prefetch, 4);
    CHECK_EQ(s.blocks, 1);
    REQUIRE_OK(emit_gpu_schedule_find("point:threads=128", &s));
    CHECK_EQ(s.threads[1], 1);
    REQUIRE_OK(emit_gpu_schedule_find(NULL, &s));
    CHECK_EQ(s.form, EMIT_GPU_USUAL);
}

TEST(words_that_are_no_schedule_are_told)
{
    static const struct {
        const char *words, *message;
    } wrong[] = {
        {"stream:shard", "did you mean 'shared'?"},
        {"stream:row=2", "did you mean 'rows'?"},
        {"stream:rows=0", "rows '0' of a schedule is not a whole number from 1 to 1024"},
        {"stream:rows=2x", "rows '2x'"},
        {"stream:threads=32x", "is not like 32x8"},
        {"stream:threads=32x8x2", "is not like 32x8"},
        {"point:shared", "stream:shared"},
        {"point:rows=2", "rows is of the schedule stream, not of point"},
        {"auto:rows=2", "say point or stream"},
        {"stream:", "there is no place of neighbours ''"},
    };
    emit_gpu_schedule s;
    for (size_t n = 0; n < COUNT_OF(wrong); n++) {
        CHECK(emit_gpu_schedule_find(wrong[n].words, &s) == PAV_EINVAL);
        CHECK(strstr(pav_message(), wrong[n].message));
    }
}

static const char *refusal_of(const char *source, const char *words)
{
    program *p = NULL;
    ir *const code = build(source, &p);
    emit_gpu_schedule s;
    REQUIRE_OK(emit_gpu_schedule_find(words, &s));
    const char *why = emit_gpu_refusal(code, &code->stage[code->step.stage[0]], &s);
    ir_free(code);
    program_free(p);
    return why ? why : "";
}

TEST(what_a_stage_cannot_share_is_told)
{
    static const char column[] = "grid x 16, y 8, z 4\nreal f32\nfield u = 1\n"
                                 "u' = u[0,0,1] - u\nborder u = 0";
    CHECK(!*refusal_of(heat, "stream:shared,threads=4x2"));
    CHECK(strstr(refusal_of(heat, "stream:shared,threads=256x4,ahead=8"), "227 KiB"));
    CHECK(strstr(refusal_of(heat, "stream:shared,ahead=9"), "at most 8 planes"));
    CHECK(strstr(refusal_of(heat, "stream:prefetch=9"), "at most 8 planes are asked"));
    CHECK(strstr(refusal_of(heat, "stream:ahead=2"), "one plane ahead"));
    CHECK(strstr(refusal_of(heat, "stream:shuffle,threads=16x2"), "whole warps"));
    CHECK(strstr(refusal_of(column, "stream:shared"), "no neighbours in a plane"));
    CHECK(strstr(refusal_of(column, "stream:shuffle"), "no neighbours along x"));
}

TEST(rows_of_a_thread_share_what_they_read)
{
    const emit_gpu_schedule two = {.form = EMIT_GPU_STREAM, .rows = 2};
    text t = {0};
    emit_by(heat, &two, &t);
    CHECK(strstr(t.data, "f0_u_yp1 = f0_u_yp1_zp1;"));
    CHECK(!strstr(t.data, "const pack<float, 4> f0_u_yp1 ="));
    CHECK(strstr(t.data, "const pack<float, 4> f0_u_yp2 ="));
    text_free(&t);
}

TEST(planes_that_are_shared_come_before_they_are_needed)
{
    const emit_gpu_schedule shared = {
        .form = EMIT_GPU_STREAM, .source = EMIT_GPU_SHARED, .ahead = 2};
    text t = {0};
    emit_by(heat, &shared, &t);
    CHECK(strstr(t.data, "ring<float, 4, threads, margin<1, 1, 1, 1>, 0, 4> in_f0_u;"));
    CHECK(strstr(t.data, "            copy_plane(in_f0_u, 3, k + 3, a.g0.z);"));
    CHECK(strstr(t.data, "f0_u_zp1 = pack_in(in_f0_u, 1, 0, 0);"));
    CHECK(strstr(t.data, "f0_u_ym1 = pack_in(in_f0_u, 0, -1, 0);"));
    CHECK(!strstr(t.data, "_ym1 = load_pack"));
    text_free(&t);
}
