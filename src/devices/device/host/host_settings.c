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

static bool is_on(const char *name, bool usual)
{
    const char *word = value_of(name);

    return word ? strcmp(word, "0") != 0 : usual;
}

bool settings_graphs(void)
{
    return is_on("PAV_GPU_GRAPHS", true);
}

bool host_starts_early(void)
{
    return is_on("PAV_EARLY", true);
}

bool host_requires_cached(void)
{
    return images_are_offered() || is_on("PAV_REQUIRE_CACHED", false);
}

/* ---- the check --------------------------------------------------------------------- */

static bool is_threads(const char *word)
{
    return read_threads(word) > 0;
}

static bool is_seconds(const char *word)
{
    return read_seconds(word) > 0;
}

static bool is_size(const char *word)
{
    return read_size(word) > 0;
}

static bool is_switch(const char *word)
{
    return strcmp(word, "0") == 0 || strcmp(word, "1") == 0;
}

static bool is_pairs(const char *word)
{
    long a, b;

    while (*word)
        if (!read_pair(&word, &a, &b))
            return false;
    return true;
}

static bool is_order(const char *word)
{
    char *end;

    return read_whole(word, &end) > 0 && !*end;
}

_Static_assert(HOST_MOST_THREADS == 1024, "the message of PAV_THREADS says so");

static const struct {
    const char *name, *takes;
    bool (*good)(const char *word);
} settings[] = {
    {"PAV_THREADS", "a whole number from 1 to 1024", is_threads},
    {"PAV_CC_SECONDS", "a number of seconds above 0", is_seconds},
    {"PAV_CACHE_SIZE", "a size such as 500M or 2G, or a number of bytes", is_size},
    {"PAV_REQUIRE_CACHED", "0 or 1", is_switch},
    {"PAV_GPU_GRAPHS", "0 or 1", is_switch},
    {"PAV_EARLY", "0 or 1", is_switch},
    {"PAV_EMULATED_PEERS", "pairs of numbers, as in 0-2,1-3", is_pairs},
    {"PAV_EMULATED_ORDER", "a whole number above 0", is_order},
};

pav_status settings_check(void)
{
    for (size_t k = 0; k < COUNT_OF(settings); k++) {
        const char *word = value_of(settings[k].name);
        if (word && !settings[k].good(word))
            return FAIL(PAV_EINVAL, "%s takes %s, not '%.100s'", settings[k].name,
                        settings[k].takes, word);
    }
    return PAV_OK;
}
