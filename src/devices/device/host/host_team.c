/* SPDX-License-Identifier: BSD-3-Clause */
/* A team: a crew of threads with its affinity. A team whose processors have other work
 * pauses. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "device/host/crew_private.h"

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
    const uint64_t name = host_name_hash();
    cpu_set_t set;
    hash h;

    if (!allowed_mask(&set))
        CPU_ZERO(&set);
    hash_init(&h);
    hash_add(&h, &name, (int64_t)sizeof name);
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

static bool seat_take(seat *s, int cpu)
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

static void seat_leave(seat *s)
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

/* ---- the watch --------------------------------------------------------------------- */

/* Decides whether a team pays off. Other work on its processors may delay some threads,
 * and all others wait for them.
 *
 * Pieces of work are timed in windows. If a window took clearly longer than the caller
 * alone would need for all parts, bound threads are unbound. If they are not bound, the
 * caller works alone for a while; each pause is twice as long as the last. A window with
 * a gain resets the pause. A team bound on the user's request is not watched. */

enum { WINDOW_WORKS = 128 };
static const double window_seconds = 0.02, first_pause = 0.5, longest_pause = 16;
static const double patience = 1.5; /* limit, in times of the caller alone */

/* Notes one piece of work for the detection of other load. work: the caller's seconds for
 * its own part; wait: its seconds of waiting for the other threads. */
void team_watch_note(team_watch *w, int threads, bool bound, double work, double wait,
                     double now)
{
    w->works++;
    w->work += work;
    w->wait += wait;
    if (w->works < WINDOW_WORKS || w->work + w->wait < window_seconds)
        return;
    if (w->work + w->wait <= patience * threads * w->work)
        w->pause = 0;
    else if (bound)
        w->loosen = true;
    else {
        w->pause = w->pause == 0                  ? first_pause
                   : w->pause * 2 < longest_pause ? w->pause * 2
                                                  : longest_pause;
        w->until = now + w->pause;
        w->alone++;
    }
    w->works = 0;
    w->work = w->wait = 0;
}

/* ---- the team ---------------------------------------------------------------------- */

struct host_team {
    crew crew;
    atomic_bool busy;  /* the team has work */
    bool bound, asked; /* asked: bound because the user asked for it */
    pid_t process;
    int *cpu;  /* processor of each thread if bound */
    int holds; /* nested calls of host_team_keep_awake */
    seat caller;
    team_watch watch;
};

/* Other work occupies the processors of the bound threads. Unbinds them so the system can
 * choose better processors. */
static void loosen(host_team *team)
{
    for (int n = 1; n <= team->crew.made; n++) {
        cpu_set_t set; /* all processors available before */
        if (allowed_mask(&set))
            (void)pthread_setaffinity_np(team->crew.member[n].thread, sizeof set, &set);
    }
    seat_leave(&team->caller);
    team->bound = team->watch.loosen = false;
}

/* True after a fork: in the child only the calling thread exists. */
static bool is_orphan(const host_team *team)
{
    return team->process != getpid();
}

bool host_team_run_at_once(host_team *team, int64_t count, host_part *function,
                           void *argument)
{
    if (!team || team->crew.threads == 1 || count <= 1 || is_orphan(team) ||
        atomic_exchange(&team->busy, true))
        return false;
    const bool pauses = team->watch.until > 0 && clock_seconds() < team->watch.until;
    if (!pauses) {
        host_team_keep_awake(team);
        const double begun = clock_seconds();
        const double done = crew_run(&team->crew, count, function, argument);
        const double now = clock_seconds();
        if (!team->asked)
            team_watch_note(&team->watch, team->crew.threads, team->bound, done - begun,
                            now - done, now);
        if (team->watch.loosen)
            loosen(team);
        host_team_release(team);
    }
    atomic_store(&team->busy, false);
    return !pauses;
}

/* If the team is already working, on this or another thread, the caller does all
 * parts. */
void host_team_run(host_team *team, int64_t count, host_part *function, void *argument)
{
    if (!host_team_run_at_once(team, count, function, argument))
        for (int64_t part = 0; part < count; part++)
            function(argument, part);
}

/* ---- the caller's binding ---------------------------------------------------------- */

void host_team_keep_awake(host_team *team)
{
    if (team && team->holds++ == 0 && team->bound)
        (void)seat_take(&team->caller, team->cpu[0]);
}

void host_team_release(host_team *team)
{
    if (team && --team->holds == 0)
        seat_leave(&team->caller);
}

/* ---- opening and closing ----------------------------------------------------------- */

/* Binds the threads. By default only a team with all cores or all processors is bound:
 * for a smaller team the system knows better which processors are free. */
static pav_status bind(host_team *team, host_binding requested)
{
    OWNED_NEW(int, allowed, HOST_MOST_CPUS);

    const int processors = host_allowed_cpus(allowed);
    team->crew.spins = team->crew.threads <= processors;
    team->asked = requested == HOST_BIND_CORES;
    if (requested == HOST_BIND_NONE ||
        (requested == HOST_BIND_AUTO && team->crew.threads == 1))
        return PAV_OK;
    const int cores = team->crew.spins ? host_choose_cpus(team->crew.threads, team->cpu)
                                       : 0;
    const bool all = team->crew.threads == cores || team->crew.threads == processors;
    const bool tried = cores > 0 && (all || requested == HOST_BIND_CORES);
    team->bound = tried && seat_take(&team->caller, team->cpu[0]);
    if (team->bound)
        seat_leave(&team->caller);
    if (team->bound || requested == HOST_BIND_AUTO)
        return PAV_OK;
    if (team->crew.threads > processors)
        return FAIL(PAV_EINVAL,
                    "%d threads cannot be bound to a processor each: this process may "
                    "use %d; ask for fewer with --threads, or for --bind none",
                    team->crew.threads, processors);
    return FAIL(PAV_EDEVICE, "this system does not let threads be bound to processors; "
                             "ask for --bind none");
}

static pav_status open_team(host_team *team, int threads, host_binding binding)
{
    crew *c = &team->crew;

    team->process = getpid();
    team->cpu = mem_new(threads, sizeof *team->cpu);
    if (!crew_open(c, threads) || !team->cpu)
        return PAV_ENOMEM;
    TRY(bind(team, binding));
    const int why = crew_start(c, team->bound ? team->cpu : NULL);
    return why ? FAIL(PAV_ELIMIT,
                      "thread %d of %d cannot be made: %s; ask for fewer with --threads "
                      "or PAV_THREADS, or allow this user more processes (ulimit -u)",
                      c->made + 2, threads, strerror(why))
               : PAV_OK;
}

pav_status host_team_open(int threads, host_binding binding, host_team **result)
{
    *result = NULL;
    if (threads > HOST_MOST_THREADS)
        return FAIL(PAV_ELIMIT, "a team has at most %d threads, not %d",
                    HOST_MOST_THREADS, threads);
    NEW_BY(close_team, host_team, team, 1);
    TRY(open_team(team, threads > 1 ? threads : 1, binding));
    *result = mem_hand_over(&team);
    return PAV_OK;
}

void host_team_close(host_team *team)
{
    if (!team)
        return;
    if (is_orphan(team))
        mem_free(team->crew.member);
    else
        crew_close(&team->crew);
    MEM_FREE_ALL(team->cpu, team);
}

int host_team_threads(const host_team *team)
{
    return team ? team->crew.threads : 1;
}

bool host_team_is_bound(const host_team *team)
{
    return team && team->bound;
}

int host_team_pauses(const host_team *team)
{
    return team ? team->watch.alone : 0;
}
