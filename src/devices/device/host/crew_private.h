/* SPDX-License-Identifier: BSD-3-Clause */
/* A crew of threads shares one piece of work after another. The caller is the first
 * thread. Between two pieces the other threads wait at a gate: first they spin for a
 * moment, because the next step of a small grid comes within microseconds; then they
 * sleep, so an idle crew costs nothing. One text for teams of the library and for
 * generated programs. Both have mem_new, mem_free, clock_seconds and CPU_LINE, and start
 * threads by host_thread_start. */
#include <pthread.h>
#include <stdatomic.h>

#include "device/device_private.h"

/* A reusable gate. Each opening increments `turn`; a waiting thread remembers the last
 * turn it saw. */
typedef struct gate {
    atomic_uint turn, sleepers;
    pthread_mutex_t lock;
    pthread_cond_t opened;
    char apart[CPU_LINE];
} gate;

/* Work is cut into parts. Part n belongs to thread n modulo the number of threads. */
typedef void crew_part(void *argument, int64_t part);

typedef struct crew_member {
    struct crew *crew;
    int number; /* the caller is 0 */
    pthread_t thread;
} crew_member;

typedef struct crew {
    gate begin, end;
    atomic_int left; /* members still busy with the present work */
    /* the work: written before `begin` opens */
    crew_part *function;
    void *argument;
    int64_t count;
    bool closing;
    /* constant after crew_start: */
    int threads, made; /* made: members with a thread of their own */
    bool spins;        /* each thread has a processor, so waiting threads may spin */
    crew_member *member;
} crew;

/* Room for the members; false: memory ran out. crew_close frees it in either case. */
bool crew_open(crew *c, int threads);
/* Starts the threads, each on its processor; cpu NULL: on any. Returns 0, or the error of
 * the thread after the last one made. */
int crew_start(crew *c, const int *cpu);
/* Returns the time when the caller had done its own parts and began to wait. */
double crew_run(crew *c, int64_t count, crew_part *function, void *argument);
void crew_close(crew *c);
