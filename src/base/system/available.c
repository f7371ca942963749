/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory may still be taken: the least of what the machine has free and what the
 * limits of the control groups (version 2 or 1, a container's or a batch job's) and of
 * the process's address space (ulimit -v) leave over.
 *
 * Page cache that can be dropped counts as free, as it does in MemAvailable. Memory
 * promised by mem_big and not touched yet is in nobody's books; the part of it that must
 * exist, since more was handed out than the process holds, is subtracted. */
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base_private.h"

/* What a limit leaves over; -1 without one. cache: what can be dropped, in
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

/* Number `which` of /proc/self/statm, 0 the address space and 1 what is carried of it, in
 * bytes; -1 when the system does not say. */
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

/* Memory handed out by mem_big that cannot have been touched yet, at least. */
static int64_t promised(const char *root)
{
    const int64_t owned = own_size(root, 1);

    return owned >= 0 && mem_used() > owned ? mem_used() - owned : 0;
}

/* What is left of the address space that the process may have, where promises count
 * already. */
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
