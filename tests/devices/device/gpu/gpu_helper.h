/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of GPUs: a fake driver and a fake compiler (fake/) in place of the
 * real ones. */
#ifndef GPU_HELPER_H
#define GPU_HELPER_H

#include <dlfcn.h>

#include "cache_helper.h"

static const char kernels[] = "extern \"C\" __global__ void add_one(...) and other\n";
static void *fake_driver, *fake_compiler;

/* Pavior opens the driver by its name and gets the library loaded here. */
static inline void set_driver(void)
{
    fake_driver = dlopen(TEST_FAKE "/libcuda.so.1", RTLD_NOW);
    REQUIRE(fake_driver != NULL);
}

static inline void set_fakes(void)
{
    set_driver();
    fake_compiler = dlopen(TEST_FAKE "/libnvrtc.so.1", RTLD_NOW);
    REQUIRE(fake_compiler != NULL);
    setenv("PAV_NVRTC", TEST_FAKE "/libnvrtc.so.1", 1);
}

static inline int fake_number(void *library, const char *name)
{
    const int *at = dlsym(library, name);
    return at ? *at : -1;
}

static inline gpu *open_gpu(const char *name)
{
    pav_device *device = NULL;
    gpu *g = NULL;
    REQUIRE_OK(pav_device_open(name, &device));
    REQUIRE_OK(gpu_open(device, &g));
    pav_device_free(device);
    return g;
}

static inline gpu_module *open_kernels(gpu *g, unsigned how)
{
    gpu_module *m = NULL;
    REQUIRE_OK(gpu_module_open(g, kernels, (int64_t)strlen(kernels), how, &m));
    return m;
}

#endif
