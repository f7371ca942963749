/* SPDX-License-Identifier: BSD-3-Clause */
/* What a plugin for MPI offers: a table that it exports under the name RANKS_PLUGIN. A
 * function gives NULL, or why it failed in MPI's words. */
#ifndef RANKS_PRIVATE_H
#define RANKS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

enum { RANKS_PLUGIN_VERSION = 4 };
#define RANKS_PLUGIN "pavior_mpi_plugin"

typedef struct ranks_place {
    int number, count;
    int here, sharing; /* the same among those of this machine */
    int started;       /* times as many processes the launcher started there, in all */
} ranks_place;

typedef struct ranks_plugin {
    int version;
    /* communicator: a caller's MPI_Comm, or NULL: all that the launcher started. */
    const char *(*open)(const void *communicator, void **world, ranks_place *place);
    const char *(*send)(void *world, int to, const void *values, int64_t bytes);
    const char *(*receive)(void *world, int from, void *values, int64_t bytes);
    const char *(*wait)(void *world);
    const char *(*poll)(void *world); /* gets on with it, and waits for nothing */
    void (*alive)(void *world); /* this one has long work, and says so to the others */
    const char *(*share)(void *world, int from, void *values, int64_t bytes);
    const char *(*join)(void *world, uint64_t *words, int64_t count);
    const char *(*gather)(void *world, const void *own, int64_t bytes, void *all);
    /* All come here; false where some did not within so many seconds (< 0: it waits for
     * ever). */
    bool (*meet)(void *world, double seconds);
    void (*end)(void *world, int code); /* all processes, this one too */
    void (*close)(void *world);
} ranks_plugin;

struct pav_ranks {
    const ranks_plugin *mpi;
    void *world;
    ranks_place place;
};

#endif
