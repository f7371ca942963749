/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of processors allowed by control groups. A container limited to the time of
 * two processors may see sixty-four; threads beyond two would only delay each other. */
#include <stdlib.h>

#include "base/base_private.h"

enum { PARTS = 1000 }; /* parts of a processor */

static int64_t parts_of(int64_t quota, int64_t period)
{
    int64_t parts;

    return quota > 0 && period > 0 && mul_fits(quota, PARTS, &parts) ? parts / period
                                                                     : -1;
}

/* Reads "150000 100000": microseconds of processor time per period in microseconds; "max
 * 100000" means no limit. */
static int64_t parts_in_group(const char *folder)
{
    char path[SYSTEM_SIZE], line[SYSTEM_SIZE], *rest;

    if (!system_line(system_path(path, folder, "/", "cpu.max"), line))
        return -1;
    const int64_t quota = strtoll(line, &rest, 10);
    return rest > line ? parts_of(quota, system_to_number(rest)) : -1;
}

static int64_t parts_in_old_group(const char *folder)
{
    return parts_of(system_number(folder, "cpu.cfs_quota_us"),
                    system_number(folder, "cpu.cfs_period_us"));
}

static const group_version versions[GROUP_VERSIONS] = {
    {"/sys/fs/cgroup", "", parts_in_group},
    {"/sys/fs/cgroup/cpu", "cpu", parts_in_old_group},
};

/* Rounds up: rounding down would leave time unused. */
int processors_allowed_under(const char *root)
{
    enum { MOST = 1 << 20 };
    const int64_t parts = groups_least(versions, root);
    const int64_t whole = parts / PARTS + (parts % PARTS > 0);

    return parts < 0 || whole > MOST ? 0 : whole > 0 ? (int)whole : 1;
}

int processors_allowed(void)
{
    return processors_allowed_under("");
}
