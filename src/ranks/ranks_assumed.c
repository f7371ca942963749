/* SPDX-License-Identifier: BSD-3-Clause */
/* Assumed ranks for a plan, without real processes: this process is the first rank, and
 * the others answer like it. */
#include <string.h>

#include "ranks/ranks.h"
#include "ranks/ranks_private.h"

enum { MOST_RANKS = 1024 };

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
    pav_ranks *r = mem_new(1, sizeof *r);
    if (!r)
        return PAV_ENOMEM;
    *r = (pav_ranks){.mpi = &assumed,
                     .place = {.count = count, .sharing = count, .started = 1}};
    r->world = &r->place;
    host_share(count);
    *ranks = r;
    return PAV_OK;
}
