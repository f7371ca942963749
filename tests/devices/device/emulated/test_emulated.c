/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated GPU runs CUDA kernels like a GPU: blocks, barriers, shuffles, shared
 * memory. */
#include "emulated_helper.h"

EMULATED_TEST(each_thread_of_many_blocks_has_its_own_index)
{
    REQUIRE_OK(run_cuda(CUDA_HEAD
                        "{ const long long i = (long long)blockIdx.x * blockDim.x "
                        "+ threadIdx.x; a.u[i] = 2 * a.v[i] + gridDim.x; }",
                        300, 96, 0));
    for (int n = 0; n < 300 * 96; n++)
        CHECK(got[n] == 2.0 * n + 300);
    CHECK(isnan(got[300 * 96]));
}

EMULATED_TEST(what_one_thread_wrote_is_seen_by_all_after_a_barrier)
{
    REQUIRE_OK(run_cuda(CUDA_HEAD
                        "{ double *t = kernel_shared<double>();\n"
                        "  const long long i = (long long)blockIdx.x * blockDim.x + "
                        "threadIdx.x;\n"
                        "  t[threadIdx.x] = a.v[i];\n"
                        "  __syncthreads();\n"
                        "  a.u[i] = t[(threadIdx.x + 77) % blockDim.x]; }",
                        64, 256, 256 * 8));
    for (int n = 0; n < 64 * 256; n++)
        CHECK(got[n] == n / 256 * 256 + (n + 77) % 256);
}

EMULATED_TEST(blocks_and_threads_have_three_axes)
{
    static const char cuda[] =
        "struct arguments { long long n; double *u; };\n"
        "extern \"C\" __global__ void test(const arguments a)\n"
        "{ const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * "
        "threadIdx.z);\n"
        "  const unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * "
        "blockIdx.z);\n"
        "  a.u[b * 24 + t] = 100 * b + t; }";
    open_emulated();
    take_numbers();
    REQUIRE_OK(compile_cuda(cuda));
    const arguments a = {0, out, in};
    const gpu_call call = {.kernel = gpu_module_find(module, "test"),
                           .blocks = {3, 4, 5},
                           .threads = {2, 3, 4},
                           .argument = &a,
                           .argument_bytes = sizeof a};
    REQUIRE_OK(gpu_launch(g, &call));
    REQUIRE_OK(gpu_download(g, got, out, sizeof got));
    for (int n = 0; n < 60 * 24; n++)
        CHECK(got[n] == 100.0 * (n / 24) + n % 24);
}

EMULATED_TEST(shuffles_hand_values_from_lane_to_lane)
{
    REQUIRE_OK(run_cuda(CUDA_HEAD
                        "{ const int i = threadIdx.x; const unsigned all = 0xffffffffu;\n"
                        "  const float x = (float)i;\n"
                        "  a.u[i] = __shfl_up_sync(all, (double)i, 2);\n"
                        "  a.u[64 + i] = __shfl_down_sync(all, x, 3);\n"
                        "  a.u[128 + i] = __shfl_xor_sync(all, 10LL * i, 5);\n"
                        "  a.u[192 + i] = __shfl_sync(all, i, 7, 8);\n"
                        "  a.u[256 + i] = __shfl_down_sync(all, x, 1, 4); }",
                        1, 64, 0));
    for (int n = 0; n < 64; n++) {
        CHECK(got[n] == (n % 32 < 2 ? n : n - 2));
        CHECK(got[64 + n] == (n % 32 > 28 ? n : n + 3));
        CHECK(got[128 + n] == 10 * (n ^ 5));
        CHECK(got[192 + n] == n / 8 * 8 + 7);
        CHECK(got[256 + n] == (n % 4 == 3 ? n : n + 1));
    }
}

EMULATED_TEST(lanes_of_a_mask_vote)
{
    REQUIRE_OK(run_cuda(CUDA_HEAD
                        "{ const int i = threadIdx.x;\n"
                        "  a.u[i] = __ballot_sync(0xffffffffu, i % 3 == 0);\n"
                        "  if (i < 4) a.u[32 + i] = __any_sync(0xf, i == 9) + 2 * "
                        "__all_sync(0xf, i < 4); }",
                        1, 32, 0));
    for (int n = 0; n < 32; n++)
        CHECK(got[n] == 0x49249249);
    for (int n = 32; n < 36; n++)
        CHECK(got[n] == 2);
}

EMULATED_TEST(a_named_barrier_holds_its_warps_alone)
{
    REQUIRE_OK(run_cuda(
        CUDA_HEAD "{ double *t = kernel_shared<double>(); const int i = threadIdx.x;\n"
                  "  if (i < 64) {\n"
                  "    t[i] = a.v[i];\n"
                  "    kernel_barrier(1, 64);\n"
                  "    a.u[i] = t[63 - i];\n"
                  "  } else { a.u[i] = -1; } }",
        1, 128, 64 * 8));
    for (int n = 0; n < 128; n++)
        CHECK(got[n] == (n < 64 ? 63 - n : -1));
}

EMULATED_TEST(who_arrives_at_a_barrier_need_not_wait)
{
    REQUIRE_OK(run_cuda(
        CUDA_HEAD "{ double *t = kernel_shared<double>(); const int i = threadIdx.x;\n"
                  "  if (i < 32) { t[i] = i; kernel_barrier_arrive(3, 64); }\n"
                  "  else { kernel_barrier(3, 64); a.u[i] = t[i - 32]; } }",
        6, 64, 64 * 8));
    for (int n = 32; n < 64; n++)
        CHECK(got[n] == n - 32);
}

EMULATED_TEST(arrays_in_shared_memory_are_the_blocks_own_and_begin_as_nan)
{
    REQUIRE_OK(run_cuda(CUDA_HEAD
                        "{ __shared__ double t[32]; const int i = threadIdx.x;\n"
                        "  const double before = t[i];\n"
                        "  t[i] = blockIdx.x;\n"
                        "  __syncthreads();\n"
                        "  a.u[blockIdx.x * 64 + i] = t[31 - i];\n"
                        "  a.u[blockIdx.x * 64 + 32 + i] = before; }",
                        100, 32, 0));
    for (int n = 0; n < 6400; n++)
        CHECK(n % 64 < 32 ? got[n] == n / 64 : isnan(got[n]));
}

EMULATED_TEST(doubles_and_floats_are_rounded_as_ieee_has_it)
{
    REQUIRE_OK(run_cuda(
        CUDA_HEAD "{ const double x = 1 + 0x1p-30, y = a.v[1] + 0x1p-30; const float f = "
                  "(float)a.v[3];\n"
                  "  a.u[0] = x * y - 1; a.u[1] = fma(x, y, -1.0); a.u[2] = 1.0f / f;\n"
                  "  a.u[3] = __float_as_uint(f); a.u[4] = min(2.0, 1.0) + max(1, 7);\n"
                  "  a.u[5] = sqrt(2.0f); a.u[6] = (float)a.v[1] * 1e-40f; }",
        1, 1, 0));
    CHECK(got[0] == 0x1p-29);
    CHECK(got[1] == 0x1p-29 + 0x1p-60);
    CHECK(got[2] == 1.0f / 3.0f);
    CHECK(got[3] == 0x40400000);
    CHECK(got[4] == 8);
    CHECK(got[5] == sqrtf(2.0f));
    CHECK(got[6] == (double)1e-40f);
}

EMULATED_TEST(atomics_lose_nothing_between_blocks)
{
    REQUIRE_OK(run_cuda(
        CUDA_HEAD "{ if (threadIdx.x == 0 && blockIdx.x == 0) a.u[0] = 0; }", 1, 32, 0));
    REQUIRE_OK(run_cuda(CUDA_HEAD
                        "{ atomicAdd(a.u, 1.0); atomicMax((long long *)a.u + 1, "
                        "(long long)threadIdx.x); }",
                        500, 64, 0));
    CHECK(got[0] == 32000);
    int64_t largest;
    memcpy(&largest, &got[1], sizeof largest);
    CHECK_EQ(largest, 63);
}

EMULATED_TEST(what_a_kernel_writes_in_one_launch_the_next_one_reads)
{
    REQUIRE_OK(run_cuda(CUDA_HEAD
                        "{ const int i = threadIdx.x; if (i == 0 && a.u[5] != a.u[5])"
                        " a.u[5] = 0; else if (i == 0) a.u[5] += 1; }",
                        1, 32, 0));
    for (int n = 0; n < 9; n++)
        REQUIRE_OK(launch_test(1, 32, 0));
    REQUIRE_OK(gpu_download(g, got, out, sizeof got));
    CHECK(got[5] == 9);
}

EMULATED_TEST(marks_tell_time)
{
    double seconds;
    open_emulated();
    const double begin = clock_seconds();
    REQUIRE_OK(gpu_mark(g, 3));
    REQUIRE_OK(gpu_mark(g, 4));
    const double end = clock_seconds();
    REQUIRE_OK(gpu_seconds(g, 3, 4, &seconds));
    CHECK(seconds >= 0 && seconds <= end - begin);
}

EMULATED_TEST(it_says_what_it_is_and_is_never_taken_unasked)
{
    pav_device *device;
    open_emulated();
    CHECK(gpu_facts_of(g)->emulated);
    CHECK_STR(gpu_facts_of(g)->name, "emulated");
    CHECK(gpu_facts_of(g)->memory > 0 && gpu_free_memory(g) == gpu_facts_of(g)->memory);
    unsetenv("PAV_DEVICE");
    REQUIRE_OK(pav_device_open("auto", &device));
    CHECK(strcmp(pav_device_name(device), "emulated") != 0);
    pav_device_free(device);
}

EMULATED_TEST(more_memory_than_there_is_is_refused)
{
    void *memory;
    open_emulated();
    CHECK_STATUS(gpu_take(g, gpu_free_memory(g) + 1, "field u", &memory), PAV_ENOMEM);
    CHECK(memory == NULL);
    CHECK(strstr(pav_message(), "field u needs"));
    CHECK(strstr(pav_message(), "on emulated"));
    REQUIRE_OK(gpu_take(g, 1000, "field u", &memory));
    CHECK_EQ(gpu_free_memory(g), gpu_facts_of(g)->memory - 1000);
    gpu_release(g, memory);
    CHECK_EQ(gpu_free_memory(g), gpu_facts_of(g)->memory);
}

EMULATED_TEST(cuda_that_does_not_compile_is_quoted_with_its_line)
{
    open_emulated();
    CHECK_STATUS(compile_cuda("// first\n" CUDA_HEAD "{ a.u[0] = nothing; }"),
                 PAV_EDEVICE);
    CHECK(strstr(pav_message(), "kernels.cu:4"));
    CHECK(strstr(pav_message(), "nothing"));
    CHECK(strstr(pav_message(), "PAV_CXX"));
}

EMULATED_TEST(kernels_are_found_by_name_and_told_of_by_their_bounds)
{
    open_emulated();
    REQUIRE_OK(compile_cuda("struct s { int n; }; // __global__ void no(s a)\n"
                            "/* __global__ void nor(s a) */ static const char *const "
                            "word = \"__global__ x(\";\n"
                            "extern \"C\" __global__ void __launch_bounds__(128, 2) "
                            "one(const __grid_constant__ s "
                            "a) {}\n"
                            "extern \"C\" __global__ void two(s a);\n"
                            "extern \"C\" __global__ void two(s a) {}\n"
                            "__device__ int f(s a) { return a.n; }"));
    REQUIRE(gpu_module_find(module, "one") && gpu_module_find(module, "two"));
    CHECK_EQ(gpu_module_find(module, "one")->facts.most_threads, 128);
    CHECK_EQ(gpu_module_find(module, "two")->facts.most_threads, 1024);
    CHECK(!gpu_module_find(module, "no") && !gpu_module_find(module, "nor"));
    CHECK(!gpu_module_find(module, "x") && !gpu_module_find(module, "f"));
}

TEST(a_missing_cxx_compiler_is_named)
{
    pav_device *device;
    setenv("PAV_CXX", "/nowhere/c++", 1);
    CHECK_STATUS(pav_device_open("emulated", &device), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "PAV_CXX is '/nowhere/c++'"));
    unsetenv("PAV_CXX");
    setenv("PATH", "/nowhere", 1);
    CHECK_STATUS(pav_device_open("emulated", &device), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "install g++ or clang"));
}
