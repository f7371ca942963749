/* SPDX-License-Identifier: BSD-3-Clause */
/* What every public function needs: a message for its failure, one per thread, and a
 * guard against the caller's thread state.
 *
 * Two buffers alternate, so a message may quote the one before it: FAIL(status, "field
 * u: %s", pav_message()). They belong to the thread and are never freed. A message too
 * long is cut between two characters and ends in "...". */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "base/base_private.h"

enum { MESSAGE_SIZE = 64 * 1024 };

static _Thread_local char messages[2][MESSAGE_SIZE];
static _Thread_local int current;

pav_status fail_list(pav_status status, const char *format, va_list list)
{
    char *message = messages[1 - current];
    const int length = vsnprintf(message, MESSAGE_SIZE, format, list);

    if (length < 0)
        message[0] = '\0';
    else if (length >= MESSAGE_SIZE) {
        /* Cuts the message before a character: skips continuation bytes of UTF-8. */
        static const char mark[] = "...";
        size_t end = MESSAGE_SIZE - sizeof mark;
        while (end > 0 && utf8_continues(message[end]))
            end--;
        memcpy(message + end, mark, sizeof mark);
    }
    current = 1 - current;
    return status;
}

pav_status fail(pav_status status, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fail_list(status, format, list);
    va_end(list);
    return status;
}

void failure_keep(kept_failure *f, pav_status status)
{
    if (f->status == PAV_OK && status != PAV_OK)
        *f = (kept_failure){status, strdup(pav_message())};
}

pav_status failure_report(kept_failure *f)
{
    const kept_failure kept = *f;

    *f = (kept_failure){PAV_OK, NULL};
    if (kept.status != PAV_OK)
        fail(kept.status, "%s", kept.why ? kept.why : "memory ran out");
    free(kept.why);
    return kept.status;
}

const char *pav_message(void)
{
    return messages[current];
}

struct status_row {
    pav_status status;
    const char *name, *text;
};

static const struct status_row statuses[] = {
#define X(name, value, text) {PAV_##name, "PAV_" #name, text},
    PAV_STATUS_LIST(X)
#undef X
};

static const struct status_row *find_status(pav_status status)
{
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        if (statuses[i].status == status)
            return &statuses[i];
    return NULL;
}

const char *pav_status_name(pav_status status)
{
    const struct status_row *row = find_status(status);

    return row ? row->name : "unknown";
}

const char *pav_status_text(pav_status status)
{
    const struct status_row *row = find_status(status);

    return row ? row->text : "not a status of this version";
}

const char *pav_version(void)
{
    return PAV_VERSION;
}

/* ---- the guard of public functions ------------------------------------------------- */

/* Protects the library from the caller's thread state. Rounding modes, flushing to zero
 * and traps would change the bits of results. SIGXFSZ would end the process at the file
 * size limit instead of returning a message. Public functions reset both while they run.
 * Other threads and the signal handlers of the process are not changed. */

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

void guard_end(const guard *g)
{
    const sigset_t sizes = of_sizes();
    const struct timespec at_once = {0};
    const int error = errno;
    sigset_t signals, waiting;
    fenv_t floating;

    memcpy(&floating, g->floating, sizeof floating);
    memcpy(&signals, g->signals, sizeof signals);
    if (sigismember(&signals, SIGXFSZ) != 1) {
        /* Removes a SIGXFSZ received meanwhile, before unblocking it would deliver it. */
        if (sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1)
            (void)sigtimedwait(&sizes, NULL, &at_once);
        (void)pthread_sigmask(SIG_SETMASK, &signals, NULL);
    }
    (void)fesetenv(&floating);
    errno = error;
}
