/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of caches come from files of the system. Without these files usual sizes are
 * assumed, not 0. */
#include <stdio.h>

#include "device/device_private.h"
#include "made_root.h"
#include "test.h"

static void put_cache(int index, const char *level, const char *type, const char *size)
{
    char path[128];
    const struct {
        const char *name, *content;
    } file[] = {{"level", level}, {"type", type}, {"size", size}};

    for (int n = 0; n < 3; n++) {
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s",
                       index, file[n].name);
        put_file(path, file[n].content);
    }
}

TEST(caches_are_as_the_system_says)
{
    make_root();
    put_cache(0, "1", "Data", "48K");
    put_cache(1, "2", "Unified", "2048K");
    put_cache(2, "3", "Unified", "36M");
    CHECK_EQ(host_cache_under(made_root, 1), 48 << 10);
    CHECK_EQ(host_cache_under(made_root, 2), 2 << 20);
    CHECK_EQ(host_cache_under(made_root, 0), 36 << 20);
    remove_root();
}

TEST(who_shares_the_largest_cache_is_counted)
{
    make_root();
    put_cache(0, "2", "Unified", "2048K");
    put_cache(1, "3", "Unified", "36M");
    CHECK_EQ(host_cache_sharers_under(made_root), HOST_MOST_THREADS);
    put_file("/sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list", "0-1\n");
    put_file("/sys/devices/system/cpu/cpu0/cache/index1/shared_cpu_list", "0-3,8-11\n");
    CHECK_EQ(host_cache_sharers_under(made_root), 8);
    remove_root();
}

TEST(a_level_that_is_missing_has_no_bytes)
{
    make_root();
    put_cache(0, "1", "Data", "48K");
    CHECK_EQ(host_cache_under(made_root, 2), 0);
    remove_root();
}

TEST(without_files_of_the_system_caches_are_taken_for_usual)
{
    cache_info cache[MAX_CACHES];

    make_root();
    CHECK_EQ(host_caches_under(made_root, cache), 0);
    CHECK(host_cache_under(made_root, 2) >= 256 << 10);
    CHECK(host_cache_under(made_root, 0) > host_cache_under(made_root, 2));
    remove_root();
}
