/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run by writers and readers of checkpoints. A checkpoint has all the state
 * that a later process needs to continue with the same bits:
 *
 *     prefix   "PAVCHKPT", 0x01020304, version of the format, bytes of the head, hash of
 *              both
 *     head     the version of Pavior, the program, the step, hashes of positions and
 *              traces, uniforms, shapes of the fields and bytes of the data, state of
 *              the recorders
 *     data     for each field, newest level first: its points, dense, x fastest, in the
 *              type of the field;
 *              then, if a border of the field depends on fields or time, the ghosts of
 *              all its faces
 *     sum      of everything before it, in any order of writing
 *
 * In format 6, of a run out of core with its fields in files, a list of these files
 * replaces the data. Ranks write and read their own points.
 *
 * No byte depends on device, threads, schedule or padding. */
#ifndef RUN_CHECKPOINT_PRIVATE_H
#define RUN_CHECKPOINT_PRIVATE_H

#include "run/run_private.h"

/* checkpoint_stream.c: the first bytes of every checkpoint, and the stream of all
 * bytes. */
enum { CHECKPOINT_MAGIC = 8 };
extern const char checkpoint_magic[CHECKPOINT_MAGIC];
bool checkpoint_begins(const char *bytes, size_t length, bool partial);
enum { STREAM_BUFFER = 1 << 20 /* bytes */ };
typedef struct stream {
    const char *path;
    char *part; /* the name during writing */
    /* another rank created the file; this rank may not rename or truncate it */
    bool joined;
    int file;
    char *buffer;
    int64_t at;          /* position of the buffer in the file */
    int64_t used, owned; /* bytes of the buffer in use; bytes read into it */
    int64_t end;         /* end of the data in a file for reading, before the sum */
    int64_t whole;       /* bytes of the finished file; 0: unknown */
    bool uncounted;      /* the next bytes count in another rank's sum */
    uint64_t sum;        /* sum of the bytes written or read */
} stream;
pav_status stream_create(stream *s, const char *path);
/* Opens the file created by another rank, under its temporary name. */
pav_status stream_join(stream *s, const char *path, const char *part);
pav_status stream_put(stream *s, const void *bytes, int64_t length);
/* Moves the position of the next write or read. */
pav_status stream_seek(stream *s, int64_t at);
pav_status stream_flush(stream *s); /* and syncs the disk */
/* others: the sums of other ranks. keep: the present file of this name is valid and
 * becomes FILE.old. */
pav_status stream_finish(stream *s, uint64_t others, bool keep);
/* Returns PAV_EFORMAT for a damaged file, PAV_EIO for a missing one. */
pav_status stream_open(stream *s, const char *path);
pav_status stream_get(stream *s, void *bytes, int64_t length);
int64_t stream_left(const stream *s); /* bytes before the sum */
/* all: the sum of all bytes before it. */
pav_status stream_check(stream *s, uint64_t all);
void stream_close(stream *s); /* an unfinished file is removed */

/* Appends the bytes of whole numbers. */
#define CHECKPOINT_PUT(t, ...)                                                           \
    text_add_bytes(t, (const char *)(const int64_t[]){__VA_ARGS__},                      \
                   sizeof((const int64_t[]){__VA_ARGS__}))

/* checkpoint_data.c: the field data, from the present position. parts: each rank writes
 * the points of its subdomains; otherwise the first rank gathers and writes all. */
pav_status data_write(const pav_run *run, stream *s, bool parts);
pav_status data_read(pav_run *run, stream *s);
int64_t data_bytes(const pav_run *run);
/* Levels of a field in the file. A field in the buffer of another field has none. Older
 * versions stored no field in place, and so wrote one more level. */
int checkpoint_levels(const pav_run *run, const ir_field *f);
/* Fills borders not in the checkpoint, for the levels up to `step`. */
pav_status data_fill_borders(pav_run *run, int64_t step);

/* checkpoint_head.c: prefix and head of a newly opened stream. is_store: a section
 * about the store's files follows, in place of the data. */
int64_t prefix_bytes(const text *head); /* bytes of prefix and head */
pav_status prefix_put(stream *s, const text *head, bool is_store);
/* The caller frees *head, even after an error. */
pav_status prefix_get(stream *s, char **head, int64_t *length, bool *is_store);

/* outofcore/disk.c: the section about the store's files. */
pav_status outofcore_store_write(const pav_run *run, text *section);
void outofcore_store_written(const pav_run *run); /* called once it is on the disk */
pav_status outofcore_store_read(pav_run *run, stream *s);

/* checkpoint.c */
pav_status checkpoint_find(pav_run *run); /* its name and its interval */
pav_status checkpoint_open(pav_run *run); /* checks that it can be written */
/* by the clock, or because files were begun anew */
bool checkpoint_is_requested(const pav_run *run);
pav_status checkpoint_after_step(
    pav_run *run); /* if one is due; an error is only reported */
/* Writes one before the first block of a run with its fields in files. */
pav_status checkpoint_of_start(pav_run *run);
/* The last checkpoint of a run, unless it is already written. It comes before all that is
 * due at the end. */
pav_status checkpoint_at_end(pav_run *run);
/* Replaces run_start in a restarted run. */
pav_status checkpoint_restart(pav_run *run);

#endif
