/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside io/striped. */
#ifndef IO_STRIPED_PRIVATE_H
#define IO_STRIPED_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "io/striped/striped.h"

typedef struct striped_file {
    char *path;
    int file, direct; /* through the page cache, and past it; -1: it is not to be had */
} striped_file;

/* striped_ring.c: io_uring, of one thread; NULL: it is not to be had, errno says why. */
typedef struct ring ring;
typedef struct ring_transfer {
    int file;
    bool write;
    char *memory; /* it, the bytes and their place are multiples of STRIPED_ALIGN */
    int64_t bytes, at;
} ring_transfer;
ring *ring_open(void);
void ring_close(ring *r);
int64_t ring_move(ring *r, const ring_transfer *all);

/* What fails, for tests: $PAV_DISK_FAULT is KIND:N, for the N-th piece that is moved. */
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
    int64_t bytes, chunk; /* of all; of one file, before it is the next one's turn */
    char *memory;
    bool there, kept;     /* as of the options */
    bool is_new;          /* files that are kept have no name yet that they keep */
    cached_range *cached; /* in memory alone, one behind the other ... */
    int64_t cached_runs;
    bool touched;          /* ... where the caller may have written */
    _Atomic int64_t holes; /* bytes of moves that were not written */
    atomic_bool past;      /* the page cache */
    fault_kind fault;      /* of the piece that counts `until` to 0 */
    _Atomic int64_t until;
    pthread_t thread[STRIPED_THREADS];
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t asked, done;
    bool closing;
    striped_move *piece; /* that wait, from `next` on */
    int64_t pieces, next, room, busy;
    int no_ring;       /* why io_uring is not to be had: of errno; 0: it is */
    pav_status status; /* the first failure since striped_wait, and its message */
    char *why;
    striped_figures figures;
    bool timed;
    striped_span *span; /* as of striped_spans */
    int64_t spans, span_room;
    bool guarded;
    _Atomic int64_t torn; /* a byte of the mapping that failed, counted from 1; 0: none */
};

/* striped_failed.c: the file cannot be made, opened, read, ... (what); error: of errno,
 * 0: it ends too early; needed: bytes that are to be written. */
pav_status striped_failed(const striped_file *f, const char *what, int error,
                          int64_t needed);
/* striped_transfer.c: one piece, by a thread's ring or without (NULL); its sums. */
pav_status striped_transfer(striped *s, ring *r, const striped_move *m);
/* Between the files and memory, without sums. */
pav_status striped_move_files(striped *s, ring *r, const striped_move *m);
/* striped_cached.c: bytes from `at` on that are all cached, or none of them; how many of
 * some are; they are in the files that are kept; pages of the others are given back. */
int64_t cached_run(const striped *s, int64_t at, bool *is_cached);
int64_t cached_bytes(const striped *s, int64_t at, int64_t bytes);
pav_status cached_write(striped *s);
void cached_give_back_others(striped *s);
/* striped_holes.c: bytes from `done` on whose units are all zero, or none of which is;
 * zeros are holes; so are those that the caller wrote, as far as memory has them. */
int64_t zeros_run(const striped_move *m, int64_t done, bool *are_zero);
pav_status holes_make(striped *s, ring *r, const striped_move *m);
void holes_find(striped *s);
/* striped_guard.c: what fails of the mapping is reported by striped_check. */
void striped_guard(striped *s);
void striped_unguard(striped *s);
/* striped_names.c: of a file that is kept, to be freed; it is left under its new one; it
 * is not in use by another process. */
char *name_of(const char *path, bool is_new);
void name_settle(const char *path);
bool name_lock(int file);
/* striped_fault.c */
void fault_find(striped *s);
bool fault_is_seen(striped *s);                /* in the mapping */
fault_kind fault_next(striped *s, bool write); /* what happens to this piece */
/* striped_threads.c */
pav_status striped_start(striped *s);
void striped_stop(striped *s);

#endif
