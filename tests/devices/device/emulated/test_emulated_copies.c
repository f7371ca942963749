/* SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous copies into shared memory are made by the wait for them, not before. So a
 * missing wait gives wrong numbers. */
#include "emulated_helper.h"

/* Each thread starts two asynchronous copies, executes `wait`, and reads the two numbers.
 * Returns the number of NaNs: they come from copies without a wait. */
static int count_nan(const char *wait)
{
    char cuda[1000];
    int count = 0;

    (void)snprintf(cuda, sizeof cuda,
                   CUDA_HEAD
                   "{ double *t = kernel_shared<double>(); const int i = "
                   "threadIdx.x;\n"
                   "  t[i] = t[64 + i] = 0;\n"
                   "  kernel_copy_async<8>(t + i, a.v + i); kernel_copy_commit();\n"
                   "  kernel_copy_async<8>(t + 64 + i, a.v + 64 + i); "
                   "kernel_copy_commit();\n"
                   "  %s\n"
                   "  a.u[i] = t[i]; a.u[64 + i] = t[64 + i]; }",
                   wait);
    REQUIRE_OK(run_cuda(cuda, 1, 64, 128 * 8));
    for (int n = 0; n < 128; n++) {
        count += isnan(got[n]);
        CHECK(isnan(got[n]) || got[n] == n);
    }
    return count;
}

EMULATED_TEST(copies_are_there_when_they_were_waited_for)
{
    CHECK_EQ(count_nan("kernel_copy_wait<0>();"), 0);
    CHECK_EQ(count_nan("kernel_copy_wait<1>();"), 64);
    CHECK_EQ(count_nan("kernel_copy_wait<2>();"), 128);
    CHECK_EQ(count_nan(""), 128);
}

EMULATED_TEST(copies_of_other_threads_need_a_barrier_too)
{
    static const char *const barriers[] = {"__syncthreads();", ""};
    for (int k = 0; k < 2; k++) {
        char cuda[600];
        int wrong = 0;
        (void)snprintf(cuda, sizeof cuda,
                       CUDA_HEAD "{ float4 *t = kernel_shared<float4>(); const int i = "
                                 "threadIdx.x;\n"
                                 "  kernel_copy_async<16>(t + i, a.v + 2 * i);\n"
                                 "  kernel_copy_commit(); kernel_copy_wait<0>(); %s\n"
                                 "  a.u[i] = ((double *)t)[(i + 50) %% 128]; }",
                       barriers[k]);
        REQUIRE_OK(run_cuda(cuda, 3, 64, 64 * 16));
        for (int n = 0; n < 64; n++)
            wrong += !(got[n] == (n + 50) % 128);
        CHECK((wrong == 0) == (k == 0));
    }
}

EMULATED_TEST(a_source_that_changes_before_the_wait_is_seen)
{
    REQUIRE_OK(run_cuda(CUDA_HEAD
                        "{ double *t = kernel_shared<double>();\n"
                        "  a.u[0] = 1; kernel_copy_async<8>(t, a.u); a.u[0] = 2;\n"
                        "  kernel_copy_commit(); kernel_copy_wait<0>(); a.u[1] = *t; }",
                        1, 1, 8));
    CHECK(got[1] == 2);
}

EMULATED_TEST(a_copy_that_takes_nothing_gives_zeros)
{
    REQUIRE_OK(run_cuda(CUDA_HEAD
                        "{ double *t = kernel_shared<double>(); const int i = "
                        "threadIdx.x;\n"
                        "  kernel_copy_async_zero<8>(t + i, i < 3 ? a.v + i + 5 : "
                        "nullptr, i < 3);\n"
                        "  kernel_copy_commit(); kernel_copy_wait<0>(); a.u[i] = t[i]; }",
                        1, 32, 256));
    for (int n = 0; n < 32; n++)
        CHECK(got[n] == (n < 3 ? n + 5 : 0));
}

EMULATED_TEST(copies_between_odd_addresses_or_out_of_bounds_are_refused)
{
    static const struct {
        const char *call, *sentence;
    } calls[] = {
        {"kernel_copy_async<16>(t, a.v + 1);", "not all multiples of 16"},
        {"kernel_copy_async<8>(t + 64, a.v);",
         "to what is not the block's shared memory"},
        {"kernel_copy_async<8>(t, a.v + 65536);",
         "that are not all of one memory of the GPU"},
    };
    for (size_t k = 0; k < COUNT_OF(calls); k++) {
        char cuda[400];
        (void)snprintf(cuda, sizeof cuda,
                       CUDA_HEAD
                       "{ double *t = kernel_shared<double>();\n %s\n a.u[0] = 1; }",
                       calls[k].call);
        CHECK_STATUS(run_cuda(cuda, 1, 32, 64 * 8), PAV_EDEVICE);
        CHECK(strstr(pav_message(), "in line 4"));
        CHECK(strstr(pav_message(), calls[k].sentence));
    }
}

/* ---- bulk copies ------------------------------------------------------------------- */

#define BULK                                                                             \
    CUDA_HEAD                                                                            \
    "{ double *t = kernel_shared<double>(); __shared__ unsigned long long b;\n"          \
    "  const int i = threadIdx.x;\n"                                                     \
    "  if (i == 0) { kernel_mbarrier_init(&b, 1); kernel_mbarrier_fence(); }\n"          \
    "  __syncthreads();\n"                                                               \
    "  for (int k = 0; k < 4; k++) {\n"                                                  \
    "    if (i == 0) { kernel_mbarrier_expect(&b, 64 * 8);\n"                            \
    "      kernel_bulk_load(t, a.v + 64 * k, 64 * 8, &b); }\n"                           \
    "    %s\n"                                                                           \
    "    a.u[64 * k + i] = t[63 - i];\n"                                                 \
    "    __syncthreads();\n"                                                             \
    "  } }"

static int count_wrong_bulk(const char *wait)
{
    char cuda[1000];
    int wrong = 0;

    (void)snprintf(cuda, sizeof cuda, BULK, wait);
    REQUIRE_OK(run_cuda(cuda, 1, 64, 64 * 8));
    for (int n = 0; n < 256; n++)
        wrong += !(got[n] == n / 64 * 64 + 63 - n % 64);
    return wrong;
}

EMULATED_TEST(bulk_copies_are_there_after_the_wait_for_their_phase)
{
    CHECK_EQ(count_wrong_bulk("kernel_mbarrier_wait(&b, k & 1);"), 0);
}

EMULATED_TEST(the_wrong_parity_does_not_wait)
{
    char cuda[1000];
    (void)snprintf(cuda, sizeof cuda, BULK, "kernel_mbarrier_wait(&b, (k + 1) & 1);");
    const pav_status status = run_cuda(cuda, 1, 64, 64 * 8);
    CHECK(status == PAV_EDEVICE || isnan(got[0]));
}

EMULATED_TEST(a_phase_that_never_ends_is_refused_with_what_is_missing)
{
    static const char cuda[] = CUDA_HEAD
        "{ double *t = kernel_shared<double>(); __shared__ unsigned long long b;\n"
        "  if (threadIdx.x == 0) kernel_mbarrier_init(&b, 1);\n"
        "  __syncthreads();\n"
        "  if (threadIdx.x == 0) { kernel_mbarrier_expect(&b, 512); "
        "kernel_bulk_load(t, a.v, 256, &b); }\n"
        "  kernel_mbarrier_wait(&b, 0);\n"
        "  a.u[0] = t[0]; }";
    CHECK_STATUS(run_cuda(cuda, 1, 32, 512), PAV_EDEVICE);
    CHECK(strstr(pav_message(),
                 "waits at the mbarrier of line 7, at which 0 arrivals and "
                 "256 bytes are missing"));
}

EMULATED_TEST(an_mbarrier_that_nobody_initialised_is_refused)
{
    static const char cuda[] = CUDA_HEAD "{ __shared__ unsigned long long b;\n"
                                         "  kernel_mbarrier_wait(&b, 0); a.u[0] = 1; }";
    CHECK_STATUS(run_cuda(cuda, 1, 32, 0), PAV_EDEVICE);
    CHECK(
        strstr(pav_message(), "uses in line 4 an mbarrier that nobody has initialised"));
}

EMULATED_TEST(a_block_that_ends_before_its_bulk_copies_is_refused)
{
    static const char cuda[] = CUDA_HEAD
        "{ double *t = kernel_shared<double>(); __shared__ unsigned long long b;\n"
        "  kernel_mbarrier_init(&b, 1); kernel_mbarrier_expect(&b, 256);\n"
        "  kernel_bulk_load(t, a.v, 256, &b); }";
    CHECK_STATUS(run_cuda(cuda, 1, 1, 512), PAV_EDEVICE);
    CHECK(strstr(pav_message(),
                 "ends while 1 copies into its shared memory are under way"));
}
