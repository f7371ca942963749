/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of memory and processors for this process, from the system's files: the
 * machine's free memory, control groups of a container or a batch job (version 2 or 1),
 * and the address space (ulimit -v). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base_private.h"

/* ---- small files of the system ----------------------------------------------------- */

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

const char *system_path(char path[SYSTEM_SIZE], const char *a, const char *b,
                        const char *c)
{
    path[0] = '\0';
    append(path, a);
    append(path, b);
    append(path, c);
    return path;
}

static bool read_line(const char *path, char line[SYSTEM_SIZE])
{
    OWNED_BY(stdio_close) FILE *const file = fopen(path, "r");

    return file && fgets(line, SYSTEM_SIZE, file);
}

/* The number after `key` in a file of "key number" lines; -1 when it is not there. */
int64_t system_entry(const char *path, const char *key)
{
    OWNED_BY(stdio_close) FILE *const file = fopen(path, "r");
    char line[SYSTEM_SIZE];
    int64_t value = -1;
    const size_t length = strlen(key);

    while (file && value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, length) == 0)
            value = system_to_number(line + length);
    return value;
}

/* Reads a file with one number; -1 if it has none ("max" means no limit). */
static int64_t read_number(const char *folder, const char *name)
{
    char path[SYSTEM_SIZE], line[SYSTEM_SIZE];

    return read_line(system_path(path, folder, "/", name), line) ? system_to_number(line)
                                                                 : -1;
}

/* ---- control groups ---------------------------------------------------------------- */

/* The limit of a process is the least limit of its control group and of all groups around
 * it. For each version of control groups: the mount point, the name of its controller in
 * /proc/self/cgroup, and a function for the limit of one group (-1: no limit). */
enum { GROUP_VERSIONS = 2 };
typedef struct group_version {
    const char *mount, *controller;
    int64_t (*allows)(const struct group_version *version, const char *folder);
    const char *limit, *usage; /* files with one number */
    const char *cache;         /* name of the droppable memory in memory.stat */
} group_version;

static int64_t least(int64_t a, int64_t b)
{
    return a < 0 ? b : b >= 0 && b < a ? b : a;
}

/* The least limit of a group and all groups around it; `group` is shortened on the
 * way. */
static int64_t least_upwards(const group_version *version, const char *root, char *group)
{
    char folder[SYSTEM_SIZE];
    int64_t left = -1;

    for (;;) {
        system_path(folder, root, version->mount, group);
        left = least(left, version->allows(version, folder));
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
            left = least(left, least_upwards(&version[i], root, group));
    return left;
}

static int64_t least_of_groups(const group_version version[GROUP_VERSIONS],
                               const char *root)
{
    char path[SYSTEM_SIZE], line[SYSTEM_SIZE];
    int64_t left = -1;

    system_path(path, root, "/proc/self/cgroup", "");
    OWNED_BY(stdio_close) FILE *const file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        left = least(left, least_by_line(version, root, line));
    return left;
}

/* ---- memory ------------------------------------------------------------------------ */

/* The available memory: the least of the machine's free memory and the room left by the
 * limits of control groups (version 2 or 1, a container's or a batch job's) and of the
 * process's address space (ulimit -v).
 *
 * Page cache counts as free if it can be dropped, like in MemAvailable. The system does
 * not count memory handed out by mem_big and not yet touched. A lower bound of it is
 * known: the bytes handed out minus the bytes held by the process. This bound is
 * subtracted. */

/* The room left by the limit of a group; -1 without a limit. */
static int64_t left_in_group(const group_version *version, const char *folder)
{
    const int64_t limit = read_number(folder, version->limit),
                  usage = read_number(folder, version->usage);
    char path[SYSTEM_SIZE];

    if (limit < 0 || usage < 0)
        return -1;
    const int64_t kept = system_entry(system_path(path, folder, "/", "memory.stat"),
                                      version->cache);
    const int64_t owned = kept > 0 && kept < usage ? usage - kept : usage;
    return owned < limit ? limit - owned : 0;
}

static const group_version memory_versions[GROUP_VERSIONS] = {
    {"/sys/fs/cgroup", "", left_in_group, "memory.max", "memory.current",
     "inactive_file "},
    {"/sys/fs/cgroup/memory", "memory", left_in_group, "memory.limit_in_bytes",
     "memory.usage_in_bytes", "total_inactive_file "},
};

/* Number `which` of /proc/self/statm in bytes: 0 the address space, 1 the resident part;
 * -1 if the system does not say. */
static int64_t own_size(const char *root, int which)
{
    char path[SYSTEM_SIZE], line[SYSTEM_SIZE];

    system_path(path, root, "/proc/self/statm", "");
    const char *at = read_line(path, line) ? line : NULL;
    for (; at && which > 0; which--)
        at = (at = strchr(at, ' ')) ? at + 1 : NULL;
    const int64_t pages = at ? system_to_number(at) : -1;
    return pages < 0 ? -1 : pages * (int64_t)sysconf(_SC_PAGESIZE);
}

/* The room left in the process's address space; it already includes untouched memory. */
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
    char path[SYSTEM_SIZE];

    system_path(path, root, "/proc/meminfo", "");
    const int64_t free_kib = system_entry(path, "MemAvailable:");
    const int64_t machine = free_kib >= 0 ? free_kib * 1024 : -1;
    const int64_t left = least(machine, least_of_groups(memory_versions, root));
    const int64_t owned = own_size(root, 1), address = left_to_address(root);
    /* a lower bound of memory handed out by mem_big and not yet touched */
    const int64_t spoken_for = owned >= 0 && mem_used() > owned ? mem_used() - owned : 0;
    return left < 0 ? address : least(left > spoken_for ? left - spoken_for : 0, address);
}

int64_t mem_process_peak(void)
{
    struct rusage use;

    return getrusage(RUSAGE_SELF, &use) == 0 ? (int64_t)use.ru_maxrss * 1024 : -1;
}

/* ---- processors -------------------------------------------------------------------- */

/* The number of processors allowed by control groups. A container limited to the time of
 * two processors may see sixty-four; threads beyond two would only delay each other. */

enum { PARTS = 1000 }; /* parts of a processor */

static int64_t parts_of(int64_t quota, int64_t period)
{
    int64_t parts;

    return quota > 0 && period > 0 && mul_fits(quota, PARTS, &parts) ? parts / period
                                                                     : -1;
}

/* Reads "150000 100000": microseconds of processor time per period in microseconds; "max
 * 100000" means no limit. */
static int64_t parts_in_group(const group_version *version, const char *folder)
{
    char path[SYSTEM_SIZE], line[SYSTEM_SIZE], *rest;

    if (!read_line(system_path(path, folder, "/", version->limit), line))
        return -1;
    const int64_t quota = strtoll(line, &rest, 10);
    return rest > line ? parts_of(quota, system_to_number(rest)) : -1;
}

static int64_t parts_in_old_group(const group_version *version, const char *folder)
{
    return parts_of(read_number(folder, version->limit),
                    read_number(folder, version->usage));
}

static const group_version processor_versions[GROUP_VERSIONS] = {
    {"/sys/fs/cgroup", "", parts_in_group, "cpu.max", NULL, NULL},
    {"/sys/fs/cgroup/cpu", "cpu", parts_in_old_group, "cpu.cfs_quota_us",
     "cpu.cfs_period_us", NULL},
};

/* Rounds up: rounding down would leave time unused. */
int processors_allowed_under(const char *root)
{
    enum { MOST = 1 << 20 };
    const int64_t parts = least_of_groups(processor_versions, root);
    const int64_t whole = parts / PARTS + (parts % PARTS > 0);

    return parts < 0 || whole > MOST ? 0 : whole > 0 ? (int)whole : 1;
}
