/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedule of several steps as people write it: "time:depth=4,tile=16x4". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/time_private.h"

static const char word[] = "time";
enum { LARGEST = 1 << 30 };

bool time_words_are(const char *name)
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

/* A number from `least` on, and what stands behind it. */
static bool read_number(const char **at, long least, long most, int64_t *number)
{
    char *end;
    const long found = strtol(*at, &end, 10);
    if (end == *at || found < least || found > most)
        return false;
    *number = found;
    *at = end;
    return true;
}

static bool read_depth(const char **at, time_shape *shape)
{
    int64_t depth;
    if (!read_number(at, 2, TIME_DEPTH, &depth))
        return false;
    shape->depth = (int)depth;
    return true;
}

static bool read_tile(const char **at, time_shape *shape)
{
    if (!read_number(at, 0, LARGEST, &shape->tile[0]) || **at != 'x')
        return false;
    ++*at;
    return read_number(at, 1, LARGEST, &shape->tile[1]);
}

static bool begins(const char **at, const char *with)
{
    const size_t length = strlen(with);
    if (strncmp(*at, with, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool read_setting(const char **at, time_shape *shape)
{
    if (begins(at, "depth="))
        return read_depth(at, shape);
    return begins(at, "tile=") && read_tile(at, shape);
}

/* "depth", "tile", NULL: what is said again from here on. */
static const char *said_twice(const char *at, const time_shape *shape)
{
    if (begins(&at, "depth=") && shape->depth > 0)
        return "depth";
    return begins(&at, "tile=") && shape->tile[1] > 0 ? "tile" : NULL;
}

pav_status time_words_find(const char *name, time_shape *shape)
{
    const char *at = name + sizeof word - 1;
    *shape = (time_shape){0};
    if (!*at)
        return PAV_OK;
    do {
        at++;
        if (said_twice(at, shape))
            return FAIL(PAV_EINVAL, "the schedule \"%s\" says %s twice: leave out one",
                        name, said_twice(at, shape));
        if (!read_setting(&at, shape))
            return refuse(name);
    } while (*at == ',');
    return *at ? refuse(name) : PAV_OK;
}

void time_words_put(const time_shape *shape, int dim, char words[TIME_WORDS])
{
    const int column = time_column(dim);
    const int64_t wide = column >= 0 ? shape->tile[column] : 0;
    const int64_t thick = shape->tile[time_stream(dim)];
    const int length = snprintf(words, TIME_WORDS, "%s:depth=%d", word, shape->depth);
    if (wide > 0 || thick > 0)
        (void)snprintf(words + length, (size_t)(TIME_WORDS - length), ",tile=%lldx%lld",
                       (long long)wide, (long long)thick);
}
