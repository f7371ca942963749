/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzes SEG-Y files. Any bytes must be traces, or be refused. The number and length of
 * the read traces must be those of the header. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/io.h"

enum { LEAST = 3840, MOST_ROWS = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Puts the data into a file in memory. */
static int make_file(const uint8_t *data, size_t size)
{
    const int file = memfd_create("segy", MFD_CLOEXEC);

    if (file < 0)
        return -1;
    for (size_t done = 0; done < size;) {
        const ssize_t now = write(file, data + done, size - done);
        if (now <= 0)
            abort();
        done += (size_t)now;
    }
    return file;
}

typedef struct seen {
    int64_t traces, samples;
    double sum;
} seen;

/* Reads every sample, so a sanitizer sees addresses outside the memory of the trace. */
static pav_status look(void *user, int64_t number, const segy_trace *trace,
                       const double *values)
{
    seen *s = user;

    if (number != s->traces++ || (trace->samples > 0 && trace->samples != s->samples))
        abort();
    for (int64_t n = 0; n < s->samples; n++)
        s->sum += values[n];
    return PAV_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int64_t length = (int64_t)size < LEAST ? (int64_t)size : LEAST;
    segy_header parsed, read;
    char path[64];
    double *rows;
    int64_t count;
    const int file = make_file(data, size);

    if (file < 0)
        return 0;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const pav_status status = segy_parse_header((const char *)data, length, (int64_t)size,
                                                &parsed);
    if (segy_read_header(path, &read) != status)
        abort();
    seen s = {.samples = read.samples};
    if (status == PAV_OK && segy_each(path, look, &s) == PAV_OK &&
        s.traces != read.traces)
        abort();
    if (positions_read(path, "xz", false, MOST_ROWS, &rows, &count) == PAV_OK)
        mem_free(rows);
    (void)close(file);
    return 0;
}
