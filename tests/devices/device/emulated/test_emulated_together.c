/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a cooperative launch run at once on the emulated GPU and wait for each
 * other. */
#include "emulated_helper.h"

enum { BLOCKS = 6, THREADS = 64 };
static unsigned *flags;

static pav_status launch_cooperative(int blocks, int threads, bool together)
{
    const arguments a = {0, out, (const double *)(const void *)flags};
    const gpu_call call = {.kernel = gpu_module_find(module, "test"),
                           .blocks = {blocks, 1, 1},
                           .threads = {threads, 1, 1},
                           .argument = &a,
                           .argument_bytes = sizeof a,
                           .together = together};
    REQUIRE(call.kernel != NULL);
    TRY(gpu_launch(g, &call));
    return gpu_wait(g);
}

/* Runs a kernel with a.v pointing to the flags, all 0, and copies `out` to `got`. */
static pav_status run_together(const char *cuda)
{
    void *memory;
    open_emulated();
    take_numbers();
    REQUIRE_OK(gpu_take(g, 4096, "flags", &memory));
    flags = memory;
    REQUIRE_OK(gpu_fill(g, memory, 0, 4096));
    REQUIRE_OK(compile_cuda(cuda));
    TRY(launch_cooperative(BLOCKS, THREADS, true));
    return gpu_download(g, got, out, sizeof got);
}

#define FLAGS                                                                            \
    "unsigned *flag = (unsigned *)a.v; const int b = blockIdx.x, n = gridDim.x;\n"

/* A hundred times, each block adds the next block's sum to its own. */
EMULATED_TEST(blocks_see_what_others_wrote_before_they_told)
{
    REQUIRE_OK(run_together(
        CUDA_HEAD "{" FLAGS "  __shared__ double sum;\n"
                  "  if (threadIdx.x == 0) { a.u[b] = b; sum = b; }\n"
                  "  for (int k = 1; k <= 100; k++) {\n"
                  "    __syncthreads();\n"
                  "    if (threadIdx.x == 0) kernel_signal(flag + b, k);\n"
                  "    if (threadIdx.x < n) kernel_wait_epoch(flag + threadIdx.x, k);\n"
                  "    __syncthreads();\n"
                  "    if (threadIdx.x == 0) {\n"
                  "      sum += a.u[(k - 1) % 2 * n + (b + 1) % n];\n"
                  "      a.u[k % 2 * n + b] = sum; }\n"
                  "  } }"));
    double now[BLOCKS], next[BLOCKS];
    for (int b = 0; b < BLOCKS; b++)
        now[b] = b;
    for (int k = 1; k <= 100; k++) {
        for (int b = 0; b < BLOCKS; b++)
            next[b] = now[b] + now[(b + 1) % BLOCKS];
        memcpy(now, next, sizeof now);
    }
    for (int b = 0; b < BLOCKS; b++)
        CHECK(got[b] == now[b]);
}

EMULATED_TEST(each_block_has_its_own_shared_variables)
{
    REQUIRE_OK(run_together(
        CUDA_HEAD "{" FLAGS "  __shared__ int mine;\n"
                  "  if (threadIdx.x == 0) { mine = b; kernel_signal(flag + b, 1); }\n"
                  "  __syncthreads();\n"
                  "  for (int k = 0; k < n; k++) kernel_wait_epoch(flag + k, 1);\n"
                  "  a.u[b * blockDim.x + threadIdx.x] = mine; }"));
    for (int n = 0; n < BLOCKS * THREADS; n++)
        CHECK(got[n] == n / THREADS);
}

EMULATED_TEST(who_waits_for_ever_is_named)
{
    CHECK(run_together(CUDA_HEAD "{" FLAGS "  if (b > 0) kernel_signal(flag + b, 1);\n"
                                 "  kernel_wait_epoch(flag, 1); }") == PAV_EDEVICE);
    CHECK(strstr(pav_message(), "block (0, 0, 0), thread (0, 0, 0) waits at the wait for "
                                "other blocks of line 5"));
    CHECK(strstr(pav_message(), "for 1, and nobody goes on who could signal it"));
}

EMULATED_TEST(a_wait_for_what_is_not_memory_is_refused)
{
    CHECK(run_together(CUDA_HEAD "{ unsigned here = 0; kernel_wait_epoch(&here, 1); }") ==
          PAV_EDEVICE);
    CHECK(strstr(pav_message(), "waits in line 3 for a number that is not in the GPU's"));
}

EMULATED_TEST(blocks_that_are_too_many_for_being_there_at_once_are_refused)
{
    REQUIRE_OK(run_together(CUDA_HEAD "{ a.u[0] = 1; }"));
    CHECK(launch_cooperative(1000, 1024, true) == PAV_ELIMIT);
    CHECK(strstr(pav_message(), "has 1000 x 1 x 1 blocks that wait for each other, and "
                                "emulated has room for 8 of them at once"));
    REQUIRE_OK(launch_cooperative(1000, 32, false));
}
