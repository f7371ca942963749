/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface of a plugin for MPI: a table exported under the name RANKS_PLUGIN. A function
 * returns NULL, or MPI's message about its failure. */
#ifndef RANKS_PRIVATE_H
#define RANKS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

enum { RANKS_PLUGIN_VERSION = 4 };
#define RANKS_PLUGIN "pavior_mpi_plugin"

typedef struct ranks_place {
    int number, count;
    int here, sharing; /* the same among the ranks of this machine */
    int started;       /* processes of the launcher on this machine for each rank here,
                        * rounded up */
} ranks_place;

typedef struct ranks_plugin {
    int version;
    /* communicator: the caller's MPI_Comm, or NULL: all processes of the launcher. */
    const char *(*open)(const void *communicator, void **world, ranks_place *place);
    const char *(*send)(void *world, int to, const void *values, int64_t bytes);
    const char *(*receive)(void *world, int from, void *values, int64_t bytes);
    const char *(*wait)(void *world);
    const char *(*poll)(void *world); /* advances messages, never waits */
    void (*alive)(void *world);       /* tells the others that this rank has long work */
    const char *(*share)(void *world, int from, void *values, int64_t bytes);
    const char *(*join)(void *world, uint64_t *words, int64_t count);
    const char *(*gather)(void *world, const void *own, int64_t bytes, void *all);
    /* A barrier of all ranks. Returns false if some rank did not arrive within `seconds`;
     * seconds < 0: waits for ever. */
    bool (*meet)(void *world, double seconds);
    void (*end)(void *world, int code); /* all processes, including this one */
    void (*close)(void *world);
} ranks_plugin;

struct pav_ranks {
    const ranks_plugin *mpi;
    void *world;
    ranks_place place;
};

#endif
