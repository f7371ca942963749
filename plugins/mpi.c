/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin for MPI: all of Pavior that sees mpi.h. It is compiled by the wrapper of
 * each MPI that is here, and opened where a launcher asks for ranks.
 *
 * Two communicators of its own: messages never meet those of a caller, and the end of a
 * run, where some may still wait for a message, never meets messages. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ranks/ranks_private.h"

/* gcc takes MPICH's MPI_STATUSES_IGNORE for memory that is too small. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

enum { LONGEST = 1 << 30 /* bytes of a message */, TAG = 0, HERE = 1 };

typedef struct world {
    MPI_Comm talk, meet;
    MPI_Request *request;
    int requests, room;
    bool started;   /* MPI, by this */
    double seconds; /* that others may take to come ($PAV_RANK_SECONDS); 0: any */
} world;

static char said[MPI_MAX_ERROR_STRING];

static const char *reason(int code)
{
    int length;
    if (code == MPI_SUCCESS)
        return NULL;
    if (MPI_Error_string(code, said, &length) != MPI_SUCCESS)
        return "MPI failed";
    return said;
}

#define TRY_MPI(call)                                                                    \
    do {                                                                                 \
        const char *why_ = reason(call);                                                 \
        if (why_)                                                                        \
            return why_;                                                                 \
    } while (0)

static double now(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- others that do not come ------------------------------------------------------- */

/* A rank that waits too long calls the roll. All others that wait do so, too; one that
 * does not answer is named. */
static int call_roll(world *w, int count, MPI_Request *heard)
{
    static char here;
    int missing = 0, own, done;
    (void)MPI_Comm_rank(w->meet, &own);
    for (int n = 0; n < count; n++) {
        MPI_Request sent;
        heard[n] = MPI_REQUEST_NULL;
        if (n == own || MPI_Isend(&here, 1, MPI_BYTE, n, HERE, w->meet, &sent))
            continue;
        (void)MPI_Request_free(&sent);
        (void)MPI_Irecv(&here, 1, MPI_BYTE, n, HERE, w->meet, &heard[n]);
    }
    for (const double begun = now(); now() - begun < 2 + w->seconds / 2;) {
        static const struct timespec pause = {.tv_nsec = 1000000};
        (void)MPI_Testall(count, heard, &done, MPI_STATUSES_IGNORE);
        if (done)
            break;
        (void)nanosleep(&pause, NULL);
    }
    for (int n = 0; n < count; n++) {
        done = 1;
        if (heard[n] != MPI_REQUEST_NULL)
            (void)MPI_Test(&heard[n], &done, MPI_STATUS_IGNORE);
        missing += !done;
    }
    return missing;
}

static const char *name_silent(world *w)
{
    static char why[256];
    int count = 0, length = 0;
    (void)MPI_Comm_size(w->meet, &count);
    MPI_Request *heard = calloc((size_t)count + 1, sizeof *heard);
    if (!heard || call_roll(w, count, heard) == 0)
        (void)snprintf(why, sizeof why,
                       "nothing came for %g seconds, and all ranks wait: is "
                       "PAV_RANK_SECONDS too short?",
                       w->seconds);
    else {
        for (int n = 0; n < count && length < 128; n++)
            if (heard[n] != MPI_REQUEST_NULL)
                length += snprintf(why + length, 64, "%s%d", length ? ", " : "rank ", n);
        (void)snprintf(why + length, sizeof why - (size_t)length,
                       " did not answer for %g seconds (PAV_RANK_SECONDS): it hangs",
                       w->seconds);
    }
    free(heard);
    return why;
}

/* Until all are done, or others take too long. */
static const char *wait_for(world *w, int count, MPI_Request *request)
{
    int all = 0;
    if (w->seconds <= 0)
        return reason(MPI_Waitall(count, request, MPI_STATUSES_IGNORE));
    const double begun = now();
    while (now() - begun < w->seconds) {
        TRY_MPI(MPI_Testall(count, request, &all, MPI_STATUSES_IGNORE));
        if (all)
            return NULL;
    }
    return name_silent(w);
}

/* ---- opening ----------------------------------------------------------------------- */

static const char *start(world *w)
{
    int before, provided;
    TRY_MPI(MPI_Initialized(&before));
    if (before)
        return NULL;
    TRY_MPI(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided));
    w->started = true;
    return NULL;
}

static const char *take(world *w, MPI_Comm of)
{
    TRY_MPI(MPI_Comm_dup(of, &w->talk));
    TRY_MPI(MPI_Comm_dup(of, &w->meet));
    TRY_MPI(MPI_Comm_set_errhandler(w->talk, MPI_ERRORS_RETURN));
    return reason(MPI_Comm_set_errhandler(w->meet, MPI_ERRORS_RETURN));
}

static int number_in(const char *const *names, int otherwise)
{
    for (; *names; names++)
        if (getenv(*names))
            return (int)strtol(getenv(*names), NULL, 10);
    return otherwise;
}

/* A caller's communicator may have some of the launcher's processes alone: others of this
 * machine have processors and GPUs, too. */
static void count_others(ranks_place *p)
{
    static const char *const number[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                         "SLURM_LOCALID", NULL};
    static const char *const count[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        NULL};
    const int all = number_in(count, p->sharing);
    p->beside = all > p->sharing ? (all + p->sharing - 1) / p->sharing : 1;
    if (p->beside > 1)
        p->here = number_in(number, p->here);
}

static const char *find_place(world *w, ranks_place *p)
{
    MPI_Comm here;
    TRY_MPI(MPI_Comm_rank(w->talk, &p->number));
    TRY_MPI(MPI_Comm_size(w->talk, &p->count));
    TRY_MPI(MPI_Comm_split_type(w->talk, MPI_COMM_TYPE_SHARED, p->number, MPI_INFO_NULL,
                                &here));
    TRY_MPI(MPI_Comm_rank(here, &p->here));
    TRY_MPI(MPI_Comm_size(here, &p->sharing));
    count_others(p);
    return reason(MPI_Comm_free(&here));
}

static void close_world(void *self)
{
    world *w = self;
    int over = 1;
    if (MPI_Finalized(&over) == MPI_SUCCESS && !over && w->talk != MPI_COMM_NULL) {
        (void)MPI_Comm_free(&w->talk);
        (void)MPI_Comm_free(&w->meet);
    }
    if (w->started && !over)
        (void)MPI_Finalize();
    free(w->request);
    free(w);
}

static const char *open_world(const void *communicator, void **result, ranks_place *place)
{
    world *w = calloc(1, sizeof *w);
    *result = NULL;
    if (!w)
        return "memory ran out";
    w->talk = w->meet = MPI_COMM_NULL;
    w->seconds = getenv("PAV_RANK_SECONDS") ? strtod(getenv("PAV_RANK_SECONDS"), NULL)
                                            : 0;
    const char *why = start(w);
    if (!why)
        why = take(w, communicator ? *(const MPI_Comm *)communicator : MPI_COMM_WORLD);
    if (!why)
        why = find_place(w, place);
    if (why)
        close_world(w);
    else
        *result = w;
    return why;
}

/* ---- between two ------------------------------------------------------------------- */

static MPI_Request *next_request(world *w)
{
    if (w->requests == w->room) {
        const int room = w->room ? 2 * w->room : 64;
        MPI_Request *grown = realloc(w->request, (size_t)room * sizeof *grown);
        if (!grown)
            return NULL;
        w->request = grown;
        w->room = room;
    }
    return &w->request[w->requests++];
}

static int next_part(int64_t bytes)
{
    return bytes < LONGEST ? (int)bytes : LONGEST;
}

static const char *send_to(void *self, int to, const void *values, int64_t bytes)
{
    world *w = self;
    for (const char *at = values; bytes > 0; bytes -= LONGEST, at += LONGEST) {
        MPI_Request *r = next_request(w);
        if (!r)
            return "memory ran out";
        TRY_MPI(MPI_Isend(at, next_part(bytes), MPI_BYTE, to, TAG, w->talk, r));
    }
    return NULL;
}

static const char *receive_from(void *self, int from, void *values, int64_t bytes)
{
    world *w = self;
    for (char *at = values; bytes > 0; bytes -= LONGEST, at += LONGEST) {
        MPI_Request *r = next_request(w);
        if (!r)
            return "memory ran out";
        TRY_MPI(MPI_Irecv(at, next_part(bytes), MPI_BYTE, from, TAG, w->talk, r));
    }
    return NULL;
}

static const char *wait_for_all(void *self)
{
    world *w = self;
    const int count = w->requests;
    w->requests = 0;
    return wait_for(w, count, w->request);
}

static const char *poll(void *self)
{
    world *w = self;
    int all;
    return w->requests > 0
               ? reason(MPI_Testall(w->requests, w->request, &all, MPI_STATUSES_IGNORE))
               : NULL;
}

/* ---- among all --------------------------------------------------------------------- */

/* Calls that wait by themselves are faster: the others can be left. */
static const char *share(void *self, int from, void *values, int64_t bytes)
{
    world *w = self;
    const char *why = NULL;
    for (char *at = values; bytes > 0 && !why; bytes -= LONGEST, at += LONGEST) {
        const int now = next_part(bytes);
        MPI_Request r;
        if (w->seconds > 0) {
            TRY_MPI(MPI_Ibcast(at, now, MPI_BYTE, from, w->talk, &r));
            why = wait_for(w, 1, &r);
        } else {
            why = reason(MPI_Bcast(at, now, MPI_BYTE, from, w->talk));
        }
    }
    return why;
}

static const char *join_some(world *w, uint64_t *words, int count)
{
    MPI_Request r;
    if (w->seconds <= 0)
        return reason(
            MPI_Allreduce(MPI_IN_PLACE, words, count, MPI_UINT64_T, MPI_BOR, w->talk));
    TRY_MPI(
        MPI_Iallreduce(MPI_IN_PLACE, words, count, MPI_UINT64_T, MPI_BOR, w->talk, &r));
    return wait_for(w, 1, &r);
}

static const char *join(void *self, uint64_t *words, int64_t count)
{
    const int64_t most = LONGEST / (int64_t)sizeof *words;
    const char *why = NULL;
    for (; count > 0 && !why; count -= most, words += most)
        why = join_some(self, words, (int)(count < most ? count : most));
    return why;
}

static const char *gather(void *self, const void *own, int64_t bytes, void *all)
{
    world *w = self;
    const int each = next_part(bytes);
    MPI_Request r;
    if (bytes > LONGEST)
        return "more than 1 GiB of each rank is gathered";
    if (w->seconds <= 0)
        return reason(MPI_Allgather(own, each, MPI_BYTE, all, each, MPI_BYTE, w->talk));
    TRY_MPI(MPI_Iallgather(own, each, MPI_BYTE, all, each, MPI_BYTE, w->talk, &r));
    return wait_for(w, 1, &r);
}

/* ---- the end ----------------------------------------------------------------------- */

/* It sleeps in between: others may be busy on the same processor. */
static bool meet(void *self, double seconds)
{
    static const struct timespec pause = {.tv_nsec = 1000000};
    world *w = self;
    MPI_Request request;
    int all = 0;
    if (MPI_Ibarrier(w->meet, &request) != MPI_SUCCESS)
        return false;
    const double begun = now();
    while (MPI_Test(&request, &all, MPI_STATUS_IGNORE) == MPI_SUCCESS && !all &&
           (seconds < 0 || now() - begun < seconds))
        (void)nanosleep(&pause, NULL);
    return all != 0;
}

static void end(void *self, int code)
{
    world *w = self;
    (void)MPI_Abort(w->talk, code);
    _Exit(code);
}

extern const ranks_plugin pavior_mpi_plugin;
const ranks_plugin pavior_mpi_plugin = {
    .version = RANKS_PLUGIN_VERSION,
    .open = open_world,
    .send = send_to,
    .receive = receive_from,
    .wait = wait_for_all,
    .poll = poll,
    .share = share,
    .join = join,
    .gather = gather,
    .meet = meet,
    .end = end,
    .close = close_world,
};
