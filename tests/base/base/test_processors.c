/* SPDX-License-Identifier: BSD-3-Clause */
/* Control groups limit the processor time of a process. */
#include "base/base_private.h"
#include "made_root.h"
#include "test.h"

static int allowed(void)
{
    const int processors = processors_allowed_under(made_root);

    remove_root();
    return processors;
}

TEST(without_control_groups_there_is_no_limit)
{
    make_root();
    CHECK_EQ(allowed(), 0);
}

TEST(a_part_of_a_processor_counts_as_one)
{
    make_root();
    put_file("/proc/self/cgroup", "0::/job\n");
    put_file("/sys/fs/cgroup/job/cpu.max", "250000 100000\n");
    CHECK_EQ(allowed(), 3);

    make_root();
    put_file("/proc/self/cgroup", "0::/job\n");
    put_file("/sys/fs/cgroup/job/cpu.max", "5000 100000\n");
    CHECK_EQ(allowed(), 1);
}

TEST(whole_processors_are_not_rounded)
{
    make_root();
    put_file("/proc/self/cgroup", "0::/job\n");
    put_file("/sys/fs/cgroup/job/cpu.max", "200000 100000\n");
    CHECK_EQ(allowed(), 2);
}

TEST(the_least_of_a_group_and_those_above_it_counts)
{
    make_root();
    put_file("/proc/self/cgroup", "0::/a/b\n");
    put_file("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    put_file("/sys/fs/cgroup/a/cpu.max", "400000 100000\n");
    CHECK_EQ(allowed(), 4);
}

TEST(groups_of_version_1_limit_processors_too)
{
    make_root();
    put_file("/proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/c\n0::/\n");
    put_file("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "150000\n");
    put_file("/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
    CHECK_EQ(allowed(), 2);
}

TEST(a_quota_of_minus_one_is_no_limit)
{
    make_root();
    put_file("/proc/self/cgroup", "3:cpu:/c\n");
    put_file("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n");
    put_file("/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
    CHECK_EQ(allowed(), 0);
}
