/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks: exchanges of values between them, by the plugin. A plan may assume ranks
 * without real processes. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"
#include "ranks/ranks_private.h"

enum { MOST_RANKS = 1024 };
static const double patience = 2; /* seconds a failed rank waits for the others */

/* ---- assumed ranks ----------------------------------------------------------------- */

/* This process is the first rank, and the others answer like it. */

static const char *send(void *world, int to, const void *values, int64_t bytes)
{
    (void)world, (void)to, (void)values, (void)bytes;
    return NULL;
}

static const char *receive(void *world, int from, void *values, int64_t bytes)
{
    (void)world, (void)from, (void)values, (void)bytes;
    return NULL;
}

static const char *wait(void *world)
{
    (void)world;
    return NULL;
}

static void alive(void *world)
{
    (void)world;
}

static const char *join(void *world, uint64_t *words, int64_t count)
{
    (void)world, (void)words, (void)count;
    return NULL;
}

static const char *gather(void *world, const void *own, int64_t bytes, void *all)
{
    const ranks_place *place = world;
    for (int n = 0; n < place->count; n++)
        memcpy((char *)all + n * bytes, own, (size_t)bytes);
    return NULL;
}

static bool meet(void *world, double seconds)
{
    (void)world, (void)seconds;
    return true;
}

static void end(void *world, int code)
{
    (void)world, (void)code;
}

static const ranks_plugin assumed = {
    .version = RANKS_PLUGIN_VERSION,
    .send = send,
    .receive = receive,
    .wait = wait,
    .poll = wait,
    .alive = alive,
    .share = receive,
    .join = join,
    .gather = gather,
    .meet = meet,
    .end = end,
    .close = alive,
};

bool ranks_are_assumed(const pav_ranks *r)
{
    return r && r->mpi == &assumed;
}

pav_status pav_ranks_assume(int count, pav_ranks **ranks)
{
    GUARDED;
    if (!ranks)
        return FAIL(PAV_EINVAL, "pav_ranks_assume needs a place for the ranks");
    *ranks = NULL;
    if (count < 1 || count > MOST_RANKS)
        return FAIL(PAV_EINVAL, "a plan is of 1 to %d ranks, not of %d", MOST_RANKS,
                    count);
    if (count == 1)
        return PAV_OK;
    TRY(mem_take(ranks, 1, sizeof **ranks));
    **ranks = (pav_ranks){.mpi = &assumed,
                          .place = {.count = count, .sharing = count, .started = 1},
                          .world = &(*ranks)->place};
    host_share(count);
    return PAV_OK;
}

int ranks_count(const pav_ranks *r)
{
    return r ? r->place.count : 1;
}

int ranks_number(const pav_ranks *r)
{
    return r ? r->place.number : 0;
}

int pav_ranks_count(const pav_ranks *ranks)
{
    return ranks_count(ranks);
}

int pav_ranks_number(const pav_ranks *ranks)
{
    return ranks_number(ranks);
}

/* ---- opening ----------------------------------------------------------------------- */

/* Recognises Open MPI's own launcher, then launchers with PMIx, then MPICH's and its
 * relatives. */
static bool is_launched(const char **kind)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    const bool by_pmix = getenv("PMIX_RANK") != NULL;
    *kind = size || by_pmix ? "openmpi" : "mpich";
    if (!size)
        size = getenv(by_pmix ? "SLURM_STEP_NUM_TASKS" : "PMI_SIZE");
    return size ? strtol(size, NULL, 10) > 1 : by_pmix;
}

static const ranks_plugin *find_plugin(const char *kind)
{
    int at = 0;
    const char *file;
    for (void *opened; (opened = library_next("MPI", &at, &file));) {
        const ranks_plugin *p = NULL;
        const library_call call = {RANKS_PLUGIN, 0};
        if ((!kind || strstr(file, kind) || getenv("PAV_MPI")) &&
            library_find(opened, &call, 1, &p) && p->version == RANKS_PLUGIN_VERSION)
            return p;
    }
    return NULL;
}

/* why: MPI's message; NULL: it could. */
static pav_status could(const char *what, const char *why)
{
    return why ? FAIL(PAV_EDEVICE, "MPI cannot %s: %s", what, why) : PAV_OK;
}

/* Ranks of a machine share its threads and GPUs. */
static pav_status share_processors(pav_ranks *r)
{
    const uint64_t own = host_cpus_hash();
    OWNED_NEW(uint64_t, all, r->place.count);
    int alike = 0;
    TRY(ranks_gather(r, &own, sizeof own, all));
    for (int n = 0; n < r->place.count; n++)
        alike += all[n] == own;
    host_share(alike * r->place.started);
    return PAV_OK;
}

RELEASES(free_ranks, pav_ranks, pav_ranks_free)

/* True if a library loaded in this process has this function. */
static bool is_loaded(const char *function)
{
    void *all = dlopen(NULL, RTLD_LAZY);
    return all && dlsym(all, function);
}

pav_status pav_ranks_open(const void *communicator, pav_ranks **ranks)
{
    GUARDED;
    const char *kind;
    if (!ranks)
        return FAIL(PAV_EINVAL, "pav_ranks_open needs a place for the ranks");
    *ranks = NULL;
    const bool launched = is_launched(&kind);
    if (!launched && !communicator)
        return PAV_OK;
    /* A caller's communicator belongs to the MPI library loaded by the caller. */
    if (communicator)
        kind = is_loaded("ompi_mpi_init")          ? "openmpi"
               : is_loaded("MPIR_Err_return_comm") ? "mpich"
               : launched                          ? kind
                                                   : NULL;
    const ranks_plugin *mpi = find_plugin(kind);
    if (!mpi)
        return FAIL(PAV_EDEVICE,
                    "%s, and Pavior's plugin for it is not here (`pavior doctor`): "
                    "install openmpi-bin and libopenmpi-dev (or mpich), build Pavior "
                    "again, or name the plugin: PAV_MPI",
                    communicator ? "a communicator of MPI is given"
                                 : "a launcher of MPI started this");
    NEW_BY(free_ranks, pav_ranks, r, 1);
    r->mpi = mpi;
    TRY(could("start", mpi->open(communicator, &r->world, &r->place)));
    TRY(share_processors(r));
    if (ranks_count(r) > 1)
        *ranks = mem_hand_over(&r);
    return PAV_OK;
}

void pav_ranks_free(pav_ranks *ranks)
{
    GUARDED;
    if (ranks && ranks->world)
        ranks->mpi->close(ranks->world);
    if (ranks_are_assumed(ranks))
        host_share(1);
    mem_free(ranks);
}

pav_status pav_ranks_device(const pav_ranks *ranks, const char *name, pav_device **device)
{
    GUARDED;
    return ranks ? device_open_turn(name, ranks->place.here, device)
                 : pav_device_open(name, device);
}

/* ---- messages ---------------------------------------------------------------------- */

pav_status ranks_send(pav_ranks *r, int to, const void *values, int64_t bytes)
{
    return could("send", r->mpi->send(r->world, to, values, bytes));
}

pav_status ranks_receive(pav_ranks *r, int from, void *values, int64_t bytes)
{
    return could("receive", r->mpi->receive(r->world, from, values, bytes));
}

pav_status ranks_wait(pav_ranks *r)
{
    return could("exchange messages", r ? r->mpi->wait(r->world) : NULL);
}

pav_status ranks_poll(pav_ranks *r)
{
    return could("exchange messages", r ? r->mpi->poll(r->world) : NULL);
}

void ranks_alive(void *ranks)
{
    pav_ranks *r = ranks;
    if (r)
        r->mpi->alive(r->world);
}

pav_status ranks_share(pav_ranks *r, int from, void *values, int64_t bytes)
{
    return could("hand round values",
                 r ? r->mpi->share(r->world, from, values, bytes) : NULL);
}

pav_status ranks_or(pav_ranks *r, uint64_t *words, int64_t count)
{
    return could("join values", r ? r->mpi->join(r->world, words, count) : NULL);
}

pav_status ranks_gather(pav_ranks *r, const void *own, int64_t bytes, void *all)
{
    if (r)
        return could("gather values", r->mpi->gather(r->world, own, bytes, all));
    memcpy(all, own, (size_t)bytes);
    return PAV_OK;
}

/* ---- costs of messages ------------------------------------------------------------- */

enum { MEASURED_BYTES = 1 << 18, MEASURED_TIMES = 12 };

/* The least time of a message to the next rank, from all to all at once. */
static pav_status least_of(pav_ranks *r, char *values, int64_t bytes, double *least)
{
    const int own = r->place.number, count = r->place.count;

    for (int n = 0; n < MEASURED_TIMES; n++) {
        const double begun = clock_seconds();
        TRY(ranks_receive(r, (own + count - 1) % count, values, bytes));
        TRY(ranks_send(r, (own + 1) % count, values + MEASURED_BYTES, bytes));
        TRY(ranks_wait(r));
        const double seconds = clock_seconds() - begun;
        *least = n == 0 || seconds < *least ? seconds : *least;
    }
    return PAV_OK;
}

static pav_status slowest_of(pav_ranks *r, const double own[2], double slowest[2])
{
    const int count = r->place.count;
    OWNED_NEW(double, all, 2 * (int64_t)count);
    TRY(ranks_gather(r, own, 2 * sizeof *all, all));
    slowest[0] = slowest[1] = 0;
    for (int n = 0; n < 2 * count; n++)
        slowest[n % 2] = all[n] > slowest[n % 2] ? all[n] : slowest[n % 2];
    return PAV_OK;
}

pav_status ranks_measure(pav_ranks *r, double *begin, double *rate)
{
    const halo_cost c = halo_cost_of(HALO_BY_MESSAGE);
    double own[2] = {0}, all[2] = {0};
    *begin = c.begin;
    *rate = c.rate;
    if (ranks_are_assumed(r))
        return PAV_OK;
    OWNED_NEW(char, values, 2 * (int64_t)MEASURED_BYTES);
    TRY(least_of(r, values, 1, &own[0]));
    TRY(least_of(r, values, MEASURED_BYTES, &own[1]));
    TRY(slowest_of(r, own, all));
    *begin = all[0];
    *rate = MEASURED_BYTES / (all[1] > all[0] ? all[1] - all[0] : all[1]);
    return PAV_OK;
}

halo_link ranks_link(const rank_where *a, const rank_where *b)
{
    return a->machine != b->machine ? HALO_BY_NETWORK
           : a->node != b->node     ? HALO_BETWEEN_NODES
                                    : HALO_BY_MESSAGE;
}

/* ---- the end ----------------------------------------------------------------------- */

/* True for results that all ranks get at the same step. Then every rank ends by itself,
 * although the first rank may still be writing, and none must be stopped. */
static bool ends_all_ranks(pav_status status)
{
    return status == PAV_OK || status == PAV_EINTERRUPTED || status == PAV_EEXPECT ||
           status == PAV_ENOTFINITE || status == PAV_ECONVERGE;
}

pav_status pav_ranks_meet(pav_ranks *ranks, pav_status own, int *failed)
{
    GUARDED;
    if (!failed)
        return FAIL(PAV_EINVAL, "pav_ranks_meet needs a place for the number of a rank");
    *failed = own != PAV_OK ? ranks_number(ranks) : -1;
    if (!ranks)
        return PAV_OK;
    if (!ranks->mpi->meet(ranks->world, ends_all_ranks(own) ? -1 : patience))
        return FAIL(PAV_EDEVICE,
                    "rank %d failed alone, and other ranks wait for it: end them by "
                    "pav_ranks_abort",
                    ranks->place.number);
    int mine = (int)own;
    OWNED_NEW(int, all, ranks->place.count);
    TRY(ranks_gather(ranks, &mine, sizeof mine, all));
    for (int n = ranks->place.count - 1; n >= 0; n--)
        *failed = all[n] != PAV_OK ? n : *failed;
    return PAV_OK;
}

void pav_ranks_abort(pav_ranks *ranks, int code)
{
    if (ranks)
        ranks->mpi->end(ranks->world, code);
}
