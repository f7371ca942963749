/* SPDX-License-Identifier: BSD-3-Clause */
/* Shots are dealt to devices, and each device gets its share of threads and disk. */
#include <pthread.h>

#include "imaging/imaging_private.h"
#include "test.h"

enum { SHOTS = 2, POINTS = 100 };

typedef struct dealt {
    pthread_barrier_t all; /* holds each worker until all have a shot */
    pav_device *device[SHOTS];
    pav_adjoint_options options[SHOTS];
} dealt;

static pav_status find(void *user, shot_job *job)
{
    (void)user;
    (void)job;
    return PAV_OK;
}

static pav_status take(void *user, shot_job *const *job, int64_t count,
                       pav_device *device, const pav_adjoint_options *options)
{
    dealt *d = user;

    CHECK_EQ(count, 1); /* one of the two shots */
    (void)pthread_barrier_wait(&d->all);
    d->device[job[0]->number] = device;
    d->options[job[0]->number] = *options;
    return PAV_OK;
}

static pav_status add(void *user, const shot_result *r)
{
    (void)user;
    (void)r;
    return PAV_OK;
}

static void deal(const char *name, dealt *d)
{
    const shot_deal shots = {SHOTS, POINTS, true, find, take, find, add, d, NULL};
    const pav_adjoint_options o = {.at_once = 4, .threads = 8, .disk_bytes = 1000};
    pav_device *device = NULL;

    REQUIRE_OK(pav_device_open(name, &device));
    REQUIRE(pthread_barrier_init(&d->all, NULL, SHOTS) == 0);
    REQUIRE_OK(shots_deal(&shots, device, &o));
    (void)pthread_barrier_destroy(&d->all);
    pav_device_free(device);
}

TEST(few_shots_are_spread_over_all_devices)
{
    dealt d;

    deal("cpu+emulated", &d);
    CHECK(d.device[0] != d.device[1]);
    CHECK_EQ(d.options[0].at_once, 1);
}

TEST(threads_are_divided_among_the_shots_that_there_are)
{
    dealt d;

    deal("interpreter", &d);
    CHECK_EQ(d.options[0].threads, 4);
    CHECK_EQ(d.options[0].at_once, 2);
    CHECK_EQ(d.options[1].disk_bytes, 1000);
}
