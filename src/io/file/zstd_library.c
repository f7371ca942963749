/* SPDX-License-Identifier: BSD-3-Clause */
/* The zstd library (version 1.4 and later), opened when a .zst file is first written or
 * read. */
#include <pthread.h>

#include "io/io_private.h"

static zstd api;
static const char *missing; /* NULL: the library is there */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const library_call calls[] = {
    {"ZSTD_isError", offsetof(zstd, is_error)},
    {"ZSTD_getErrorName", offsetof(zstd, error_name)},
    {"ZSTD_createCCtx", offsetof(zstd, packer_new)},
    {"ZSTD_CCtx_setParameter", offsetof(zstd, packer_set)},
    {"ZSTD_compressStream2", offsetof(zstd, pack)},
    {"ZSTD_freeCCtx", offsetof(zstd, packer_free)},
    {"ZSTD_createDCtx", offsetof(zstd, unpacker_new)},
    {"ZSTD_decompressStream", offsetof(zstd, unpack)},
    {"ZSTD_freeDCtx", offsetof(zstd, unpacker_free)},
};

static void find(void)
{
    const char *file = NULL;
    void *library = library_open("zstd", &file);

    if (!library)
        missing = ".zst files need the zstd library, which is not there; install it "
                  "(Debian, Ubuntu: apt install libzstd1; Fedora: dnf install libzstd; "
                  "conda install zstd), or use a .npy file";
    else if (!library_find(library, calls, COUNT_OF(calls), &api))
        missing = ".zst files need the zstd library of version 1.4 or later, and the one "
                  "that was found is older; install it, or use a .npy file";
}

const char *zstd_missing(void)
{
    (void)pthread_once(&once, find);
    return missing;
}

const zstd *zstd_open(void)
{
    return zstd_missing() ? NULL : &api;
}
