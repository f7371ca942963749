/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: each thread has its own message, and different handles may be used at once.
 * The threads of a run do not change the caller's binding. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "opened.h"

static void *fail_apart(void *unused)
{
    pav_device *device = NULL;
    (void)unused;
    const bool fresh = pav_message()[0] == '\0';
    pav_device_open("theirs:1", &device);
    return (void *)(intptr_t)(fresh && strstr(pav_message(), "theirs:1"));
}

TEST(the_message_of_a_failure_belongs_to_its_thread)
{
    pthread_t thread;
    void *saw = NULL;
    pav_device *device = NULL;
    pav_device_open("mine:1", &device);
    REQUIRE(pthread_create(&thread, NULL, fail_apart, NULL) == 0);
    REQUIRE(pthread_join(thread, &saw) == 0);
    CHECK(saw != NULL);
    CHECK(message_has("mine:1"));
}

static void *run_heat(void *result)
{
    opened o = open_text("grid x 40, y 40\nreal f32\nfield u = random(5)\n"
                         "u' = u + 0.2*laplace(u)\nborder mirror u\n"
                         "measure e = norm(u)\n",
                         NULL);
    REQUIRE_OK(pav_run_steps(o.run, 200));
    REQUIRE_OK(pav_run_get(o.run, "e", result));
    close_opened(&o);
    return NULL;
}

TEST(runs_in_different_threads_at_once_give_the_same_bits)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    double e[THREADS];
    for (int k = 0; k < THREADS; k++)
        REQUIRE(pthread_create(&thread[k], NULL, run_heat, &e[k]) == 0);
    for (int k = 0; k < THREADS; k++)
        REQUIRE(pthread_join(thread[k], NULL) == 0);
    for (int k = 1; k < THREADS; k++)
        CHECK(e[k] == e[0] && e[0] > 0);
}

static int allowed_now(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
    return CPU_COUNT(&set);
}

static int allowed_in_a_step; /* number of processors, from within a listener */

static int look(void *user, pav_event event, const pav_progress *progress,
                const char *said)
{
    (void)user, (void)progress, (void)said;
    if (event == PAV_EVENT_PROGRESS)
        allowed_in_a_step = allowed_now();
    return 0;
}

TEST(a_run_whose_threads_are_bound_leaves_the_caller_free)
{
    const int before = allowed_now();
    const pav_run_options options = {
        .no_files = 1, .bind = "cores", .listener = look, .report_seconds = 1e-9};
    pav_device *cpu = NULL;
    if (pav_device_open("cpu", &cpu) != PAV_OK) {
        test_skip("threads of kernels", pav_message());
        return;
    }
    pav_device_free(cpu);
    REQUIRE(setenv("PAV_DEVICE", "cpu", 1) == 0);
    opened o = open_text("grid x 200, y 200\nfield u = random(5)\n"
                         "u' = u + 0.2*laplace(u)\nborder mirror u\n",
                         &options);
    CHECK_EQ(allowed_now(), before);
    REQUIRE_OK(pav_run_steps(o.run, 20));
    CHECK_EQ(allowed_in_a_step, 1);
    CHECK_EQ(allowed_now(), before);
    close_opened(&o);
    CHECK_EQ(allowed_now(), before);
}

TEST(an_unknown_binding_is_refused)
{
    pav_device *device = NULL;
    pav_program *program = parse("grid x 9\nfield u = 1\nu' = u");
    pav_run *run = NULL;
    REQUIRE_OK(pav_device_open("interpreter", &device));
    CHECK(pav_run_open(program, device, &(pav_run_options){.bind = "socket"}, &run) ==
          PAV_EINVAL);
    CHECK(message_has("give auto, cores or none"));
    pav_program_free(program);
    pav_device_free(device);
}
