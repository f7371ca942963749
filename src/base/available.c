/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory may still be taken: the least of what the machine has free and what the
 * limits of the control groups (version 2 or 1, a container's or a batch job's) and of the process's
 * address space (ulimit -v) leave over.
 *
 * Page cache that can be dropped counts as free, as it does in MemAvailable. Memory promised by
 * mem_big and not touched yet is in nobody's books; the part of it that must exist, since more
 * was handed out than the process holds, is subtracted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base_private.h"

enum { PATH_SIZE = 4096, LINE_SIZE = 4096 };

/* The number that a text begins with; -1 when there is none, or one beyond 64 bits. */
static int64_t to_number(const char *digits)
{
    char *end;

    errno = 0;
    const long long value = strtoll(digits, &end, 10);
    return end == digits || errno || value < 0 ? -1 : value;
}

static int64_t least(int64_t a, int64_t b)
{
    if (a < 0)
        return b;
    return b >= 0 && b < a ? b : a;
}

static void append(char path[PATH_SIZE], const char *part)
{
    const size_t used = strlen(path), length = strnlen(part, PATH_SIZE - 1 - used);

    memcpy(path + used, part, length);
    path[used + length] = '\0';
}

/* What does not fit is cut: no file of the system has such a name. */
static const char *join(char path[PATH_SIZE], const char *a, const char *b, const char *c)
{
    path[0] = '\0';
    append(path, a);
    append(path, b);
    append(path, c);
    return path;
}

/* The first line of a small file; false when there is none. */
static bool read_line(const char *path, char line[LINE_SIZE])
{
    FILE *file = fopen(path, "r");

    if (!file)
        return false;
    const bool good = fgets(line, LINE_SIZE, file) != NULL;
    fclose(file);
    return good;
}

/* The number after `key` in a file of "key number" lines; -1 when it is not there. */
static int64_t read_entry(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    char line[LINE_SIZE];
    int64_t value = -1;

    if (!file)
        return -1;
    const size_t length = strlen(key);
    while (value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, length) == 0)
            value = to_number(line + length);
    fclose(file);
    return value;
}

/* A file that holds one number; -1 when it holds none ("max" means no limit). */
static int64_t read_number(const char *folder, const char *name)
{
    char path[PATH_SIZE], line[LINE_SIZE];

    return read_line(join(path, folder, "/", name), line) ? to_number(line) : -1;
}

/* The file names of a version of control groups, and where its groups are mounted. */
struct group_version {
    const char *mount, *controller, *limit, *usage, *cache;
};
static const struct group_version versions[] = {
    {"/sys/fs/cgroup", "", "memory.max", "memory.current", "inactive_file "},
    {"/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file "},
};

/* What the limit of one group leaves over; -1 without a limit. */
static int64_t left_in_group(const struct group_version *version, const char *folder)
{
    char path[PATH_SIZE];
    const int64_t limit = read_number(folder, version->limit);
    const int64_t usage = read_number(folder, version->usage);

    if (limit < 0 || usage < 0)
        return -1;
    const int64_t cache = read_entry(join(path, folder, "/", "memory.stat"),
                                     version->cache);
    const int64_t held = cache > 0 && cache < usage ? usage - cache : usage;
    return held < limit ? limit - held : 0;
}

/* The least that a group and those it lies in leave over; `group` is shortened on the way. */
static int64_t left_upwards(const struct group_version *version, const char *root,
                            char *group)
{
    char folder[PATH_SIZE];
    int64_t left = -1;

    for (;;) {
        join(folder, root, version->mount, group);
        left = least(left, left_in_group(version, folder));
        char *slash = strrchr(group, '/');
        if (!slash)
            return left;
        *slash = '\0';
    }
}

/* Whether "controllers" of a line of /proc/self/cgroup ("memory" or "cpu,memory") names one. */
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

/* A line of /proc/self/cgroup is number:controllers:/path, without controllers in version 2. */
static int64_t left_by_line(const char *root, char *line)
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
    for (size_t i = 0; i < COUNT_OF(versions); i++)
        if (has_controller(controllers, length, versions[i].controller))
            left = least(left, left_upwards(&versions[i], root, group));
    return left;
}

static int64_t left_in_groups(const char *root)
{
    char path[PATH_SIZE], line[LINE_SIZE];
    int64_t left = -1;

    join(path, root, "/proc/self/cgroup", "");
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    while (fgets(line, sizeof line, file))
        left = least(left, left_by_line(root, line));
    fclose(file);
    return left;
}

/* Number `which` of /proc/self/statm, 0 the address space and 1 what is held of it, in bytes; -1 when the
 * system does not say. */
static int64_t own_size(const char *root, int which)
{
    char path[PATH_SIZE], line[LINE_SIZE];

    join(path, root, "/proc/self/statm", "");
    const char *at = read_line(path, line) ? line : NULL;
    for (; at && which > 0; which--)
        at = (at = strchr(at, ' ')) ? at + 1 : NULL;
    const int64_t pages = at ? to_number(at) : -1;
    return pages < 0 ? -1 : pages * (int64_t)sysconf(_SC_PAGESIZE);
}

/* Memory handed out by mem_big that cannot have been touched yet, at least. */
static int64_t promised(const char *root)
{
    const int64_t held = own_size(root, 1);

    return held >= 0 && mem_used() > held ? mem_used() - held : 0;
}

/* What is left of the address space that the process may have, where promises count already. */
static int64_t left_to_address(const char *root)
{
    struct rlimit limit;
    const int64_t taken = own_size(root, 0);

    if (taken < 0 || getrlimit(RLIMIT_AS, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT64_MAX)
        return -1;
    const int64_t most = (int64_t)limit.rlim_cur;
    return taken < most ? most - taken : 0;
}

int64_t mem_available_under(const char *root)
{
    char path[PATH_SIZE];

    join(path, root, "/proc/meminfo", "");
    const int64_t free_kib = read_entry(path, "MemAvailable:");
    const int64_t machine = free_kib >= 0 ? free_kib * 1024 : -1;
    const int64_t left = least(machine, left_in_groups(root));
    const int64_t spoken_for = promised(root), address = left_to_address(root);
    if (left < 0)
        return address;
    return least(left > spoken_for ? left - spoken_for : 0, address);
}

int64_t mem_process_peak(void)
{
    struct rusage use;

    return getrusage(RUSAGE_SELF, &use) == 0 ? (int64_t)use.ru_maxrss * 1024 : -1;
}
