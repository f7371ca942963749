/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files with facts and limits of the system: a line, a number, or lines with a name
 * and a number. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_private.h"

/* The number at the beginning of a text; -1 if there is none, or if it exceeds 64
 * bits. */
int64_t system_to_number(const char *digits)
{
    char *end;

    errno = 0;
    const long long value = strtoll(digits, &end, 10);
    return end == digits || errno || value < 0 ? -1 : value;
}

static void append(char path[SYSTEM_SIZE], const char *part)
{
    const size_t used = strlen(path), length = strnlen(part, SYSTEM_SIZE - 1 - used);

    memcpy(path + used, part, length);
    path[used + length] = '\0';
}

/* Cuts the path to fit; no file of the system has a longer name. */
const char *system_path(char path[SYSTEM_SIZE], const char *a, const char *b,
                        const char *c)
{
    path[0] = '\0';
    append(path, a);
    append(path, b);
    append(path, c);
    return path;
}

/* The first line of a small file; false when there is none. */
bool system_line(const char *path, char line[SYSTEM_SIZE])
{
    FILE *file = fopen(path, "r");

    if (!file)
        return false;
    const bool good = fgets(line, SYSTEM_SIZE, file) != NULL;
    fclose(file);
    return good;
}

/* The number after `key` in a file of "key number" lines; -1 when it is not there. */
int64_t system_entry(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    char line[SYSTEM_SIZE];
    int64_t value = -1;

    if (!file)
        return -1;
    const size_t length = strlen(key);
    while (value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, length) == 0)
            value = system_to_number(line + length);
    fclose(file);
    return value;
}

/* Reads a file with one number; -1 if it has none ("max" means no limit). */
int64_t system_number(const char *folder, const char *name)
{
    char path[SYSTEM_SIZE], line[SYSTEM_SIZE];

    return system_line(system_path(path, folder, "/", name), line)
               ? system_to_number(line)
               : -1;
}
