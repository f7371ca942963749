/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated GPU finds errors in kernels: it refuses a launch with a message, or
 * computes different bits. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulated_helper.h"

static void refused(const char *cuda, int threads, int64_t shared, const char *sentence)
{
    CHECK_STATUS(run_cuda(cuda, 2, threads, shared), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "kernel test, block ("));
    if (!strstr(pav_message(), sentence))
        CHECK_STR(pav_message(), sentence);
}

/* ---- barriers ---------------------------------------------------------------------- */

/* Three times each thread writes a number and reads its left neighbour's number. `before`
 * and `after` stand in place of the barriers before and after the read. Returns the
 * number of wrong sums among 768. */
static int count_wrong(const char *before, const char *after)
{
    char cuda[1000];
    int wrong = 0;

    (void)snprintf(cuda, sizeof cuda,
                   CUDA_HEAD "{ double *t = kernel_shared<double>(); const int i = "
                             "threadIdx.x, n = blockDim.x;\n"
                             "  double sum = 0;\n"
                             "  for (int k = 0; k < 3; k++) {\n"
                             "    t[i] = i + 1000 * k;\n"
                             "    %s\n"
                             "    sum += t[i > 0 ? i - 1 : i];\n"
                             "    %s\n"
                             "  }\n"
                             "  a.u[blockIdx.x * n + i] = sum; }",
                   before, after);
    REQUIRE_OK(run_cuda(cuda, 6, 128, 128 * 8));
    for (int n = 0; n < 6 * 128; n++)
        wrong += got[n] != 3 * (n % 128 > 0 ? n % 128 - 1 : 0) + 3000;
    return wrong;
}

EMULATED_TEST(either_barrier_of_a_loop_that_is_missing_gives_other_numbers)
{
    CHECK_EQ(count_wrong("__syncthreads();", "__syncthreads();"), 0);
    CHECK(count_wrong("", "__syncthreads();") > 0);
    CHECK(count_wrong("__syncthreads();", "") > 0);
}

EMULATED_TEST(a_warp_that_does_not_wait_for_its_lanes_is_seen)
{
    CHECK(count_wrong("__syncwarp();", "__syncthreads();") > 0);
}

EMULATED_TEST(a_missing_barrier_is_seen_whichever_way_values_go)
{
    static const char *const reads[] = {"i + 1", "i - 1", "i ^ 32", "i ^ 1"};
    for (size_t k = 0; k < COUNT_OF(reads); k++) {
        char cuda[600];
        int wrong = 0;
        (void)snprintf(cuda, sizeof cuda,
                       CUDA_HEAD
                       "{ __shared__ double t[130]; const int i = threadIdx.x + 1;\n"
                       "  if (i == 1) t[0] = t[65] = 0;\n"
                       "  t[i] = i; a.u[blockIdx.x * 64 + i - 1] = t[%s]; }",
                       reads[k]);
        REQUIRE_OK(run_cuda(cuda, 3, 64, 0));
        for (int n = 0; n < 3 * 64; n++)
            wrong += isnan(got[n]);
        CHECK(wrong > 0);
    }
}

EMULATED_TEST(a_missing_wait_between_blocks_is_seen)
{
    int wrong = 0;
    REQUIRE_OK(run_cuda(CUDA_HEAD
                        "{ const int i = blockIdx.x; a.u[i] = i; a.u[1000 + i] = i > "
                        "0 ? a.u[i - 1] : 0; a.u[2000 + i] = a.u[i + 1]; }",
                        50, 1, 0));
    for (int n = 0; n < 49; n++)
        wrong += isnan(got[1000 + n]) + isnan(got[2000 + n]);
    CHECK(wrong > 0);
}

EMULATED_TEST(a_barrier_that_some_threads_leave_out_is_refused)
{
    refused(CUDA_HEAD "{ if (threadIdx.x >= 60) return;\n"
                      "  __syncthreads(); a.u[0] = 1; }",
            64, 0,
            "thread (0, 0, 0) waits at the barrier of line 4 for thread 60 of the "
            "block, which has returned");
}

EMULATED_TEST(two_barriers_at_once_are_refused)
{
    refused(CUDA_HEAD "{ if (threadIdx.x < 7)\n    __syncthreads();\n"
                      "  else\n    __syncthreads(); a.u[0] = 1; }",
            64, 0, "waits at that of line");
}

EMULATED_TEST(a_named_barrier_for_too_many_is_refused)
{
    refused(CUDA_HEAD "{ kernel_barrier(2, 96); a.u[0] = 1; }", 64, 0,
            "for more threads than the block's 64");
    refused(CUDA_HEAD "{ kernel_barrier(2, 33); a.u[0] = 1; }", 64, 0,
            "threads come in warps of 32");
}

/* ---- shuffles ---------------------------------------------------------------------- */

EMULATED_TEST(a_shuffle_that_a_named_lane_leaves_out_is_refused)
{
    refused(CUDA_HEAD "{ double x = threadIdx.x; if (threadIdx.x != 5)\n"
                      "  x = __shfl_up_sync(0xffffffffu, x, 1); a.u[threadIdx.x] = x; }",
            32, 0,
            "waits at the shuffle of line 4 for thread 5 of the block, which has "
            "returned");
}

EMULATED_TEST(a_shuffle_in_a_warp_that_is_not_full_is_refused)
{
    refused(CUDA_HEAD "{ a.u[threadIdx.x] = __shfl_up_sync(0xffffffffu, 1.0, 1); }", 48,
            0,
            "thread (32, 0, 0) waits at the shuffle of line 3, for more threads than the "
            "block's 48");
}

EMULATED_TEST(lanes_outside_of_the_mask_are_refused)
{
    refused(CUDA_HEAD "{ a.u[threadIdx.x] = __shfl_up_sync(0xffff, 1.0, 1); }", 32, 0,
            "is not in the mask 0xffff that it names in line 3");
    refused(CUDA_HEAD
            "{ if (threadIdx.x < 16) a.u[threadIdx.x] = __shfl_down_sync(0xffff, "
            "1.0, 1); }",
            32, 0,
            "thread (15, 0, 0) asks in line 3 for the value of lane 16, which the mask "
            "0xffff leaves out");
}

/* ---- memory ------------------------------------------------------------------------ */

EMULATED_TEST(memory_that_nobody_wrote_is_nan)
{
    REQUIRE_OK(
        run_cuda(CUDA_HEAD "{ a.u[threadIdx.x] = a.u[threadIdx.x + 32]; }", 1, 32, 0));
    CHECK(isnan(got[0]) && isnan(got[31]));
}

EMULATED_TEST(writing_far_beyond_a_memory_is_refused_with_thread_and_byte)
{
    refused(CUDA_HEAD "{ if (threadIdx.x == 9) a.u[65536 + 100] = 1; }", 32, 0,
            "thread (9, 0, 0) touches byte 525088 of a memory of 524288");
    refused(CUDA_HEAD "{ a.u[-9000] = 1; }", 32, 0,
            "touches what lies 72000 bytes before a memory of 524288");
    refused(CUDA_HEAD "{ *(volatile int *)8 = 1; }", 32, 0,
            "which is no memory of the GPU");
}

EMULATED_TEST(writing_a_little_beyond_a_memory_is_refused)
{
    void *memory;
    open_emulated();
    REQUIRE_OK(gpu_take(g, 1000, "in", &memory));
    in = memory;
    REQUIRE_OK(gpu_take(g, 1000, "out", &memory));
    out = memory;
    REQUIRE_OK(compile_cuda(CUDA_HEAD "{ a.u[threadIdx.x] = 1; }"));
    REQUIRE_OK(launch_test(1, 125, 0));
    CHECK_STATUS(launch_test(1, 126, 0), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "a kernel has written beyond a memory of 1000 bytes"));
}

static void exit_with_success(int number)
{
    (void)number;
    _exit(0);
}

/* A child process reads the GPU's memory. Its handler of SIGSEGV ends it with success. */
EMULATED_TEST(the_hosts_own_code_cannot_touch_what_is_on_the_gpu)
{
    int status;
    open_emulated();
    take_numbers();
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, exit_with_success);
        _exit(*(volatile double *)in == 0 ? 1 : 2);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

EMULATED_TEST(an_array_that_is_left_is_refused)
{
    refused(CUDA_HEAD "{ __shared__ float t[40]; t[threadIdx.x] = 1; __syncthreads();\n"
                      "  a.u[threadIdx.x] = t[(threadIdx.x * 7) % 40]; }",
            64, 0, "goes beyond the end of an array");
}

EMULATED_TEST(a_vector_at_an_odd_address_is_refused)
{
    refused(CUDA_HEAD "{ *(double2 *)(a.u + 1) = *(const double2 *)(a.v + 1); }", 32, 0,
            "no multiple of its alignment");
}

EMULATED_TEST(shared_memory_ends_where_the_launch_said)
{
    refused(CUDA_HEAD "{ kernel_shared<double>()[threadIdx.x] = 1; a.u[0] = 1; }", 64,
            63 * 8, "wrote outside of its 504 bytes of shared memory");
    refused(CUDA_HEAD "{ kernel_shared<double>()[threadIdx.x] = 1; a.u[0] = 1; }", 64,
            48 * 8, "touches byte 384 of the block's shared memory of 384");
    refused(CUDA_HEAD "{ kernel_shared<double>()[-1] = 1; a.u[0] = 1; }", 64, 48 * 8,
            "wrote outside of its 384 bytes of shared memory");
}

EMULATED_TEST(an_integer_that_is_divided_by_zero_is_refused)
{
    refused(CUDA_HEAD "{ a.u[0] = 7 / (int)a.v[0]; }", 32, 0,
            "divides an integer by zero");
}

/* ---- orders ------------------------------------------------------------------------ */

/* Thread n writes the number of threads before it. */
static void find_order(double order[128])
{
    if (module)
        REQUIRE_OK(launch_test(1, 128, 0));
    else
        REQUIRE_OK(run_cuda(CUDA_HEAD "{ if (a.u[1000] != a.u[1000]) a.u[1000] = 0;\n"
                                      "  a.u[threadIdx.x] = a.u[1000]; a.u[1000] += 1; }",
                            1, 128, 0));
    REQUIRE_OK(gpu_download(g, got, out, sizeof got));
    memcpy(order, got, 128 * sizeof *order);
    for (int n = 0; n < 128; n++)
        order[n] -= got[1000] - 128;
}

EMULATED_TEST(threads_run_in_three_orders_the_same_in_every_run)
{
    double order[2][3][128];
    for (int run = 0; run < 2; run++) {
        for (int k = 0; k < 3; k++)
            find_order(order[run][k]);
        close_emulated();
    }
    CHECK(memcmp(order[0], order[1], sizeof order[0]) == 0);
    CHECK(order[0][1][0] == 127 && order[0][1][127] == 0);
    CHECK(order[0][2][0] == 0 && order[0][2][127] == 127);
    CHECK(order[0][0][0] != order[0][0][1] - 1 || order[0][0][1] != order[0][0][2] - 1);
}

EMULATED_TEST(another_order_can_be_asked_for)
{
    double order[2][128];
    find_order(order[0]);
    close_emulated();
    setenv("PAV_EMULATED_ORDER", "7", 1);
    find_order(order[1]);
    CHECK(memcmp(order[0], order[1], sizeof order[0]) != 0);
    pav_device *device;
    setenv("PAV_EMULATED_ORDER", "backwards", 1);
    CHECK_STATUS(pav_device_open("cpu", &device), PAV_EINVAL);
    CHECK(strstr(pav_message(), "PAV_EMULATED_ORDER takes a whole number"));
}

EMULATED_TEST(after_a_failure_the_next_launch_is_well)
{
    refused(CUDA_HEAD "{ if (threadIdx.x > 3) __syncthreads(); a.u[0] = 1; }", 32, 0,
            "line 3");
    REQUIRE_OK(
        run_cuda(CUDA_HEAD "{ __syncthreads(); a.u[threadIdx.x] = 4; }", 1, 32, 0));
    CHECK(got[31] == 4);
}
