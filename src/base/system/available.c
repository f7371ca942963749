/* SPDX-License-Identifier: BSD-3-Clause */
/* The available memory: the least of the machine's free memory and the room left by the
 * limits of control groups (version 2 or 1, a container's or a batch job's) and of the
 * process's address space (ulimit -v).
 *
 * Page cache counts as free if it can be dropped, like in MemAvailable. The system does
 * not count memory handed out by mem_big and not yet touched. A lower bound of it is
 * known: the bytes handed out minus the bytes held by the process. This bound is
 * subtracted. */
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base_private.h"

/* The room left by a limit; -1 without a limit. cache: name of the droppable memory in
 * memory.stat. */
static int64_t left_of(const char *folder, int64_t limit, int64_t usage,
                       const char *cache)
{
    char path[SYSTEM_SIZE];

    if (limit < 0 || usage < 0)
        return -1;
    const int64_t kept = system_entry(system_path(path, folder, "/", "memory.stat"),
                                      cache);
    const int64_t owned = kept > 0 && kept < usage ? usage - kept : usage;
    return owned < limit ? limit - owned : 0;
}

static int64_t left_in_group(const char *folder)
{
    return left_of(folder, system_number(folder, "memory.max"),
                   system_number(folder, "memory.current"), "inactive_file ");
}

static int64_t left_in_old_group(const char *folder)
{
    return left_of(folder, system_number(folder, "memory.limit_in_bytes"),
                   system_number(folder, "memory.usage_in_bytes"),
                   "total_inactive_file ");
}

static const group_version versions[GROUP_VERSIONS] = {
    {"/sys/fs/cgroup", "", left_in_group},
    {"/sys/fs/cgroup/memory", "memory", left_in_old_group},
};

/* Number `which` of /proc/self/statm in bytes: 0 the address space, 1 the resident part;
 * -1 if the system does not say. */
static int64_t own_size(const char *root, int which)
{
    char path[SYSTEM_SIZE], line[SYSTEM_SIZE];

    system_path(path, root, "/proc/self/statm", "");
    const char *at = system_line(path, line) ? line : NULL;
    for (; at && which > 0; which--)
        at = (at = strchr(at, ' ')) ? at + 1 : NULL;
    const int64_t pages = at ? system_to_number(at) : -1;
    return pages < 0 ? -1 : pages * (int64_t)sysconf(_SC_PAGESIZE);
}

/* A lower bound of memory handed out by mem_big and not yet touched. */
static int64_t promised(const char *root)
{
    const int64_t owned = own_size(root, 1);

    return owned >= 0 && mem_used() > owned ? mem_used() - owned : 0;
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
    const int64_t left = system_least(machine, groups_least(versions, root));
    const int64_t spoken_for = promised(root), address = left_to_address(root);
    if (left < 0)
        return address;
    return system_least(left > spoken_for ? left - spoken_for : 0, address);
}

int64_t mem_process_peak(void)
{
    struct rusage use;

    return getrusage(RUSAGE_SELF, &use) == 0 ? (int64_t)use.ru_maxrss * 1024 : -1;
}
