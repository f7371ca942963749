/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzes packed npy files. Any bytes in a file named .zst must be read or refused.
 * Reading them twice must give the same values. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/io.h"

enum { MOST_VALUES = 1 << 14, FILE_NUMBER = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char link_path[64];

static void remove_link(void)
{
    (void)unlink(link_path);
}

/* A name that ends as packed files do, for whatever FILE_NUMBER is at the time. */
static void make_link(void)
{
    if (link_path[0])
        return;
    (void)snprintf(link_path, sizeof link_path, "/tmp/fuzz-%ld.npy.zst", (long)getpid());
    if (symlink("/proc/self/fd/100", link_path) != 0)
        abort();
    (void)atexit(remove_link);
}

static void make_file(const uint8_t *data, size_t size)
{
    const int file = memfd_create("zst", MFD_CLOEXEC);

    if (file < 0 || dup2(file, FILE_NUMBER) < 0 || close(file) != 0)
        abort();
    for (size_t done = 0; done < size;) {
        const ssize_t now = write(FILE_NUMBER, data + done, size - done);
        if (now <= 0)
            abort();
        done += (size_t)now;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double *once, *twice;
    int64_t rows, again;

    make_link();
    make_file(data, size);
    const pav_status first = npy_read_table(link_path, 1, MOST_VALUES, &once, &rows);
    const pav_status second = npy_read_table(link_path, 1, MOST_VALUES, &twice, &again);
    if (first != second || rows != again)
        abort();
    if (rows > 0 && memcmp(once, twice, (size_t)rows * sizeof *once) != 0)
        abort();
    mem_free(once);
    mem_free(twice);
    (void)close(FILE_NUMBER);
    return 0;
}
