/* SPDX-License-Identifier: BSD-3-Clause */
/* Optional libraries, opened at first use. So one binary runs everywhere. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device_private.h"

const optional_library library_table[] = {
    {.name = "CUDA driver",
     .use = "NVIDIA GPUs",
     .get = "comes with the GPU's driver",
     .files = {"libcuda.so.1"}},
    {.name = "NVRTC",
     .use = "NVIDIA GPUs",
     .get = "pip install nvidia-cuda-nvrtc, or PAV_NVRTC=FILE",
     .variable = "PAV_NVRTC",
     .files = {"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13", "libnvrtc.so.12",
               "/usr/local/cuda/lib64/libnvrtc.so.12", "libnvrtc.so.11.2"}},
    {.name = "NCCL",
     .use = "halos between ranks' GPUs",
     .get = "apt install libnccl2, or PAV_NCCL=FILE",
     .variable = "PAV_NCCL",
     .files = {"libnccl.so.2"}},
    {.name = "HDF5",
     .use = ".h5 and .xdmf files",
     .get = "apt install libhdf5-dev",
     .files = {"libhdf5_serial.so.103", "libhdf5_serial.so.310", "libhdf5.so.103",
               "libhdf5.so.200", "libhdf5.so.310", "libhdf5.so.320", "libhdf5_serial.so",
               "libhdf5.so"}},
    {.name = "HDF5 scales",
     .use = ".nc files",
     .get = "apt install libhdf5-dev",
     .files = {"libhdf5_serial_hl.so.100", "libhdf5_serial_hl.so.310",
               "libhdf5_hl.so.100", "libhdf5_hl.so.200", "libhdf5_hl.so.310",
               "libhdf5_hl.so.320", "libhdf5_serial_hl.so", "libhdf5_hl.so"}},
    {.name = "zstd",
     .use = ".npy.zst files",
     .get = "apt install libzstd1",
     .files = {"libzstd.so.1", "libzstd.so"}},
    {.name = "zlib",
     .use = "fields and masks from .png files",
     .get = "apt install zlib1g",
     .files = {"libz.so.1", "libz.so"}},
    {.name = "MPI",
     .use = "runs by mpirun",
     .get = "apt install libopenmpi-dev, then build again",
     .variable = "PAV_MPI",
     .files = {"libpavior_openmpi.so", "libpavior_mpich.so"}},
    {0},
};

static bool is_in(const char *folder, const char *below, const char *name,
                  char path[CACHE_PATH])
{
    const char *slash = strrchr(folder, '/');
    const int length = slash ? snprintf(path, CACHE_PATH, "%.*s/%s%s",
                                        (int)(slash - folder), folder, below, name)
                             : CACHE_PATH;

    return length < CACHE_PATH && access(path, R_OK) == 0;
}

/* Parts of Pavior may be separate files. */
bool library_own(const char *name, char path[CACHE_PATH])
{
    static const char *const below[] = {"", "../lib/", "../"};
    char program[PATH_MAX] = "";
    Dl_info where;

    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        program[0] = '\0';
    if (dladdr(library_table, &where) == 0 || !where.dli_fname)
        where.dli_fname = "";
    for (size_t n = 0; n < COUNT_OF(below); n++)
        if (is_in(where.dli_fname, below[n], name, path) ||
            is_in(program, below[n], name, path))
            return true;
    return false;
}

/* A library stays open once found, because some do not survive closing. No file is found
 * twice. */
void *library_next(const char *name, int *at, const char **file)
{
    const optional_library *l = library_table;
    char path[CACHE_PATH];

    *file = NULL;
    while (l->name && strcmp(l->name, name) != 0)
        l++;
    const char *named = l->variable ? getenv(l->variable) : NULL;
    for (const char *one; l->name; (*at)++) {
        if (named && *named)
            one = *at == 0 ? named : NULL;
        else
            one = l->files[*at];
        if (!one)
            return NULL;
        void *opened = dlopen(one, RTLD_LAZY | RTLD_LOCAL);
        if (!opened && strncmp(one, "libpavior_", 10) == 0 && library_own(one, path))
            opened = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        if (opened) {
            *file = one;
            (*at)++;
            return opened;
        }
    }
    return NULL;
}

void *library_open(const char *name, const char **file)
{
    int first = 0;

    return library_next(name, &first, file);
}

void library_open_another(void *library, const char *function, const char *name)
{
    void *at = dlsym(library, function);
    char path[CACHE_PATH];
    Dl_info where;

    if (at && dladdr(at, &where) != 0 && where.dli_fname &&
        is_in(where.dli_fname, "", name, path))
        (void)dlopen(path, RTLD_LAZY | RTLD_LOCAL);
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
