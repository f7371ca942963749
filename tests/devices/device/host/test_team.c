/* SPDX-License-Identifier: BSD-3-Clause */
/* A team does all parts of a piece of work. The same part is always done by the same
 * thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device/device_private.h"
#include "test.h"

enum { PARTS = 11 };
typedef struct record {
    host_team *team;
    atomic_int done[PARTS];
    pthread_t by[PARTS];
    atomic_int inner;
} record;

static void do_part(void *argument, int64_t part)
{
    record *r = argument;
    atomic_fetch_add(&r->done[part], 1);
    r->by[part] = pthread_self();
}

TEST(every_part_is_done_once_whatever_the_number_of_threads)
{
    for (int threads = 1; threads <= 5; threads++)
        for (int count = 0; count <= PARTS; count++) {
            record r = {0};
            REQUIRE_OK(host_team_open(threads, HOST_BIND_AUTO, &r.team));
            host_team_run(r.team, count, do_part, &r);
            for (int n = 0; n < PARTS; n++)
                CHECK_EQ(r.done[n], n < count);
            host_team_close(r.team);
        }
}

TEST(a_part_is_always_done_by_the_same_thread_and_the_first_by_the_caller)
{
    record first = {0}, later = {0};
    host_team *team = NULL;
    REQUIRE_OK(host_team_open(3, HOST_BIND_AUTO, &team));
    host_team_run(team, PARTS, do_part, &first);
    for (int turn = 0; turn < 100; turn++) {
        host_team_run(team, PARTS, do_part, &later);
        for (int n = 0; n < PARTS; n++)
            CHECK(pthread_equal(first.by[n], later.by[n]));
    }
    CHECK(pthread_equal(first.by[0], pthread_self()));
    CHECK(!pthread_equal(first.by[1], first.by[0]));
    CHECK(pthread_equal(first.by[3], first.by[0]));
    host_team_close(team);
}

static void count_up(void *argument, int64_t part)
{
    int64_t *count = argument;
    count[16 * part]++;
}

/* Some works begin while the threads still spin; others have to wake the threads. */
TEST(thousands_of_works_follow_each_other_with_and_without_pauses)
{
    const struct timespec nap = {0, 200000};
    int64_t count[16 * 4] = {0};
    host_team *team = NULL;
    REQUIRE_OK(host_team_open(4, HOST_BIND_NONE, &team));
    for (int turn = 1; turn <= 20000; turn++) {
        if (turn % 100 == 0)
            (void)nanosleep(&nap, NULL);
        host_team_run(team, 4, count_up, count);
        for (int n = 0; n < 4; n++)
            REQUIRE(count[16 * n] == turn);
    }
    host_team_close(team);
}

static void count_inner(void *argument, int64_t part)
{
    record *r = argument;
    (void)part;
    atomic_fetch_add(&r->inner, 1);
}

static void run_inner(void *argument, int64_t part)
{
    record *r = argument;
    (void)part;
    host_team_run(r->team, 3, count_inner, r);
}

TEST(work_inside_of_work_is_done_by_whoever_asks_for_it)
{
    record r = {0};
    REQUIRE_OK(host_team_open(2, HOST_BIND_AUTO, &r.team));
    host_team_run(r.team, 4, run_inner, &r);
    CHECK_EQ(r.inner, 12);
    host_team_close(r.team);
}

TEST(a_team_without_work_uses_no_processor)
{
    const struct timespec nap = {0, 200000000};
    struct timespec before, after;
    record r = {0};
    REQUIRE_OK(host_team_open(4, HOST_BIND_NONE, &r.team));
    host_team_run(r.team, 4, do_part, &r);
    REQUIRE(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before) == 0);
    (void)nanosleep(&nap, NULL);
    REQUIRE(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after) == 0);
    CHECK((double)(after.tv_sec - before.tv_sec) +
              1e-9 * (double)(after.tv_nsec - before.tv_nsec) <
          0.1);
    host_team_close(r.team);
}

/* New threads would get stacks larger than any address space. */
TEST(threads_that_cannot_be_made_are_a_sentence)
{
    pthread_attr_t usual, huge;
    host_team *team = NULL;
    REQUIRE(pthread_getattr_default_np(&usual) == 0 && pthread_attr_init(&huge) == 0);
    REQUIRE(pthread_attr_setstacksize(&huge, (size_t)1 << 50) == 0);
    REQUIRE(pthread_setattr_default_np(&huge) == 0);
    CHECK(host_team_open(3, HOST_BIND_NONE, &team) == PAV_ELIMIT);
    REQUIRE(pthread_setattr_default_np(&usual) == 0);
    CHECK(team == NULL);
    CHECK(strstr(pav_message(), "thread 2 of 3 cannot be made: "));
    CHECK(strstr(pav_message(), "--threads"));
}

TEST(the_child_of_a_fork_does_the_work_of_its_lost_threads)
{
    record r = {0};
    int status = -1;
    REQUIRE_OK(host_team_open(3, HOST_BIND_AUTO, &r.team));
    const pid_t child = fork();
    if (child == 0) {
        host_team_run(r.team, PARTS, do_part, &r);
        host_team_close(r.team);
        _exit(r.done[PARTS - 1]);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    host_team_close(r.team);
}

TEST(memory_that_runs_out_leaves_no_team)
{
    for (int n = 1; n <= 4; n++) {
        host_team *team = NULL;
        mem_fail_after(n);
        CHECK(host_team_open(2, HOST_BIND_NONE, &team) == PAV_ENOMEM);
        mem_fail_after(0);
        CHECK(team == NULL);
    }
}
