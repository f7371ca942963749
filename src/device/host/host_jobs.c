/* SPDX-License-Identifier: BSD-3-Clause */
/* Work of some seconds, such as a compiler's. Several threads run pieces of it while the
 * caller waits. A watcher is told the elapsed time now and then. */
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
    /* The job around this one, if this job runs inside a piece. */
    const struct jobs *outer;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    host_job *job;
    void *argument;
    int64_t count, next; /* count: pieces; next: the first piece not taken */
    int working;         /* threads still working */
    atomic_bool
        stopped;       /* Stopped by the watcher: running pieces end early if they can. */
    pav_status status; /* status and message of the first failed piece */
    char *why;
} jobs;

static _Thread_local host_watcher *watcher;
static _Thread_local void *watcher_user;
static _Thread_local const jobs *of_this_thread; /* Job of this thread's piece. */

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

/* Called with the lock held; the lock is released during a piece. After a failure no more
 * pieces are taken. */
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

/* Called with the lock held; the lock is released during the call. */
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

/* If no thread can be started, the caller does all pieces. */
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
