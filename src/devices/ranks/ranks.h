/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: processes started by mpirun that share one run. NULL stands for a single
 * process: for it every function does the remaining work, usually nothing.
 * All ranks call the same functions in the same order. MPI itself is in a plugin
 * (plugins/mpi.c), loaded when a launcher asks for ranks. */
#ifndef RANKS_RANKS_H
#define RANKS_RANKS_H

#include "base/base.h"
#include "device/device.h"

int ranks_count(const pav_ranks *r);  /* 1: a single process */
int ranks_number(const pav_ranks *r); /* of this rank, from 0 */

/* Messages between two ranks are under way until ranks_wait returns. Messages from one
 * rank to another arrive in sending order. */
pav_status ranks_send(pav_ranks *r, int to, const void *values, int64_t bytes);
pav_status ranks_receive(pav_ranks *r, int from, void *values, int64_t bytes);
pav_status ranks_wait(pav_ranks *r);
pav_status ranks_poll(pav_ranks *r); /* advances messages under way */
void ranks_alive(void *ranks);       /* tells others about long work of this rank */
/* Collective calls. ranks_share: the values of rank `from` go to all. ranks_or: combines
 * words by bitwise or. ranks_gather: collects the values of all ranks in their order. */
pav_status ranks_share(pav_ranks *r, int from, void *values, int64_t bytes);
pav_status ranks_or(pav_ranks *r, uint64_t *words, int64_t count);
pav_status ranks_gather(pav_ranks *r, const void *own, int64_t bytes, void *all);

/* Measures messages around a ring: seconds of an empty one, and bytes a second, of the
 * slowest rank; equal in all ranks. */
pav_status ranks_measure(pav_ranks *r, double *begin, double *rate);

/* Location of a rank. It decides the link of messages: within a NUMA node, within a
 * machine, or between machines. */
typedef struct rank_where {
    uint64_t machine;
    int64_t node; /* NUMA; -1: several */
} rank_where;
halo_link ranks_link(const rank_where *a, const rank_where *b);
/* Assumed ranks of a plan (pav_ranks_assume). */
bool ranks_are_assumed(const pav_ranks *r);

#endif
