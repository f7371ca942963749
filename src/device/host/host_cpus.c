/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors for the threads of a team, and the affinity of threads.
 *
 * First come one processor of every core, because two threads of a core share its path
 * to memory. The choice alternates between NUMA nodes, because each node has its own
 * memory. So few threads already reach most of the memory rate. The chosen processors
 * are then sorted by node and core, because successive threads have neighbouring parts
 * of a grid. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_private.h"

enum { MOST_NODES = 256, LIST_SIZE = 4096, MOST_RANGE = 100000, PATH = 1024 };
static const char this_system[] = "/sys/devices/system";

typedef struct place {
    int cpu, node, core; /* core: its first processor */
    int sibling;         /* number of earlier processors of the core */
    /* number of earlier processors of the node with equal `sibling` */
    int turn;
} place;

/* ---- lists like "0-3,8-11" --------------------------------------------------------- */

bool host_next_range(const char **list, int *first, int *last)
{
    char *end;
    const long begin = strtol(*list, &end, 10);

    if (end == *list)
        return false;
    const long until = *end == '-' ? strtol(end + 1, &end, 10) : begin;
    *list = *end == ',' ? end + 1 : "";
    if (begin < 0 || until < begin || until - begin > MOST_RANGE || until > MOST_RANGE)
        return false;
    *first = (int)begin;
    *last = (int)until;
    return true;
}

static bool read_list(const char *path, char list[LIST_SIZE])
{
    FILE *file = fopen(path, "r");

    if (!file)
        return false;
    const bool good = fgets(list, LIST_SIZE, file) != NULL;
    fclose(file);
    return good;
}

/* ---- locations of processors ------------------------------------------------------- */

static int find_core(const char *system, int cpu)
{
    char path[PATH], list[LIST_SIZE];
    const char *rest = list;
    int first, last;

    (void)snprintf(path, sizeof path, "%s/cpu/cpu%d/topology/thread_siblings_list",
                   system, cpu);
    if (read_list(path, list) && host_next_range(&rest, &first, &last))
        return first;
    return cpu;
}

static void find_nodes(const char *system, place *all, int count)
{
    char path[PATH], list[LIST_SIZE];
    int first, last;

    for (int node = 0; node < MOST_NODES; node++) {
        (void)snprintf(path, sizeof path, "%s/node/node%d/cpulist", system, node);
        const char *rest = read_list(path, list) ? list : "";
        while (host_next_range(&rest, &first, &last))
            for (int n = 0; n < count; n++)
                if (all[n].cpu >= first && all[n].cpu <= last)
                    all[n].node = node;
    }
}

static void find_places(const char *system, place *all, const int *allowed, int count)
{
    for (int n = 0; n < count; n++)
        all[n] = (place){.cpu = allowed[n], .core = find_core(system, allowed[n])};
    find_nodes(system, all, count);
    for (int n = 0; n < count; n++)
        for (int k = 0; k < n; k++)
            all[n].sibling += all[k].core == all[n].core;
    for (int n = 0; n < count; n++)
        for (int k = 0; k < n; k++)
            all[n].turn += all[k].node == all[n].node && all[k].sibling == all[n].sibling;
}

/* ---- choosing ---------------------------------------------------------------------- */

static int by_worth(const void *a, const void *b)
{
    const place *p = a, *q = b;

    return p->sibling != q->sibling ? p->sibling - q->sibling
           : p->turn != q->turn     ? p->turn - q->turn
                                    : p->node - q->node;
}

static int by_nearness(const void *a, const void *b)
{
    const place *p = a, *q = b;

    return p->node != q->node   ? p->node - q->node
           : p->core != q->core ? p->core - q->core
                                : p->cpu - q->cpu;
}

static int cores_of(const place *all, int count)
{
    int cores = 0;

    for (int n = 0; n < count; n++)
        cores += all[n].sibling == 0;
    return cores;
}

int host_choose_cpus_of(const char *system, const int *allowed, int count, int threads,
                        int *cpu)
{
    place *all = mem_new(HOST_MOST_CPUS, sizeof *all);
    const int used = threads < count ? threads : count;

    if (!all)
        return 0;
    find_places(system, all, allowed, count);
    const int cores = cores_of(all, count);
    qsort(all, (size_t)count, sizeof *all, by_worth);
    qsort(all, (size_t)used, sizeof *all, by_nearness);
    for (int n = 0; n < used; n++)
        cpu[n] = all[n].cpu;
    mem_free(all);
    return cores;
}

int host_choose_cpus(int threads, int *cpu)
{
    int *allowed = mem_new(HOST_MOST_CPUS, sizeof *allowed), cores = 0;

    if (allowed)
        cores = host_choose_cpus_of(this_system, allowed, host_allowed_cpus(allowed),
                                    threads, cpu);
    mem_free(allowed);
    return cores;
}

int host_node(void)
{
    return host_find_topology().node;
}

host_topology host_find_topology(void)
{
    place *all = mem_new(HOST_MOST_CPUS, sizeof *all);
    int *allowed = mem_new(HOST_MOST_CPUS, sizeof *allowed);
    host_topology t = {0};

    if (all && allowed) {
        t.processors = host_allowed_cpus(allowed);
        find_places(this_system, all, allowed, t.processors);
        t.cores = cores_of(all, t.processors);
        for (int n = 0; n < t.processors; n++)
            t.nodes += all[n].sibling == 0 && all[n].turn == 0;
        t.node = t.nodes == 1 ? all[0].node : -1;
    }
    mem_free(allowed);
    mem_free(all);
    return t;
}

/* Found once: a folder of the system is read for each processor. */
int host_nodes(void)
{
    static _Atomic int nodes;

    if (nodes == 0)
        nodes = int_most(1, host_find_topology().nodes);
    return nodes;
}

/* ---- affinity ---------------------------------------------------------------------- */

/* The affinity of threads. A caller bound for a while remembers its former processors:
 * the threads it creates meanwhile may run there too. */

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
int host_thread_start(pthread_t *thread, int cpu, host_life *life, void *argument)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    pthread_attr_t how;
    cpu_set_t set;
    sigset_t all, before;
    int why = pthread_attr_init(&how);

    if (why)
        return why;
    if (cpu >= 0)
        only(&set, cpu);
    if (cpu >= 0 || (outside && allowed_mask(&set)))
        why = pthread_attr_setaffinity_np(&how, sizeof set, &set);
    (void)sigfillset(&all);
    for (size_t k = 0; k < COUNT_OF(faults); k++)
        (void)sigdelset(&all, faults[k]);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!why)
        why = pthread_create(thread, &how, life, argument);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&how);
    return why;
}

/* Called on a bound thread: lets the other thread run on all processors available
 * before. */
void host_thread_loosen(pthread_t thread)
{
    cpu_set_t set;

    if (allowed_mask(&set))
        (void)pthread_setaffinity_np(thread, sizeof set, &set);
}
