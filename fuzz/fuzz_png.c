/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzes PNG files. Any bytes must be a picture, or be refused. The levels of a picture
 * lie between 0 and 1. Checksums are set right first, so mutations reach the parser. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/io_private.h"

enum { MOST = 1 << 12, HEAD = 8, WIDTH_AT = 16, HEIGHT_AT = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t number_at(const uint8_t *at)
{
    return (int64_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

static void set_checksums(uint8_t *bytes, int64_t size)
{
    for (int64_t at = HEAD; size - at >= 12;) {
        const int64_t length = number_at(bytes + at);
        if (length > size - at - 12)
            return;
        const uint32_t sum = png_crc(bytes + at + 4, length + 4);
        for (int n = 0; n < 4; n++)
            bytes[at + 8 + length + n] = (uint8_t)(sum >> (24 - 8 * n));
        at += length + 12;
    }
}

static void read_picture(const char *path, int64_t width, int64_t height, bool down)
{
    double *values = calloc((size_t)(width * height), sizeof *values);
    const view v = {.data = values,
                    .type = PAV_F64,
                    .extent = {width, height, 1},
                    .stride = {1, width, width * height}};

    if (!values)
        abort();
    const pav_status status = png_read_view(path, 2, down, &v, NULL);
    for (int64_t n = 0; status == PAV_OK && n < width * height; n++)
        if (!(values[n] >= 0 && values[n] <= 1))
            abort();
    free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int file = memfd_create("png", MFD_CLOEXEC);
    uint8_t *bytes = malloc(size + 1);
    int64_t width = 3, height = 2; /* of another picture, if this one is large */
    char path[64];

    if (file < 0 || !bytes)
        abort();
    memcpy(bytes, data, size);
    if (size > 0 && data[size - 1] % 8 != 0)
        set_checksums(bytes, (int64_t)size);
    if (size > HEIGHT_AT + 4 && number_at(bytes + WIDTH_AT) - 1 < MOST &&
        number_at(bytes + HEIGHT_AT) - 1 < MOST / (number_at(bytes + WIDTH_AT) + 1)) {
        width = number_at(bytes + WIDTH_AT);
        height = number_at(bytes + HEIGHT_AT);
    }
    for (size_t done = 0; done < size;) {
        const ssize_t now = write(file, bytes + done, size - done);
        if (now <= 0)
            abort();
        done += (size_t)now;
    }
    free(bytes);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (width > 0 && height > 0)
        read_picture(path, width, height, size % 2);
    (void)close(file);
    return 0;
}
