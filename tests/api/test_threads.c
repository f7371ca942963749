/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads: each has its own message, and different handles may be used at once. */
#include <pthread.h>

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
