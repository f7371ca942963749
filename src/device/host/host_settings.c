/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings from environment variables: threads, the compiler's time limit, cache size,
 * GPU graphs, the order of emulated threads. An unset or empty variable means the
 * default. Invalid values are rejected before a device is opened; otherwise a typo in a
 * batch job would go unnoticed. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_private.h"

enum { DEFAULT_MIB = 256, DEFAULT_SECONDS = 300 };

/* NULL if unset or empty. */
static const char *value_of(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* Reads a whole number of at least 1; *end is the text after it. 0 if there is none. */
static int64_t read_whole(const char *word, char **end)
{
    errno = 0;
    const int64_t number = strtoll(word, end, 10);
    return *end != word && errno == 0 && number > 0 ? number : 0;
}

static int64_t read_threads(const char *word)
{
    char *end;
    const int64_t number = read_whole(word, &end);

    return *end == '\0' && number <= HOST_MOST_THREADS ? number : 0;
}

static double read_seconds(const char *word)
{
    char *end;
    const double seconds = strtod(word, &end);

    return end != word && *end == '\0' && isfinite(seconds) && seconds > 0 ? seconds : 0;
}

/* Reads 500M, 2G, or a number of bytes; 0 if it is neither. */
static int64_t read_size(const char *word)
{
    static const char units[] = "KMGT";
    char *end;
    const int64_t number = read_whole(word, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    int64_t scale = 1, size;

    if (*end && (!unit || end[1]))
        return 0;
    for (const char *u = units; unit && u <= unit; u++)
        scale *= 1024;
    return mul_fits(number, scale, &size) ? size : 0;
}

int settings_threads(void)
{
    const char *word = value_of("PAV_THREADS");

    return word ? (int)read_threads(word) : 0;
}

double settings_compiler_seconds(void)
{
    const char *word = value_of("PAV_CC_SECONDS");
    const double seconds = word ? read_seconds(word) : 0;

    return seconds > 0 ? seconds : DEFAULT_SECONDS;
}

int64_t settings_cache_bytes(void)
{
    const char *word = value_of("PAV_CACHE_SIZE");
    const int64_t size = word ? read_size(word) : 0;

    return size > 0 ? size : (int64_t)DEFAULT_MIB << 20;
}

uint64_t settings_emulated_order(void)
{
    const char *word = value_of("PAV_EMULATED_ORDER");
    char *end;

    return word ? (uint64_t)read_whole(word, &end) : 0;
}

/* Reads a pair like "0-2" and the comma after it, if any. */
static bool read_pair(const char **at, long *a, long *b)
{
    char *end;

    *a = strtol(*at, &end, 10);
    if (end == *at || *end != '-')
        return false;
    const char *second = end + 1;
    *b = strtol(second, &end, 10);
    *at = end + (*end == ',');
    return end > second;
}

bool settings_emulated_peers(int number, int other)
{
    const char *at = value_of("PAV_EMULATED_PEERS");
    long a, b;

    if (!at)
        return true;
    while (*at && read_pair(&at, &a, &b))
        if ((a == number && b == other) || (a == other && b == number))
            return true;
    return false;
}

bool settings_graphs(void)
{
    const char *word = value_of("PAV_GPU_GRAPHS");

    return !word || strcmp(word, "0") != 0;
}

bool host_requires_cached(void)
{
    const char *word = value_of("PAV_REQUIRE_CACHED");

    return images_are_offered() || (word && strcmp(word, "0") != 0);
}

static pav_status check_switch(const char *name)
{
    const char *word = value_of(name);

    if (word && strcmp(word, "0") != 0 && strcmp(word, "1") != 0)
        return FAIL(PAV_EINVAL, "%s takes 0 or 1, not '%.100s'", name, word);
    return PAV_OK;
}

pav_status settings_check(void)
{
    const char *word = value_of("PAV_THREADS");
    char *end;
    long a, b;

    if (word && read_threads(word) == 0)
        return FAIL(PAV_EINVAL,
                    "PAV_THREADS takes a whole number from 1 to %d, not '%.100s'",
                    HOST_MOST_THREADS, word);
    word = value_of("PAV_CC_SECONDS");
    if (word && read_seconds(word) <= 0)
        return FAIL(PAV_EINVAL,
                    "PAV_CC_SECONDS takes a number of seconds above 0, not '%.100s'",
                    word);
    word = value_of("PAV_CACHE_SIZE");
    if (word && read_size(word) == 0)
        return FAIL(PAV_EINVAL,
                    "PAV_CACHE_SIZE takes a size such as 500M or 2G, or a number of "
                    "bytes, not '%.100s'",
                    word);
    TRY(check_switch("PAV_REQUIRE_CACHED"));
    TRY(check_switch("PAV_GPU_GRAPHS"));
    word = value_of("PAV_EMULATED_PEERS");
    for (const char *at = word; at && *at;)
        if (!read_pair(&at, &a, &b))
            return FAIL(PAV_EINVAL,
                        "PAV_EMULATED_PEERS takes pairs of numbers, as in 0-2,1-3, not "
                        "'%.100s'",
                        word);
    word = value_of("PAV_EMULATED_ORDER");
    if (word && (read_whole(word, &end) == 0 || *end))
        return FAIL(PAV_EINVAL,
                    "PAV_EMULATED_ORDER takes a whole number above 0, not '%.100s'",
                    word);
    return PAV_OK;
}
