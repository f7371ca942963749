/* SPDX-License-Identifier: BSD-3-Clause */
/* An imaginary machine of two sockets. Each has four cores of two threads, and processors
 * are numbered from socket to socket. Consecutive threads share a socket, and the socket
 * of the first touch computes a plane. */
#include <stdio.h>
#include <sys/stat.h>

#include "device/device_private.h"
#include "kept.h"
#include "run/time/time_private.h"

enum { CPUS = 16, CORES = 8, THREADS = 8, PLANES = 256, COLUMNS = 16 };

static void put(const char *path, const char *words)
{
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    REQUIRE(fputs(words, file) >= 0);
    REQUIRE(fclose(file) == 0);
}

static void make_folder(const char *root, const char *below)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s%s", root, below);
    REQUIRE(mkdir(path, 0700) == 0);
}

/* Processor n is on socket n % 2, and on a core with n + 8. */
static void make_up(const char *root)
{
    static const char *const lists[] = {"0,2,4,6,8,10,12,14\n", "1,3,5,7,9,11,13,15\n"};
    char path[4200], words[64];
    make_folder(root, "");
    make_folder(root, "/cpu");
    make_folder(root, "/node");
    for (int n = 0; n < 2; n++) {
        (void)snprintf(words, sizeof words, "/node/node%d", n);
        make_folder(root, words);
        (void)snprintf(path, sizeof path, "%s/node/node%d/cpulist", root, n);
        put(path, lists[n]);
    }
    for (int n = 0; n < CPUS; n++) {
        (void)snprintf(words, sizeof words, "/cpu/cpu%d", n);
        make_folder(root, words);
        (void)snprintf(words, sizeof words, "/cpu/cpu%d/topology", n);
        make_folder(root, words);
        (void)snprintf(path, sizeof path, "%s%s/thread_siblings_list", root, words);
        (void)snprintf(words, sizeof words, "%d,%d\n", n % CORES, n % CORES + CORES);
        put(path, words);
    }
}

static void choose(int cpu[THREADS])
{
    const char *root = kept_path("sockets");
    int allowed[CPUS];
    make_up(root);
    for (int n = 0; n < CPUS; n++)
        allowed[n] = n;
    CHECK_EQ(host_choose_cpus_of(root, allowed, CPUS, THREADS, cpu), CORES);
}

TEST(threads_that_follow_each_other_share_a_socket_and_no_core)
{
    int cpu[THREADS], of_core[CORES] = {0};
    choose(cpu);
    for (int n = 0; n < THREADS; n++) {
        CHECK_EQ(cpu[n] % 2, n / (THREADS / 2));
        CHECK_EQ(of_core[cpu[n] % CORES]++, 0);
    }
}

/* toucher_of: the thread of the first touch of a plane. owner_of: the thread of its
 * column. */
static int toucher_of(int64_t plane)
{
    const box all = {{0, 0, 0}, {64, 64, PLANES}};
    box part;
    CHECK_EQ(partition_axis(&all, THREADS), 2);
    for (int n = 0; n < THREADS; n++)
        if (partition_box(&all, 2, THREADS, n, &part) && part.lo[2] <= plane &&
            plane < part.hi[2])
            return n;
    return -1;
}

static int owner_of(int64_t plane)
{
    const int64_t column = plane * COLUMNS / PLANES;
    int n = 0;
    while (time_first_column(COLUMNS, THREADS, n + 1) <= column)
        n++;
    return n;
}

/* Counts candidates with rows shared by threads, for the wave of order 8 at 512^3 on
 * sixteen threads. */
static int shared_rows(int nodes)
{
    const cost_load wave = {
        .point_bytes = 16, .loaded_bytes = 12, .rows = 9, .planes = 9, .element = 4};
    const box b = {.hi = {512, 512, 512}};
    const kernel_host host = {
        .threads = 16, .cache = 1 << 22, .core_cache = 2 << 20, .nodes = nodes};
    loop_tuner m;
    int shared = 0;
    loop_tuner_list(&b, &wave, &host, &m);
    CHECK(m.count > 0);
    for (int n = 0; n < m.count; n++)
        shared += schedule_axis(&m.loop[n]) == 1;
    return shared;
}

TEST(rows_of_all_planes_are_shared_out_on_one_socket_alone)
{
    CHECK(shared_rows(1) > 0);
    CHECK_EQ(shared_rows(2), 0);
}

TEST(planes_are_computed_on_the_socket_that_touched_them_first)
{
    int cpu[THREADS];
    choose(cpu);
    for (int64_t plane = 0; plane < PLANES; plane++) {
        CHECK_EQ(owner_of(plane), toucher_of(plane));
        CHECK_EQ(cpu[owner_of(plane)] % 2, plane >= PLANES / 2);
    }
}
