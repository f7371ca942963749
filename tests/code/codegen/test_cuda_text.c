/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA C++ of a kernel corresponds to its stage and includes no header. */
#include "codegen/codegen.h"
#include "test.h"

static const schedule_place on_gpus = {true, "GPUs"};

static ir *build(const char *source, program **p)
{
    ir *code = NULL;
    REQUIRE_OK(program_parse(source, (int64_t)strlen(source), NULL, p));
    REQUIRE_OK(ir_build(*p, NULL, &code));
    return code;
}

enum { MOST_STAGES = 16 };

static void emit_by(const char *source, const schedule *requested, text *t)
{
    program *p = NULL;
    ir *const code = build(source, &p);
    const ir *const all[] = {code};
    schedule each[MOST_STAGES] = {0};
    const schedule *const ways[] = {each};
    for (int64_t k = 0; k < code->step.count; k++)
        each[code->step.stage[k]] = *requested;
    REQUIRE_OK(emit_gpu_source(all, 1, ways, "head */", t));
    ir_free(code);
    program_free(p);
}

static void emit(const char *source, schedule_kind kind, text *t)
{
    emit_by(source, &(schedule){.kind = kind}, t);
}

static const char heat[] = "grid x 16, y 8, z 4\nreal f32\nfield u = 1\nparam a = 0.1\n"
                           "u' = u + a*laplace(u)\nborder u = 0";

static const char large[] = "grid x 512, y 512, z 512\nreal f32\nfield u = 1\n"
                            "u' = u + 0.1*laplace(u)\nborder u = 0";

TEST(neighbours_are_a_distance_away_that_all_threads_share)
{
    text t = {0};
    emit(heat, SCHEDULE_POINT, &t);
    CHECK(strncmp(t.data, "/* head  / */\n", 14) == 0);
    CHECK(strstr(t.data, "*const f0_u_ym1 = f0_u - a.g0.y;"));
    CHECK(strstr(t.data, "f0_u[1]"));
    CHECK(strstr(t.data, "f0_u_new[0] = n"));
    CHECK(strstr(t.data, "(const __grid_constant__ argument_0_1 a)"));
    text_free(&t);
}

TEST(a_sweep_holds_what_the_next_planes_read_again)
{
    text t = {0};
    emit(heat, SCHEDULE_SWEEP, &t);
    CHECK(strstr(t.data, "pack<float, 4> f0_u_zp1 = load_vector<4>(at_f0_u);"));
    CHECK(strstr(t.data, "        f0_u = f0_u_zp1;\n"));
    CHECK(strstr(t.data, "f0_u_zp1 = load_vector<4>(at_f0_u + a.g0.z);"));
    CHECK(strstr(t.data, "const float f0_u_xm1 = load_one(at_f0_u - 1);"));
    CHECK(strstr(t.data, "store_vector(at_f0_u_new, r1_0, f0_u, ends);"));
    text_free(&t);
}

TEST(a_sweep_stores_ghosts_that_are_copies_of_its_points)
{
    static const struct {
        const char *border;
        bool stored;
    } all[] = {{"periodic", true}, {"mirror", true}, {"odd", false}, {"clamp", false}};
    for (size_t n = 0; n < COUNT_OF(all); n++) {
        const schedule walk = {.kind = SCHEDULE_SWEEP};
        text source = {0}, t = {0};
        text_add(&source, "grid x 16, y 8, z 9\nreal f32\nfield u = 1\n");
        text_add(&source, "u' = 2*u[1, 0, 0]\nborder %s\n", all[n].border);
        emit_by(source.data, &walk, &t);
        CHECK_EQ(
            strstr(t.data,
                   "    store_ghosts<SWEEP_AXIS, VECTOR, ROWS>((float *)a.g1.data") !=
                NULL,
            all[n].stored);
        text_free(&source);
        text_free(&t);
    }
}

TEST(a_sweep_asks_for_what_it_will_read_and_no_further)
{
    text t = {0};
    emit_by(heat, &(schedule){SCHEDULE_SWEEP, .thread.size[1] = 2, .prefetch = 3}, &t);
    CHECK(strstr(t.data, "        if (k + 4 < to + 1) {\n"
                         "            kernel_prefetch(at_f0_u + 4 * a.g0.z);\n"
                         "            kernel_prefetch(at_f0_u + 4 * a.g0.z + a.g0.y);\n"
                         "        }\n"));
    text_free(&t);
    emit_by(heat,
            &(schedule){.kind = SCHEDULE_SWEEP,
                        .tile = {.storage = STORAGE_SHARED, .ahead = 2},
                        .prefetch = 1},
            &t);
    CHECK(strstr(t.data, "        if (k + 4 < to + 1) {\n"
                         "            kernel_prefetch(at_f0_u + 4 * a.g0.z);\n"));
    text_free(&t);
}

TEST(planes_that_stand_one_after_the_other_are_left_to_the_compiler)
{
    text t = {0};
    emit_by(heat, &(schedule){.kind = SCHEDULE_SWEEP, .unroll = 3}, &t);
    CHECK(strstr(t.data, "#pragma unroll 3\n    for (int64_t k = from"));
    text_free(&t);
    emit_by(heat, &(schedule){.kind = SCHEDULE_SWEEP}, &t);
    CHECK(!strstr(t.data, "#pragma"));
    text_free(&t);
}

TEST(a_sweep_may_use_planes_as_they_come_and_hold_partial_sums)
{
    static const char star[] =
        "grid x 16, y 8, z 6\nreal f32\nfield u = 1\nborder u = 0\n"
        "u' = 0.1*u[0,0,-1] + 0.2*u[1,0,0] + 0.3*u[0,0,1]";
    text t = {0};
    emit_by(star, &(schedule){SCHEDULE_SWEEP, .input = true}, &t);
    CHECK(strstr(t.data, "enum { WARM = 2 };"));
    CHECK(strstr(t.data, "        n4_0_0 = n4_0;\n"));
    CHECK(strstr(t.data, "fmaf(f0_u_zp1.v[0], 3.0f, n4_0_0);"));
    CHECK(!strstr(t.data, "f0_u_zm1"));
    text_free(&t);
}

TEST(sums_that_planes_share_are_computed_once_a_plane)
{
    static const char sums[] =
        "grid x 16, y 8, z 6\nreal f32\nfield u = 1\nborder u = 0\n"
        "let ring = u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0]\n"
        "u' = 0.1*(ring[0,0,1] + ring[0,0,-1]) + 0.2*ring";
    text t = {0};
    emit(sums, SCHEDULE_SWEEP, &t);
    CHECK(strstr(t.data, "enum { WARM = 2 };"));
    CHECK(strstr(t.data, "if (k < from)\n            continue;"));
    CHECK(!strstr(t.data, "load_vector<4>(at_f0_u - a.g0.z"));
    text_free(&t);
}

TEST(nothing_is_included_and_nothing_is_a_builtin_of_a_compiler)
{
    text t = {0};
    emit("grid x 16\nreal f32 stored bf16\nfield u = 1\nu' = u/2 + 1e39", SCHEDULE_POINT,
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
         SCHEDULE_POINT, &t);
    CHECK(strstr(t.data, "reduction_piece(a.w, 0, REDUCE_MAX, kept[0], p, j, k);"));
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
    const schedule point = {.kind = SCHEDULE_POINT};
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

/* 92,160 bytes for four lines; two fit. */
TEST(a_block_of_an_old_gpu_transforms_fewer_long_lines)
{
    const gpu_facts old = {.major = 7, .minor = 5, .shared_block = 64 << 10};
    static const char text_of[] = "grid x 1025, y 8\nfield u; v\n"
                                  "v' = transform(u along x)\nborder v = 0\nsteps 1\n";
    program *whole = NULL, *p = NULL;
    ir *code = NULL;
    REQUIRE_OK(program_parse("grid x 9\nfield u\nu' = u", 23, NULL, &whole));
    REQUIRE_OK(program_parse_derived(text_of, whole, &p));
    p->derived = true;
    REQUIRE_OK(ir_build(p, NULL, &code));
    schedule list[EMIT_GPU_CANDIDATES];
    int64_t count = 0, fitting = 0;

    for (int64_t n = 0; n < code->stages; n++)
        for (int64_t k = 0;
             code->stage[n].transform &&
             k < (count = emit_gpu_candidates(code, &code->stage[n], list));
             k++) {
            text why = {0};
            REQUIRE_OK(
                emit_gpu_machine_lack(code, &code->stage[n], &list[k], &old, &why));
            CHECK((why.length > 0) == (k == 0));
            fitting += why.length == 0;
            text_free(&why);
        }
    CHECK(count == 3 && fitting == 2);
    ir_free(code);
    program_free(p);
    program_free(whole);
}

TEST(copies_by_the_accelerator_are_of_newer_gpus)
{
    static const schedule tma = {.kind = SCHEDULE_SWEEP,
                                 .tile = {.storage = STORAGE_SHARED, .copy = COPY_TMA}};
    schedule other = tma;
    CHECK_EQ(emit_gpu_oldest(&tma), 90);
    other.tile.copy = COPY_REMAP;
    CHECK_EQ(emit_gpu_oldest(&other), 75);
}

TEST(what_a_schedule_cannot_be_is_reported)
{
    program *p = NULL;
    ir *const code = build(heat, &p);
    const ir_stage *stage = &code->stage[code->step.stage[0]];
    schedule s;
    REQUIRE_OK(schedule_parse("point", on_gpus, &s));
    CHECK(!emit_gpu_refusal(code, stage, &s));
    s.tile.size[0] = 48;
    CHECK(strstr(emit_gpu_refusal(code, stage, &s), "powers of two"));
    CHECK(schedule_parse("pont", on_gpus, &s) == PAV_EINVAL);
    CHECK(strstr(pav_message(), "'point'"));
    ir_free(code);
    program_free(p);
}

static const char *refusal_of(const char *source, const char *words)
{
    program *p = NULL;
    ir *const code = build(source, &p);
    schedule s;
    REQUIRE_OK(schedule_parse(words, on_gpus, &s));
    const char *why = emit_gpu_refusal(code, &code->stage[code->step.stage[0]], &s);
    ir_free(code);
    program_free(p);
    return why ? why : "";
}

TEST(what_a_stage_cannot_share_is_reported)
{
    static const char column[] = "grid x 16, y 8, z 4\nreal f32\nfield u = 1\n"
                                 "u' = u[0,0,1] - u\nborder u = 0";
    CHECK(!*refusal_of(heat, "sweep:shared,threads=4x2"));
    CHECK(strstr(refusal_of(heat, "sweep:shared,threads=256x4,ahead=8"), "227 KiB"));
    CHECK(strstr(refusal_of(heat, "sweep:shared,ahead=9"), "at most 8 planes"));
    CHECK(strstr(refusal_of("grid x 16, y 8, z 6\nreal f32\nfield u = 1\nborder u = 0\n"
                            "u' = u[0,0,1]*z",
                            "sweep:input"),
                 "index of a plane"));
    CHECK(strstr(refusal_of("grid x 16, y 8, z 6\nreal f32\nfield u = 1\nborder u = 0\n"
                            "u' = u[0,1,0]",
                            "sweep:input"),
                 "one plane only"));
    CHECK(strstr(refusal_of(heat, "sweep:unroll=65"), "at most 64 planes"));
    CHECK(strstr(refusal_of(heat, "sweep:threads=32x8,blocks=9"), "2048 threads"));
    CHECK(
        strstr(refusal_of(heat, "sweep:prefetch=9"), "at most 8 planes are prefetched"));
    CHECK(strstr(refusal_of(heat, "sweep:ahead=2"), "one plane ahead"));
    CHECK(strstr(refusal_of(heat, "sweep:copy=tma"),
                 "only sweep:shared and two-pass:shared"));
    CHECK(strstr(refusal_of(heat, "sweep:shared,copy=remap,ahead=2"), "one plane"));
    CHECK(strstr(refusal_of(heat, "sweep:shared,copy=tma,threads=128x2,ahead=1"),
                 "256 words of 8 bytes"));
    CHECK(strstr(refusal_of(heat, "sweep:shuffle,threads=16x2"), "whole warps"));
    CHECK(strstr(refusal_of(column, "sweep:shared"), "no neighbours in a plane"));
    CHECK(strstr(refusal_of(column, "sweep:shuffle"), "no neighbours along x"));
}

static const ir_stage *part_of(const ir *code, int64_t number)
{
    return &code->stage[code->step.stage[number]];
}

TEST(only_the_part_with_neighbours_in_its_planes_shares_them)
{
    program *p = NULL;
    schedule s;
    emit_gpu_kernel planes, lines;
    ir *const code = build(heat, &p);
    REQUIRE_OK(schedule_parse("two-pass:shared,threads=4x2,ahead=3", on_gpus, &s));
    CHECK(strstr(emit_gpu_refusal(code, part_of(code, 0), &s), "not parted"));
    REQUIRE_OK(emit_split_stages(code, &s));
    CHECK(!emit_gpu_refusal(code, part_of(code, 0), &s));
    CHECK(!emit_gpu_refusal(code, part_of(code, 1), &s));
    REQUIRE_OK(emit_gpu_kernel_of(code, part_of(code, 0), &s, &planes));
    REQUIRE_OK(emit_gpu_kernel_of(code, part_of(code, 1), &s, &lines));
    CHECK(planes.schedule.tile.storage == STORAGE_SHARED &&
          planes.schedule.tile.ahead == 3);
    CHECK(lines.schedule.tile.storage == STORAGE_CACHE && lines.schedule.tile.ahead == 0);
    CHECK_EQ(lines.schedule.tile.size[0], 4);
    emit_gpu_kernel_free(&planes);
    emit_gpu_kernel_free(&lines);
    ir_free(code);
    program_free(p);
}

TEST(schedules_of_one_pass_leave_stages_whole)
{
    program *p = NULL;
    ir *const code = build(heat, &p);
    REQUIRE_OK(emit_split_stages(code, &(schedule){.kind = SCHEDULE_SWEEP}));
    CHECK_EQ(code->step.count, 1);
    REQUIRE_OK(emit_split_stages(code, &(schedule){0}));
    CHECK_EQ(code->step.count, 1);
    ir_free(code);
    program_free(p);
}

TEST(rows_of_a_thread_share_what_they_read)
{
    const schedule two = {.kind = SCHEDULE_SWEEP, .thread.size[1] = 2};
    text t = {0};
    emit_by(heat, &two, &t);
    CHECK(strstr(t.data, "f0_u_yp1 = f0_u_yp1_zp1;"));
    CHECK(!strstr(t.data, "const pack<float, 4> f0_u_yp1 ="));
    CHECK(strstr(t.data, "const pack<float, 4> f0_u_yp2 ="));
    text_free(&t);
}

TEST(planes_that_are_shared_come_before_they_are_needed)
{
    const schedule shared = {
        .kind = SCHEDULE_SWEEP, .tile.storage = STORAGE_SHARED, .tile.ahead = 2};
    text t = {0};
    emit_by(heat, &shared, &t);
    CHECK(strstr(t.data, "enum { VECTOR = 4, FIRST = 0, PLANES = 4 };"));
    CHECK(strstr(t.data, "enum { LEFT = 1, RIGHT = 1, BELOW = 1, ABOVE = 1 };"));
    CHECK(strstr(t.data, "async_ring<in_f0_u_shape> in_f0_u;"));
    CHECK(strstr(t.data, "            copy_plane(in_f0_u, 3, k + 3, a.g0.z);"));
    CHECK(strstr(t.data, "f0_u_zp1 = vector_in(in_f0_u, 1, 0, 0);"));
    CHECK(strstr(t.data, "f0_u_ym1 = vector_in(in_f0_u, 0, -1, 0);"));
    CHECK(!strstr(t.data, "_ym1 = load_vector"));
    text_free(&t);
}

static const char scaled[] =
    "grid x 16, y 8, z 4\nreal f32\nfield u = 1\nscalar a = 0.1\n"
    "u' = u + a*laplace(u)\nborder u = 0";

TEST(coefficients_are_read_where_they_were_asked_to_be)
{
    static const struct {
        schedule_uniforms where;
        const char *member, *read;
    } expected[] = {
        {UNIFORMS_ARGUMENT, "    numbers_0_1 n;\n", "_a = a.n.s"},
        {UNIFORMS_CONSTANT, "__constant__ numbers_0_1 constant_0_1;\n",
         "_a = constant_0_1.s"},
        {UNIFORMS_GLOBAL, "    const numbers_0_1 *n;\n", "_a = __ldg(&a.n->s"},
        {UNIFORMS_SHARED, "__shared__ numbers_0_1 staged_0_1;\n", "_a = staged_0_1.s"},
    };
    for (size_t n = 0; n < COUNT_OF(expected); n++) {
        text t = {0};
        emit_by(scaled,
                &(schedule){.kind = SCHEDULE_SWEEP, .coefficients = expected[n].where},
                &t);
        CHECK(strstr(t.data, expected[n].member));
        CHECK(strstr(t.data, expected[n].read));
        CHECK(!strstr(t.data, "stage_numbers(staged_0_1, a.n);") ==
              (expected[n].where != UNIFORMS_SHARED));
        text_free(&t);
    }
}

static schedule_uniforms default_place(const char *source)
{
    program *p = NULL;
    ir *const code = build(source, &p);
    emit_gpu_kernel k;
    REQUIRE_OK(emit_gpu_kernel_of(code, &code->stage[code->step.stage[0]], NULL, &k));
    const schedule_uniforms found = k.schedule.coefficients;
    emit_gpu_kernel_free(&k);
    ir_free(code);
    program_free(p);
    return found;
}

TEST(few_numbers_that_may_change_from_step_to_step_are_global_and_nothing_else)
{
    CHECK_EQ(default_place(scaled), UNIFORMS_ARGUMENT);
    CHECK_EQ(default_place("grid x 16, y 8\nfield u = 1\nparam c = 2\n"
                           "u' = u + (c*3 + sin(c))*u[1,0]\nborder u = 0"),
             UNIFORMS_ARGUMENT);
    CHECK_EQ(default_place("grid x 16, y 8\nfield u = 1\nu' = u + t\nborder u = 0"),
             UNIFORMS_GLOBAL);
    CHECK_EQ(default_place("grid x 16, y 8\nfield u = 1\n"
                           "u' = u + sin(2*t)*u[1,0]\nborder u = 0"),
             UNIFORMS_GLOBAL);
    CHECK_EQ(
        default_place("grid x 16\nfield u = 1\nborder u = 0\n"
                      "scalar c1 = 1; c2 = 2; c3 = 3; c4 = 4; c5 = 5; c6 = 6; c7 = 7\n"
                      "scalar c8 = 8\nu' = c1*u + c2*u[1] + c3*u[2] + c4*u[3] + "
                      "c5*u[4] + c6*u[5] + c7*u[6] + c8*u[7] + t*u[8]"),
        UNIFORMS_ARGUMENT);
}

TEST(numbers_are_rounded_to_the_type_of_the_stage)
{
    const double uniform[] = {0.1, 1e300, 3};
    int order[] = {2, 0, 1};
    const emit_gpu_kernel k = {
        .uniforms = 3, .uniform = order, .seeds = 1, .real = PAV_F32, .number_bytes = 16};
    struct {
        double seed;
        float value[2];
    } got;
    emit_gpu_pack_uniforms(&k, uniform, (char *)&got);
    CHECK(got.seed == 3);
    CHECK(got.value[0] == 0.1F);
    CHECK(got.value[1] > 1e38F);
}

TEST(more_constants_than_a_gpu_has_room_for_are_refused)
{
    enum { PROGRAMS = 9000 };
    program *p = NULL;
    ir *const code = build(scaled, &p);
    const ir **all = mem_new(PROGRAMS, sizeof *all);
    const schedule **ways = mem_new(PROGRAMS, sizeof *ways);
    schedule each[MOST_STAGES] = {0};
    text t = {0};
    for (int64_t k = 0; k < MOST_STAGES; k++)
        each[k] = (schedule){.kind = SCHEDULE_NONE};
    each[code->step.stage[0]] = (schedule){.kind = SCHEDULE_POINT,
                                           .coefficients = UNIFORMS_CONSTANT};
    for (int k = 0; k < PROGRAMS; k++) {
        all[k] = code;
        ways[k] = each;
    }
    CHECK_STATUS(emit_gpu_source(all, PROGRAMS, ways, "", &t), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "coefficients=global"));
    text_free(&t);
    mem_free((void *)all);
    mem_free((void *)ways);
    ir_free(code);
    program_free(p);
}

TEST(places_of_coefficients_are_words_of_a_schedule)
{
    schedule s;
    REQUIRE_OK(schedule_parse("point:coefficients=constant", on_gpus, &s));
    CHECK_EQ(s.coefficients, UNIFORMS_CONSTANT);
    REQUIRE_OK(schedule_parse("sweep:shared,coefficients=shared,rows=2", on_gpus, &s));
    CHECK_EQ(s.coefficients, UNIFORMS_SHARED);
    CHECK_EQ(s.tile.storage, STORAGE_SHARED);
    CHECK_STATUS(schedule_parse("sweep:coefficients=texture", on_gpus, &s), PAV_EINVAL);
    CHECK(strstr(pav_message(), "no place of coefficients 'texture'"));
}

TEST(one_thread_copies_whole_planes_through_gates)
{
    const schedule tma = {.kind = SCHEDULE_SWEEP,
                          .tile.storage = STORAGE_SHARED,
                          .tile.copy = COPY_TMA,
                          .tile.ahead = 2};
    text t = {0};
    emit_by(heat, &tma, &t);
    CHECK(strstr(t.data, "    tensor m0; /* u */\n};"));
    CHECK(strstr(t.data, "open_ring(in_f0_u, 0, a.m0, b);"));
    CHECK(strstr(t.data, "copy_plane(in_f0_u, gate.asked(), 3, k + 3);"));
    CHECK(strstr(t.data, ", turn(in_f0_u), turn(gate)) {"));
    CHECK(strstr(t.data, "    close_gates(gate);\n}"));
    CHECK(!strstr(t.data, "kernel_copy_async"));
    text_free(&t);
}

/* Rows of 32 vectors of 16 bytes with a margin of one vector: 7 more vectors fill a line,
 * and 1 more fills a sector. */
TEST(planes_of_the_accelerator_begin_where_lines_do_if_there_is_room)
{
    static const struct {
        int rows, blocks;
        const char *margins;
    } all[] = {{1, 1, "FARTHER_LEFT = 7, FARTHER_RIGHT = 7 "},
               {1, 2, "FARTHER_LEFT = 1, FARTHER_RIGHT = 1 "},
               {4, 1, "FARTHER_LEFT = 3, FARTHER_RIGHT = 3 "}};
    for (size_t n = 0; n < COUNT_OF(all); n++) {
        const schedule tma = {.kind = SCHEDULE_SWEEP,
                              .tile.storage = STORAGE_SHARED,
                              .tile.copy = COPY_TMA,
                              .tile.size = {32, 16},
                              .thread.size[1] = all[n].rows,
                              .tile.ahead = 3,
                              .blocks = all[n].blocks};
        text t = {0};
        emit_by(large, &tma, &t);
        CHECK(strstr(t.data, all[n].margins));
        text_free(&t);
    }
}

/* Figure 3 of the paper named in gpu_kernels/ring.cuh: 34 points and 14 more are 48. */
TEST(threads_of_32_by_6_read_a_plane_as_48_by_4)
{
    const schedule paper = {.kind = SCHEDULE_SWEEP,
                            .tile.storage = STORAGE_SHARED,
                            .tile.copy = COPY_REMAP,
                            .tile.size = {32, 6},
                            .thread.size[0] = 1};
    text t = {0};
    emit_by(heat, &paper, &t);
    CHECK(strstr(t.data, "enum { VECTOR = 1, FIRST = 0, PLANES = 3 };"));
    CHECK(strstr(t.data, "enum { FARTHER_LEFT = 7, FARTHER_RIGHT = 7 };"));
    CHECK(strstr(t.data, "remap_ring<in_f0_u_shape> in_f0_u;"));
    CHECK(strstr(t.data, "        keep_plane(in_f0_u, 1);\n        __syncthreads();\n"));
    CHECK(strstr(t.data, "read_plane(in_f0_u, k + 2, a.g0.z);"));
    text_free(&t);
}

TEST(doubles_alone_are_split_into_halves)
{
    static const char *const sources[] = {
        "grid x 16, y 8, z 4\nreal f64\nfield u = 1\nu' = u[1,0,0]\nborder u = 0",
        "grid x 16, y 8, z 4\nreal f64 stored f32\nfield u = 1\nu' = u[1,0,0]\nborder u "
        "= 0"};
    schedule s;
    REQUIRE_OK(schedule_parse("sweep:shared,copy=split", on_gpus, &s));
    for (int n = 0; n < 2; n++) {
        program *p = NULL;
        ir *const code = build(sources[n], &p);
        const char *why = emit_gpu_refusal(code, &code->stage[code->step.stage[0]], &s);
        CHECK(n == 0 ? !why : why && strstr(why, "only fields in f64"));
        ir_free(code);
        program_free(p);
    }
}
