/* SPDX-License-Identifier: BSD-3-Clause */
/* A real GPU, if a usable one exists. */
#include <stdio.h>

#include "device/cuda/cuda_private.h"
#include "gpu_helper.h"

static const char real_text[] =
    "struct work { double *to; long count; };\n"
    "extern \"C\" __global__ void third(work w)\n"
    "{\n"
    "    long i = blockIdx.x*256L + threadIdx.x;\n"
    "    if (i < w.count) w.to[i] = w.to[i]/3 + 1;\n"
    "}\n"
    "extern \"C\" __global__ void turn(work w)\n"
    "{\n"
    "    extern __shared__ double held[];\n"
    "    for (long i = threadIdx.x; i < w.count; i += 256) held[i] = w.to[i];\n"
    "    __syncthreads();\n"
    "    for (long i = threadIdx.x; i < w.count; i += 256) w.to[i] = held[w.count - 1 - "
    "i];\n"
    "}\n"
    "extern \"C\" __global__ void astray(work w) { *(double *)(w.count + 64) = 1; }\n";

typedef struct real_work {
    double *to;
    int64_t count;
} real_work;

static bool has_gpu(void)
{
    const char *why;
    if (cuda_device.present(&why))
        return true;
    test_skip("a real GPU", why);
    return false;
}

static gpu_kernel *find_real(gpu *g, unsigned how, const char *name)
{
    gpu_module *m = NULL;
    REQUIRE_OK(gpu_module_open(g, real_text, sizeof real_text - 1, how, &m));
    CHECK_STR(gpu_module_note(m), "");
    gpu_kernel *k = gpu_module_find(m, name);
    REQUIRE(k != NULL);
    return k;
}

static void start_real(gpu *g, gpu_kernel *k, int64_t blocks, int64_t shared, real_work w)
{
    const gpu_call call = {k, {blocks, 1, 1}, {256, 1, 1}, shared, &w, sizeof w, false};
    REQUIRE_OK(gpu_launch(g, &call));
}

static double *numbers(int64_t count)
{
    double *values = mem_new(count, sizeof *values);
    REQUIRE(values != NULL);
    for (int64_t i = 0; i < count; i++)
        values[i] = (double)i;
    return values;
}

/* Quotients are rounded like the host rounds them, for an odd length over several
 * buffers. */
static void check_thirds(gpu *g, unsigned how)
{
    enum { COUNT = 3333333 };
    double *values = numbers(COUNT);
    void *memory;
    int64_t wrong = 0;
    REQUIRE_OK(gpu_take(g, COUNT * 8, "values", &memory));
    REQUIRE_OK(gpu_upload(g, memory, values, COUNT * 8));
    start_real(g, find_real(g, how, "third"), (COUNT + 255) / 256, 0,
               (real_work){memory, COUNT});
    REQUIRE_OK(gpu_download(g, values, memory, COUNT * 8));
    for (int64_t i = 0; i < COUNT; i++)
        wrong += values[i] != (double)i / 3 + 1;
    CHECK_EQ(wrong, 0);
    gpu_release(g, memory);
    mem_free(values);
}

TEST(a_real_gpu_computes_what_the_host_does)
{
    if (!has_gpu())
        return;
    set_place();
    gpu *g = open_gpu("cuda");
    check_thirds(g, 0);
    gpu_close(g);
}

TEST(a_real_gpu_loads_kernels_from_the_cache)
{
    if (!has_gpu())
        return;
    set_place();
    for (int n = 0; n < 2; n++) {
        gpu *g = open_gpu("cuda");
        check_thirds(g, HOST_KEEP);
        gpu_close(g);
        CHECK_EQ(count_entries(".cubin"), 1);
    }
}

TEST(the_driver_of_a_real_gpu_translates_what_is_for_an_older_one)
{
    if (!has_gpu())
        return;
    set_place();
    gpu *g = open_gpu("cuda");
    (void)snprintf(cuda_of(g)->target, NVRTC_TARGET, "compute_80");
    check_thirds(g, HOST_KEEP);
    check_thirds(g, HOST_KEEP);
    gpu_close(g);
}

TEST(a_real_gpu_gives_a_block_more_than_48_KiB)
{
    enum { COUNT = 12000 };
    double *values;
    void *memory;
    if (!has_gpu())
        return;
    set_place();
    gpu *g = open_gpu("cuda");
    values = numbers(COUNT);
    REQUIRE_OK(gpu_take(g, COUNT * 8, "values", &memory));
    REQUIRE_OK(gpu_upload(g, memory, values, COUNT * 8));
    start_real(g, find_real(g, 0, "turn"), 1, COUNT * 8, (real_work){memory, COUNT});
    REQUIRE_OK(gpu_download(g, values, memory, COUNT * 8));
    CHECK(values[0] == COUNT - 1 && values[COUNT - 1] == 0 && values[1] == COUNT - 2);
    gpu_close(g);
    mem_free(values);
}

TEST(a_real_gpu_has_a_clock)
{
    double seconds = 0;
    void *memory;
    if (!has_gpu())
        return;
    gpu *g = open_gpu("cuda");
    REQUIRE_OK(gpu_take(g, 1 << 28, "bytes", &memory));
    REQUIRE_OK(gpu_mark(g, 0));
    REQUIRE_OK(gpu_fill(g, memory, 1, 1 << 28));
    REQUIRE_OK(gpu_mark(g, 1));
    REQUIRE_OK(gpu_seconds(g, 0, 1, &seconds));
    CHECK(seconds > 1e-6 && seconds < 10);
    gpu_close(g);
}

TEST(a_real_gpu_says_what_it_has_when_memory_runs_out)
{
    void *memory;
    if (!has_gpu())
        return;
    gpu *g = open_gpu("cuda");
    CHECK(gpu_free_memory(g) > 0 && gpu_free_memory(g) <= gpu_facts_of(g)->memory);
    CHECK_STATUS(gpu_take(g, 1LL << 50, "field u", &memory), PAV_ENOMEM);
    CHECK(strstr(pav_message(), "field u needs 1.0 PiB of memory on cuda:"));
    REQUIRE_OK(gpu_take(g, 1 << 20, "field v", &memory));
    gpu_close(g);
}

TEST(a_kernel_astray_on_a_real_gpu_is_reported)
{
    if (!has_gpu())
        return;
    set_place();
    gpu *g = open_gpu("cuda");
    start_real(g, find_real(g, 0, "astray"), 1, 0, (real_work){NULL, 0});
    CHECK_STATUS(gpu_wait(g), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "a kernel failed on cuda:"));
    CHECK(strstr(pav_message(), "CUDA_ERROR_ILLEGAL_ADDRESS"));
    gpu_close(g);
}
