/* SPDX-License-Identifier: BSD-3-Clause */
/* Durations of the user: 90s, 10min, 2h, or the batch systems' form 1-12:00:00. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const double longest = 1e9;

static bool read_unit(const char *value, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
    char *end;
    const double number = strtod(value, &end);
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (end != value && number > 0 && strcmp(end, units[k].unit) == 0) {
            *seconds = number * units[k].seconds;
            return *seconds <= longest;
        }
    return false;
}

/* Reads digits up to `stop` and moves *at past it. */
static bool read_part(const char **at, char stop, double *number)
{
    const char *from = *at;
    *number = 0;
    for (; **at >= '0' && **at <= '9' && *at - from < 9; ++*at)
        *number = 10 * *number + (**at - '0');
    return *at > from && *(*at)++ == stop;
}

static bool read_clock(const char *value, double *seconds)
{
    double days = 0, hours, minutes, rest;
    const char *at = value;
    if (strchr(value, '-') && !read_part(&at, '-', &days))
        return false;
    if (!read_part(&at, ':', &hours) || !read_part(&at, ':', &minutes) ||
        !read_part(&at, '\0', &rest) || minutes >= 60 || rest >= 60)
        return false;
    *seconds = 86400 * days + 3600 * hours + 60 * minutes + rest;
    return *seconds > 0 && *seconds <= longest;
}

bool duration_read(const char *value, double *seconds)
{
    return read_unit(value, seconds) || read_clock(value, seconds);
}
