/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources for GPUs are bitwise identical to the interpreter, stage by stage. NVRTC
 * compiles the kernels without a stage; kernels/nvrtc compiles the others. */
#include "gpu_bench.h"
#include "run/run_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 24 };

/* ---- the emulated GPU -------------------------------------------------------------- */

static void launch_common(const bench *b, const char *name, int64_t blocks,
                          const void *argument, size_t bytes)
{
    const gpu_call call = {bench_find(b->common, name),
                           {blocks, 1, 1},
                           {EMIT_GPU_COMMON, 1, 1},
                           0,
                           argument,
                           (int64_t)bytes,
                           false};

    REQUIRE_OK(gpu_launch(b->g, &call));
}

static double folded(const bench *b, const emit_gpu_work *w, reduction_kind kind,
                     double *values)
{
    const int64_t ny = w->hi[1] - w->lo[1], nz = w->hi[2] - w->lo[2];
    double *rows = site_put(b->g, NULL, 8 * ny * nz),
           *planes = site_put(b->g, NULL, 8 * nz);
    double *last = site_put(b->g, NULL, 8), result;
    const emit_gpu_reductions call[] = {
        {values, rows, reduction_piece(w->lo[0]), w->folds[0], ny * nz, kind},
        {rows, planes, w->lo[1], ny, nz, kind},
        {planes, last, w->lo[2], nz, 1, kind}};

    for (size_t n = 0; n < COUNT_OF(call); n++)
        launch_common(b, "run_reductions", call[n].groups, &call[n], sizeof call[n]);
    REQUIRE_OK(gpu_download(b->g, &result, last, sizeof result));
    return result;
}

static bool is_injected(const ir *code, const ir_stage *stage)
{
    for (int64_t k = 0; k < code->injections.count; k++) {
        const ir_list *list = &code->injections.item[k].list;
        if (&code->stage[list->stage[list->count - 1]] == stage)
            return true;
    }
    return false;
}

/* All points of the box, last first, each with the weight of the uniforms. */
static void list_points(const bench *b, emit_gpu_work *w)
{
    const int64_t nx = w->hi[0] - w->lo[0], ny = w->hi[1] - w->lo[1];
    w->count = nx * ny * (w->hi[2] - w->lo[2]);
    int64_t(*list)[MAX_DIM] = site_fresh(w->count, sizeof *list);
    double *weight = site_fresh(w->count, sizeof *weight);

    for (int64_t n = 0; n < w->count; n++) {
        int64_t *p = list[w->count - 1 - n];
        p[0] = w->lo[0] + n % nx;
        p[1] = w->lo[1] + n / nx % ny;
        p[2] = w->lo[2] + n / nx / ny;
        for (int64_t u = 0; u < b->site->code->uniforms; u++)
            if (b->site->code->uniform[u].kind == UNIFORM_WEIGHT)
                weight[n] = b->site->uniform[u] = 0.375;
    }
    w->list = site_put(b->g, list, w->count * (int64_t)sizeof *list);
    w->weight = site_put(b->g, weight, w->count * (int64_t)sizeof *weight);
    free(list);
    free(weight);
}

static void check_reductions(const bench *b, const ir_stage *stage,
                             const emit_gpu_work *w)
{
    double *values = w->fold;

    for (int64_t k = 0; k < stage->outputs; k++) {
        const ir_output *o = &stage->output[k];
        if (o->kind != IR_REDUCE)
            continue;
        CHECK(same_number(folded(b, w, o->reduction, values),
                          b->site->uniform[o->uniform]));
        values += w->folds[2];
    }
}

static void compare_stage(const bench *b, const ir_stage *stage)
{
    gpu_site *s = b->site;
    const box all = ir_stage_box(s->code, stage);
    const interp_args args = {s->code,    stage, s->views, s->table,
                              s->uniform, all,   false,    NULL};
    emit_gpu_work w = {0};
    emit_gpu_kernel k;

    w.planes = 1 + b->program % 5;
    memcpy(w.lo, all.lo, sizeof w.lo);
    memcpy(w.hi, all.hi, sizeof w.hi);
    reduction_sizes(&all, w.folds);
    const schedule *requested = b->schedules ? &b->schedules[stage - s->code->stage]
                                             : b->schedule;
    REQUIRE_OK(emit_gpu_kernel_of(s->code, stage, requested, &k));
    if (k.reductions)
        w.fold = site_put(b->g, NULL, 8 * k.reductions * w.folds[2]);
    if (is_injected(s->code, stage))
        list_points(b, &w);
    REQUIRE_OK(interp_stage(&args));
    REQUIRE_OK(bench_launch(b, stage, &k, &w, NULL));
    if (k.reductions)
        check_reductions(b, stage, &w);
    emit_gpu_kernel_free(&k);
}

static bool is_empty(const ir *code, const ir_stage *stage)
{
    const box b = ir_stage_box(code, stage);

    return b.lo[0] >= b.hi[0] || b.lo[1] >= b.hi[1] || b.lo[2] >= b.hi[2];
}

/* Stages of borders read beyond the grid, except on their faces. */
static bool is_of_border(const ir_stage *stage)
{
    return stage->name && strncmp(stage->name, "border", 6) == 0;
}

static void run_program(bench *b)
{
    const ir *code = b->site->code;

    site_upload(b->site, b->g);
    for (int64_t n = 0; n < code->stages; n++) {
        const ir_stage *stage = &code->stage[n];
        if (!emit_gpu_has_kernel(code, stage) || is_empty(code, stage) ||
            is_of_border(stage))
            continue;
        compare_stage(b, stage);
        const bool fields_agree = site_agrees(b->site, b->g);
        CHECK(fields_agree);
        if (!fields_agree) {
            printf("  program %lld, stage %lld, %s\n", (long long)b->program,
                   (long long)n, stage->name ? stage->name : "");
            return;
        }
    }
}

/* Uses the requested schedule for each stage if legal, else the default. */
static const schedule *requested_of(const ir *code, const schedule *requested,
                                    schedule *all)
{
    for (int64_t n = 0; n < code->stages; n++) {
        const bool can = !emit_gpu_refusal(code, &code->stage[n], requested);
        all[n] = can ? *requested : (schedule){0};
    }
    return all;
}

static void compare_programs(const schedule *requested)
{
    static gpu_site site[PROGRAMS];
    const ir *code[PROGRAMS];
    const schedule *schedules[PROGRAMS];
    text stages = {0}, common = {0};
    bench b = {0};
    if (!site_gpu(&b.g))
        return;
    for (int n = 0; n < PROGRAMS; n++) {
        site_open(&site[n], (uint64_t)n + 1);
        code[n] = site[n].code;
        schedules[n] = requested_of(code[n], requested,
                                    site_fresh(code[n]->stages + 1, sizeof **schedules));
    }
    REQUIRE_OK(emit_gpu_source(code, PROGRAMS, schedules, "a test", &stages));
    emit_gpu_common(&common);
    REQUIRE_OK(bench_compile(b.g, &stages, &b.stages));
    REQUIRE_OK(bench_compile(b.g, &common, &b.common));
    for (b.program = 0; b.program < PROGRAMS; b.program++) {
        b.site = &site[b.program];
        b.schedules = schedules[b.program];
        run_program(&b);
        site_close(b.site);
        free((void *)(uintptr_t)schedules[b.program]);
        site_give_all(b.g);
    }
    gpu_close(b.g);
    text_free(&stages);
    text_free(&common);
}

LONG_TEST(a_thread_a_point_gives_the_bits_of_the_interpreter)
{
    compare_programs(&(schedule){.kind = SCHEDULE_POINT});
}

LONG_TEST(sweeps_by_vectors_give_the_bits_of_the_interpreter)
{
    compare_programs(&(schedule){.kind = SCHEDULE_SWEEP, .tile.size = {4, 2}});
}

LONG_TEST(sweeps_by_points_give_the_bits_of_the_interpreter)
{
    compare_programs(&(schedule){.kind = SCHEDULE_SWEEP,
                                 .tile.size = {2, 1},
                                 .thread.size[0] = 1,
                                 .thread.size[1] = 2});
}

LONG_TEST(sweeps_by_vectors_of_several_rows_give_the_bits_of_the_interpreter)
{
    compare_programs(&(schedule){.kind = SCHEDULE_SWEEP,
                                 .tile.size = {2, 2},
                                 .thread.size[0] = 2,
                                 .thread.size[1] = 3});
}

LONG_TEST(sweeps_that_share_planes_give_the_bits_of_the_interpreter)
{
    compare_programs(&(schedule){.kind = SCHEDULE_SWEEP,
                                 .tile.storage = STORAGE_SHARED,
                                 .tile.size = {4, 2},
                                 .tile.ahead = 1});
}

LONG_TEST(sweeps_that_share_planes_of_several_rows_give_the_bits_of_the_interpreter)
{
    compare_programs(&(schedule){.kind = SCHEDULE_SWEEP,
                                 .tile.storage = STORAGE_SHARED,
                                 .tile.size = {2, 2},
                                 .thread.size[0] = 2,
                                 .thread.size[1] = 3,
                                 .tile.ahead = 3});
}

LONG_TEST(sweeps_of_whole_warps_give_the_bits_of_the_interpreter)
{
    compare_programs(&(schedule){.kind = SCHEDULE_SWEEP,
                                 .tile.storage = STORAGE_REGISTERS,
                                 .tile.size = {32, 1},
                                 .thread.size[0] = 2,
                                 .thread.size[1] = 2});
}

LONG_TEST(sweeps_that_read_ahead_give_the_bits_of_the_interpreter)
{
    compare_programs(&(schedule){.kind = SCHEDULE_SWEEP,
                                 .tile.size = {4, 2},
                                 .thread.size[1] = 2,
                                 .tile.ahead = 1});
}

LONG_TEST(more_blocks_than_a_launch_takes_along_an_axis_reach_all_points)
{
    static const char source[] = "grid x 3, y 2, z 66000\nreal f32\nfield u = 1\n"
                                 "u' = u + 0.1*laplace(u)\nborder periodic u";
    const schedule narrow = {.kind = SCHEDULE_POINT, .tile.size = {2, 1}};
    gpu_site site;
    text stages = {0};
    bench b = {.site = &site, .schedule = &narrow};
    if (!site_gpu(&b.g))
        return;
    site_open_text(&site, source, 7);
    const ir *code[] = {site.code};
    REQUIRE_OK(emit_gpu_source(code, 1, NULL, "a test", &stages));
    REQUIRE_OK(bench_compile(b.g, &stages, &b.stages));
    run_program(&b);
    site_close(&site);
    site_give_all(b.g);
    gpu_close(b.g);
    text_free(&stages);
}

/* ---- NVRTC ------------------------------------------------------------------------- */

static bool has_nvrtc(void)
{
    static const char nothing[] = "extern \"C\" __global__ void nothing() {}\n";
    text stats = {0};
    const pav_status status = gpu_try_compile(90, nothing, sizeof nothing - 1, &stats);

    text_free(&stats);
    if (status != PAV_OK)
        printf("  not tested: %s\n", pav_message());
    return status == PAV_OK;
}

/* Checks each line of the statistics for spills. Default schedules have none. */
static void check_compiles(int architecture, const text *source)
{
    text stats = {0};

    REQUIRE_OK(gpu_try_compile(architecture, source->data, source->length, &stats));
    for (char *line = strtok(stats.data, "\n"); line; line = strtok(NULL, "\n")) {
        const bool spills = !strstr(line, " 0 bytes spill stores, 0 bytes spill loads");
        CHECK(!spills);
        if (spills)
            printf("  sm_%d: %s\n", architecture, line);
    }
    text_free(&stats);
}

LONG_TEST(nvrtc_compiles_the_kernels_that_know_no_stage)
{
    text source = {0};
    if (!has_nvrtc())
        return;
    emit_gpu_common(&source);
    check_compiles(80, &source);
    check_compiles(90, &source);
    check_compiles(100, &source);
    text_free(&source);
}
