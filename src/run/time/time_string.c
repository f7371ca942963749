/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule of several steps as people write it: "time:depth=4,tile=16x4". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/time/time_private.h"

static const char word[] = "time";
enum { LARGEST = 1 << 30 };

bool time_string_is(const char *name)
{
    const size_t length = sizeof word - 1;
    return strncmp(name, word, length) == 0 && (!name[length] || name[length] == ':');
}

static pav_status refuse(const char *name)
{
    return FAIL(
        PAV_EINVAL,
        "the schedule \"%s\" is not understood: after time: stand depth=2 to %d "
        "and tile=16x4 (points across columns, 0 for all, and rows that are taken at "
        "once), as in time:depth=4,tile=16x4",
        name, TIME_DEPTH);
}

/* Digits alone, a number from `least` on, and what stands behind it. */
static bool read_number(const char **at, long least, long most, int64_t *number)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    const long found = strtol(*at, &end, 10);
    if (found < least || found > most)
        return false;
    *number = found;
    *at = end;
    return true;
}

static bool is_end(const char *at)
{
    return !*at || *at == ',';
}

static pav_status read_depth(const char **at, time_schedule *shape)
{
    const char *value = *at;
    int64_t depth;
    if (!read_number(at, 2, TIME_DEPTH, &depth) || !is_end(*at))
        return FAIL(PAV_EINVAL,
                    "depth '%.*s' of the schedule time is not a whole number from 2 to "
                    "%d",
                    (int)strcspn(value, ","), value, TIME_DEPTH);
    shape->depth = (int)depth;
    return PAV_OK;
}

static bool read_points(const char **at, time_schedule *shape)
{
    if (!read_number(at, 0, LARGEST, &shape->tile[0]) || **at != 'x')
        return false;
    ++*at;
    return read_number(at, 1, LARGEST, &shape->tile[1]) && is_end(*at);
}

static pav_status read_tile(const char **at, time_schedule *shape)
{
    const char *value = *at;
    return read_points(at, shape)
               ? PAV_OK
               : FAIL(PAV_EINVAL,
                      "tile '%.*s' of the schedule time is not points across columns, 0 "
                      "for all, and rows, at least 1, as in tile=16x4",
                      (int)strcspn(value, ","), value);
}

static bool begins(const char **at, const char *with)
{
    const size_t length = strlen(with);
    if (strncmp(*at, with, length) != 0)
        return false;
    *at += length;
    return true;
}

static pav_status read_setting(const char *name, const char **at, time_schedule *shape)
{
    if (begins(at, "depth="))
        return read_depth(at, shape);
    return begins(at, "tile=") ? read_tile(at, shape) : refuse(name);
}

/* "depth", "tile", NULL: what is said again from here on. */
static const char *said_twice(const char *at, const time_schedule *shape)
{
    if (begins(&at, "depth=") && shape->depth > 0)
        return "depth";
    return begins(&at, "tile=") && shape->tile[1] > 0 ? "tile" : NULL;
}

pav_status time_string_parse(const char *name, time_schedule *shape)
{
    const char *at = name + sizeof word - 1;
    *shape = (time_schedule){0};
    if (!*at)
        return PAV_OK;
    do {
        at++;
        if (said_twice(at, shape))
            return FAIL(PAV_EINVAL, "the schedule \"%s\" says %s twice: leave out one",
                        name, said_twice(at, shape));
        TRY(read_setting(name, &at, shape));
    } while (*at == ',');
    return PAV_OK;
}

void time_string_print(const time_schedule *shape, int dim, char words[TIME_STRING])
{
    const int column = time_column_axis(dim);
    const int64_t wide = column >= 0 ? shape->tile[column] : 0;
    const int64_t thick = shape->tile[time_sweep_axis(dim)];
    const int length = snprintf(words, TIME_STRING, "%s:depth=%d", word, shape->depth);
    if (wide > 0 || thick > 0)
        (void)snprintf(words + length, (size_t)(TIME_STRING - length), ",tile=%lldx%lld",
                       (long long)wide, (long long)thick);
}
