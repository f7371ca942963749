/* SPDX-License-Identifier: BSD-3-Clause */
/* The copy kernels of `pavior bench` copy every vector exactly once, and their rate is
 * reported beside the rate of the driver's own copy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "test.h"

enum {
    NX = 37,
    NY = 11,
    NZ = 19,
    PACKS = NX * NY * NZ,
    NUMBERS = 4 * PACKS,
    AROUND = 2 * 16 * (NX + 1) /* bytes, half of them before the numbers */
};

static pav_device *opened(void)
{
    pav_device *d = NULL;
    if (pav_device_open("emulated", &d) != PAV_OK)
        test_skip("kernels that copy", pav_message());
    return d;
}

static gpu_module *compiled(gpu *g)
{
    text source = {0};
    gpu_module *m;
    emit_gpu_copies(&source);
    REQUIRE_OK(gpu_module_open(g, source.data, source.length, HOST_KEEP, &m));
    text_free(&source);
    return m;
}

static void fill(unsigned *number, unsigned factor)
{
    for (unsigned n = 0; n < NUMBERS; n++)
        number[n] = n * factor;
}

/* The extents are no multiples of a tile, so every kernel has partial tiles. */
static void check_kernel(gpu *g, gpu_call call, const char *name)
{
    static unsigned from[NUMBERS], got[NUMBERS];
    gpu_module *m = compiled(g);
    void *memory[3];
    for (int k = 0; k < 3; k++)
        REQUIRE_OK(gpu_take(g, sizeof from + AROUND, "numbers", &memory[k]));
    char *first = (char *)memory[0] + AROUND / 2;
    fill(from, 2654435761U);
    REQUIRE_OK(gpu_upload(g, first, from, sizeof from));
    REQUIRE_OK(gpu_fill(g, memory[1], 0, sizeof from));
    const emit_gpu_copying a = {first, memory[1], NX, NY, NZ, 8, memory[2]};
    call.kernel = gpu_module_find(m, name);
    call.argument = &a;
    call.argument_bytes = sizeof a;
    REQUIRE_OK(gpu_launch(g, &call));
    REQUIRE_OK(gpu_download(g, got, memory[1], sizeof got));
    CHECK(memcmp(from, got, sizeof got) == 0);
}

TEST(every_pack_is_copied)
{
    pav_device *d = opened();
    gpu *g;
    if (!d)
        return;
    REQUIRE_OK(gpu_open(d, &g));
    check_kernel(g,
                 (gpu_call){.blocks = {(PACKS + 63) / 64, 1, 1}, .threads = {64, 1, 1}},
                 "copy_packs");
    check_kernel(g, (gpu_call){.blocks = {2, 3, 3}, .threads = {32, 4, 1}}, "copy_tiles");
    check_kernel(
        g,
        (gpu_call){.blocks = {2, 2, 3}, .threads = {32, 6, 1}, .shared = 2 * 48 * 8 * 16},
        "copy_remap");
    gpu_close(g);
    pav_device_free(d);
}

TEST(a_copied_grid_has_a_rate_and_a_bound)
{
    const pav_bench_options o = {
        .repetitions = 2, .copy = PAV_COPY_HALO, .extent = {32, 8, 9}, .type = PAV_F64};
    pav_device *d = opened();
    pav_bench_result r;
    if (!d)
        return;
    REQUIRE_OK(pav_bench_copy(d, &o, &r));
    CHECK_STR(r.schedule, "halo");
    CHECK_NEAR(r.bytes_per_point, 16, 0);
    CHECK_NEAR(r.gpts * r.seconds_median * 1e9, 32 * 8 * 9, 1e-6);
    CHECK_NEAR(r.bound_gpts * 16e9 / r.copy_bytes_per_second, 1, 1e-9);
    CHECK(strncmp(r.device, "emulated (", 10) == 0);
    pav_device_free(d);
}

static int64_t run_words(gpu *g, bench_access *a, unsigned *got, unsigned *from)
{
    gpu_module *m = compiled(g);
    const gpu_call call = {.kernel = gpu_module_find(m, a->kernel),
                           .blocks = {a->blocks[0], 1, 1}, /* fewer blocks than rows */
                           .threads = {a->threads, 1, 1},
                           .argument = &a->argument,
                           .argument_bytes = sizeof a->argument};
    void *memory[2];
    REQUIRE(a->memory <= (int64_t)sizeof(unsigned) * NUMBERS);
    for (int k = 0; k < 2; k++)
        REQUIRE_OK(gpu_take(g, a->memory, "words", &memory[k]));
    fill(from, 2654435761U);
    REQUIRE_OK(gpu_upload(g, memory[0], from, a->memory));
    REQUIRE_OK(gpu_fill(g, memory[1], 0, a->memory));
    a->argument.from = memory[0];
    a->argument.to = memory[1];
    REQUIRE_OK(gpu_launch(g, &call));
    REQUIRE_OK(gpu_download(g, got, memory[1], a->memory));
    return a->memory / (int64_t)sizeof *got;
}

/* Compares the copy with a list of the expected words: each is copied once, and all other
 * bytes stay 0. */
static void check_words(gpu *g, int word, int begin, int stride)
{
    static unsigned from[NUMBERS], got[NUMBERS];
    const pav_bench_options o = {.extent = {24, 6, 5},
                                 .type = PAV_F32,
                                 .word = word,
                                 .begin = begin,
                                 .stride = stride};
    bench_access a = {0};
    int64_t copied = 0;
    REQUIRE_OK(bench_access_set(&o, &a));
    const int64_t numbers = run_words(g, &a, got, from);
    bool same = true;
    for (int64_t n = 0; n < numbers; n++) {
        const int64_t at = 4 * n % a.argument.pitch - (int64_t)begin * word;
        const bool meant = at >= 0 && at / ((int64_t)stride * word) < a.argument.words &&
                           at % ((int64_t)stride * word) < word;
        same = same && got[n] == (meant ? from[n] : 0);
        copied += meant;
    }
    CHECK(same);
    CHECK_NEAR(2 * 4 * (double)copied, a.bytes, 0);
}

TEST(words_are_copied_wherever_they_lie)
{
    pav_device *d = opened();
    gpu *g;
    if (!d)
        return;
    REQUIRE_OK(gpu_open(d, &g));
    check_words(g, 4, 0, 1);
    check_words(g, 4, 31, 1);
    check_words(g, 8, 3, 4);
    check_words(g, 16, 5, 2);
    gpu_close(g);
    pav_device_free(d);
}

TEST(words_that_no_thread_copies_are_refused)
{
    static const pav_bench_options odd[] = {
        {.copy = PAV_COPY_WORDS, .extent = {32, 8, 8}, .word = 12, .stride = 1},
        {.copy = PAV_COPY_WORDS, .extent = {32, 8, 8}, .word = 4},
        {.copy = PAV_COPY_WORDS, .extent = {2, 2, 2}, .word = 4, .stride = 32},
        {.copy = PAV_COPY_WORDS, .extent = {32}, .word = 4, .stride = 1},
    };
    pav_device *d = opened();
    pav_bench_result r;
    for (size_t n = 0; d && n < COUNT_OF(odd); n++)
        CHECK_STATUS(pav_bench_copy(d, &odd[n], &r), PAV_EINVAL);
    pav_device_free(d);
}

TEST(grids_that_cannot_be_copied_are_refused)
{
    const pav_bench_options odd = {.copy = PAV_COPY_HALO, .extent = {33, 8, 9}};
    pav_device *d = opened();
    pav_bench_result r;
    CHECK_STATUS(pav_bench_copy(NULL, &odd, &r), PAV_EUNSUPPORTED);
    if (!d)
        return;
    CHECK_STATUS(pav_bench_copy(d, &odd, &r), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "33 f32 are none") != NULL);
    const int64_t most = INT64_C(1) << 40;
    const pav_bench_options huge = {.copy = PAV_COPY_HALO, .extent = {most, most, most}};
    CHECK_STATUS(pav_bench_copy(d, &huge, &r), PAV_ENOMEM);
    pav_device_free(d);
}

TEST(a_schedule_that_a_device_cannot_go_by_is_not_measured)
{
    static const char source[] = "grid x 64\nfield u = 1\nu' = u/2\nborder u = 0";
    const pav_bench_options o = {.repetitions = 1, .schedule = "sweep"};
    pav_device *d = opened();
    pav_program *p;
    pav_bench_result r;
    if (!d)
        return;
    REQUIRE_OK(pav_program_parse(source, strlen(source), NULL, &p));
    CHECK_STATUS(pav_bench_program(p, d, &o, &r), PAV_EUNSUPPORTED);
    CHECK(strstr(pav_message(), "no planes to stream") != NULL);
    pav_program_free(p);
    pav_device_free(d);
}

/* True without NVRTC or if NVRTC does not know the architecture. The test below also
 * checks for register spills: a copy kernel must use no local memory. */
static bool compiles_nothing(int architecture)
{
    static const char nothing[] = "extern \"C\" __global__ void nothing() {}\n";
    text stats = {0};
    const bool none = gpu_try_compile(architecture, nothing, sizeof nothing - 1,
                                      &stats) != PAV_OK;
    text_free(&stats);
    return none;
}

TEST(kernels_that_copy_compile_for_gpus)
{
    static const int architectures[] = {75, 80, 90, 100};
    text source = {0};
    emit_gpu_copies(&source);
    for (int k = 0; k < 4; k++) {
        text stats = {0};
        if (compiles_nothing(architectures[k])) {
            test_skip("kernels that copy", pav_message());
            continue;
        }
        REQUIRE_OK(gpu_try_compile(architectures[k], source.data, source.length, &stats));
        CHECK(strstr(stats.data, "copy_tiles: ") != NULL);
        CHECK(strstr(stats.data, "copy_words_16: ") != NULL);
        CHECK(strstr(stats.data, "copy_remap: ") != NULL);
        CHECK(strstr(stats.data, " 0 bytes spill stores") != NULL);
        text_free(&stats);
    }
    text_free(&source);
}
