/* SPDX-License-Identifier: BSD-3-Clause */
/* NCCL links between the GPUs of a grid that is cut. With several ranks they are used if
 * the library exists and each rank has a GPU of its own. Within one process they are used
 * only if PAV_TRANSPORT requests them, because GPUs with peer access read each other's
 * memory. Without links, other transports move the halos. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/gpu/gpu.h"
#include "exec/split/split_private.h"

typedef enum wish { WISH_ANY, WISH_NCCL, WISH_MPI } wish;

static pav_status find_wish(wish *w)
{
    const char *name = getenv("PAV_TRANSPORT");
    *w = WISH_ANY;
    if (!name || !*name || strcmp(name, "auto") == 0)
        return PAV_OK;
    *w = strcmp(name, "nccl") == 0 ? WISH_NCCL : WISH_MPI;
    return *w == WISH_NCCL || strcmp(name, "mpi") == 0
               ? PAV_OK
               : FAIL(PAV_EINVAL,
                      "PAV_TRANSPORT=%s: nccl, mpi and auto are known, between GPUs",
                      name);
}

/* ---- linked GPUs ------------------------------------------------------------------- */

/* Collects one GPU for each place and returns their number. *good: all subdomains here
 * are on GPUs. */
static int find_gpus(const split *s, gpu **g, bool *good)
{
    const subdomain *whole = s->whole;
    int count = 0;
    *good = true;
    for (int64_t n = 0; n < whole->inners; n++) {
        const executor *e = whole->inner[n].executor;
        const bool again = count > 0 && !e->absent && g[count - 1] == executor_gpu(e);
        if (e->absent || again)
            continue;
        *good = *good && executor_gpu(e) && gpu_links_know(executor_gpu(e));
        if (*good)
            g[count++] = executor_gpu(e);
    }
    return count;
}

int split_link_number(const executor *e)
{
    return e->part->rank + e->part->place; /* one of the two is 0 */
}

static bool all_agree(const split *s, bool own, pav_status *status)
{
    uint64_t bad = !own;
    *status = ranks_or(s->whole->ranks, &bad, 1);
    return *status == PAV_OK && bad == 0;
}

/* ---- opening ----------------------------------------------------------------------- */

static pav_status join_gpus(split *s, gpu *const *g, int count)
{
    pav_ranks *ranks = s->whole->ranks;
    const int all = ranks ? ranks_count(ranks) : count;
    gpu_links_id id = {{0}};
    pav_status own = PAV_OK;
    if (ranks_number(ranks) == 0)
        own = gpu_links_new_id(&id);
    TRY(ranks_share(ranks, 0, &id, (int64_t)sizeof id));
    if (own == PAV_OK)
        own = gpu_links_open(g, count, ranks_number(ranks), all, &id, &s->links);
    return own;
}

static void drop_links(split *s, const char *why)
{
    gpu_links_close(s->links);
    s->links = NULL;
    (void)snprintf(s->unlinked, sizeof s->unlinked, "%s", why);
}

static pav_status try_links(split *s, gpu *const *g, int count)
{
    pav_status agreed;
    const pav_status own = join_gpus(s, g, count);
    char why[sizeof s->unlinked];
    (void)snprintf(why, sizeof why, "%s",
                   own == PAV_OK ? "another rank could not" : pav_message());
    if (!all_agree(s, own == PAV_OK, &agreed))
        drop_links(s, why);
    TRY(agreed);
    for (int64_t n = 0; s->links && n < s->whole->inners; n++)
        s->whole->inner[n].executor->linked = true;
    return PAV_OK;
}

static pav_status cannot(const char *why)
{
    return FAIL(PAV_EUNSUPPORTED,
                "NCCL cannot link the GPUs of this run: %s; leave out "
                "PAV_TRANSPORT=nccl",
                why);
}

static pav_status open_links(split *s, wish w, gpu **g)
{
    bool good;
    pav_status status;
    const int count = find_gpus(s, g, &good), all = ranks_count(s->whole->ranks) * count;
    if (!all_agree(s, good && all > 1, &status))
        return status == PAV_OK && w == WISH_NCCL
                   ? cannot("there are not several GPUs, or other devices beside them")
                   : status;
    if (!all_agree(s, gpu_links_there(), &status))
        return status == PAV_OK && w == WISH_NCCL
                   ? cannot("libnccl.so.2 is not here (apt install libnccl2, or "
                            "PAV_NCCL)")
                   : status;
    TRY(try_links(s, g, count));
    return !s->links && w == WISH_NCCL ? cannot(s->unlinked) : PAV_OK;
}

bool split_may_link(const executor *here)
{
    wish w;
    const gpu *g = here ? executor_gpu(here) : NULL;
    return find_wish(&w) == PAV_OK && w != WISH_MPI && g && gpu_links_know(g) &&
           gpu_links_there();
}

pav_status split_open_links(split *s)
{
    wish w;
    TRY(find_wish(&w));
    if (w == WISH_MPI || (w == WISH_ANY && !s->whole->ranks))
        return PAV_OK;
    gpu **g = mem_new(s->whole->inners, sizeof *g);
    const pav_status status = g ? open_links(s, w, g) : PAV_ENOMEM;
    mem_free(g);
    return status;
}

const char *exec_split_unlinked(const executor *e)
{
    return ((const split *)e)->unlinked;
}
