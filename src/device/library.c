/* SPDX-License-Identifier: BSD-3-Clause */
/* Optional libraries, looked for when they are first needed, so that one binary runs everywhere. */
#include <dlfcn.h>
#include <string.h>

#include "device/device_private.h"

const optional_library library_table[] = {
    {.name = "CUDA driver", .use = "NVIDIA GPUs", .files = {"libcuda.so.1"}},
    {.name = "NVRTC",
     .use = "kernels for NVIDIA GPUs",
     .files = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}},
    {.name = "hwloc", .use = "placing threads", .files = {"libhwloc.so.15"}},
    {.name = "HDF5",
     .use = ".h5 and .xdmf files",
     .get = "apt install libhdf5-dev",
     .used = true,
     .files = {"libhdf5_serial.so.103", "libhdf5_serial.so.310", "libhdf5.so.103",
               "libhdf5.so.200", "libhdf5.so.310", "libhdf5.so.320", "libhdf5_serial.so",
               "libhdf5.so"}},
    {.name = "zstd",
     .use = ".npy.zst files",
     .get = "apt install libzstd1",
     .used = true,
     .files = {"libzstd.so.1", "libzstd.so"}},
    {0},
};

/* A library found stays open: some do not survive being closed, and none is found twice. */
static void *open_one(const optional_library *l, const char **file)
{
    for (int i = 0; l->files[i]; i++) {
        void *opened = dlopen(l->files[i], RTLD_LAZY | RTLD_LOCAL);
        if (opened) {
            *file = l->files[i];
            return opened;
        }
    }
    return NULL;
}

void *library_open(const char *name, const char **file)
{
    *file = NULL;
    for (const optional_library *l = library_table; l->name; l++)
        if (strcmp(l->name, name) == 0)
            return open_one(l, file);
    return NULL;
}

bool library_find(void *library, const library_call *call, size_t count, void *pointers)
{
    for (size_t n = 0; n < count; n++) {
        void *symbol = dlsym(library, call[n].name);
        if (!symbol)
            return false;
        memcpy((char *)pointers + call[n].at, &symbol, sizeof symbol);
    }
    return true;
}
