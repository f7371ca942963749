/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated GPU runs CUDA text as a GPU would: blocks, barriers, shuffles, shared memory. */
#include "emulated_helper.h"

EMULATED_TEST(each_thread_of_many_blocks_has_its_own_index)
{
    REQUIRE_OK(run_cuda(CUDA_HEAD "{ const long long i = (long long)blockIdx.x * blockDim.x "
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
