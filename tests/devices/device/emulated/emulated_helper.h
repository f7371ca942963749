/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of the emulated GPU: an open GPU, small CUDA kernels, and numbers
 * copied to the GPU and back. Without a C++ compiler the tests are skipped. */
#ifndef EMULATED_HELPER_H
#define EMULATED_HELPER_H

#include <stdio.h>
#include <stdlib.h>

#include "device/emulated/emulated_private.h"
#include "test.h"

enum { COUNT = 1 << 16 }; /* numbers in each memory */
typedef struct arguments {
    int64_t n;
    double *u;
    const double *v;
} arguments;
#define CUDA_HEAD                                                                        \
    "struct arguments { long long n; double *u; const double *v; };\n"                   \
    "extern \"C\" __global__ void __launch_bounds__(1024) test(const arguments a)\n"

static gpu *g;
static gpu_module *module;
static double *in, *out;  /* on the GPU */
static double got[COUNT]; /* copy of `out` */

static inline bool has_emulated(void)
{
    const char *why;
    const bool there = emulated_device.present(&why);

    if (!there)
        printf("skipped: %s\n", why);
    return there;
}

static inline void open_emulated(void)
{
    pav_device *device;
    REQUIRE_OK(pav_device_open("emulated", &device));
    REQUIRE_OK(gpu_open(device, &g));
    pav_device_free(device);
}

/* Allocates both memories on the GPU and puts n into v[n]. */
static inline void take_numbers(void)
{
    void *memory;
    REQUIRE_OK(gpu_take(g, sizeof got, "in", &memory));
    in = memory;
    REQUIRE_OK(gpu_take(g, sizeof got, "out", &memory));
    out = memory;
    for (int n = 0; n < COUNT; n++)
        got[n] = n;
    REQUIRE_OK(gpu_upload(g, in, got, sizeof got));
}

static inline pav_status compile_cuda(const char *cuda)
{
    return gpu_module_open(g, cuda, (int64_t)strlen(cuda), HOST_KEEP, &module);
}

static inline pav_status launch_test(int blocks, int threads, int64_t shared)
{
    const arguments a = {(int64_t)blocks * threads, out, in};
    const gpu_call call = {.kernel = gpu_module_find(module, "test"),
                           .blocks = {blocks, 1, 1},
                           .threads = {threads, 1, 1},
                           .shared = shared,
                           .argument = &a,
                           .argument_bytes = sizeof a};
    REQUIRE(call.kernel != NULL);
    const pav_status status = gpu_launch(g, &call);
    return status == PAV_OK ? gpu_wait(g) : status;
}

/* Opens the GPU if necessary, compiles, launches, and copies `out` to `got`. */
static inline pav_status run_cuda(const char *cuda, int blocks, int threads,
                                  int64_t shared)
{
    if (!g) {
        open_emulated();
        take_numbers();
    }
    gpu_module_close(module);
    module = NULL;
    REQUIRE_OK(compile_cuda(cuda));
    TRY(launch_test(blocks, threads, shared));
    return gpu_download(g, got, out, sizeof got);
}

static inline void close_emulated(void)
{
    gpu_close(g);
    g = NULL;
    module = NULL;
}

#define EMULATED_TEST(name)                                                              \
    static void name##_there(void);                                                      \
    TEST(name)                                                                           \
    {                                                                                    \
        if (!has_emulated())                                                             \
            return;                                                                      \
        name##_there();                                                                  \
        close_emulated();                                                                \
    }                                                                                    \
    static void name##_there(void)

#endif
