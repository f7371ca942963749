/* SPDX-License-Identifier: BSD-3-Clause */
/* A crew: the gates at which its threads wait, and the work between them. */
#include "device/host/crew_private.h"

enum { PAUSES = 32 };
static const double moment = 50e-6; /* seconds in a loop before a thread sleeps */

/* ---- gates ------------------------------------------------------------------------- */

static void make_gate(gate *g)
{
    (void)pthread_mutex_init(&g->lock, NULL);
    (void)pthread_cond_init(&g->opened, NULL);
}

static void remove_gate(gate *g)
{
    (void)pthread_cond_destroy(&g->opened);
    (void)pthread_mutex_destroy(&g->lock);
}

/* No wake-up is lost: a thread going to sleep first counts itself and then reads the
 * turn; here the order is reversed, so at least one side sees the other. */
static void open_gate(gate *g)
{
    atomic_fetch_add(&g->turn, 1);
    if (atomic_load(&g->sleepers) == 0)
        return;
    (void)pthread_mutex_lock(&g->lock);
    (void)pthread_cond_broadcast(&g->opened);
    (void)pthread_mutex_unlock(&g->lock);
}

static void rest(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool opens_soon(gate *g, unsigned seen)
{
    const double begun = clock_seconds();

    do
        for (int n = 0; n < PAUSES; n++) {
            if (atomic_load_explicit(&g->turn, memory_order_acquire) != seen)
                return true;
            rest();
        }
    while (clock_seconds() - begun < moment);
    return false;
}

static void pass_gate(gate *g, unsigned seen, bool spins)
{
    if (spins && opens_soon(g, seen))
        return;
    (void)pthread_mutex_lock(&g->lock);
    atomic_fetch_add(&g->sleepers, 1);
    while (atomic_load(&g->turn) == seen)
        (void)pthread_cond_wait(&g->opened, &g->lock);
    atomic_fetch_sub(&g->sleepers, 1);
    (void)pthread_mutex_unlock(&g->lock);
}

/* ---- working ----------------------------------------------------------------------- */

static void do_parts(const crew *c, int number)
{
    for (int64_t part = number; part < c->count; part += c->threads)
        c->function(c->argument, part);
}

static void *live(void *argument)
{
    const crew_member *m = argument;
    crew *c = m->crew;

    for (unsigned turn = 0;; turn++) {
        pass_gate(&c->begin, turn, c->spins);
        if (c->closing)
            return NULL;
        do_parts(c, m->number);
        if (atomic_fetch_sub(&c->left, 1) == 1)
            open_gate(&c->end);
    }
}

double crew_run(crew *c, int64_t count, crew_part *function, void *argument)
{
    const unsigned turn = atomic_load(&c->end.turn);

    c->count = count;
    c->function = function;
    c->argument = argument;
    atomic_store(&c->left, c->made);
    open_gate(&c->begin);
    do_parts(c, 0);
    const double done = clock_seconds();
    if (c->made > 0)
        pass_gate(&c->end, turn, c->spins);
    return done;
}

/* ---- opening and closing ----------------------------------------------------------- */

bool crew_open(crew *c, int threads)
{
    make_gate(&c->begin);
    make_gate(&c->end);
    c->threads = threads;
    c->member = mem_new(threads, sizeof *c->member);
    return c->member;
}

int crew_start(crew *c, const int *cpu)
{
    for (int n = 1; n < c->threads; n++) {
        crew_member *m = &c->member[n];
        *m = (crew_member){.crew = c, .number = n};
        const int why = host_thread_start(&m->thread, cpu ? cpu[n] : -1, live, m);
        if (why)
            return why;
        c->made++;
    }
    return 0;
}

void crew_close(crew *c)
{
    c->closing = true;
    open_gate(&c->begin);
    for (int n = 1; n <= c->made; n++)
        (void)pthread_join(c->member[n].thread, NULL);
    remove_gate(&c->begin);
    remove_gate(&c->end);
    mem_free(c->member);
}
