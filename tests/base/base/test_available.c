/* SPDX-License-Identifier: BSD-3-Clause */
/* The available memory is the smallest remainder of the machine and of each limit. The
 * tests simulate systems by files in a folder. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base_private.h"
#include "made_root.h"
#include "test.h"

static int64_t available(void)
{
    const int64_t bytes = mem_available_under(made_root);

    remove_root();
    return bytes;
}

TEST(a_system_that_says_nothing_has_no_known_amount)
{
    make_root();
    CHECK_EQ(available(), -1);
}

TEST(the_machine_says_what_is_available)
{
    make_root();
    put_file("/proc/meminfo", "MemTotal: 100 kB\nMemFree: 1 kB\nMemAvailable:   17 kB\n");
    CHECK_EQ(available(), 17 * 1024);
}

TEST(a_group_without_a_limit_does_not_count)
{
    make_root();
    put_file("/proc/meminfo", "MemAvailable: 17 kB\n");
    put_file("/proc/self/cgroup", "0::/job\n");
    put_file("/sys/fs/cgroup/job/memory.max", "max\n");
    put_file("/sys/fs/cgroup/job/memory.current", "5\n");
    CHECK_EQ(available(), 17 * 1024);
}

TEST(a_limit_leaves_over_what_is_not_used_but_for_page_cache)
{
    make_root();
    put_file("/proc/meminfo", "MemAvailable: 17 kB\n");
    put_file("/proc/self/cgroup", "0::/\n");
    put_file("/sys/fs/cgroup/memory.max", "10000\n");
    put_file("/sys/fs/cgroup/memory.current", "4000\n");
    put_file("/sys/fs/cgroup/memory.stat",
             "anon 2500\ninactive_file 1500\nactive_file 9\n");
    CHECK_EQ(available(), 7500);
}

TEST(the_limits_of_all_groups_above_count)
{
    make_root();
    put_file("/proc/meminfo", "MemAvailable: 17 kB\n");
    put_file("/proc/self/cgroup", "0::/batch/job/step\n");
    put_file("/sys/fs/cgroup/batch/job/step/memory.max", "9000\n");
    put_file("/sys/fs/cgroup/batch/job/step/memory.current", "1000\n");
    put_file("/sys/fs/cgroup/batch/memory.max", "8000\n");
    put_file("/sys/fs/cgroup/batch/memory.current", "7000\n");
    CHECK_EQ(available(), 1000);
}

TEST(version_1_groups_count_too)
{
    make_root();
    put_file("/proc/meminfo", "MemAvailable: 17 kB\n");
    put_file("/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:hugetlb,memory:/a\n");
    put_file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "6000\n");
    put_file("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "5000\n");
    put_file("/sys/fs/cgroup/memory/a/memory.stat", "total_inactive_file 250\n");
    CHECK_EQ(available(), 1250);
}

TEST(a_group_seen_from_inside_its_container_is_found_at_the_mount)
{
    make_root();
    put_file("/proc/meminfo", "MemAvailable: 17 kB\n");
    put_file("/proc/self/cgroup", "4:memory:/docker/0123456789abcdef\n");
    put_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "6000\n");
    put_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n");
    CHECK_EQ(available(), 1000);
}

TEST(a_group_over_its_limit_leaves_nothing)
{
    make_root();
    put_file("/proc/self/cgroup", "garbage\n:\n0::/\n");
    put_file("/sys/fs/cgroup/memory.max", "10000\n");
    put_file("/sys/fs/cgroup/memory.current", "14000\n");
    CHECK_EQ(available(), 0);
}

TEST(a_limit_of_the_address_space_counts)
{
    const int64_t page = (int64_t)sysconf(_SC_PAGESIZE), limit = INT64_C(1) << 61;
    char statm[64];
    make_root();
    put_file("/proc/meminfo", "MemAvailable: 4503599627370496 kB\n"); /* 2^62 bytes */
    (void)snprintf(statm, sizeof statm, "%lld 1 1 1 0 1 0\n",
                   (long long)(limit / page / 4));
    put_file("/proc/self/statm", statm);
    REQUIRE(setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)limit, RLIM_INFINITY}) == 0);
    CHECK_EQ(available(), limit / 4 * 3);
}

TEST(this_machine_has_some_memory_available)
{
    CHECK(mem_available() > 1 << 20);
}
