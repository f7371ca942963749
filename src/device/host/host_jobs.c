/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that takes seconds, as a compiler's: several pieces at once on threads of their
 * own, while the caller waits and is informed now and then how long it has been. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/device_private.h"

enum { MOST_AT_ONCE = 64 };
static const double first_report = 2, report_every = 0.25; /* seconds */

typedef struct jobs {
    const struct jobs *outer; /* of which this is within a piece */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    host_job *job;
    void *argument;
    int64_t count, next; /* pieces; the first that nobody has taken */
    int working;         /* threads */
    atomic_bool
        stopped; /* by the watcher: pieces in work are cut short where they can be */
    pav_status status; /* of the first piece that failed, and why */
    char *why;
} jobs;

static _Thread_local host_watcher *watcher;
static _Thread_local void *watcher_user;
static _Thread_local const jobs *of_this_thread; /* whose piece it works on */

void host_watch(host_watcher *w, void *user)
{
    watcher = w;
    watcher_user = user;
}

bool host_jobs_stopped(void)
{
    for (const jobs *j = of_this_thread; j; j = j->outer)
        if (atomic_load(&j->stopped))
            return true;
    return false;
}

/* ---- on threads -------------------------------------------------------------------- */

static void keep_failure(jobs *j, pav_status status)
{
    if (status == PAV_OK || j->status != PAV_OK)
        return;
    j->status = status;
    j->why = strdup(pav_message());
}

/* With the lock taken, which is released meanwhile. What has failed needs no more
 * pieces. */
static void take_pieces(jobs *j)
{
    while (j->next < j->count && j->status == PAV_OK) {
        const int64_t own = j->next++;
        (void)pthread_mutex_unlock(&j->lock);
        const pav_status status = j->job(j->argument, own);
        (void)pthread_mutex_lock(&j->lock);
        keep_failure(j, status);
    }
}

static void *work(void *argument)
{
    jobs *j = argument;

    of_this_thread = j;
    (void)pthread_mutex_lock(&j->lock);
    take_pieces(j);
    j->working--;
    (void)pthread_cond_signal(&j->ended);
    (void)pthread_mutex_unlock(&j->lock);
    return NULL;
}

static int start(jobs *j, int threads, pthread_t *thread)
{
    int started = 0;

    while (started < threads && host_thread_start(&thread[started], -1, work, j) == 0)
        started++;
    j->working = started;
    return started;
}

/* ---- the caller -------------------------------------------------------------------- */

static bool wait_until(jobs *j, double when)
{
    const struct timespec end = {(time_t)when,
                                 (long)((when - (double)(time_t)when) * 1e9)};

    return pthread_cond_timedwait(&j->ended, &j->lock, &end) == ETIMEDOUT;
}

/* With the lock taken, which is released meanwhile. */
static void ask_watcher(jobs *j, double seconds)
{
    (void)pthread_mutex_unlock(&j->lock);
    const pav_status status = watcher(watcher_user, seconds);
    (void)pthread_mutex_lock(&j->lock);
    keep_failure(j, status);
    if (status != PAV_OK)
        atomic_store(&j->stopped, true);
}

static void wait_and_report(jobs *j)
{
    const double begun = clock_seconds();
    double next = first_report;

    while (j->working > 0) {
        if (!watcher || atomic_load(&j->stopped)) {
            (void)pthread_cond_wait(&j->ended, &j->lock);
        } else if (wait_until(j, begun + next)) {
            ask_watcher(j, clock_seconds() - begun);
            next += report_every;
        }
    }
}

static void open_jobs(jobs *j)
{
    pthread_condattr_t how;

    (void)pthread_condattr_init(&how);
    (void)pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&j->ended, &how);
    (void)pthread_condattr_destroy(&how);
    (void)pthread_mutex_init(&j->lock, NULL);
}

static pav_status close_jobs(jobs *j)
{
    const pav_status status = j->status == PAV_OK
                                  ? PAV_OK
                                  : FAIL(j->status, "%s", j->why ? j->why : "");

    free(j->why);
    (void)pthread_mutex_destroy(&j->lock);
    (void)pthread_cond_destroy(&j->ended);
    return status;
}

/* Where no thread can be had the caller does it all. */
pav_status host_jobs(int64_t count, int threads, host_job *job, void *argument)
{
    jobs j = {.outer = of_this_thread, .job = job, .argument = argument, .count = count};
    pthread_t thread[MOST_AT_ONCE];

    threads = threads < MOST_AT_ONCE ? threads : MOST_AT_ONCE;
    threads = count < threads ? (int)count : threads;
    open_jobs(&j);
    (void)pthread_mutex_lock(&j.lock);
    const int started = start(&j, threads, thread);
    if (started == 0)
        take_pieces(&j);
    wait_and_report(&j);
    (void)pthread_mutex_unlock(&j.lock);
    for (int k = 0; k < started; k++)
        (void)pthread_join(thread[k], NULL);
    return close_jobs(&j);
}
