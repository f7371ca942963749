/* SPDX-License-Identifier: BSD-3-Clause */
/* Control groups, version 2 or 1, of a container or a batch job. The limit is the least
 * of the process's own group and all groups around it. */
#include <stdio.h>
#include <string.h>

#include "base/base_private.h"

int64_t system_least(int64_t a, int64_t b)
{
    if (a < 0)
        return b;
    return b >= 0 && b < a ? b : a;
}

/* The least limit of a group and all groups around it; `group` is shortened on the
 * way. */
static int64_t least_upwards(const group_version *version, const char *root, char *group)
{
    char folder[SYSTEM_SIZE];
    int64_t left = -1;

    for (;;) {
        system_path(folder, root, version->mount, group);
        left = system_least(left, version->allows(folder));
        char *slash = strrchr(group, '/');
        if (!slash)
            return left;
        *slash = '\0';
    }
}

/* True if the controllers of a line of /proc/self/cgroup ("memory" or "cpu,memory")
 * include `name`. */
static bool has_controller(const char *list, size_t length, const char *name)
{
    const size_t size = strlen(name);

    if (size == 0)
        return length == 0;
    for (size_t at = 0; at + size <= length; at++) {
        const bool begins = at == 0 || list[at - 1] == ',';
        const bool ends = at + size == length || list[at + size] == ',';
        if (begins && ends && memcmp(list + at, name, size) == 0)
            return true;
    }
    return false;
}

/* A line of /proc/self/cgroup is number:controllers:/path, without controllers in version
 * 2. */
static int64_t least_by_line(const group_version version[GROUP_VERSIONS],
                             const char *root, char *line)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    int64_t left = -1;

    if (!group)
        return -1;
    controllers++;
    const size_t length = (size_t)(group - controllers);
    group++;
    group[strcspn(group, "\n")] = '\0';
    for (int i = 0; i < GROUP_VERSIONS; i++)
        if (has_controller(controllers, length, version[i].controller))
            left = system_least(left, least_upwards(&version[i], root, group));
    return left;
}

int64_t groups_least(const group_version version[GROUP_VERSIONS], const char *root)
{
    char path[SYSTEM_SIZE], line[SYSTEM_SIZE];
    int64_t left = -1;

    system_path(path, root, "/proc/self/cgroup", "");
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    while (fgets(line, sizeof line, file))
        left = system_least(left, least_by_line(version, root, line));
    fclose(file);
    return left;
}
