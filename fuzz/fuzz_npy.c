/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzes npy files. Any bytes must be accepted as a header, or refused. If accepted, a
 * file with these bytes must have values for its shape, or be refused. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "domain/domain.h"
#include "io/io.h"

enum {
    MOST_VALUES = 1 << 16, /* what is read stays small; what is refused need not */
    MOST_COLUMNS = 1000
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory, found by a path; -1 when the system gives none. */
static int make_file(const uint8_t *data, size_t size, char *path, size_t path_size)
{
    const int file = memfd_create("npy", MFD_CLOEXEC);

    if (file < 0)
        return -1;
    for (size_t done = 0; done < size;) {
        const ssize_t now = write(file, data + done, size - done);
        if (now <= 0)
            abort();
        done += (size_t)now;
    }
    (void)snprintf(path, path_size, "/proc/self/fd/%d", file);
    return file;
}

static void read_view(const char *path, const npy_header *h, pav_type type)
{
    field_shape shape = {.type = type, .dimensions = h->dimensions, .count = 1};
    levels l;

    if (h->dimensions < 1 || h->dimensions > PAV_MAX_DIMENSIONS)
        return;
    for (int a = 0; a < h->dimensions; a++) {
        shape.extent[a] = h->extent[h->dimensions - 1 - a];
        shape.halo[a][0] = shape.halo[a][1] = 1;
    }
    if (levels_new(&shape, NULL, NULL, &l) != PAV_OK)
        return;
    if (npy_read_view(path, h->dimensions, &l.level[0], NULL) != PAV_OK)
        abort(); /* the shape is the header's, and the size was checked */
    levels_free(&l);
}

static void read_other_shape(const char *path)
{
    const field_shape shape = {
        .type = PAV_F32, .dimensions = 3, .extent = {3, 2, 2}, .count = 1};
    levels l;

    if (levels_new(&shape, NULL, NULL, &l) != PAV_OK)
        return;
    (void)npy_read_view(path, 3, &l.level[0], NULL);
    levels_free(&l);
}

static void read_table(const char *path, const npy_header *h)
{
    const bool square = h->dimensions == 2 && h->extent[1] <= MOST_COLUMNS;
    double *values;
    int64_t rows;

    (void)npy_read_table(path, square ? (int)h->extent[1] : 1, MOST_VALUES, &values,
                         &rows);
    mem_free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    npy_header parsed, read;
    char path[64];
    const int file = make_file(data, size, path, sizeof path);

    if (file < 0)
        return 0;
    const pav_status status = npy_parse_header((const char *)data, (int64_t)size,
                                               &parsed);
    const pav_status whole = npy_read_header(path, &read);
    if (whole == PAV_OK && (status != PAV_OK || parsed.count != read.count))
        abort();
    read_other_shape(path);
    if (whole == PAV_OK && read.count > 0 && read.count <= MOST_VALUES) {
        read_view(path, &read, PAV_F16);
        read_view(path, &read, PAV_U8);
    }
    read_table(path, &read);
    (void)close(file);
    return 0;
}
