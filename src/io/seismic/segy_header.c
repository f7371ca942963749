/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers of SEG-Y files (revisions 0 and 1, all traces of one length): the first 3600
 * bytes of the file and 240 bytes per trace. Sizes in a header are trusted only after
 * comparison with the file's size. */
#include <string.h>

#include "io/seismic/segy_private.h"

static uint32_t get(const char *at, int bytes)
{
    uint32_t value = 0;

    for (int i = 0; i < bytes; i++)
        value = value << 8 | (uint8_t)at[i];
    return value;
}

int32_t segy_get_32(const char *at)
{
    return (int32_t)get(at, 4);
}

int segy_get_16(const char *at)
{
    return (int16_t)get(at, 2);
}

/* Bytes of a sample; 0 if the format is not supported. */
static int sample_bytes(int format)
{
    switch (format) {
    case SEGY_IBM:
    case SEGY_INT32:
    case SEGY_IEEE: return 4;
    case SEGY_INT16: return 2;
    case SEGY_INT8: return 1;
    default: return 0;
    }
}

/* Parses the binary header. A count of samples is unsigned: files with more than 32767
 * exist. */
static pav_status parse_binary(const char *b, int64_t first_samples, segy_header *h)
{
    const int extended = segy_get_16(b + 304);

    h->format = segy_get_16(b + 24);
    h->bytes = sample_bytes(h->format);
    h->interval = 1e-6 * get(b + 16, 2);
    h->samples = get(b + 20, 2) > 0 ? get(b + 20, 2) : first_samples;
    if (h->bytes == 0)
        return FAIL(PAV_EFORMAT,
                    "its samples are of format %d; read are 1 (IBM floats), 2, 3 and 8 "
                    "(whole numbers of 4, 2 and 1 bytes) and 5 (IEEE floats)",
                    h->format);
    if (h->samples < 1)
        return FAIL(PAV_EFORMAT, "its headers say that a trace has no samples");
    if (extended < 0 || extended > 1000)
        return FAIL(PAV_EFORMAT, "its header says that %d more headers follow it",
                    extended);
    h->first = SEGY_HEAD + extended * (int64_t)SEGY_TEXT;
    return PAV_OK;
}

pav_status segy_parse_header(const char *head, int64_t length, int64_t file_bytes,
                             segy_header *h)
{
    *h = (segy_header){0};
    if (length < SEGY_HEAD + SEGY_TRACE)
        return FAIL(PAV_EFORMAT,
                    "it has %lld bytes, and a SEG-Y file at least 3840 and a sample",
                    (long long)length);
    const char *const trace = head + SEGY_HEAD;
    TRY(parse_binary(head + SEGY_TEXT, get(trace + 114, 2), h));
    const int64_t each = SEGY_TRACE + h->samples * h->bytes;
    const int64_t left = file_bytes - h->first;
    h->traces = left > 0 ? left / each : 0;
    if (h->traces < 1 || left % each != 0)
        return FAIL(PAV_EFORMAT,
                    "%lld bytes of traces are no whole number of them: each has 240 and "
                    "%lld samples of %d bytes; it is cut, or its traces differ in length",
                    (long long)(left > 0 ? left : 0), (long long)h->samples, h->bytes);
    return PAV_OK;
}

/* Applies a scalar: -100 divides by 100, 100 multiplies by 100, 0 does nothing. */
static double scaled(const char *at, int scalar)
{
    const double value = segy_get_32(at);

    if (scalar < 0)
        return value / -scalar;
    return scalar > 0 ? value * scalar : value;
}

void segy_parse_trace(const char *t, segy_trace *result)
{
    const int level = segy_get_16(t + 68), place = segy_get_16(t + 70);

    *result = (segy_trace){
        .samples = get(t + 114, 2),
        .source = {scaled(t + 72, place), scaled(t + 76, place),
                   scaled(t + 48, level) - scaled(t + 44, level)},
        .receiver = {scaled(t + 80, place), scaled(t + 84, place),
                     -scaled(t + 40, level)},
    };
}
