/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files of io/striped. */
#ifndef IO_STRIPED_PRIVATE_H
#define IO_STRIPED_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "io/striped/striped.h"

typedef struct striped_file {
    char *path;
    /* file: through the page cache; direct: bypassing it, -1 if not available */
    int file, direct;
} striped_file;

/* Simulated failures for tests: $PAV_DISK_FAULT is KIND:N, for the N-th piece
 * transferred. */
typedef enum fault_kind {
    FAULT_NONE,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_FULL,
    FAULT_TURNED,
    FAULT_SEEN,
    FAULT_KILL
} fault_kind;

enum { STRIPED_THREADS = 16 };

typedef struct cached_range {
    int64_t lo, hi; /* bytes, multiples of STRIPED_ALIGN */
} cached_range;

struct striped {
    striped_file file[STRIPED_FILES];
    int files, threads;
    /* bytes: total; chunk: bytes in one file before the next one's turn */
    int64_t bytes, chunk;
    char *memory;
    bool there, kept;     /* copies of the options */
    bool is_new;          /* the files of a kept store still have temporary names */
    cached_range *cached; /* ranges kept in memory, in order */
    int64_t cached_runs;
    bool touched;          /* the caller may have written to cached ranges */
    _Atomic int64_t holes; /* bytes of transfers stored as holes */
    atomic_bool past;      /* transfers bypass the page cache */
    fault_kind fault;      /* failure of the piece counting `until` down to 0 */
    _Atomic int64_t until;
    pthread_t thread[STRIPED_THREADS];
    pthread_mutex_t lock; /* protects all members below */
    pthread_cond_t asked, done;
    bool closing;
    striped_move *piece; /* queued pieces, starting at `next` */
    int64_t pieces, next, room, busy;
    kept_failure failure; /* of a piece, the first one; not yet reported */
    striped_figures figures;
    bool timed;
    striped_span *span; /* times for striped_spans */
    int64_t spans, span_room;
    bool guarded;
    _Atomic int64_t torn; /* offset + 1 of a failed byte of the mapping; 0: none */
};

/* striped_transfer.c: fails with a message: the file cannot be made, opened, read, ...
 * (what). error: errno, or 0 if the file ends too early. needed: bytes to be written. */
pav_status striped_failed(const striped_file *f, const char *what, int error,
                          int64_t needed);
/* striped_transfer.c: transfers between files and memory without checksums. */
pav_status striped_move_files(striped *s, const striped_move *m);
/* striped_transfer.c. cached_run: number of bytes from `at` on, all cached or all not.
 * cached_write: writes cached bytes to the files of a kept store. */
int64_t cached_run(const striped *s, int64_t at, bool *is_cached);
pav_status cached_write(striped *s);
/* striped.c. zeros_run: counts the bytes from `done` on, up to the first change between
 * units of zeros and other units. holes_make: stores zeros as holes of the file.
 * holes_find: turns zeros written through the mapping into holes, if they are still in
 * memory. */
int64_t zeros_run(const striped_move *m, int64_t done, bool *are_zero);
pav_status holes_make(striped *s, const striped_move *m);
/* The part of a transfer from a byte on (striped.c). */
striped_move striped_part(const striped_move *m, int64_t from, int64_t bytes);
/* striped_transfer.c. fault_find: the simulated failure asked for, if any. */
void fault_find(striped *s);
pav_status striped_start(striped *s);

#endif
