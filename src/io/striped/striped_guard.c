/* SPDX-License-Identifier: BSD-3-Clause */
/* If the disk fails while a mapped file is accessed, the system sends SIGBUS. A handler
 * replaces the failed page by zeros and marks the store, so the next striped_check fails
 * with a message. Any other SIGBUS goes to the previous handler. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "io/striped/striped_private.h"

enum { MOST_STORES = 64 };

static _Atomic(striped *) guarded[MOST_STORES];
static struct sigaction before;
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
static int installed; /* number of guarded stores */

static bool has(const striped *s, const char *at)
{
    return s && at >= s->memory && at < s->memory + s->bytes;
}

static bool replace_page(char *at)
{
    char *page = at - (uintptr_t)at % STRIPED_ALIGN;
    return mmap(page, STRIPED_ALIGN, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* Passes the signal to the previous handler: the instruction is repeated with this
 * handler installed, or kills the process. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
    else
        (void)sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}

static void handle(int number, siginfo_t *info, void *context)
{
    char *at = info->si_addr;
    for (int n = 0; n < MOST_STORES; n++) {
        striped *s = atomic_load(&guarded[n]);
        if (!has(s, at) || !replace_page(at))
            continue;
        atomic_store(&s->torn, at - s->memory + 1);
        return;
    }
    pass_on(number, info, context);
}

void striped_guard(striped *s)
{
    struct sigaction how = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    (void)sigemptyset(&how.sa_mask);
    (void)pthread_mutex_lock(&installing);
    for (int n = 0; n < MOST_STORES && !s->guarded; n++) {
        striped *none = NULL;
        s->guarded = atomic_compare_exchange_strong(&guarded[n], &none, s);
    }
    if (s->guarded && installed++ == 0)
        (void)sigaction(SIGBUS, &how, &before);
    (void)pthread_mutex_unlock(&installing);
}

void striped_unguard(striped *s)
{
    (void)pthread_mutex_lock(&installing);
    for (int n = 0; n < MOST_STORES && s->guarded; n++) {
        striped *own = s;
        (void)atomic_compare_exchange_strong(&guarded[n], &own, NULL);
    }
    if (s->guarded && --installed == 0)
        (void)sigaction(SIGBUS, &before, NULL);
    s->guarded = false;
    (void)pthread_mutex_unlock(&installing);
}

pav_status striped_check(striped *s)
{
    const int64_t torn = atomic_load(&s->torn);
    if (torn == 0)
        return PAV_OK;
    return FAIL(PAV_EIO,
                "the store %s cannot be read or written near byte %lld: the disk failed, "
                "or is full, or the file was cut short; what was written since then is "
                "of no use",
                s->file[(torn - 1) / s->chunk % s->files].path, (long long)(torn - 1));
}
