/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin for MPI, the only file of Pavior with mpi.h. The compiler wrapper of each
 * installed MPI compiles it, and it is loaded if a launcher asks for ranks.
 *
 * It has two communicators of its own, so its messages never mix with messages of a
 * caller. The end of a run uses the second communicator, because some ranks may still
 * wait for a message on the first one. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ranks/ranks_private.h"

/* gcc wrongly warns about the size of MPICH's MPI_STATUSES_IGNORE. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

enum { LONGEST = 1 << 30 /* bytes of a message */, TAG = 0, HERE = 1 };

typedef struct world {
    MPI_Comm talk, meet;
    MPI_Request *request;
    int requests, room;
    bool started;   /* this plugin started MPI */
    double seconds; /* longest silence of a rank ($PAV_RANK_SECONDS); 0: no limit */
    bool goes_on;   /* silent ranks are reported, and the wait goes on */
    int own, count, voice;
    double said;   /* time of this rank's last sign of life */
    double *heard; /* times of the other ranks' signs of life */
    bool *named;   /* ranks reported as silent */
} world;

static char said[64 + MPI_MAX_ERROR_STRING];

/* MPI's message and the name of the function that failed. */
static const char *reason(int code, const char *call)
{
    char why[MPI_MAX_ERROR_STRING];
    int length;
    if (code == MPI_SUCCESS)
        return NULL;
    if (MPI_Error_string(code, why, &length) != MPI_SUCCESS)
        (void)snprintf(why, sizeof why, "error %d", code);
    (void)snprintf(said, sizeof said, "%.*s: %s", (int)strcspn(call, "("), call, why);
    return said;
}

#define REASON(call) reason(call, #call)
#define TRY_MPI(call)                                                                    \
    do {                                                                                 \
        const char *why_ = REASON(call);                                                 \
        if (why_)                                                                        \
            return why_;                                                                 \
    } while (0)

static double now(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- missing ranks ----------------------------------------------------------------- */

/* Sends a sign of life from time to time. Ranks that wait or compute for long call this
 * function. */
static void say_alive(void *self)
{
    static char here;
    world *w = self;
    const double at = now();
    if (w->seconds <= 0 || at - w->said < w->seconds / 4)
        return;
    w->said = at;
    for (int n = 0; n < w->count; n++) {
        MPI_Request sent;
        if (n != w->own && !MPI_Isend(&here, 1, MPI_BYTE, n, HERE, w->meet, &sent))
            (void)MPI_Request_free(&sent);
    }
}

static void listen(world *w)
{
    char here;
    int any = 1;
    MPI_Status of;
    while (!MPI_Iprobe(MPI_ANY_SOURCE, HERE, w->meet, &any, &of) && any) {
        (void)MPI_Recv(&here, 1, MPI_BYTE, of.MPI_SOURCE, HERE, w->meet, &of);
        w->heard[of.MPI_SOURCE] = now();
        w->named[of.MPI_SOURCE] = false;
    }
}

/* Writes the ranks that have been silent for too long, for instance "rank 1, 3". Returns
 * the number of these ranks not reported before. */
static int name_silent(world *w, double begun, char names[128])
{
    const double at = now();
    int fresh = 0, length = 0;
    for (int n = 0; n < w->count && length < 100; n++) {
        const double since = w->heard[n] > begun ? w->heard[n] : begun;
        if (n == w->own || at - since < w->seconds)
            continue;
        length += snprintf(names + length, 24, "%s%d", length ? ", " : "rank ", n);
        fresh += !w->named[n];
        w->named[n] = true;
    }
    return fresh;
}

/* True if all ranks before this one are silent. Only the first living rank reports, so a
 * message appears once. */
static bool is_first(const world *w)
{
    for (int n = 0; n < w->own; n++)
        if (!w->named[n])
            return false;
    return true;
}

static const char *find_silent_ranks(world *w, double begun, const char *what)
{
    static char why[256];
    char names[128];
    const double waited = now() - begun;
    listen(w);
    if (w->seconds <= 0 || waited < w->seconds / 4)
        return NULL;
    say_alive(w);
    if (waited < w->seconds || name_silent(w, begun, names) == 0)
        return NULL;
    (void)snprintf(why, sizeof why, "%s did not answer for %g seconds%s: it hangs", names,
                   w->seconds, w->goes_on ? "" : " (PAV_RANK_SECONDS)");
    if (!w->goes_on)
        return why;
    if (is_first(w))
        (void)dprintf(
            w->voice,
            "%s; rank %d waits on for %s, and PAV_RANK_SECONDS=%g would end the "
            "run\n",
            why, w->own, what, w->seconds);
    return NULL;
}

/* Waits until all requests are complete, or until other ranks are silent for too long. */
static const char *wait_for(world *w, int count, MPI_Request *request, const char *what)
{
    enum { OFTEN = 1000 };
    const double begun = now();
    const char *why = NULL;
    int all = 0;
    while (!why) {
        for (int n = 0; n < OFTEN; n++) {
            TRY_MPI(MPI_Testall(count, request, &all, MPI_STATUSES_IGNORE));
            if (all)
                return NULL;
        }
        why = find_silent_ranks(w, begun, what);
    }
    return why;
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
    return REASON(MPI_Comm_set_errhandler(w->meet, MPI_ERRORS_RETURN));
}

static int number_in(const char *const *names, int otherwise)
{
    for (; *names; names++)
        if (getenv(*names))
            return (int)strtol(getenv(*names), NULL, 10);
    return otherwise;
}

/* Counts the launcher's processes on this machine. A caller's communicator may hold only
 * some of them, but the others use the same processors and GPUs. */
static void count_others(ranks_place *p)
{
    static const char *const number[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                         "SLURM_LOCALID", NULL};
    static const char *const count[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        NULL};
    const int all = number_in(count, p->sharing);
    p->started = all > p->sharing ? (all + p->sharing - 1) / p->sharing : 1;
    if (p->started > 1)
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
    return REASON(MPI_Comm_free(&here));
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
    if (w->voice >= 0)
        (void)close(w->voice);
    free(w->heard);
    free(w->named);
    free(w->request);
    free(w);
}

/* Reads PAV_RANK_SECONDS. "60" ends a run after 60 seconds of silence; "60,note" only
 * reports it. */
static const char *read_patience(world *w)
{
    enum { USUAL = 60 };
    const char *word = getenv("PAV_RANK_SECONDS");
    char *end = NULL;
    w->goes_on = !word || !*word;
    w->seconds = w->goes_on ? USUAL : strtod(word, &end);
    if (w->goes_on)
        return NULL;
    w->goes_on = strcmp(end, ",note") == 0;
    return end != word && w->seconds >= 0 && (!*end || w->goes_on)
               ? NULL
               : "PAV_RANK_SECONDS takes seconds, as in 60, or 60,note";
}

static const char *know_others(world *w, const ranks_place *p)
{
    w->own = p->number;
    w->count = p->count;
    w->heard = calloc((size_t)p->count, sizeof *w->heard);
    w->named = calloc((size_t)p->count, sizeof *w->named);
    return w->heard && w->named ? NULL : "memory ran out";
}

static const char *open_world(const void *communicator, void **result, ranks_place *place)
{
    world *w = calloc(1, sizeof *w);
    *result = NULL;
    if (!w)
        return "memory ran out";
    w->talk = w->meet = MPI_COMM_NULL;
    w->voice = dup(STDERR_FILENO); /* before the other ranks are silenced */
    const char *why = read_patience(w);
    if (!why)
        why = start(w);
    if (!why)
        why = take(w, communicator ? *(const MPI_Comm *)communicator : MPI_COMM_WORLD);
    if (!why)
        why = find_place(w, place);
    if (!why)
        why = know_others(w, place);
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
    return wait_for(w, count, w->request, "messages");
}

static const char *poll(void *self)
{
    world *w = self;
    int all;
    return w->requests > 0
               ? REASON(MPI_Testall(w->requests, w->request, &all, MPI_STATUSES_IGNORE))
               : NULL;
}

/* ---- among all --------------------------------------------------------------------- */

static const char word[] = "values of all";

static const char *share(void *self, int from, void *values, int64_t bytes)
{
    world *w = self;
    const char *why = NULL;
    for (char *at = values; bytes > 0 && !why; bytes -= LONGEST, at += LONGEST) {
        MPI_Request r;
        TRY_MPI(MPI_Ibcast(at, next_part(bytes), MPI_BYTE, from, w->talk, &r));
        why = wait_for(w, 1, &r, word);
    }
    return why;
}

static const char *join_some(world *w, uint64_t *words, int count)
{
    MPI_Request r;
    TRY_MPI(
        MPI_Iallreduce(MPI_IN_PLACE, words, count, MPI_UINT64_T, MPI_BOR, w->talk, &r));
    return wait_for(w, 1, &r, word);
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
    TRY_MPI(MPI_Iallgather(own, each, MPI_BYTE, all, each, MPI_BYTE, w->talk, &r));
    return wait_for(w, 1, &r, word);
}

/* ---- the end ----------------------------------------------------------------------- */

/* Waits for all ranks at the end of a run. It sleeps between tests, because other ranks
 * may be busy on the same processor. */
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

/* For `pavior doctor`. */
extern const char pavior_about[];
#if defined MPIX_CUDA_AWARE_SUPPORT && MPIX_CUDA_AWARE_SUPPORT
const char pavior_about[] = ", aware of GPUs";
#else
const char pavior_about[] = ", not aware of GPUs";
#endif

extern const ranks_plugin pavior_mpi_plugin;
const ranks_plugin pavior_mpi_plugin = {
    .version = RANKS_PLUGIN_VERSION,
    .open = open_world,
    .send = send_to,
    .receive = receive_from,
    .wait = wait_for_all,
    .poll = poll,
    .alive = say_alive,
    .share = share,
    .join = join,
    .gather = gather,
    .meet = meet,
    .end = end,
    .close = close_world,
};
