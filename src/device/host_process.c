/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting a program and waiting for it, but not for ever. It leads a process group of its own, so
 * that what it started ends with it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device/device_private.h"

static bool set_up(posix_spawn_file_actions_t *files, posix_spawnattr_t *how,
                   const char *log)
{
    sigset_t none;

    sigemptyset(&none);
    return posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_addopen(files, 1, log, O_WRONLY | O_CREAT | O_TRUNC,
                                            0600) == 0 &&
           posix_spawn_file_actions_adddup2(files, 1, 2) == 0 &&
           posix_spawnattr_setpgroup(how, 0) == 0 &&
           posix_spawnattr_setsigmask(how, &none) == 0 &&
           posix_spawnattr_setflags(how,
                                    POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK) == 0;
}

static bool start(const char *const *argument, const char *log, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;

    if (posix_spawn_file_actions_init(&files) != 0)
        return false;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    const bool started = set_up(&files, &how, log) &&
                         posix_spawn(child, argument[0], &files, &how,
                                     (char *const *)(uintptr_t)argument, environ) == 0;
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return started;
}

/* Whether the child has ended; where children's ends are not told (SIGCHLD ignored), it counts as
 * done: what it was to make is looked for anyway. */
static bool has_ended(pid_t child, int *status)
{
    const pid_t ended = waitpid(child, status, WNOHANG);

    if (ended < 0 && errno != EINTR) {
        *status = 0;
        return true;
    }
    return ended == child;
}

static void pause_briefly(void)
{
    const struct timespec wait = {0, 1000000};

    (void)nanosleep(&wait, NULL);
}

process_end process_run(const char *const *argument, const char *log, double seconds)
{
    const double begun = clock_seconds();
    pid_t child;
    int status = 0;

    if (!start(argument, log, &child))
        return PROCESS_NONE;
    while (!has_ended(child, &status)) {
        if (clock_seconds() - begun > seconds) {
            (void)kill(-child, SIGKILL);
            (void)waitpid(child, &status, 0);
            return PROCESS_LATE;
        }
        pause_briefly();
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? PROCESS_DONE : PROCESS_FAILED;
}
