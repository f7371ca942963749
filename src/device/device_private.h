/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of device share among themselves. */
#ifndef DEVICE_DEVICE_PRIVATE_H
#define DEVICE_DEVICE_PRIVATE_H

#include "device/device.h"

extern const device_ops interpreter_device, cpu_device;

/* What the system says of this machine (host.c); 0 and "" where it does not say. */
enum { MAX_CACHES = 8, CACHE_NAME = 16, HOST_TEXT = 256 };
typedef struct cache_info {
    char name[CACHE_NAME]; /* "L1d", "L2" */
    int64_t bytes;
    int shared_by; /* logical processors */
} cache_info;
typedef struct host_info {
    char model[HOST_TEXT];
    char compiler[HOST_TEXT]; /* path of the first of cc, gcc, clang on PATH */
    int processors;           /* that this process may use */
    int64_t memory, available;
    bool avx2, fma, avx512f;
    int caches;
    cache_info cache[MAX_CACHES];
} host_info;
void host_describe(host_info *h);
/* Lets the calling thread run on all processors of the process, wherever its maker is bound. */
void host_free_thread(void);
/* $PAV_CC, a path or a name on PATH, or else the first of cc, gcc, clang (host.c). */
bool host_find_compiler(char found[HOST_TEXT]);
/* Model and features of the processor, on which -march=native depends. */
void host_hash_processor(hash *h);

/* ---- programs that are started (host_process.c) ------------------------------------------- */

typedef enum process_end {
    PROCESS_DONE,
    PROCESS_FAILED,
    PROCESS_LATE,
    PROCESS_NONE
} process_end;
/* Starts a program by its path and arguments, no shell between, and waits for it. What it prints goes
 * to the file `log`. When `seconds` have passed it is killed, with all that it started. */
process_end process_run(const char *const *argument, const char *log, double seconds);

/* ---- the compiler (host_compiler.c) ------------------------------------------------------- */

typedef struct compiler {
    char path[HOST_TEXT];
    double seconds; /* that it may take: $PAV_CC_SECONDS, or 300 */
} compiler;
pav_status compiler_find(compiler *c);
/* Adds what its results depend on: path, size, time, version line, flags. `scratch`: a file. */
pav_status compiler_hash(const compiler *c, const char *scratch, hash *h);
/* Makes the shared object; with threads where the compiler has OpenMP. `log` is scratch too. */
pav_status compiler_run(const compiler *c, const char *source, const char *object,
                        const char *log);

/* ---- the cache (host_cache.c) ------------------------------------------------------------- */

enum { CACHE_PATH = 4096 };
/* A directory of this user alone: `path` the one for kernels, `work` a new one inside of it for this
 * process. When there is none to be had, both are a temporary one, and `note` says why. */
typedef struct kernel_cache {
    char path[CACHE_PATH], work[CACHE_PATH];
    bool lasting;
    char note[CACHE_PATH];
} kernel_cache;
pav_status cache_open(kernel_cache *c);
void cache_close(kernel_cache *c); /* removes the working directory */
/* An object is sealed by its length and hash at the file's end, which loaders do not mind; so one
 * rename puts both in place. */
pav_status cache_seal(const char *object);
bool cache_is_sealed(const char *object);

#endif
