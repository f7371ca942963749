/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: the processes that share one run, as mpirun starts them. NULL stands for a
 * process by itself, for which every function here does what is left to do, which is
 * mostly nothing.
 *
 * All of them call the same functions in the same order. MPI itself is in a plugin
 * (plugins/mpi.c), which is opened where a launcher asks for ranks. */
#ifndef RANKS_RANKS_H
#define RANKS_RANKS_H

#include "base/base.h"
#include "device/device.h"

int ranks_count(const pav_ranks *r);  /* 1: a process by itself */
int ranks_number(const pav_ranks *r); /* of this one, from 0 */

/* Between two of them: under way until ranks_wait returns. What goes from one to another
 * arrives in the order in which it was sent. */
pav_status ranks_send(pav_ranks *r, int to, const void *values, int64_t bytes);
pav_status ranks_receive(pav_ranks *r, int from, void *values, int64_t bytes);
pav_status ranks_wait(pav_ranks *r);
pav_status ranks_poll(pav_ranks *r); /* what is under way gets on */
void ranks_alive(void *ranks);       /* others wait for long work of this one */
/* Among all: what `from` has goes to the others; words are combined by `or`; the values
 * of all, in their order. */
pav_status ranks_share(pav_ranks *r, int from, void *values, int64_t bytes);
pav_status ranks_or(pav_ranks *r, uint64_t *words, int64_t count);
pav_status ranks_gather(pav_ranks *r, const void *own, int64_t bytes, void *all);

/* An exchange of messages around a ring: seconds that an empty one takes, and bytes a
 * second, of the slowest; the same in all ranks. */
pav_status ranks_measure(pav_ranks *r, double *begin, double *rate);

/* What messages between two of them go by: those of one machine or NUMA node, or of
 * several. where: of all, by ranks_locate. */
typedef struct rank_where {
    uint64_t machine;
    int64_t node; /* NUMA; -1: several */
} rank_where;
pav_status ranks_locate(pav_ranks *r, rank_where *where);
halo_link ranks_link(const rank_where *a, const rank_where *b);
/* Ranks that a plan takes as started (pav_ranks_assume). */
bool ranks_are_assumed(const pav_ranks *r);

/* Refuses where a rank has other settings than the first: `what` and its hash. */
pav_status ranks_check_same(pav_ranks *r, const char *what, uint64_t own);

#endif
