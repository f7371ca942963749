/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside run by writers and readers of checkpoints. A checkpoint has all the state
 * that a later process needs to continue with the same bits:
 *
 *     prefix   "PAVCHKPT", 0x01020304, version of the format, bytes of the head, hash of
 *              both
 *     head     the program, the step, uniforms, shapes of the fields, state of the
 *              recorders
 *     data     for each field, newest level first: its points, dense, x fastest, in the
 *              type of the field;
 *              then, for borders that depend on fields or time, its ghosts face by face
 *     sum      of everything before it, in any order of writing
 *
 * In format 4, of a run out of core with its fields in files, a list of these files
 * replaces the data. Ranks write and read their own points.
 *
 * No byte depends on device, threads, schedule or padding. */
#ifndef RUN_CHECKPOINT_PRIVATE_H
#define RUN_CHECKPOINT_PRIVATE_H

#include "run/run_private.h"

/* checkpoint_stream.c: the first bytes of every checkpoint; and all of them. */
enum { CHECKPOINT_MAGIC = 8 };
extern const char checkpoint_magic[CHECKPOINT_MAGIC];
enum { STREAM_BUFFER = 1 << 20 /* bytes */ };
typedef struct stream {
    const char *path;
    char *part;  /* the name while it is written */
    bool joined; /* another rank's file, whose name and end are its own */
    int file;
    char *buffer;
    int64_t at;          /* in the file, of the buffer */
    int64_t used, owned; /* of the buffer */
    int64_t end;         /* of the file that is read, before the sum */
    int64_t whole;       /* bytes that the file will have; 0: unknown */
    bool uncounted;      /* what is read next is in another rank's sum */
    uint64_t sum;        /* of what was put or got */
} stream;
pav_status stream_create(stream *s, const char *path);
/* The file that another rank has created, under its name for the time being. */
pav_status stream_join(stream *s, const char *path, const char *part);
pav_status stream_put(stream *s, const void *bytes, int64_t length);
/* The next bytes are put or got there. */
pav_status stream_seek(stream *s, int64_t at);
pav_status stream_flush(stream *s); /* and onto the disk */
/* `others`: what other ranks have put. `keep`: what has the name now is good, and becomes
 * FILE.old. */
pav_status stream_finish(stream *s, uint64_t others, bool keep);
/* Damage is PAV_EFORMAT, no file PAV_EIO. */
pav_status stream_open(stream *s, const char *path);
pav_status stream_get(stream *s, void *bytes, int64_t length);
int64_t stream_left(const stream *s); /* bytes before the sum */
/* `all`: the sum of all bytes before it. */
pav_status stream_check(stream *s, uint64_t all);
void stream_close(
    stream *s); /* without stream_finish nothing stays of what was written */

/* checkpoint_sum.c: of bytes that are at a place of the file; of the whole of it. */
uint64_t sum_of(int64_t at, const void *bytes, int64_t length);
uint64_t sum_end(uint64_t sum, int64_t length);

/* checkpoint_head.c: the bytes of a number. */
void checkpoint_put(text *t, int64_t value);

/* checkpoint_identity.c */
void identity_add(const pav_run *run,
                  text *t); /* its statements, as far as they change values */
int64_t identity_positions(const pav_run *run); /* a hash: their files may have changed */
/* PAV_EINVAL, with what differs, where `theirs` is not what identity_add appends. */
pav_status identity_check(const pav_run *run, const char *path, const char *theirs);

/* checkpoint_data.c: from here on. `parts`: subdomains have their own points written;
 * else the whole is gathered, for the first rank, whose stream it is. */
pav_status data_write(const pav_run *run, stream *s, bool parts);
pav_status data_read(pav_run *run, stream *s);
int64_t data_bytes(const pav_run *run);
/* Borders that were not kept, of levels that belong to steps up to `step`. */
pav_status data_fill_borders(pav_run *run, int64_t step);

/* checkpoint_prefix.c: prefix and head, of a stream that has just been opened. is_store:
 * the fields lie in files, which come next. */
int64_t prefix_bytes(const text *head); /* of both */
pav_status prefix_put(stream *s, const text *head, bool is_store);
/* *head is to be freed, where it fails, too. */
pav_status prefix_get(stream *s, char **head, int64_t *length, bool *is_store);
pav_status prefix_skip(stream *s, bool *is_store);

/* outofcore_commit.c: what a checkpoint says of them. */
pav_status outofcore_store_write(const pav_run *run, text *section);
void outofcore_store_written(const pav_run *run); /* and it is on the disk */
pav_status outofcore_store_read(pav_run *run, stream *s);

/* checkpoint_ranks.c: a file that all ranks write. The first has begun it with what the
 * data follow, or failed by `begun`; *seen: all can write it. What each has done is
 * brought together; what all have read is what was written. */
pav_status checkpoint_join(const pav_run *run, const char *path, stream *s,
                           pav_status begun, bool *seen);
pav_status checkpoint_gather(const pav_run *run, const stream *s, pav_status own,
                             uint64_t *others);
pav_status checkpoint_sum(const pav_run *run, const stream *s, uint64_t *all);

/* checkpoint_plan.c, checkpoint.c, checkpoint_due.c */
pav_status checkpoint_find(pav_run *run); /* where it is kept and how often */
pav_status checkpoint_open(pav_run *run); /* that it can be written there */
void checkpoint_close(pav_run *run);
pav_status checkpoint_write(pav_run *run, const char *path);
bool checkpoint_is_requested(const pav_run *run); /* by the clock, or for what was lost */
pav_status checkpoint_after_step(
    pav_run *run); /* when one is due; what goes wrong is reported */
/* Before the first block of a run whose fields are in files. */
pav_status checkpoint_of_start(pav_run *run);
/* The last one of a run that keeps one, unless it is there: before what is due at the
 * end. */
pav_status checkpoint_at_end(pav_run *run);
/* PAV_EIO where that of the last step could not be written, which a note has said,
 * too. */
pav_status checkpoint_check_last(const pav_run *run);
/* In place of run_start. */
pav_status checkpoint_restart(pav_run *run);

#endif
