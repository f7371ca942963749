/* SPDX-License-Identifier: BSD-3-Clause */
/* Each thread of a bound team has its own processor among the processors allowed to the
 * caller. The caller is bound only during its work. */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>

#include "device/device_private.h"
#include "test.h"

enum { MOST = 64 };
typedef struct seen {
    cpu_set_t set[MOST];
} seen;

static void look(void *argument, int64_t part)
{
    seen *s = argument;
    (void)sched_getaffinity(0, sizeof s->set[part], &s->set[part]);
}

static cpu_set_t mine(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
    return set;
}

/* Number of processors allowed to this process, at most MOST. */
static int processors(void)
{
    const int count = host_usable_cpus();
    return count < MOST ? count : MOST;
}

TEST(each_thread_has_a_processor_of_its_own)
{
    const int threads = processors();
    cpu_set_t allowed = mine(), all;
    host_team *team = NULL;
    seen s;
    REQUIRE_OK(host_team_open(threads, HOST_BIND_CORES, &team));
    host_team_run(team, threads, look, &s);
    CPU_ZERO(&all);
    for (int n = 0; n < threads; n++) {
        if (threads > 1)
            CHECK_EQ(CPU_COUNT(&s.set[n]), 1);
        CPU_OR(&all, &all, &s.set[n]);
    }
    if (threads < MOST)
        CHECK(CPU_EQUAL(&all, &allowed));
    host_team_close(team);
}

TEST(the_caller_is_bound_for_its_work_only)
{
    host_team *team = NULL;
    const cpu_set_t before = mine();
    seen s;
    REQUIRE_OK(host_team_open(processors(), HOST_BIND_CORES, &team));
    cpu_set_t between = mine();
    CHECK(CPU_EQUAL(&before, &between));
    host_team_keep_awake(team);
    cpu_set_t held = mine();
    CHECK_EQ(CPU_COUNT(&held), 1);
    host_team_run(team, 2, look, &s);
    held = mine();
    CHECK_EQ(CPU_COUNT(&held), 1);
    CHECK_EQ(host_usable_cpus(), CPU_COUNT(&before));
    host_team_release(team);
    between = mine();
    CHECK(CPU_EQUAL(&before, &between));
    host_team_close(team);
}

static void *tell_mask(void *argument)
{
    cpu_set_t *set = argument;
    (void)sched_getaffinity(0, sizeof *set, set);
    return NULL;
}

TEST(a_thread_made_by_a_bound_caller_is_not_bound)
{
    cpu_set_t before = mine(), other;
    host_team *team = NULL;
    pthread_t thread;
    REQUIRE_OK(host_team_open(processors(), HOST_BIND_CORES, &team));
    host_team_keep_awake(team);
    REQUIRE(host_thread_start(&thread, -1, tell_mask, &other) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    host_team_release(team);
    CHECK(CPU_EQUAL(&before, &other));
    host_team_close(team);
}

TEST(a_process_confined_to_one_processor_stays_there)
{
    const cpu_set_t before = mine();
    cpu_set_t one;
    int cpu[HOST_MOST_CPUS];
    host_team *team = NULL;
    REQUIRE(host_allowed_cpus(cpu) > 0);
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu[host_usable_cpus() - 1], &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK_EQ(host_usable_cpus(), 1);
    CHECK(host_team_open(2, HOST_BIND_CORES, &team) == PAV_EINVAL);
    CHECK(strstr(pav_message(), "this process may use 1;"));
    REQUIRE_OK(host_team_open(3, HOST_BIND_AUTO, &team));
    CHECK(!host_team_is_bound(team));
    seen s;
    host_team_run(team, 3, look, &s);
    for (int n = 0; n < 3; n++)
        CHECK(CPU_EQUAL(&s.set[n], &one));
    host_team_close(team);
    REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
}

TEST(a_team_is_bound_unasked_only_where_it_takes_all_processors)
{
    host_team *all = NULL, *alone = NULL, *free_to_go = NULL;
    REQUIRE_OK(host_team_open(processors(), HOST_BIND_AUTO, &all));
    REQUIRE_OK(host_team_open(1, HOST_BIND_AUTO, &alone));
    REQUIRE_OK(host_team_open(processors(), HOST_BIND_NONE, &free_to_go));
    CHECK(host_team_is_bound(all) == (processors() > 1));
    CHECK(!host_team_is_bound(alone) && !host_team_is_bound(free_to_go));
    host_team_close(all);
    host_team_close(alone);
    host_team_close(free_to_go);
}

TEST(lists_of_processors_are_read_range_by_range)
{
    const char *list = "0-3,8,10-11\n";
    int first, last, count = 0;
    while (host_next_range(&list, &first, &last))
        count += last - first + 1;
    CHECK_EQ(count, 7);
    list = "-1";
    CHECK(!host_next_range(&list, &first, &last));
    list = "5-2";
    CHECK(!host_next_range(&list, &first, &last));
}

TEST(bindings_have_names)
{
    host_binding b = HOST_BIND_NONE;
    REQUIRE_OK(host_binding_find(NULL, &b));
    CHECK(b == HOST_BIND_AUTO);
    REQUIRE_OK(host_binding_find("cores", &b));
    CHECK(b == HOST_BIND_CORES);
    CHECK(host_binding_find("core", &b) == PAV_EINVAL);
    CHECK(strstr(pav_message(), "did you mean 'cores'? There are auto, cores or none"));
}
