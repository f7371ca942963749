/* SPDX-License-Identifier: BSD-3-Clause */
/* A striped store: bytes in one file per disk, in chunks dealt to the files in turn. The
 * store is mapped into memory for access point by point. For streaming, threads move
 * large pieces, bypassing the page cache if the file system allows it. Both ways see the
 * same bytes if writes through the mapping are flushed first. */
#ifndef IO_STRIPED_H
#define IO_STRIPED_H

#include "base/base.h"

typedef struct striped striped;

enum { STRIPED_FILES = 16, STRIPED_ALIGN = 4096 };

typedef struct striped_options {
    char *const *path; /* one file for each disk */
    int paths;
    int64_t bytes;
    bool there; /* true: open files left by an earlier run; false: make new files. */
    /* kept: an unsettled store is removed when it is closed. Otherwise new files are
     * removed right after opening, so nothing is left of them in any case. */
    bool kept;
    bool timed; /* record the times of each piece */
} striped_options;

/* Fails if a disk has no room for all bytes. Space is taken when bytes are written;
 * planes of zeros never take space. */
pav_status striped_open(const striped_options *o, striped **opened);
void striped_close(striped *s);

/* Marks the files permanent: something refers to them now. */
void striped_settle(striped *s);
/* Removes unsettled files in a directory if their names begin with `begin`, no process
 * has them open, and they are not files of `kept`. Returns their total bytes. */
int64_t striped_remove_left(const char *directory, const char *begin,
                            const striped_options *kept);

void *striped_memory(const striped *s); /* the mapping */
/* Fails if a byte of the mapping could not be read or written; zeros stand in for it. */
pav_status striped_check(striped *s);
/* Writes changes made through the mapping to the files and frees the mapped pages. */
pav_status striped_flush(striped *s);

/* Keeps the whole pages of this range in memory instead of in the files. The range must
 * lie after all cached ranges. After writing to cached bytes, call striped_touch, so a
 * kept store writes them to its files. */
pav_status striped_cache(striped *s, int64_t at, int64_t bytes);
void striped_touch(striped *s);

/* A transfer between the store, from byte `at`, and memory. The memory's offset from a
 * multiple of STRIPED_ALIGN must equal that of `at`. Each `unit` bytes have a checksum in
 * `sum`: stored when writing, compared when reading. Sum 0 is unknown: it is computed and
 * stored. */
typedef struct striped_move {
    int64_t at, bytes, unit;
    void *memory;
    uint64_t *sum;
    bool write;
} striped_move;
/* The same checksums for bytes in the mapping: before the caller reads them, or after it
 * wrote them. */
pav_status striped_compare(striped *s, const striped_move *m);
/* Starts a transfer. The memory must not be touched before striped_wait. */
pav_status striped_begin(striped *s, const striped_move *m);
/* For tests: with $PAV_DISK_FAULT = WHERE:N, kills the process at the N-th call with
 * `where`. */
void striped_moment(const char *where);
/* Waits for all transfers; returns the first failure. */
pav_status striped_wait(striped *s);
/* Makes sure all transferred bytes are on the disks. */
pav_status striped_sync(striped *s);

/* waited: the callers' seconds of waiting for transfers. read, written: bytes. cached:
 * bytes served from memory instead of a disk. */
typedef struct striped_figures {
    double waited;
    int64_t read, written, cached, holes; /* holes: bytes of zeros stored as holes */
    bool direct;                          /* transfers bypass the page cache */
} striped_figures;
striped_figures striped_figures_of(const striped *s);
/* The times of transferred pieces, in order of completion. */
typedef struct striped_span {
    double begun, ended;
    int64_t bytes;
    bool write;
} striped_span;
const striped_span *striped_spans(const striped *s, int64_t *count);

#endif
