/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats sizes, extents and durations for messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base_private.h"

const char *size_text(int64_t bytes, char out[SIZE_TEXT])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes > -1024 && bytes < 1024) {
        (void)snprintf(out, SIZE_TEXT, "%d B", (int)bytes);
        return out;
    }
    for (; fabs(size) >= 1023.95 && unit + 1 < COUNT_OF(units); unit++)
        size /= 1024;
    (void)snprintf(out, SIZE_TEXT, "%.1f %s", size, units[unit]);
    return out;
}

void text_add_bytes_size(text *t, int64_t bytes)
{
    char size[SIZE_TEXT];

    text_add(t, "%s", size_text(bytes, size));
}

void text_add_extent(text *t, int dimensions, const int64_t *extent)
{
    for (int i = 0; i < dimensions; i++)
        text_add(t, "%s%lld", i > 0 ? "x" : "", (long long)extent[i]);
}

void text_add_sides(text *t, double left, const char *between, double right)
{
    enum { LEAST = 6, MOST = 17, LONGEST = 32 };
    char a[LONGEST], b[LONGEST];

    for (int digits = LEAST; digits <= MOST; digits++) {
        (void)snprintf(a, sizeof a, "%.*g", digits, left);
        (void)snprintf(b, sizeof b, "%.*g", digits, right);
        if (strcmp(a, b) != 0 || !(left < right || left > right))
            break;
    }
    text_add(t, "%s%s%s", a, between, b);
}

/* Two units at most: 850 ms, 12.3 s, 1 min 02 s, 1 h 02 min, 3 d 04 h. */
void text_add_duration(text *t, double seconds)
{
    /* 32 million years; larger values would overflow integers */
    const double most = 1e15;

    if (!(seconds >= 0 && seconds < most)) {
        text_add(t, "unknown");
        return;
    }
    const long long whole = (long long)(seconds + 0.5), minutes = (whole + 30) / 60;
    const long long hours = (whole + 1800) / 3600;
    if (seconds < 0.0009995)
        text_add(t, "%.0f us", seconds * 1e6);
    else if (seconds < 0.9995)
        text_add(t, "%.0f ms", seconds * 1e3);
    else if (seconds < 59.95)
        text_add(t, "%.1f s", seconds);
    else if (whole < 3600)
        text_add(t, "%lld min %02lld s", whole / 60, whole % 60);
    else if (minutes < 24 * 60)
        text_add(t, "%lld h %02lld min", minutes / 60, minutes % 60);
    else
        text_add(t, "%lld d %02lld h", hours / 24, hours % 24);
}
