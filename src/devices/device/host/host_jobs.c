/* SPDX-License-Identifier: BSD-3-Clause */
/* Work of some seconds, such as a compiler's. Several threads run pieces of it while the
 * caller waits. A watcher is told the elapsed time now and then. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
    int64_t count, next;     /* count: pieces; next: the first piece not taken */
    int working;             /* threads still working */
    const atomic_bool *wish; /* host_stop_by of the thread that began it */
    atomic_bool
        stopped; /* Stopped by the watcher: running pieces end early if they can. */
    kept_failure failure; /* of the first failed piece */
} jobs;

static _Thread_local host_watcher *watcher;
static _Thread_local void *watcher_user;
/* The job of this thread's piece, and the flag of host_stop_by. */
static _Thread_local host_stops here;

void host_watch(host_watcher *w, void *user)
{
    watcher = w;
    watcher_user = user;
}

void host_stop_by(const atomic_bool *flag)
{
    here.wish = flag;
}

host_stops host_stops_here(void)
{
    return here;
}

bool host_is_stopped(const host_stops *s)
{
    for (const jobs *j = s->job; j; j = j->outer)
        if (atomic_load(&j->stopped))
            return true;
    return s->wish && atomic_load(s->wish);
}

bool host_jobs_stopped(void)
{
    return host_is_stopped(&here);
}

/* ---- on threads -------------------------------------------------------------------- */

/* Called with the lock held; the lock is released during a piece. After a failure no more
 * pieces are taken. */
static void take_pieces(jobs *j)
{
    while (j->next < j->count && j->failure.status == PAV_OK) {
        const int64_t own = j->next++;
        (void)pthread_mutex_unlock(&j->lock);
        const pav_status status = j->job(j->argument, own);
        (void)pthread_mutex_lock(&j->lock);
        failure_keep(&j->failure, status);
    }
}

static void *work(void *argument)
{
    jobs *j = argument;

    here = (host_stops){j, j->wish};
    LOCKED(&j->lock);
    take_pieces(j);
    j->working--;
    (void)pthread_cond_signal(&j->ended);
    return NULL;
}

/* ---- the caller -------------------------------------------------------------------- */

/* Called with the lock held; the lock is released while the watcher is asked. */
static void wait_and_report(jobs *j)
{
    const double begun = clock_seconds();
    double next = first_report;

    while (j->working > 0) {
        if (!watcher || atomic_load(&j->stopped)) {
            (void)pthread_cond_wait(&j->ended, &j->lock);
            continue;
        }
        const double when = begun + next;
        const struct timespec end = {(time_t)when,
                                     (long)((when - (double)(time_t)when) * 1e9)};
        if (pthread_cond_timedwait(&j->ended, &j->lock, &end) != ETIMEDOUT)
            continue;
        (void)pthread_mutex_unlock(&j->lock);
        const pav_status status = watcher(watcher_user, clock_seconds() - begun);
        (void)pthread_mutex_lock(&j->lock);
        failure_keep(&j->failure, status);
        if (status != PAV_OK)
            atomic_store(&j->stopped, true);
        next += report_every;
    }
}

/* If no thread can be started, the caller does all pieces. */
pav_status host_jobs(int64_t count, int threads, host_job *job, void *argument)
{
    jobs j = {.outer = here.job,
              .job = job,
              .argument = argument,
              .count = count,
              .wish = here.wish};
    pthread_t thread[MOST_AT_ONCE];
    pthread_condattr_t how;
    int started = 0;

    threads = (int)int64_least(count, int_least(threads, MOST_AT_ONCE));
    (void)pthread_condattr_init(&how);
    (void)pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&j.ended, &how);
    (void)pthread_condattr_destroy(&how);
    (void)pthread_mutex_init(&j.lock, NULL);
    (void)pthread_mutex_lock(&j.lock);
    while (started < threads && host_thread_start(&thread[started], -1, work, &j) == 0)
        started++;
    j.working = started;
    if (started == 0)
        take_pieces(&j);
    wait_and_report(&j);
    (void)pthread_mutex_unlock(&j.lock);
    for (int k = 0; k < started; k++)
        (void)pthread_join(thread[k], NULL);
    (void)pthread_mutex_destroy(&j.lock);
    (void)pthread_cond_destroy(&j.ended);
    return failure_report(&j.failure);
}

/* ---- programs ---------------------------------------------------------------------- */

/* Starts a program and waits for it with a time limit. The program runs in a directory of
 * its own, so directory names never become arguments; a name could begin with a dash or
 * contain anything. It leads its own process group, so its child processes end with it.
 * Its output comes through a pipe: only the tail is kept, and a program printing without
 * end is stopped. */

enum { LOUD = 64 << 20, READ_AT_ONCE = 1 << 14 };

/* ---- starting ---------------------------------------------------------------------- */

static bool set_up(posix_spawn_file_actions_t *files, posix_spawnattr_t *how,
                   const char *scratch, int words)
{
    sigset_t none;

    sigemptyset(&none);
    return posix_spawn_file_actions_addchdir_np(files, scratch) == 0 &&
           posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_adddup2(files, words, 1) == 0 &&
           posix_spawn_file_actions_adddup2(files, words, 2) == 0 &&
           posix_spawnattr_setpgroup(how, 0) == 0 &&
           posix_spawnattr_setsigmask(how, &none) == 0 &&
           posix_spawnattr_setflags(how,
                                    POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK) == 0;
}

static bool spawn(const char *const *argument, char *const *environment,
                  const char *scratch, int words, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;

    if (posix_spawn_file_actions_init(&files) != 0)
        return false;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    const bool started = set_up(&files, &how, scratch, words) &&
                         posix_spawn(child, argument[0], &files, &how,
                                     (char *const *)(uintptr_t)argument,
                                     environment) == 0;
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return started;
}

/* This process's environment with another TMPDIR, so the program's leftovers lie in its
 * own directory. */
static char **environment_with(const char *place)
{
    int64_t count = 0, kept = 0;

    while (environ && environ[count])
        count++;
    char **made = mem_new(count + 2, sizeof *made);
    if (!made)
        return NULL;
    for (int64_t k = 0; k < count; k++)
        if (strncmp(environ[k], "TMPDIR=", 7) != 0)
            made[kept++] = environ[k];
    made[kept] = (char *)(uintptr_t)place;
    return made;
}

/* Starts the program; *words is a file for reading its output. Both ends of the pipe are
 * above 2, because 0 to 2 belong to the child. */
static bool start_program(const char *const *argument, const char *scratch, pid_t *child,
                          int *words)
{
    OWNED char **environment = environment_with("TMPDIR=.");
    int ends[2] = {-1, -1};
    bool started = environment && pipe2(ends, O_CLOEXEC) == 0;

    for (int k = 0; k < 2; k++)
        ends[k] = file_above_streams(ends[k]);
    started = started && ends[0] >= 0 && ends[1] >= 0 &&
              spawn(argument, environment, scratch, ends[1], child);
    if (ends[1] >= 0)
        (void)close(ends[1]);
    *words = ends[0];
    if (started)
        (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return started;
}

/* ---- waiting ----------------------------------------------------------------------- */

/* True if the child has ended. If SIGCHLD is ignored, waitpid cannot report the end; then
 * the child counts as done, because the caller checks for the output file anyway. */
static bool has_ended(pid_t child, int *status)
{
    const pid_t ended = waitpid(child, status, WNOHANG);

    if (ended < 0 && errno != EINTR) {
        *status = 0;
        return true;
    }
    return ended == child;
}

static void keep_end(process_result *r, const char *words, size_t count)
{
    const size_t room = sizeof r->said - 1, have = strlen(r->said);

    if (count > room) {
        words += count - room;
        count = room;
    }
    const size_t kept = have + count > room ? room - count : have;
    memmove(r->said, r->said + have - kept, kept);
    for (size_t k = 0; k < count; k++)
        r->said[kept + k] = words[k] ? words[k] : ' ';
    r->said[kept + count] = '\0';
}

/* Waits a short time for output and reads it. Returns the number of bytes. */
static int64_t read_some(int words, process_result *r)
{
    struct pollfd requested = {.fd = words, .events = POLLIN};
    char part[READ_AT_ONCE];

    (void)poll(&requested, 1, 5);
    const ssize_t count = requested.revents ? read(words, part, sizeof part) : 0;
    if (count > 0)
        keep_end(r, part, (size_t)count);
    else if (requested.revents)
        (void)poll(NULL, 0, 1); /* no output will come */
    return count > 0 ? count : 0;
}

static process_end wait_for(pid_t child, int words, double seconds, process_result *r)
{
    const double begun = clock_seconds();
    int64_t bytes = 0;
    int status = 0;

    while (!has_ended(child, &status)) {
        const process_end end = host_jobs_stopped()                 ? PROCESS_ENDED
                                : clock_seconds() - begun > seconds ? PROCESS_LATE
                                : bytes > LOUD                      ? PROCESS_LOUD
                                                                    : PROCESS_DONE;
        if (end != PROCESS_DONE) {
            (void)kill(-child, SIGKILL);
            while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                ;
            return end;
        }
        bytes += read_some(words, r);
    }
    while (bytes <= LOUD && read_some(words, r) > 0)
        ;
    if (WIFSIGNALED(status)) {
        r->code = WTERMSIG(status);
        return PROCESS_KILLED;
    }
    r->code = WEXITSTATUS(status);
    return r->code == 0 ? PROCESS_DONE : PROCESS_FAILED;
}

void process_run(const char *const *argument, const char *scratch, double seconds,
                 process_result *r)
{
    pid_t child;
    OWNED_BY(handle_close) int words = -1;

    *r = (process_result){.end = PROCESS_NONE};
    if (start_program(argument, scratch, &child, &words))
        r->end = wait_for(child, words, seconds, r);
}
