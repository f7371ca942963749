/* SPDX-License-Identifier: BSD-3-Clause */
/* The affinity of threads. A caller bound for a while remembers its former processors:
 * the threads it creates meanwhile may run there too. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "device/device_private.h"

_Static_assert(sizeof(cpu_mask) == sizeof(cpu_set_t),
               "a mask holds what the system says");

/* former processors of the calling thread while it is bound */
static _Thread_local const cpu_mask *outside;

/* ---- names ------------------------------------------------------------------------- */

static const char *const names[] = {
    [HOST_BIND_AUTO] = "auto",
    [HOST_BIND_CORES] = "cores",
    [HOST_BIND_NONE] = "none",
};

pav_status host_binding_find(const char *name, host_binding *result)
{
    int found = HOST_BIND_AUTO;
    const pav_status status = name ? text_choice("binding", name, names, COUNT_OF(names),
                                                 &found)
                                   : PAV_OK;

    *result = (host_binding)found;
    return status;
}

const char *host_binding_name(host_binding b)
{
    return names[b];
}

/* ---- processors -------------------------------------------------------------------- */

static bool present_mask(cpu_set_t *set)
{
    CPU_ZERO(set);
    return pthread_getaffinity_np(pthread_self(), sizeof *set, set) == 0;
}

static bool allowed_mask(cpu_set_t *set)
{
    if (!outside)
        return present_mask(set);
    memcpy(set, outside, sizeof *set);
    return true;
}

int host_allowed_cpus(int cpu[HOST_MOST_CPUS])
{
    cpu_set_t set;
    int count = 0;

    if (!allowed_mask(&set))
        return 0;
    for (int n = 0; n < HOST_MOST_CPUS; n++)
        if (CPU_ISSET((size_t)n, &set))
            cpu[count++] = n;
    return count;
}

uint64_t host_name_hash(void)
{
    char name[256] = "";

    (void)gethostname(name, sizeof name - 1);
    return hash_bytes(name, (int64_t)strlen(name));
}

uint64_t host_cpus_hash(void)
{
    char name[256] = "";
    cpu_set_t set;
    hash h;

    (void)gethostname(name, sizeof name - 1);
    if (!allowed_mask(&set))
        CPU_ZERO(&set);
    hash_init(&h);
    hash_add(&h, name, (int64_t)strlen(name));
    hash_add(&h, &set, (int64_t)sizeof set);
    return hash_end(&h);
}

int host_usable_cpus(void)
{
    cpu_set_t set;

    return allowed_mask(&set) ? CPU_COUNT(&set) : 0;
}

static void only(cpu_set_t *set, int cpu)
{
    CPU_ZERO(set);
    CPU_SET((size_t)cpu, set);
}

/* ---- the caller -------------------------------------------------------------------- */

bool seat_take(seat *s, int cpu)
{
    cpu_set_t before, one;

    only(&one, cpu);
    s->taken = present_mask(&before) &&
               pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
    if (!s->taken)
        return false;
    memcpy(&s->before, &before, sizeof before);
    s->outermost = !outside;
    if (s->outermost)
        outside = &s->before;
    return true;
}

void seat_leave(seat *s)
{
    cpu_set_t before;

    if (!s->taken)
        return;
    memcpy(&before, &s->before, sizeof before);
    (void)pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    if (s->outermost)
        outside = NULL;
    s->taken = false;
}

/* ---- other threads ----------------------------------------------------------------- */

/* Blocks all signals except faults: a fault must still end the process in the usual
 * way. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t all;

    (void)sigfillset(&all);
    for (size_t k = 0; k < COUNT_OF(faults); k++)
        (void)sigdelset(&all, faults[k]);
    (void)pthread_sigmask(SIG_SETMASK, &all, before);
}

static int start(pthread_t *thread, const cpu_set_t *set, host_life *life, void *argument)
{
    pthread_attr_t how;
    sigset_t before;
    int why = pthread_attr_init(&how);

    if (why)
        return why;
    if (set)
        why = pthread_attr_setaffinity_np(&how, sizeof *set, set);
    block_signals(&before);
    if (!why)
        why = pthread_create(thread, &how, life, argument);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&how);
    return why;
}

int host_thread_start(pthread_t *thread, int cpu, host_life *life, void *argument)
{
    cpu_set_t set;

    if (cpu >= 0) {
        only(&set, cpu);
        return start(thread, &set, life, argument);
    }
    return start(thread, outside && allowed_mask(&set) ? &set : NULL, life, argument);
}

/* Called on a bound thread: lets the other thread run on all processors available
 * before. */
void host_thread_loosen(pthread_t thread)
{
    cpu_set_t set;

    if (allowed_mask(&set))
        (void)pthread_setaffinity_np(thread, sizeof set, &set);
}
