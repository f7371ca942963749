/* SPDX-License-Identifier: BSD-3-Clause */
/* The counter measures bytes read from memory: all bytes of an array larger than the
 * caches, and none of a cached array. */
#include "base/base.h"
#include "test.h"

static volatile double kept;

static void read_all(const double *at, int64_t count)
{
    double sum = 0;
    for (int64_t n = 0; n < count; n += 8)
        sum += at[n];
    kept = sum;
}

static double read_of(const memory_reads *m, const double *at, int64_t bytes, int times)
{
    const double before = memory_reads_bytes(m);
    for (int n = 0; n < times; n++)
        read_all(at, bytes / (int64_t)sizeof *at);
    return (memory_reads_bytes(m) - before) / (double)bytes / times;
}

TEST(what_memory_hands_over_is_counted)
{
    const int64_t large = 256LL << 20, small = 64LL << 10;
    const char *why;
    memory_reads *m = memory_reads_open(&why);
    if (!m) {
        CHECK(strlen(why) > 0);
        test_skip("counters of memory", why);
        return;
    }
    double *at = mem_big(large);
    REQUIRE(at);
    for (int64_t n = 0; n < large / (int64_t)sizeof *at; n++)
        at[n] = 1;
    const double all = read_of(m, at, large, 1);
    CHECK(all > 0.9 && all < 1.1);
    CHECK(read_of(m, at, small, 1000) < 0.1);
    memory_reads_close(m);
    mem_big_free(at, large);
}
