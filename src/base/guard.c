/* SPDX-License-Identifier: BSD-3-Clause */
/* Protects the library from the caller's thread state. Rounding modes, flushing to zero
 * and traps would change the bits of results. SIGXFSZ would end the process at the file
 * size limit instead of returning a message. Public functions reset both while they run.
 * Other threads and the signal handlers of the process are not changed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/base_private.h"

_Static_assert(sizeof(fenv_t) <= sizeof((guard *)0)->floating, "room for it");
_Static_assert(sizeof(sigset_t) <= sizeof((guard *)0)->signals, "room for it");

static sigset_t of_sizes(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGXFSZ);
    return set;
}

guard guard_begin(void)
{
    const sigset_t sizes = of_sizes();
    sigset_t signals;
    fenv_t floating;
    guard g;

    (void)fegetenv(&floating);
    (void)fesetenv(FE_DFL_ENV);
    (void)pthread_sigmask(SIG_BLOCK, &sizes, &signals);
    memcpy(g.floating, &floating, sizeof floating);
    memcpy(g.signals, &signals, sizeof signals);
    return g;
}

/* Removes a SIGXFSZ received meanwhile, before unblocking it would deliver it. */
static void forget_signal(void)
{
    const sigset_t sizes = of_sizes();
    const struct timespec at_once = {0};
    sigset_t waiting;

    if (sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1)
        (void)sigtimedwait(&sizes, NULL, &at_once);
}

void guard_end(const guard *g)
{
    const int error = errno;
    sigset_t signals;
    fenv_t floating;

    memcpy(&floating, g->floating, sizeof floating);
    memcpy(&signals, g->signals, sizeof signals);
    if (sigismember(&signals, SIGXFSZ) != 1) {
        forget_signal();
        (void)pthread_sigmask(SIG_SETMASK, &signals, NULL);
    }
    (void)fesetenv(&floating);
    errno = error;
}
