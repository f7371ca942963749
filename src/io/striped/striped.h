/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes in files of one disk or of several, which take turns: mapped into memory for who
 * reads and writes them point by point, and moved in large pieces, by threads of their
 * own and past the page cache where the file system can, for who streams them. Both see
 * the same bytes, as long as what was written through the mapping is flushed first. */
#ifndef IO_STRIPED_H
#define IO_STRIPED_H

#include "base/base.h"

typedef struct striped striped;

enum { STRIPED_FILES = 16, STRIPED_ALIGN = 4096 };

typedef struct striped_options {
    char *const *path; /* a file for each disk */
    int paths;
    int64_t bytes;
    bool there; /* they are files that were left; else new ones, which are removed ... */
    bool kept;  /* ... as soon as they are open, so that nothing stays of them, or (kept)
                   when they are closed before they were settled */
    bool timed; /* when each piece is moved is noted */
} striped_options;

/* A disk that has no room for all bytes is found here. They take it when they are
 * written, and planes of zeros never do. */
pav_status striped_open(const striped_options *o, striped **opened);
void striped_close(striped *s);

/* From now on something refers to the files, which stay. */
void striped_settle(striped *s);
/* Of those whose names begin so in a directory, files that were never settled and that
 * nobody has open are removed, but for the ones of `kept`: how many bytes they had. */
int64_t striped_remove_left(const char *directory, const char *begin,
                            const striped_options *kept);

void *striped_memory(const striped *s); /* the mapping */
/* Refused once a byte of the mapping could not be read or written: zeros stand in for
 * it. */
pav_status striped_check(striped *s);
/* What was written through the mapping is in the files; its pages are given back. */
pav_status striped_flush(striped *s);

/* These bytes are in memory from now on, as far as they are whole pages; behind those
 * that already are. What the caller writes there is noted by striped_touch, so that it
 * comes into a file that is kept. */
pav_status striped_cache(striped *s, int64_t at, int64_t bytes);
void striped_touch(striped *s);

/* From the mapping's byte `at` on, into memory that lies as far past a multiple of
 * STRIPED_ALIGN as `at` does, or from there. Each `unit` bytes have a sum, which is
 * written down when they are written, and compared when they are read; 0: not known, and
 * written down. */
typedef struct striped_move {
    int64_t at, bytes, unit;
    void *memory;
    uint64_t *sum;
    bool write;
} striped_move;
/* The same sums of bytes where they are mapped, before the caller reads them there, or
 * after it wrote them. */
pav_status striped_compare(striped *s, const striped_move *m);
/* Begins it; nobody touches the memory before striped_wait. */
pav_status striped_begin(striped *s, const striped_move *m);
/* $PAV_DISK_FAULT = WHERE:N, for tests: the process is killed when it is there the N-th
 * time. */
void striped_moment(const char *where);
/* All that was begun is done: the first failure. */
pav_status striped_wait(striped *s);
/* What was moved is on the disks. */
pav_status striped_sync(striped *s);

/* Seconds that callers waited for moves, and bytes that were read and written; cached:
 * that memory had in place of a disk. */
typedef struct striped_figures {
    double waited;
    int64_t read, written, cached, holes; /* holes: zeros that take no room */
    bool direct;                          /* past the page cache ... */
    int no_ring; /* ... by io_uring; else why not, of errno (ECANCELED: not wanted) */
} striped_figures;
striped_figures striped_figures_of(const striped *s);
/* When pieces were moved, in the order of their ends. */
typedef struct striped_span {
    double begun, ended;
    int64_t bytes;
    bool write;
} striped_span;
const striped_span *striped_spans(const striped *s, int64_t *count);

#endif
